"""Base classes of charts: colours of the theme, keys, the point under the cursor; and legends."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontInfo, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.kit import (
    Theme,
    Themed,
    WrappedLabel,
    leave_unpolished,
    text_size,
    translate_message,
    with_text,
)
from lnkernels.values import frozen, join_sentences

SPACE = "\u00a0"  # where no line ends
JOINER = "\u2060"  # of two letters, between which no line ends
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
    """The entry of one line."""

    text: str
    colour: str
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    symbol: str = ""  # as pyqtgraph calls it: "o" a circle, "t" a triangle; empty for none

    @property
    def sample(self) -> str:
        line = LINES[self.style]
        return f"{line[0]}{SYMBOLS[self.symbol]}{line[2]}" if self.symbol in SYMBOLS else line


class Legend(Themed, WrappedLabel):
    """Shows entries side by side, in as many lines as they need."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[LegendEntry, ...] = ()

    def set_entries(self, entries: tuple[LegendEntry, ...]) -> None:
        self.entries = entries
        listed = join_sentences([entry.text for entry in entries], ", ")
        self.setAccessibleDescription(translate_message(listed))
        self.set_markup(legend_html(entries))

    def apply_theme(self) -> None:
        self.set_entries(self.entries)


def legend_html(entries: tuple[LegendEntry, ...]) -> str:
    """Return the entries as rich text, none of them broken."""
    parts = [
        f'<span style="color:{entry.colour}">{entry.sample}</span>{SPACE}'
        f'<span style="color:{Theme.current.muted}">{_unbroken(entry.text)}</span>'
        for entry in entries
    ]
    return f"{SPACE}{SPACE} ".join(parts)


def _unbroken(text: str) -> str:
    """Keep a text in one line: Chinese breaks after any letter, unless something joins them."""
    joined = text if text.isascii() else JOINER.join(text)
    return escape(joined).replace(" ", SPACE)


class Saved(Themed):
    """A picture with lines that are printed beside it when it is saved."""

    # Returns lines that say what is shown and where it comes from, if that is not the session's
    # newest run.
    caption: Callable[[], tuple[str, ...]] | None = None
    legend: Callable[[], tuple[LegendEntry, ...]] | None = None  # if it is beside the picture


class Drawing(Saved, QWidget):
    """A picture that is no plot, or several plots."""


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

    def __init__(self, left: pg.AxisItem, bottom: pg.AxisItem) -> None:
        # Menus off from the start: the widgets of a view's menu take a third of the time that a
        # chart takes to make.
        view = pg.ViewBox(enableMenu=False)
        super().__init__(axisItems={"left": left, "bottom": bottom}, viewBox=view)
        self.view = view
        self.left = left
        self.bottom = bottom
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
        for axis in (left, bottom):
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
        for axis in (self.left, self.bottom):
            axis.setStyle(tickFont=font)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setTickPen(pg.mkPen(theme.line))
        self._style_labels()

    def reset_view(self) -> None:
        """Show everything: the rectangle given as `full_view`, or else what there is."""
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
        """Hide the upright label if a low chart would cut it: the chart's title has to do."""
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
        """Emit `clicked`; `event` is pyqtgraph's MouseClickEvent, which has no types."""
        place = event.scenePos()
        inside = self.view.sceneBoundingRect().contains(place)
        if event.button() == Qt.MouseButton.LeftButton and inside:
            point = self.view.mapSceneToView(place)
            self.clicked.emit(point.x(), point.y())


NEAR = 24  # px within which the column of a point is under the cursor


class PointChart(Chart):
    """A chart of points. The user points at one, or goes from one to the next with Page Up and Page
    Down, and clicks it or presses Enter.
    """

    pointed = Signal(object)  # at what the point stands for, or None
    chosen = Signal(object)  # what it stands for

    AXIS_WIDTH: int | None = None  # px at usual text; as wide as its numbers if not given

    def __init__(self, left: pg.AxisItem, bottom: pg.AxisItem) -> None:
        super().__init__(left, bottom)
        self.current: object = None  # what is under the cursor
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
        """Add an item; those of a higher level cover others."""
        item.setZValue(level)
        # The plot's own way keeps lists for menus, a millisecond each time.
        self.view.addItem(item, ignoreBounds=True)
        self._drawn.append(item)

    def set_spots(self, spots: NDArray[np.float64], meanings: Sequence[object]) -> None:
        """Set what can be pointed at: places [points, 2], and the meaning of each."""
        self._spots = spots
        self._meanings = list(meanings)
        there = self.current in self._meanings
        self._point_at(self._meanings.index(self.current) if there else None)
        self.select(self._selected)

    def select(self, meaning: object) -> None:
        """Draw a frame around the point that stands for this, as soon as there is one."""
        self._selected = meaning
        places = [place for place, each in enumerate(self._meanings) if each == meaning]
        self._frame.setData(*self._spots[places[:1]].T)

    def nearest(self, x: float, y: float) -> int | None:
        """Return the point in the column under the cursor that is nearest in height."""
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
        """Draw anew what is shown."""

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
