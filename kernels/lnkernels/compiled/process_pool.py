"""Compile launches ahead of time in processes of their own: when they are launched, Triton's disk
cache has them.

Triton's asynchronous compilation offers threads. A thread that compiles holds Python's lock for
milliseconds at a time, and the process that times kernels would fall behind the GPU.

Neither torch nor triton is imported here, so that the processes can come up while their owner
imports these.
"""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait

from lnkernels.compiled.facts import COMPILER, CompileError, Compiler

HOST_TOOLS = '{"host": true}'  # a chore, see `lnkernels.compiled.process`


def usual_processes(gpus: int = 1) -> int:
    """Return how many processes each of `gpus` workers starts: three quarters of its share of the
    cores, at most 16.
    """
    return max(1, min(16, len(os.sched_getaffinity(0)) * 3 // (4 * max(gpus, 1))))


class CompilerPool:
    """A pool of processes that do chores for the compiler in order. They end with this process."""

    def __init__(
        self, processes: int | None = None, *, ready: int = 0, command: Sequence[str] = COMPILER
    ) -> None:
        """Start at most `processes`, by default `usual_processes`; `ready` of them start before
        there is any chore.
        """
        self._most = processes or usual_processes()
        self._command = command
        self._known: dict[str, Future[None]] = {}  # everything that was ever wanted
        self._waiting: OrderedDict[str, Future[None]] = OrderedDict()
        self._changed = threading.Condition()
        self._compilers: list[Compiler] = []
        self._running = 0
        self._busy = 0  # of these, those that come up or compile
        self._held = self._closed = False
        with self._changed:
            self._serve_what_waits(ready)

    @property
    def has_room(self) -> bool:
        """True if the processes will soon be idle."""
        with self._changed:
            return len(self._waiting) < 2 * self._most

    def allow(self, processes: int) -> None:
        """Change the maximum number of processes."""
        with self._changed:
            self._most = processes
            self._serve_what_waits()

    def want(self, chores: Sequence[str], *, first: bool = False) -> None:
        """Queue chores, each of which is done once; `first` puts them before all others."""
        with self._changed:
            for chore in reversed(chores) if first else chores:
                future = self._known.setdefault(chore, Future())
                if not future.running() and not future.done():
                    self._waiting[chore] = future
                    self._waiting.move_to_end(chore, last=not first)
            self._serve_what_waits()

    def settle(self, chores: Sequence[str], check: Callable[[], None] = lambda: None) -> None:
        """Wait for those of `chores` that are in progress, and drop the others, which the caller
        compiles itself.

        Args:
            chores: kernels that the caller is about to launch.
            check: called now and then; may raise.
        """
        with self._changed:
            for chore in chores:
                self._waiting.pop(chore, None)
            under_way = [
                future
                for chore in chores
                if (future := self._known.get(chore)) is not None and future.running()
            ]
        while wait(under_way, 0.05).not_done:
            check()

    def forget(self) -> None:
        """Drop all chores that are queued."""
        with self._changed:
            self._waiting.clear()

    def hold(self, seconds: float, check: Callable[[], None] = lambda: None) -> bool:
        """Start no chore until `release`, and wait until every process is idle; return False if
        that took too long.

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
            check()
        return False

    def release(self) -> None:
        """Start chores again, after `hold`."""
        with self._changed:
            self._held = False
            self._serve_what_waits()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._waiting.clear()
            processes = [each.process for each in self._compilers if each.process is not None]
            self._changed.notify_all()
        for process in processes:
            process.kill()  # what ends its thread, which then closes the pipes
            process.wait()

    def _serve_what_waits(self, least: int = 0) -> None:
        """Start a process for each queued chore, at least `least`, up to the maximum.

        Called with the lock held.
        """
        while self._running < min(self._most, max(len(self._waiting), least)) and not (
            self._held or self._closed
        ):
            self._running += 1
            self._busy += 1
            threading.Thread(target=self._serve, name="compile-ahead", daemon=True).start()
        self._changed.notify_all()

    def _serve(self) -> None:
        compiler = Compiler(self._command)
        with self._changed:
            self._compilers.append(compiler)
        try:
            # It takes a while to come up. Until then what waits is compiled where it is launched.
            compiler.ask(None)
            while (next_one := self._next()) is not None:
                chore, future = next_one
                try:
                    compiler.ask(chore)
                finally:
                    future.set_result(None)
        except CompileError:
            pass  # What the process did not compile is compiled where it is launched.
        finally:
            compiler.close()
            with self._changed:
                self._running -= 1
                self._busy -= 1
                self._changed.notify_all()

    def _next(self) -> tuple[str, Future[None]] | None:
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or (self._waiting and not self._held))
            self._busy += 1
            if self._closed:
                return None
            chore, future = self._waiting.popitem(last=False)
            future.set_running_or_notify_cancel()
            return chore, future
