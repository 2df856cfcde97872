"""Pages of what was recorded: the animation, times against GROUP_SIZE_M, strategies, columns that
were wrong; and of memories and the blocks of a matrix product.
"""

import math
from itertools import product

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.experiments.barrier import BarrierSide
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.scenes import ChartScene, Memories, Playback, Product
from lnexplorer.domain.wording import milliseconds, significant
from lnexplorer.gui.charts.axes import linear_ticks
from lnexplorer.gui.charts.diagrams import draw_decades
from lnexplorer.gui.charts.sheet import Sheet, within
from lnexplorer.gui.kit import CENTRE, RESULT_COLOURS, RIGHT, mixed
from lnexplorer.gui.timeline.canvas import TimelinePicture
from lnexplorer.gui.timeline.frame import cell_numbers, colour_table, draw_indices, legible_on
from lnexplorer.gui.timeline.program_lanes import (
    ADDING,
    COMPUTING,
    NOTHING,
    STAGE2,
    TRYING,
    WAITING,
    chosen_lanes,
    lane_indices,
    shades,
    stage2_indices,
)
from lnexplorer.gui.timeline.wording import in_unit, tick_text
from lnkernels.values import Sentence, Words, say

_LETTERS = 44  # the least width of the animation
# On a page with many pixels the animation is laid out for half of them and drawn twice as large:
# otherwise the first frame at 3840 × 2160 would take a tenth of a second.
_LAID_OUT_HEIGHT = 850


class HiddenCanvas:
    """Draws the animation on pages, by a hidden widget inside `parent`."""

    def __init__(self, parent: QWidget) -> None:
        self._canvas = TimelinePicture(parent)
        self._canvas.hide()

    def retranslate(self) -> None:
        self._canvas.retranslate()

    def draw_timeline(self, sheet: Sheet, room: QRectF, scene: Playback, time_ns: float) -> None:
        """Draw a moment of a timeline."""
        timeline = scene.case.timeline
        # On a narrow page its legend would not fit in the least size of the other texts.
        scale = max(round(room.height() / _LAID_OUT_HEIGHT), 1)
        font = sheet.font(min(1.0, room.width() / (_LETTERS * sheet.unit)) / scale)
        if self._canvas.font().pixelSize() != font.pixelSize():
            self._canvas.setFont(font)
        size = QSize(round(room.width() / scale), round(room.height() / scale))
        if self._canvas.size() != size:
            self._canvas.resize(size)
        if self._canvas.scene.colours.theme is not sheet.palette.theme:
            self._canvas.set_colours(sheet.palette.theme)
        if self._canvas.scene.timeline is not timeline:
            self._canvas.show_timeline(timeline)
            self._canvas.set_numbers(cell_numbers(timeline, None, scene.case.result.resolved))
        if scene.until_ns is None:
            self._canvas.fit()
        else:
            self._canvas.set_stretch(0.0, scene.until_ns)
        self._canvas.set_time(min(time_ns, scene.end_ns))
        sheet.painter.save()
        sheet.painter.translate(room.topLeft())
        sheet.painter.scale(scale, scale)
        self._canvas.render(
            sheet.painter, QPoint(0, 0), renderFlags=QWidget.RenderFlag.DrawChildren
        )
        sheet.painter.restore()


_TICKS = 5
_LEGEND = {
    COMPUTING: say("computes"),
    WAITING: say("queues"),
    TRYING: say("tries"),
    ADDING: say("adds"),
    STAGE2: say("stage 2"),
}


# Of the series of a chart, for prints without colours: their lines, and of their marks the corners,
# degrees by which they are turned, and the size in units.
_LINES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DashDotLine,
)
_MARKS = ((4, 0, 0.55), (24, 0, 0.25), (4, 45, 0.3), (3, 0, 0.4), (3, 180, 0.4))


def short_time(ns: float) -> str:
    """Return a time with two digits, or three from 100 on, in the unit that suits it."""
    time, unit = in_unit(ns, 995)
    return f"{significant(time, 3 if time >= 100 else 2)} {unit}"


def draw_chart(sheet: Sheet, room: QRectF, chart: ChartScene) -> None:
    """Draw times against a number, both logarithmic, with two lines of labels below."""
    unit, palette, painter = sheet.unit, sheet.palette, sheet.painter
    sizes = list(chart.labels)
    values = [ns for series in chart.series for ns in series.times.values()]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    beside: list[Words] = [tick_text(10.0**power) for power in range(low, high + 1)]
    axis = max(sheet.width_of(text, sheet.small) for text in (*beside, *chart.names)) + 0.6 * unit
    plot = room.adjusted(axis, 3.8 * unit, 0, -5.1 * unit)
    width = plot.width() / len(sizes)
    height = draw_decades(sheet, plot, low, high, tick_text)
    first = within(room, top=plot.bottom() + 2.2 * unit - room.top(), height=1.4 * unit)
    below = (first, first.translated(0, 1.4 * unit))

    def point(size: float, ns: float) -> QPointF:
        return QPointF(plot.left() + (sizes.index(size) + 0.5) * width, height(ns))

    for place, size in enumerate(sizes):
        inks = (palette.text, palette.muted)
        for line, text, ink in zip(below, chart.labels[size], inks, strict=True):
            label = within(line, axis + place * width, width=width)
            sheet.write(label, text, sheet.small, ink, CENTRE)
    for line, name in zip(below, chart.names, strict=True):
        label = within(line, width=axis + 0.2 * width)
        sheet.label(label, name)
    x, top = 0.6 * unit, 0.0
    colours = (palette.good, palette.accent, palette.lock(1), palette.lock(0), palette.muted)
    labels, names = [], [sheet.width_of(each.name, sheet.small) for each in chart.series]
    gap = min((room.width() - sum(names)) / len(names) - 1.5 * unit, 2.6 * unit)
    gap = max(gap, 0.6 * unit)
    for place, series in enumerate(chart.series):
        main, colour = place == 0, colours[place]
        # Of letters.
        ink = colour if palette.theme.name == "dark" else mixed(colour, palette.text, 0.4)
        if x + 0.9 * unit + names[place] > room.width():  # on a page that is not as wide
            x, top = 0.6 * unit, top + 1.5 * unit
        legend = within(room, x + 0.9 * unit, top, names[place] + unit, 1.6 * unit)
        _mark(sheet, QPointF(room.left() + x, legend.center().y()), colour, place)
        sheet.write(legend, series.name, sheet.small)
        x += names[place] + 1.5 * unit + gap
        painter.setPen(QPen(colour, 0.14 * unit, _LINES[place]))
        painter.drawPolyline(QPolygonF([point(size, ns) for size, ns in series.times.items()]))
        for size, ns in series.times.items():
            at = point(size, ns)
            _mark(sheet, at, colour, place)
            if series.labelled:
                # Above all that there is of a size, or below it.
                there = [each.times[size] for each in chart.series if size in each.times]
                y = point(size, max(there)).y() - 2.1 * unit
                if not main:
                    y = point(size, min(there)).y() + 0.7 * unit
                labels.append((QPointF(at.x(), y), short_time(ns), ink))
    for at, text, ink in labels:  # over all lines
        half = sheet.width_of(text, sheet.small) / 2 + 0.1 * unit
        label = QRectF(at.x() - half, at.y(), 2 * half, 1.4 * unit)
        painter.fillRect(label, palette.background)
        sheet.write(label, text, sheet.small, ink, CENTRE)


def _mark(sheet: Sheet, at: QPointF, colour: QColor, place: int) -> None:
    """Draw the mark of a series: a diamond for the first, another shape for each other one."""
    corners, turned, size = _MARKS[place]
    angles = [math.radians(turned + 360 * corner / corners) for corner in range(corners)]
    shape = [QPointF(math.sin(angle), -math.cos(angle)) * size * sheet.unit for angle in angles]
    sheet.painter.setPen(QPen(colour, 0.2 * sheet.unit))
    sheet.painter.setBrush(colour if place else Qt.BrushStyle.NoBrush)
    sheet.painter.drawPolygon(QPolygonF([at + corner for corner in shape]))
    sheet.painter.setBrush(Qt.BrushStyle.NoBrush)


def draw_strategies(sheet: Sheet, room: QRectF, scene: Strategies) -> None:
    """Draw a bar for each strategy, as long as its time, with what its traced programs did."""
    unit, palette, painter = sheet.unit, sheet.palette, sheet.painter
    times = {row.strategy: row.ms or 0.0 for row in scene.rows}
    longest = max(times.values())
    names = max(sheet.width_of(strategy, bold=True) for strategy in times) + unit
    beside = sheet.width_of("88.8 µs", bold=True) + unit
    plot = room.adjusted(names, 2.0 * unit, -beside, -1.8 * unit)
    height = plot.height() / len(times)
    lanes = chosen_lanes(scene.timelines(), round(0.8 * height))
    by_name = {each.timeline.strategy: each for each in lanes}
    colours, x = shades(palette.theme), 0.0
    for state, words in _LEGEND.items():
        box = within(room, x, 0.3 * unit, 0.8 * unit, 0.8 * unit)
        painter.fillRect(box, colours[state])
        length = sheet.width_of(words, sheet.small) + unit
        label = within(room, x + 1.2 * unit, 0.0, length, 1.4 * unit)
        sheet.label(label, words)
        x += length + 2.2 * unit
    for place, (strategy, ms) in enumerate(times.items()):
        bar = within(plot, 0.0, place * height, ms / longest * plot.width(), 0.8 * height)
        timeline, width = by_name[strategy].timeline, max(round(bar.width()), 1)
        stage1 = lane_indices(by_name[strategy], timeline.end_ns, width)
        stage2 = stage2_indices(timeline, timeline.end_ns, width)
        both = np.where((stage1 == NOTHING) & (stage2 > NOTHING), stage2, stage1)
        draw_indices(painter, bar, both, colour_table(colours, colours[NOTHING]))
        painter.setPen(QPen(palette.text, 0.06 * unit))
        painter.drawRect(bar)
        name = within(bar, -names, width=names)
        sheet.write(name, strategy, bold=True)
        time = within(bar, bar.width() + 0.5 * unit, width=beside)
        sheet.write(time, milliseconds(ms), bold=True)
    for tick in linear_ticks(0.0, 1e6 * longest, _TICKS):
        below = within(plot, top=plot.height() + 0.1 * unit, height=1.4 * unit)
        sheet.tick(below, tick / 1e6 / longest * plot.width(), tick_text(tick), room)


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
        for count in (0, most):
            y = area.bottom() - count / most * area.height()
            sheet.rule(area, y)
            label = within(beside, top=y - 0.7 * unit - room.top(), height=1.4 * unit)
            sheet.label(label, str(count), RIGHT)
        middle = within(beside, top=area.center().y() - unit - room.top(), height=2 * unit)
        sheet.write(middle, name, sheet.large, palette.text, RIGHT, bold=True)
        # One shape: between boxes side by side their smoothed edges would show as stripes.
        tops = area.bottom() - np.repeat(values, 2) / most * area.height()
        edges = area.left() + np.repeat(np.arange(n + 1), 2)[1:-1] / n * area.width()
        shape = [QPointF(x, y) for x, y in zip(edges.tolist(), tops.tolist(), strict=True)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([area.bottomLeft(), *shape, area.bottomRight()]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    axis = within(plot, top=plot.height() - 2.8 * unit, height=1.3 * unit)
    for tick in range(_COLUMN_TICKS + 1):
        column = f"{tick * n // _COLUMN_TICKS:,}"
        sheet.tick(axis, tick / _COLUMN_TICKS * plot.width(), column, room)
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
