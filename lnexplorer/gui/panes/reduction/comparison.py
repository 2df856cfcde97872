"""Lines above the pictures: figures and facts of a timeline, and the answer of a model that is
fitted to a trace.
"""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QSpinBox, QWidget

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.fit import fit
from lnexplorer.domain.simulation.model import SimulationParameters
from lnexplorer.domain.simulation.prediction import (
    Kernel,
    Origin,
    Prediction,
    Residents,
    kernel_of,
    predict,
    seen_residents,
    sm_count_of,
)
from lnexplorer.domain.timeline import Prepared
from lnexplorer.domain.views import FittedModel
from lnexplorer.domain.wording import nanoseconds, signed_percent
from lnexplorer.gui.kit import GRID, Arranged, Badge, ElidedLabel, Label, Retranslated, lay_row
from lnexplorer.gui.kit.responsive import Background
from lnexplorer.gui.timeline.facts import (
    agreement_text,
    details_text,
    facts_text,
    model_times_text,
    summary_text,
)
from lnexplorer.gui.timeline.frame import CellNumbers
from lnexplorer.gui.timeline.wording import join_facts, order_text
from lnkernels.values import Sentence, Words, join_sentences, say
from lnkernels.values.environment import Environment, Kind


class Header(Retranslated, Arranged, QWidget):
    """A badge, the most important figures, and further facts as far as there is room."""

    def __init__(self) -> None:
        super().__init__()
        self.badge = Badge()
        self.facts = ElidedLabel(self, look="muted")
        self.figures = ElidedLabel(self, look="strong")
        self.badge.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.figures.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        margins = (2 * GRID, GRID // 2, 2 * GRID, 0)
        parts = (self.badge, self.figures, (self.facts, 1))
        self.line = lay_row(self, *parts, margins=margins, spacing=GRID)

    def show_lines(self, figures: Words, facts: Words, details: Words = "") -> None:
        """Show figures and facts; the tooltip of the figures has both, and the details."""
        lines = dict.fromkeys((figures, facts, details))
        tip = join_sentences(list(lines), "\n")
        self.write_on(self.figures, figures, tip)
        self.write_on(self.facts, facts)
        self.retranslate()

    def retranslate(self) -> None:
        """Show the facts if the first of them has room."""
        room = self.width() - self.line.sizeHint().width() - GRID  # the hint is without the facts
        first = self.facts.text().partition(" · ")[0]
        needed = self.facts.fontMetrics().horizontalAdvance(first)
        self.facts.setVisible(bool(first) and room >= needed)

    arrange = retranslate


class TimelineHeader(Header):
    """The header of a timeline."""

    def describe(
        self,
        prepared: Prepared,
        request: ResolvedRequest,
        model: SimulationParameters | None,
        numbers: CellNumbers,
    ) -> None:
        """Show the figures of a timeline, and facts about its launch, its model and its numbers."""
        timeline, sums, rows = prepared.timeline, numbers.sums, numbers.rows
        self.badge.show_kind(timeline.kind)
        facts = facts_text(timeline, request, model)
        figures = summary_text(timeline, prepared.summary)
        if sums is not None:
            # Low pictures have no headings, and the sums in their cells must not pass for those of
            # the run.
            facts = join_facts(order_text(timeline.kind, stored=numbers.stored), facts)
            if rows is not None and (numbers.other_run or not numbers.stored):
                agreement = agreement_text(sums, rows, request, other_run=numbers.other_run)
                figures = join_facts(figures, agreement)
        self.show_lines(figures, facts, details_text(timeline, prepared.summary))


MOST_BUFFERS = 4096  # to predict


class FitBar(Header):
    """Shows the answer of a fitted model. Its button `fit` is placed elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.fit = self.write_on(
            QPushButton(self),
            say("Fit to this trace"),
            say(
                "Find the model's parameters in this trace, and show the model's timeline beside it"
            ),
        )
        label = Label("GROUP_SIZE_M", self)
        tip = say("Number of buffers for which the fitted model predicts the same rows")
        self.group = self.write_on(QSpinBox(self), tip=tip, name=say("GROUP_SIZE_M to predict"))
        self.group.setRange(1, MOST_BUFFERS)
        self.group.setKeyboardTracking(False)
        self.close_button = self.write_on(
            QPushButton(self), say("Close"), say("Show the trace alone")
        )
        self.line.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        for place, widget in enumerate((label, self.group)):
            self.line.insertWidget(place, widget)
        self.line.addWidget(self.close_button)
        self._parts = (label, self.group, self.badge)  # of an answer
        self.show_offer(offered=False)

    def show_offer(self, *, offered: bool) -> None:
        self.hide()
        self.fit.setEnabled(True)
        self.fit.setVisible(offered)

    def show_sentence(self, sentence: Sentence, *, busy: bool) -> None:
        """Say that it takes a moment, or why there is no answer."""
        for widget in self._parts:
            widget.hide()
        self.fit.setEnabled(not busy)
        self.show_lines(sentence, "")
        self.show()

    def show_model(self, group_size_m: int, figures: Sentence, facts: Sentence) -> None:
        with QSignalBlocker(self.group):
            self.group.setValue(group_size_m)
        self.fit.setEnabled(True)
        self.badge.show_kind(Kind.SIMULATED)
        self.show_lines(figures, facts)
        for widget in self._parts:
            widget.show()
        self.show()


LENGTHENED = 0.05  # if recording changed the pass by more, the unrecorded one is compared, too


def result_of(prediction: Prediction, trace: Prepared) -> Sentence:
    """Say how long each stage takes, and how far that is from the measurement; without one how long
    it takes in the trace.
    """
    model, measured, error = prediction.model.summary, prediction.measured, prediction.error
    if measured is None or error is None:
        return say(
            "stage 1: {model} · measured with GROUP_SIZE_M {group_size_m}: {measured}",
            model=nanoseconds(model.stage1_ns),
            group_size_m=trace.timeline.group_size_m,
            measured=nanoseconds(trace.summary.stage1_ns),
        )
    real, cost = measured.summary, measured.timeline.cost
    stage1 = say("stage 1: {model}, measured {measured}, {error}")
    stage2 = say("stage 2: {model}, measured {measured}, {error}")
    parts = [
        (stage1, model.stage1_ns, real.stage1_ns, error.stage1),
        (stage2, model.stage2_ns, real.stage2_ns, error.stage2),
    ]
    if cost is not None and abs(cost.share) > LENGTHENED:
        unrecorded = say("the pass without recording: {model}, measured {measured}, {error}")
        parts.append((unrecorded, model.pass_ns, round(cost.plain_ns), error.unrecorded_pass))
    return join_facts(
        *(
            replace(
                text,
                values=(
                    ("model", nanoseconds(simulated)),
                    ("measured", nanoseconds(seen)),
                    ("error", signed_percent(wrong)),
                ),
            )
            for text, simulated, seen, wrong in parts
            if wrong is not None
        )
    )


def details_of(prediction: Prediction, fitted_to: int) -> Sentence:
    """Say how many programs the model had and how that is known, to which GROUP_SIZE_M it is
    fitted, and its times.
    """
    residents = prediction.residents
    shown = min(residents.programs, prediction.model.timeline.m)
    if residents.origin is not Origin.SEEN:
        programs = say("resident programs: {programs:,}, those of the trace", programs=shown)
    elif residents.detail:
        programs = say(
            "resident programs: {programs:,}, as in the recording “{title}”",
            programs=shown,
            title=residents.detail,
        )
    else:
        programs = say("resident programs: {programs:,}, as its trace shows", programs=shown)
    fitted = say("fitted to GROUP_SIZE_M {group_size_m}", group_size_m=fitted_to)
    return join_facts(programs, fitted, model_times_text(prediction.parameters))


_WORK = "fit"


class TraceComparison(QObject):
    """Fits a model to the trace on show and predicts other launches with it.

    A prediction of a launch that was traced is compared with that trace, and has as many programs.
    """

    modelChanged = Signal(object)  # Prepared; None if the trace is alone

    def __init__(self, bar: FitBar, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._bar = bar
        self._background = background
        # Returns traces of a kernel with any GROUP_SIZE_M; on a thread of its own, where it may
        # take a moment.
        self.recorded: Callable[[Kernel], list[Prepared]] = lambda _kernel: []
        self.environment: Environment | None = None  # of the trace, as far as it is known
        self._trace: Prepared | None = None
        self._kernel: Kernel | None = None  # of it
        # Traces that were shown, by GROUP_SIZE_M and rows.
        self._shown: dict[tuple[Kernel, int, int], Prepared] = {}
        # The prediction on show, and the GROUP_SIZE_M that its model is fitted to.
        self._answer: tuple[Prediction, int] | None = None
        bar.fit.clicked.connect(self.fit)
        bar.group.valueChanged.connect(self.predict)
        bar.close_button.clicked.connect(self.close)

    def set_trace(
        self, trace: Prepared, request: ResolvedRequest, environment: Environment | None
    ) -> None:
        """Take another timeline and where it was made; a measured one can be fitted."""
        self.close()
        timeline = trace.timeline
        happened = timeline.kind in (Kind.MEASURED, Kind.RECORDED) and not timeline.counted
        # The model is of `locked`.
        self._trace = trace if happened and not timeline.source else None
        self.environment = environment if self._trace is not None else None
        if self._trace is not None:
            self._kernel = kernel_of(request, environment)
            self._shown[self._kernel, timeline.group_size_m, timeline.m] = trace
        self._bar.show_offer(offered=self._trace is not None)

    def fit(self) -> None:
        """Fit to the trace, and show the model's timeline of the same launch."""
        if self._trace is not None:
            timeline, environment = self._trace.timeline, self.environment
            self._bar.show_sentence(say("fitting …"), busy=True)
            architecture = "" if environment is None else environment.architecture
            sm_count = sm_count_of(timeline, architecture)
            self._ask(lambda: fit(timeline, sm_count), timeline.group_size_m, timeline.group_size_m)

    def predict(self, group_size_m: int) -> None:
        if self._trace is not None and self._answer is not None:
            answer, fitted_to = self._answer
            parameters = replace(answer.parameters, resident_programs=self._trace.programs)
            self._ask(lambda: parameters, fitted_to, group_size_m)

    @property
    def fitted(self) -> FittedModel | None:
        if self._answer is None:
            return None
        answer, fitted_to = self._answer
        shown = answer.model.timeline.group_size_m
        return FittedModel(parameters=answer.parameters, fitted_to=fitted_to, group_size_m=shown)

    def show_fitted(self, fitted: FittedModel) -> None:
        """Show the answer of a model that was fitted before, if a trace is on show."""
        self._ask(lambda: fitted.parameters, fitted.fitted_to, fitted.group_size_m)

    def close(self) -> None:
        self._background.drop(_WORK)
        self._bar.show_offer(offered=self._trace is not None)
        if self._answer is not None:
            self._answer = None
            self.modelChanged.emit(None)

    def _ask(
        self, model: Callable[[], SimulationParameters], fitted_to: int, group_size_m: int
    ) -> None:
        """Predict a launch with the trace's rows in the background; with the programs of the model
        if no trace of such a launch is known.
        """
        trace, own = self._trace, self._kernel
        if trace is None or own is None:
            return
        timeline = trace.timeline
        known = [seen for (kernel, *_), seen in self._shown.items() if kernel == own]

        def work() -> tuple[Prediction, int]:
            parameters = model()
            others = self.recorded(own) if group_size_m != timeline.group_size_m else []
            same = [seen for seen in known + others if seen.timeline.group_size_m == group_size_m]
            fitted = Residents(programs=parameters.resident_programs, origin=Origin.FITTED)
            residents = seen_residents(same, timeline.m) or fitted
            blocks = (timeline.tile_block_m, timeline.tile_block_n)
            m, n = timeline.m, timeline.n
            return predict(m, n, group_size_m, blocks, residents, parameters, same), fitted_to

        self._background.do(work, lambda answer: self._show(trace, *answer), _WORK, self._fail)

    def _show(self, trace: Prepared, prediction: Prediction, fitted_to: int) -> None:
        self._answer = prediction, fitted_to
        self._bar.show_model(
            prediction.model.timeline.group_size_m,
            result_of(prediction, trace),
            details_of(prediction, fitted_to),
        )
        self.modelChanged.emit(prediction.model)

    def _fail(self, why: Sentence) -> None:
        text = say("The model cannot be fitted to this trace: {reason}", reason=why)
        self._bar.show_sentence(text, busy=False)
