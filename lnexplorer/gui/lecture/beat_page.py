"""An event of the example: rows above, the buffers with their locks and counts below, dw and db at the bottom."""

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF

from lnexplorer.domain.lecture.beats import Beat, BeatKind
from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.moments import Moment, RowState, moment
from lnexplorer.gui.lecture.formulas import STAGE1, draw_formulas
from lnexplorer.gui.lecture.lines import Arrow, Line, Lines
from lnexplorer.gui.lecture.sheet import Sheet
from lnexplorer.gui.lecture.words import plain
from lnexplorer.gui.painter.colours import mixed

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
    now = moment(example.timeline, beat.time_ns)
    m, buffers = example.timeline.m, len(now.holder)
    groups = [
        [_row(sheet, example, now, row) for row in range(m)],
        [_buffer(sheet, example, now, lock) for lock in range(buffers)],
        [_result(sheet, example, beat.kind is BeatKind.END)],
    ]
    arrows = []
    for row in range(m):
        state, lock = RowState(int(now.state[row])), int(example.timeline.lock[row])
        if state in (RowState.WAITING, RowState.HOLDING):
            moving = beat.kind in (BeatKind.STORES, BeatKind.ADDS) and beat.row == row
            colour = sheet.palette.lock(lock) if state is RowState.HOLDING else sheet.palette.text
            waits = state is RowState.WAITING
            arrows.append(Arrow(row, m + lock, colour, lock * 2 + waits, dotted=waits, travelled=progress if moving else 1.0))
    if beat.kind in (BeatKind.TILES, BeatKind.END):
        arrows = [Arrow(m + lock, m + buffers, sheet.palette.lock(lock), lock) for lock in range(buffers)]
    Lines(sheet, below, groups, ways=2 * buffers).draw(("dw", "db"), arrows)


def _numbers(dw: np.ndarray, db: np.ndarray) -> tuple[str, ...]:
    return tuple(plain(float(value)) for value in (*dw, *db))


def _row(sheet: Sheet, example: Example, now: Moment, row: int) -> Line:
    palette, state = sheet.palette, RowState(int(now.state[row]))
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


def _buffer(sheet: Sheet, example: Example, now: Moment, lock: int) -> Line:
    palette, added = sheet.palette, int(now.added[lock])
    colour, held = palette.lock(lock), int(now.holder[lock]) >= 0
    cells = ("",) * (2 * example.timeline.n)
    if added:
        last = int(np.flatnonzero((example.timeline.lock == lock) & (example.timeline.order == added - 1))[0])
        cells = _numbers(example.sums.dw_after[last], example.sums.db_after[last])
    return Line(
        translate("lecture", "buffer {0}").format(lock),
        translate("lecture", "count {0}").format(added),
        cells,
        mixed(palette.background, colour, 0.42) if added else palette.cell,
        colour if held else None,
        padlock=colour,
        closed=held,
    )


def _result(sheet: Sheet, example: Example, done: bool) -> Line:
    cells = _numbers(example.sums.dw, example.sums.db) if done else ("",) * (2 * example.timeline.n)
    fill = mixed(sheet.palette.background, sheet.palette.good, 0.6) if done else sheet.palette.cell
    return Line(translate("lecture", "dw and db"), "", cells, fill)
