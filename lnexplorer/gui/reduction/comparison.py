"""A model fitted to a trace, and what it says beside what was measured."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, QObject, Signal

from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation import SimulationParameters
from lnexplorer.domain.simulation.fit import fit
from lnexplorer.domain.simulation.prediction import predict
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.domain.views import FittedModel
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.painter.wording import time_text
from lnexplorer.gui.reduction.background import Background
from lnexplorer.gui.reduction.description import model_text
from lnexplorer.gui.reduction.fit_bar import FitBar
from lnexplorer.gui.reduction.preparation import Prepared, prepare

_WORK = "fit"
_Launch = tuple[int, int, str, str, int, bool]  # rows, columns, type of x, type of the buffers, warps, barrier


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a trace that was shown tells of its GROUP_SIZE_M."""

    stage1_ns: int
    programs: int  # on the device at once; the kernel of another GROUP_SIZE_M may need other registers, and let others in


@dataclass(frozen=True, eq=False, slots=True)
class _Answer:
    parameters: SimulationParameters
    fitted_to: int  # GROUP_SIZE_M
    model: Prepared


class Comparison(QObject):
    """Fits, predicts, and remembers the traces that were shown, so that a prediction of one of them is measured by it."""

    modelChanged = Signal(object)  # noqa: N815  # Prepared, or None where the trace is alone

    def __init__(self, bar: FitBar, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bar, self._background = bar, background
        self._trace: Prepared | None = None
        self._launch: _Launch | None = None
        self._measured: dict[tuple[_Launch, int], _Seen] = {}  # by GROUP_SIZE_M
        self._answer: _Answer | None = None
        bar.fitWished.connect(self.fit)
        bar.groupChosen.connect(self.predict)
        bar.closeWished.connect(self.close)

    def set_trace(self, trace: Prepared, request: ResolvedRequest) -> None:
        """Another timeline is on show: one that happened can be fitted."""
        self.close()
        happened = trace.timeline.kind in (Kind.MEASURED, Kind.RECORDED) and trace.timeline.m > 0
        self._trace = trace if happened else None
        timeline, launch = trace.timeline, request.launch
        self._launch = (timeline.m, timeline.n, request.dtype, launch.partial_dtype, launch.num_warps, launch.barrier)
        if happened:
            self._measured[self._launch, timeline.group_size_m] = _Seen(trace.summary.stage1_ns, trace.programs)
        self._bar.show_offer(offered=happened)

    def fit(self) -> None:
        """Fit to the trace, and show the same launch as the model has it."""
        trace = self._trace
        if trace is None:
            return
        timeline = trace.timeline
        self._bar.show_sentence(QCoreApplication.translate("reduction", "fitting …"), busy=True)

        def work() -> _Answer:
            parameters = fit(timeline)
            return _Answer(parameters, timeline.group_size_m, _predicted(parameters, timeline, timeline.group_size_m))

        self._background.ask(_WORK, work, self._show, self._fail)

    def predict(self, group_size_m: int) -> None:
        """Show what the fitted model says of another GROUP_SIZE_M."""
        trace, answer = self._trace, self._answer
        if trace is None or answer is None:
            return
        seen = self._seen(group_size_m)
        own = self._seen(answer.fitted_to) if seen is None else seen
        parameters = answer.parameters if own is None else replace(answer.parameters, resident_programs=own.programs)

        def work() -> _Answer:
            return _Answer(parameters, answer.fitted_to, _predicted(parameters, trace.timeline, group_size_m))

        self._background.ask(_WORK, work, self._show, self._fail)

    @property
    def fitted(self) -> FittedModel | None:
        """The model beside the trace."""
        answer = self._answer
        if answer is None:
            return None
        shown = answer.model.timeline.group_size_m
        return FittedModel(parameters=answer.parameters, fitted_to=answer.fitted_to, group_size_m=shown)

    def show_fitted(self, fitted: FittedModel) -> None:
        """Show the answer of a model that was fitted before; nothing beside what is no trace."""
        trace = self._trace
        if trace is None:
            return
        timeline, parameters = trace.timeline, fitted.parameters

        def work() -> _Answer:
            return _Answer(parameters, fitted.fitted_to, _predicted(parameters, timeline, fitted.group_size_m))

        self._background.ask(_WORK, work, self._show, self._fail)

    def close(self) -> None:
        """Show the trace alone."""
        self._background.drop(_WORK)
        self._bar.show_offer(offered=self._trace is not None)
        if self._answer is not None:
            self._answer = None
            self.modelChanged.emit(None)

    def retranslate(self) -> None:
        """Write all texts."""
        self._bar.retranslate()
        if self._answer is not None:
            self._describe(self._answer)

    def _show(self, answer: _Answer) -> None:
        self._answer = answer
        self._describe(answer)
        self.modelChanged.emit(answer.model)

    def _fail(self, error: Exception) -> None:
        text = QCoreApplication.translate("reduction", "The model cannot be fitted to this trace: {0}")
        self._bar.show_sentence(text.format(error), busy=False)

    def _seen(self, group_size_m: int) -> _Seen | None:
        """The trace of this launch with so many buffers, where one was shown."""
        return self._measured.get((self._launch, group_size_m)) if self._launch is not None else None

    def _describe(self, answer: _Answer) -> None:
        model = answer.model
        group_size_m, length = model.timeline.group_size_m, model.summary.stage1_ns
        seen = self._seen(group_size_m)
        text = QCoreApplication.translate("reduction", "stage 1: model {0}").format(time_text(length))
        if seen is not None and seen.stage1_ns:
            measured = seen.stage1_ns
            against = QCoreApplication.translate("reduction", "stage 1: model {0}, measured {1}, error {2}")
            text = against.format(time_text(length), time_text(measured), f"{length / measured - 1:+.1%}".replace("-", "−"))
        elif self._trace is not None:
            this = self._trace.timeline.group_size_m
            against = QCoreApplication.translate("reduction", "stage 1: model {0}; measured with GROUP_SIZE_M {1}: {2}")
            text = against.format(time_text(length), this, time_text(self._trace.summary.stage1_ns))
        fitted = QCoreApplication.translate("reduction", "fitted to GROUP_SIZE_M {0}").format(answer.fitted_to)
        details = f"{fitted} · {model_text(answer.parameters)}"
        self._bar.show_model(group_size_m, domain_text(Kind.SIMULATED.value), f"{text} · {details}", details)


def _predicted(parameters: SimulationParameters, trace: ReductionTimeline, group_size_m: int) -> Prepared:
    return prepare(predict(parameters, trace.m, trace.n, group_size_m, trace.tile_block_m, trace.tile_block_n))
