"""Keep the event loop responsive: work on other threads, and on Qt's thread in small steps."""

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
# calls that wait take no longer in a row, but for the last of them: other events have their turn
SLICE_SECONDS = 0.01
# Qt gives Python's lock up at each of its calls. Another busy thread takes it then, and keeps it
# for this long: with the usual 5 ms, a slot of a hundred calls would take half a second.
SWITCH_SECONDS = 0.0005

_log = logging.getLogger(__name__)


class Delivery(QObject):
    """The one way from other threads to Qt's: a queue of calls, and a socket that wakes the event
    loop.

    Other threads touch no Qt object, not even to emit a signal: PySide looks up the class of an
        object without holding
    Python's lock (PYSIDE-803), and a class that is being defined meanwhile, as every import of
    widgets does, can end the process.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls: deque[Callable[[], object]] = deque()
        self._guard = threading.Lock()
        self._read, self._write = socket.socketpair()  # Qt watches no pipe on Windows
        for end in (self._read, self._write):
            end.setblocking(False)
            weakref.finalize(self, end.close)  # where nobody closes this
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._empty)
        self._open = True

    def post(self, call: Callable[[], object]) -> None:
        """Call something on Qt's thread soon; from any thread."""
        with self._guard:
            self._calls.append(call)
            if self._open:
                self._wake()

    def close(self) -> None:
        """Call nothing any more."""
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
        finally:
            if (
                self._calls and self._open
            ):  # the others have their turn soon, also after an error of one
                self._wake()

    def _next(self) -> Callable[[], object] | None:
        with self._guard:
            return self._calls.popleft() if self._calls and self._open else None

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # a full one wakes as well
            self._write.send(b"\0")


class Background(QObject):
    """A thread for long work that touches no Qt object; works are done in order."""

    warned = Signal(
        object
    )  # a sentence about files or values: a ValueError or an OSError of the work
    failed = Signal(object)  # a sentence about what nobody expected; it is logged, too

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
            key: of the works under one key only the newest counts; older ones are dropped.
            otherwise: takes the sentence of a foreseen error, instead of `warned`.
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
        """Drop the results of all works under a key."""
        if key is not None:
            self._numbers[key] = self._numbers.get(key, 0) + 1

    def tell(self, call: Callable[..., object], *values: object) -> None:
        """Call something on Qt's thread while the work goes on."""
        self._delivery.post(lambda: None if self._closed else call(*values))

    def close(self) -> None:
        """Finish the works, but for those under a key, and call no callback any more."""
        for key in self._numbers:
            self.drop(key)
        self._pool.shutdown(wait=True)
        self._closed = True


def log_failure(done: "Future[Any]") -> None:
    """Log what ended the work of a thread pool, which keeps it to itself otherwise; for
    `Future.add_done_callback`.
    """
    error = None if done.cancelled() else done.exception()
    if error is not None:
        _log.error("work on another thread failed", exc_info=error)


class IdleSteps(QObject):
    """Runs one step in each turn of the event loop. A step that waits is replaced by a newer one of
    the same name.
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
        # A step may turn the event loop itself; no other step begins inside it. One that fails does
        # not hold up the others.
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
    """Asks for what a pane shows, once it has been started and not again for a while, and not
    before somebody looks at the pane.
    """

    asked = Signal()

    def __init__(self, pane: "QWidget", rest_ms: int) -> None:
        super().__init__(pane, singleShot=True, interval=rest_ms)
        self._pane = pane
        self._stale = True  # nobody has seen the pane since something else was asked for
        self.timeout.connect(self.ask)

    @property
    def is_about_to_ask(self) -> bool:
        return self._pane.isVisible() and self.isActive()

    def ask(self) -> None:
        """Ask now, or as soon as somebody looks."""
        self._stale = not self._pane.isVisible()
        if not self._stale:
            self.asked.emit()

    def look(self) -> None:
        """Take that somebody looks from now on."""
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
