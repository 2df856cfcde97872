"""The 2 · GROUP_SIZE_M numbers that the rows share: the locks, then the counts."""

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.domain.moments import Moment
from lnexplorer.gui.reduction.painter.colours import PictureColours, legible_on, mixed
from lnexplorer.gui.reduction.painter.images import colour_table, draw_indices
from lnexplorer.gui.shell.theme import DARK, GRID, Theme

_LEAST_CELL = 16.0  # px; a narrower cell has a colour and no number
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_HELD, _WRITTEN = 1, 2


class LockNumbers(QWidget):
    """Two lines of cells, a lock above its count."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = PictureColours(DARK)
        self._group_size_m = 0
        self._now: Moment | None = None
        self._barrier = True
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Two lines of text."""
        return QSize(30 * GRID, round(2 * self._line()) + GRID // 2)

    def show_moment(self, group_size_m: int, now: Moment | None, *, barrier: bool = True) -> None:
        """Show the numbers as they are now.

        Args:
            group_size_m: how many locks there are.
            now: the moment.
            barrier: the launch had it: then a count goes up before the buffers, else after them.
        """
        self._group_size_m, self._now, self._barrier = group_size_m, now, barrier
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._colours = PictureColours(theme)
        self.updateGeometry()
        self.update()

    def caption(self) -> str:
        """What the numbers are."""
        text = QCoreApplication.translate(
            "reduction", "2 · {0} numbers in memory: locks (1: held), then as many counts (0: the first row stores, adds nothing)"
        )
        return text.format(self._group_size_m)

    def values(self) -> tuple[list[int], list[int]]:
        """The locks and the counts; buffers that no row uses stay 0."""
        locks, counts = np.zeros(self._group_size_m, np.int64), np.zeros(self._group_size_m, np.int64)
        if self._now is not None:
            used = self._now.holder.size
            locks[:used] = self._now.holder >= 0
            counts[:used] = self._now.counts(barrier=self._barrier)
        return locks.tolist(), counts.tolist()

    def _line(self) -> float:
        return QFontMetricsF(self.font()).height() + 4

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw both lines."""
        if self._now is None or self._group_size_m == 0:
            return
        painter = QPainter(self)
        colours, metrics, line = self._colours, QFontMetricsF(self.font()), self._line()
        names = (QCoreApplication.translate("reduction", "locks"), QCoreApplication.translate("reduction", "counts"))
        label = max(metrics.horizontalAdvance(name) for name in names) + GRID
        room = self.width() - label
        cell = min(room / self._group_size_m, 5.0 * GRID)
        for place, (name, values) in enumerate(zip(names, self.values(), strict=True)):
            top = place * (line + GRID / 2)
            painter.setPen(colours.muted)
            painter.drawText(QRectF(0, top, label - GRID / 2, line), _RIGHT, name)
            widest = metrics.horizontalAdvance(str(max(values))) + 4
            if cell >= max(_LEAST_CELL, widest):
                self._draw_cells(painter, QRectF(label, top, cell, line), values, counts=place == 1)
            else:
                self._draw_strip(painter, QRectF(label, top, room, line), values, _WRITTEN if place else _HELD)
        painter.end()

    def _draw_cells(self, painter: QPainter, first: QRectF, values: list[int], *, counts: bool) -> None:
        colours = self._colours
        for lock, value in enumerate(values):
            box = first.translated(lock * first.width(), 0).adjusted(0, 0, -2, 0)
            share = 0.0 if value == 0 else 0.42 if counts else 1.0
            background = mixed(colours.surface, colours.lock(lock), share)
            painter.fillRect(box, background)
            painter.setPen(QPen(colours.line, 1))
            painter.drawRect(box)
            painter.setPen(legible_on(background))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(value))

    def _draw_strip(self, painter: QPainter, area: QRectF, values: list[int], colour: int) -> None:
        colours = self._colours
        empty, written = mixed(colours.surface, colours.line, 0.55), mixed(colours.surface, colours.accent, 0.5)
        table = colour_table([empty, colours.accent, written], colours.surface)
        draw_indices(painter, area, np.where(np.array([values]) > 0, np.uint8(colour), np.uint8(0)), table)
