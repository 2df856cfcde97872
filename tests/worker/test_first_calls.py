"""PyTorch's first calls while a worker starts: on the CPU in place of a GPU, where they are the same calls."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from lnexplorer.worker import device, service
from lnexplorer.worker.start import COLUMNS, ROWS, FirstCalls
from lnkernels.judgement import Judge

CPU = torch.device("cpu")


def test_the_first_calls_reach_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    judge = Judge.__call__

    def noted(self: Judge, *args: Any) -> Any:
        seen.append((threading.current_thread().name, args[1].y.shape, judge(self, *args)))
        return seen[-1][2]

    monkeypatch.setattr(Judge, "__call__", noted)
    calls = FirstCalls()
    calls.begin(CPU)
    calls.wait()
    (thread, shape, verdicts), *others = seen
    assert (thread, shape, others) == ("first-calls", (ROWS, COLUMNS), [])
    assert {name: one.passed for name, one in verdicts.items()} == dict.fromkeys(("y", "dx", "dw", "db"), True)


def test_what_fails_is_left_for_the_first_job_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = threading.Event()

    def full(*_: Any) -> None:
        failed.set()
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr("lnkernels.inputs.make_inputs", full)
    calls = FirstCalls()
    calls.begin(CPU)
    calls.wait()
    assert failed.is_set()


def test_nothing_is_waited_for_where_nothing_was_begun() -> None:
    FirstCalls().wait()


def test_they_begin_on_a_gpu_that_works_before_triton_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[object] = []
    monkeypatch.setattr(device, "_why_not", lambda _: None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda chosen: order.append(("set", str(chosen))))

    def no_triton() -> None:
        order.append("triton")
        raise device.UnusableDeviceError("it is left out of this test")

    monkeypatch.setattr(device, "_import_triton", no_triton)
    with pytest.raises(device.UnusableDeviceError, match="left out"):
        device.open_device("cuda:1", lambda chosen: order.append(("begin", str(chosen))))
    assert order == [("set", "cuda:1"), ("begin", "cuda:1"), "triton"]


def test_they_do_not_begin_on_the_interpreter() -> None:
    begun: list[torch.device] = []
    device.open_device("interpreter", begun.append)
    assert begun == []


def test_a_worker_is_ready_when_they_are_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that came earlier could not be left when it is cancelled."""
    order: list[str] = []

    class Calls:
        def begin(self, _: torch.device) -> None:
            order.append("begun")

        def wait(self) -> None:
            order.append("over")

    class Link:
        def send(self, event: Any) -> None:
            order.append(type(event).__name__)

        def next_job(self, _: Any) -> Any:
            raise EOFError

    def opened(_: str, on_gpu: Any) -> Any:
        on_gpu(CPU)
        return CPU, SimpleNamespace(backend="cuda")

    monkeypatch.setattr(service, "FirstCalls", Calls)
    monkeypatch.setattr(service, "open_device", opened)
    monkeypatch.setattr("lnexplorer.worker.dispatch.Dispatch", lambda *args: SimpleNamespace(device=None, has_leisure_work=False))
    head_start: Any = SimpleNamespace(take=lambda: None)
    link: Any = Link()
    with pytest.raises(EOFError):
        service.serve(link, Any, "cuda:0", head_start)  # type: ignore[arg-type]
    assert order == ["begun", "over", "Ready"]
