"""A frame for a shape so small that its numbers can be read: a sum on paper, its columns one below the other."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from lnexplorer.domain.moments import locks_in_use
from lnexplorer.gui.painter.colours import legible_on
from lnexplorer.gui.painter.frame import Hit, Scene
from lnexplorer.gui.painter.gantt import Gantt
from lnexplorer.gui.painter.number_lines import Line, NumberLines
from lnexplorer.gui.painter.padlock import draw_padlock
from lnexplorer.gui.painter.wording import order_text
from lnexplorer.gui.theme import GRID

_LINE_WITH_HEADINGS = 22  # px
_LINE_FOR_TWO = 30  # px; two numbers, one above the other
_LEAST_LINE, _LEAST_CELL = 13, 34  # px; smaller ones nobody reads
MOST_ROWS, MOST_COLUMNS, MOST_BUFFERS = 16, 16, 8
_HIGHER = 1.7  # times a line: that of a buffer whose type rounds
_LOST_SHARE = 0.32  # of such a line's height, for what rounding takes
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


def has_numbers(m: int, n: int, group_size_m: int) -> bool:
    """Whether a shape is small enough for its numbers."""
    return 0 < m <= MOST_ROWS and n <= MOST_COLUMNS and min(group_size_m, m) <= MOST_BUFFERS


class NumberFrame:
    """Rows on top, the buffers that they are added to below, the sums of the buffers at the bottom."""

    def __init__(self, scene: Scene) -> None:
        self._index = scene.indexed()
        self._scene = scene = replace(scene, index=self._index)
        timeline = scene.timeline
        width, height = scene.size.width(), scene.size.height()
        self._locks = locks_in_use(timeline)
        text_line = QFontMetricsF(scene.font).height()
        self._label_width = min(max(width * 0.22, 150.0), 420.0)
        lanes = max(min(height * 0.24, timeline.m * text_line * 1.3), 40.0) + text_line + 4
        self._heading = text_line + GRID / 2
        higher = _HIGHER if scene.buffer_dtype != "float32" and scene.sums is not None else 1.0
        lines = timeline.m + higher * self._locks + 2
        self._gap = float(GRID)
        rest = height - lanes - GRID - 3 * self._heading - 2 * self._gap
        if rest / lines < _LINE_WITH_HEADINGS:  # the numbers need the room
            self._heading, self._gap = 0.0, GRID / 2
            rest = height - lanes - GRID - 2 * self._gap
        self._line_height = min(rest / lines, 120.0)
        self._buffer_height = higher * self._line_height
        self._cell_width = (width - self._label_width) / timeline.n
        self._number_font = QFont(scene.font)
        self._number_font.setPixelSize(int(max(min(self._line_height * 0.56, self._cell_width / 5.3, 64.0), 7.0)))
        self._label_font = QFont(scene.font)
        self._label_font.setPixelSize(int(max(min(self._line_height * 0.52, self._label_width / 13, 36.0), 8.0)))
        self._note_font = QFont(scene.font)
        self._note_font.setPixelSize(
            int(max(min(max(text_line * 0.8, self._label_font.pixelSize() * 0.6), self._label_font.pixelSize() * 0.92), 8.0))
        )
        self._gantt_area = QRectF(0, height - lanes, width, lanes)
        self._gantt = Gantt(scene, self._gantt_area, self._label_width)
        self._digits = self._decimals()
        self.lines = self._write_lines()
        step = self._line_height
        self._rows_top = self._heading
        self._buffers_top = self._rows_top + timeline.m * step + self._heading + self._gap
        self._result_top = self._buffers_top + self._locks * self._buffer_height + self._heading + self._gap

    @property
    def legible(self) -> bool:
        """Whether there is room for the numbers."""
        return self._line_height >= _LEAST_LINE and self._cell_width >= _LEAST_CELL

    def follow(self, row: int | None, lock: int | None) -> None:
        """Mark another row and lock."""
        self._scene = replace(self._scene, followed=row, followed_lock=lock)
        self.lines = self._write_lines()
        self._gantt = Gantt(self._scene, self._gantt_area, self._label_width)

    def stretch(self, begin_ns: float, end_ns: float) -> None:
        """Show another stretch of time below the numbers."""
        self._scene = replace(self._scene, begin_ns=begin_ns, end_ns=end_ns)
        self._gantt = Gantt(self._scene, self._gantt_area, self._label_width)

    def _write_lines(self) -> NumberLines:
        return NumberLines(self._scene, self._digits, room_for_two=self._buffer_height >= _LINE_FOR_TWO)

    def _decimals(self) -> int:
        """As many decimals as the cell has room for, at most five."""
        rows = self._scene.partial_rows
        if rows is None:
            return 4
        # NaN and infinities have a word of their own, and take no room for digits.
        sizes = (np.abs(sums[np.isfinite(sums)]).max(initial=0) for sums in (rows.dw, rows.db))
        largest = max(*map(float, sizes), 1.0)
        whole = len(str(int(min(largest * self._scene.timeline.m, 1e9)))) + 2  # sign and point
        width = QFontMetricsF(self._number_font).horizontalAdvance("0")
        return int(max(min(self._cell_width * 0.9 / width - whole, 5), 1))

    def paint(self, painter: QPainter, time_ns: float) -> None:
        """Draw everything as it is at a time."""
        scene = self._scene
        now = self._index.moment(time_ns)
        painter.fillRect(QRectF(QPointF(0, 0), scene.size), scene.colours.surface)
        formula = "dw: dy · x̂" if scene.result == "dw" else "db: dy"
        self._write_heading(
            painter,
            0,
            QCoreApplication.translate("reduction", "Stage 1: each row of x gives a row of partial sums ({0})").format(formula),
            QCoreApplication.translate("reduction", "rounded here; decimals: {0}").format(self._digits)
            if self._scene.sums
            else "",
        )
        for row in range(scene.timeline.m):
            self._write_line(painter, self._rows_top + row * self._line_height, self.lines.row(row, now))
        self._write_heading(
            painter,
            self._buffers_top - self._heading,
            QCoreApplication.translate("reduction", "and adds it to the buffer whose number is row mod {0}").format(
                scene.timeline.group_size_m
            ),
            order_text(scene.timeline.kind, stored=scene.stored) if scene.sums else "",
        )
        for lock in range(self._locks):
            self._write_line(
                painter, self._buffers_top + lock * self._buffer_height, self.lines.buffer(lock, now), self._buffer_height
            )
        self._write_heading(
            painter,
            self._result_top - self._heading,
            QCoreApplication.translate("reduction", "Stage 2: the buffers are added, column by column"),
        )
        for place, line in enumerate(self.lines.results(now)):
            self._write_line(painter, self._result_top + place * self._line_height, line)
        self._gantt.paint(painter, time_ns)

    def hit(self, position: QPointF) -> Hit:
        """What is at a point."""
        row = int((position.y() - self._rows_top) // self._line_height)
        if 0 <= row < self._scene.timeline.m:
            return Hit(row=row, lock=int(self._scene.timeline.lock[row]))
        lock = int((position.y() - self._buffers_top) // self._buffer_height)
        if 0 <= lock < self._locks:
            return Hit(lock=lock)
        if self._result_top <= position.y() < self._result_top + 2 * self._line_height and position.x() > self._label_width:
            column = int((position.x() - self._label_width) / self._cell_width)
            return Hit(tile=column // self._scene.timeline.tile_block_n)
        return self._gantt.hit(position)

    def _write_heading(self, painter: QPainter, top: float, text: str, note: str = "") -> None:
        if self._heading == 0:
            return
        bold = QFont(self._scene.font)
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(self._scene.colours.text)
        painter.drawText(QRectF(0, top, self._scene.size.width(), self._heading), _LEFT, text)
        painter.setFont(self._scene.font)
        painter.setPen(self._scene.colours.muted)
        painter.drawText(QRectF(0, top, self._scene.size.width(), self._heading), _RIGHT, note)

    def _write_line(self, painter: QPainter, top: float, line: Line, height: float | None = None) -> None:
        colours, height = self._scene.colours, (self._line_height if height is None else height) - 2
        label = QRectF(0, top, self._label_width - GRID, height)
        if line.lock is not None:
            size = min(height * 0.8, 40.0, self._label_width * 0.2)
            draw_padlock(
                painter, QRectF(0, top + (height - size) / 2, size, size), line.closed, colours.lock(line.lock), colours.muted
            )
            label.setLeft(size + GRID / 2)
        painter.setFont(self._label_font)
        painter.setPen(line.frame or colours.text)
        painter.drawText(label, _LEFT, line.label)
        name_width = QFontMetricsF(self._label_font).horizontalAdvance(line.label) + GRID
        painter.setPen(colours.muted)
        painter.setFont(self._note_font)
        note = QFontMetricsF(self._note_font).elidedText(line.note, Qt.TextElideMode.ElideRight, label.width() - name_width)
        painter.drawText(label, _RIGHT, note)
        strip = QRectF(self._label_width, top, self._cell_width * len(line.cells), height)
        painter.fillRect(strip, line.background)
        if line.frame is not None:
            painter.setPen(QPen(line.frame, 3))
            painter.drawRect(strip)
        painter.setPen(legible_on(line.background))
        painter.setFont(self._number_font)
        if len(line.cells) > 1 and line.cells[0].startswith("Σ ") and not line.cells[1]:
            painter.drawText(strip, _CENTRE, line.cells[0])
            return
        for column, text in enumerate(line.cells):
            box = QRectF(strip.left() + column * self._cell_width, top, self._cell_width, height)
            if line.lost:
                box.setHeight(height * (1 - _LOST_SHARE))
                self._write_lost(painter, QRectF(box.left(), box.bottom(), box.width(), height * _LOST_SHARE), line.lost[column])
            painter.setPen(legible_on(line.background))
            painter.setFont(self._fitting(text, box.width() - 4, box.height()))
            painter.drawText(box, _CENTRE | Qt.TextFlag.TextDontClip, text)

    def _write_lost(self, painter: QPainter, box: QRectF, text: str) -> None:
        """What rounding took, on a ground of its own."""
        colours = self._scene.colours
        painter.fillRect(box.adjusted(1, 0, -1, 0), colours.surface)
        painter.setPen(QColor(colours.theme.bad))
        painter.setFont(self._fitting(text, box.width() - 4, box.height()))
        painter.drawText(box, _CENTRE | Qt.TextFlag.TextDontClip, text)

    def _fitting(self, text: str, width: float, height: float) -> QFont:
        """The font of the numbers, smaller where a cell has more than one."""
        lines = text.split("\n")
        metrics = QFontMetricsF(self._number_font)
        needed = max(metrics.horizontalAdvance(line) for line in lines)
        share = min(width / max(needed, 1.0), height / (len(lines) * metrics.height() * 0.94), 1.0)
        if share == 1.0:
            return self._number_font
        smaller = QFont(self._number_font)
        smaller.setPixelSize(max(int(self._number_font.pixelSize() * share), 6))
        return smaller
