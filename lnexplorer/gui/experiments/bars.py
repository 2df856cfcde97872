"""Bars that lie: a name on the left, the bar, and its value at the end, so that no text meets another."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from lnexplorer.gui.experiments.picture import Panel, Picture, scale_of
from lnexplorer.gui.shell.style import with_text
from lnexplorer.gui.shell.theme import GRID, Theme

LINES = 1.15  # of text, the least height of a bar with the gap to the next
MOST_LINES = 3.0  # and the largest: bars are no blocks
THICK = 0.62  # of that height
NARROWEST = 16 * GRID  # px, a panel beside others
GAP = 3 * GRID  # between panels beside each other
TITLE_OVER = 2 * GRID  # of which a title may take so much
SMALLEST = 0.7  # of the usual size of text, where bars are lower than a line
ABSENT = "–"


def has_bars(picture: Picture) -> bool:
    """Whether its panels are rows of bars."""
    return any(series.form == "bars" for panel in picture.panels for series in panel.series)


def name_room(picture: Picture, metrics: QFontMetricsF) -> float:
    """Width of the names, with the gap to the bars."""
    return max((metrics.horizontalAdvance(name) for _, name in picture.x_ticks), default=0.0) + GRID


def bar_areas(picture: Picture, metrics: QFontMetricsF, columns: int, width: float, height: float) -> list[QRectF]:
    """Where the bars and values of each panel are: titles above them, names left of the first panel of each row."""
    count = len(picture.panels)
    rows = -(-count // columns)
    line, left = metrics.height(), name_room(picture, metrics)
    each = (width - left - GAP * (columns - 1)) / columns
    high = (height - GRID * (rows - 1)) / rows
    high = min(high, line + MOST_LINES * line * max(len(picture.x_ticks), 1))
    return [
        QRectF(left + place % columns * (each + GAP), place // columns * (high + GRID) + line, max(each, 1), max(high - line, 1))
        for place in range(count)
    ]


def bar_columns(picture: Picture, metrics: QFontMetricsF, width: float) -> int:
    """All panels beside each other where they can be read, as many as the picture says elsewhere."""
    count = len(picture.panels)
    titles = max(metrics.horizontalAdvance(panel.title) for panel in picture.panels) - TITLE_OVER
    values = max(metrics.horizontalAdvance(label) for panel in picture.panels for label in panel.series[0].labels or ("",))
    least = max(with_text(NARROWEST), titles, 2 * values)
    wide = width - name_room(picture, metrics) >= count * (least + GAP) - GAP
    return count if picture.columns > 1 and wide else picture.columns


def bar_rows(area: QRectF, count: int) -> list[QRectF]:
    """The stripe of each bar, from the top."""
    height = area.height() / max(count, 1)
    return [QRectF(area.left(), area.top() + place * height, area.width(), height) for place in range(count)]


def fitting_font(font: QFont, height: float) -> QFont:
    """The font, smaller where stripes are lower than a line of it."""
    fitted = QFont(font)
    fitted.setPointSizeF(font.pointSizeF() * max(min(height / QFontMetricsF(font).height(), 1.0), SMALLEST))
    return fitted


def bar_boxes(panel: Panel, area: QRectF, metrics: QFontMetricsF) -> list[tuple[QRectF, str]]:
    """Each bar, and what is written at its end. Room for the widest value is kept free beside the longest bar."""
    (series,) = panel.series
    labels = [series.labels[place] if place < len(series.labels) else "" for place in range(series.y.size)]
    room = max((metrics.horizontalAdvance(label) for label in labels), default=0.0) + GRID
    full, (_, high) = max(area.width() - room, 1.0), scale_of(panel)
    boxes = []
    for stripe, value, label in zip(bar_rows(area, series.y.size), series.y, labels, strict=True):
        known, thick = np.isfinite(value), THICK * stripe.height()
        length = float(value) / high * full if known else 0.0
        box = QRectF(area.left(), stripe.center().y() - thick / 2, max(length, 1.0 if known else 0.0), thick)
        boxes.append((box, (label if known else "") or ABSENT))
    return boxes


def paint_names(painter: QPainter, picture: Picture, area: QRectF, theme: Theme) -> None:
    """The names, left of a panel."""
    painter.setPen(QColor(theme.text))
    for stripe, (_, name) in zip(bar_rows(area, len(picture.x_ticks)), picture.x_ticks, strict=True):
        box = QRectF(0, stripe.top(), area.left() - GRID, stripe.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)


def paint_bars(painter: QPainter, panel: Panel, area: QRectF, theme: Theme) -> None:
    """The bars of a panel with their values."""
    (series,) = panel.series
    painter.fillRect(QRectF(area.left() - 1, area.top(), 1, area.height()), QColor(theme.line))
    painter.setPen(QColor(theme.text))
    for place, (box, label) in enumerate(bar_boxes(panel, area, QFontMetricsF(painter.font()))):
        painter.fillRect(box, QColor(series.colours[place % len(series.colours)]))
        after = QRectF(box.right() + GRID / 2 + 1, box.center().y() - area.height() / 2, area.width(), area.height())
        painter.drawText(after, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, label)
