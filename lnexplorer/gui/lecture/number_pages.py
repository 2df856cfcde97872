"""Pages of numbers: tables below their formulas, and lines of rows, buffers and programs with arrows between them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen

from lnexplorer.domain.lecture.example import BeatKind, Example
from lnexplorer.domain.lecture.questions import plain
from lnexplorer.domain.lecture.scenes import Event, Moves, Tables
from lnexplorer.domain.timeline import RowState, moment
from lnexplorer.gui.charts.sheet import CENTRE, LEFT, RIGHT, Sheet
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.lecture.formulas import STAGE1, draw_formulas, draw_sign, sign_width
from lnexplorer.gui.reduction.painter.colours import draw_padlock, legible_on, mixed

translate = QCoreApplication.translate

_FORMULA_SHARE = 0.17  # of the height, above lines
_TABLE_FORMULA_SHARE = 0.34
_GAP = 1.2  # units between two tables
_TALLEST = 2.7  # units a line
_WIDEST = 4.2  # units a cell
_HEADING = 1.7  # units
GUTTER = 1.2  # units for each arrow's way
_LABEL_SHARE = 0.36
_LEAST_LABEL = 11.8  # units
_RULE = 0.1  # units
_FADING = 0.2  # of its way
_SPACE = 0.7  # units between two groups
_HALVES = 2  # dw and db


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

    def __init__(self, sheet: Sheet, area: QRectF, groups: list[list[Line]], ways: int, at_least: int) -> None:
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

    def draw(self, arrows: list[Arrow]) -> None:
        """Draw everything, dw and db above the halves of the cells."""
        cells = self._cells()
        share = cells.width() / _HALVES
        for place, text in enumerate(("dw", "db")):
            room = QRectF(cells.left() + place * share, self._area.top(), share, 1.4 * self._sheet.unit)
            draw_sign(self._sheet, room, f"{text} row", before=f"{text}:")
        for line, top in zip(self._lines, self._tops, strict=True):
            self._draw_line(line, top)
        for arrow in arrows:
            self._draw_arrow(arrow)
        for arrow in arrows:
            if not arrow.dotted and arrow.travelled < 1:
                self._draw_travelling(arrow)

    def _cells(self) -> QRectF:
        left = self._left + self._label
        return QRectF(left, self._area.top(), self._area.right() - left, self._area.height())

    def _draw_line(self, line: Line, top: float) -> None:
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
        colour = sheet.palette.text
        name = sheet.width_of(line.label, sheet.small, bold=True) + 0.7 * unit
        sheet.write(QRectF(room.left(), top, name, height), line.label, sheet.small, colour, LEFT, bold=True)
        if line.note:
            note = QRectF(room.left() + name, top, room.width() - name, height)
            sheet.write(note, line.note, sheet.small, sheet.palette.muted, LEFT)
        self._draw_cells(line, top, height)

    def _draw_cells(self, line: Line, top: float, height: float, faint: float = 1.0) -> None:
        sheet, cells = self._sheet, self._cells()
        sheet.painter.save()
        sheet.painter.setOpacity(faint)
        gap = 0.6 * sheet.unit
        width = (cells.width() - gap) / len(line.cells)
        a_half = len(line.cells) // _HALVES
        for half in range(_HALVES):
            left = cells.left() + half * (a_half * width + gap)
            sheet.box(QRectF(left, top, a_half * width, height), line.fill, line.frame, 0.16)
            for place, text in enumerate(line.cells[half * a_half : (half + 1) * a_half]):
                room = QRectF(left + place * width, top, width, height)
                sheet.write(room, text, self._number_size(width), legible_on(line.fill), CENTRE)
        sheet.painter.restore()

    def _number_size(self, width: float) -> float:
        """In units."""
        return max(min(0.62 * self._height / self._sheet.unit, 1.5, width / (3.2 * self._sheet.unit)), self._sheet.small)

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

    def _draw_travelling(self, arrow: Arrow) -> None:
        """The numbers on their way from line to line."""
        line = self._lines[arrow.start]
        share = arrow.travelled * arrow.travelled * (3 - 2 * arrow.travelled)
        top = self._tops[arrow.start] + (self._tops[arrow.end] - self._tops[arrow.start]) * share
        height = self._height - 0.18 * self._sheet.unit
        moving = Line("", "", line.cells, arrow.colour, self._sheet.palette.text)
        # It fades into what it is added to.
        self._draw_cells(moving, top, height, faint=0.95 * min((1 - share) / _FADING, 1.0))


def _with_formulas(sheet: Sheet, room: QRectF, formulas: tuple[str, ...], marked: tuple[str, ...], share: float) -> QRectF:
    """Draw formulas at the top of a room; returns the room below them."""
    height = share * room.height()
    draw_formulas(sheet, QRectF(room.left(), room.top(), room.width(), height), formulas, marked)
    return room.adjusted(0, height, 0, 0)


def _numbers(dw: np.ndarray, db: np.ndarray) -> tuple[str, ...]:
    return tuple(plain(float(value)) for value in (*dw, *db))


def _result(sheet: Sheet, example: Example, *, done: bool, begun: bool = False) -> Line:
    cells = _numbers(example.sums.dw, example.sums.db) if done else ("…" if begun else "",) * (2 * example.timeline.n)
    fill = mixed(sheet.palette.background, sheet.palette.good, 0.6) if done else sheet.palette.cell
    return Line(translate("lecture", "dw and db"), "", cells, fill)


_MARKED = {BeatKind.START: ("dx",), BeatKind.WAITS: ("dw row", "db row"), BeatKind.END: ("dw", "db")}


def draw_event(sheet: Sheet, room: QRectF, scene: Event, progress: float) -> None:
    """The moment of an event; `progress` is that of the numbers that move, 0 to 1."""
    example, beat, palette = scene.example, scene.beat, sheet.palette
    timeline, sums, partial = example.timeline, example.sums, example.partial_rows
    below = _with_formulas(sheet, room, STAGE1, _MARKED.get(beat.kind, ("rows",)), _FORMULA_SHARE)
    now = moment(timeline, beat.time_ns)
    moving, arrived = beat.kind in (BeatKind.STORES, BeatKind.ADDS), progress >= 1
    names = {
        RowState.COMPUTING: translate("lecture", "computes"),
        RowState.QUEUED: translate("lecture", "queued"),
        RowState.TRYING: translate("lecture", "trying"),
        RowState.HOLDING: translate("lecture", "holds lock"),
        RowState.DONE: translate("lecture", "done"),
    }
    rows = []
    for row, state in enumerate(map(RowState, now.state)):
        colour, cells = palette.lock(int(timeline.lock[row])), _numbers(partial.dw[row], partial.db[row])
        fills = {RowState.HOLDING: colour, RowState.DONE: mixed(palette.background, colour, 0.42)}
        shown = cells if state >= RowState.QUEUED else ("…",) * len(cells)
        frame = palette.text if state in (RowState.QUEUED, RowState.TRYING) else None
        name = translate("lecture", "row {0}").format(row)
        rows.append(Line(name, names.get(state, ""), shown, fills.get(state, palette.cell), frame))
    groups: list[list[Line]] = [rows, []]
    places = []  # of each buffer's line, among all lines
    joins = -1  # the line at which a row joins a sum
    for lock, count in enumerate(now.counts(barrier=True)):
        colour, held, own = palette.lock(lock), now.holder[lock] >= 0, beat.lock == lock
        there = np.flatnonzero((timeline.lock == lock) & (timeline.held_ns <= beat.time_ns))
        filled = there.size > 0 and (arrived or not own or not held)
        stored = there[timeline.held_ns[there].argmax()] if filled else 0
        line = Line(
            translate("lecture", "buffer {0}").format(lock),
            translate("lecture", "count {0}").format(count),
            _numbers(sums.dw_after[stored], sums.db_after[stored]) if filled else ("",) * (2 * timeline.n),
            mixed(palette.background, colour, 0.42) if filled else palette.cell,
            colour if held else None,
            padlock=colour,
            closed=bool(held),
        )
        if beat.kind is BeatKind.ADDS and own:
            summands = _summands(sheet, scene, arrived=arrived)
            joins = sum(map(len, groups)) + 1
            groups += [[*summands, replace(line, ruled=True)], []]
        else:
            groups[-1].append(line)
        places.append(sum(map(len, groups)) - 1)
    groups = [group for group in groups if group]
    if joins < 0:
        begun = beat.kind is BeatKind.TILES
        groups.append([_result(sheet, example, done=beat.kind is BeatKind.END, begun=begun)])
    arrows = []
    for row, state in enumerate(now.state):
        lock = int(timeline.lock[row])
        if state in (RowState.QUEUED, RowState.TRYING, RowState.HOLDING):
            waits, goes = state != RowState.HOLDING, moving and beat.row == row
            end = joins if goes and joins >= 0 else places[lock]
            colour = palette.text if waits else palette.lock(lock)
            way = lock * 2 + waits
            arrows.append(Arrow(row, end, colour, way, dotted=bool(waits), travelled=progress if goes else 1.0))
    if beat.kind in (BeatKind.TILES, BeatKind.END):
        arrows = [Arrow(place, places[-1] + 1, palette.lock(lock), lock) for lock, place in enumerate(places)]
    Lines(sheet, below, groups, ways=2 * len(places), at_least=len(rows) + len(places) + 2).draw(arrows)


def _summands(sheet: Sheet, scene: Event, *, arrived: bool) -> list[Line]:
    """What the program has loaded, and below it the row that it adds, once that has arrived."""
    sums, partial, beat = scene.example.sums, scene.example.partial_rows, scene.beat
    colour, loaded = sheet.palette.lock(beat.lock), sums.previous[beat.row]
    own = _numbers(partial.dw[beat.row], partial.db[beat.row])
    name, row = translate("lecture", "buffer {0}").format(beat.lock), translate("lecture", "row {0}").format(beat.row)
    pale = mixed(sheet.palette.background, colour, 0.42)
    before = _numbers(sums.dw_after[loaded], sums.db_after[loaded])
    return [
        Line(name, translate("lecture", "loaded"), before, pale, sign=" "),
        Line(row, "", own if arrived else ("",) * len(own), colour if arrived else sheet.palette.cell, sign="+"),
    ]


_MOVE_SHARES = (0.4, 0.68, 1.0)  # where the words and the cells of the program end, of the width
_MOST_MOVES = 5  # lines that have the same height on every page


def draw_moves(sheet: Sheet, room: QRectF, scene: Moves) -> None:
    """A line for each move: who does what, what is in its registers, what is in the buffer; at the end what should be."""
    unit, palette = sheet.unit, sheet.palette
    height = min(room.height() / (_MOST_MOVES + 2), 3.4 * unit)
    edges = [room.left() + share * room.width() for share in (0.0, *_MOVE_SHARES)]
    gap = 0.8 * unit

    def line(place: int, column: int) -> QRectF:
        left, right = edges[column : column + 2]
        return QRectF(left, room.top() + place * height, right - left - (gap if column < 2 else 0), height - 0.35 * unit)

    def cells(area: QRectF, values: tuple[float, ...], fills: list[QColor]) -> None:
        width = area.width() / len(values)
        for column, (value, fill) in enumerate(zip(values, fills, strict=True)):
            cell = QRectF(area.left() + column * width, area.top(), width - 0.15 * unit, area.height())
            sheet.box(cell, fill)
            sheet.write(cell, "" if math.isnan(value) else plain(value), 1.5, legible_on(fill), CENTRE)

    for column, words in ((1, translate("lecture", "in its registers")), (2, translate_message(scene.heading))):
        sheet.write(line(0, column), words, sheet.body, palette.muted, CENTRE)
    for place, move in enumerate(scene.moves[: scene.shown], start=1):
        # The rows of the example share one buffer, but each has its own colour here.
        colour = palette.lock(int(move.program > scene.moves[0].program))
        text = line(place, 0)
        sheet.box(QRectF(text.left(), text.top(), 0.35 * unit, text.height()), colour)
        words = f"{place}  {translate_message(move.text)}"
        sheet.write(text.adjusted(unit, 0, 0, 0), words, sheet.body, palette.text, LEFT)
        cells(line(place, 1), move.own, [mixed(palette.background, colour, 0.42)] * len(move.own))
        last = place == len(scene.moves)
        fills = [palette.cell] * len(move.buffer)
        if last:
            pairs = zip(move.buffer, scene.right, strict=True)
            fills = [palette.good if value == right else QColor(palette.theme.bad) for value, right in pairs]
        cells(line(place, 2), move.buffer, fills)
    if scene.shown == len(scene.moves):
        place = _MOST_MOVES + 1
        sheet.write(
            line(place, 0).united(line(place, 1)), translate("lecture", "what it should hold"), sheet.body, palette.muted, RIGHT
        )
        cells(line(place, 2), scene.right, [palette.cell] * len(scene.right))


_Table = tuple[str, np.ndarray, bool]


def draw_tables(sheet: Sheet, room: QRectF, scene: Tables) -> None:
    """Formulas above, with the current one marked, and tables below, in type as large as there is room for."""
    area = _with_formulas(sheet, room, scene.formulas, scene.marked, _TABLE_FORMULA_SHARE)
    unit, units, tables = sheet.unit, 1.5, scene.tables
    lines = max(len(values) for _, values, _ in tables)
    names = [translate("lecture", "row {0}").format(row) for row in range(lines)]
    label = sheet.width_of(names[0], sheet.small) + 0.8 * unit
    while True:
        cells = _cell_widths(sheet, tables, units)
        columns = sum(values.shape[1] for _, values, _ in tables)
        total = label + _GAP * unit * (len(tables) - 1)
        total += sum(width * values.shape[1] for width, (_, values, _) in zip(cells, tables, strict=True))
        if total <= area.width() or units <= sheet.small:
            break
        units = max(units * 0.95, sheet.small)
    spare = (area.width() - total) / columns
    height = min((area.height() - _HEADING * unit) / lines, _TALLEST * unit)
    top = area.top() + _HEADING * unit + max((area.height() - _HEADING * unit - lines * height) / 3, 0)
    for row, text in enumerate(names):
        box = QRectF(area.left(), top + row * height, label - 0.5 * unit, height)
        sheet.write(box, text, sheet.small, sheet.palette.muted, RIGHT)
    x = area.left() + label
    for (name, values, now), least in zip(tables, cells, strict=True):
        width = values.shape[1] * min(least + spare, max(_WIDEST * unit, least))
        heading = QRectF(x, top - (_HEADING + 0.15) * unit, width, _HEADING * unit)
        draw_sign(sheet, heading, name, marked=now)
        _draw_table(sheet, QRectF(x, top, width, height * len(values)), values, now, units)
        x += width + _GAP * unit


def _cell_widths(sheet: Sheet, tables: Sequence[_Table], units: float) -> list[float]:
    return [
        max(
            max(sheet.width_of(plain(float(value)), units) for value in values.flat) + 0.7 * sheet.unit,
            (sign_width(sheet, name) + 0.2 * sheet.unit) / values.shape[1],
            1.6 * sheet.unit,
        )
        for name, values, _ in tables
    ]


def _draw_table(sheet: Sheet, area: QRectF, values: np.ndarray, now: bool, units: float) -> None:
    height, width = area.height() / len(values), area.width() / values.shape[1]
    fill = mixed(sheet.palette.background, sheet.palette.accent, 0.24) if now else sheet.palette.cell
    for row, line in enumerate(values):
        box = QRectF(area.left(), area.top() + row * height, area.width(), height - 0.18 * sheet.unit)
        sheet.box(box, fill)
        for column, value in enumerate(line):
            cell = QRectF(area.left() + column * width, box.top(), width, box.height())
            sheet.write(cell, plain(float(value)), units, legible_on(fill), CENTRE)
