"""Compiles launches ahead of their time in processes of their own: Triton's disk cache then answers when they are
launched.

Processes and not threads, as Triton's asynchronous compilation offers: a thread that compiles holds Python's lock for
milliseconds at a time, and the process that times kernels would fall behind the GPU.

Neither torch nor triton is imported with this module, so that the processes can come up while their owner imports
these.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from lnkernels.compiled.facts import own_environment

if TYPE_CHECKING:
    from lnkernels.compiled.recording import RecordedLaunch


@dataclass(frozen=True, slots=True)
class Wanted:
    """One kernel to compile, as Triton itself writes it down for another process."""

    module: str
    function: str
    specialization: str  # JSON: signature, constants and options
    target: str  # JSON: backend, architecture and warp size; not every Triton has them in its specialization

    def to_json(self) -> str:
        """As one line."""
        return json.dumps([self.module, self.function, self.specialization, self.target])


@dataclass(frozen=True, slots=True)
class HostTools:
    """What Triton's C compiler makes once for every launch."""

    def to_json(self) -> str:
        """As one line."""
        return json.dumps({"host": True})


Chore: TypeAlias = Wanted | HostTools


def recorded(launch: Callable[[], object]) -> "list[RecordedLaunch]":
    """The kernels that a call launches; none is launched here, and none compiled."""
    from lnkernels.compiled.recording import recorded_launches

    with recorded_launches() as launches:
        launch()
    return launches


def missing(launches: "Sequence[RecordedLaunch]") -> list[Wanted]:
    """Of some launches those that this process has no kernel for yet.

    On a GPU, with the tensors that are to be launched.
    """
    import triton

    from lnkernels.compiled.recording import settle_keys

    settle_keys()
    target = json.dumps(vars(triton.runtime.driver.active.get_current_target()))
    found: dict[Wanted, None] = {}

    def note(*, fn: Any, compile: dict[str, Any], **others: Any) -> bool:  # noqa: A002  Triton's names
        del others
        found[Wanted(fn.module, fn.name, compile["specialization_data"], target)] = None
        return True  # it is not compiled here

    # Triton asks this hook before it compiles, and goes without where it answers True.
    before = triton.knobs.runtime.jit_cache_hook
    triton.knobs.runtime.jit_cache_hook = note
    try:
        for launch in launches:
            launch.kernel.warmup(*launch.args, grid=launch.grid, **launch.kwargs)
    finally:
        triton.knobs.runtime.jit_cache_hook = before
    return list(found)


def usual_processes(gpus: int = 1) -> int:
    """How many processes a worker has when each of `gpus` workers has as many: most of its share of the cores, and 16
    at most.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return max(1, min(16, cores * 3 // (4 * max(gpus, 1))))


@dataclass(slots=True)
class _Entry:
    wanted: Chore
    begun: bool = False
    done: threading.Event = field(default_factory=threading.Event)


class Ahead:
    """A few processes that compile what is wanted, the first first. They end with this process."""

    def __init__(self, processes: int | None = None, command: Sequence[str] | None = None) -> None:
        """Nothing is started before something is wanted, or `warm` asks for it.

        Args:
            processes: how many at most; `usual_processes` by default.
            command: what to start in place of `python -m lnkernels.compiled.ahead_process`.
        """
        self._most = processes or usual_processes()
        self._command = list(command or (sys.executable, "-P", "-m", "lnkernels.compiled.ahead_process"))
        self._entries: OrderedDict[Chore, _Entry] = OrderedDict()  # of everything that was ever wanted
        self._waiting: OrderedDict[Chore, _Entry] = OrderedDict()
        self._changed = threading.Condition()
        self._processes: list[subprocess.Popen[str]] = []
        self._running = 0
        self._busy = 0  # of these, those that come up or compile
        self._held = self._closed = False

    @property
    def has_room(self) -> bool:
        """Whether the processes will soon be idle."""
        with self._changed:
            return len(self._waiting) < 2 * self._most

    def warm(self, processes: int) -> None:
        """Have so many processes come up, though nothing is wanted yet."""
        with self._changed:
            self._serve_what_waits(processes)

    def allow(self, processes: int) -> None:
        """Have so many processes at most from now on."""
        with self._changed:
            self._most = processes
            self._serve_what_waits()

    def want(self, kernels: Sequence[Chore], *, first: bool = False) -> None:
        """Have kernels compiled once each; `first` puts them before all that wait."""
        with self._changed:
            for wanted in reversed(kernels) if first else kernels:
                entry = self._entries.get(wanted)
                if entry is None:
                    entry = self._entries[wanted] = _Entry(wanted)
                elif entry.begun or entry.done.is_set():
                    continue
                self._waiting[wanted] = entry
                if first:
                    self._waiting.move_to_end(wanted, last=False)
            self._serve_what_waits()

    def settle(self, kernels: Sequence[Wanted], check: Callable[[], None] | None = None) -> None:
        """Wait for those of `kernels` that are being compiled; those that wait are for the caller to compile now.

        Args:
            kernels: what the caller is about to launch.
            check: called now and then; may raise.
        """
        with self._changed:
            under_way = []
            for wanted in kernels:
                self._waiting.pop(wanted, None)
                entry = self._entries.get(wanted)
                if entry is not None and entry.begun:
                    under_way.append(entry)
        for entry in under_way:
            while not entry.done.wait(0.05):
                if check is not None:
                    check()

    def forget(self) -> None:
        """Drop what waits."""
        with self._changed:
            self._waiting.clear()

    def hold(self, seconds: float, check: Callable[[], None] | None = None) -> bool:
        """Begin nothing until `release`, and wait until no process is at work; whether that came about in time.

        Args:
            seconds: how long to wait at most.
            check: called now and then; may raise, and `release` is still to be called.
        """
        end = time.monotonic() + seconds
        with self._changed:
            self._held = True
        while time.monotonic() < end:
            with self._changed:
                if self._changed.wait_for(lambda: self._busy == 0, 0.05):
                    return True
            if check is not None:
                check()
        return False

    def release(self) -> None:
        """Go on after `hold`."""
        with self._changed:
            self._held = False
            self._serve_what_waits()

    def close(self) -> None:
        """End the processes."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            processes = list(self._processes)
            self._changed.notify_all()
        for process in processes:
            process.kill()  # what ends its thread, which then closes the pipes
            process.wait()

    def _serve_what_waits(self, least: int = 0) -> None:
        """Have a process for each that waits, and `least` at least, as far as there may be more.

        Called with the lock held.
        """
        while self._running < min(self._most, max(len(self._waiting), least)) and not (self._held or self._closed):
            self._running += 1
            self._busy += 1
            threading.Thread(target=self._serve, name="compile-ahead", daemon=True).start()
        self._changed.notify_all()

    def _serve(self) -> None:
        process = None
        try:
            process = self._start()
            # It takes a while to come up. Until then what waits is compiled where it is launched.
            _read(process)
            while (entry := self._next()) is not None:
                try:
                    _ask(process, entry.wanted)
                finally:
                    entry.done.set()
        except (OSError, ValueError):
            # The process is gone. What it did not compile is compiled where it is launched.
            pass
        finally:
            with self._changed:
                self._running -= 1
                self._busy -= 1
                self._changed.notify_all()
            if process is not None:
                _end(process)

    def _start(self) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=own_environment(),
        )
        with self._changed:
            self._processes.append(process)
        return process

    def _next(self) -> _Entry | None:
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()
            try:
                while self._held or not self._waiting:
                    if self._closed:
                        return None
                    self._changed.wait()
            finally:
                self._busy += 1
            _, entry = self._waiting.popitem(last=False)
            entry.begun = True
            return entry


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None, "it was asked for"
        with contextlib.suppress(BrokenPipeError):  # a kernel that the process did not read any more
            pipe.close()


def _ask(process: "subprocess.Popen[str]", wanted: Chore) -> None:
    assert process.stdin is not None, "it is a pipe"
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(wanted.to_json() + "\n")
        process.stdin.flush()
    _read(process)


def _read(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None, "it is a pipe"
    if not process.stdout.readline():
        raise OSError("the compiler's process has ended")
