"""A model fitted to a trace, and what it says beside what was measured; the lines above the
pictures.
"""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QSpinBox, QWidget

from lnexplorer.domain import wording
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.fit import fit
from lnexplorer.domain.simulation.model import SimulationParameters
from lnexplorer.domain.simulation.prediction import (
    Kernel,
    Origin,
    Prediction,
    Residents,
    SeenLaunch,
    kernel_of,
    predict,
    seen_residents,
    sm_count_of,
)
from lnexplorer.domain.timeline import Prepared
from lnexplorer.domain.views import FittedModel
from lnexplorer.gui.kit.responsive import Background
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import Badge, ElidedLabel, Label
from lnexplorer.gui.timeline.facts import model_times_text
from lnexplorer.gui.timeline.wording import number, time_text, words
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.sentence import Sentence


class Header(QWidget):
    """A badge, and beside it what matters, and what else there is to say as far as there is room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.badge = Badge(self)
        self.facts = ElidedLabel(self)
        self.figures = ElidedLabel(self)
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
        taken = self.line.sizeHint().width() - (
            0 if self.facts.isHidden() else self.facts.sizeHint().width()
        )
        first = self.facts.text().partition(" · ")[0]
        self.facts.setVisible(
            bool(first)
            and self.width() - taken - GRID >= self.facts.fontMetrics().horizontalAdvance(first)
        )


MOST_BUFFERS = 4096  # that are asked about


class FitBar(Header):
    """Shows what it is told. The button that begins it is placed elsewhere; the bar is for answers."""

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
        self.fit.setToolTip(
            self.tr(
                "Find the model's parameters in this trace, and show what the model says beside it"
            )
        )
        self.group.setAccessibleName(self.tr("GROUP_SIZE_M to predict"))
        self.group.setToolTip(
            self.tr("What the fitted model says of the same rows with so many buffers")
        )
        self.close_button.setText(self.tr("Close"))
        self.close_button.setToolTip(self.tr("Show the trace alone"))


LENGTHENED = (
    0.05  # where recording changed the pass by more, what was not recorded is the fairer measure
)


def result_of(found: Prediction, trace: Prepared) -> str:
    """How long each stage takes, and how far that is from what was measured; else how long it takes
    in the trace.
    """
    model, measured, error = found.model.summary, found.measured, found.error
    if measured is None or error is None:
        alone = words("stage 1: model {0}; measured with GROUP_SIZE_M {1}: {2}")
        length = time_text(trace.summary.stage1_ns)
        return alone.format(time_text(model.stage1_ns), trace.timeline.group_size_m, length)
    real, cost = measured.summary, measured.cost
    stage1 = words("stage 1: model {0}, measured {1}, error {2}")
    stage2 = words("stage 2: {0}, measured {1}, {2}")
    parts = [
        (stage1, model.stage1_ns, real.stage1_ns, error.stage1),
        (stage2, model.stage2_ns, real.stage2_ns, error.stage2),
    ]
    if cost is not None and abs(cost.share) > LENGTHENED:
        unrecorded = words("the pass without recording: {0}, measured {1}, {2}")
        parts.append((unrecorded, model.pass_ns, round(cost.plain_ns), error.unrecorded_pass))
    return " · ".join(
        text.format(time_text(simulated), time_text(seen), wording.signed_percent(wrong))
        for text, simulated, seen, wrong in parts
        if wrong is not None
    )


def details_of(found: Prediction, fitted_to: int) -> str:
    """How many programs the model had and how that is known, to which GROUP_SIZE_M it is fitted,
    and its times.
    """
    residents = found.residents
    shown = number(min(residents.programs, found.model.timeline.m))
    if residents.origin is not Origin.SEEN:
        programs = words("resident programs: {0}, those of the trace", shown)
    elif residents.detail:
        programs = words(
            "resident programs: {0}, as in the recording “{1}”", shown, residents.detail
        )
    else:
        programs = words("resident programs: {0}, as its trace shows", shown)
    fitted = words("fitted to GROUP_SIZE_M {0}", fitted_to)
    return f"{programs} · {fitted} · {model_times_text(found.parameters)}"


_WORK = "fit"


class TraceComparison(QObject):
    """Fits and predicts. A prediction of a launch that was traced is measured by that trace, and
    has as many programs as it.
    """

    modelChanged = Signal(object)  # Prepared, or None where the trace is alone

    def __init__(self, bar: FitBar, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bar = bar
        self._background = background
        self._environment: Callable[[], Environment | None] = lambda: None
        self._launches: Callable[[Kernel], list[SeenLaunch]] = lambda _kernel: []
        self._trace: Prepared | None = None
        self._kernel: Kernel | None = None  # of it
        self._shown: dict[
            tuple[Kernel, int, int], SeenLaunch
        ] = {}  # traces by GROUP_SIZE_M and rows
        self._answer: tuple[Prediction, int] | None = (
            None  # and the GROUP_SIZE_M that its model is fitted to
        )
        bar.fit.clicked.connect(self.fit)
        bar.group.valueChanged.connect(self.predict)
        bar.close_button.clicked.connect(self.close)

    def set_launches(
        self,
        environment: Callable[[], Environment | None],
        seen: Callable[[Kernel], list[SeenLaunch]],
    ) -> None:
        """Say where to look for what the pane's own traces do not tell.

        Args:
            environment: where the timeline on show was made.
            seen: traces of a kernel, any GROUP_SIZE_M. Called on a thread of its own; it may take a
                moment.
        """
        self._environment = environment
        self._launches = seen

    @property
    def environment(self) -> Environment | None:
        """Where the timeline on show was made, if it happened."""
        return None if self._trace is None else self._environment()

    def set_trace(self, trace: Prepared, request: ResolvedRequest) -> None:
        """Another timeline is on show: one that happened can be fitted."""
        self.close()
        timeline = trace.timeline
        happened = timeline.kind in (Kind.MEASURED, Kind.RECORDED) and not timeline.counted
        self._trace = (
            trace if happened and not timeline.source else None
        )  # the model is of `locked`
        if self._trace is not None:
            self._kernel = kernel_of(request, self.environment)
            self._shown[self._kernel, timeline.group_size_m, timeline.m] = SeenLaunch.of("", trace)
        self._bar.show_offer(offered=self._trace is not None)

    def fit(self) -> None:
        """Fit to the trace, and show the same launch as the model has it."""
        if self._trace is not None:
            timeline, environment = self._trace.timeline, self.environment
            self._bar.show_sentence(words("fitting …"), busy=True)
            sm_count = sm_count_of(
                timeline, "" if environment is None else environment.architecture
            )
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
        """Show the answer of a model that was fitted before; nothing beside what is no trace."""
        self._ask(lambda: fitted.parameters, fitted.fitted_to, fitted.group_size_m)

    def close(self) -> None:
        self._background.drop(_WORK)
        self._bar.show_offer(offered=self._trace is not None)
        if self._answer is not None:
            self._answer = None
            self.modelChanged.emit(None)

    def retranslate(self) -> None:
        self._bar.retranslate()
        self._describe()

    def _ask(
        self, model: Callable[[], SimulationParameters], fitted_to: int, group_size_m: int
    ) -> None:
        """Have a launch with the trace's rows predicted; without a better number it has the
        programs of the model.
        """
        trace, own = self._trace, self._kernel
        if trace is None or own is None:
            return
        timeline = trace.timeline
        known = [
            seen
            for (kernel, group, _), seen in self._shown.items()
            if (kernel, group) == (own, group_size_m)
        ]

        def work() -> tuple[Prediction, int]:
            same, parameters = known.copy(), model()
            if group_size_m != timeline.group_size_m:
                same += [seen for seen in self._launches(own) if seen.group_size_m == group_size_m]
            fitted = Residents(programs=parameters.resident_programs, origin=Origin.FITTED)
            residents = seen_residents(same, timeline.m) or fitted
            blocks = (timeline.tile_block_m, timeline.tile_block_n)
            return (
                predict(timeline.m, timeline.n, group_size_m, blocks, residents, parameters, same),
                fitted_to,
            )

        self._background.do(work, self._show, _WORK, self._fail)

    def _show(self, answer: tuple[Prediction, int]) -> None:
        self._answer = answer
        self._describe()
        self.modelChanged.emit(answer[0].model)

    def _fail(self, why: Sentence) -> None:
        self._bar.show_sentence(
            words("The model cannot be fitted to this trace: {0}", translate_message(why)),
            busy=False,
        )

    def _describe(self) -> None:
        if self._trace is not None and self._answer is not None:
            answer, fitted_to = self._answer
            group_size_m = answer.model.timeline.group_size_m
            self._bar.show_model(
                group_size_m, result_of(answer, self._trace), details_of(answer, fitted_to)
            )
