"""The example without locks: each program adds its rows to sums of its own."""

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF

from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.lecture.registers import strides
from lnexplorer.domain.lecture.storyboard import PROGRAMS
from lnexplorer.gui.lecture.formulas import STAGE1, draw_formulas
from lnexplorer.gui.lecture.lines import Arrow, Line, Lines
from lnexplorer.gui.lecture.sheet import Sheet
from lnexplorer.gui.lecture.words import plain
from lnexplorer.gui.reduction.painter.colours import mixed

translate = QCoreApplication.translate
_FORMULA_SHARE = 0.17


def draw_stride_page(sheet: Sheet, room: QRectF, example: Example, round_: int, progress: float) -> None:
    """Draw a round.

    Args:
        sheet: the page.
        room: where.
        example: the numbers.
        round_: 0 before the first row, then a round each; then the programs store their sums, then stage 2.
        progress: of the round's movement, 0 to 1.
    """
    formulas = QRectF(room.left(), room.top(), room.width(), _FORMULA_SHARE * room.height())
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
        cells = _numbers(example.partial_rows.dw[row], example.partial_rows.db[row])
        note = translate("lecture", "added") if row in taken else ""
        rows.append(Line(translate("lecture", "row {0}").format(row), note, cells, fill))
    programs = []
    for program in range(PROGRAMS):
        colour = palette.lock(program)
        cells = _numbers(last.dw[program], last.db[program]) if last is not None else ("0",) * (2 * n)
        note = translate("lecture", "stored") if stored else translate("lecture", "registers")
        fill = mixed(palette.background, colour, 0.42) if round_ else palette.cell
        programs.append(Line(translate("lecture", "program {0}").format(program), note, cells, fill, None if stored else colour))
    cells = _numbers(example.sums.dw, example.sums.db) if done else ("",) * (2 * n)
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


def _numbers(dw: np.ndarray, db: np.ndarray) -> tuple[str, ...]:
    return tuple(plain(float(value)) for value in (*dw, *db))
