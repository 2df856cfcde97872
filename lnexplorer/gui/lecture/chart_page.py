"""Stage 1 against GROUP_SIZE_M, both axes logarithmic, large."""

import math

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from lnexplorer.domain.lecture.growth import GROUP_SIZES
from lnexplorer.domain.lecture.material import Material
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.wording import significant
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, RIGHT, Sheet
from lnexplorer.gui.reduction.painter.wording import tick_text

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
