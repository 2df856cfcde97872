"""Measurements by a real worker on a real GPU."""

import math

import pytest

from lnexplorer.domain.measuring import Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import EngineEvent, Finished

pytestmark = pytest.mark.gpu

SHAPE = RunRequest(m=1024, n=2048)


def measured(request: MeasureRequest, heard: list[EngineEvent] | None = None) -> Measured:
    (outcome,) = run_in_turn([request], "cuda:0", ([] if heard is None else heard).append)
    assert isinstance(outcome, Finished), outcome
    assert isinstance(outcome.value, Measured)
    return outcome.value


@pytest.fixture(scope="module")
def heard() -> list[EngineEvent]:
    return []


@pytest.fixture(scope="module")
def found(heard: list[EngineEvent]) -> Measured:
    settings = tuple(
        SHAPE.changed(strategy=strategy)
        for strategy in ("locked", "persistent", "split", "atomic", "auto")
    )
    request = MeasureRequest(
        settings=(*settings, SHAPE.changed(group_size_m=8), SHAPE.changed(block_size_n=64)),
        providers=("torch",),
        modes=("kernel_cold", "kernel_warm", "autograd"),
    )
    return measured(request, heard)


def test_everybody_who_is_right_has_every_figure(found: Measured) -> None:
    for outcome in found.outcomes[:-2] + found.outcomes[-1:]:
        assert outcome.status == "ok", (outcome.label, outcome.reason)
        for direction in found.request.directions:
            for mode in found.request.modes:
                figure = outcome.figure(direction, mode)
                assert figure is not None, (outcome.label, direction, mode)
                assert 0 < figure.p20_ms <= figure.p50_ms <= figure.p80_ms
                assert figure.share_of_ceiling is not None
                assert math.isfinite(figure.share_of_ceiling)
                assert figure.samples_ms.size >= 5


def test_too_much_memory_is_everybodys_outcome_and_the_worker_goes_on() -> None:
    huge = RunRequest.of(m=1 << 24, n=16384, strategy="persistent")
    found = measured(MeasureRequest(settings=(huge,), providers=("torch",)))
    assert [outcome.status for outcome in found.outcomes] == [
        "out_of_resources",
        "out_of_resources",
    ]
    assert all(outcome.reason for outcome in found.outcomes)
    assert found.ceilings == ()
