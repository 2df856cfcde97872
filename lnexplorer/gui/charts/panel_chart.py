"""Panels over one x axis, each with its own y scale, or rows of bars. Drawn at once: no scene, cheap to make."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.gui.charts.axes import linear_ticks, log_ticks, tick_text
from lnexplorer.gui.charts.chart import Drawing
from lnexplorer.gui.charts.legend import LegendEntry
from lnexplorer.gui.charts.theme import GRID, Theme, with_text

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Series:
    """One line, staircase or row of bars. What is NaN is not drawn."""

    name: str
    colours: tuple[str, ...]  # one for all, or one for each bar
    x: Numbers  # [points]; of steps the edges, [points + 1]
    y: Numbers  # [points]
    form: str = "line"  # line, steps, or bars, of which a panel has one series
    dashed: bool = False
    labels: tuple[str, ...] = ()  # of each bar, written at its end


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Panel:
    """One y scale with its title, unit included."""

    title: str
    series: tuple[Series, ...]
    log: bool
    absent: str = ""  # said in the place of the curves where there are none
    whole: bool = False  # counts: ticks are whole numbers

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(np.isfinite(series.y).any() for series in self.series)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Picture:
    """All panels of one experiment."""

    panels: tuple[Panel, ...]
    x_title: str
    x_range: tuple[float, float]
    x_ticks: tuple[tuple[float, str], ...]  # of bars their names
    columns: int = 1  # of panels beside each other, where they have room


EMPTY = Picture(panels=(), x_title="", x_range=(0.0, 1.0), x_ticks=())


def bar_panel(
    title: str, values: Sequence[float | None], labels: Sequence[str], colours: Sequence[str], absent: str = ""
) -> Panel:
    """A row of bars, each with its value written at its end; a value that is None has none."""
    y = np.array([np.nan if value is None else value for value in values], np.float64)
    x = np.arange(y.size, dtype=np.float64)
    bars = Series(name="", colours=tuple(colours), x=x, y=y, form="bars", labels=tuple(labels))
    return Panel(title=title, series=(bars,), log=False, absent=absent)


def bar_picture(panels: Sequence[Panel], names: Sequence[str]) -> Picture:
    """Rows of bars with the same names."""
    ticks = tuple((float(place), name) for place, name in enumerate(names))
    return Picture(panels=tuple(panels), x_title="", x_range=(-0.6, len(names) - 0.4), x_ticks=ticks, columns=2)


def scale_of(panel: Panel) -> tuple[float, float]:
    """Least and largest y of a panel, in its coordinates: log10 of what is positive, or from zero on."""
    values = np.concatenate([series.y[np.isfinite(series.y)] for series in panel.series]) if panel.series else np.empty(0)
    if panel.log:
        values = np.log10(values[values > 0])
        if not values.size:
            return 0.0, 1.0
        low, high = float(values.min()), float(values.max())
        margin = max(0.08 * (high - low), 0.08)
        return low - margin, high + margin
    high = float(values.max()) if values.size else 1.0
    bars = any(series.form == "bars" for series in panel.series)  # values have room of their own
    return 0.0, (1.0 if bars else 1.08) * (high if high > 0 else 1.0)


LINES_APART = 1.2  # of text, from one tick to the next
MOST_EVEN = 6  # ticks of an even scale


def panel_ticks(low: float, high: float, lines: float, *, log: bool, whole: bool = False) -> list[float]:
    """Places of labels, none closer to another than can be read.

    Args: low: least value of the scale, as log10 where it is logarithmic. high: largest. lines: of text, the height of
        the scale. log: powers of ten come first; 2 and 5 of each fill what is left, so that a decade and a half has
        more than one number. whole: only whole numbers.
    """
    most = max(int(lines / LINES_APART) + 1, 2)
    if not log:
        places = linear_ticks(low, high, min(most, MOST_EVEN))
        return apart([place for place in places if not whole or place == round(place)], low, high, lines)
    found = log_ticks(low, high, most)
    powers = [place for place in found if place == round(place)]
    if len(powers) > 2 or len(found) == len(powers):
        return apart(found, low, high, lines)
    return apart([*powers, *(place for place in reversed(found) if place not in powers)], low, high, lines)


def apart(places: list[float], low: float, high: float, lines: float) -> list[float]:
    """Those that are far enough from all before them, in rising order."""
    least = LINES_APART / max(lines, 1e-9) * (high - low)
    taken: list[float] = []
    for place in places:
        if all(abs(place - other) >= least * (1 - 1e-9) for other in taken):
            taken.append(place)
    return sorted(taken)


def grid_places(low: float, high: float, ticks: list[float], *, log: bool) -> list[float]:
    """Where lines are drawn: at the ticks, and at every power of ten."""
    powers = [float(power) for power in range(math.ceil(low), math.floor(high) + 1)] if log else []
    return sorted({*ticks, *powers})


def label_of(value: float) -> str:
    """A number beside the scale: 0.01 and 10000 rather than with an exponent."""
    return f"{value:.4g}" if 1e-3 <= abs(value) < 1e4 else tick_text(value)


LINES = 1.15  # of text, the least height of a bar with the gap to the next
MOST_LINES = 3.0  # and the largest: bars are no blocks
THICK = 0.62  # of that height
NARROWEST_BARS = 16 * GRID  # px, a panel beside others
BARS_GAP = 3 * GRID  # between panels beside each other
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
    each = (width - left - BARS_GAP * (columns - 1)) / columns
    high = (height - GRID * (rows - 1)) / rows
    high = min(high, line + MOST_LINES * line * max(len(picture.x_ticks), 1))
    return [
        QRectF(
            left + place % columns * (each + BARS_GAP), place // columns * (high + GRID) + line, max(each, 1), max(high - line, 1)
        )
        for place in range(count)
    ]


def bar_columns(picture: Picture, metrics: QFontMetricsF, width: float) -> int:
    """All panels beside each other where they can be read, as many as the picture says elsewhere."""
    count = len(picture.panels)
    titles = max(metrics.horizontalAdvance(panel.title) for panel in picture.panels) - TITLE_OVER
    values = max(metrics.horizontalAdvance(label) for panel in picture.panels for label in panel.series[0].labels or ("",))
    least = max(with_text(NARROWEST_BARS), titles, 2 * values)
    wide = width - name_room(picture, metrics) >= count * (least + BARS_GAP) - BARS_GAP
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


POINT = 4.0  # px, radius
GAP = GRID
TICK_ROOM = 56  # px, left of the scales
LABEL_GAP = 6  # px, least, between two labels of the x axis
FILL_ALPHA = 60
LEGIBLE_LINES = 2.9  # of text, the height of a panel
NARROWEST = 36 * GRID  # px, a panel beside others


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

    def entries(self) -> tuple[LegendEntry, ...]:
        """What the lines and steps are."""
        named = {series.name: series for panel in self._picture.panels for series in panel.series if series.name}
        return tuple(
            LegendEntry(
                series.name,
                series.colours[0],
                Qt.PenStyle.DashLine if series.dashed else Qt.PenStyle.SolidLine,
                "o" if series.form == "line" else "",
            )
            for series in named.values()
        )

    def apply_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        areas, columns = self.areas(), self._columns(self.width())
        for panel, area in zip(self._picture.panels, areas, strict=True):
            self._paint_panel(painter, panel, area)
        if has_bars(self._picture):
            for area in areas[::columns]:
                painter.setFont(fitting_font(self.font(), area.height() / max(len(self._picture.x_ticks), 1)))
                paint_names(painter, self._picture, area, self.theme)
            return
        for area in areas[-columns:]:
            self._paint_x_axis(painter, area)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self.values_at(event.position()))

    def values_at(self, position: QPointF) -> str:
        """The values of the panel at a point; nothing outside."""
        for panel, area in zip(self._picture.panels, self.areas(), strict=True):
            if area.contains(position):
                return self._values(panel, self._x_at(area, position))
        return ""

    def legible_height(self, width: int) -> int:
        """Height in which the panels of a picture can be read, with their titles and what is written on bars."""
        rows, line = -(-len(self._picture.panels) // self._columns(width)), QFontMetricsF(self.font()).height()
        bars = has_bars(self._picture)
        lines = rows * (1 + LINES * len(self._picture.x_ticks)) if bars else rows * LEGIBLE_LINES + 2.4
        return round(line * lines) + GAP * (rows - 1)

    def _columns(self, width: int) -> int:
        """How many panels stand beside each other."""
        if has_bars(self._picture):
            return bar_columns(self._picture, QFontMetricsF(self.font()), width)
        return self._picture.columns if width >= self._picture.columns * with_text(NARROWEST) else 1

    def areas(self) -> list[QRectF]:
        """The inner rectangle of each panel."""
        count, columns = len(self._picture.panels), self._columns(self.width())
        if count == 0:
            return []
        if has_bars(self._picture):
            return bar_areas(self._picture, QFontMetricsF(self.font()), columns, self.width(), self.height())
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

    def _x_at(self, area: QRectF, position: QPointF) -> float:
        if has_bars(self._picture):
            stripes = bar_rows(area, len(self._picture.x_ticks))
            return next(
                (x for stripe, (x, _) in zip(stripes, self._picture.x_ticks, strict=True) if position.y() < stripe.bottom()),
                self._picture.x_range[1],
            )
        low, high = self._picture.x_range
        return low + (position.x() - area.left()) / area.width() * (high - low)

    def _paint_panel(self, painter: QPainter, panel: Panel, area: QRectF) -> None:
        theme, metrics = self.theme, QFontMetricsF(self.font())
        wide = area.width() + (TITLE_OVER if has_bars(self._picture) else 0)  # into the gap to the next
        title = QRectF(area.left(), area.top() - metrics.height() - 2, wide, metrics.height())
        painter.setPen(QColor(theme.text))
        painter.setFont(self.font())
        words = metrics.elidedText(panel.title, Qt.TextElideMode.ElideRight, title.width())
        painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
        if not has_bars(self._picture):
            painter.fillRect(area, QColor(theme.surface))
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.drawLine(area.bottomLeft(), area.bottomRight())
        if panel.empty:
            painter.setPen(QColor(theme.muted))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, panel.absent)
            return
        if has_bars(self._picture):
            painter.setFont(fitting_font(self.font(), area.height() / max(len(self._picture.x_ticks), 1)))
            paint_bars(painter, panel, area, theme)
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
        ticks = panel_ticks(low, high, area.height() / metrics.height(), log=panel.log, whole=panel.whole)
        for place in grid_places(low, high, ticks, log=panel.log):
            y = area.bottom() - (place - low) / (high - low) * area.height()
            painter.setPen(QPen(QColor(self.theme.line), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            if place not in ticks:
                continue
            painter.setPen(QColor(self.theme.muted))
            box = QRectF(
                area.left() - with_text(TICK_ROOM), y - metrics.height() / 2, with_text(TICK_ROOM) - GRID, metrics.height()
            )
            text = f"{place:.0f}" if panel.whole else label_of(10.0**place if panel.log else place)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_series(self, painter: QPainter, series: Series, panel: Panel, area: QRectF, scale: tuple[float, float]) -> None:
        low, high = scale
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.log10(series.y) if panel.log else series.y
        ys = area.bottom() - (values - low) / (high - low) * area.height()
        xs = np.array([self._x(area, float(x)) for x in series.x])
        colour = QColor(series.colours[0])
        if series.form == "steps":
            self._paint_steps(painter, series, xs, ys, area.bottom())
            return
        points = [QPointF(x, y) for x, y in zip(xs, ys, strict=True) if np.isfinite(y)]
        painter.setPen(QPen(colour, 2, Qt.PenStyle.DashLine if series.dashed else Qt.PenStyle.SolidLine))
        painter.drawPolyline(QPolygonF(points))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for point in points:
            painter.drawEllipse(point, POINT, POINT)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_steps(self, painter: QPainter, series: Series, xs: Numbers, ys: Numbers, bottom: float) -> None:
        """Each stretch of steps above zero as one shape: lines between steps of the same height would be stripes."""
        colour = QColor(series.colours[0])
        fill = QColor(colour)
        fill.setAlpha(0 if series.dashed else FILL_ALPHA)
        painter.setPen(QPen(colour, 1.5, Qt.PenStyle.DashLine if series.dashed else Qt.PenStyle.SolidLine))
        painter.setBrush(fill)
        above = np.isfinite(ys) & (ys < bottom)
        change = np.flatnonzero(np.diff(np.concatenate(([False], above, [False])).astype(np.int8)))
        for first, after in zip(change[::2], change[1::2], strict=True):
            points = [QPointF(xs[first], bottom)]
            for place in range(first, after):
                right = max(xs[place + 1], xs[place] + 1.5)
                points += [QPointF(xs[place], ys[place]), QPointF(right, ys[place])]
            points.append(QPointF(points[-1].x(), bottom))
            painter.drawPolygon(QPolygonF(points))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_x_axis(self, painter: QPainter, last: QRectF) -> None:
        metrics = QFontMetricsF(self.font())
        painter.setPen(QColor(self.theme.muted))
        for x, text in self._labels(last, metrics):
            width = metrics.horizontalAdvance(text)
            painter.drawText(
                QRectF(x - width / 2 - 2, last.bottom() + 4, width + 4, metrics.height()), Qt.AlignmentFlag.AlignCenter, text
            )
        title = QRectF(last.left(), last.bottom() + metrics.height() + 4, last.width(), metrics.height())
        painter.drawText(title, Qt.AlignmentFlag.AlignCenter, self._picture.x_title)

    def _labels(self, area: QRectF, metrics: QFontMetricsF) -> list[tuple[float, str]]:
        """Place and text of the ticks that have room: all of them, or every second, third and so on."""
        ticks = [(self._x(area, place), text) for place, text in self._picture.x_ticks]
        for step in range(1, len(ticks)):
            chosen = ticks[::step]
            halves = [metrics.horizontalAdvance(text) / 2 for _, text in chosen]
            gaps = [right[0] - left[0] for left, right in pairwise(chosen)]
            if all(gap >= one + other + LABEL_GAP for gap, (one, other) in zip(gaps, pairwise(halves), strict=True)):
                return chosen
        return ticks[:1]

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
            value = series.labels[place] if place < len(series.labels) else tick_text(float(series.y[place]))
            parts.append(f"{series.name}: {value}" if series.name else value)
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
