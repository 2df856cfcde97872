"""What becomes of a benchmark when candidates take the worker with them."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine import benchmark
from lnexplorer.engine.benchmark import BenchmarkError, benchmark_points
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, JobPart, JobProgress, Outcome, Refused
from lnkernels.launch import Problem
from lnkernels.sentence import verbatim
from lnkernels.values.environment import Kind
from tests.sample_benchmark import ENVIRONMENT, figure

REQUEST = MeasureRequest(
    settings=tuple(RunRequest.of(m=64, n=256, strategy=strategy) for strategy in ("locked", "persistent", "split")),
    providers=("torch",),
    problem=RunRequest(m=64, n=256),
)


class Script:
    """A supervisor whose measurements end as a function of the request says."""

    def __init__(self, answer: Callable[[MeasureRequest], tuple[str, Outcome]]) -> None:
        self.measured: list[tuple[str, ...]] = []
        self.prepared: list[tuple[RunRequest, ...]] = []
        self.closed = False
        self._answer = answer

    def __call__(self, on_event: Callable[[EngineEvent], None], **options: Any) -> "Script":
        del options
        self._on_event = on_event
        return self

    def start(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    def prepare(self, requests: Sequence[RunRequest]) -> None:
        self.prepared.append(tuple(requests))

    def submit(self, request: MeasureRequest) -> int:
        self.measured.append(request.labels)
        at_work, outcome = self._answer(request)
        number = len(self.measured)
        self._on_event(JobProgress(number, "run", verbatim(at_work), 0, 1))
        if isinstance(outcome, Broken):
            wrong = CandidateOutcome(label="torch", status="incorrect", reason=verbatim("wrong"))
            self._on_event(JobPart(number, wrong))
        self._on_event(JobEnded(number, outcome))
        return number


def all_ok(request: MeasureRequest) -> Finished:
    return Finished(
        Measured(
            request=request,
            problem=request.subject,
            kind=Kind.MEASURED,
            outcomes=tuple(CandidateOutcome(label=name, status="ok", figures=(figure(name),)) for name in request.labels),
            ceilings=(),
            before=ENVIRONMENT,
            after=ENVIRONMENT,
            warnings=(),
            timing_seconds=1.0,
            total_seconds=2.0,
        )
    )


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[MeasureRequest], tuple[str, Outcome]]], Script]:
    def use(answer: Callable[[MeasureRequest], tuple[str, Outcome]]) -> Script:
        script = Script(answer)
        monkeypatch.setattr(benchmark, "Supervisor", script)
        return script

    return use


def test_one_that_hangs_costs_itself_and_the_others_are_measured_again(scripted: Any) -> None:
    def hangs(request: MeasureRequest) -> tuple[str, Outcome]:
        if "persistent" in request.labels:
            return "persistent", Broken("run", verbatim("It took too long."), "", timed_out=True)
        return "", all_ok(request)

    script = scripted(hangs)
    (point,) = benchmark_points([REQUEST])
    statuses = {outcome.label: outcome.status for outcome in point.outcomes}
    assert statuses == {"locked": "ok", "persistent": "timed_out", "split": "ok", "torch": "incorrect"}
    assert script.measured[1] == ("locked", "split")
    assert script.closed


def test_one_that_crashes_has_the_sentence_for_a_reason(scripted: Any) -> None:
    def crashes(request: MeasureRequest) -> tuple[str, Outcome]:
        if "split" in request.labels:
            return "split", Broken("run", verbatim("The worker crashed."), "")
        return "", all_ok(request)

    scripted(crashes)
    (point,) = benchmark_points([REQUEST])
    outcome = next(outcome for outcome in point.outcomes if outcome.label == "split")
    assert (outcome.status, str(outcome.reason)) == ("failed", "The worker crashed.")
    assert outcome.setting == REQUEST.settings[2]


def test_where_nobody_is_to_blame_the_point_is_lost_and_the_next_is_measured(scripted: Any) -> None:
    def loses_the_first(request: MeasureRequest) -> tuple[str, Outcome]:
        return ("inputs", Broken("run", verbatim("Gone."), "")) if request.subject.n == 256 else ("", all_ok(request))

    script = scripted(loses_the_first)
    later = MeasureRequest(providers=("torch",), problem=RunRequest(m=64, n=512))
    lost, found = benchmark_points([REQUEST, later])
    assert {outcome.status for outcome in lost.outcomes} == {"failed", "incorrect"}
    assert lost.problem.n == 256
    assert [outcome.status for outcome in found.outcomes] == ["ok"]
    assert len(script.measured) == 2


def test_settings_of_later_points_are_compiled_ahead(scripted: Any) -> None:
    script = scripted(lambda request: ("", all_ok(request)))
    list(benchmark_points([REQUEST, REQUEST]))
    assert script.prepared == [REQUEST.settings, ()]


@pytest.mark.parametrize(
    "outcome",
    [Refused((Problem("device", "interpreter", verbatim("choose a GPU")),)), Broken("start", verbatim("No torch."), "")],
)
def test_what_keeps_every_point_from_being_measured_ends_it(scripted: Any, outcome: Outcome) -> None:
    script = scripted(lambda _: ("", outcome))
    with pytest.raises(BenchmarkError) as error:
        list(benchmark_points([REQUEST, REQUEST]))
    assert error.value.outcome == outcome
    assert script.closed
