"""An event of the example: rows above, the buffers with their locks and counts below, dw and db at the bottom."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF

from lnexplorer.domain.lecture.beats import Beat, BeatKind
from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.lecture.standing import Standing, standing
from lnexplorer.domain.moments import RowState
from lnexplorer.gui.lecture.formulas import STAGE1, draw_formulas
from lnexplorer.gui.lecture.lines import Arrow, Line, Lines
from lnexplorer.gui.lecture.sheet import Sheet
from lnexplorer.gui.lecture.words import plain
from lnexplorer.gui.reduction.painter.colours import mixed

translate = QCoreApplication.translate

_MARKED = {
    BeatKind.START: ("dx",),
    BeatKind.FINDS_FREE: ("dw row", "db row"),
    BeatKind.WAITS: ("dw row", "db row"),
    BeatKind.TILES: ("rows",),
    BeatKind.END: ("dw", "db"),
}
_FORMULA_SHARE = 0.17


def draw_beat_page(sheet: Sheet, room: QRectF, example: Example, beat: Beat, progress: float) -> None:
    """Draw the moment of an event.

    Args:
        sheet: the page.
        room: where.
        example: the numbers.
        beat: the event.
        progress: of the movement that belongs to it, 0 to 1.
    """
    formulas = QRectF(room.left(), room.top(), room.width(), _FORMULA_SHARE * room.height())
    draw_formulas(sheet, formulas, STAGE1, _MARKED.get(beat.kind, ("rows",)))
    below = QRectF(room.left(), formulas.bottom(), room.width(), room.height() - formulas.height())
    now = standing(example.timeline, beat)
    rows = [_row(sheet, example, now, row) for row in range(example.timeline.m)]
    groups, places = [rows], []  # of each buffer's line, among all lines
    joins = -1  # the line at which a row joins a sum
    last: list[Line] = []
    for lock in range(len(now.holders)):
        line = _buffer(sheet, example, now, lock, arrived=progress >= 1 or beat.lock != lock)
        if beat.kind is BeatKind.ADDS and beat.lock == lock:
            groups += [last] if last else []
            joins = sum(map(len, groups)) + 1
            places.append(joins + 1)
            groups.append([*_summands(sheet, example, beat, now, arrived=progress >= 1), replace(line, ruled=True)])
            last = []
        else:
            places.append(sum(map(len, groups)) + len(last))
            last.append(line)
    groups += [last] if last else []
    if joins < 0:
        groups.append([_result(sheet, example, beat.kind is BeatKind.END)])
    arrows = []
    for row, state in enumerate(now.states):
        lock = int(example.timeline.lock[row])
        if state in (RowState.WAITING, RowState.HOLDING):
            moving = beat.kind in (BeatKind.STORES, BeatKind.ADDS) and beat.row == row
            colour = sheet.palette.lock(lock) if state is RowState.HOLDING else sheet.palette.text
            waits, end = state is RowState.WAITING, joins if moving and joins >= 0 else places[lock]
            arrows.append(Arrow(row, end, colour, lock * 2 + waits, dotted=waits, travelled=progress if moving else 1.0))
    if beat.kind in (BeatKind.TILES, BeatKind.END):
        arrows = [Arrow(place, places[-1] + 1, sheet.palette.lock(lock), lock) for lock, place in enumerate(places)]
    Lines(sheet, below, groups, ways=2 * len(places), at_least=len(rows) + len(places) + 2).draw(("dw", "db"), arrows)


def _numbers(dw: np.ndarray, db: np.ndarray) -> tuple[str, ...]:
    return tuple(plain(float(value)) for value in (*dw, *db))


def _row(sheet: Sheet, example: Example, now: Standing, row: int) -> Line:
    palette, state = sheet.palette, now.states[row]
    colour = palette.lock(int(example.timeline.lock[row]))
    cells = _numbers(example.partial_rows.dw[row], example.partial_rows.db[row])
    fill = {
        RowState.HOLDING: colour,
        RowState.DONE: mixed(palette.background, colour, 0.42),
    }.get(state, palette.cell)
    if state < RowState.WAITING:
        cells = ("…",) * len(cells)
    return Line(
        translate("lecture", "row {0}").format(row),
        _state(state),
        cells,
        fill,
        palette.text if state is RowState.WAITING else None,
    )


def _state(state: RowState) -> str:
    match state:
        case RowState.COMPUTING:
            return translate("lecture", "computes")
        case RowState.WAITING:
            return translate("lecture", "wants lock")
        case RowState.HOLDING:
            return translate("lecture", "holds lock")
        case RowState.DONE:
            return translate("lecture", "done")
    return ""


def _summands(sheet: Sheet, example: Example, beat: Beat, now: Standing, *, arrived: bool) -> list[Line]:
    """What the program has loaded, and below it the row that it adds, once that has arrived."""
    colour = sheet.palette.lock(beat.lock)
    before = _numbers(example.sums.dw_after[now.loaded], example.sums.db_after[now.loaded])
    own = _numbers(example.partial_rows.dw[beat.row], example.partial_rows.db[beat.row])
    name, row = translate("lecture", "buffer {0}").format(beat.lock), translate("lecture", "row {0}").format(beat.row)
    return [
        Line(name, translate("lecture", "loaded"), before, mixed(sheet.palette.background, colour, 0.42), sign=" "),
        Line(row, "", own if arrived else ("",) * len(own), colour if arrived else sheet.palette.cell, sign="+"),
    ]


def _buffer(sheet: Sheet, example: Example, now: Standing, lock: int, *, arrived: bool) -> Line:
    """A buffer with its lock and count; what the row of this event stores is in it once it has arrived."""
    palette, stored = sheet.palette, now.stored[lock]
    colour, held = palette.lock(lock), now.holders[lock] >= 0
    filled = stored >= 0 and (arrived or not held)
    cells = ("",) * (2 * example.timeline.n)
    if filled:
        cells = _numbers(example.sums.dw_after[stored], example.sums.db_after[stored])
    return Line(
        translate("lecture", "buffer {0}").format(lock),
        translate("lecture", "count {0}").format(now.counts[lock]),
        cells,
        mixed(palette.background, colour, 0.42) if filled else palette.cell,
        colour if held else None,
        padlock=colour,
        closed=held,
    )


def _result(sheet: Sheet, example: Example, done: bool) -> Line:
    cells = _numbers(example.sums.dw, example.sums.db) if done else ("",) * (2 * example.timeline.n)
    fill = mixed(sheet.palette.background, sheet.palette.good, 0.6) if done else sheet.palette.cell
    return Line(translate("lecture", "dw and db"), "", cells, fill)
