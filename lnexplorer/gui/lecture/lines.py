"""Lines of numbers, one below the other, with arrows from one to another: rows, buffers, programs and results alike."""

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen

from lnexplorer.gui.lecture.formulas import draw_sign
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, Sheet
from lnexplorer.gui.reduction.painter.colours import draw_padlock, legible_on

GUTTER = 1.2  # units for each arrow's way
_LABEL_SHARE = 0.36
_LEAST_LABEL = 11.8  # units
_RULE = 0.1  # units
_FADING = 0.2  # of its way
_SPACE = 0.7  # units between two groups


@dataclass(frozen=True, slots=True)
class Line:
    """A label, a note to it, and numbers: the first half of the cells is of dw, the second of db."""

    label: str
    note: str
    cells: tuple[str, ...]
    fill: QColor
    frame: QColor | None = None
    padlock: QColor | None = None
    closed: bool = False
    faint: bool = False
    sign: str = ""  # in the padlock's place, on a line of a written sum
    ruled: bool = False  # a sum, below what is added


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one line to another; dotted where somebody only wants to go there."""

    start: int
    end: int
    colour: QColor
    way: int  # its place in the gutter
    dotted: bool = False
    travelled: float = 1.0  # 0 to 1: how far the numbers have come


class Lines:
    """Groups of lines in an area of a sheet."""

    def __init__(self, sheet: Sheet, area: QRectF, groups: list[list[Line]], ways: int = 2, at_least: int = 0) -> None:
        """Lay out lines.

        Args:
            sheet: the page.
            area: where.
            groups: lines that belong together.
            ways: arrows beside each other.
            at_least: number of lines for which there is room, so that as many are as high on another page with more.
        """
        self._sheet, self._area = sheet, area
        self._lines = [line for group in groups for line in group]
        unit = sheet.unit
        self._left = area.left() + ways * GUTTER * unit
        self._label = max(_LABEL_SHARE * area.width() - ways * GUTTER * unit, _LEAST_LABEL * unit)
        heading = 1.5 * unit
        height = (area.height() - heading - (len(groups) - 1) * _SPACE * unit) / max(len(self._lines), at_least)
        self._height = min(height, 2.6 * unit)
        self._tops: list[float] = []
        top = area.top() + heading
        for group in groups:
            for _ in group:
                self._tops.append(top)
                top += self._height
            top += _SPACE * unit

    def draw(self, headings: tuple[str, ...], arrows: list[Arrow]) -> None:
        """Draw everything.

        Args:
            headings: "dw" and "db", above the cells, over equal shares of them.
            arrows: between lines.
        """
        cells = self._cells()
        share = cells.width() / len(headings)
        for place, text in enumerate(headings):
            room = QRectF(cells.left() + place * share, self._area.top(), share, 1.4 * self._sheet.unit)
            draw_sign(self._sheet, room, f"{text} row", before=f"{text}:")
        for line, top in zip(self._lines, self._tops, strict=True):
            self._draw_line(line, top, len(headings))
        for arrow in arrows:
            self._draw_arrow(arrow)
        for arrow in arrows:
            if not arrow.dotted and arrow.travelled < 1:
                self._draw_travelling(arrow, len(headings))

    def _cells(self) -> QRectF:
        left = self._left + self._label
        return QRectF(left, self._area.top(), self._area.right() - left, self._area.height())

    def _draw_line(self, line: Line, top: float, halves: int) -> None:
        sheet, unit = self._sheet, self._sheet.unit
        height = self._height - 0.18 * unit
        left, size = self._left, min(1.5 * unit, height)
        if line.ruled:
            sheet.painter.setPen(QPen(sheet.palette.text, _RULE * unit))
            sheet.painter.drawLine(QLineF(left, top - _RULE * unit, self._area.right(), top - _RULE * unit))
        if line.sign:
            sheet.write(QRectF(left, top, size, height), line.sign, sheet.body, align=CENTRE, bold=True)
            left += size + 0.4 * unit
        if line.padlock is not None:
            place = QRectF(left, top + (height - size) / 2, size, size)
            draw_padlock(sheet.painter, place, line.closed, line.padlock, sheet.palette.muted)
            left += size + 0.4 * unit
        room = QRectF(left, top, self._left + self._label - left - 0.3 * unit, height)
        colour = sheet.palette.muted if line.faint else sheet.palette.text
        name = sheet.width_of(line.label, sheet.small, bold=True) + 0.7 * unit
        sheet.write(QRectF(room.left(), top, name, height), line.label, sheet.small, colour, LEFT, bold=True)
        if line.note:
            note = QRectF(room.left() + name, top, room.width() - name, height)
            sheet.write(note, line.note, sheet.small, sheet.palette.muted, LEFT)
        self._draw_cells(line, top, height, halves)

    def _draw_cells(self, line: Line, top: float, height: float, halves: int, faint: float = 1.0) -> None:
        sheet, cells = self._sheet, self._cells()
        sheet.painter.save()
        sheet.painter.setOpacity(faint)
        gap = 0.6 * sheet.unit
        width = (cells.width() - gap * (halves - 1)) / max(len(line.cells), 1)
        a_half = max(len(line.cells) // halves, 1)
        for half in range(halves):
            left = cells.left() + half * (a_half * width + gap)
            sheet.box(QRectF(left, top, a_half * width, height), line.fill, line.frame, 0.16)
            for place in range(a_half):
                text = line.cells[half * a_half + place] if half * a_half + place < len(line.cells) else ""
                room = QRectF(left + place * width, top, width, height)
                if text:
                    sheet.write(room, text, self._number_size(width), legible_on(line.fill), CENTRE)
        sheet.painter.restore()

    def _number_size(self, width: float) -> float:
        return max(min(self.number_units(), width / (3.2 * self._sheet.unit)), self._sheet.small)

    def number_units(self) -> float:
        """Size of the numbers, in units."""
        return min(0.62 * self._height / self._sheet.unit, 1.5)

    def _middle(self, line: int) -> float:
        return self._tops[line] + self._height / 2 - 0.09 * self._sheet.unit

    def _draw_arrow(self, arrow: Arrow) -> None:
        unit, painter = self._sheet.unit, self._sheet.painter
        right = self._left - 0.25 * unit
        x = self._area.left() + (arrow.way + 0.25) * GUTTER * unit
        start, end = self._middle(arrow.start), self._middle(arrow.end)
        bend = 0.5 * unit if end > start else -0.5 * unit
        path = QPainterPath(QPointF(right, start))
        path.lineTo(x + abs(bend), start)
        path.quadTo(QPointF(x, start), QPointF(x, start + bend))
        path.lineTo(x, end - bend)
        path.quadTo(QPointF(x, end), QPointF(x + abs(bend), end))
        path.lineTo(right, end)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        style = Qt.PenStyle.DotLine if arrow.dotted else Qt.PenStyle.SolidLine
        painter.setPen(QPen(arrow.colour, 0.2 * unit, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(arrow.colour)
        painter.drawPolygon(
            [
                QPointF(right + 0.1 * unit, end),
                QPointF(right - 0.55 * unit, end - 0.4 * unit),
                QPointF(right - 0.55 * unit, end + 0.4 * unit),
            ]
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_travelling(self, arrow: Arrow, halves: int) -> None:
        """The numbers on their way from line to line."""
        line = self._lines[arrow.start]
        share = arrow.travelled * arrow.travelled * (3 - 2 * arrow.travelled)
        top = self._tops[arrow.start] + (self._tops[arrow.end] - self._tops[arrow.start]) * share
        height = self._height - 0.18 * self._sheet.unit
        moving = Line("", "", line.cells, arrow.colour, self._sheet.palette.text)
        # It fades into what it is added to.
        self._draw_cells(moving, top, height, halves, faint=0.95 * min((1 - share) / _FADING, 1.0))
