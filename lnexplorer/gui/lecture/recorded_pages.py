"""What was recorded or simulated, large: the animation of a timeline, stage 1 against GROUP_SIZE_M, strategies side by
side.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QLineF, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.lecture.material import GROUP_SIZES, Material, RecordedStrategies
from lnexplorer.domain.wording import significant
from lnexplorer.gui.charts.axes import linear_ticks
from lnexplorer.gui.charts.theme import PROVIDER_COLOURS
from lnexplorer.gui.experiments.lane_picture import chosen_lanes, lane_indices, stage2_indices
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, RIGHT, Sheet
from lnexplorer.gui.lecture.words import share_text
from lnexplorer.gui.reduction.canvas import Canvas
from lnexplorer.gui.reduction.painter.colours import colour_table, draw_indices, mixed
from lnexplorer.gui.reduction.painter.wording import number, tick_text, time_text
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline, TraceCost

_LETTERS = 44  # that the picture is wide at least
# On a page with more pixels the picture is laid out for half of them and drawn twice as large: the first frame at 3840
# × 2160 would take a tenth of a second.
_LAID_OUT_HEIGHT = 850


class TracePicture:
    """Holds the canvas, which nobody sees as a widget. What it shows is changed only when it differs."""

    def __init__(self, parent: QWidget) -> None:
        self._canvas = Canvas(parent)
        self._canvas.hide()
        self._timeline: ReductionTimeline | None = None
        self._theme = ""

    def retranslate(self) -> None:
        self._canvas.retranslate()

    def draw(self, sheet: Sheet, room: QRectF, timeline: ReductionTimeline, time_ns: float) -> None:
        """Draw a moment of a timeline."""
        theme = sheet.palette.theme
        if theme.name != self._theme:
            self._theme = theme.name
            self._canvas.apply_theme(theme)
        # On a narrow page its legend would not fit in the least size of the other texts.
        scale = max(round(room.height() / _LAID_OUT_HEIGHT), 1)
        font = sheet.font(min(1.0, room.width() / (_LETTERS * sheet.unit)) / scale)
        if self._canvas.font().pixelSize() != font.pixelSize():
            self._canvas.setFont(font)
            self._timeline = None
        size = QSize(round(room.width() / scale), round(room.height() / scale))
        if self._canvas.size() != size:
            self._canvas.resize(size)
        if timeline is not self._timeline:
            self._timeline = timeline
            self._canvas.show_timeline(timeline)
        self._canvas.set_time(time_ns)
        sheet.painter.save()
        sheet.painter.translate(room.topLeft())
        sheet.painter.scale(scale, scale)
        self._canvas.render(sheet.painter, QPoint(0, 0))
        sheet.painter.restore()


translate = QCoreApplication.translate
_LABEL = 1.25  # units


def short_time(ns: float) -> str:
    """A time with two digits, in the unit that fits."""
    scale, unit = next((pair for pair in ((1.0, "ns"), (1e3, "µs"), (1e6, "ms")) if ns / pair[0] < 995), (1e9, "s"))
    return f"{significant(ns / scale, 2)} {unit}"


def draw_chart_page(sheet: Sheet, room: QRectF, material: Material, points: int, *, recorded: bool) -> None:
    """Draw as many points as the lecture has come to, and the recorded ones where they are wanted."""
    unit, palette = sheet.unit, sheet.palette
    times = [point.summary.stage1_ns for point in material.growth]
    times += material.stage1_ns.values()
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    axis = max(sheet.width_of(tick_text(10.0**power), sheet.small) for power in range(low, high + 1)) + 0.6 * unit
    legend = 2.6 * unit
    plot = QRectF(room.left() + axis, room.top() + legend, room.width() - axis, room.height() - legend - 3.4 * unit)

    def y_of(ns: float) -> float:
        return plot.bottom() - (math.log10(ns) - low) / (high - low) * plot.height()

    _draw_legend(sheet, QRectF(room.left(), room.top(), room.width(), legend - 1.0 * unit), recorded=recorded)
    for power in range(low, high + 1):
        y = y_of(10.0**power)
        sheet.painter.setPen(QPen(palette.line, 0.06 * unit))
        sheet.painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        text = QRectF(room.left(), y - 0.7 * unit, axis - 0.4 * unit, 1.4 * unit)
        sheet.write(text, tick_text(10.0**power), sheet.small, palette.muted, RIGHT)
    width = plot.width() / len(GROUP_SIZES)
    for place, size in enumerate(GROUP_SIZES):
        label = QRectF(plot.left() + place * width, plot.bottom() + 0.2 * unit, width, 1.5 * unit)
        sheet.write(label, str(size), sheet.small, palette.text, CENTRE)
    name = QRectF(plot.left(), plot.bottom() + 1.7 * unit, plot.width(), 1.5 * unit)
    sheet.write(name, translate("lecture", "GROUP_SIZE_M: number of buffers"), sheet.small, palette.muted, CENTRE)
    places = []
    for place, point in enumerate(material.growth[:points]):
        at = QPointF(plot.left() + (place + 0.5) * width, y_of(point.summary.stage1_ns))
        places.append(at)
        if not (recorded and point.group_size_m in material.stage1_ns):
            _label(sheet, at, short_time(point.summary.stage1_ns), palette.text, width, 0.6 if place else 0.5)
    sheet.painter.setPen(QPen(palette.accent, 0.14 * unit))
    sheet.painter.drawPolyline(places)
    for at in places:
        _dot(sheet, at, palette.accent)
    if recorded:
        for place, size in enumerate(GROUP_SIZES):
            seen = material.stage1_ns.get(size)
            if seen is not None:
                at = QPointF(plot.left() + (place + 0.5) * width, y_of(seen))
                _diamond(sheet, at, palette.good)
                _label(sheet, at, short_time(seen), palette.good, width, 0.6 if place else 0.5)


def _label(sheet: Sheet, at: QPointF, text: str, colour: QColor, width: float, shift: float) -> None:
    # To the left of its point, so that the rising line does not cross it.
    room = QRectF(at.x() - shift * width, at.y() - 2.2 * sheet.unit, width, 1.4 * sheet.unit)
    # All labels in one size: the smaller one where "170 µs" needs the room.
    wide = sheet.width_of("888 µs", _LABEL) <= width
    sheet.write(room, text, _LABEL if wide else sheet.small, colour, CENTRE)


def _dot(sheet: Sheet, at: QPointF, colour: QColor) -> None:
    sheet.painter.setPen(Qt.PenStyle.NoPen)
    sheet.painter.setBrush(colour)
    sheet.painter.drawEllipse(at, 0.42 * sheet.unit, 0.42 * sheet.unit)
    sheet.painter.setBrush(Qt.BrushStyle.NoBrush)


def _diamond(sheet: Sheet, at: QPointF, colour: QColor) -> None:
    size = 0.62 * sheet.unit
    sheet.painter.setPen(QPen(colour, 0.2 * sheet.unit))
    sheet.painter.drawPolygon([at + QPointF(0, -size), at + QPointF(size, 0), at + QPointF(0, size), at + QPointF(-size, 0)])


def _draw_legend(sheet: Sheet, room: QRectF, *, recorded: bool) -> None:
    unit, palette = sheet.unit, sheet.palette
    x = room.left() + 0.6 * unit
    for kind, colour in ((Kind.SIMULATED, palette.accent), (Kind.RECORDED, palette.good)):
        if kind is Kind.RECORDED and not recorded:
            continue
        at = QPointF(x, room.center().y())
        if kind is Kind.RECORDED:
            _diamond(sheet, at, colour)
        else:
            _dot(sheet, at, colour)
        text = domain_text(kind.value)
        width = sheet.width_of(text, sheet.small) + 0.5 * unit
        sheet.write(QRectF(x + 0.9 * unit, room.top(), width, room.height()), text, sheet.small, palette.text, LEFT)
        x += width + 3 * unit


_TICKS = 5
_STAGE2 = 0.5  # units
_LANES = 120  # px from which lanes are chosen: the same SMs on every page


def draw_race_page(sheet: Sheet, room: QRectF, raced: RecordedStrategies) -> None:
    """A strip for each strategy, the colours above them, the time below."""
    unit, palette = sheet.unit, sheet.palette
    colours = _colours(sheet)
    names = [(timeline.strategy, time_text(timeline.end_ns)) for timeline in raced.timelines]
    label = max(sheet.width_of(text, sheet.body, bold=True) for texts in names for text in texts) + 1.2 * unit
    legend, axis, beside = 1.9 * unit, 1.7 * unit, _width_beside(sheet, raced)
    plot = QRectF(room.left() + label, room.top() + legend, room.width() - label - beside, room.height() - legend - axis)
    _draw_race_legend(sheet, QRectF(room.left(), room.top(), room.width() - beside, legend - 0.4 * unit), colours, raced)
    if beside:
        sheet.write(QRectF(plot.right(), room.top(), beside, legend - 0.4 * unit), _unrecorded(), sheet.small, align=RIGHT)
    end = max(timeline.end_ns for timeline in raced.timelines) * 1.01
    step = plot.height() / len(raced.timelines)
    pictures = _pictures(raced.timelines, end, max(int(plot.width()), 1))
    table = colour_table([palette.background, *colours], palette.background)
    for place, (timeline, (stage1, stage2)) in enumerate(zip(raced.timelines, pictures, strict=True)):
        area = QRectF(plot.left(), plot.top() + place * step, plot.width(), step - 0.6 * unit)
        below = QRectF(area.left(), area.bottom() - _STAGE2 * unit, area.width(), _STAGE2 * unit)
        draw_indices(sheet.painter, QRectF(area.topLeft(), below.topRight()), stage1, table)
        draw_indices(sheet.painter, below, stage2, table)
        sheet.painter.setPen(QPen(palette.line, 0.06 * unit))
        sheet.painter.drawRect(area)
        side = QRectF(room.left(), area.top(), 0.3 * unit, area.height())
        sheet.box(side, QColor(PROVIDER_COLOURS.get(timeline.strategy, palette.muted.name())))
        words = QRectF(room.left() + 0.7 * unit, area.top(), label - 0.7 * unit, area.height() / 2)
        sheet.write(words, timeline.strategy, sheet.body, palette.text, LEFT, bold=True)
        sheet.write(words.translated(0, words.height()), time_text(timeline.end_ns), sheet.body, palette.muted, LEFT)
        _draw_beside(sheet, QRectF(plot.right(), area.top(), beside, area.height()), timeline.cost)
    line = QRectF(plot.left(), plot.bottom() - 0.4 * unit, plot.width() + beside, 1.5 * unit)
    _draw_axis(sheet, plot.adjusted(0, 0, 0, -0.6 * unit), end, line)


def _unrecorded() -> str:
    return translate("lecture", "unrecorded")


def _width_beside(sheet: Sheet, raced: RecordedStrategies) -> float:
    """Room for the passes as they are when nobody records them; 0 where nobody measured them."""
    costs = [each.cost for each in raced.timelines if each.cost is not None]
    if not costs:
        return 0.0
    widest = max(sheet.width_of(time_text(cost.plain_ns), sheet.body, bold=True) for cost in costs)
    return max(widest, sheet.width_of(_unrecorded(), sheet.small)) + 1.2 * sheet.unit


def _draw_beside(sheet: Sheet, area: QRectF, cost: TraceCost | None) -> None:
    if cost is None:
        return
    half = QRectF(area.left(), area.top(), area.width(), area.height() / 2)
    sheet.write(half, time_text(cost.plain_ns), sheet.body, sheet.palette.text, RIGHT, bold=True)
    sheet.write(half.translated(0, half.height()), share_text(cost.share), sheet.body, sheet.palette.muted, RIGHT)


def _colours(sheet: Sheet) -> list[QColor]:
    """Computing, the next piece, waiting, adding, stage 2: by the indices of lane_picture."""
    palette = sheet.palette
    computing = mixed(palette.background, palette.muted, 0.55)
    return [computing, mixed(palette.background, palette.muted, 0.4), palette.text, palette.lock(0), palette.good]


def _draw_race_legend(sheet: Sheet, room: QRectF, colours: list[QColor], raced: RecordedStrategies) -> None:
    unit, x = sheet.unit, room.left()
    texts = (
        (colours[:2], translate("lecture", "computing")),
        (colours[2:3], translate("lecture", "waiting")),
        (colours[3:4], translate("lecture", "adding")),
        (colours[4:], translate("lecture", "stage 2")),
    )
    for shades, text in texts:
        for shade in shades:
            sheet.box(QRectF(x, room.center().y() - 0.4 * unit, 0.8 * unit, 0.8 * unit), shade)
            x += 0.8 * unit
        width = sheet.width_of(text, sheet.small) + 0.5 * unit
        sheet.write(QRectF(x + 0.4 * unit, room.top(), width, room.height()), text, sheet.small, sheet.palette.text, LEFT)
        x += width + 1.4 * unit
    shape = f"{number(raced.m)} × {number(raced.n)}"
    if room.right() - x > sheet.width_of(shape, sheet.small) + unit:
        sheet.write(QRectF(x, room.top(), room.right() - x, room.height()), shape, sheet.small, sheet.palette.muted, RIGHT)


def _draw_axis(sheet: Sheet, plot: QRectF, end: float, line: QRectF) -> None:
    for tick in linear_ticks(0.0, end, _TICKS):
        x = plot.left() + tick / end * plot.width()
        sheet.painter.setPen(QPen(sheet.palette.line, 0.06 * sheet.unit))
        sheet.painter.drawLine(QLineF(x, plot.bottom(), x, plot.bottom() + 0.3 * sheet.unit))
        text, half = tick_text(tick), 3 * sheet.unit
        if tick == 0:
            sheet.write(QRectF(x, line.top(), half, line.height()), text, sheet.small, sheet.palette.muted, LEFT)
        elif x + half <= line.right() + sheet.unit:
            sheet.write(QRectF(x - half, line.top(), 2 * half, line.height()), text, sheet.small, sheet.palette.muted, CENTRE)


_Pictures = list[tuple[NDArray[np.uint8], NDArray[np.uint8]]]


@lru_cache(maxsize=8)
def _pictures(timelines: tuple[StrategyTimeline, ...], end: float, width: int) -> _Pictures:
    """Indices of colours; kept, because a pointer that moves draws the page again."""
    chosen, _sms = chosen_lanes(timelines, _LANES)
    return [(lane_indices(lanes, end, width), stage2_indices(lanes.timeline, end, width)) for lanes in chosen]
