"""The lecture's material and steps, read once for all tests of a process."""

from functools import cache

from lnexplorer.domain.lecture.material import LectureMaterial
from lnexplorer.domain.lecture.scenes import LectureStep
from lnexplorer.domain.lecture.storyboard import storyboard
from lnexplorer.lecture.loading import load_material


@cache
def recorded_material() -> LectureMaterial:
    return load_material()


@cache
def recorded_steps() -> tuple[LectureStep, ...]:
    return storyboard(recorded_material())
