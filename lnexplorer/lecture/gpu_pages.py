"""Pages about the GPU: columns that were wrong, programs and memories, the roofline, blocks of a
matrix product.
"""

from itertools import pairwise, product

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPen

from lnexplorer.domain.experiments.barrier import BarrierSide
from lnexplorer.domain.lecture.scenes import Memories, Product
from lnexplorer.gui.charts.sheet import CENTRE, RIGHT, Sheet, within
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
    beside = within(room, width=(_LABEL - 0.4) * unit, height=1.4 * unit)
    for place, (name, values) in enumerate(counts.items()):
        area = within(plot, 0.0, place * height + 0.8 * unit, height=height - 1.2 * unit)
        colour = QColor(RESULT_COLOURS[name])
        painter.setPen(QPen(palette.line, 0.06 * unit))
        for count in (0, most):
            y = area.bottom() - count / most * area.height()
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            label = within(beside, top=y - 0.7 * unit - room.top(), height=1.4 * unit)
            sheet.label(label, str(count), RIGHT)
        middle = within(beside, top=area.center().y() - unit - room.top(), height=2 * unit)
        sheet.write(middle, name, sheet.large, palette.text, RIGHT, bold=True)
        steps = np.flatnonzero(np.diff(values)) + 1  # neighbours are often alike: one box for all
        for begin, end in pairwise([0, *steps.tolist(), n]):
            if values[begin]:
                left, width = (size / n * area.width() for size in (begin, end - begin))
                bar = values[begin] / most * area.height()
                painter.fillRect(within(area, left, area.height() - bar, width), colour)
    axis = within(plot, top=plot.height() - 2.8 * unit, height=1.3 * unit)
    for tick in range(_COLUMN_TICKS + 1):
        at = tick / _COLUMN_TICKS * plot.width() - 2 * unit
        label = within(axis, at, width=4 * unit)
        label.moveRight(min(label.right(), room.right()))
        sheet.label(label, f"{tick * n // _COLUMN_TICKS:,}", CENTRE)
    below = within(plot, top=plot.height() - 1.4 * unit)
    sheet.label(below, say("column"), CENTRE)


def draw_memories(sheet: Sheet, room: QRectF, scene: Memories) -> None:
    """Draw kinds of memory above each other, the nearer the narrower, with what each holds."""
    unit, palette, memories = sheet.unit, sheet.palette, scene.memories
    height, label = room.height() / len(memories), 0.22 * room.width()
    half = (height - 0.5 * unit) / 2
    titles = [memory.title for memory in memories]
    name_size = sheet.fitting(QRectF(0, 0, label, half), titles, bold=True)
    chips: list[tuple[QRectF, Sentence, QColor]] = []
    for place, memory in enumerate(memories):
        line = within(room, top=place * height, height=2 * half)
        title = within(line, width=label, height=half)
        sheet.write(title, memory.title, name_size, bold=True)
        below = title.translated(0, half)
        sheet.label(below, memory.size)
        share = 0.7 + 0.3 * place / (len(memories) - 1)
        box = within(line, label + unit, width=(line.width() - label - unit) * share)
        sheet.box(box, palette.cell)
        inner = box.adjusted(0.5 * unit, 0.4 * unit, -0.5 * unit, -0.4 * unit)
        pitch = (inner.width() + 0.5 * unit) / len(memory.holds)
        for column, text in enumerate(memory.holds):
            chip = within(inner, column * pitch, width=pitch - 0.5 * unit)
            fill = mixed(palette.cell, palette.muted, 0.25)
            if column < memory.of_lock:
                fill = palette.lock(0)
            sheet.box(chip, fill)
            chips.append((chip.adjusted(0.3 * unit, 0, -0.3 * unit, 0), text, fill))
    size = min(sheet.fitting(chip, [text]) for chip, text, _ in chips)
    for chip, text, fill in chips:
        sheet.write(chip, text, size, legible_on(fill), CENTRE)


def draw_product(sheet: Sheet, room: QRectF, scene: Product) -> None:
    """Draw A · B = C: the first blocks of C with their numbers, and what they load of A and B."""
    unit, palette = sheet.unit, sheet.palette
    done = scene.order[: scene.first].tolist()
    rows, columns = {row for row, _ in done}, {column for _, column in done}
    side = min((room.width() - 8 * unit) / 3, room.height() - 3.6 * unit)
    gap, cell = (room.width() - 3 * side) / 2, side / scene.blocks
    numbers = {(row, column): str(place) for place, (row, column) in enumerate(done)}
    loaded = (len(rows), len(columns))
    for place, (name, sign) in enumerate((("A", "·"), ("B", "="), ("C", ""))):
        head = within(room, place * (side + gap), width=side, height=1.9 * unit)
        sheet.write(head, name, 1.5, palette.text, CENTRE, bold=True)
        square = within(head, top=2 * unit, height=side)
        sheet.write(within(square, side, width=gap), sign, 2.4, palette.text, CENTRE)
        fill = palette.lock(place) if place < 2 else palette.good
        for row, column in product(range(scene.blocks), repeat=2):
            area = within(square, column * cell, row * cell, 0.92 * cell, 0.92 * cell)
            used = (row in rows, column in columns, (row, column) in numbers)[place]
            sheet.painter.fillRect(area, fill if used else palette.cell)
            if place == 2 and used and cell >= 1.2 * unit:
                sheet.write(area, numbers[row, column], sheet.small, legible_on(fill), CENTRE)
        words = say("{count} blocks done", count=len(done))
        if place < 2:
            words = say("{count} blocks loaded", count=scene.blocks * loaded[place])
        below = within(square, top=side, height=1.6 * unit)
        sheet.label(below, words, CENTRE)
