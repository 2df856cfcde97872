"""A worker process: its pipes, the threads that serve them, and its end as a plain value.

Nothing here waits for the worker, or decides.
"""

import contextlib
import os
import queue
import select
import signal
import sys
import threading
from collections.abc import Callable
from typing import TypeAlias

from lnexplorer.engine.pipes import Spawned
from lnexplorer.protocol.cleaning import clean_text
from lnexplorer.protocol.codec import read_frame, write_frame
from lnexplorer.protocol.messages import (
    Command,
    Heartbeat,
    WorkerEvent,
    decode_event,
    encode_message,
)
from lnkernels.values import ExplainedError, Sentence, frozen

TAIL_BYTES = 32 << 10
READ_BYTES = 64 << 10
# After a process has ended, what it wrote is read within this time, unless another process holds
# the pipe open.
DRAIN_SECONDS = 1.0
LIFE_SECONDS = 2.0  # between two signs of life to a worker on another machine


@frozen
class Exit:
    """The end of a process that was reaped: the last report of it."""

    status: int  # negative: the signal that ended it
    output: str  # the tail of what it printed

    @property
    def detail(self) -> str:
        """The output in a paragraph, empty where nothing was printed."""
        printed = self.output.strip()
        return f"The worker's output ended with:\n{printed}" if printed else ""


@frozen
class StreamEnded:
    """No event will follow: the worker closed its pipe, or what came cannot be read."""

    error: str | None
    sentence: Sentence | None = None  # why a machine cannot be used


@frozen
class Contacted:
    """A worker on another machine is on its way up."""


Report: TypeAlias = WorkerEvent | Contacted | StreamEnded | Exit


class WorkerProcess:
    """A running worker. `deliver` is called with its reports, in order and `Exit` last, on threads
    of this object.
    """

    def __init__(self, spawned: Spawned, deliver: Callable[[Report], None]) -> None:
        self.line = spawned.line
        self._process = spawned.process
        self._deliver = deliver
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._ended = threading.Lock()  # held while a signal is sent or the process is reaped
        self._reaped = False
        self._commands = os.fdopen(spawned.commands, "wb", buffering=0)
        self._events = os.fdopen(spawned.events, "rb", buffering=READ_BYTES)
        printed = self._process.stdout if self.line is None else self._process.stderr
        assert printed is not None, "it was started with a pipe"
        if sys.platform != "win32":
            os.set_blocking(printed.fileno(), False)
        self._print_pipe = printed
        # Of that. On Windows it cannot be read without waiting: its own thread alone reads.
        self._all_read = sys.platform == "win32"
        self._printing = threading.Lock()  # held while that is read
        self._tail = b""  # of what it has printed since its job began
        self._over = threading.Event()
        tasks = (
            self._read,
            self._write,
            self._drain,
            self._wait,
            *((self._show_life,) if self.line is not None else ()),
        )
        threads = [
            threading.Thread(target=task, name=f"worker{task.__name__}", daemon=True)
            for task in tasks
        ]
        self._reader = threads[0]
        self._drainer = threads[2]
        for thread in threads:
            thread.start()

    @property
    def printed(self) -> str:
        """The tail of what it has printed since its job began."""
        self._read_printed()
        tail = self._tail
        if len(tail) == TAIL_BYTES:  # its first line is probably cut
            tail = tail.partition(b"\n")[2] or tail
        # Of a progress bar, the state that a terminal would show.
        lines = (line.rstrip(b"\r").rpartition(b"\r")[2] for line in tail.split(b"\n"))
        text = b"\n".join(lines).decode(errors="replace")
        return text if self.line is None else clean_text(text, several_lines=True)

    def begin_job(self) -> None:
        """Forget what was printed before."""
        self._read_printed()
        self._tail = b""

    def send(self, command: Command) -> None:
        """Queue a command; never blocks, and ignores that a worker is gone."""
        self._outbox.put(encode_message(command))

    def dismiss(self) -> None:
        """Close the pipe of commands, upon which a worker that listens ends at once."""
        self._outbox.put(None)

    def terminate(self) -> None:
        self._signal(kill=False)

    def kill(self) -> None:
        """End the process and everything it started."""
        self._signal(kill=True)

    def _signal(self, *, kill: bool) -> None:
        # Until it is reaped its number belongs to nobody else, and its process group has the same.
        with self._ended:
            if not self._reaped:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    if sys.platform == "win32":  # it has neither groups nor a gentle end
                        self._process.kill()
                    else:
                        number = signal.SIGKILL if kill else signal.SIGTERM
                        os.killpg(self._process.pid, number)

    def _read(self) -> None:
        error = None
        try:
            stream = self._events
            if self.line is not None:
                stream = self.line.listen(stream, lambda: self._deliver(Heartbeat()))
                if self.line.connected:
                    self._deliver(Contacted())
            while (frame := read_frame(stream)) is not None:
                self._deliver(decode_event(frame, foreign=self.line is not None))
        except ExplainedError as unusable:
            self._deliver(StreamEnded(None, unusable.sentence))
            return
        except Exception as unreadable:  # noqa: BLE001 - whatever it is, nothing more can be read
            error = str(unreadable) or type(unreadable).__name__
        self._deliver(StreamEnded(error))
        if error is not None:
            # Read on, so that a worker that keeps writing is not held up before it is ended.
            with contextlib.suppress(OSError, ValueError):
                while self._events.read1(READ_BYTES):  # type: ignore[attr-defined]
                    pass

    def _write(self) -> None:
        with self._commands:
            while (frame := self._outbox.get()) is not None:
                try:
                    write_frame(self._commands, frame)
                except OSError:
                    return

    def _show_life(self) -> None:
        while not self._over.wait(LIFE_SECONDS):
            self._outbox.put(b"")

    def _drain(self) -> None:
        with self._print_pipe as pipe:
            if self._all_read:
                while part := os.read(pipe.fileno(), READ_BYTES):
                    self._tail = (self._tail + part)[-TAIL_BYTES:]
                return
            waiting = select.poll()
            waiting.register(pipe, select.POLLIN)
            while self._read_printed():
                waiting.poll()

    def _read_printed(self) -> bool:
        """Read what is there, at most what a pipe holds; return whether more may come."""
        with self._printing, contextlib.suppress(BlockingIOError):
            part = b"" if self._all_read else os.read(self._print_pipe.fileno(), READ_BYTES)
            self._all_read = not part
            self._tail = (self._tail + part)[-TAIL_BYTES:]
        return not self._all_read

    def _wait(self) -> None:
        # First see the end without reaping, so that the rest of the process group can still be
        # addressed.
        if hasattr(os, "waitid"):  # on macOS from Python 3.13 on, on Windows never
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            self.kill()
        else:
            self._process.wait()
        with self._ended:
            status = self._process.wait()
            self._reaped = True
        self._over.set()
        self.dismiss()
        for thread in (self._reader, self._drainer):
            thread.join(DRAIN_SECONDS)
        if not self._reader.is_alive():
            self._events.close()
        status = status if self.line is None else self.line.status(status)
        self._deliver(Exit(status, self.printed))
