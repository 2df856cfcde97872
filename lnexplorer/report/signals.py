"""Signals while Qt works: an exception in the midst of it would be lost, or end the process."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def signals_held() -> Iterator[None]:
    """Note Ctrl-C, and what the command line makes one, while Qt is imported or paints; let it do
    afterwards what it does. Also a decorator.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # no other thread hears of signals
        return
    noted: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: noted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if noted:
            signal.raise_signal(signal.SIGINT)
