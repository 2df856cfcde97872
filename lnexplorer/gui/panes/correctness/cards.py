"""The three pictures of the errors, each with its choices above it."""

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from lnexplorer.domain import wording
from lnexplorer.gui.charts.error_curves import ColumnChart
from lnexplorer.gui.charts.error_map import ErrorMapChart
from lnexplorer.gui.charts.legend import Legend, LegendEntry
from lnexplorer.gui.charts.panel_chart import EMPTY, PanelChart, error_histogram
from lnexplorer.gui.kit.theme import GRID, PROVIDER_COLOURS, Theme, with_text
from lnexplorer.gui.kit.widgets import Label, Segments, lay_column, lay_row
from lnkernels.values.accuracy import TENSORS, ColumnError, ErrorHistogram, ErrorMap

LEAST_CHART = 85  # px high at usual text: five lines, its axis included
MAPPED = ("y", "dx")  # results with a row and a column for each error


class Card(QWidget):
    """A title, the choice of a result, and room for more in one row above a picture."""

    said = Signal(str)  # what is under the cursor; "" when nothing is

    def __init__(self, tensors: tuple[str, ...]) -> None:
        super().__init__()
        self.title = Label()
        self.title.setProperty("look", "strong")
        self.tensor = Segments(tensors)
        self.head = lay_row(None, self.title, self.tensor, spacing=GRID)
        self.body = lay_column(self, self.head, spacing=GRID // 2)
        self.tensor.changed.connect(lambda _key: self.show_choice())

    def choose(self, tensor: str) -> None:
        if tensor in self.tensor.keys:
            self.tensor.choose(tensor)
            self.show_choice()

    def show_choice(self) -> None:
        """Show the result that is chosen."""


class MapCard(Card):
    """|kernel − truth| of y or dx, element by element."""

    partWanted = Signal(str, int, int, int, int)  # result, row, row stop, column, column stop

    def __init__(self) -> None:
        super().__init__(MAPPED)
        self.map = ErrorMapChart()
        self.worst = QToolButton()
        self.worst.clicked.connect(self.map.show_worst)
        self.head.addWidget(self.worst)
        self.head.addStretch(1)
        self.body.addWidget(self.map, 1)
        self._maps: dict[str, ErrorMap] = {}
        self._can_zoom = True
        self.map.tileHovered.connect(self._on_hovered)
        self.map.partWanted.connect(self._on_part_wanted)

    def set_maps(self, maps: tuple[ErrorMap, ...], can_zoom: bool) -> None:
        """Show another run's errors; `can_zoom` says whether finer parts can be had."""
        self._maps = {error_map.name: error_map for error_map in maps if error_map.values.size}
        self._can_zoom = can_zoom
        self.show_choice()

    def set_part(self, error_map: ErrorMap) -> None:
        if error_map.name == self.tensor.current and error_map.values.size:
            self.map.set_part(error_map)

    def apply_theme(self, theme: Theme) -> None:
        self.map.apply_theme(theme)

    def retranslate(self) -> None:
        self.title.setText(self.tr("Error map"))
        self.title.setToolTip(
            self.tr(
                "Absolute error of kernel − truth. A tile shows the largest error of its elements."
            )
        )
        self.tensor.set_text("y", "y", self.tr("Errors of the output"))
        self.tensor.set_text("dx", "dx", self.tr("Errors of the input's gradient"))
        self.worst.setText(self.tr("Go to largest"))
        self.worst.setToolTip(
            self.tr(
                "Zoom to the element with the largest error, or to the first that is NaN or"
                " infinite"
            )
        )
        self.worst.setAccessibleName(self.tr("Zoom to the largest error"))
        self.map.set_labels(self.tr("column"), self.tr("row"))
        self.map.setAccessibleName(self.tr("Map of the absolute errors by row and column"))
        self.map.setToolTip(
            self.tr(
                "Red is NaN or infinite. Wheel or + and − zoom, drag or arrow keys move, double"
                " click or Home shows everything."
            )
        )

    def show_choice(self) -> None:
        self.map.set_whole(self._maps.get(self.tensor.current))

    def _on_part_wanted(self, row: int, row_stop: int, column: int, column_stop: int) -> None:
        if self._can_zoom:
            self.partWanted.emit(self.tensor.current, row, row_stop, column, column_stop)

    def _on_hovered(self, tile: tuple[range, range, float] | None) -> None:
        if tile is None:
            self.said.emit("")
            return
        rows, columns, value = tile
        one = len(rows) == 1 and len(columns) == 1
        several = self.tr("{name} at rows {rows}, columns {columns}: error at most {value}")
        text = self.tr("{name} at row {rows}, column {columns}: error {value}") if one else several
        row_text, column_text = (
            wording.span(rows.start, rows.stop),
            wording.span(columns.start, columns.stop),
        )
        name = self.tensor.current
        self.said.emit(
            text.format(name=name, rows=row_text, columns=column_text, value=wording.error(value))
        )


class SidesCard(Card):
    """A picture of kernel and PyTorch side by side."""

    def __init__(self, tensors: tuple[str, ...], chart: ColumnChart | PanelChart) -> None:
        super().__init__(tensors)
        self.legend = Legend()
        self._plot = chart
        chart.legend = lambda: self.legend.entries
        self.legend.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.head.addWidget(self.legend, 1)
        self.body.addWidget(chart, 1)
        self._found: dict[str, Any] = {}  # by the name of the result
        self.strategy = "locked"

    def set_found(self, found: Iterable[Any], strategy: str) -> None:
        """Show what was found of each result, in the strategy's colour."""
        self._found = {each.name: each for each in found}
        self.strategy = strategy
        self.show_choice()

    @property
    def colours(self) -> tuple[str, str]:
        return (
            PROVIDER_COLOURS.get(self.strategy, PROVIDER_COLOURS["locked"]),
            PROVIDER_COLOURS["torch"],
        )

    def apply_theme(self, theme: Theme) -> None:
        self.legend.apply_theme(theme)
        self._plot.apply_theme(theme)
        self._plot.setMinimumHeight(with_text(LEAST_CHART))

    def retranslate(self) -> None:
        for name in self.tensor.keys:
            self.tensor.set_text(name, name, self.tr("Errors of {name}").format(name=name))
        self.show_choice()

    def show_choice(self) -> None:
        kernel, torch = self.colours
        self.legend.set_entries(
            (
                LegendEntry(self.tr("kernel"), kernel),
                LegendEntry("PyTorch", torch, Qt.PenStyle.DashLine),
            )
        )


class ColumnCard(SidesCard):
    """Errors of dw and db by column."""

    def __init__(self) -> None:
        self.chart = ColumnChart()
        super().__init__(("dw", "db"), self.chart)
        self.chart.columnHovered.connect(self._on_hovered)

    def show_choice(self) -> None:
        super().show_choice()
        column: ColumnError | None = self._found.get(self.tensor.current)
        self.chart.set_values(() if column is None else (column.kernel, column.torch), self.colours)

    def retranslate(self) -> None:
        super().retranslate()
        self.title.setText(self.tr("Error by column"))
        self.title.setToolTip(self.tr("Absolute error of kernel and PyTorch against the truth."))
        self.chart.set_labels(self.tr("column"), self.tr("absolute error"))
        self.chart.setToolTip(
            self.tr(
                "Wheel or + and − zoom, drag or arrow keys move, double click or Home shows"
                " everything."
            )
        )
        self.chart.setAccessibleName(self.tr("Absolute errors of dw or db by column"))

    def _on_hovered(self, found: tuple[int, list[float]] | None) -> None:
        if found is None:
            self.said.emit("")
            return
        column, values = found
        text = self.tr("{name} at column {columns}: kernel {kernel}, PyTorch {torch}")
        kernel, torch = (wording.error(value) for value in values)
        self.said.emit(
            text.format(name=self.tensor.current, columns=column, kernel=kernel, torch=torch)
        )


class HistogramCard(SidesCard):
    """How often which error occurs."""

    def __init__(self) -> None:
        self.chart = PanelChart()
        super().__init__(TENSORS, self.chart)
        self._log = True
        self.chart.hovered.connect(
            lambda text: self.said.emit(f"{self.tensor.current} · {text}" if text else "")
        )

    def set_log(self, log: bool) -> None:
        self._log = log
        self.show_choice()

    def show_choice(self) -> None:
        super().show_choice()
        histogram: ErrorHistogram | None = self._found.get(self.tensor.current)
        texts = self.tr("kernel"), self.tr("elements"), self.tr("absolute error")
        self.chart.set_picture(
            EMPTY
            if histogram is None
            else error_histogram(histogram, self.colours, *texts, log=self._log)
        )

    def retranslate(self) -> None:
        super().retranslate()
        self.title.setText(self.tr("Histogram"))
        self.title.setToolTip(
            self.tr("How many elements have which error; exact ones at the left, at 0.")
        )
        self.chart.setAccessibleName(self.tr("Histogram of the absolute errors"))
