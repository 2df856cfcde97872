"""The lecture's material and steps, read once for all tests of a process."""

from functools import cache

from lnexplorer.domain.lecture.material import Material
from lnexplorer.domain.lecture.scenes import Step
from lnexplorer.domain.lecture.storyboard import storyboard
from lnexplorer.lecture.loading import load_material


@cache
def recorded_material() -> Material:
    return load_material()


@cache
def recorded_steps() -> tuple[Step, ...]:
    return storyboard(recorded_material())
