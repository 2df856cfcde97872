"""The one bridge from the engine's thread to Qt's."""

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from lnexplorer.gui.shell.event_queue import EventQueue
from lnexplorer.gui.shell.mailbox import Mailbox

FRAME_MS = 33  # the window shows news at most about 30 times a second


class EngineClient(QObject):
    """Empties the event queue on Qt's thread, one batch a frame."""

    received = Signal(object)  # EngineEvent

    def __init__(self, queue: EventQueue, mailbox: Mailbox, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._since_batch = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._deliver)
        schedule = self._schedule
        queue.attach(lambda: mailbox.post(schedule))

    def close(self) -> None:
        """Leave the queue; later events are not delivered."""
        self._queue.attach(None)
        self._timer.stop()

    def _schedule(self) -> None:
        waited = self._since_batch.elapsed() if self._since_batch.isValid() else FRAME_MS
        self._timer.start(max(FRAME_MS - waited, 0))

    def _deliver(self) -> None:
        self._since_batch.start()
        for event in self._queue.take():
            self.received.emit(event)
