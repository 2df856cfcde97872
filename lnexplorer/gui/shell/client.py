"""The engine's events, on Qt's thread."""

from functools import partial

from PySide6.QtCore import QObject, Signal

from lnexplorer.gui.responsive import Delivery
from lnexplorer.protocol.messages import EngineEvent, JobProgress


class EngineClient(QObject):
    """Hands on what one engine tells. A progress takes the place of one of the same job that still waits."""

    received = Signal(object)  # EngineEvent

    def __init__(self, delivery: Delivery, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._delivery = delivery
        self._open = True

    def put(self, event: EngineEvent) -> None:
        """Take an event, on the engine's thread."""
        self._delivery.post(partial(self._tell, event), (id(self), event.job) if isinstance(event, JobProgress) else None)

    def close(self) -> None:
        """Hand nothing on any more."""
        self._open = False

    def _tell(self, event: EngineEvent) -> None:
        if self._open:
            self.received.emit(event)
