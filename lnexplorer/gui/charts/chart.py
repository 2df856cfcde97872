"""The base classes of charts (colours, keys, the point under the cursor), and legends."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontInfo, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.axes import ChartAxis
from lnexplorer.gui.kit import (
    Theme,
    Themed,
    WrappedLabel,
    leave_unpolished,
    text_size,
    translate_message,
    unbroken,
    with_text,
)
from lnkernels.values import frozen, join_sentences

SPACE = "\u00a0"  # at which no line ends
LINES = {
    Qt.PenStyle.SolidLine: "━━━",
    Qt.PenStyle.DashLine: "╍╍╍",
    Qt.PenStyle.DotLine: "┉┉┉",
    Qt.PenStyle.DashDotLine: "━·━",
    Qt.PenStyle.DashDotDotLine: "━··",
}
SYMBOLS = {
    "x": "✕",
    "o": "●",
    "s": "■",
    "d": "◆",
    "h": "⬢",
    "t": "▼",
    "t1": "▲",
    "t2": "▶",
    "t3": "◀",
}  # by pyqtgraph's names


@frozen
class LegendEntry:
    """An entry of a legend."""

    text: str
    colour: str
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    symbol: str = ""  # as pyqtgraph calls it: "o" a circle, "t" a triangle; empty for none

    @property
    def sample(self) -> str:
        line = LINES[self.style]
        return f"{line[0]}{SYMBOLS[self.symbol]}{line[2]}" if self.symbol in SYMBOLS else line


class Legend(Themed, WrappedLabel):
    """A legend: entries side by side, in as many lines as they need."""

    entries: tuple[LegendEntry, ...] = ()

    def set_entries(self, entries: tuple[LegendEntry, ...]) -> None:
        self.entries = entries
        listed = join_sentences([entry.text for entry in entries], ", ")
        self.setAccessibleDescription(translate_message(listed))
        self.set_markup(legend_html(entries))

    def apply_theme(self) -> None:
        self.set_entries(self.entries)


def legend_html(entries: tuple[LegendEntry, ...]) -> str:
    """Return the entries as HTML; no line ends within an entry."""
    parts = [
        f'<span style="color:{entry.colour}">{entry.sample}</span>{SPACE}'
        f'<span style="color:{Theme.current.muted}">{unbroken(entry.text)}</span>'
        for entry in entries
    ]
    return f"{SPACE}{SPACE} ".join(parts)


class Saved(Themed):
    """A mixin of pictures that can be saved as a file, with a legend and lines below."""

    # Returns the lines below, which say what is shown and where it comes from; None for those of
    # the session's newest run.
    caption: Callable[[], tuple[str, ...]] | None = None
    legend: Callable[[], tuple[LegendEntry, ...]] | None = None  # None if it is in the picture


class Drawing(Saved, QWidget):
    """A picture that is not one plot: it paints itself, or holds several plots."""


GRID_ALPHA = 0.6
COLOURS = pg.colormap.get("cividis")  # of values in a map
MOVES = {  # to the right and up
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class Chart(Saved, pg.PlotWidget):
    """A plot without pyqtgraph's menus.

    Arrow keys move the view, + and − zoom, Home or a double click shows everything.
    """

    hovered = Signal(object)  # (x, y) in the chart's coordinates, or None when the cursor leaves
    clicked = Signal(float, float)  # the same

    def __init__(self, left: str = "number", bottom: str = "number") -> None:
        """Make a chart whose axes have these forms of ChartAxis."""
        self.left = ChartAxis("left", left)
        self.bottom = ChartAxis("bottom", bottom)
        # Without menus from the start: making their widgets takes a third of a chart's time.
        self.view = pg.ViewBox(enableMenu=False)
        self.axes: list[pg.AxisItem] = [self.left, self.bottom]
        axes = {"left": self.left, "bottom": self.bottom}
        super().__init__(axisItems=axes, viewBox=self.view)
        self.full_view: QRectF | None = None
        self._labels: dict[str, str] = {}
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 80)
        self.setFrameShape(self.Shape.NoFrame)
        plot = self.plotItem
        plot.setMenuEnabled(False)
        leave_unpolished(plot.ctrlMenu)  # which nobody sees: 45 widgets a chart
        plot.hideButtons()
        plot.layout.setContentsMargins(4, 8, 8, 4)
        for axis in self.axes:
            axis.setStyle(tickLength=-4, hideOverlappingLabels=True, maxTickLevel=1)
        plot.showGrid(x=True, y=True, alpha=GRID_ALPHA)
        self.view.sigResized.connect(self._show_labels)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.scene().sigMouseClicked.connect(self._on_mouse_clicked)

    def set_labels(self, bottom: str, left: str) -> None:
        self._labels = {"bottom": bottom, "left": left}
        self._style_labels()

    def apply_theme(self) -> None:
        theme = Theme.current
        self.setBackground(theme.surface)
        # One family instead of a list of preferred ones: it halves the time that the labels take to
        # paint.
        font = QFont(QFontInfo(self.font()).family())
        font.setPointSizeF(text_size())
        for axis in self.axes:
            axis.setStyle(tickFont=font)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setTickPen(pg.mkPen(theme.line))
        self._style_labels()

    def reset_view(self) -> None:
        """Show everything: the rectangle `full_view` if there is one, else all items."""
        if self.full_view is None:
            self.view.enableAutoRange()
        else:
            self.view.setRange(self.full_view, padding=0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        zooms = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Equal: 0.8, Qt.Key.Key_Minus: 1.25}
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Home:
            self.reset_view()
        elif key in MOVES:
            self._move(*MOVES[key])
        elif key in zooms:
            self.view.scaleBy((zooms[key], zooms[key]))
        else:
            event.ignore()
            return
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.reset_view()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(None)

    def _move(self, right: float, up: float) -> None:
        rect = self.view.viewRect()
        down = -up if self.view.yInverted() else up
        self.view.translateBy((0.1 * right * rect.width(), 0.1 * down * rect.height()))

    def _style_labels(self) -> None:
        for side, text in self._labels.items():
            axis = self.plotItem.getAxis(side)
            style = {"color": Theme.current.muted, "font-size": f"{text_size()}pt"}
            axis.setLabel(escape(text), **style)
        self._show_labels()

    def _show_labels(self) -> None:
        """Show the label of the left axis only if the chart is high enough for it."""
        if self._labels.get("left"):
            room = self.height() - self.bottom.height()
            self.left.showLabel(self.left.label.boundingRect().width() <= room)

    def _on_mouse_moved(self, scene_position: QPointF) -> None:
        if not self.view.sceneBoundingRect().contains(scene_position):
            self.hovered.emit(None)
            return
        point = self.view.mapSceneToView(scene_position)
        self.hovered.emit((point.x(), point.y()))

    def _on_mouse_clicked(self, event: Any) -> None:
        """Emit `clicked` if the left button was clicked within the axes."""
        place = event.scenePos()
        inside = self.view.sceneBoundingRect().contains(place)
        if event.button() == Qt.MouseButton.LeftButton and inside:
            point = self.view.mapSceneToView(place)
            self.clicked.emit(point.x(), point.y())


NEAR = 24  # px; a point further to the side is not under the cursor


class PointChart(Chart):
    """A chart of points that can be pointed at and chosen.

    Page Up and Page Down go from point to point; a click or Enter chooses one. Each point has a
    meaning, such as the number of a setting.
    """

    pointed = Signal(object)  # the meaning of the point under the cursor, or None
    chosen = Signal(object)  # the meaning of the point

    AXIS_WIDTH: int | None = None  # px of the left axis at usual text; None: as its numbers need

    def __init__(self, bottom: str = "number") -> None:
        super().__init__(bottom=bottom)
        self.current: object = None  # meaning of the point under the cursor
        self._spots: NDArray[np.float64] = np.empty((0, 2))
        self._meanings: list[object] = []
        self._drawn: list[pg.GraphicsObject] = []
        self._ring = pg.ScatterPlotItem(symbol="o", size=18, brush=None)
        self._cross = pg.InfiniteLine(angle=90)
        self._cross.setVisible(False)
        self._selected: object = None
        self._frame = pg.ScatterPlotItem(symbol="s", size=26, brush=None)  # around the selected one
        for level, item in ((20, self._ring), (19, self._cross), (18, self._frame)):
            item.setZValue(level)
            self.addItem(item, ignoreBounds=True)
        self.view.disableAutoRange()
        self.hovered.connect(
            lambda place: self._point_at(None if place is None else self.nearest(*place))
        )
        self.clicked.connect(self._on_clicked)

    def clear_items(self) -> None:
        for item in self._drawn:
            self.view.removeItem(item)
        self._drawn = []

    def draw_item(self, item: pg.GraphicsObject, level: float) -> None:
        """Add an item; items of a higher level cover others."""
        item.setZValue(level)
        # Not by the plot, which keeps lists for its menus: that takes a millisecond each time.
        self.view.addItem(item, ignoreBounds=True)
        self._drawn.append(item)

    def set_spots(self, spots: NDArray[np.float64], meanings: Sequence[object]) -> None:
        """Set the points: their places [points, 2], and the meaning of each."""
        self._spots = spots
        self._meanings = list(meanings)
        there = self.current in self._meanings
        self._point_at(self._meanings.index(self.current) if there else None)
        self.select(self._selected)

    def select(self, meaning: object) -> None:
        """Draw a frame around the point with this meaning, as soon as there is one."""
        self._selected = meaning
        places = [place for place, each in enumerate(self._meanings) if each == meaning]
        self._frame.setData(*self._spots[places[:1]].T)

    def nearest(self, x: float, y: float) -> int | None:
        """Return the point that is nearest to a place: to the side first, then in height."""
        if not self._meanings:
            return None
        width, height = self.view.viewPixelSize()
        across = np.abs(self._spots[:, 0] - x) / (width or 1)
        if across.min() > NEAR:
            return None
        distance = np.hypot(across, (self._spots[:, 1] - y) / (height or 1))
        return int(np.where(across <= across.min() + 1, distance, np.inf).argmin())

    def apply_theme(self) -> None:
        super().apply_theme()
        accent = Theme.current.accent
        self.left.setWidth(self.AXIS_WIDTH and with_text(self.AXIS_WIDTH))
        self._ring.setPen(pg.mkPen(accent, width=2))
        self._cross.setPen(pg.mkPen(accent, width=1, style=Qt.PenStyle.DotLine))
        self._frame.setPen(pg.mkPen(accent, width=3))
        self._draw()

    def _draw(self) -> None:
        """Draw the content again."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) and self._meanings:
            order = np.lexsort((self._spots[:, 1], self._spots[:, 0])).tolist()
            step = 1 if key == Qt.Key.Key_PageDown else -1
            at = 0
            if self.current in self._meanings:
                at = order.index(self._meanings.index(self.current)) + step
            self._point_at(order[at % len(order)])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.chosen.emit(self.current)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def _point_at(self, place: int | None) -> None:
        before, self.current = self.current, None if place is None else self._meanings[place]
        self._cross.setVisible(place is not None)
        if place is None:
            self._ring.setData([], [])
        else:
            x, y = self._spots[place]
            self._ring.setData([x], [y])
            self._cross.setValue(x)
        if self.current != before:
            self.pointed.emit(self.current)

    def _on_clicked(self, x: float, y: float) -> None:
        found = self.nearest(x, y)
        if found is not None:
            self.chosen.emit(self._meanings[found])
