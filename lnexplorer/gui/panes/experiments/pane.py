"""Experiments, one click each: the list, and a question with its answer."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QListWidget,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.views import ExperimentsView
from lnexplorer.gui.kit import (
    GRID,
    Badge,
    ElidedLabel,
    Notice,
    Retranslated,
    WrappedLabel,
    lay_column,
    lay_row,
    translate_message,
    with_text,
)
from lnexplorer.gui.panes.experiments.view import FindingsView
from lnkernels.values import Words, join_sentences, say


class ExperimentBar(Retranslated, QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.run = self.write_on(QPushButton(), say("Run"), say("Do this experiment now"))
        self.stop = self.write_on(
            QPushButton(), say("Stop"), say("End the experiment that is being done")
        )
        self.recorded = self.write_on(
            QPushButton(), say("Recorded"), say("Show what was measured before on a GPU")
        )
        self.own_problem = self.write_on(
            QCheckBox(),
            say("on my parameters"),
            say("With M, N and what else the form says; else on the experiment's own"),
        )
        self.progress = QProgressBar(textVisible=False)
        self.step = ElidedLabel()
        self.badge = Badge()
        self._possible = False
        self._running = False
        self.run.setProperty("look", "primary")
        self.progress.setMaximumWidth(24 * GRID)
        buttons = (self.run, self.stop, self.recorded, self.own_problem)
        lay_row(self, *buttons, self.progress, (self.step, 1), 2, self.badge)
        self._show_buttons()

    def set_possible(self, possible: bool) -> None:
        """Set whether there is a device to run on."""
        self._possible = possible
        self._show_buttons()

    def set_running(
        self, name: str | None, step: Words = "", done: int = 0, total: int = 0
    ) -> None:
        """Show how far the experiment that is done is; None: nothing is done."""
        self._running = name is not None
        self.progress.setRange(0, max(total, 0))
        self.progress.setValue(min(done, total))
        parts: list[Words] = [] if name is None else [EXPERIMENTS[name].title]
        if total > 1:
            parts.append(f"{done}/{total}")
        # The tooltip names the candidate.
        self.write_on(self.step, join_sentences(parts, " "), step)
        self._show_buttons()

    def _show_buttons(self) -> None:
        self.run.setEnabled(self._possible and not self._running)
        self.stop.setEnabled(self._running)
        self.progress.setVisible(self._running)
        self.step.setVisible(self._running)


LIST_WIDTH = 25 * GRID
NAMES = tuple(EXPERIMENTS)
HOW_TO_RUN = {
    "cuda": say("Run does it on this machine's GPU, in seconds or about a minute."),
    "interpreter": say(
        "Without a GPU, Run does a small one on Triton's interpreter: real results, and no times."
    ),
}


class ExperimentsPane(Retranslated, QWidget):
    """The list on the left, the experiment that is chosen on the right."""

    View = ExperimentsView
    recordedRequested = Signal(object)  # Path
    aboutChanged = Signal(str)  # the problem on show, and its GPU; empty for none

    def __init__(self) -> None:
        super().__init__()
        self.list = self.write_on(QListWidget(), name=say("The experiments"))
        self.bar = ExperimentBar()
        self.question = WrappedLabel(look="muted")
        self.notice = Notice()
        self.findings = FindingsView(self._caption)
        self._stack = QStackedWidget()
        self._results: dict[str, ExperimentResult] = {}
        self._recorded: dict[str, Path] = {}
        self._backend: str | None = None
        self._shape = ""
        self._build()
        self._name_list()
        self.list.currentRowChanged.connect(self._on_chosen)
        self.bar.recorded.clicked.connect(self._request_recorded)
        self.list.setCurrentRow(0)

    @property
    def name(self) -> str:
        """Return the experiment that is chosen."""
        return NAMES[max(self.list.currentRow(), 0)]

    @property
    def has_recorded(self) -> bool:
        """Return whether a recording of the experiment that is chosen is there."""
        return self.name in self._recorded

    @property
    def results(self) -> tuple[ExperimentResult, ...]:
        """Return what can be shown, in the order of the list."""
        return tuple(self._results[name] for name in NAMES if name in self._results)

    def view(self) -> ExperimentsView:
        return ExperimentsView(name=self.name)

    def show_view(self, view: ExperimentsView) -> None:
        """Choose the experiment that was chosen, if its findings are here."""
        if view.name in self._results:
            self.choose(view.name)

    def choose(self, name: str) -> None:
        """Choose an experiment."""
        self.list.setCurrentRow(NAMES.index(name))

    def set_backend(self, backend: str | None) -> None:
        """Set what experiments are done on; None while that is not known."""
        self._backend = backend
        self.bar.set_possible(backend is not None)
        self.refresh()

    def set_recorded(self, recorded: dict[str, Path]) -> None:
        """Set the files of the experiments that were recorded before, by name."""
        self._recorded = recorded
        self._on_chosen()

    def show_result(self, result: ExperimentResult) -> None:
        """Show what was found; what was chosen stays chosen."""
        self._results[result.request.name] = result
        if result.request.name == self.name:
            self.refresh()

    def apply_theme(self) -> None:
        self.list.setFixedWidth(with_text(LIST_WIDTH))

    def retranslate(self) -> None:
        self._name_list()
        self.refresh()

    def _name_list(self) -> None:
        # Not by `write`, which would keep the items beyond the life of their list.
        for place, experiment in enumerate(EXPERIMENTS.values()):
            self.list.item(place).setText(translate_message(experiment.title))
            self.list.item(place).setToolTip(translate_message(experiment.question))

    def refresh(self) -> None:
        """Show the experiment that is chosen."""
        result = self._results.get(self.name)
        self.write(self.question.setText, EXPERIMENTS[self.name].question)
        self.bar.recorded.setVisible(self.has_recorded)
        self._show_source(result)
        self._stack.setCurrentIndex(0 if result is None else 1)
        if result is None:
            how = [HOW_TO_RUN[self._backend or "cuda"]]
            if not self.has_recorded:
                how.append(say("No recording of it comes with the program."))
            self.notice.set_text(say("Not done yet"), join_sentences(how, " "))
            return
        self.findings.show_result(result)
        here = self._backend == "cuda"  # where the next step can be timed
        self.findings.show_steps(result.findings.steps() if here else ())

    def _show_source(self, result: ExperimentResult | None) -> None:
        """Tell of which problem the figures are; the badge says where they come from."""
        if result is None:
            self.bar.badge.show_kind(None)
            self.aboutChanged.emit("")
            return
        resolved, provenance = result.resolved, result.provenance
        self._shape = resolved.shape_text
        if EXPERIMENTS[result.request.name].with_group_size:
            self._shape += f" · GROUP_SIZE_M {resolved.launch.group_size_m}"
        gpu, date = provenance.environment.named_gpu, provenance.environment.date[:10]
        self.bar.badge.show_kind(provenance.kind, " · ".join(filter(None, (gpu, date))))
        self.aboutChanged.emit(" · ".join(filter(None, (self._shape, gpu))))

    def _caption(self) -> tuple[str, ...]:
        """Return what is printed below a picture of the experiment."""
        result = self._results.get(self.name)
        if result is None:
            return ()
        kind, environment = result.provenance.kind, result.provenance.environment
        source = translate_message(wording.source_line(kind, environment))
        return self.question.text(), self._shape, f"{source} · {environment.date}"

    def _on_chosen(self) -> None:
        self.refresh()
        if self.name not in self._results:  # those that were recorded stand in
            self._request_recorded()

    def _request_recorded(self) -> None:
        if self.has_recorded:
            self.recordedRequested.emit(self._recorded[self.name])

    def _build(self) -> None:
        self.list.addItems([""] * len(NAMES))
        self.list.setWordWrap(True)
        self.list.setSpacing(GRID // 2)
        # The view scrolls, and what is around it does not.
        self._stack.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._stack.addWidget(self.notice)
        self._stack.addWidget(self.findings)
        right = lay_column(None, self.question, (self._stack, 1))
        below = lay_row(None, self.list, (right, 1), spacing=2 * GRID)
        lay_column(self, self.bar, (below, 1), margins=GRID)
