"""How far y, dx, dw and db are from the truth: a table with their verdicts, and three pictures."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import (
    QCheckBox,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QToolTip,
    QWidget,
)

from lnexplorer.domain import wording
from lnexplorer.domain.panels import EMPTY, PanelPicture, column_errors, error_histogram
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.views import CorrectnessView
from lnexplorer.gui.charts.chart import Chart, Legend
from lnexplorer.gui.charts.error_charts import ErrorMapChart
from lnexplorer.gui.charts.error_table import CheckTable
from lnexplorer.gui.charts.panel_chart import PanelChart
from lnexplorer.gui.charts.speed_chart import provider_colour
from lnexplorer.gui.kit import (
    GRID,
    RIGHT,
    Arranged,
    FoldedRow,
    Label,
    Readout,
    Retranslated,
    Segments,
    lay_column,
    lay_row,
    translate_message,
    with_text,
)
from lnkernels.values import Sentence, Words, say
from lnkernels.values.accuracy import TENSORS, ColumnError, Correctness, ErrorHistogram, ErrorMap
from lnkernels.values.environment import Kind

LEAST_CHART = 85  # px high at usual text: five lines, its axis included
Errors: TypeAlias = ColumnError | ErrorHistogram


class Card(Retranslated, QWidget):
    """A title, the choice of a result, and room for more in one row above a picture."""

    said = Signal(object)  # a sentence about what is under the cursor, or "" for nothing

    def __init__(
        self,
        title: Sentence,
        help_: Sentence,
        tensors: Mapping[str, Sentence],
        chart: Chart | PanelChart,
        name: Sentence,
        tip: Words = "",
    ) -> None:
        super().__init__()
        self.title = Label(look="strong")
        self.write_on(self.title, title, help_)
        self.write_on(chart, tip=tip, name=name)
        self.tensor = Segments({name: (name, tip) for name, tip in tensors.items()})
        self.head = lay_row(None, self.title, self.tensor, spacing=GRID)
        lay_column(self, self.head, (chart, 1), spacing=GRID // 2)
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
        self.map = ErrorMapChart()
        super().__init__(
            say("Error map"),
            say(
                "Absolute error of kernel − truth. A tile shows the largest error of its elements."
            ),
            {"y": say("Errors of the output"), "dx": say("Errors of the input's gradient")},
            self.map,
            say("Map of the absolute errors by row and column"),
            say(
                "Red is NaN or infinite. Wheel or + and − zoom, drag or arrow keys move, double"
                " click or Home shows everything. A click on an element tells its values."
            ),
        )
        self.worst = QToolButton()
        self.write_on(
            self.worst,
            say("Go to largest"),
            say(
                "Zoom to the element with the largest error, or to the first that is NaN or"
                " infinite"
            ),
            say("Zoom to the largest error"),
        )
        self.worst.clicked.connect(self.map.show_worst)
        self.head.addWidget(self.worst)
        self.head.addStretch(1)
        self._maps: dict[str, ErrorMap] = {}
        self._can_zoom = True
        # Row and column of the element that was clicked last, and its values.
        self._element: tuple[tuple[int, int], Sentence] | None = None
        self.map.tileHovered.connect(self._on_hovered)
        self.map.partWanted.connect(self._on_part_wanted)
        self.retranslate()

    def set_maps(self, maps: tuple[ErrorMap, ...], can_zoom: bool) -> None:
        """Show another run's errors; `can_zoom` says whether finer parts can be had."""
        self._maps = {error_map.name: error_map for error_map in maps if error_map.values.size}
        self._can_zoom = can_zoom
        self._element = None
        self.show_choice()

    def set_part(self, error_map: ErrorMap) -> None:
        if error_map.name != self.tensor.current or not error_map.values.size:
            return
        if error_map.element is None:
            self.map.set_part(error_map)
            return
        got, torch, truth = map(wording.element, error_map.element)
        place = (error_map.row_start, error_map.column_start)
        sentence = say(
            "{name} at row {row}, column {column}: kernel {got}, PyTorch {torch}, float64 {truth};"
            " error {error}",
            name=error_map.name,
            row=place[0],
            column=place[1],
            got=got,
            torch=torch,
            truth=truth,
            error=wording.error(float(error_map.values[0, 0])),
        )
        self._element = place, sentence
        self.said.emit(sentence)
        if self.map.underMouse():  # whole, where the line has no room
            QToolTip.showText(QCursor.pos(), translate_message(sentence), self.map)

    def retranslate(self) -> None:
        self.map.set_labels(self.tr("column"), self.tr("row"))

    def show_choice(self) -> None:
        self._element = None
        self.map.set_whole(self._maps.get(self.tensor.current))

    def _on_part_wanted(self, row: int, row_stop: int, column: int, column_stop: int) -> None:
        if self._can_zoom:
            self.partWanted.emit(self.tensor.current, row, row_stop, column, column_stop)

    def _on_hovered(self, tile: tuple[range, range, float] | None) -> None:
        if tile is None:
            self.said.emit("")
            return
        rows, columns, value = tile
        if self._element is not None and self._element[0] == (rows.start, columns.start):
            self.said.emit(self._element[1])
            return
        places = {
            "name": self.tensor.current,
            "rows": wording.span(rows.start, rows.stop),
            "columns": wording.span(columns.start, columns.stop),
            "value": wording.error(value),
        }
        self.said.emit(
            say("{name} at row {rows}, column {columns}: error {value}", **places)
            if len(rows) == len(columns) == 1
            else say("{name} at rows {rows}, columns {columns}: error at most {value}", **places)
        )


class SidesCard(Card):
    """A picture of kernel and PyTorch side by side."""

    def __init__(
        self,
        title: Sentence,
        help_: Sentence,
        tensors: Iterable[str],
        draw: Callable[..., PanelPicture],
        *about_chart: Sentence,
    ) -> None:
        """`draw` takes the errors of a result, the colours of both sides, and `log`."""
        self.chart = PanelChart()
        tips = {tensor: say("Errors of {name}", name=tensor) for tensor in tensors}
        super().__init__(title, help_, tips, self.chart, *about_chart)
        self.legend = Legend()
        self.chart.legend = lambda: self.legend.entries
        self.legend.setAlignment(RIGHT)
        self.head.addWidget(self.legend, 1)
        self._draw = draw
        self._errors: dict[str, Errors] = {}  # by the name of the result
        self._strategy = "locked"
        self._log = True
        self.chart.hovered.connect(
            lambda text: self.said.emit(f"{self.tensor.current} · {text}" if text else "")
        )

    def set_errors(self, errors: Iterable[Errors], strategy: str) -> None:
        """Show the errors of each result, in the strategy's colour."""
        self._errors = {each.name: each for each in errors}
        self._strategy = strategy
        self.show_choice()

    def set_log(self, log: bool) -> None:
        self._log = log
        self.show_choice()

    def apply_theme(self) -> None:
        self.chart.setMinimumHeight(with_text(LEAST_CHART))

    def show_choice(self) -> None:
        errors = self._errors.get(self.tensor.current)
        colours = provider_colour(self._strategy), provider_colour("torch")
        self.chart.set_picture(
            EMPTY if errors is None else self._draw(errors, colours, log=self._log)
        )
        self.legend.set_entries(self.chart.entries())

    retranslate = show_choice


ALL = "all"
LEAST_HEIGHT = 20 * GRID  # of the pictures; the window can be made as small as that
ROOM_FOR_ALL = (880, 560)  # px of this view that three pictures side by side need
LIVE_KINDS = {Kind.MEASURED, Kind.INTERPRETED}  # a worker still has the tensors of these


class ErrorsView(Retranslated, Arranged, QWidget):
    """Errors of a run against float64 and against PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.table = CheckTable()
        self.map_card = MapCard()
        self.column_card = SidesCard(
            say("Error by column"),
            say("Absolute error of kernel and PyTorch against the truth."),
            ("dw", "db"),
            column_errors,
            say("Absolute errors of dw or db by column"),
            say(
                "Wheel or + and − zoom, drag or arrow keys move, double click or Home shows"
                " everything."
            ),
        )
        self.histogram_card = SidesCard(
            say("Histogram"),
            say("How many elements have which error; exact ones at the left, at 0."),
            TENSORS,
            error_histogram,
            say("Histogram of the absolute errors"),
        )
        self.cards: dict[str, Card] = {
            "map": self.map_card,
            "columns": self.column_card,
            "histogram": self.histogram_card,
        }
        self.views = Segments(
            {
                ALL: (say("All"), say("All three pictures")),
                "map": (say("Map"), say("Errors of y or dx, element by element")),
                "columns": (say("Columns"), say("Errors of dw and db by column")),
                "histogram": (say("Histogram"), say("How often which error occurs")),
            }
        )
        self.log = QCheckBox()
        self.readout = Readout()
        self._chosen_view: str | None = None  # None until the user chooses: then the room decides
        self.write_on(
            self.log,
            say("log"),
            say("Colours, errors by column and counts on a logarithmic scale"),
            say("Logarithmic scale"),
        )
        self._build()
        self.log.setChecked(True)
        self.log.toggled.connect(self._on_log)
        self.views.changed.connect(self._on_view_chosen)
        for card in self.cards.values():
            card.said.connect(lambda sentence: self.write(self.readout.setText, sentence))

    def show_correctness(
        self, correctness: Correctness, resolved: ResolvedRequest, kind: Kind
    ) -> None:
        """Show a run's errors. Finer parts of the maps are asked for only where a worker still has
        the tensors.
        """
        strategy = resolved.launch.strategy
        self.table.set_checks(correctness.checks, resolved.repeats)
        self.map_card.set_maps(correctness.maps, can_zoom=kind in LIVE_KINDS)
        self.column_card.set_errors(correctness.columns, strategy)
        self.histogram_card.set_errors(correctness.histograms, strategy)

    def show_map(self, error_map: ErrorMap) -> None:
        self.map_card.set_part(error_map)

    def view(self) -> CorrectnessView:
        return CorrectnessView(
            picture=self._chosen_view,
            tensor=self.map_card.tensor.current,
            log=self.log.isChecked(),
            columns=self.column_card.tensor.current,
            histogram=self.histogram_card.tensor.current,
        )

    def show_view(self, view: CorrectnessView) -> None:
        self.map_card.choose(view.tensor)
        self.column_card.choose(view.columns)
        self.histogram_card.choose(view.histogram)
        self.log.setChecked(view.log)
        self._on_view_chosen(view.picture)

    def _build(self) -> None:
        bar, rest = FoldedRow(), QWidget()
        lay_row(rest, self.log, (self.readout, 1), spacing=GRID)
        bar.lay_pieces(self.views, rest, wide=1)
        self._pictures = QSplitter(Qt.Orientation.Horizontal, self)
        self._pictures.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._pictures.setMinimumHeight(with_text(LEAST_HEIGHT))
        self._pictures.addWidget(self.map_card)
        self._right = QSplitter(Qt.Orientation.Vertical, self._pictures)
        self._right.addWidget(self.column_card)
        self._right.addWidget(self.histogram_card)
        for splitter in (self._right, self._pictures):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(2 * GRID)
            splitter.setSizes([1000, 1000])
        lay_column(
            self,
            self.table,
            bar,
            (self._pictures, 1),
            margins=(2 * GRID, GRID, 2 * GRID, GRID),
            spacing=GRID,
        )

    def _on_log(self, log: bool) -> None:
        self.map_card.map.set_log(log)
        self.column_card.set_log(log)
        self.histogram_card.set_log(log)

    def _on_view_chosen(self, view: str | None) -> None:
        self._chosen_view = view if view in self.views.keys else None
        self.arrange()

    def arrange(self) -> None:
        enough = self.width() >= ROOM_FOR_ALL[0] and self.height() >= ROOM_FOR_ALL[1]
        view = self._chosen_view or (ALL if enough else "map")
        self.views.choose(view)
        for name, card in self.cards.items():
            card.setVisible(view in {ALL, name})
        self._right.setVisible(view != "map")
        least = with_text(LEAST_HEIGHT)
        if view == ALL:  # side by side where there is room, else all above each other
            first, others = self.map_card.minimumSizeHint(), self._right.minimumSizeHint()
            beside = first.width() + others.width() + 6 * GRID <= self.width()
            self._pictures.setOrientation(
                Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
            )
            least = max(least, others.height() + (0 if beside else least + 2 * GRID))
        self._pictures.setMinimumHeight(least)

    apply_theme = arrange
