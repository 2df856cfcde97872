"""Panels one above the other over one x axis, each with its own y scale. Drawn at once: no scene, cheap to make."""

from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.gui.panes.experiments_parts.picture import EMPTY, Panel, Picture, Series, scale_of
from lnexplorer.gui.plots.drawing import Drawing
from lnexplorer.gui.plots.ticks import linear_ticks, log_ticks, tick_text
from lnexplorer.gui.style import with_text
from lnexplorer.gui.theme import GRID, Theme

POINT = 4.0  # px, radius
GAP = GRID
TICK_ROOM = 56  # px, left of the scales
FILL_ALPHA = 60
SMALLEST_NAME = 0.7  # of the usual size
LEGIBLE_LINES = 2.9  # of text, the height of a panel
NARROWEST = 30 * GRID  # px, a panel beside others
BAR_SHARE = 0.5  # of the room between two bars


class PanelChart(Drawing):
    """Shows a picture; tells what is under the cursor."""

    hovered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = EMPTY
        self.setMouseTracking(True)
        self.setMinimumSize(QSize(30 * GRID, 14 * GRID))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def picture(self) -> Picture:
        """What is on show."""
        return self._picture

    def set_picture(self, picture: Picture) -> None:
        """Show another one."""
        self._picture = picture
        self.setAccessibleDescription(", ".join(panel.title for panel in picture.panels))
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw everything."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        areas = self.areas()
        for panel, area in zip(self._picture.panels, areas, strict=True):
            self._paint_panel(painter, panel, area)
        for area in areas[-self._columns(self.width()) :]:
            self._paint_x_axis(painter, area)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Say the values at the tick or bar nearest to the cursor."""
        self.hovered.emit(self.values_at(event.position()))

    def values_at(self, position: QPointF) -> str:
        """The values of the panel at a point; nothing outside."""
        for panel, area in zip(self._picture.panels, self.areas(), strict=True):
            if area.contains(position):
                return self._values(panel, self._x_at(area, position.x()))
        return ""

    def legible_height(self, width: int) -> int:
        """Height in which the panels of a picture can be read, with their titles and what is written on bars."""
        rows = -(-len(self._picture.panels) // self._columns(width))
        return round(QFontMetricsF(self.font()).height() * (rows * LEGIBLE_LINES + 2.4)) + GAP * (rows - 1)

    def _columns(self, width: int) -> int:
        """Panels that stand beside each other do so in one row where they all can."""
        count, columns = len(self._picture.panels), self._picture.columns
        return count if 1 < columns < count and width >= count * with_text(NARROWEST) else columns

    def areas(self) -> list[QRectF]:
        """The inner rectangle of each panel."""
        count, columns = len(self._picture.panels), self._columns(self.width())
        if count == 0:
            return []
        rows = -(-count // columns)
        line = QFontMetricsF(self.font()).height()
        left, bottom = with_text(TICK_ROOM), line * (2.4 if self._picture.x_title else 1.4)
        height, width = (self.height() - bottom - GAP * (rows - 1)) / rows, self.width() / columns
        inside = QSizeF(max(width - left - GRID, 1), max(height - line, 1))
        corners = [(place % columns * width + left, place // columns * (height + GAP) + line) for place in range(count)]
        return [QRectF(QPointF(*corner), inside) for corner in corners]

    def _x(self, area: QRectF, value: float) -> float:
        low, high = self._picture.x_range
        return area.left() + (value - low) / max(high - low, 1e-12) * area.width()

    def _x_at(self, area: QRectF, x: float) -> float:
        low, high = self._picture.x_range
        return low + (x - area.left()) / area.width() * (high - low)

    def _paint_panel(self, painter: QPainter, panel: Panel, area: QRectF) -> None:
        theme, metrics = self.theme, QFontMetricsF(self.font())
        title = QRectF(area.left(), area.top() - metrics.height() - 2, area.width(), metrics.height())
        painter.setPen(QColor(theme.text))
        painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, panel.title)
        painter.fillRect(area, QColor(theme.surface))
        painter.setPen(QPen(QColor(theme.line), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if panel.empty:
            painter.setPen(QColor(theme.muted))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, panel.absent)
            return
        low, high = scale_of(panel)
        self._paint_y_axis(painter, panel, area, low, high)
        painter.save()
        painter.setClipRect(area.adjusted(-POINT, -POINT - 2, POINT, 1))
        for series in panel.series:
            self._paint_series(painter, series, panel, area, (low, high))
        painter.restore()

    def _paint_y_axis(self, painter: QPainter, panel: Panel, area: QRectF, low: float, high: float) -> None:
        metrics = QFontMetricsF(self.font())
        most = max(int(area.height() / (2.4 * metrics.height())), 2)
        places = log_ticks(low, high, most) if panel.log else linear_ticks(low, high, most)
        taken = 1e9
        for place in places:
            if panel.whole and place != round(place):
                continue
            y = area.bottom() - (place - low) / (high - low) * area.height()
            if taken - y < 1.1 * metrics.height():
                continue
            taken = y
            painter.setPen(QPen(QColor(self.theme.line), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(self.theme.muted))
            box = QRectF(
                area.left() - with_text(TICK_ROOM), y - metrics.height() / 2, with_text(TICK_ROOM) - GRID, metrics.height()
            )
            text = f"{place:.0f}" if panel.whole else tick_text(10.0**place if panel.log else place)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_series(self, painter: QPainter, series: Series, panel: Panel, area: QRectF, scale: tuple[float, float]) -> None:
        low, high = scale
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.log10(series.y) if panel.log else series.y
        ys = area.bottom() - (values - low) / (high - low) * area.height()
        xs = np.array([self._x(area, float(x)) for x in series.x])
        colour = QColor(series.colours[0])
        pen = QPen(colour, 2, Qt.PenStyle.DashLine if series.dashed else Qt.PenStyle.SolidLine)
        match series.form:
            case "line":
                points = [QPointF(x, y) for x, y in zip(xs, ys, strict=True) if np.isfinite(y)]
                painter.setPen(pen)
                painter.drawPolyline(QPolygonF(points))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                for point in points:
                    painter.drawEllipse(point, POINT, POINT)
                painter.setBrush(Qt.BrushStyle.NoBrush)
            case "steps":
                fill = QColor(colour)
                fill.setAlpha(0 if series.dashed else FILL_ALPHA)
                painter.setPen(QPen(colour, 1.5, pen.style()))
                for left, right, y in zip(xs[:-1], xs[1:], ys, strict=True):
                    if np.isfinite(y) and y < area.bottom():
                        painter.fillRect(QRectF(left, y, max(right - left, 1.5), area.bottom() - y), fill)
                        painter.drawLine(QPointF(left, y), QPointF(max(right, left + 1.5), y))
                        painter.drawLine(QPointF(left, y), QPointF(left, area.bottom()))
                        painter.drawLine(QPointF(right, y), QPointF(right, area.bottom()))
            case _:
                self._paint_bars(painter, series, area, xs, ys)

    def _paint_bars(self, painter: QPainter, series: Series, area: QRectF, xs: np.ndarray, ys: np.ndarray) -> None:
        width = BAR_SHARE * area.width() / max(self._picture.x_range[1] - self._picture.x_range[0], 1)
        metrics = QFontMetricsF(self.font())
        for place, (x, y) in enumerate(zip(xs, ys, strict=True)):
            if not np.isfinite(y):
                continue
            bar = QRectF(x - width / 2, y, width, area.bottom() - y)
            painter.fillRect(bar, QColor(series.colours[place % len(series.colours)]))
            if place < len(series.labels):
                room = bar.width() + 12 * metrics.averageCharWidth()
                painter.setPen(QColor(self.theme.text))
                box = QRectF(x - room / 2, y - metrics.height() - 1, room, metrics.height())
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, series.labels[place])

    def _named(self) -> bool:
        """Whether the ticks are names of bars."""
        return any(series.form == "bars" for panel in self._picture.panels for series in panel.series)

    def _name_font(self, last: QRectF) -> QFont:
        """A bar without its name says nothing: all names are written, smaller where they have to be."""
        font, ticks = QFont(self.font()), self._picture.x_ticks
        if self._named() and len(ticks) > 1:
            places = [self._x(last, place) for place, _ in ticks]
            room = min(right - left for left, right in pairwise(places))
            widest = max(QFontMetricsF(font).horizontalAdvance(text) for _, text in ticks) + 2
            font.setPointSizeF(font.pointSizeF() * max(min(room / widest, 1.0), SMALLEST_NAME))
        return font

    def _paint_x_axis(self, painter: QPainter, last: QRectF) -> None:
        font, named = self._name_font(last), self._named()
        painter.setFont(font)
        metrics, taken = QFontMetricsF(font), -1e9
        for place, text in self._picture.x_ticks:
            x, width = self._x(last, place), metrics.horizontalAdvance(text)
            if x - width / 2 < taken + (1 if named else GRID):
                continue
            taken = x + width / 2
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(
                QRectF(x - width / 2 - 2, last.bottom() + 4, width + 4, metrics.height()), Qt.AlignmentFlag.AlignCenter, text
            )
        painter.setFont(self.font())
        title = QRectF(last.left(), last.bottom() + metrics.height() + 4, last.width(), metrics.height())
        painter.drawText(title, Qt.AlignmentFlag.AlignCenter, self._picture.x_title)

    def _values(self, panel: Panel, x: float) -> str:
        parts, where = [], ""
        for series in panel.series:
            if not series.y.size:
                continue
            steps = series.form == "steps"
            place = int(np.searchsorted(series.x, x, side="right")) - 1 if steps else int(np.abs(series.x - x).argmin())
            if not 0 <= place < series.y.size or not np.isfinite(series.y[place]):
                continue
            where = where or self._where(series, place)
            parts.append(
                f"{series.name}: {tick_text(float(series.y[place]))}" if series.name else tick_text(float(series.y[place]))
            )
        return f"{panel.title} · {where} · {' · '.join(parts)}" if parts else ""

    def _where(self, series: Series, place: int) -> str:
        """The x of a point as its tick says it, or as the stretch of a step."""
        at = float(series.x[place])
        named = {round(where, 6): text for where, text in self._picture.x_ticks}
        if series.form != "steps":
            return named.get(round(at, 6), f"{at:g}")
        if len(self._picture.panels) > 1:
            return f"{at:.0f} … {series.x[place + 1] - 1:.0f}"
        middle = (at + float(series.x[place + 1])) / 2
        return "0" if named.get(round(middle, 6)) == "0" else f"{10**at:.1e} … {10 ** float(series.x[place + 1]):.1e}"
