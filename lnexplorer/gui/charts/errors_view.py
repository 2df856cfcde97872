"""How far y, dx, dw and db are from the truth: a table with their verdicts, and three pictures."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QSplitter, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.views import CorrectnessView
from lnexplorer.gui.charts.error_cards import Card, ColumnCard, HistogramCard, MapCard
from lnexplorer.gui.charts.error_table import CheckTable
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, Theme, with_text
from lnexplorer.gui.kit.widgets import Readout, Segments, lay_column, lay_row
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import say

ALL = "all"
LEAST_HEIGHT = 20 * GRID  # of the pictures; the window can be made as small as that
ROOM_FOR_ALL = (880, 560)  # px of this view that three pictures side by side need
LIVE_KINDS = {Kind.MEASURED, Kind.INTERPRETED}  # a worker still has the tensors of these


class ErrorsView(Retranslated, QWidget):
    """Errors of a run against float64 and against PyTorch."""

    inspectRequested = Signal(str, int, int, int, int)  # result, row, row stop, column, column stop

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = CheckTable()
        self.map_card = MapCard()
        self.column_card = ColumnCard()
        self.histogram_card = HistogramCard()
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
        self.map_card.partWanted.connect(self.inspectRequested)
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

    def apply_theme(self, theme: Theme) -> None:
        for part in (self.table, self.map_card, self.column_card, self.histogram_card):
            part.apply_theme(theme)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _build(self) -> None:
        bar = lay_row(None, self.views, self.log, (self.readout, 1), spacing=2 * GRID)
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
        self.column_card.chart.set_log(log)
        self.histogram_card.set_log(log)

    def _on_view_chosen(self, view: str | None) -> None:
        self._chosen_view = view if view in self.views.keys else None
        self._arrange()

    def _arrange(self) -> None:
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
