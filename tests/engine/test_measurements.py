"""Measurements and experiments of a real worker on the interpreter, where results are checked and
nothing is timed.
"""

from dataclasses import replace
from functools import partial

import pytest

from lnexplorer.domain.experiments.experiment import ExperimentRequest, ExperimentResult
from lnexplorer.domain.experiments.order import Orders
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine import supervisor
from lnexplorer.protocol.messages import (
    EngineEvent,
    Finished,
    JobPart,
    JobProgress,
    JobStarted,
    Outcome,
    Refused,
)
from tests.shared_worker import LentWorker, SharedWorker

SHAPE = RunRequest(m=8, n=64)
REQUEST = MeasureRequest(
    settings=(SHAPE, SHAPE.changed(block_size_n=32), SHAPE.changed(strategy="persistent")),
    providers=("torch", "nobody"),
    modes=(),
)


EXPERIMENT = ExperimentRequest(
    name="order", problem=RunRequest.of(m=4, n=16, group_size_m=2), runs=2
)
TIMED = replace(REQUEST, modes=("kernel_cold",))
Done = tuple[list[Outcome], list[EngineEvent]]


@pytest.fixture(scope="module")
def done(shared_worker: SharedWorker) -> Done:
    """What one worker gave for all of them, and what it said."""
    heard: list[EngineEvent] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervisor, "Supervisor", partial(LentWorker, shared_worker))
        outcomes = supervisor.run_in_turn((REQUEST, EXPERIMENT, TIMED), on_event=heard.append)
    return outcomes, heard


@pytest.fixture(scope="module")
def measured(done: Done) -> Measured:
    outcome = done[0][0]
    assert isinstance(outcome, Finished), outcome
    assert isinstance(outcome.value, Measured)
    return outcome.value


def test_every_candidate_has_an_outcome_in_the_order_of_the_request(measured: Measured) -> None:
    assert tuple(outcome.label for outcome in measured.outcomes) == REQUEST.labels
    assert [outcome.status for outcome in measured.outcomes] == [
        "ok",
        "invalid",
        "ok",
        "ok",
        "invalid",
    ]


def test_every_outcome_is_told_before_the_end_and_who_is_at_work_is_named(
    measured: Measured, done: Done
) -> None:
    _, heard = done
    told = {
        event.part.label
        for event in heard
        if isinstance(event, JobPart) and isinstance(event.part, CandidateOutcome)
    }
    assert told == {outcome.label for outcome in measured.outcomes}
    steps = [str(event.step) for event in heard if isinstance(event, JobProgress)]
    assert {"locked", "persistent", "torch"} <= set(steps)


def test_times_are_refused_on_the_interpreter(done: Done) -> None:
    (_, _, outcome), _ = done
    assert isinstance(outcome, Refused)
    assert [(problem.field, problem.value) for problem in outcome.problems] == [
        ("device", "interpreter")
    ]
    assert "mean nothing" in str(outcome.problems[0].allowed)


def test_what_an_experiment_has_found_is_told_before_its_end(done: Done) -> None:
    (_, outcome, _), heard = done
    assert isinstance(outcome, Finished), outcome
    assert isinstance(outcome.value, ExperimentResult)
    second = [event.job for event in heard if isinstance(event, JobStarted)][1]
    parts = [event.part for event in heard if isinstance(event, JobPart) and event.job == second]
    assert [
        len(part.findings_of(Orders).sides) for part in parts if isinstance(part, ExperimentResult)
    ] == [1, 2, 3]
    assert all(
        isinstance(part, ExperimentResult) and part.request == outcome.value.request
        for part in parts
    )
