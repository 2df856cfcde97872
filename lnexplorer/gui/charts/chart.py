"""What every chart has in common: colours of the theme, keys, the point under the cursor."""

from collections.abc import Callable
from html import escape

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontInfo, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.axes import GridLines
from lnexplorer.gui.charts.legend import LegendEntry
from lnexplorer.gui.charts.theme import LIGHT, Theme, text_size


class Drawing(QWidget):
    """Its colours, and what is printed beside it where it is saved."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        # Lines that say what is shown and where it comes from, where that is not the session's newest run.
        self.caption: Callable[[], tuple[str, ...]] | None = None
        self.legend: Callable[[], tuple[LegendEntry, ...]] | None = None  # where it stands beside the picture


SIDES = ("left", "bottom")


class Chart(pg.PlotWidget):
    """A plot without pyqtgraph's menus.

    Arrow keys move the view, + and − zoom, Home or a double click shows everything.
    """

    hovered = Signal(object)  # (x, y) in the chart's coordinates, or None when the cursor leaves

    def __init__(self, axes: dict[str, pg.AxisItem], parent: QWidget | None = None) -> None:
        # Menus off from the start: the widgets of a view's menu take a third of the time that a chart takes to make.
        super().__init__(parent=parent, axisItems=axes, viewBox=pg.ViewBox(enableMenu=False))
        self.theme: Theme = LIGHT
        self.full_view: QRectF | None = None
        # Lines that say what is shown and where it comes from, where that is not the session's newest run.
        self.caption: Callable[[], tuple[str, ...]] | None = None
        self.legend: Callable[[], tuple[LegendEntry, ...]] | None = None  # where it stands beside the chart
        self._labels: dict[str, str] = {}
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 80)
        self.setFrameShape(self.Shape.NoFrame)
        plot = self.getPlotItem()
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.layout.setContentsMargins(4, 8, 8, 4)
        for side in SIDES:
            plot.getAxis(side).setStyle(tickLength=-4, hideOverlappingLabels=True)
        self.grid = GridLines(*(plot.getAxis(side) for side in SIDES))
        self.addItem(self.grid, ignoreBounds=True)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)

    @property
    def view(self) -> pg.ViewBox:
        """The part of the chart inside its axes."""
        return self.getPlotItem().getViewBox()

    def set_labels(self, bottom: str, left: str) -> None:
        """Name the axes, units included."""
        self._labels = {"bottom": bottom, "left": left}
        self._style_labels()

    def apply_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.setBackground(theme.surface)
        self.grid.set_colour(theme.line)
        # One family instead of a list of preferred ones: it halves the time that the labels take to paint.
        font = QFont(QFontInfo(self.font()).family())
        font.setPointSizeF(text_size())
        for side in SIDES:
            axis = self.getPlotItem().getAxis(side)
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
        moves = {Qt.Key.Key_Left: (-0.1, 0), Qt.Key.Key_Right: (0.1, 0), Qt.Key.Key_Up: (0, 0.1), Qt.Key.Key_Down: (0, -0.1)}
        zooms = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Equal: 0.8, Qt.Key.Key_Minus: 1.25}
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Home:
            self.reset_view()
        elif key in moves:
            self._move(*moves[key])
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
        self.view.translateBy((right * rect.width(), down * rect.height()))

    def _style_labels(self) -> None:
        for side, text in self._labels.items():
            axis = self.getPlotItem().getAxis(side)
            axis.setLabel(escape(text), **{"color": self.theme.muted, "font-size": f"{text_size()}pt"})

    def _on_mouse_moved(self, scene_position: QPointF) -> None:
        if not self.view.sceneBoundingRect().contains(scene_position):
            self.hovered.emit(None)
            return
        point = self.view.mapSceneToView(scene_position)
        self.hovered.emit((point.x(), point.y()))
