"""The worker's side of the two pipes, and a job under way: its reports, and its cancellation.

One thread reads commands, one sends heartbeats; a job is cancelled on the first, and left on the
main thread.
"""

import faulthandler
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from os import _exit as end_process
from types import FrameType

from lnexplorer.domain.jobs import JobFinding
from lnexplorer.protocol.codec import read_frame, write_frame
from lnexplorer.protocol.messages import (
    Cancel,
    Do,
    Heartbeat,
    JobPart,
    JobProgress,
    JobStands,
    Look,
    Prepare,
    WorkerEvent,
    decode_command,
    encode_message,
)
from lnkernels.failures import LeaveError
from lnkernels.values import Sentence

STDERR = 2  # whatever a file has made of sys.stderr
HEARTBEAT_SECONDS = 0.5
UNREADABLE_STATUS = 3
PROGRESS_SECONDS = 0.1
INTERRUPT = signal.SIGUSR1
# Until then a job is left at its next check, of which the interpreter has one a program, a few ms
# apart. A signal may come at any place, amid somebody's cleaning up too, so it is only for a
# program that does not end.
INTERRUPT_SECONDS = 0.25


class Connection:
    """Receives jobs and sends events. When the other side is gone, the process ends, whatever its
    main thread does.
    """

    def __init__(self, commands: int, events: int, on_cancel: Callable[[int], None]) -> None:
        self._commands = os.fdopen(commands, "rb")
        self._events = os.fdopen(events, "wb")
        self._on_cancel = on_cancel
        self._writing = threading.Lock()
        self._jobs: queue.SimpleQueue[Do | Prepare] = queue.SimpleQueue()

    def open(self) -> None:
        for name, target in (("commands", self._read), ("heartbeat", self._beat)):
            threading.Thread(target=target, name=name, daemon=True).start()

    def send(self, event: WorkerEvent) -> None:
        """Write an event; on any thread."""
        self.send_bytes(encode_message(event))

    def send_bytes(self, payload: bytes) -> None:
        try:
            with self._writing:
                write_frame(self._events, payload)
        except OSError:
            end_process(0)

    def next_job(self, seconds: float | None = None) -> Do | Prepare | None:
        """Wait for a job, or for settings to prepare; None after so many seconds."""
        try:
            return self._jobs.get(timeout=seconds)
        except queue.Empty:
            return None

    def _read(self) -> None:
        status = 0
        try:
            while (frame := read_frame(self._commands)) is not None:
                if not frame:  # a sign of life, over a line
                    continue
                command = decode_command(frame)
                match command:
                    case Cancel(job):
                        self._on_cancel(job)
                    case Look():
                        # Whatever becomes of this thread, commands are heard.
                        threading.Thread(target=self._look, daemon=True).start()
                    case _:
                        self._jobs.put(command)
        except Exception as error:  # noqa: BLE001 - whatever ends this thread, no command is heard any more
            # Written past Python's own buffer, because os._exit does not empty it.
            os.write(
                sys.stderr.fileno(), f"ValueError: a command cannot be read: {error}\n".encode()
            )
            status = UNREADABLE_STATUS
        end_process(status)

    def _look(self) -> None:
        # It imports triton, which is there once a job is.
        from lnkernels.trace.flight_recorder import snapshot

        stands = snapshot()
        # The engine ends this process upon the answer. A signal's handler, which prints where the
        # threads are, crashes at one that goes on meanwhile; here none does, for want of the GIL.
        faulthandler.unregister(signal.SIGTERM)
        faulthandler.dump_traceback(STDERR)
        self.send(JobStands(stands))

    def _beat(self) -> None:
        while True:
            self.send(Heartbeat())
            time.sleep(HEARTBEAT_SECONDS)


class JobCancelled(LeaveError):  # noqa: N818  it is no error
    """The job is to be left."""


class Cancellation:
    """Knows the cancelled jobs. One object serves a whole process; make it on the main thread.

    A job is left at its next `check`. Python code that does not come to one, such as a kernel that
    spins in Triton's interpreter, is interrupted by a signal, but only within `interruptible`.
    """

    def __init__(self) -> None:
        self._cancelled: set[int] = (
            set()
        )  # a later job may be done before an earlier one, so the newest number says too little
        self._current = 0
        self._interruptible = self._prompt = False
        signal.signal(INTERRUPT, self._interrupt)

    def cancel(self, job: int) -> None:
        """Note that a job is to be left; on any thread."""
        self._cancelled.add(job)
        seconds = 0.0 if self._prompt else INTERRUPT_SECONDS
        later = threading.Timer(
            seconds, signal.pthread_kill, (threading.main_thread().ident, INTERRUPT)
        )
        later.daemon = True
        later.start()

    def begin(self, job: int) -> None:
        """The main thread turns to a job."""
        self._current = job

    @property
    def requested(self) -> bool:
        return self._current in self._cancelled

    def check(self) -> None:
        """Leave the current job, by JobCancelled, if that was asked for."""
        if self.requested:
            raise JobCancelled

    @contextmanager
    def interruptible(self, *, prompt: bool = False) -> Iterator[None]:
        """Inside, the job is left wherever it is; for code that can be left anywhere.

        Promptly where it has no checks.
        """
        self._prompt = prompt
        try:
            self.check()
            self._interruptible = True
            yield
        finally:
            self._interruptible = self._prompt = False

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._interruptible and self.requested:
            self._interruptible = False
            raise JobCancelled


class Task:
    """A job under way: it reports to the engine, and may be cancelled."""

    def __init__(self, number: int, connection: Connection, cancellation: Cancellation) -> None:
        self.number = number
        self.phase = "compile"
        self._connection = connection
        self._cancellation = cancellation
        self._reported_at = 0.0
        cancellation.begin(number)

    @property
    def cancelled(self) -> bool:
        return self._cancellation.requested

    def check(self) -> None:
        """Leave the job, by JobCancelled, if that was asked for."""
        self._cancellation.check()

    def interruptible(self, *, prompt: bool = False) -> AbstractContextManager[None]:
        """A context that may be left anywhere, by JobCancelled; at once where `prompt`, as what has
        no checks should be.
        """
        return self._cancellation.interruptible(prompt=prompt)

    def begin(self, phase: str) -> None:
        """Enter a phase, "compile" or "run"."""
        self.check()
        self.phase = phase
        self._connection.send(JobProgress(self.number, phase, None, 0, 0))

    def step(self, name: Sentence, done: int, total: int) -> None:
        """Say what begins now, and leave the job here if that was asked for."""
        self.check()
        self.tell_step(name, done, total)

    def tell_step(self, name: Sentence, done: int, total: int) -> None:
        self._reported_at = time.monotonic()
        self._connection.send(JobProgress(self.number, self.phase, name, done, total))

    def count(self, name: Sentence, done: int, total: int) -> None:
        if time.monotonic() - self._reported_at >= PROGRESS_SECONDS:
            self.tell_step(name, done, total)

    def tell(self, finding: JobFinding) -> None:
        self._connection.send(JobPart(self.number, finding))
