"""What runs and measurements make of verdicts and times; the times are made up, as there may be no
GPU.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
import torch

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.measuring import CandidateOutcome, MeasureRequest
from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.timeline import LockWait
from lnexplorer.protocol.messages import JobPart
from lnexplorer.worker import measuring, timing
from lnexplorer.worker.candidates import offered, why_missing
from lnexplorer.worker.compilation import Compilation
from lnexplorer.worker.connection import Connection, JobCancelled, Task
from lnexplorer.worker.device import open_device
from lnexplorer.worker.measuring import Measurer
from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import torch_results
from lnkernels.providers.discovery import Found
from lnkernels.providers.own import Own
from lnkernels.providers.peers import Eager
from lnkernels.providers.protocol import Case
from lnkernels.values.environment import Device
from lnkernels.values.figures import Figure, Refusal, RefusalKind, Throughput
from lnkernels.values.sentence import verbatim
from tests.sample_results import figure_of, make_correctness, make_device
from tests.worker.conftest import Patience, Wire

SHAPE = RunRequest(m=8, n=64)
REQUEST = MeasureRequest(
    settings=(SHAPE, SHAPE.changed(strategy="persistent"), SHAPE.changed(block_size_n=16)),
    providers=("torch",),
)
CPU = torch.device("cpu")
RESOLVED = resolve(replace(SHAPE, dtype="float32"), "interpreter")
INPUTS = make_inputs(8, 64, torch.float32, "normal", 0, CPU)
CASE = Case.of(INPUTS, RESOLVED.eps, RESOLVED.launch)
THEIRS = torch_results(INPUTS, RESOLVED.eps)


class Named(Eager):
    """PyTorch under another name."""

    def __init__(self, name: str, missing: str | None = None) -> None:
        self.name = self.label = name
        self._missing = missing

    def unavailable(self) -> str | None:
        return self._missing


class Wrong(Named):
    """A column of dw is off."""

    def backward(self, case: Any) -> Any:
        right = super().backward(case)

        def call() -> Any:
            dx, dw, db = right()
            return dx, dw + (torch.arange(dw.numel()) == 7), db

        return call


class Odd(Named):
    def unavailable(self) -> str | None:
        raise RuntimeError("no idea")


NOT_HERE = "package liger_kernel is not installed"
FOUND = Found(
    {name: Own(name) for name in ("locked", "persistent")}
    | {name: Named(name) for name in ("torch", "torch.compile")}
    | {"liger": Named("liger", NOT_HERE), "wrong": Wrong("wrong"), "odd": Odd("odd")},
    {"gone": verbatim("gone:Provider cannot be loaded")},
)


@pytest.fixture(scope="module")
def opened() -> tuple[torch.device, Device]:
    return open_device("interpreter")


@pytest.fixture
def measurer(opened: tuple[torch.device, Device]) -> Measurer:
    return Measurer(*opened, FOUND)


@pytest.fixture
def task(wire: Wire, patience: Patience) -> Task:
    return Task(7, cast("Connection", wire), cast("Any", patience))


Times = Callable[..., list[str]]


@pytest.fixture
def time_as(monkeypatch: pytest.MonkeyPatch) -> Times:
    """Have candidates timed with figures of these names, or each with one; who was to be timed."""

    def time_as(*names: str, refusals: tuple[Refusal, ...] = ()) -> list[str]:
        timed: list[str] = []

        def measure(
            _case: object, providers: list[Any], *, on_figure: Callable[..., None], **others: Any
        ) -> Throughput:
            timed.extend(provider.name for provider in providers)
            figures = tuple(
                replace(made_up(name), verdict=others["verdicts"].get(name, "right"))
                for name in names or timed
            )
            for figure in figures:
                others["on_turn"](figure.subject)
                on_figure(figure)
                on_figure(figure)
            return Throughput(figures=figures, refusals=refusals, timing_seconds=0.5)

        monkeypatch.setattr(timing, "measure", measure)
        return timed

    return time_as


def made_up(name: str) -> Figure:
    return figure_of(np.full(30, 0.1), 1.0, name)


@pytest.fixture
def run(measurer: Measurer, task: Task, time_as: Times) -> Callable[..., Throughput]:
    """Have the peers of a run checked and timed beside its strategy, as on a GPU."""
    time_as()
    measurer.device = make_device("cuda")

    def run(*peers: str, failing: tuple[str, ...] = (), anyway: bool = False) -> Throughput:
        checked = make_correctness(8, 64, failing=failing)
        job = RunJob(RunRequest(), peers, time_anyway=anyway)
        return measurer.times_beside(task, CASE, checked, THEIRS, job, FOUND)[0]

    return run


def test_peers_are_made_ready_before_anybody_is_timed(
    run: Callable[..., Throughput], wire: Wire
) -> None:
    times = run("torch", "torch.compile", "persistent", "locked")
    ready = [f"preparing {name}" for name in ("torch", "torch.compile", "persistent")]
    assert wire.order[:5] == [*ready, "throughput", "locked 30"]
    timed = [figure.provider for figure in times.figures]
    assert timed == ["locked", "torch", "torch.compile", "persistent"]


def test_who_is_missing_is_refused_with_the_way_to_have_it(run: Callable[..., Throughput]) -> None:
    times = run("liger", "nobody", "gone")
    assert {refusal.provider: str(refusal.reason) for refusal in times.refusals} == {
        "nobody": str(why_missing("nobody", FOUND)),
        "gone": "gone:Provider cannot be loaded",
        "liger": f"{NOT_HERE}: pip install liger-kernel",
    }
    assert str(why_missing("nobody", FOUND)).startswith(
        "there is no provider nobody: take one of liger, locked"
    )


def test_a_wrong_result_is_timed_where_somebody_insists_and_its_figures_say_so(
    run: Callable[..., Throughput], measurer: Measurer, task: Task, time_as: Times
) -> None:
    times = run("torch", "wrong", failing=("dw",), anyway=True)
    assert {figure.provider: figure.verdict for figure in times.figures} == {
        "locked": "wrong",
        "torch": "right",
        "wrong": "wrong",
    }
    assert all(map(times.is_timed_anyway, times.refusals))
    time_as("wrong")
    asked = replace(REQUEST, providers=("wrong",), time_anyway=True)
    outcome = measurer.measure(task, asked).outcome("wrong")
    assert outcome is not None
    assert (outcome.status, outcome.verdict) == ("incorrect", "wrong")
    assert [figure.verdict for figure in outcome.figures] == ["wrong"]


def test_a_compilation_of_seconds_can_be_left(
    run: Callable[..., Throughput],
    patience: Patience,
    wire: Wire,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patience.cancelled_inside, forgotten = True, list[bool]()
    monkeypatch.setattr(torch.compiler, "reset", lambda: forgotten.append(True))
    with pytest.raises(JobCancelled):
        run("torch.compile")
    assert wire.order == ["preparing torch.compile"]
    assert forgotten == [True]


def test_everybody_is_listed_with_what_is_missing() -> None:
    listed = {one.name: str(one.missing or "") for one in offered(FOUND)}
    assert list(listed)[:3] == ["torch", "torch.compile", "liger"]
    assert listed["gone"] == "gone:Provider cannot be loaded"
    assert listed["odd"] == "RuntimeError: no idea"


def test_on_the_interpreter_peers_are_checked_as_on_a_gpu(measurer: Measurer, task: Task) -> None:
    job = RunJob(RunRequest(), ("torch", "wrong", "persistent", "liger"))
    right = make_correctness(8, 64)
    said = measurer.times_beside(task, CASE, right, THEIRS, job, FOUND)[0].refusals
    assert [(one.provider, one.kind) for one in said] == [
        ("wrong", "incorrect"),
        ("liger", "unavailable"),
    ]
    assert str(said[0].reason).startswith("dw is wrong in 1 of its elements, at worst by ")


def test_figures_go_to_their_candidates_and_ceilings_stay_apart(
    measurer: Measurer, task: Task, wire: Wire, time_as: Times
) -> None:
    time_as("copy", "locked", "persistent", "torch")
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
    assert told[0] == "locked, BLOCK_SIZE_N = 16", "one that is refused is final at once"


def test_nothing_is_compiled_while_the_autograd_path_is_timed(
    measurer: Measurer,
    task: Task,
    time_as: Times,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noted: list[str] = []
    timed = time_as()

    @contextmanager
    def quiet(*_: object) -> Iterator[None]:
        noted.append("begin")
        assert not timed
        yield
        assert timed
        noted.append("end")

    monkeypatch.setattr(measurer.compilation, "quiet", quiet)
    measurer.measure(task, replace(REQUEST, modes=("autograd",)))
    assert noted == ["begin", "end"]
    measurer.measure(task, replace(REQUEST, modes=("kernel_cold",)))
    assert noted == ["begin", "end"]


@pytest.mark.parametrize(
    ("kind", "figures"), [("out_of_resources", ("torch",)), ("failed", ("locked",))]
)
def test_a_candidate_that_fails_while_it_is_timed_keeps_what_it_has(
    measurer: Measurer, task: Task, time_as: Times, kind: RefusalKind, figures: tuple[str, ...]
) -> None:
    refusal = Refusal("locked", verbatim("GPU memory ran out."), "backward", "kernel_cold", kind)
    time_as(*figures, refusals=(refusal,))
    outcome = measurer.measure(task, REQUEST).outcome("locked")
    assert outcome is not None
    assert outcome.status == ("ok" if "locked" in figures else kind)
    assert str(outcome.reason) == "backward, kernel_cold: GPU memory ran out."
    assert (outcome.figure("forward") is not None) == ("locked" in figures)


def test_a_wrong_result_gets_no_time(measurer: Measurer, task: Task, time_as: Times) -> None:
    timed = time_as()
    outcome = measurer.measure(task, replace(REQUEST, providers=("wrong",))).outcome("wrong")
    assert outcome is not None
    assert (outcome.status, outcome.failed) == ("incorrect", ("dw",))
    assert str(outcome.reason).startswith("dw is wrong in")
    assert [each.name for each in outcome.errors] == ["y", "dx", "dw", "db"]
    assert timed == ["locked", "persistent"]


def test_a_compiler_that_fails_costs_its_candidate(
    measurer: Measurer, task: Task, time_as: Times, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finish(self: Compilation, provider: Any, *others: object) -> tuple[()]:
        del self, others
        if provider.name == "locked":
            raise RuntimeError("at 3:7:\n    acquire(\nCompilationError: no such thing")
        return ()

    monkeypatch.setattr(Compilation, "finish", finish)
    assert time_as() == []
    outcome = measurer.measure(task, REQUEST).outcome("locked")
    assert outcome is not None
    assert outcome.status == "failed"
    assert str(outcome.reason) == "RuntimeError: CompilationError: no such thing"


def test_inputs_that_do_not_fit_are_everybodys_outcome(
    measurer: Measurer, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1 TiB.")

    monkeypatch.setattr(measuring, "inputs_of", make)
    measured = measurer.measure(task, REQUEST)
    gone = "out_of_resources"
    assert [outcome.status for outcome in measured.outcomes] == [gone, gone, "invalid", gone]
    assert measured.ceilings == ()


def test_each_right_setting_is_traced_where_waits_are_asked_for(
    measurer: Measurer, task: Task, time_as: Times, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def wait(_task: object, resolved: ResolvedRequest, _device: object) -> LockWait | None:
        asked.append(resolved.launch.strategy)
        return LockWait(trying_ns=700.0, queued_ns=5000.0) if len(asked) == 1 else None

    time_as()
    monkeypatch.setattr(measuring, "mean_wait", wait)
    measured = measurer.measure(task, replace(REQUEST, waits=True))
    assert [outcome.label for outcome in measured.outcomes if outcome.wait] == ["locked"]
    assert asked == ["locked", "persistent"]
