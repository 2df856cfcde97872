"""Who is timed beside a run's kernels, in which order, and what is told; the times are made up, as
there may be no GPU.
"""

from collections.abc import Callable
from typing import Any, cast

import pytest
import torch

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.worker import timing
from lnexplorer.worker.candidates import offered, why_missing
from lnexplorer.worker.connection import Connection, JobCancelled, Task
from lnexplorer.worker.measuring import Measurer
from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import torch_results
from lnkernels.providers.discovery import Found
from lnkernels.providers.peers import Eager
from lnkernels.providers.protocol import Case
from lnkernels.timing.rounds import Bytes, make_figure, summarize
from lnkernels.values.accuracy import Correctness
from lnkernels.values.environment import Environment
from lnkernels.values.figures import Subject, Throughput
from lnkernels.values.sentence import verbatim
from tests.sample_results import make_correctness, make_device
from tests.worker.conftest import Patience, Wire

CPU = torch.device("cpu")
RESOLVED = resolve(RunRequest(m=8, n=64, dtype="float32"), "interpreter")
INPUTS = make_inputs(8, 64, torch.float32, "normal", 0, CPU)
CASE = Case.of(INPUTS, RESOLVED.eps, RESOLVED.launch)
THEIRS = torch_results(INPUTS, RESOLVED.eps)
RIGHT, WRONG = make_correctness(8, 64), make_correctness(8, 64, failing=("dw",))


class Named(Eager):
    """PyTorch under another name."""

    def __init__(self, name: str, missing: str | None = None) -> None:
        self.name = self.label = name
        self.calls = 0
        self._missing = missing

    def unavailable(self) -> str | None:
        return self._missing

    def forward(self, case: Any) -> Any:
        self.calls += 1
        return super().forward(case)


@pytest.fixture
def run(
    wire: Wire, patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Throughput]:
    clocks = iter((1980, 1500))

    def environment(_device: torch.device) -> Environment:
        return Environment(date="", python="", torch="", triton="", sm_clock_mhz=next(clocks))

    def measure(
        _case: object, providers: list[Named], *, on_figure: Callable[..., None], **others: Any
    ) -> Throughput:
        """Everybody who is right gets a figure of a few samples, then one of as many as the effort
        allows.
        """
        made = []
        for one in providers:
            for size in (5, others["effort"].most):
                timing = summarize([0.1] * size, "cold")
                made.append(
                    make_figure(
                        Subject(one.name, "forward", "kernel_cold"), timing, Bytes(1, 2), None, None
                    )
                )
                on_figure(made[-1])
        return Throughput(figures=tuple(made[1::2]))

    monkeypatch.setattr(timing, "environment", environment)
    monkeypatch.setattr(timing, "measure", measure)
    task = Task(7, cast("Connection", wire), cast("Any", patience))

    def run(*peers: str, checked: Correctness = RIGHT, found: Found | None = None) -> Throughput:
        everybody = {
            name: Named(name) for name in ("locked", "persistent", "torch", "torch.compile")
        }
        everybody["liger"] = Named("liger", "package liger_kernel is not installed")
        measurer = Measurer(CPU, make_device("interpreter"), found or Found(everybody, {}))
        measurer.device = make_device("cuda")
        return measurer.times_beside(task, CASE, checked, THEIRS, peers, measurer.found)

    return run


def test_peers_are_made_ready_before_anybody_is_timed(
    run: Callable[..., Throughput], wire: Wire
) -> None:
    times = run("torch", "torch.compile", "persistent")
    assert wire.order[:4] == [
        "preparing torch",
        "preparing torch.compile",
        "preparing persistent",
        "throughput",
    ]
    assert wire.order[4] == "locked 5"
    assert [figure.provider for figure in times.figures] == [
        "locked",
        "torch",
        "torch.compile",
        "persistent",
    ]


def test_who_is_missing_is_refused_with_the_way_to_have_it(run: Callable[..., Throughput]) -> None:
    found = Found(
        {
            "locked": Named("locked"),
            "liger": Named("liger", "package liger_kernel is not installed"),
        },
        {"other": verbatim("other:Provider cannot be loaded")},
    )
    times = run("liger", "nobody", "other", "locked", found=found)
    assert {refusal.provider: str(refusal.reason) for refusal in times.refusals} == {
        "nobody": "there is no provider nobody: take one of liger, locked",
        "other": "other:Provider cannot be loaded",
        "liger": "package liger_kernel is not installed: pip install liger-kernel",
    }
    assert [figure.provider for figure in times.figures] == ["locked"], (
        "the run's own strategy is no peer of itself"
    )


def test_a_wrong_result_gets_no_time_and_its_peers_do(run: Callable[..., Throughput]) -> None:
    times = run("torch", "torch.compile", checked=WRONG)
    assert [figure.provider for figure in times.figures] == ["torch", "torch.compile"]
    assert times.refusals[0].provider == "locked"


def test_a_compilation_of_seconds_can_be_left(
    run: Callable[..., Throughput], patience: Patience, wire: Wire
) -> None:
    patience.cancelled_inside = True
    with pytest.raises(JobCancelled):
        run("torch.compile")
    assert wire.order == ["preparing torch.compile"]


class Odd(Eager):
    name = "odd"
    label = "Odd one"

    def unavailable(self) -> str | None:
        raise RuntimeError("no idea")


def test_everybody_is_listed_with_what_is_missing() -> None:
    found = Found(
        {"odd": Odd(), "torch": Eager()},
        {"gone": verbatim("gone:Provider cannot be loaded: it is not there")},
    )
    assert [(one.name, one.label, str(one.missing or "")) for one in offered(found)] == [
        ("torch", "PyTorch", ""),
        ("gone", "gone", "gone:Provider cannot be loaded: it is not there"),
        ("odd", "Odd one", "RuntimeError: no idea"),
    ]
    assert str(why_missing("gone", found)).startswith("gone:Provider")
    assert (
        str(why_missing("nobody", found)) == "there is no provider nobody: take one of odd, torch"
    )


class Wrong(Named):
    """A column of dw is off."""

    def backward(self, case: Any) -> Any:
        right = super().backward(case)

        def call() -> Any:
            dx, dw, db = right()
            return dx, dw + (torch.arange(dw.numel()) == 7), db

        return call


def test_on_the_interpreter_peers_are_checked_as_on_a_gpu(wire: Wire) -> None:
    found = Found(
        {"wrong": Wrong("wrong"), "right": Named("right"), "liger": Named("liger", "not here")}, {}
    )
    task = Task(1, cast("Connection", wire), cast("Any", Patience()))
    peers = ("torch", "wrong", "right", "liger", "nobody")
    measurer = Measurer(CPU, make_device("interpreter"), found)
    said = measurer.times_beside(task, CASE, RIGHT, THEIRS, peers, found).refusals
    assert [(one.provider, one.kind) for one in said] == [
        ("wrong", "incorrect"),
        ("liger", "unavailable"),
        ("nobody", "unavailable"),
    ]
    wrong, liger, nobody = (str(one.reason) for one in said)
    assert wrong.startswith("dw is wrong in 1 of its elements, at worst by ")
    assert liger == "not here"
    assert nobody.startswith("there is no provider nobody")
