"""The lecture of what was recorded."""

import pytest

from lnexplorer.domain.lecture.material import LectureMaterial
from tests.sample_lecture import Steps, recorded_material, recorded_steps


@pytest.fixture(scope="module")
def recorded() -> LectureMaterial:
    return recorded_material()


@pytest.fixture(scope="module")
def steps(recorded: LectureMaterial) -> Steps:
    return recorded_steps()
