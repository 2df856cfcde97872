"""What a measurement makes of verdicts and times; the times are made up, as there may be no GPU."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import pytest
import torch

from lnexplorer.domain.measuring import CandidateOutcome, MeasureRequest
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.timeline import LockWait
from lnexplorer.protocol.messages import JobPart
from lnexplorer.worker import measuring as job
from lnexplorer.worker import timing
from lnexplorer.worker.compilation import Compilation
from lnexplorer.worker.connection import Connection, Task
from lnexplorer.worker.device import open_device
from lnkernels.timing.rounds import Bytes, make_figure, summarize
from lnkernels.values.environment import Device
from lnkernels.values.figures import Direction, Figure, Refusal, RefusalKind, Subject, Throughput
from lnkernels.values.sentence import verbatim
from tests.worker.conftest import Patience, Wire

SHAPE = RunRequest(m=8, n=64)
REQUEST = MeasureRequest(
    settings=(SHAPE, SHAPE.changed(strategy="persistent"), SHAPE.changed(block_size_n=16)),
    providers=("torch",),
)


@pytest.fixture(scope="module")
def opened() -> tuple[torch.device, Device]:
    return open_device("interpreter")


@pytest.fixture
def measurer(opened: tuple[torch.device, Device]) -> job.Measurer:
    return job.Measurer(*opened)


@pytest.fixture
def task(wire: Wire) -> Task:
    return Task(7, cast("Connection", wire), cast("Any", Patience()))


def made_up(name: str, direction: Direction = "forward") -> Figure:
    timing = summarize([0.1] * 30, "cold")
    return make_figure(
        Subject(name, direction, "kernel_cold"), timing, Bytes(1000, 2000), timing, None
    )


def times(*figures: Figure, refusals: tuple[Refusal, ...] = ()) -> Callable[..., Throughput]:
    def measure(
        case: object, providers: object, *, on_figure: Callable[[Figure], None], **others: Any
    ) -> Throughput:
        del case, providers
        for figure in figures:
            others["on_turn"](figure.subject)
            on_figure(figure)
            on_figure(figure)
        return Throughput(figures=figures, refusals=refusals, timing_seconds=0.5)

    return measure


def test_figures_go_to_their_candidates_and_ceilings_stay_apart(
    measurer: job.Measurer, task: Task, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        timing,
        "measure",
        times(*(made_up(name) for name in ("copy", "locked", "persistent", "torch"))),
    )
    measured = measurer.measure(task, REQUEST)
    assert [outcome.status for outcome in measured.outcomes] == ["ok", "ok", "invalid", "ok"]
    assert [tuple(each.provider for each in outcome.figures) for outcome in measured.outcomes] == [
        ("locked",),
        ("persistent",),
        (),
        ("torch",),
    ]
    assert [each.provider for each in measured.ceilings] == ["copy"]
    assert measured.timing_seconds == 0.5
    parts = [event.part for event in wire.sent if isinstance(event, JobPart)]
    told = [part.label for part in parts if isinstance(part, CandidateOutcome)]
    assert sorted(told) == sorted(REQUEST.labels)
    assert told[0] == "locked block_size_n=16", "one that is refused is final at once"


@pytest.mark.parametrize(
    ("modes", "expected"),
    [(("kernel_cold",), []), (("kernel_cold", "autograd"), ["begin", "timed", "end"])],
)
def test_nothing_is_compiled_while_the_autograd_path_is_timed(
    measurer: job.Measurer,
    task: Task,
    monkeypatch: pytest.MonkeyPatch,
    modes: tuple[str, ...],
    expected: list[str],
) -> None:
    noted: list[str] = []

    @contextmanager
    def quiet(*_: object) -> Iterator[None]:
        noted.append("begin")
        yield
        noted.append("end")

    def measure(*_: object, **__: object) -> Throughput:
        if noted:
            noted.append("timed")
        return Throughput()

    monkeypatch.setattr(timing, "measure", measure)
    monkeypatch.setattr(measurer.compilation, "quiet", quiet)
    measurer.measure(task, replace(REQUEST, modes=modes))
    assert noted == expected


@pytest.mark.parametrize("kind", ["out_of_resources", "failed"])
@pytest.mark.parametrize("figures", [(), ("locked",)])
def test_a_candidate_that_fails_while_it_is_timed_keeps_what_it_has(
    measurer: job.Measurer,
    task: Task,
    monkeypatch: pytest.MonkeyPatch,
    kind: RefusalKind,
    figures: tuple[str, ...],
) -> None:
    refusal = Refusal("locked", verbatim("GPU memory ran out."), "backward", "kernel_cold", kind)
    monkeypatch.setattr(timing, "measure", times(*map(made_up, figures), refusals=(refusal,)))
    outcome = measurer.measure(task, REQUEST).outcome("locked")
    assert outcome is not None
    assert outcome.status == ("ok" if figures else kind)
    assert str(outcome.reason) == "backward, kernel_cold: GPU memory ran out."
    assert (outcome.figure("forward") is not None) == bool(figures)


def test_a_wrong_result_gets_no_time(
    measurer: job.Measurer, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lnkernels.providers.peers import Eager

    timed: list[str] = []

    def measure(case: object, providers: list[Any], **others: object) -> Throughput:
        del case, others
        timed.extend(provider.name for provider in providers)
        return Throughput()

    right = Eager.backward

    def wrong(self: Eager, case: Any) -> Callable[[], Any]:
        def call() -> Any:
            dx, dw, db = right(self, case)()
            return dx, dw * 2, db

        return call

    monkeypatch.setattr(timing, "measure", measure)
    monkeypatch.setattr(Eager, "backward", wrong)
    outcome = measurer.measure(task, REQUEST).outcome("torch")
    assert outcome is not None
    assert outcome.status == "incorrect"
    assert str(outcome.reason).startswith("dw is wrong in")
    assert {each.name: each.passed for each in outcome.errors} == {
        "y": True,
        "dx": True,
        "dw": False,
        "db": True,
    }
    assert timed == ["locked", "persistent"]


def test_a_compiler_that_fails_costs_its_candidate(
    measurer: job.Measurer, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finish(self: Compilation, provider: Any, *others: object) -> tuple[()]:
        del self, others
        if provider.name == "locked":
            raise RuntimeError("at 3:7:\n    acquire(\nCompilationError: no such thing")
        return ()

    monkeypatch.setattr(Compilation, "finish", finish)
    monkeypatch.setattr(timing, "measure", times(made_up("persistent")))
    outcome = measurer.measure(task, REQUEST).outcome("locked")
    assert outcome is not None
    assert (outcome.status, str(outcome.reason)) == (
        "failed",
        "RuntimeError: CompilationError: no such thing",
    )


def test_inputs_that_do_not_fit_are_everybodys_outcome(
    measurer: job.Measurer, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1 TiB.")

    monkeypatch.setattr(job, "inputs_of", make)
    measured = measurer.measure(task, REQUEST)
    gone = "out_of_resources"
    assert [outcome.status for outcome in measured.outcomes] == [gone, gone, "invalid", gone]
    assert measured.ceilings == ()


def test_each_right_setting_is_traced_where_waits_are_asked_for(
    measurer: job.Measurer, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def wait(_task: object, resolved: ResolvedRequest, _device: object) -> LockWait | None:
        asked.append(resolved.launch.strategy)
        return LockWait(trying_ns=700.0, queued_ns=5000.0) if len(asked) == 1 else None

    monkeypatch.setattr(timing, "measure", times())
    monkeypatch.setattr(job, "mean_wait", wait)
    measured = measurer.measure(task, replace(REQUEST, waits=True))
    assert [outcome.wait is not None for outcome in measured.outcomes] == [
        True,
        False,
        False,
        False,
    ]
    assert asked == ["locked", "persistent"]
