"""Controls side by side, in as many rows as they need: where there is little room, none is cut and nothing scrolls sideways."""

from PySide6.QtCore import QEvent, QSize, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lnexplorer.gui.shell.theme import GRID


class WrappedRow(QWidget):
    """Holds widgets in their order, each as wide as it likes or, before another row begins, as narrow as it can be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[QWidget, ...] = ()
        self._rows: list[QHBoxLayout] = []
        self._places: list[int] = []  # row of each part
        self._later = QTimer(self)  # how wide parts are is known when they are laid out
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._fold)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID // 2)

    def fill(self, *parts: QWidget) -> None:
        """Put in the widgets."""
        self._parts = parts
        self._put([0] * len(parts))

    def sizeHint(self) -> QSize:  # noqa: N802
        """All in a row."""
        widths = [part.sizeHint().width() + GRID for part in self._parts if not part.isHidden()]
        return QSize(max(0, sum(widths) - GRID), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The widest part alone in its row."""
        widest = max((_least(part) for part in self._parts if not part.isHidden()), default=0)
        return QSize(widest, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """In less width there is less in a row."""
        super().resizeEvent(event)
        self._fold()

    def event(self, event: QEvent) -> bool:
        """So there is as parts come, or say more."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._later.start(0)
        return super().event(event)

    def _fold(self) -> None:
        places, used = [0], 0
        for part in self._parts:
            needed = 0 if part.isHidden() else _least(part) + GRID
            row = places[-1] + (used > 0 and used + needed - GRID > self.width())
            used = needed if row > places[-1] else used + needed
            places.append(row)
        if places[1:] != self._places:
            self._put(places[1:])

    def _put(self, places: list[int]) -> None:
        while len(self._rows) <= max(places, default=0):
            row = QHBoxLayout()
            row.setSpacing(GRID)
            row.addStretch(1)
            self._rows.append(row)
            self._column.addLayout(row)
        for part, before in zip(self._parts, self._places, strict=False):
            self._rows[before].removeWidget(part)
        for part, place in zip(self._parts, places, strict=True):
            self._rows[place].insertWidget(self._rows[place].count() - 1, part)
        self._places = places


def _least(part: QWidget) -> int:
    return part.minimumWidth() or part.minimumSizeHint().width()
