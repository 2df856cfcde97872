"""What stands in words beside an experiment's picture: the first wrong elements, and where the fault was seen before."""

from dataclasses import replace

import pytest

from lnexplorer.domain.experiments.findings import SIGHTINGS, ExperimentResult
from lnexplorer.domain.experiments.words import facts
from lnexplorer.store.recordings import read_experiment
from lnexplorer.store.resources import resource


def facts_of(result: ExperimentResult) -> str:
    return "\n".join(map(str, facts(result)))


@pytest.fixture(scope="module")
def recorded() -> ExperimentResult:
    return read_experiment(resource("recordings") / "h200_barrier.lnexperiment")


def test_the_sighting_on_the_recorded_shape_is_the_recording_itself(recorded: ExperimentResult) -> None:
    assert recorded.barrier is not None
    resolved, side = recorded.resolved, recorded.barrier.left_out
    (seen,) = (one for one in SIGHTINGS if (one.m, one.n, one.device) == (resolved.m, resolved.n, "NVIDIA H200"))
    assert (seen.wrong, seen.runs, seen.group_size_m) == (side.wrong_runs, side.runs, resolved.launch.group_size_m)


def test_what_the_picture_shows_is_not_told_again_with_another_figure(recorded: ExperimentResult) -> None:
    told = facts_of(recorded)
    assert "Seen elsewhere: " in told
    assert "8192×2048, GROUP_SIZE_M 128" not in told
    assert "4096×8192, GROUP_SIZE_M 96" in told
    assert "RTX 4090" in told


def test_on_another_device_the_recorded_shape_is_told(recorded: ExperimentResult) -> None:
    environment = replace(recorded.provenance.environment, gpu="Another")
    other = replace(recorded, provenance=replace(recorded.provenance, environment=environment))
    assert "NVIDIA H200, 8192×2048, GROUP_SIZE_M 128, float16: 247 of 1000 runs" in facts_of(other)


def test_negative_errors_have_a_minus_sign(recorded: ExperimentResult) -> None:
    first = facts_of(recorded).splitlines()[0]
    assert "−1" in first
    assert "-1" not in first
