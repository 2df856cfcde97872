"""What was recorded or simulated, large: the animation of a timeline, stage 1 against GROUP_SIZE_M, strategies side by
side.
"""

import math

from PySide6.QtCore import QCoreApplication, QLineF, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.lecture.material import GROUP_SIZES
from lnexplorer.domain.lecture.storyboard import Chart, Race
from lnexplorer.domain.wording import significant
from lnexplorer.gui.charts.theme import Theme
from lnexplorer.gui.experiments.lanes import LanesOfStrategies
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, RIGHT, Sheet
from lnexplorer.gui.reduction.canvas import Canvas
from lnexplorer.gui.reduction.painter.wording import tick_text
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline

_LETTERS = 44  # that the animation is wide at least
# On a page with more pixels the animation is laid out for half of them and drawn twice as large: the first frame at
# 3840 × 2160 would take a tenth of a second.
_LAID_OUT_HEIGHT = 850


class Pictures:
    """Holds the widgets of other panes that a page draws; nobody sees them as widgets.

    Args:
        parent: of the widgets.
    """

    def __init__(self, parent: QWidget) -> None:
        self._canvas, self._lanes = Canvas(parent), LanesOfStrategies(parent)
        self._canvas.hide()
        self._lanes.hide()
        self._themes: dict[QWidget, Theme] = {}
        self._timeline: ReductionTimeline | None = None

    def retranslate(self) -> None:
        self._canvas.retranslate()

    def draw_timeline(self, sheet: Sheet, room: QRectF, timeline: ReductionTimeline, time_ns: float) -> None:
        """Draw a moment of a timeline."""
        # On a narrow page its legend would not fit in the least size of the other texts.
        scale = max(round(room.height() / _LAID_OUT_HEIGHT), 1)
        font = sheet.font(min(1.0, room.width() / (_LETTERS * sheet.unit)) / scale)
        if self._canvas.font().pixelSize() != font.pixelSize():
            self._canvas.setFont(font)
            self._timeline = None
        self._fit(self._canvas, sheet, room, scale)
        if timeline is not self._timeline:
            self._timeline = timeline
            self._canvas.show_timeline(timeline)
        self._canvas.set_time(time_ns)
        self._render(self._canvas, sheet, room, scale)

    def draw_race(self, sheet: Sheet, room: QRectF, race: Race) -> None:
        """Draw a strip for each strategy."""
        if race.result.strategies is not None:
            self._lanes.setFont(sheet.font(sheet.small))
            self._lanes.set_findings(race.result.strategies)
            self._fit(self._lanes, sheet, room, 1)
            self._render(self._lanes, sheet, room, 1)

    def _fit(self, widget: Canvas | LanesOfStrategies, sheet: Sheet, room: QRectF, scale: int) -> None:
        size = QSize(round(room.width() / scale), round(room.height() / scale))
        if widget.size() != size:
            widget.resize(size)
        if self._themes.get(widget) is not sheet.palette.theme:
            self._themes[widget] = sheet.palette.theme
            widget.apply_theme(sheet.palette.theme)

    def _render(self, widget: QWidget, sheet: Sheet, room: QRectF, scale: int) -> None:
        sheet.painter.save()
        sheet.painter.translate(room.topLeft())
        sheet.painter.scale(scale, scale)
        widget.render(sheet.painter, QPoint(0, 0), renderFlags=QWidget.RenderFlag.DrawChildren)
        sheet.painter.restore()


_LABEL = 1.25  # units


def short_time(ns: float) -> str:
    """A time with two digits, in the unit that fits."""
    scale, unit = next((pair for pair in ((1.0, "ns"), (1e3, "µs"), (1e6, "ms")) if ns / pair[0] < 995), (1e9, "s"))
    return f"{significant(ns / scale, 2)} {unit}"


def draw_chart(sheet: Sheet, room: QRectF, chart: Chart) -> None:
    """Draw as many points as the lecture has come to, and the recorded ones where they are wanted."""
    unit, palette, painter = sheet.unit, sheet.palette, sheet.painter
    low, high = math.floor(math.log10(chart.lowest_ns)), math.ceil(math.log10(chart.highest_ns))
    axis = max(sheet.width_of(tick_text(10.0**power), sheet.small) for power in range(low, high + 1)) + 0.6 * unit
    plot = room.adjusted(axis, 2.6 * unit, 0, -3.4 * unit)
    width = plot.width() / len(GROUP_SIZES)

    def point(size: int, ns: float) -> QPointF:
        height = (math.log10(ns) - low) / (high - low) * plot.height()
        return QPointF(plot.left() + (GROUP_SIZES.index(size) + 0.5) * width, plot.bottom() - height)

    for power in range(low, high + 1):
        y = point(GROUP_SIZES[0], 10.0**power).y()
        painter.setPen(QPen(palette.line, 0.06 * unit))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        text = QRectF(room.left(), y - 0.7 * unit, axis - 0.4 * unit, 1.4 * unit)
        sheet.write(text, tick_text(10.0**power), sheet.small, palette.muted, RIGHT)
    for place, size in enumerate(GROUP_SIZES):
        label = QRectF(plot.left() + place * width, plot.bottom() + 0.2 * unit, width, 1.5 * unit)
        sheet.write(label, str(size), sheet.small, palette.text, CENTRE)
    name = QRectF(plot.left(), plot.bottom() + 1.7 * unit, plot.width(), 1.5 * unit)
    buffers = QCoreApplication.translate("lecture", "GROUP_SIZE_M: number of buffers")
    sheet.write(name, buffers, sheet.small, palette.muted, CENTRE)
    painter.setPen(QPen(palette.accent, 0.14 * unit))
    painter.drawPolyline([point(size, ns) for size, ns in chart.simulated.items()])
    x = room.left() + 0.6 * unit
    for kind, times, colour in (
        (Kind.SIMULATED, chart.simulated, palette.accent),
        (Kind.RECORDED, chart.recorded, palette.good),
    ):
        if not times:
            continue
        legend = QRectF(x + 0.9 * unit, room.top(), sheet.width_of(domain_text(kind.value), sheet.small) + unit, 1.6 * unit)
        _mark(sheet, QPointF(x, legend.center().y()), kind, colour)
        sheet.write(legend, domain_text(kind.value), sheet.small, palette.text, LEFT)
        x = legend.right() + 2.5 * unit
        for size, ns in times.items():
            at = point(size, ns)
            _mark(sheet, at, kind, colour)
            if kind is Kind.RECORDED or size not in chart.recorded:
                # To the left of its point, so that the rising line does not cross it.
                shift = 0.5 if size == GROUP_SIZES[0] else 0.6
                label = QRectF(at.x() - shift * width, at.y() - 2.2 * unit, width, 1.4 * unit)
                # All labels in one size: the smaller one where "170 µs" needs the room.
                wide = sheet.width_of("888 µs", _LABEL) <= width
                ink = palette.good if kind is Kind.RECORDED else palette.text
                sheet.write(label, short_time(ns), _LABEL if wide else sheet.small, ink, CENTRE)


def _mark(sheet: Sheet, at: QPointF, kind: Kind, colour: QColor) -> None:
    """A dot of the model's, a diamond of what was recorded."""
    if kind is Kind.RECORDED:
        size = 0.62 * sheet.unit
        sheet.painter.setPen(QPen(colour, 0.2 * sheet.unit))
        corners = (QPointF(0, -size), QPointF(size, 0), QPointF(0, size), QPointF(-size, 0))
        sheet.painter.drawPolygon([at + corner for corner in corners])
    else:
        sheet.painter.setPen(Qt.PenStyle.NoPen)
        sheet.painter.setBrush(colour)
        sheet.painter.drawEllipse(at, 0.42 * sheet.unit, 0.42 * sheet.unit)
        sheet.painter.setBrush(Qt.BrushStyle.NoBrush)
