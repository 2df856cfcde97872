"""Ctrl-C, once: who presses it twice, or holds it, wants the end all the same, and what is known is still written."""

import atexit
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ONE_PRESS_SECONDS = 0.5  # Ctrl-C so soon after another says nothing new

_last = float("-inf")  # when it was pressed; a process has one keyboard


def heed_once() -> Callable[[], object]:
    """From now on the first of several Ctrl-C in a row raises KeyboardInterrupt, and the others do not disturb what follows.

    Returns:
        What makes this undone. Without it, it holds until the process is gone.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if not _again():
            raise KeyboardInterrupt

    return _handle_by(interrupt)


def ignore_at_exit() -> None:
    """Let the exit status of this process stand, whenever Ctrl-C comes: the interpreter's last work is done without a handler."""
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


@contextmanager
def told(tell: Callable[[], object]) -> Iterator[None]:
    """Have `tell` called for every Ctrl-C, where being interrupted just anywhere would lose something.

    Args:
        tell: is called in the midst of the main thread's work, so it may put into a SimpleQueue, and hardly more.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        _again()
        tell()

    undo = _handle_by(interrupt)
    try:
        yield
    finally:
        undo()


@contextmanager
def ignored() -> Iterator[None]:
    """Let Ctrl-C change nothing: the end is near, and only has to be said."""
    with told(lambda: None):
        yield


def _again() -> bool:
    global _last
    before, _last = _last, time.monotonic()
    return _last - before < ONE_PRESS_SECONDS


def _handle_by(handler: Callable[[int, FrameType | None], object]) -> Callable[[], object]:
    if threading.current_thread() is not threading.main_thread():
        return lambda: None  # no other thread hears of Ctrl-C, nor may it choose who does
    before = signal.signal(signal.SIGINT, handler)
    return lambda: signal.signal(signal.SIGINT, before)
