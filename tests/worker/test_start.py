"""What a worker begins while it imports torch: with a stand-in for the driver's library, and the CPU in place of a GPU."""

import ctypes
import threading
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from lnexplorer.worker import device, start
from lnexplorer.worker.start import COLUMNS, ROWS, FirstCalls, HeadStart
from lnkernels.accuracy import check_all
from lnkernels.compiled.ahead import HOST_TOOLS
from lnkernels.sentence import verbatim

CPU = torch.device("cpu")


def test_the_first_calls_reach_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def noted(*args: Any) -> Any:
        seen.append((threading.current_thread().name, args[3].y.shape, check_all(*args).checks))

    monkeypatch.setattr("lnkernels.accuracy.check_all", noted)
    calls = FirstCalls()
    calls.begin(CPU)
    calls.wait()
    (thread, shape, verdicts), *others = seen
    assert (thread, shape, others) == ("first-calls", (ROWS, COLUMNS), [])
    assert [(one.name, one.passed) for one in verdicts] == [(name, True) for name in ("y", "dx", "dw", "db")]


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
        raise device.UnusableDeviceError(verbatim("it is left out of this test"))

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

    class Connection:
        def send(self, event: Any) -> None:
            order.append(type(event).__name__)

        def next_job(self, _: Any) -> Any:
            raise EOFError

    def opened(_: str, on_gpu: Any) -> Any:
        on_gpu(CPU)
        return CPU, SimpleNamespace(backend="cuda")

    monkeypatch.setattr(start, "FirstCalls", Calls)
    monkeypatch.setattr(device, "open_device", opened)
    monkeypatch.setattr("lnexplorer.worker.jobs.JobRunner", lambda *args: SimpleNamespace(device=None, has_leisure_work=False))
    head_start: Any = SimpleNamespace(take=lambda: None)
    connection: Any = Connection()
    with pytest.raises(EOFError):
        start.serve(connection, Any, "cuda:0", head_start)  # type: ignore[arg-type]
    assert order == ["begun", "over", "WorkerReady"]


class Library:
    """A driver with devices of one compute capability."""

    def __init__(self, major: int = 9, *, broken: bool = False) -> None:
        self.retained: list[int] = []
        self.may_open = threading.Event()
        self._major = major
        self._broken = broken

    def cuInit(self, flags: int) -> int:
        self.may_open.wait(10)
        return 100 if self._broken else flags

    def cuDeviceGet(self, device: Any, index: int) -> int:
        device._obj.value = index
        return 0

    def cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = 2
        return 0

    def cuDeviceGetAttribute(self, value: Any, attribute: int, device: ctypes.c_int) -> int:
        del device
        value._obj.value = self._major if attribute == 75 else 0
        return 0

    def cuDevicePrimaryCtxRetain(self, context: Any, device: ctypes.c_int) -> int:
        del context
        self.retained.append(device.value)
        return 0


class Processes:
    """Notes what is asked of `Ahead`."""

    def __init__(self, processes: int, ready: int) -> None:
        assert ready <= processes
        self.most = processes
        self.wanted: list[str] = []
        self.closed = False

    def allow(self, processes: int) -> None:
        self.most = processes

    def want(self, chores: Sequence[str]) -> None:
        self.wanted += chores

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Library | None], tuple[HeadStart, list[Processes]]]:
    made: list[Processes] = []

    def processes(count: int, *, ready: int) -> Processes:
        made.append(Processes(count, ready))
        return made[-1]

    def begin(wish: str, library: Library | None) -> tuple[HeadStart, list[Processes]]:
        monkeypatch.setattr(start, "_driver_library", lambda: library)
        monkeypatch.setattr(start.os, "cpu_count", lambda: 16)
        monkeypatch.setattr(start, "Ahead", processes)
        monkeypatch.setattr(start, "telemetry", lambda _: None)
        return HeadStart(wish), made

    return begin


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not true() and time.monotonic() < end:
        time.sleep(0.005)
    assert true()


def test_the_driver_opens_beside_processes_that_compile_and_are_handed_on(begun: Any) -> None:
    library = Library()
    started, made = begun("cuda:1", library)
    library.may_open.set()
    until(lambda: library.retained == [1])
    assert made[0].wanted == [HOST_TOOLS]
    assert started.take() is made[0]
    started.close()
    assert not made[0].closed, "they are somebody else's now"


@pytest.mark.parametrize("wish", ["interpreter", "interpreter:sm_80", "cuda:x"])
def test_nothing_begins_where_no_gpu_is_wished(begun: Any, wish: str) -> None:
    started, made = begun(wish, Library())
    assert (made, started.take()) == ([], None)


def test_without_a_driver_nothing_begins(begun: Any) -> None:
    started, made = begun("auto", None)
    started.close()
    assert made == []


def test_a_driver_that_does_not_open_ends_what_was_begun(begun: Any) -> None:
    library = Library(broken=True)
    started, made = begun("auto", library)
    library.may_open.set()
    until(lambda: made[0].closed)
    assert started.take() is None
    assert library.retained == []


def test_no_context_is_opened_on_a_gpu_that_is_too_old(begun: Any) -> None:
    library = Library(major=6)
    started, _ = begun("auto", library)
    library.may_open.set()
    until(lambda: not [thread for thread in threading.enumerate() if thread.name == "head-start"])
    assert library.retained == []
    started.close()
