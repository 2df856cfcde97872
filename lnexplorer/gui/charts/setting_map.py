"""A heat map of settings: one cell for each, whatever became of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from lnexplorer.gui.charts.axes import ValueAxis, ValueScale
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.charts.colour_bar import STEPS, colour_table
from lnexplorer.gui.charts.theme import LIGHT, Theme, with_text

GAP = 0.03  # of a cell, on each side
MOST_BOXES = 2500  # cells that are painted one by one
AXIS_WIDTH = 68  # px
TEXT_SHARE = 0.9  # of a cell's width that a number may take
PATTERNS = {
    "invalid": Qt.BrushStyle.BDiagPattern,
    "out_of_resources": Qt.BrushStyle.DiagCrossPattern,
    "timed_out": Qt.BrushStyle.HorPattern,
    "failed": Qt.BrushStyle.CrossPattern,
    "incorrect": Qt.BrushStyle.Dense6Pattern,
}


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SettingGrid:
    """What the map shows. [rows, columns] each; row 0 is at the bottom."""

    rows: ValueScale
    columns: ValueScale
    values: NDArray[np.float64]  # NaN where there is none
    states: NDArray[np.object_]  # a status, "" for a cell that is not measured yet, "running"
    texts: NDArray[np.object_]  # the values, as they are written
    words: dict[str, str]  # what stands in a cell without a value, by its state
    cells: NDArray[np.int64]  # numbers; -1 while there is no row
    best: Sequence[int] = ()  # numbers of cells
    falling: bool = False  # whether a small value is a good one

    def limits(self) -> tuple[float, float]:
        """The values that the two ends of the colours stand for."""
        known = self.values[np.isfinite(self.values)]
        return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def state_colour(state: str, theme: Theme) -> str:
    """Colour of a cell without a value."""
    return {"incorrect": theme.bad, "invalid": theme.muted}.get(state, theme.warning)


class _Cells(pg.GraphicsObject):
    """Paints the grid."""

    def __init__(self) -> None:
        super().__init__()
        self._grid: SettingGrid | None = None
        self._theme = LIGHT
        self.current: tuple[int, int] | None = None

    def show_grid(self, grid: SettingGrid | None, theme: Theme) -> None:
        self.prepareGeometryChange()
        self._grid, self._theme = grid, theme
        self.update()

    def boundingRect(self) -> QRectF:
        if self._grid is None:
            return QRectF()
        rows, columns = self._grid.values.shape
        return QRectF(-0.5, -0.5, columns, rows)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        del option, widget
        grid = self._grid
        if grid is None:
            return
        table = colour_table(self._theme.bad)
        low, high = grid.limits()
        span = high - low or 1.0
        width, height = (abs(size) or 1.0 for size in self.pixelSize())  # of a pixel, in cells
        metrics = QFontMetricsF(painter.font())
        roomy = metrics.height() * height < TEXT_SHARE
        painter.setPen(Qt.PenStyle.NoPen)
        if grid.values.size > MOST_BOXES:
            self._paint_image(painter, grid)
            self._paint_frames(painter, grid)
            return
        view = self.viewRect()
        for row in range(grid.values.shape[0]):
            for column in range(grid.values.shape[1]):
                box = QRectF(column - 0.5 + GAP, row - 0.5 + GAP, 1 - 2 * GAP, 1 - 2 * GAP)
                if not box.intersects(view):
                    continue
                value = grid.values[row, column]
                ink = self._theme.muted
                if np.isfinite(value):
                    share = (high - value if grid.falling else value - low) / span
                    index = round(share * (STEPS - 1))
                    painter.fillRect(box, QColor(*table[index].tolist()))
                    ink = "#ffffff" if share < 0.55 else "#101010"
                else:
                    self._paint_state(painter, box, str(grid.states[row, column]), (width, height))
                    ink = self._theme.text
                text = grid.texts[row, column] or grid.words.get(grid.states[row, column], "")
                if roomy and text and metrics.horizontalAdvance(text) * width < TEXT_SHARE:
                    self._write(painter, box, text, ink, (width, height))
        self._paint_frames(painter, grid)

    def _paint_image(self, painter: QPainter, grid: SettingGrid) -> None:
        """Very many cells as pixels: there is no room in them for more than a colour."""
        low, high = grid.limits()
        share = (high - grid.values if grid.falling else grid.values - low) / (high - low or 1.0)
        known = np.isfinite(share)
        pixels = np.zeros((*grid.values.shape, 4), np.uint8)
        pixels[known] = colour_table(self._theme.bad)[np.round(share[known] * (STEPS - 1)).astype(np.int64)]
        for state in PATTERNS:
            pixels[(grid.states == state) & ~known] = QColor(state_colour(state, self._theme)).getRgb()
        rows, columns = grid.values.shape
        image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
        painter.drawImage(self.boundingRect(), image)

    def _paint_state(self, painter: QPainter, box: QRectF, state: str, pixel: tuple[float, float]) -> None:
        theme = self._theme
        if state in PATTERNS:
            colour = QColor(state_colour(state, theme))
            colour.setAlpha(90)
            painter.save()
            painter.translate(box.left(), box.bottom())
            painter.scale(pixel[0], -pixel[1])  # hatches are as wide as on paper, whatever a cell's size
            painter.fillRect(QRectF(0, 0, box.width() / pixel[0], box.height() / pixel[1]), QBrush(colour, PATTERNS[state]))
            painter.restore()
        pen = QPen(QColor(theme.accent if state == "running" else theme.line))
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawRect(box)
        painter.setPen(Qt.PenStyle.NoPen)

    def _write(self, painter: QPainter, box: QRectF, text: str, ink: str, pixel: tuple[float, float]) -> None:
        painter.save()
        painter.translate(box.center())
        painter.scale(pixel[0], -pixel[1])
        painter.setPen(QColor(ink))
        room = QRectF(0, 0, box.width() / pixel[0], box.height() / pixel[1])
        room.moveCenter(QRectF().center())
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def _paint_frames(self, painter: QPainter, grid: SettingGrid) -> None:
        framed = [(tuple(place), self._theme.good, 4) for place in np.argwhere(np.isin(grid.cells, list(grid.best)))]
        if self.current is not None:
            framed.append((self.current, self._theme.accent, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for (row, column), colour, width in framed:
            pen = QPen(QColor(colour), width)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawRect(QRectF(column - 0.5 + GAP, row - 0.5 + GAP, 1 - 2 * GAP, 1 - 2 * GAP))


class SettingMap(Chart):
    """Point and click, or arrow keys and Enter, to choose a setting."""

    cellHovered = Signal(object)  # number of a cell, or None
    cellChosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._bottom, self._left = ValueAxis("bottom"), ValueAxis("left")
        super().__init__({"bottom": self._bottom, "left": self._left}, parent)
        self._grid: SettingGrid | None = None
        self._cells = _Cells()
        self.addItem(self._cells, ignoreBounds=True)
        self.grid.setVisible(False)
        self.view.setMouseEnabled(x=False, y=False)
        self.view.disableAutoRange()
        self.hovered.connect(self._on_hovered)
        self.scene().sigMouseClicked.connect(self._on_clicked)

    def set_grid(self, grid: SettingGrid | None) -> None:
        """Show another state of the sweep."""
        new_shape = grid is not None and (self._grid is None or self._grid.values.shape != grid.values.shape)
        self._grid = grid
        self._cells.show_grid(grid, self.theme)
        if grid is None:
            return
        self._bottom.set_scale_of(grid.columns)
        self._left.set_scale_of(grid.rows)
        if new_shape:
            rows, columns = grid.values.shape
            self._cells.current = None
            self.full_view = QRectF(-0.5, -0.5, columns, rows)
            self.reset_view()

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self._left.setWidth(with_text(AXIS_WIDTH))  # else its name stands in its numbers until they were painted
        self._cells.show_grid(self._grid, theme)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (1, 0), Qt.Key.Key_Down: (-1, 0)}
        key = Qt.Key(event.key())
        if self._grid is not None and key in moves:
            rows, columns = self._grid.values.shape
            row, column = self._cells.current or (0, 0)
            down, right = moves[key] if self._cells.current is not None else (0, 0)
            self._point_at((min(max(row + down, 0), rows - 1), min(max(column + right, 0), columns - 1)))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._number() is not None:
            self.cellChosen.emit(self._number())
        else:
            event.ignore()
            return
        event.accept()

    def _number(self) -> int | None:
        if self._grid is None or self._cells.current is None:
            return None
        number = int(self._grid.cells[self._cells.current])
        return number if number >= 0 else None

    def _point_at(self, place: tuple[int, int] | None) -> None:
        if place != self._cells.current:
            self._cells.current = place
            self._cells.update()
            self.cellHovered.emit(self._number())

    def _at(self, x: float, y: float) -> tuple[int, int] | None:
        if self._grid is None:
            return None
        row, column = round(y), round(x)
        rows, columns = self._grid.values.shape
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None

    def _on_hovered(self, place: tuple[float, float] | None) -> None:
        self._point_at(None if place is None else self._at(*place))

    def _on_clicked(self, event: object) -> None:
        place = event.scenePos()  # type: ignore[attr-defined]  # pyqtgraph's own kind of event
        if event.button() != Qt.MouseButton.LeftButton or not self.view.sceneBoundingRect().contains(place):  # type: ignore[attr-defined]
            return
        point = self.view.mapSceneToView(place)
        self._point_at(self._at(point.x(), point.y()))
        number = self._number()
        if number is not None:
            self.cellChosen.emit(number)
