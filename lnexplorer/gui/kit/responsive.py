"""Keeps the event loop responsive: work on other threads, and small steps on Qt's thread."""

import logging
import socket
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

from lnkernels.values import Sentence, say, sentence_of

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

T = TypeVar("T")
# After so long no further waiting call is begun: other events have their turn.
SLICE_SECONDS = 0.01
# Qt releases Python's lock (the GIL) at each of its calls. Another busy thread takes it then, and
# keeps it for this long: with the usual 5 ms, a slot of a hundred calls would take half a second.
SWITCH_SECONDS = 0.0005

_log = logging.getLogger(__name__)


class Delivery(QObject):
    """The only way from other threads to Qt's: a queue of calls, and a socket that wakes the event
    loop.

    Other threads touch no Qt object, not even to emit a signal: PySide looks up the class of an
    object without holding Python's lock (PYSIDE-803). If another class is being defined meanwhile,
    which every import of widgets does, the process can crash.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls: deque[Callable[[], object]] = deque()
        self._guard = threading.Lock()
        self._read, self._write = socket.socketpair()  # Qt watches no pipe on Windows
        for end in (self._read, self._write):
            end.setblocking(False)
            weakref.finalize(self, end.close)  # if nobody calls `close`
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._empty)
        self._open = True

    def post(self, call: Callable[[], object]) -> None:
        """Call something on Qt's thread soon; any thread may ask for it."""
        with self._guard:
            self._calls.append(call)
            if self._open:
                self._wake()

    def close(self) -> None:
        """Drop the calls that wait, and make none any more."""
        with self._guard:
            if self._open:
                self._open = False
                self._notifier.setEnabled(False)
                self._calls.clear()
                self._read.close()
                self._write.close()

    def _empty(self) -> None:
        with suppress(BlockingIOError):
            self._read.recv(4096)
        until = time.perf_counter() + SLICE_SECONDS
        try:
            while (call := self._next()) is not None:
                call()
                if time.perf_counter() > until:
                    break
        finally:  # after an error, too
            if self._calls and self._open:
                self._wake()

    def _next(self) -> Callable[[], object] | None:
        with self._guard:
            return self._calls.popleft() if self._calls and self._open else None

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # a full socket wakes the loop as well
            self._write.send(b"\0")


class Background(QObject):
    """A thread that does tasks one after the other; they touch no Qt object."""

    warned = Signal(object)  # a sentence: the work raised a ValueError or an OSError
    failed = Signal(object)  # a sentence: it raised another error, which is logged, too

    def __init__(self, delivery: Delivery, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._delivery = delivery
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._closed = False
        self._numbers: dict[Hashable, int] = {}  # of the newest work under each key

    def do(
        self,
        work: Callable[[], T],
        then: Callable[[T], object] | None = None,
        key: Hashable = None,
        otherwise: Callable[[Sentence], object] | None = None,
    ) -> None:
        """Do work on the thread, and pass its result to a callback on Qt's.

        Args:
            work: touches no Qt object.
            then: the callback; not called after an error, nor once this is closed.
            key: only the newest task under a key counts; results of older ones are dropped.
            otherwise: takes the sentence of a ValueError or an OSError, instead of `warned`.
        """
        self.drop(key)
        number = self._numbers.get(key)
        if self._closed:
            return

        def tell(call: Callable[[Any], object], value: object) -> None:
            self.tell(lambda: call(value) if self._numbers.get(key) == number else None)

        def hand_over(value: T) -> None:
            try:
                if then is not None:
                    then(value)
            except Exception as error:
                self.failed.emit(unexpected(error))
                raise

        def task() -> None:
            if self._numbers.get(key) != number:
                return
            try:  # errors of the store are ValueErrors
                value = work()
            except (ValueError, OSError) as error:
                tell(otherwise or self.warned.emit, sentence_of(error))
            except Exception as error:
                tell(self.failed.emit, unexpected(error))
                raise  # into the log, with its traceback
            else:
                tell(hand_over, value)

        self._pool.submit(task).add_done_callback(log_failure)

    def drop(self, key: Hashable) -> None:
        """Drop the results of all tasks under a key."""
        if key is not None:
            self._numbers[key] = self._numbers.get(key, 0) + 1

    def tell(self, call: Callable[..., object], *values: object) -> None:
        """Call something on Qt's thread while the work goes on."""
        self._delivery.post(lambda: None if self._closed else call(*values))

    def close(self) -> None:
        """Finish the tasks without a key, drop the others, and call no callback any more."""
        for key in self._numbers:
            self.drop(key)
        self._pool.shutdown(wait=True)
        self._closed = True


def log_failure(done: "Future[Any]") -> None:
    """Log the error of a task; pass this to `Future.add_done_callback`.

    A thread pool would keep the error to itself.
    """
    error = None if done.cancelled() else done.exception()
    if error is not None:
        _log.error("work on another thread failed", exc_info=error)


class IdleSteps(QObject):
    """Runs one step in each turn of the event loop.

    A newer step takes the place of a waiting one of the same name.
    """

    emptied = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: dict[str, Callable[[], object]] = {}
        self._running = False
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._next)

    def add(self, name: str, step: Callable[[], object]) -> None:
        self._steps[name] = step
        if not self._running:
            self._timer.start()

    @property
    def waiting(self) -> int:
        return len(self._steps)

    def clear(self) -> None:
        self._steps.clear()
        self._timer.stop()

    def _next(self) -> None:
        # A step may turn the event loop itself: no other step begins inside it. A step that fails
        # does not hold up the others.
        self._timer.stop()
        try:
            if self._steps:
                self._running = True
                self._steps.pop(next(iter(self._steps)))()
        finally:
            self._running = False
            if self._steps:
                self._timer.start()
            else:
                self.emptied.emit()


class AskWhenSeen(QTimer):
    """A timer that asks for the content of a pane, once it has not been started again for a while.

    It waits until the pane is visible.
    """

    asked = Signal()

    def __init__(self, pane: "QWidget", rest_ms: int) -> None:
        super().__init__(pane, singleShot=True, interval=rest_ms)
        self._pane = pane
        self._stale = True  # the pane was hidden when its content should have been asked for
        self.timeout.connect(self.ask)

    @property
    def is_about_to_ask(self) -> bool:
        return self._pane.isVisible() and self.isActive()

    def ask(self) -> None:
        """Ask now, or as soon as the pane is visible."""
        self._stale = not self._pane.isVisible()
        if not self._stale:
            self.asked.emit()

    def look(self) -> None:
        """Start the timer if the content is stale; called when the pane becomes visible."""
        if self._stale:
            self.start()


def import_modules(*names: str) -> None:
    """Import modules; one that is missing is reported by the code that needs it."""
    for name in names:
        with suppress(ImportError):
            import_module(name)


def unexpected(error: BaseException) -> Sentence:
    """Return the sentence for an unforeseen error."""
    cause = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return say("Something unexpected went wrong: {cause}", cause=cause)
