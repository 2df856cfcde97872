"""From a request to its one end, whatever the job does."""

import sys
from importlib.metadata import version
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
import torch

import lnexplorer.worker.jobs as module
from lnexplorer.domain.jobs import InspectJob
from lnexplorer.protocol.messages import Broken, Do, JobEnded, Refused, WorkerEvent, decode_event
from lnexplorer.worker.connection import Cancellation
from lnexplorer.worker.jobs import JOBS, JobRunner
from lnexplorer.worker.requirements import UnusableDeviceError, import_triton
from lnkernels.launch import Problem
from lnkernels.values.sentence import say


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[WorkerEvent]:
    """What a runner sends as the end of a job."""
    return []


@pytest.fixture
def runner(ends: list[WorkerEvent]) -> JobRunner:
    made = JobRunner.__new__(JobRunner)
    made._shared = cast("Any", SimpleNamespace(torch_device=torch.device("cpu")))
    made._cancellation = Cancellation()
    made._connection = cast(
        "Any", SimpleNamespace(send_bytes=lambda frame: ends.append(decode_event(frame)))
    )
    return made


DO = Do(7, InspectJob("y", 0, 1, 0, 1))


def test_before_a_job_it_looks_for_settings_that_were_tuned_meanwhile(
    runner: JobRunner, ends: list[WorkerEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    problem = Problem("tensor", "y", say("run first"))
    monkeypatch.setattr(module, "reload_tuned_settings", lambda: order.append("looked"))
    monkeypatch.setitem(JOBS, InspectJob, lambda *_: order.append("job") or [problem])
    assert runner.do(DO)
    assert ends == [JobEnded(7, Refused((problem,)))]
    assert order == ["looked", "job"]


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (ValueError("x is wrong."), "ValueError: x is wrong."),
        (RuntimeError("first\nsecond"), "RuntimeError: first."),
        (
            RuntimeError("at 1:28:\n  source\nname is not defined"),
            "RuntimeError: name is not defined.",
        ),
        (RuntimeError("\udcff.py is missing"), "RuntimeError: \\udcff.py is missing."),
        (
            RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"),
            "The machine's memory ran out: ",
        ),
    ],
)
def test_an_error_is_told_in_one_sentence(
    runner: JobRunner,
    ends: list[WorkerEvent],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    cause: str,
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setitem(JOBS, InspectJob, fails)
    assert runner.do(DO), "the device is still there"
    (end,) = ends
    assert isinstance(end, JobEnded)
    assert isinstance(end.outcome, Broken)
    sentence = str(end.outcome.sentence)
    assert sentence.startswith(cause)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert (end.job, end.outcome.phase, end.outcome.device_lost) == (7, "compile", False)
    assert type(error).__name__ in end.outcome.detail


def test_a_triton_that_lacks_what_is_taken_from_inside_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "lnkernels.triton_internals")
    monkeypatch.delitem(sys.modules, "lnkernels.interpreter")
    monkeypatch.setitem(sys.modules, "triton.runtime.autotuner", ModuleType("autotuner"))
    with pytest.raises(UnusableDeviceError) as refused:
        import_triton()
    told = f"triton {version('triton')} as lnkernels uses it cannot be imported: cannot import name"
    assert str(refused.value).startswith(told)
    assert "Autotuner" in str(refused.value)
