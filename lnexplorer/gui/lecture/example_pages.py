"""The worked example: an event with its locks and buffers, its numbers in tables, and the same without locks."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF

from lnexplorer.domain.lecture.example import Beat, BeatKind, Example, Standing, standing, strides
from lnexplorer.domain.lecture.storyboard import PROGRAMS
from lnexplorer.domain.moments import RowState
from lnexplorer.gui.lecture.formulas import DX, STAGE1, STATISTICS, SUMS, draw_formulas, draw_sign, sign_width
from lnexplorer.gui.lecture.lines import Arrow, Line, Lines
from lnexplorer.gui.lecture.sheet import CENTRE, RIGHT, Sheet
from lnexplorer.gui.lecture.words import plain
from lnexplorer.gui.reduction.painter.colours import legible_on, mixed

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


_GAP = 1.2  # units between two tables
_TALLEST = 2.7  # units a line
_WIDEST = 4.2  # units a cell
_FORMULAS = {
    "inputs": (STATISTICS, ()),
    "mean": (STATISTICS, ("mean",)),
    "rstd": (STATISTICS, ("rstd",)),
    "xhat": (STATISTICS, ("xhat",)),
    "c": (DX, ("c1", "c2")),
    "dx": (DX, ("dx",)),
    "partials": (SUMS, ("rows",)),
}


def draw_table_page(sheet: Sheet, room: QRectF, example: Example, upto: str) -> None:
    """Formulas above, with the current one marked, and tables below."""
    formulas, marked = _FORMULAS[upto]
    height = 0.24 * room.height()
    draw_formulas(sheet, QRectF(room.left(), room.top(), room.width(), height), formulas, marked)
    below = QRectF(room.left(), room.top() + height, room.width(), room.height() - height)
    _draw_tables(sheet, below, _tables(example, upto), example.timeline.lock.tolist())


_Table = tuple[str, np.ndarray, bool]  # name in SIGNS, values [rows, columns], whether it is what the step is about


def _tables(example: Example, upto: str) -> list[_Table]:
    x, dy = ("x", example.x, False), ("dy", example.dy, False)
    mean, rstd = ("mean", example.mean[:, None], upto == "mean"), ("rstd", example.rstd[:, None], upto == "rstd")
    xhat = ("xhat", example.xhat, upto == "xhat")
    c1, c2 = ("c1", example.c1[:, None], upto == "c"), ("c2", example.c2[:, None], upto == "c")
    wdy = ("wdy", example.weight * example.dy, False)
    tables: dict[str, list[_Table]] = {
        "inputs": [("x", example.x, True), ("dy", example.dy, True), ("w", example.weight[None, :], True)],
        "mean": [x, mean],
        "rstd": [x, mean, rstd],
        "xhat": [x, mean, rstd, xhat],
        "c": [xhat, wdy, c1, c2],
        "dx": [wdy, xhat, c1, c2, rstd, ("dx", example.dx, True)],
        "partials": [dy, xhat, ("dw row", example.partial_rows.dw, True), ("db row", example.partial_rows.db, True)],
    }
    return tables[upto]


def _cell_widths(sheet: Sheet, tables: list[_Table], units: float) -> list[float]:
    return [
        max(
            max(sheet.width_of(plain(float(value)), units) for value in values.flat) + 0.7 * sheet.unit,
            (sign_width(sheet, name) + 0.2 * sheet.unit) / values.shape[1],
            1.6 * sheet.unit,
        )
        for name, values, _ in tables
    ]


def _draw_tables(sheet: Sheet, room: QRectF, tables: list[_Table], locks: list[int]) -> None:
    unit, units = sheet.unit, 1.5
    label = sheet.width_of(QCoreApplication.translate("lecture", "row {0}").format(0), sheet.small) + 0.8 * unit
    while True:
        cells = _cell_widths(sheet, tables, units)
        total = label + sum(width * table[1].shape[1] for width, table in zip(cells, tables, strict=True))
        total += _GAP * unit * (len(tables) - 1)
        if total <= room.width() or (units <= sheet.small and len(tables) <= 2):
            break
        if units > sheet.small:
            units = max(units * 0.95, sheet.small)
        else:
            tables, units = tables[1:], 1.5  # the earliest is the best known
    spare = (room.width() - total) / sum(table[1].shape[1] for table in tables)
    cells = [min(width + spare, max(_WIDEST * unit, width)) for width in cells]
    total = label + sum(width * table[1].shape[1] for width, table in zip(cells, tables, strict=True))
    total += _GAP * unit * (len(tables) - 1)
    lines = len(locks)
    heading = 1.7 * unit
    height = min((room.height() - heading) / lines, _TALLEST * unit)
    top = room.top() + heading + max((room.height() - heading - lines * height) / 3, 0)
    x = room.left() + (room.width() - total) / 2
    for row in range(lines):
        text = QCoreApplication.translate("lecture", "row {0}").format(row)
        sheet.write(QRectF(x, top + row * height, label - 0.5 * unit, height), text, sheet.small, sheet.palette.muted, RIGHT)
    x += label
    for (name, values, now), width in zip(tables, cells, strict=True):
        _draw_table(
            sheet, QRectF(x, top - heading, width * values.shape[1], heading + height * len(values)), name, values, now, units
        )
        x += width * values.shape[1] + _GAP * unit


def _draw_table(sheet: Sheet, area: QRectF, name: str, values: np.ndarray, now: bool, units: float) -> None:
    unit, palette = sheet.unit, sheet.palette
    heading = 1.7 * unit
    draw_sign(sheet, QRectF(area.left(), area.top() - 0.15 * unit, area.width(), heading), name, marked=now)
    height, width = (area.height() - heading) / len(values), area.width() / values.shape[1]
    fill = mixed(palette.background, palette.accent, 0.24) if now else palette.cell
    for row, line in enumerate(values):
        top = area.top() + heading + row * height
        sheet.box(QRectF(area.left(), top, area.width(), height - 0.18 * unit), fill)
        for column, value in enumerate(line):
            cell = QRectF(area.left() + column * width, top, width, height - 0.18 * unit)
            sheet.write(cell, plain(float(value)), units, legible_on(fill), CENTRE)


_STRIDE_FORMULA_SHARE = 0.17


def draw_stride_page(sheet: Sheet, room: QRectF, example: Example, round_: int, progress: float) -> None:
    """Draw a round.

    Args:
        sheet: the page.
        room: where.
        example: the numbers.
        round_: 0 before the first row, then a round each; then the programs store their sums, then stage 2.
        progress: of the round's movement, 0 to 1.
    """
    formulas = QRectF(room.left(), room.top(), room.width(), _STRIDE_FORMULA_SHARE * room.height())
    rounds = strides(example.partial_rows.dw.astype(float), example.partial_rows.db.astype(float), PROGRAMS)
    summing = 0 < round_ <= len(rounds) or round_ == len(rounds) + 2
    draw_formulas(sheet, formulas, STAGE1, ("rows",) if summing else ())
    below = QRectF(room.left(), formulas.bottom(), room.width(), room.height() - formulas.height())
    palette, m, n = sheet.palette, example.timeline.m, example.timeline.n
    taken = [row for stride in rounds[:round_] for row in stride.rows]
    current = rounds[round_ - 1].rows if 0 < round_ <= len(rounds) else ()
    last = rounds[min(round_, len(rounds)) - 1] if round_ else None
    stored, done = round_ > len(rounds), round_ > len(rounds) + 1
    rows = []
    for row in range(m):
        colour = palette.lock(row % PROGRAMS)
        fill = colour if row in current else mixed(palette.background, colour, 0.42) if row in taken else palette.cell
        cells = _row_numbers(example.partial_rows.dw[row], example.partial_rows.db[row])
        note = translate("lecture", "added") if row in taken else ""
        rows.append(Line(translate("lecture", "row {0}").format(row), note, cells, fill))
    programs = []
    for program in range(PROGRAMS):
        colour = palette.lock(program)
        cells = _row_numbers(last.dw[program], last.db[program]) if last is not None else ("0",) * (2 * n)
        note = translate("lecture", "stored") if stored else translate("lecture", "registers")
        fill = mixed(palette.background, colour, 0.42) if round_ else palette.cell
        programs.append(Line(translate("lecture", "program {0}").format(program), note, cells, fill, None if stored else colour))
    cells = _row_numbers(example.sums.dw, example.sums.db) if done else ("",) * (2 * n)
    fill = mixed(palette.background, palette.good, 0.6) if done else palette.cell
    groups = [rows, programs, [Line(translate("lecture", "dw and db"), "", cells, fill)]]
    arrows = [
        Arrow(row, m + program, palette.lock(program), program, travelled=progress)
        for program, row in enumerate(current)
        if row >= 0
    ]
    if done:
        arrows = [Arrow(m + program, m + PROGRAMS, palette.lock(program), program) for program in range(PROGRAMS)]
    Lines(sheet, below, groups, ways=PROGRAMS).draw(("dw", "db"), arrows)


def _row_numbers(dw: np.ndarray, db: np.ndarray) -> tuple[str, ...]:
    return tuple(plain(float(value)) for value in (*dw, *db))
