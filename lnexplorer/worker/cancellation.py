"""Leaving a job: asked for on the thread that reads commands, done on the main thread."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPT = signal.SIGUSR1
# Until then a job is left at its next check, of which the interpreter has one a program, a few ms apart. A signal may come at any
# place, amid somebody's cleaning up too, so it is only for a program that does not end.
INTERRUPT_SECONDS = 0.25


class JobCancelled(BaseException):
    """The job is to be left. Not an Exception, so that nobody's error handling on the way takes it for an error."""


class Cancellation:
    """Which jobs were cancelled. One object serves a whole process; make it on the main thread.

    A job is left at its next `check`. Python code that does not come to one, such as a kernel that spins in Triton's
    interpreter, is interrupted by a signal, but only within `interruptible`.
    """

    def __init__(self) -> None:
        self._cancelled: set[int] = set()  # a later job may be done before an earlier one, so the newest number says too little
        self._current = 0
        self._interruptible = self._prompt = False
        signal.signal(INTERRUPT, self._interrupt)

    def cancel(self, job: int) -> None:
        """Note that a job is to be left; on any thread."""
        self._cancelled.add(job)
        seconds = 0.0 if self._prompt else INTERRUPT_SECONDS
        later = threading.Timer(seconds, signal.pthread_kill, (_main_thread(), INTERRUPT))
        later.daemon = True
        later.start()

    def begin(self, job: int) -> None:
        """The main thread turns to a job."""
        self._current = job

    @property
    def requested(self) -> bool:
        """Whether the current job is to be left."""
        return self._current in self._cancelled

    def check(self) -> None:
        """Leave the current job if that was asked for.

        Raises:
            JobCancelled: it was.
        """
        if self.requested:
            raise JobCancelled

    @contextmanager
    def interruptible(self, *, prompt: bool = False) -> Iterator[None]:
        """Inside, the job is left wherever it is; for code that can be left anywhere. Promptly where it has no checks."""
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


def _main_thread() -> int:
    identity = threading.main_thread().ident
    assert identity is not None, "the main thread runs"
    return identity
