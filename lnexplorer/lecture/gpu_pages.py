"""Pages about the GPU: columns that were wrong, programs and memories, the roofline, blocks of a
matrix product.
"""

from itertools import pairwise

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPen

from lnexplorer.domain.experiments.barrier import BarrierSide
from lnexplorer.domain.lecture.scenes import Memories, Product
from lnexplorer.gui.charts.sheet import CENTRE, LEFT, RIGHT, Sheet
from lnexplorer.gui.kit.theme import RESULT_COLOURS, mixed
from lnexplorer.gui.timeline.colours import legible_on
from lnkernels.values.sentence import Sentence, say

_COLUMN_TICKS = 4  # stretches of the axis
_LABEL = 4.2  # units beside a picture


def draw_columns(sheet: Sheet, room: QRectF, scene: BarrierSide) -> None:
    """Draw for each column of dw, and below it of db, in how many runs it was wrong."""
    unit, palette, painter = sheet.unit, sheet.palette, sheet.painter
    counts = {"dw": scene.wrong_dw, "db": scene.wrong_db}
    most = max(int(values.max(initial=0)) for values in counts.values()) or 1
    height = (room.height() - 3.4 * unit) / len(counts)
    plot = room.adjusted(_LABEL * unit, 0, -0.5 * unit, 0)
    n = scene.wrong_dw.size
    for place, (name, values) in enumerate(counts.items()):
        area = QRectF(
            plot.left(), room.top() + place * height + 0.8 * unit, plot.width(), height - 1.2 * unit
        )
        colour = QColor(RESULT_COLOURS[name])
        painter.setPen(QPen(palette.line, 0.06 * unit))
        for count in (0, most):
            y = area.bottom() - count / most * area.height()
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            label = QRectF(room.left(), y - 0.7 * unit, (_LABEL - 0.4) * unit, 1.4 * unit)
            sheet.write(label, str(count), sheet.small, palette.muted, RIGHT)
        middle = QRectF(room.left(), area.center().y() - unit, (_LABEL - 0.4) * unit, 2 * unit)
        sheet.write(middle, name, sheet.large, palette.text, RIGHT, bold=True)
        steps = (
            np.flatnonzero(np.diff(values)) + 1
        )  # neighbours are often alike: one box for all of them
        for begin, end in pairwise([0, *steps.tolist(), n]):
            if values[begin]:
                left, right = (area.left() + edge / n * area.width() for edge in (begin, end))
                top = area.bottom() - values[begin] / most * area.height()
                painter.fillRect(QRectF(left, top, right - left, area.bottom() - top), colour)
    for tick in range(_COLUMN_TICKS + 1):
        x = plot.left() + tick / _COLUMN_TICKS * plot.width()
        label = QRectF(x - 2 * unit, room.bottom() - 2.8 * unit, 4 * unit, 1.3 * unit)
        label.moveRight(min(label.right(), room.right()))
        sheet.write(label, f"{tick * n // _COLUMN_TICKS:,}", sheet.small, palette.muted, CENTRE)
    below = QRectF(plot.left(), room.bottom() - 1.4 * unit, plot.width(), 1.4 * unit)
    sheet.write(below, say("column"), sheet.small, palette.muted, CENTRE)


def draw_memories(sheet: Sheet, room: QRectF, scene: Memories) -> None:
    """Draw kinds of memory above each other, the nearer the narrower, with what each holds."""
    unit, palette, memories = sheet.unit, sheet.palette, scene.memories
    height, label = room.height() / len(memories), 0.22 * room.width()
    names = [memory.title for memory in memories]
    name_size = sheet.fitting(
        QRectF(0, 0, label, (height - 0.5 * unit) / 2), names, sheet.body, bold=True
    )
    chips: list[tuple[QRectF, Sentence, QColor]] = []
    for place, (name, memory) in enumerate(zip(names, memories, strict=True)):
        line = QRectF(room.left(), room.top() + place * height, room.width(), height - 0.5 * unit)
        title = QRectF(line.left(), line.top(), label, line.height() / 2)
        sheet.write(title, name, name_size, palette.text, LEFT, bold=True)
        below = title.translated(0, line.height() / 2)
        sheet.write(below, memory.size, sheet.small, palette.muted, LEFT)
        share = 0.7 + 0.3 * place / (len(memories) - 1)
        box = QRectF(
            line.left() + label + unit,
            line.top(),
            (line.width() - label - unit) * share,
            line.height(),
        )
        sheet.box(box, palette.cell)
        inner = box.adjusted(0.5 * unit, 0.4 * unit, -0.5 * unit, -0.4 * unit)
        width = (inner.width() - 0.5 * unit * (len(memory.holds) - 1)) / len(memory.holds)
        for column, (text, of_lock) in enumerate(memory.holds):
            chip = QRectF(
                inner.left() + column * (width + 0.5 * unit), inner.top(), width, inner.height()
            )
            fill = palette.lock(0) if of_lock else mixed(palette.cell, palette.muted, 0.25)
            sheet.box(chip, fill)
            chips.append((chip.adjusted(0.3 * unit, 0, -0.3 * unit, 0), text, fill))
    size = min(sheet.fitting(chip, [words], sheet.body) for chip, words, _ in chips)
    for chip, words, fill in chips:
        sheet.write(chip, words, size, legible_on(fill), CENTRE)


def draw_product(sheet: Sheet, room: QRectF, scene: Product) -> None:
    """Draw A · B = C: the first blocks of C with their numbers, and what they load of A and B."""
    unit, palette = sheet.unit, sheet.palette
    done = scene.order[: scene.first].tolist()
    rows, columns = {row for row, _ in done}, {column for _, column in done}
    side = min((room.width() - 8 * unit) / 3, room.height() - 3.6 * unit)
    gap = (room.width() - 3 * side) / 2
    numbers = {(row, column): str(place) for place, (row, column) in enumerate(done)}
    loaded = (len(rows), len(columns))
    for place, (name, sign) in enumerate((("A", "·"), ("B", "="), ("C", ""))):
        square = QRectF(room.left() + place * (side + gap), room.top() + 2 * unit, side, side)
        sheet.write(
            QRectF(square.left(), room.top(), side, 1.9 * unit),
            name,
            1.5,
            palette.text,
            CENTRE,
            bold=True,
        )
        if sign:
            sheet.write(
                QRectF(square.right(), square.top(), gap, side), sign, 2.4, palette.text, CENTRE
            )
        fill = palette.lock(place) if place < 2 else palette.good
        cell = side / scene.blocks
        for row in range(scene.blocks):
            for column in range(scene.blocks):
                area = QRectF(
                    square.left() + column * cell,
                    square.top() + row * cell,
                    0.92 * cell,
                    0.92 * cell,
                )
                used = (row in rows, column in columns, (row, column) in numbers)[place]
                sheet.painter.fillRect(area, fill if used else palette.cell)
                if place == 2 and used and cell >= 1.2 * unit:
                    sheet.write(area, numbers[row, column], sheet.small, legible_on(fill), CENTRE)
        words = say("{count} blocks done", count=len(done))
        if place < 2:
            words = say("{count} blocks loaded", count=scene.blocks * loaded[place])
        sheet.write(
            QRectF(square.left(), square.bottom(), side, 1.6 * unit),
            words,
            sheet.small,
            palette.muted,
            CENTRE,
        )
