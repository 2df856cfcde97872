"""One lock over time, by itself: the row that holds it and those that wait for it, one above the other."""

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from lnexplorer.gui.reduction.painter.images import ColourTable, left_part, picture_of
from lnexplorer.gui.reduction.painter.lanes import most_at_once, queue_over_time, stacked_indices
from lnexplorer.gui.reduction.painter.time_axis import TimeAxis
from lnexplorer.gui.reduction.painter.timeline_index import TimelineIndex

_LEAST_ROW = 4.0  # px; lower ones have no line between them


class QueueStrip:
    """The pictures of a stretch, past and to come.

    Args:
        index: the timeline.
        lock: which of its locks.
        area: where.
        axis: the stretch.
        tables: colours of the lane table, keyed by whether they are those of the future.
        between: colour of the lines between rows, where there is room for them.
    """

    def __init__(
        self,
        index: TimelineIndex,
        lock: int,
        area: QRectF,
        axis: TimeAxis,
        tables: dict[bool, ColourTable],
        between: QColor,
    ) -> None:
        self.lock, self.area, self._axis = lock, area, axis
        counts = queue_over_time(index, lock, axis.begin_ns, axis.end_ns, max(int(area.width()), 1))
        self.most = most_at_once(counts)  # rows that the height stands for
        self._between = between
        stacked = stacked_indices(counts, max(int(area.height()), 1), self.most)
        self._pictures = {future: picture_of(stacked, table) for future, table in tables.items()}

    def paint(self, painter: QPainter, time_ns: float) -> None:
        """Draw it as it is at a time."""
        future, past = self._pictures[True], self._pictures[False]
        painter.drawImage(self.area, future, QRectF(future.rect()))
        width = round((self._axis.inside(time_ns) - self._axis.left) / max(self._axis.right - self._axis.left, 1) * past.width())
        if width > 0:
            place = QRectF(self.area.left(), self.area.top(), width / past.width() * self.area.width(), self.area.height())
            painter.drawImage(place, left_part(past, width))
        row = self.area.height() / self.most
        if row >= _LEAST_ROW:
            painter.setPen(QPen(self._between, 1))
            left, right = self.area.left(), self.area.right()
            painter.drawLines(
                [QLineF(left, y, right, y) for y in (self.area.bottom() - row * place for place in range(1, self.most))]
            )
