"""A model fitted to a trace, and what it says beside what was measured; the lines above the pictures."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QSpinBox, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.residents import Kernel, Origin, Residents, SeenLaunch, kernel_of, sm_count_of
from lnexplorer.domain.simulation.fit import error_of_summary, fit
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.timeline import Prepared, prepare
from lnexplorer.domain.views import FittedModel
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import ElidedLabel, Label
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.reduction.painter.wording import number, time_text, words
from lnexplorer.gui.reduction.words import model_times_text
from lnexplorer.gui.responsive import Background
from lnexplorer.gui.shell.headline import Badge
from lnkernels.sentence import Sentence
from lnkernels.values.environment import Environment, Kind


class Header(QWidget):
    """A badge, and beside it what matters, and what else there is to say as far as there is room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.badge = Badge(self)
        self.facts, self.figures = ElidedLabel(self), ElidedLabel(self)
        self.badge.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.facts.setProperty("look", "muted")
        self.figures.setProperty("look", "strong")
        layout = self.line = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID // 2, 2 * GRID, 0)
        layout.setSpacing(GRID)
        self.figures.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        layout.addWidget(self.badge)
        layout.addWidget(self.figures)
        layout.addWidget(self.facts, 1)

    def show_lines(self, figures: str, facts: str, details: str = "") -> None:
        """Show both; the tooltip of the first has all, and the details."""
        self.figures.setText(figures)
        self.figures.setToolTip("\n".join(dict.fromkeys(filter(None, (figures, facts, details)))))
        self.facts.setText(facts)
        self._place_facts()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_facts()

    def _place_facts(self) -> None:
        """The facts are there where the first of them has room."""
        taken = self.line.sizeHint().width() - (0 if self.facts.isHidden() else self.facts.sizeHint().width())
        first = self.facts.text().partition(" · ")[0]
        self.facts.setVisible(bool(first) and self.width() - taken - GRID >= self.facts.fontMetrics().horizontalAdvance(first))


MOST_BUFFERS = 4096  # that are asked about


class FitBar(Header):
    """Says what somebody wants; shows what it is told.

    The button that begins it is placed elsewhere; the bar is for answers.
    """

    fitWished = Signal()
    groupChosen = Signal(int)
    closeWished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fit = QPushButton(self)
        self.group_label = Label("GROUP_SIZE_M", self)
        self.group = QSpinBox(self)
        self.group.setRange(1, MOST_BUFFERS)
        self.group.setKeyboardTracking(False)
        self.close_button = QPushButton(self)
        self.line.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        for place, widget in enumerate((self.group_label, self.group)):
            self.line.insertWidget(place, widget)
        self.line.addWidget(self.close_button)
        self._parts = (self.group_label, self.group, self.badge)  # of an answer
        self.fit.clicked.connect(lambda _checked=False: self.fitWished.emit())
        self.group.valueChanged.connect(self.groupChosen)
        self.close_button.clicked.connect(lambda _checked=False: self.closeWished.emit())
        self.show_offer(offered=False)
        self.retranslate()

    def show_offer(self, *, offered: bool) -> None:
        self.hide()
        self.fit.setEnabled(True)
        self.fit.setVisible(offered)

    def show_sentence(self, sentence: str, *, busy: bool) -> None:
        """It takes a moment, or there is no answer, and why."""
        for widget in self._parts:
            widget.hide()
        self.fit.setEnabled(not busy)
        self.show_lines(sentence, "")
        self.show()

    def show_model(self, group_size_m: int, figures: str, facts: str) -> None:
        with QSignalBlocker(self.group):
            self.group.setValue(group_size_m)
        self.fit.setEnabled(True)
        self.badge.show_kind(Kind.SIMULATED)
        self.show_lines(figures, facts, facts)
        for widget in self._parts:
            widget.show()
        self.show()

    def retranslate(self) -> None:
        self.fit.setText(self.tr("Fit to this trace"))
        self.fit.setToolTip(self.tr("Find the model's parameters in this trace, and show what the model says beside it"))
        self.group.setAccessibleName(self.tr("GROUP_SIZE_M to predict"))
        self.group.setToolTip(self.tr("What the fitted model says of the same rows with so many buffers"))
        self.close_button.setText(self.tr("Close"))
        self.close_button.setToolTip(self.tr("Show the trace alone"))


LENGTHENED = 0.05  # where recording changed the pass by more, what was not recorded is the fairer measure


@dataclass(frozen=True, eq=False, slots=True)
class Compared:
    """A fitted model's answer."""

    parameters: SimulationParameters
    fitted_to: int  # GROUP_SIZE_M
    model: Prepared  # what it says
    residents: Residents  # that it was asked with
    trace: Prepared  # that it is fitted to
    measured: SeenLaunch | None  # a trace of the launch that the model is asked about


def result_of(answer: Compared) -> str:
    """How long each stage takes, and how far that is from what was measured."""
    model, measured = answer.model.summary, answer.measured
    if measured is None:
        alone = words("stage 1: model {0}; measured with GROUP_SIZE_M {1}: {2}")
        trace = answer.trace
        length = time_text(trace.summary.stage1_ns)
        return alone.format(time_text(model.stage1_ns), trace.timeline.group_size_m, length)
    error, real, cost = error_of_summary(measured.summary, model, measured.cost), measured.summary, measured.cost
    stage1 = words("stage 1: model {0}, measured {1}, error {2}")
    stage2 = words("stage 2: {0}, measured {1}, {2}")
    parts = [(stage1, model.stage1_ns, real.stage1_ns, error.stage1), (stage2, model.stage2_ns, real.stage2_ns, error.stage2)]
    if cost is not None and abs(cost.share) > LENGTHENED:
        unrecorded = words("the pass without recording: {0}, measured {1}, {2}")
        parts.append((unrecorded, model.pass_ns, round(cost.plain_ns), error.unrecorded_pass))
    return " · ".join(
        text.format(time_text(simulated), time_text(seen), wording.signed_percent(wrong))
        for text, simulated, seen, wrong in parts
        if wrong is not None
    )


def details_of(answer: Compared) -> str:
    """How many programs the model had and how that is known, what it is fitted to, and its times."""
    residents = answer.residents
    shown = number(min(residents.programs, answer.model.timeline.m))
    if residents.origin is not Origin.SEEN:
        programs = words("resident programs: {0}, those of the trace", shown)
    elif residents.detail:
        programs = words("resident programs: {0}, as in the recording “{1}”", shown, residents.detail)
    else:
        programs = words("resident programs: {0}, as its trace shows", shown)
    fitted = words("fitted to GROUP_SIZE_M {0}", answer.fitted_to)
    return f"{programs} · {fitted} · {model_times_text(answer.parameters)}"


_WORK = "fit"


@dataclass(frozen=True, eq=False, slots=True)
class _Trace:
    """What the model is fitted to."""

    prepared: Prepared
    kernel: Kernel
    architecture: str  # of its GPU, such as "sm_90", or empty


class Comparison(QObject):
    """Fits and predicts. A prediction of a launch that was traced is measured by that trace, and has as many programs
    as it.
    """

    modelChanged = Signal(object)  # Prepared, or None where the trace is alone

    def __init__(self, bar: FitBar, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bar, self._background = bar, background
        self._environment: Callable[[], Environment | None] = lambda: None
        self._launches: Callable[[Kernel], list[SeenLaunch]] = lambda _kernel: []
        self._trace: _Trace | None = None
        self._shown: dict[tuple[Kernel, int, int], SeenLaunch] = {}  # traces by GROUP_SIZE_M and rows
        self._answer: Compared | None = None
        bar.fitWished.connect(self.fit)
        bar.groupChosen.connect(self.predict)
        bar.closeWished.connect(self.close)

    def set_launches(self, environment: Callable[[], Environment | None], seen: Callable[[Kernel], list[SeenLaunch]]) -> None:
        """Say where to look for what the pane's own traces do not tell.

        Args:
            environment: where the timeline on show was made.
            seen: traces of a kernel, any GROUP_SIZE_M. Called on a thread of its own; it may take a moment.
        """
        self._environment, self._launches = environment, seen

    @property
    def environment(self) -> Environment | None:
        """Where the timeline on show was made, if it happened."""
        return None if self._trace is None else self._environment()

    def set_trace(self, trace: Prepared, request: ResolvedRequest) -> None:
        """Another timeline is on show: one that happened can be fitted."""
        self.close()
        timeline = trace.timeline
        happened = timeline.kind in (Kind.MEASURED, Kind.RECORDED) and timeline.m > 0 and not timeline.counted
        happened = happened and not timeline.source  # the model is of `locked`
        self._trace = None
        if happened:
            environment = self._environment()
            kernel = kernel_of(request, environment)
            self._trace = _Trace(trace, kernel, "" if environment is None else environment.architecture)
            self._shown[kernel, timeline.group_size_m, timeline.m] = SeenLaunch.of("", trace)
        self._bar.show_offer(offered=happened)

    def fit(self) -> None:
        """Fit to the trace, and show the same launch as the model has it."""
        trace = self._trace
        if trace is None:
            return
        timeline = trace.prepared.timeline
        self._bar.show_sentence(words("fitting …"), busy=True)
        sm_count = sm_count_of(timeline, trace.architecture)
        self._ask(trace, lambda: fit(timeline, sm_count=sm_count), timeline.group_size_m, timeline.group_size_m)

    def predict(self, group_size_m: int) -> None:
        trace, answer = self._trace, self._answer
        if trace is None or answer is None:
            return
        parameters = replace(answer.parameters, resident_programs=trace.prepared.programs)
        self._ask(trace, lambda: parameters, answer.fitted_to, group_size_m)

    @property
    def fitted(self) -> FittedModel | None:
        answer = self._answer
        if answer is None:
            return None
        shown = answer.model.timeline.group_size_m
        return FittedModel(parameters=answer.parameters, fitted_to=answer.fitted_to, group_size_m=shown)

    def show_fitted(self, fitted: FittedModel) -> None:
        """Show the answer of a model that was fitted before; nothing beside what is no trace."""
        if self._trace is not None:
            self._ask(self._trace, lambda: fitted.parameters, fitted.fitted_to, fitted.group_size_m)

    def close(self) -> None:
        self._background.drop(_WORK)
        self._bar.show_offer(offered=self._trace is not None)
        if self._answer is not None:
            self._answer = None
            self.modelChanged.emit(None)

    def retranslate(self) -> None:
        self._bar.retranslate()
        if self._answer is not None:
            self._describe(self._answer)

    def _ask(self, trace: _Trace, model: Callable[[], SimulationParameters], fitted_to: int, group_size_m: int) -> None:
        """Have a launch with the trace's rows predicted; without a better number it has the programs of the model."""
        timeline = trace.prepared.timeline
        own = [seen for (kernel, group, _), seen in self._shown.items() if (kernel, group) == (trace.kernel, group_size_m)]

        def work() -> Compared:
            same = own.copy()
            if group_size_m != timeline.group_size_m:
                same += [seen for seen in self._launches(trace.kernel) if seen.group_size_m == group_size_m]
            parameters = model()
            residents = _residents(same, timeline.m, parameters)
            parameters = replace(parameters, resident_programs=residents.programs)
            blocks = (timeline.tile_block_m, timeline.tile_block_n)
            simulated = simulate(timeline.m, timeline.n, group_size_m, *blocks, parameters)
            measured = next((seen for seen in same if seen.is_of(simulated)), None)
            return Compared(parameters, fitted_to, prepare(simulated), residents, trace.prepared, measured)

        self._background.do(work, self._show, _WORK, self._fail)

    def _show(self, answer: Compared) -> None:
        self._answer = answer
        self._describe(answer)
        self.modelChanged.emit(answer.model)

    def _fail(self, why: Sentence) -> None:
        self._bar.show_sentence(words("The model cannot be fitted to this trace: {0}", translate_message(why)), busy=False)

    def _describe(self, answer: Compared) -> None:
        self._bar.show_model(answer.model.timeline.group_size_m, result_of(answer), details_of(answer))


def _residents(same: list[SeenLaunch], m: int, model: SimulationParameters) -> Residents:
    """Programs of a predicted launch, by traces of it, or as many as the model has."""
    for seen in same:
        if seen.tells_of(m):
            return Residents(programs=seen.programs, origin=Origin.SEEN, detail=seen.title)
    return Residents(programs=model.resident_programs, origin=Origin.FITTED)
