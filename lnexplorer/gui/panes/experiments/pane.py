"""Experiments, one click each: a question, a picture of the answer, a sentence of what is seen, and
where it comes from.
"""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QListWidget,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.domain.experiments.words import QUESTIONS, TITLES, facts, findings, headline
from lnexplorer.domain.views import ExperimentsView
from lnexplorer.gui.charts.experiment_chart import phases_of, picture_of
from lnexplorer.gui.charts.legend import Legend
from lnexplorer.gui.charts.panel_chart import PanelChart
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, LIGHT, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import Badge, Notice, Readout, WrappedLabel, lay_column, lay_row
from lnexplorer.gui.panes.experiments.lanes import LanesOfStrategies
from lnkernels.values.environment import KIND_NAMES

LIST_WIDTH = 25 * GRID
CHART_HEIGHT, LANES_HEIGHT, PHASES_HEIGHT = (
    34 * GRID,
    38 * GRID,
    24 * GRID,
)  # least, in px; lower panes are scrolled


class ExperimentsPane(Retranslated, QWidget):
    """The list on the left, the experiment that is chosen on the right."""

    runRequested = Signal(str, bool)  # name; whether on the problem of the form
    recordedRequested = Signal(object)  # Path
    aboutChanged = Signal(str)  # which problem is on show, and where it comes from; empty for none

    def __init__(self) -> None:
        super().__init__()
        self.list = QListWidget()
        self.run = QPushButton()
        self.stop = QPushButton()
        self.recorded = QPushButton()
        self.own_problem = QCheckBox()
        self.progress = QProgressBar()
        self.step = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self.question = WrappedLabel()
        self.badge = Badge()
        self.sentence = WrappedLabel()
        self.facts = WrappedLabel()
        self.shape = Readout()
        self.chart = PanelChart()
        self.legend = Legend()
        self.lanes = LanesOfStrategies()
        self.notice = Notice()
        self.lanes_legend = Legend()
        self.lanes_notes = WrappedLabel()
        self.phases = PanelChart()
        self.phases_legend = Legend()
        self.readout = Readout(side=Qt.AlignmentFlag.AlignLeft)
        self._results: dict[str, ExperimentResult] = {}
        self._recorded: dict[str, tuple[str, Path]] = {}
        self._running: str | None = None
        self._backend: str | None = None
        self._theme = LIGHT
        self.list.addItems([""] * len(EXPERIMENTS))
        self._build()
        self._connect()
        self.list.setCurrentRow(0)
        self.retranslate()

    @property
    def name(self) -> str:
        """The experiment that is chosen."""
        return EXPERIMENTS[max(self.list.currentRow(), 0)]

    @property
    def results(self) -> tuple[ExperimentResult, ...]:
        """What is on show, in the order of the list."""
        return tuple(self._results[name] for name in EXPERIMENTS if name in self._results)

    View = ExperimentsView

    def view(self) -> ExperimentsView:
        return ExperimentsView(name=self.name)

    def show_view(self, view: ExperimentsView) -> None:
        """Choose the experiment that was chosen, if its findings are here."""
        if view.name in self._results:
            self.choose(view.name)

    def choose(self, name: str) -> None:
        """Choose an experiment."""
        self.list.setCurrentRow(EXPERIMENTS.index(name))

    def set_backend(self, backend: str | None) -> None:
        """What experiments are done on; None while that is not known."""
        self._backend = backend
        self.refresh()

    def set_recorded(self, found: dict[str, tuple[str, Path]]) -> None:
        """Title and file of the experiments that were recorded before, by name."""
        self._recorded = found
        self.refresh()
        self._ask_recorded()

    def set_running(self, name: str | None, step: str = "", done: int = 0, total: int = 0) -> None:
        """Which experiment is being done, and how far it is."""
        self._running = name
        self.progress.setRange(0, max(total, 0))
        self.progress.setValue(min(done, total))
        title = "" if name is None else translate_message(TITLES[name])
        self.step.setText(f"{title} {done}/{total}" if total > 1 else title)
        self.step.setToolTip(step)  # in the worker's words: which candidate it is
        self._show_buttons()

    def show_result(self, result: ExperimentResult) -> None:
        """Show what was found; what was chosen stays chosen."""
        self._results[result.request.name] = result
        if result.request.name == self.name:
            self.refresh()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        for part in (self.chart, self.legend, self.lanes, self.phases, self.phases_legend):
            part.apply_theme(theme)
        self.lanes_legend.apply_theme(theme)
        self.lanes_legend.set_entries(self.lanes.entries())

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Experiments"))
        self.list.setAccessibleName(self.tr("The experiments"))
        for place, name in enumerate(EXPERIMENTS):
            self.list.item(place).setText(translate_message(TITLES[name]))
            self.list.item(place).setToolTip(translate_message(QUESTIONS[name]))
        for button, text, tip in (
            (self.run, self.tr("Run"), self.tr("Do this experiment now")),
            (self.stop, self.tr("Stop"), self.tr("End the experiment that is being done")),
            (self.recorded, self.tr("Recorded"), self.tr("Show what was measured before on a GPU")),
            (
                self.own_problem,
                self.tr("on my parameters"),
                self.tr("With M, N and what else the form says; else on the experiment's own"),
            ),
        ):
            button.setText(text)
            button.setToolTip(tip)
        self.chart.setAccessibleName(self.tr("The experiment's chart"))
        self.lanes.setAccessibleName(self.tr("Strategies as lanes over time"))
        self.phases.setAccessibleName(self.tr("GPUs over time"))
        self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.chart and event.type() is QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Give the chart's panels the height in which they can be read; what has no room is
        scrolled to.
        """
        self.chart.setMinimumHeight(
            max(with_text(CHART_HEIGHT), self.chart.legible_height(self.chart.width()))
        )

    def refresh(self) -> None:
        """Show the experiment that is chosen."""
        name = self.name
        result = self._results.get(name)
        self.question.setText(translate_message(QUESTIONS[name]))
        self._show_buttons()
        self._stack.setCurrentIndex(0 if result is None else 1)
        self.badge.setVisible(result is not None)
        if result is None:
            self._show_notice()
            self.shape.setText("")
            self.aboutChanged.emit("")
            return
        self._show_source(result)
        picture = picture_of(result)
        self.chart.set_picture(picture)
        self._fit()
        self.legend.set_entries(self.chart.entries())
        self.legend.setVisible(bool(self.legend.entries))
        for part in (self.lanes_legend, self.lanes, self.lanes_notes):
            part.setVisible(result.strategies is not None)
        if result.strategies is not None:
            self.lanes.set_findings(result.strategies)
            self.lanes_legend.set_entries(self.lanes.entries())
            self.lanes_notes.setText("\n".join(self.lanes.notes()))
        self.phases.set_picture(phases_of(result))
        self.phases_legend.set_entries(self.phases.entries())
        self.phases.setVisible(bool(self.phases.picture.panels))
        self.phases_legend.setVisible(bool(self.phases.picture.panels))
        self.sentence.setText(" ".join(map(translate_message, headline(result))))
        self.sentence.setToolTip(
            "\n".join(translate_message(finding.sentence) for finding in findings(result))
        )
        self.facts.setText("\n".join(map(translate_message, facts(result))))
        self.facts.setVisible(bool(self.facts.text()))

    def _caption(self) -> tuple[str, ...]:
        """What is printed below a picture of the experiment."""
        result = self._results.get(self.name)
        if result is None:
            return ()
        environment = result.provenance.environment
        kind, versions = (
            translate_message(KIND_NAMES[result.provenance.kind]),
            f"torch {environment.torch} · triton {environment.triton}",
        )
        where = f"{kind} · {environment.where} · {environment.date} · {versions}"
        return self.question.text(), self.shape.text(), where

    def _show_source(self, result: ExperimentResult) -> None:
        resolved, provenance = result.resolved, result.provenance
        with_group = result.barrier or result.order or result.strategies
        group = f", GROUP_SIZE_M {resolved.launch.group_size_m}" if with_group else ""
        where = f"{gpu}, " if (gpu := provenance.environment.named_gpu) else ""
        self.shape.setText(f"{where}{resolved.m}×{resolved.n} {resolved.dtype}{group}")
        self.badge.show_kind(provenance.kind, f"{where}{provenance.environment.date[:10]}")
        self.aboutChanged.emit(
            f"{self.shape.text()} · {translate_message(KIND_NAMES[provenance.kind])}"
        )

    def _show_notice(self) -> None:
        where = self.tr("Run does it on this machine's GPU, in some seconds.")
        if self._backend == "interpreter":
            where = self.tr(
                "Without a GPU, Run does a small one on Triton's interpreter: real results, and no"
                " times."
            )
        self.notice.set_text(self.tr("Not done yet"), where)

    def _show_buttons(self) -> None:
        running = self._running is not None
        self.run.setEnabled(not running and self._backend is not None)
        self.stop.setEnabled(running)
        self.progress.setVisible(running)
        self.step.setVisible(running)
        recorded = self._recorded.get(self.name)
        self.recorded.setVisible(recorded is not None)
        if recorded is not None:
            self.recorded.setToolTip(
                f"{self.tr('Show what was measured before on a GPU')}: {recorded[0]}"
            )

    def _ask_recorded(self) -> None:
        """A chosen experiment without findings shows those that were recorded, if there are any."""
        if self.name not in self._results:
            self._show_recorded()

    def _show_recorded(self) -> None:
        if self.name in self._recorded:
            self.recordedRequested.emit(self._recorded[self.name][1])

    def _on_chosen(self) -> None:
        self.readout.setText("")
        self.refresh()
        self._ask_recorded()

    def _build(self) -> None:
        self.run.setProperty("look", "primary")
        for label in (self.question, self.facts, self.lanes_notes):
            label.setProperty("look", "muted")
        self.sentence.setProperty("look", "strong")
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.list.setFixedWidth(with_text(LIST_WIDTH))
        self.list.setWordWrap(True)
        self.list.setSpacing(GRID // 2)
        first = (self.run, self.stop, self.recorded, self.own_problem, self.progress)
        bar = lay_row(None, *first, (self.step, 1), (self.shape, 2), self.badge)
        self.progress.setTextVisible(False)
        self.progress.setMaximumWidth(24 * GRID)
        shown = QWidget()
        drawn = (
            self.sentence,
            self.legend,
            (self.chart, 3),
            self.readout,
            self.lanes_legend,
            (self.lanes, 4),
            self.lanes_notes,
        )
        lay_column(shown, *drawn, self.phases_legend, (self.phases, 2), self.facts)
        for picture, height in (
            (self.chart, CHART_HEIGHT),
            (self.lanes, LANES_HEIGHT),
            (self.phases, PHASES_HEIGHT),
        ):
            picture.setMinimumHeight(with_text(height))
            picture.setSizePolicy(
                QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored
            )  # what is left, whatever the hint
        scrolled = QScrollArea()
        scrolled.setWidgetResizable(True)
        scrolled.setFrameShape(QScrollArea.Shape.NoFrame)
        scrolled.setWidget(shown)
        for ground in (shown, scrolled.viewport()):  # the pane's own shows
            ground.setAutoFillBackground(False)
        self._stack = QStackedWidget()
        self._stack.setSizePolicy(
            QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored
        )  # it scrolls, what is around does not
        self._stack.addWidget(self.notice)
        self._stack.addWidget(scrolled)
        right = lay_column(None, self.question, (self._stack, 1))
        below = lay_row(None, self.list, (right, 1), spacing=2 * GRID)
        lay_column(self, bar, (below, 1), margins=GRID)

    def _connect(self) -> None:
        self.chart.installEventFilter(self)
        for drawing in (self.chart, self.lanes, self.phases):
            drawing.caption = self._caption
        self.chart.legend = lambda: self.legend.entries
        self.lanes.legend = lambda: self.lanes_legend.entries
        self.phases.legend = lambda: self.phases_legend.entries
        self.list.currentRowChanged.connect(lambda _row: self._on_chosen())
        self.run.clicked.connect(
            lambda: self.runRequested.emit(self.name, self.own_problem.isChecked())
        )
        self.recorded.clicked.connect(self._show_recorded)
        self.chart.hovered.connect(self.readout.setText)
        self.phases.hovered.connect(self.readout.setText)
