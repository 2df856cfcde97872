"""A frame for a shape so small that its numbers can be read: a sum on paper, its columns one below the other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter, QPen

from lnexplorer.domain.moments import locks_in_use
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.reduction.painter.colours import draw_padlock, legible_on
from lnexplorer.gui.reduction.painter.frame import Hit, Scene
from lnexplorer.gui.reduction.painter.gantt import Gantt
from lnexplorer.gui.reduction.painter.number_lines import Line, NumberLines
from lnexplorer.gui.reduction.painter.wording import (
    buffers_titles,
    decimals_notes,
    fitting,
    order_text,
    paired,
    results_titles,
    rows_titles,
)

LEAST_PIXELS = 11  # of a letter
_OF_TEXT = 0.85  # of the other text's size; smaller are no numbers, so that large type has large numbers
_LEAST_DIGITS, _MOST_DIGITS = 3, 5  # behind the point; where stores round, fewer than the most would hide it
_LINE_WITH_HEADINGS = 22.0  # px
_HIGHEST = 120.0  # px of a line
_ROOMY = 1.5  # times the least line; lower ones get some of the room of the lanes
_PAD = 0.6  # of a letter's height, between numbers of two columns
_OF_LINE = {1: 1.0, 2: 0.75, 3: 0.57}  # height of a line in a buffer that has so many, over that of a row's line
_LABEL = (150.0, 420.0)  # px; least and most


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What has to find room."""

    rows: int
    columns: int
    buffers: int
    whole: int  # digits before the point of the largest number, with its sign and point
    rounds: bool  # the buffers' type loses something, which has a line of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberLayout:
    """Sizes in px."""

    least: int  # of a letter
    label_width: float
    columns: int  # that are shown; the others are left to a sign
    cell_width: float
    line: float
    least_line: float
    heading: float  # 0 where there are none
    gap: float
    lanes: float
    stacked: bool  # in a buffer one number stands above another
    buffer: float  # height of one
    lost: float  # of it, for what rounding takes; 0 where it takes nothing
    number: int  # of a letter of the numbers
    digits: int  # behind the point
    arrow: bool  # there is room for one in a cell of a buffer

    @property
    def legible(self) -> bool:
        return self.line >= self.least_line and self.columns > 0

    @property
    def two_in_line(self) -> bool:
        """Whether two numbers find room above each other in a line of one row."""
        return self.stacked and self.line >= 2 * self.least_line


def lay_out(width: float, height: float, content: Content, font: QFont) -> NumberLayout:
    """Find sizes for a picture: two numbers of a cell above each other, where that is too high beside each other.

    Args:
        width: px of the picture.
        height: px of the picture.
        content: what is in it.
        font: of the other text.
    """
    stacked = _laid_out(width, height, content, font, stacked=True)
    if stacked.legible:
        return stacked
    beside = _laid_out(width, height, content, font, stacked=False)
    return beside if beside.legible else stacked


def _laid_out(width: float, height: float, content: Content, font: QFont, *, stacked: bool) -> NumberLayout:
    text = QFontMetricsF(font).height()
    least = max(LEAST_PIXELS, round(QFontInfo(font).pixelSize() * _OF_TEXT))
    metrics = QFontMetricsF(_sized(font, least))
    least_part = metrics.height()  # a line of a buffer's
    least_line = least_part + 1
    label = min(max(width * 0.22, _LABEL[0]), _LABEL[1])

    least_digits = _MOST_DIGITS if content.rounds else _LEAST_DIGITS
    one = _number_width(metrics, content.whole, least_digits)
    needed = (one if stacked else 2 * one) + least * _PAD
    columns, cell = _columns(width - label, content.columns, needed, 2.0 * least)

    parts = (2 if stacked else 1) + content.rounds
    others = content.rows + 2
    axis = text + 4
    lanes = max(min(height * 0.24, content.rows * text * 1.3), 40.0) + axis

    def line_of(rest: float) -> float:
        line = rest / (others + content.buffers * parts * _OF_LINE[parts])
        if line * _OF_LINE[parts] < least_part:  # the buffers need all that the least type needs
            line = (rest - content.buffers * parts * least_part) / others
        return line

    heading, gap = text + GRID / 2, float(GRID)
    line = line_of(height - lanes - GRID - 3 * heading - 2 * gap)
    if line < _LINE_WITH_HEADINGS:  # the numbers need the room
        heading, gap = 0.0, GRID / 2
        line = line_of(height - lanes - GRID - 2 * gap)
    if line < _ROOMY * least_line:
        lanes = max(height * 0.13, 36.0) + axis
        line = line_of(height - lanes - GRID - 2 * gap)
    line = min(line, _HIGHEST)
    part = max(line * _OF_LINE[parts], least_part)

    number = int(max(min(line * 0.6, cell / 5.8, 64.0), least))
    pad = number * _PAD
    room = (cell - pad) if stacked else (cell - pad) / 2
    shown = QFontMetricsF(_sized(font, number))
    digits = int((room - _number_width(shown, content.whole, 0)) / shown.horizontalAdvance("0"))
    return NumberLayout(
        least=least,
        label_width=label,
        columns=columns,
        cell_width=cell,
        line=line,
        least_line=least_line,
        heading=heading,
        gap=gap,
        lanes=lanes,
        stacked=stacked,
        buffer=parts * part,
        lost=part if content.rounds else 0.0,
        number=number,
        digits=min(max(digits, least_digits), _MOST_DIGITS),
        arrow=cell >= one + metrics.horizontalAdvance("→ ") + least * _PAD,
    )


def _number_width(metrics: QFontMetricsF, whole: int, digits: int) -> float:
    """Of a term that is added: its sign stands apart."""
    return metrics.horizontalAdvance("− ." + "0" * (max(whole - 2, 1) + digits))


def _columns(room: float, columns: int, needed: float, sign: float) -> tuple[int, float]:
    """How many columns are shown, and how wide each is; `sign` stands for the others, if there are any."""
    if columns <= 0 or room / columns >= needed:
        return columns, room / max(columns, 1)
    shown = max(int((room - sign) / needed), 0)
    return shown, (room - sign) / max(shown, 1)


MOST_ROWS, MOST_COLUMNS, MOST_BUFFERS = 16, 16, 8
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


def has_numbers(m: int, n: int, group_size_m: int) -> bool:
    return 0 < m <= MOST_ROWS and n <= MOST_COLUMNS and min(group_size_m, m) <= MOST_BUFFERS


class NumberFrame:
    """Rows on top, the buffers that they are added to below, the sums of the buffers at the bottom."""

    def __init__(self, scene: Scene) -> None:
        self._index = scene.index
        self._scene = scene
        timeline = scene.timeline
        width, height = scene.size.width(), scene.size.height()
        self._locks = locks_in_use(timeline)
        content = Content(
            rows=timeline.m,
            columns=timeline.n,
            buffers=self._locks,
            whole=_whole_digits(scene),
            rounds=scene.numbers.buffer_dtype != "float32" and scene.numbers.sums is not None,
        )
        layout = self.layout = lay_out(width, height, content, scene.font)
        self._number_font = _sized(scene.font, layout.number)
        label = max(min(layout.line * 0.52, layout.label_width / 13, 36.0), layout.least)
        self._label_font = _sized(scene.font, int(label))
        text_line = QFontMetricsF(scene.font).height()
        self._note_font = _sized(scene.font, int(max(min(max(text_line * 0.8, label * 0.6), label * 0.92), layout.least)))
        self._gantt_area = QRectF(0, height - layout.lanes, width, layout.lanes)
        self._gantt = Gantt(scene, self._gantt_area, layout.label_width)
        self.lines = self._write_lines()
        self._rows_top = layout.heading
        self._buffers_top = self._rows_top + timeline.m * layout.line + layout.heading + layout.gap
        self._result_top = self._buffers_top + self._locks * layout.buffer + layout.heading + layout.gap

    @property
    def legible(self) -> bool:
        return self.layout.legible

    def follow(self, row: int | None, lock: int | None) -> None:
        self._scene = replace(self._scene, followed=row, followed_lock=lock)
        self.lines = self._write_lines()
        self._gantt = Gantt(self._scene, self._gantt_area, self.layout.label_width)

    def stretch(self, begin_ns: float, end_ns: float) -> None:
        self._scene = replace(self._scene, begin_ns=begin_ns, end_ns=end_ns)
        self._gantt = Gantt(self._scene, self._gantt_area, self.layout.label_width)

    def _write_lines(self) -> NumberLines:
        layout = self.layout
        return NumberLines(
            self._scene, layout.digits, room_for_two=layout.stacked, two_in_line=layout.two_in_line, arrow=layout.arrow
        )

    def paint(self, painter: QPainter, time_ns: float) -> None:
        scene = self._scene
        now = self._index.moment(time_ns)
        painter.fillRect(QRectF(QPointF(0, 0), scene.size), scene.colours.surface)
        formula = "dw: dy · x̂" if scene.result == "dw" else "db: dy"
        self._write_heading(painter, 0, rows_titles(formula), decimals_notes(self.layout.digits) if scene.numbers.sums else ())
        for row in range(scene.timeline.m):
            self._write_line(painter, self._rows_top + row * self.layout.line, self.lines.row(row, now))
        order = (order_text(scene.timeline.kind, stored=scene.numbers.stored),) if scene.numbers.sums else ()
        self._write_heading(painter, self._buffers_top - self.layout.heading, buffers_titles(scene.timeline.group_size_m), order)
        for lock in range(self._locks):
            self._write_line(
                painter, self._buffers_top + lock * self.layout.buffer, self.lines.buffer(lock, now), self.layout.buffer
            )
        self._write_heading(painter, self._result_top - self.layout.heading, results_titles())
        for place, line in enumerate(self.lines.results(now)):
            self._write_line(painter, self._result_top + place * self.layout.line, line)
        self._gantt.paint(painter, time_ns)

    def hit(self, position: QPointF) -> Hit:
        row = int((position.y() - self._rows_top) // self.layout.line)
        if 0 <= row < self._scene.timeline.m:
            return Hit(row=row, lock=int(self._scene.timeline.lock[row]))
        lock = int((position.y() - self._buffers_top) // self.layout.buffer)
        if 0 <= lock < self._locks:
            return Hit(lock=lock)
        if self._result_top <= position.y() < self._result_top + 2 * self.layout.line and position.x() > self.layout.label_width:
            column = int((position.x() - self.layout.label_width) / self.layout.cell_width)
            return Hit(tile=column // self._scene.timeline.tile_block_n) if column < self.layout.columns else Hit()
        return self._gantt.hit(position)

    def _write_heading(self, painter: QPainter, top: float, titles: Sequence[str], notes: Sequence[str] = ()) -> None:
        if self.layout.heading == 0:
            return
        plain, bold = self._scene.font, QFont(self._scene.font)
        bold.setBold(True)
        room = QRectF(0, top, self._scene.size.width(), self.layout.heading)
        title, note = paired(QFontMetricsF(bold), QFontMetricsF(plain), titles, notes, room.width())
        painter.setFont(bold)
        painter.setPen(self._scene.colours.text)
        painter.drawText(room, _LEFT, title)
        painter.setFont(plain)
        painter.setPen(self._scene.colours.muted)
        painter.drawText(room, _RIGHT, note)

    def _write_line(self, painter: QPainter, top: float, line: Line, height: float | None = None) -> None:
        colours, height = self._scene.colours, (self.layout.line if height is None else height) - 2
        label = QRectF(0, top, self.layout.label_width - GRID, height)
        if line.lock is not None:
            size = min(height * 0.8, 40.0, self.layout.label_width * 0.2)
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
        notes = (line.note,) if line.short is None else (line.note, line.short)
        painter.drawText(label, _RIGHT, fitting(QFontMetricsF(self._note_font), notes, label.width() - name_width))
        strip = QRectF(self.layout.label_width, top, self._scene.size.width() - self.layout.label_width, height)
        painter.fillRect(strip, line.background)
        if line.frame is not None:
            painter.setPen(QPen(line.frame, 3))
            painter.drawRect(strip)
        painter.setPen(legible_on(line.background))
        painter.setFont(self._number_font)
        if len(line.cells) > 1 and line.cells[0].startswith("Σ ") and not line.cells[1]:
            painter.drawText(strip, _CENTRE, line.cells[0])
            return
        lost = self.layout.lost if line.lost else 0.0
        shown = line.cells[: self.layout.columns]
        font, lost_font = self._fitting(shown, height - lost), self._fitting(line.lost, lost)
        for column, text in enumerate(shown):
            box = QRectF(strip.left() + column * self.layout.cell_width, top, self.layout.cell_width, height - lost)
            if line.lost:
                below = QRectF(box.left(), box.bottom(), box.width(), lost)
                painter.fillRect(below.adjusted(1, 0, -1, 0), colours.surface)
                painter.setPen(QColor(colours.theme.bad))
                self._write_number(painter, below, line.lost[column], lost_font)
            painter.setPen(legible_on(line.background))
            self._write_number(painter, box, text, font)
        if self.layout.columns < len(line.cells) and any(line.cells):
            rest = strip.adjusted(self.layout.columns * self.layout.cell_width, 0, 0, -lost)
            painter.setPen(legible_on(line.background))
            self._write_number(painter, rest, "…", font)

    @staticmethod
    def _write_number(painter: QPainter, box: QRectF, text: str, font: QFont) -> None:
        metrics = QFontMetricsF(font)
        text = "\n".join(metrics.elidedText(line, Qt.TextElideMode.ElideRight, box.width()) for line in text.split("\n"))
        painter.setFont(font)
        painter.drawText(box, _CENTRE | Qt.TextFlag.TextDontClip, text)

    def _fitting(self, texts: Sequence[str], height: float) -> QFont:
        """The font of a line's numbers: smaller where a cell has more than one, but never so small that nobody can read
        it.
        """
        lines = [text.split("\n") for text in texts]
        metrics = QFontMetricsF(self._number_font)
        widest = max((metrics.horizontalAdvance(part) for parts in lines for part in parts), default=1.0)
        room = self.layout.cell_width - self.layout.least
        share = min(room / max(widest, 1.0), height / (max(map(len, lines), default=1) * metrics.height() * 0.94))
        if share >= 1.0:
            return self._number_font
        return _sized(self._number_font, max(int(self._number_font.pixelSize() * share), self.layout.least))


def _sized(font: QFont, pixels: int) -> QFont:
    other = QFont(font)
    other.setPixelSize(pixels)
    return other


def _whole_digits(scene: Scene) -> int:
    """Digits before the point of the largest number that can be in a cell, with a sign and the point."""
    rows = scene.numbers.rows
    if rows is None:
        return 3
    # NaN and infinities have a word of their own, and take no room for digits.
    sizes = (np.abs(sums[np.isfinite(sums)]).max(initial=0) for sums in (rows.dw, rows.db))
    largest = max(*map(float, sizes), 1.0)
    return len(str(int(min(largest * scene.timeline.m, 1e9)))) + 2
