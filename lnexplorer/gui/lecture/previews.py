"""The steps as small pictures for the speaker: one is drawn in a turn of the event loop, and kept."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QPixmap

_MOST = 8  # that are kept


class Previews(QObject):
    """Draws what is wanted and not there, the first wanted first.

    Args:
        draw: draws a step.
    """

    drawn = Signal()

    def __init__(self, draw: Callable[[int], QPixmap], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._draw = draw
        self._pictures: dict[int, QPixmap] = {}
        self._wanted: tuple[int, ...] = ()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._draw_one)

    def want(self, numbers: tuple[int, ...]) -> None:
        """Have these drawn, and nothing that was wanted before."""
        self._wanted = numbers
        self._timer.start(0)

    def forget(self, number: int | None = None) -> None:
        """A step's picture is out of date; without a number, all are."""
        if number is None:
            self._pictures.clear()
        else:
            self._pictures.pop(number, None)

    def stop(self) -> None:
        """Draw nothing any more."""
        self._timer.stop()

    def picture(self, number: int) -> QPixmap | None:
        """The picture of a step, if it is there."""
        return self._pictures.get(number)

    def _draw_one(self) -> None:
        missing = [number for number in self._wanted if number not in self._pictures]
        if missing:
            self._pictures[missing[0]] = self._draw(missing[0])
            while len(self._pictures) > _MOST:
                del self._pictures[next(iter(self._pictures))]
        self.drawn.emit()
        if len(missing) > 1:
            self._timer.start(0)
