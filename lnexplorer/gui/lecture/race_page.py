"""Strategies on one axis of time, large: what programs of the same SMs do, strip by strip."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QLineF, QRectF
from PySide6.QtGui import QColor, QPen

from lnexplorer.domain.experiments.strategy_timeline import StrategyTimeline
from lnexplorer.domain.lecture.material import RecordedStrategies
from lnexplorer.domain.timeline import TraceCost
from lnexplorer.gui.charts.ticks import linear_ticks
from lnexplorer.gui.experiments.lane_picture import chosen_lanes, lane_indices, stage2_indices
from lnexplorer.gui.lecture.asides import share_text
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, RIGHT, Sheet
from lnexplorer.gui.reduction.painter.colours import colour_table, draw_indices, mixed
from lnexplorer.gui.reduction.painter.wording import number, tick_text, time_text
from lnexplorer.gui.shell.theme import PROVIDER_COLOURS

translate = QCoreApplication.translate
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
    _draw_legend(sheet, QRectF(room.left(), room.top(), room.width() - beside, legend - 0.4 * unit), colours, raced)
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


def _draw_legend(sheet: Sheet, room: QRectF, colours: list[QColor], raced: RecordedStrategies) -> None:
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
