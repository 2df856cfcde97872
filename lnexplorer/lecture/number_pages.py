"""Pages of numbers: tables below their formulas; and lines of rows, buffers and programs, with
arrows between them.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen

from lnexplorer.domain.lecture.material import BeatKind, plain
from lnexplorer.domain.lecture.scenes import Moves, SceneEvent, Tables
from lnexplorer.domain.timeline import RowState, moment
from lnexplorer.gui.charts.sheet import Sheet, within
from lnexplorer.gui.kit import CENTRE, RIGHT, mixed, translate_message
from lnexplorer.gui.timeline.frame import draw_padlock, legible_on
from lnexplorer.lecture.formulas import STAGE1, draw_formulas, draw_sign, sign_width
from lnkernels.values import Words, frozen, say

_FORMULA_SHARE = 0.17  # of the height, above lines
_TABLE_FORMULA_SHARE = 0.34
_GAP = 1.2  # units between two tables
_TALLEST = 2.7  # units a line
_WIDEST = 4.2  # units a cell
_HEADING = 1.7  # units
_GUTTER = 1.2  # units for each arrow's way
_LABEL_SHARE = 0.36
_LEAST_LABEL = 11.8  # units
_RULE = 0.1  # units
_SPACE = 0.7  # units between two groups
_HALVES = 2  # dw and db


@frozen
class NumberLine:
    """A line: a label, a note and numbers, the first half of dw, the second half of db."""

    label: Words
    note: Words
    cells: tuple[str, ...]
    fill: QColor
    frame: QColor | None = None
    padlock: QColor | None = None
    closed: bool = False
    sign: str = ""  # in the place of the padlock, in a written sum
    ruled: bool = False  # a rule above it: it is the sum of the lines above


@frozen
class Arrow:
    """An arrow from one line to another; dotted for a row that waits."""

    start: int
    end: int
    colour: QColor
    way: int  # its place among the arrows side by side
    dotted: bool = False


def _draw_numbers(
    sheet: Sheet,
    area: QRectF,
    numbers: Sequence[str],
    fill: QColor,
    units: float,
    frame: QColor | None = None,
) -> None:
    """Draw numbers in a box, in columns of the same width."""
    sheet.box(area, fill, frame, 0.16)
    width = area.width() / len(numbers)
    for column, number in enumerate(numbers):
        cell = within(area, column * width, width=width)
        sheet.write(cell, number, units, legible_on(fill), CENTRE)


def _draw_lines(
    sheet: Sheet,
    area: QRectF,
    groups: list[list[NumberLine]],
    arrows: list[Arrow],
    ways: int,
    at_least: int,
) -> None:
    """Draw groups of lines, dw and db above the halves of their cells, and arrows to the left.

    Args:
        sheet: the page.
        area: where.
        groups: lines that belong together.
        arrows: between lines, which are counted over all groups.
        ways: arrows that may stand side by side.
        at_least: so many lines have room, so that lines are equally high on all pages.
    """
    unit, lines = sheet.unit, [line for group in groups for line in group]
    gutter = ways * _GUTTER * unit
    heading, spaces = 1.5 * unit, (len(groups) - 1) * _SPACE * unit
    pitch = min((area.height() - heading - spaces) / max(len(lines), at_least), 2.6 * unit)
    height = pitch - 0.18 * unit
    firsts = [number for number, group in enumerate(groups) for _ in group]
    tops = [heading + place * pitch + first * _SPACE * unit for place, first in enumerate(firsts)]
    begin = max(_LABEL_SHARE * area.width(), gutter + _LEAST_LABEL * unit)
    gap = 0.6 * unit
    half = (area.width() - begin - gap) / _HALVES
    for place, name in enumerate(("dw", "db")):
        head = within(area, begin + place * (half + gap), 0.0, half, 1.4 * unit)
        draw_sign(sheet, head, f"{name} row", before=f"{name}:")
    for line, top in zip(lines, tops, strict=True):
        row = within(area, top=top, height=height)
        if line.ruled:
            y = row.top() - _RULE * unit
            sheet.rule(row.adjusted(gutter, 0, 0, 0), y, sheet.palette.text, _RULE)
        size, words = min(1.5 * unit, height), gutter
        if line.sign or line.padlock is not None:
            words += size + 0.4 * unit
        if line.sign:
            sign = within(row, gutter, width=size)
            sheet.write(sign, line.sign, sheet.body, align=CENTRE, bold=True)
        if line.padlock is not None:
            lock = within(row, gutter, (height - size) / 2, size, size)
            draw_padlock(sheet.painter, lock, line.closed, line.padlock, sheet.palette.muted)
        beside = within(row, words, width=begin - 0.3 * unit - words)
        label = sheet.write(beside, line.label, sheet.small, bold=True)
        note = within(beside, label.right() + 0.7 * unit - beside.left())
        sheet.label(note, line.note)
        columns = len(line.cells) // _HALVES
        units = max(min(0.62 * pitch / unit, 1.5, half / columns / (3.2 * unit)), sheet.small)
        for side in range(_HALVES):
            box = within(row, begin + side * (half + gap), width=half)
            cells = line.cells[side * columns : (side + 1) * columns]
            _draw_numbers(sheet, box, cells, line.fill, units, line.frame)
    middles = [area.top() + top + height / 2 for top in tops]
    for arrow in arrows:
        x = area.left() + (arrow.way + 0.25) * _GUTTER * unit
        right = area.left() + gutter - 0.25 * unit
        _draw_arrow(sheet, arrow, x, right, middles[arrow.start], middles[arrow.end])


def _draw_arrow(
    sheet: Sheet, arrow: Arrow, x: float, right: float, start: float, end: float
) -> None:
    unit, painter = sheet.unit, sheet.painter
    bend = 0.5 * unit if end > start else -0.5 * unit
    path = QPainterPath(QPointF(right, start))
    path.lineTo(x + abs(bend), start)
    path.quadTo(QPointF(x, start), QPointF(x, start + bend))
    path.lineTo(x, end - bend)
    path.quadTo(QPointF(x, end), QPointF(x + abs(bend), end))
    path.lineTo(right, end)
    style = Qt.PenStyle.DotLine if arrow.dotted else Qt.PenStyle.SolidLine
    painter.setPen(
        QPen(arrow.colour, 0.2 * unit, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    )
    painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(arrow.colour)
    back = QPointF(right - 0.55 * unit, end)
    painter.drawPolygon(
        [
            QPointF(right + 0.1 * unit, end),
            back - QPointF(0, 0.4 * unit),
            back + QPointF(0, 0.4 * unit),
        ]
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _numbers(dw: np.ndarray, db: np.ndarray) -> tuple[str, ...]:
    return tuple(plain(float(value)) for value in (*dw, *db))


_MARKED = {
    BeatKind.START: ("dx",),
    BeatKind.WAITS: ("dw row", "db row"),
    BeatKind.END: ("dw", "db"),
}


def draw_event(sheet: Sheet, room: QRectF, scene: SceneEvent) -> None:  # noqa: PLR0915 - a picture
    """Draw the moment of an event: rows, buffers and results, with arrows between them."""
    example, beat, palette = scene.example, scene.beat, sheet.palette
    timeline, sums, partial = example.timeline, example.sums, example.partial_rows
    below = draw_formulas(sheet, room, STAGE1, _MARKED.get(beat.kind, ("rows",)), _FORMULA_SHARE)
    now = moment(timeline, beat.time_ns)
    names = {
        RowState.COMPUTING: say("computes"),
        RowState.QUEUED: say("queued"),
        RowState.TRYING: say("trying"),
        RowState.HOLDING: say("holds lock"),
        RowState.DONE: say("done"),
    }

    def pale(colour: QColor) -> QColor:
        return mixed(palette.background, colour, 0.42)

    rows = []
    for row, state in enumerate(map(RowState, now.state)):
        colour = palette.lock(int(timeline.lock[row]))
        cells = _numbers(partial.dw[row], partial.db[row])
        fills = {RowState.HOLDING: colour, RowState.DONE: pale(colour)}
        line = NumberLine(
            say("row {row}", row=row),
            names.get(state, ""),
            cells if state >= RowState.QUEUED else ("…",) * len(cells),
            fills.get(state, palette.cell),
            palette.text if state in (RowState.QUEUED, RowState.TRYING) else None,
        )
        rows.append(line)
    groups: list[list[NumberLine]] = [rows, []]
    nothing = ("",) * (2 * timeline.n)
    places = []  # of each buffer's line, among all lines
    joins = -1  # the line at which a row joins a sum
    for lock, count in enumerate(now.counts(atomic=True)):
        colour, held = palette.lock(lock), bool(now.holder[lock] >= 0)
        name, cells, fill = say("buffer {lock}", lock=lock), nothing, palette.cell
        # The rows that have stored into it, or are about to.
        there = np.flatnonzero((timeline.lock == lock) & (timeline.held_ns <= beat.time_ns))
        if there.size:
            stored = there[timeline.held_ns[there].argmax()]
            cells, fill = _numbers(sums.dw_after[stored], sums.db_after[stored]), pale(colour)
        line = NumberLine(
            name,
            say("count {count}", count=count),
            cells,
            fill,
            colour if held else None,
            padlock=colour,
            closed=held,
        )
        if beat.kind is BeatKind.ADDS and beat.lock == lock:
            # The buffer as the program loaded it, and the row that it adds.
            loaded, (row,) = sums.previous[stored], beat.rows
            before = _numbers(sums.dw_after[loaded], sums.db_after[loaded])
            joins = sum(map(len, groups)) + 1
            summands = [
                NumberLine(name, say("loaded"), before, pale(colour), sign=" "),
                replace(rows[row], note="", fill=colour, sign="+"),
            ]
            groups += [[*summands, replace(line, ruled=True)], []]
        else:
            groups[-1].append(line)
        places.append(sum(map(len, groups)) - 1)
    groups = [group for group in groups if group]
    if joins < 0:
        cells, fill = nothing, palette.cell
        if beat.kind is BeatKind.TILES:
            cells = ("…",) * len(nothing)
        elif beat.kind is BeatKind.END:
            cells = _numbers(sums.dw, sums.db)
            fill = mixed(palette.background, palette.good, 0.6)
        groups.append([NumberLine(say("dw and db"), "", cells, fill)])
    arrows = []
    for row, state in enumerate(now.state):
        lock = int(timeline.lock[row])
        if state in (RowState.QUEUED, RowState.TRYING, RowState.HOLDING):
            waiting = state != RowState.HOLDING
            end = joins if joins >= 0 and row in beat.rows else places[lock]
            colour = palette.text if waiting else palette.lock(lock)
            arrows.append(Arrow(row, end, colour, 2 * lock + waiting, dotted=waiting))
    if beat.kind in (BeatKind.TILES, BeatKind.END):
        arrows = [
            Arrow(place, places[-1] + 1, palette.lock(lock), lock)
            for lock, place in enumerate(places)
        ]
    _draw_lines(
        sheet, below, groups, arrows, ways=2 * len(places), at_least=len(rows) + len(places) + 2
    )


_MOVE_SHARES = (0.48, 0.74, 1.0)  # right ends of words, registers, buffer; of the width
_MOST_MOVES = 5  # so many lines have room


def draw_moves(sheet: Sheet, room: QRectF, scene: Moves) -> None:
    """Draw a line for each move: its program, the registers, the buffer.

    If there are more than have room, the latest are shown. Below the very last move stands what the
    buffer should hold.
    """
    unit, palette = sheet.unit, sheet.palette
    through = scene.through and scene.shown == len(scene.moves)
    skipped = max(scene.shown - _MOST_MOVES, 0)
    height = min(room.height() / (_MOST_MOVES + 2), 3.4 * unit)
    edges = [share * room.width() for share in (0.0, *_MOVE_SHARES)]
    gap = 0.8 * unit

    def line(place: int, column: int) -> QRectF:
        left, right = edges[column : column + 2]
        width = right - left - (gap if column < 2 else 0)
        return within(room, left, place * height, width, height - 0.35 * unit)

    def cells(
        area: QRectF, values: tuple[float, ...], fills: list[QColor], signs: str = ""
    ) -> None:
        width = area.width() / len(values)
        for column, (value, fill) in enumerate(zip(values, fills, strict=True)):
            cell = within(area, column * width, width=width - 0.15 * unit)
            text = "" if math.isnan(value) else plain(value)
            if signs:  # for eyes and prints that do not tell the colours apart
                text += signs[column]
            _draw_numbers(sheet, cell, [text], fill, 1.2 if signs else 1.5)

    said = [
        f"{place}  {translate_message(move.text)}"
        for place, move in enumerate(scene.moves, start=1)
    ][skipped:]
    size = sheet.fitting(line(1, 0).adjusted(unit, 0, 0, 0), said)
    for column, words in (
        (1, say("in its registers")),
        (2, scene.heading),
    ):
        sheet.write(line(0, column), words, sheet.body, palette.muted, CENTRE)
    first = min((move.program for move in scene.moves), default=0)
    for place, move in enumerate(scene.moves[skipped : scene.shown], start=1):
        # The rows of the example share one buffer, but each has its own colour here.
        colour = palette.lock(int(move.program > first))
        text = line(place, 0)
        sheet.box(within(text, width=0.35 * unit), colour)
        sheet.write(text.adjusted(unit, 0, 0, 0), said[place - 1], size)
        cells(line(place, 1), move.own, [mixed(palette.background, colour, 0.42)] * len(move.own))
        fills, signs = [palette.cell] * len(move.buffer), ""
        if through and place == scene.shown - skipped:
            signs = "".join(
                "✓" if value == right else "✗"
                for value, right in zip(move.buffer, scene.right, strict=True)
            )
            fills = [palette.good if sign == "✓" else QColor(palette.theme.bad) for sign in signs]
        cells(line(place, 2), move.buffer, fills, signs)
    if through:
        below, words = line(_MOST_MOVES + 1, 1), say("what it should hold")
        sheet.write(below, words, sheet.body, palette.muted, RIGHT)
        cells(line(_MOST_MOVES + 1, 2), scene.right, [palette.cell] * len(scene.right))


def draw_tables(sheet: Sheet, room: QRectF, scene: Tables) -> None:
    """Draw formulas with the current one marked, and tables below, as large as has room."""
    area = draw_formulas(sheet, room, scene.formulas, scene.marked, _TABLE_FORMULA_SHARE)
    unit, units, tables = sheet.unit, 1.5, scene.tables
    texts = [
        [[plain(float(value)) for value in line] for line in values] for _, values, _ in tables
    ]
    columns = [values.shape[1] for _, values, _ in tables]
    lines = max(map(len, texts))
    names = [say("row {row}", row=row) for row in range(lines)]
    label = sheet.width_of(names[0], sheet.small) + 0.8 * unit
    free = area.width() - label - _GAP * unit * (len(tables) - 1)

    def widths(units: float) -> list[float]:
        """Return the width of a cell of each table."""
        longest = [
            max(sheet.width_of(text, units) for line in table for text in line) + 0.7 * unit
            for table in texts
        ]
        signs = [
            (sign_width(sheet, name) + 0.2 * unit) / count
            for (name, _, _), count in zip(tables, columns, strict=True)
        ]
        return [max(pair) for pair in zip(longest, signs, (1.6 * unit,) * len(tables), strict=True)]

    while np.dot(widths(units), columns) > free and units > sheet.small:
        units = max(units * 0.95, sheet.small)
    spare = (free - float(np.dot(widths(units), columns))) / sum(columns)
    heading = _HEADING * unit
    height = min((area.height() - heading) / lines, _TALLEST * unit)
    area = within(area, top=heading + max((area.height() - heading - lines * height) / 3, 0))
    for row, text in enumerate(names):
        box = within(area, 0.0, row * height, label - 0.5 * unit, height)
        sheet.label(box, text, RIGHT)
    x = label
    for (name, _, now), table, least in zip(tables, texts, widths(units), strict=True):
        width = len(table[0]) * min(least + spare, max(_WIDEST * unit, least))
        head = within(area, x, -heading - 0.15 * unit, width, heading)
        draw_sign(sheet, head, name, marked=now)
        fill = sheet.palette.cell
        if now:
            fill = mixed(sheet.palette.background, sheet.palette.accent, 0.24)
        for row, numbers in enumerate(table):
            box = within(area, x, row * height, width, height - 0.18 * unit)
            _draw_numbers(sheet, box, numbers, fill, units)
        x += width + _GAP * unit
