"""The one way from other threads to Qt's: a pipe.

Other threads touch no Qt object, not even to emit a signal: PySide looks up the class of an object without holding Python's lock
(PYSIDE-803), and a class that is being defined meanwhile, as every import of widgets does, can end the process.
"""

import os
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QObject, QSocketNotifier

CHUNK = 4096
SLICE_SECONDS = 0.01  # calls that wait take no longer in a row, but for the last of them: other events have their turn


class Mailbox(QObject):
    """Calls on Qt's thread what other threads post."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls: deque[Callable[[], None]] = deque()
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._notifier = QSocketNotifier(self._read, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._empty)
        self._open = True

    def post(self, call: Callable[[], None]) -> None:
        """Have something called on Qt's thread, from any thread."""
        self._calls.append(call)
        if self._open:
            self._ring()

    def close(self) -> None:
        """Call nothing any more. For when no other thread posts."""
        if self._open:
            self._open = False
            self._notifier.setEnabled(False)
            self._calls.clear()
            os.close(self._read)
            os.close(self._write)

    def _empty(self) -> None:
        try:
            os.read(self._read, CHUNK)
        except BlockingIOError:
            return
        until = time.perf_counter() + SLICE_SECONDS
        for _ in range(len(self._calls)):
            if not self._calls:  # a call has opened a dialog, in which the others were called, or has closed this
                return
            call = self._calls.popleft()
            try:
                call()
            except BaseException:
                if self._calls and self._open:  # an error of one is not to hold up the others
                    self._ring()
                raise
            if self._calls and self._open and time.perf_counter() > until:
                self._ring()
                return

    def _ring(self) -> None:
        with suppress(BlockingIOError):  # a full pipe rings as well
            os.write(self._write, b"\0")
