"""Ctrl-C, once: who presses it twice, or holds it, wants the end all the same, and what is known is still written.

A command that is asked to end by SIGTERM, as a cluster's scheduler does, ends in the same way, with an exit status of its own.
"""

import atexit
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ONE_PRESS_SECONDS = 0.5  # Ctrl-C so soon after another says nothing new

_last = float("-inf")  # when it was pressed; a process has one keyboard
_asked_to_end = False


def heed_once() -> Callable[[], object]:
    """From now on the first of several Ctrl-C in a row raises KeyboardInterrupt, and the others do not disturb what follows.

    Returns:
        What makes this undone. Without it, it holds until the process is gone.
    """
    global _asked_to_end  # noqa: PLW0603  (a process has one end)
    _asked_to_end = False

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if not _again():
            raise KeyboardInterrupt

    return _handle_by(interrupt)


@contextmanager
def termination_heeded() -> Iterator[None]:
    """Have SIGTERM do what Ctrl-C does, whatever that is at the moment. Who chose to ignore it still does."""
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def asked_to_end() -> bool:
    """Whether SIGTERM has come to this command."""
    return _asked_to_end


def _terminate(_signal: int, frame: FrameType | None) -> None:
    global _asked_to_end  # noqa: PLW0603  (a process has one end)
    _asked_to_end = True
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)


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
