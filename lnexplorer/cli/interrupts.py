"""Ctrl-C interrupts a command once: pressed again at once, or held, it does not disturb the results
that are still written.

A command that is ended by SIGTERM, as a cluster's scheduler does, or whose terminal hangs up
(SIGHUP), ends in the same way, with an exit status of its own.
"""

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ONE_PRESS_SECONDS = 0.5  # Ctrl-C so soon after another says nothing new
AGAIN_SECONDS = 0.01  # after Ctrl-C came where it cannot be raised
# Windows has no SIGHUP.
ENDS = tuple(number for number in signal.Signals if number.name in {"SIGTERM", "SIGHUP"})

_last = float("-inf")  # when it was pressed; a process has one keyboard
_asked_to_end = 0
pending: list[int] = []  # signals that came before there was a command to end
_terminals: tuple[int, ...] = ()  # streams of this process that lead to one


def heed_once() -> Callable[[], object]:
    """Let the first of several Ctrl-C in a row raise KeyboardInterrupt, and ignore the others.

    Returns:
        A function that undoes this.
    """
    global _asked_to_end  # noqa: PLW0603  (a process has one end)
    _asked_to_end = 0

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if not _again():
            raise KeyboardInterrupt

    hook = sys.unraisablehook

    def unraisable(what: "sys.UnraisableHookArgs") -> None:
        """Raise again a KeyboardInterrupt that Python drops in a callback; each import has one."""
        global _last  # noqa: PLW0603  (a process has one keyboard)
        if not issubclass(what.exc_type, KeyboardInterrupt):
            hook(what)
            return
        _last = float("-inf")
        if sys.platform == "win32":
            later = threading.Timer(AGAIN_SECONDS, _thread.interrupt_main)
        else:  # this also wakes a thread that waits
            main = threading.main_thread().ident
            later = threading.Timer(AGAIN_SECONDS, signal.pthread_kill, (main, signal.SIGINT))
        later.daemon = True
        later.start()

    undo = _handle_by(interrupt)
    sys.unraisablehook = unraisable

    def undo_both() -> None:
        undo()
        sys.unraisablehook = hook

    return undo_both


@contextmanager
def termination_heeded() -> Iterator[None]:
    """Let SIGTERM and SIGHUP do what Ctrl-C does at the moment, unless they are ignored."""
    global _terminals  # noqa: PLW0603  (a process has one end)
    main_thread = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in ENDS if main_thread}
    heeded = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    _terminals = tuple(stream for stream in (1, 2) if os.isatty(stream))
    for number in heeded:
        signal.signal(number, _terminate)
    try:
        if pending and main_thread:
            signal.raise_signal(pending[0])
        yield
    finally:
        for number in heeded:
            signal.signal(number, before[number])


def asked_to_end() -> int:
    """Return the signal of `ENDS` that was sent to this command; 0 without one."""
    return _asked_to_end


def _terminate(number: int, frame: FrameType | None) -> None:
    global _asked_to_end  # noqa: PLW0603  (a process has one end)
    _asked_to_end = _asked_to_end or number
    _let_go_of_lost_terminals()
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)


def _let_go_of_lost_terminals() -> None:
    """Discard output to a terminal that has hung up: an error would end what is still written."""
    for stream in _terminals:
        if not os.isatty(stream):
            discard_output(stream)


def discard_output(stream: int) -> None:
    """Lead a file descriptor to /dev/null."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream)
    os.close(nowhere)


def ignore_at_exit() -> None:
    """Ignore signals while the interpreter ends, so that they do not change the exit status."""
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN)
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


@contextmanager
def handled_by(callback: Callable[[], object]) -> Iterator[None]:
    """Call `callback` for every Ctrl-C, instead of raising KeyboardInterrupt anywhere.

    Args:
        callback: runs in the midst of the main thread's work, so it may put into a SimpleQueue, and
            hardly more.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        _again()
        callback()

    undo = _handle_by(interrupt)
    try:
        yield
    finally:
        undo()


@contextmanager
def ignored() -> Iterator[None]:
    """Ignore Ctrl-C while the last output is written."""
    with handled_by(lambda: None):
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
