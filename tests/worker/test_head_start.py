"""What a worker begins while it imports torch, with a stand-in for the driver's library."""

import ctypes
import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.worker import head_start
from lnexplorer.worker.start import HeadStart
from lnkernels.compiled.ahead import Chore, HostTools, Planned


class Library:
    """A driver with devices of one compute capability."""

    def __init__(self, major: int = 9, *, broken: bool = False) -> None:
        self.retained: list[int] = []
        self.may_open = threading.Event()
        self._major = major
        self._broken = broken

    def cuInit(self, flags: int) -> int:  # noqa: N802  the driver's name
        self.may_open.wait(10)
        return 100 if self._broken else flags

    def cuDeviceGet(self, device: Any, index: int) -> int:  # noqa: N802
        device._obj.value = index
        return 0

    def cuDeviceGetCount(self, count: Any) -> int:  # noqa: N802
        count._obj.value = 2
        return 0

    def cuDeviceGetAttribute(self, value: Any, attribute: int, device: ctypes.c_int) -> int:  # noqa: N802
        del device
        value._obj.value = self._major if attribute == 75 else 0
        return 0

    def cuDevicePrimaryCtxRetain(self, context: Any, device: ctypes.c_int) -> int:  # noqa: N802
        del context
        self.retained.append(device.value)
        return 0


class Processes:
    """Notes what is asked of `Ahead`."""

    def __init__(self, processes: int) -> None:
        self.most = processes
        self.wanted: list[Chore] = []
        self.closed = False

    def warm(self, processes: int) -> None:
        assert processes <= self.most

    def allow(self, processes: int) -> None:
        self.most = processes

    def want(self, chores: Sequence[Chore]) -> None:
        self.wanted += chores

    def close(self) -> None:
        self.closed = True

    @property
    def planned(self) -> list[list[int]]:
        """N of the settings that are planned, part by part."""
        plans = [chore for chore in self.wanted if isinstance(chore, Planned)]
        return [[request["n"] for request in json.loads(plan.requests)] for plan in plans]


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Library | None], tuple[HeadStart, list[Processes]]]:
    made: list[Processes] = []

    def processes(count: int) -> Processes:
        made.append(Processes(count))
        return made[-1]

    def begin(wish: str, library: Library | None) -> tuple[HeadStart, list[Processes]]:
        monkeypatch.setattr(head_start, "_driver_library", lambda: library)
        monkeypatch.setattr(head_start.os, "cpu_count", lambda: 16)
        monkeypatch.setattr(head_start, "Ahead", processes)
        monkeypatch.setattr(head_start, "telemetry", lambda _: None)
        return HeadStart(wish), made

    return begin


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not true() and time.monotonic() < end:
        time.sleep(0.005)
    assert true()


SETTINGS = [RunRequest(m=64, n=n) for n in (256, 512, 768, 1024, 1280)]


@pytest.mark.parametrize("soon", [True, False], ids=["asked before the driver is open", "asked later"])
def test_what_will_be_asked_for_is_planned_as_soon_as_the_architecture_is_known(begun: Any, soon: bool) -> None:
    library = Library()
    started, made = begun("cuda:1", library)
    if soon:
        started.prepare([*SETTINGS, RunRequest.of(m=64, n=256, num_warps=3), RunRequest.of(m=64, n=256, strategy="persistent")])
        assert made[0].planned == []
    library.may_open.set()
    until(lambda: library.retained == [1])
    if not soon:
        started.prepare(SETTINGS)
    until(lambda: made[0].planned == [[256, 512, 768, 1024], [1280]])
    assert made[0].wanted[0] == HostTools()
    ahead: Any = started.take()
    assert ahead is made[0]
    started.close()
    assert not made[0].closed, "they are somebody else's now"


@pytest.mark.parametrize("wish", ["interpreter", "interpreter:sm_80", "cuda:x"])
def test_nothing_begins_where_no_gpu_is_wished(begun: Any, wish: str) -> None:
    started, made = begun(wish, Library())
    started.prepare(SETTINGS)
    assert (made, started.take()) == ([], None)


def test_without_a_driver_nothing_begins(begun: Any) -> None:
    started, made = begun("auto", None)
    started.prepare(SETTINGS)
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
    started, made = begun("auto", library)
    started.prepare(SETTINGS)
    library.may_open.set()
    until(lambda: not [thread for thread in threading.enumerate() if thread.name == "head-start"])
    assert (library.retained, made[0].planned) == ([], [])
