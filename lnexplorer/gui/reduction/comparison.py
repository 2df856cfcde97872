"""A model fitted to a trace, and what it says beside what was measured."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, QObject, Signal

from lnexplorer.domain.provenance import Environment, Kind
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.residents import Kernel, Origin, Residents, SeenLaunch, kernel_of, sample_run, sm_count_of
from lnexplorer.domain.simulation import SimulationParameters
from lnexplorer.domain.simulation.fit import fit
from lnexplorer.domain.simulation.prediction import predict
from lnexplorer.domain.views import FittedModel
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.reduction.background import Background
from lnexplorer.gui.reduction.comparison_words import Compared, details_of, result_of
from lnexplorer.gui.reduction.fit_bar import FitBar
from lnexplorer.gui.reduction.launches import Launches, WantedOccupancy
from lnexplorer.gui.reduction.preparation import Prepared, prepare

_WORK = "fit"


@dataclass(frozen=True, eq=False, slots=True)
class _Trace:
    """What the model is fitted to."""

    prepared: Prepared
    request: ResolvedRequest
    kernel: Kernel
    architecture: str | None  # that its kernel can be compiled for again


class Comparison(QObject):
    """Fits and predicts. A prediction of a launch that was traced is measured by that trace, and has as many programs as it."""

    modelChanged = Signal(object)  # noqa: N815  # Prepared, or None where the trace is alone
    occupancyWished = Signal(object)  # noqa: N815  # WantedOccupancy; `take_occupancy` is the answer

    def __init__(self, bar: FitBar, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bar, self._background = bar, background
        self._launches: Launches | None = None
        self._trace: _Trace | None = None
        self._shown: dict[tuple[Kernel, int, int], SeenLaunch] = {}  # traces by GROUP_SIZE_M and rows
        self._compiled: dict[tuple[Kernel, int], int | str] = {}  # programs per SM, or why they are not known
        self._answer: Compared | None = None
        bar.fitWished.connect(self.fit)
        bar.groupChosen.connect(self.predict)
        bar.closeWished.connect(self.close)

    def set_launches(self, launches: Launches) -> None:
        """Who knows of other launches than those on show. Without one the pane's own traces are all that is known."""
        self._launches = launches

    @property
    def seen(self) -> tuple[tuple[Kernel, SeenLaunch], ...]:
        """Figures of every trace that was on show, with its kernel; the models of others are measured by them."""
        return tuple((kernel, seen) for (kernel, _, _), seen in self._shown.items())

    def remember(self, seen: Iterable[tuple[Kernel, SeenLaunch]]) -> None:
        """Know of traces that were on show in another window; of the same launch, the own one stays."""
        self._shown = {(kernel, launch.group_size_m, launch.m): launch for kernel, launch in seen} | self._shown

    def set_trace(self, trace: Prepared, request: ResolvedRequest) -> None:
        """Another timeline is on show: one that happened can be fitted."""
        self.close()
        timeline = trace.timeline
        happened = timeline.kind in (Kind.MEASURED, Kind.RECORDED) and timeline.m > 0 and not timeline.counted
        self._trace = None
        if happened:
            environment = self._launches.environment if self._launches is not None else None
            kernel = kernel_of(request, environment)
            self._trace = _Trace(trace, request, kernel, _architecture(environment))
            self._shown[kernel, timeline.group_size_m, timeline.m] = SeenLaunch.known("", timeline, trace.programs, trace.summary)
        self._bar.show_offer(offered=happened)

    def fit(self) -> None:
        """Fit to the trace, and show the same launch as the model has it."""
        trace = self._trace
        if trace is None:
            return
        timeline = trace.prepared.timeline
        self._bar.show_sentence(QCoreApplication.translate("reduction", "fitting …"), busy=True)
        sm_count = sm_count_of(timeline, trace.architecture or "")
        self._ask(trace, lambda: fit(timeline, sm_count=sm_count), timeline.group_size_m, timeline.group_size_m)

    def predict(self, group_size_m: int) -> None:
        """Show what the fitted model says of another GROUP_SIZE_M."""
        trace, answer = self._trace, self._answer
        if trace is None or answer is None:
            return
        parameters = replace(answer.parameters, resident_programs=trace.prepared.programs)
        self._ask(trace, lambda: parameters, answer.fitted_to, group_size_m)

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
        if self._trace is not None:
            self._ask(self._trace, lambda: fitted.parameters, fitted.fitted_to, fitted.group_size_m)

    def take_occupancy(self, wanted: WantedOccupancy, per_sm: int | str) -> None:
        """What the compiler said: programs per SM, or a sentence that says why it does not know."""
        self._compiled[wanted.kernel, wanted.group_size_m] = per_sm
        trace, answer = self._trace, self._answer
        if trace is None or answer is None or trace.kernel != wanted.kernel:
            return
        if answer.model.timeline.group_size_m == wanted.group_size_m and answer.residents.origin is Origin.FITTED:
            self.predict(wanted.group_size_m)

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

    def _ask(self, trace: _Trace, model: Callable[[], SimulationParameters], fitted_to: int, group_size_m: int) -> None:
        """Have a launch with the trace's rows predicted; without a better number it has the programs of the model."""
        timeline, launches = trace.prepared.timeline, self._launches
        own = [seen for (kernel, group, _), seen in self._shown.items() if (kernel, group) == (trace.kernel, group_size_m)]
        per_sm = self._compiled.get((trace.kernel, group_size_m))

        def work() -> Compared:
            same = own.copy()
            if launches is not None and group_size_m != timeline.group_size_m:
                same += [seen for seen in launches.seen(trace.kernel) if seen.group_size_m == group_size_m]
            parameters = model()
            residents = _residents(same, timeline.m, per_sm, parameters)
            parameters = replace(parameters, resident_programs=residents.programs)
            blocks = (timeline.tile_block_m, timeline.tile_block_n)
            simulated = predict(parameters, timeline.m, timeline.n, group_size_m, *blocks)
            measured = next((seen for seen in same if seen.is_of(simulated)), None)
            return Compared(parameters, fitted_to, prepare(simulated), residents, trace.prepared, measured)

        self._background.ask(_WORK, work, self._show, self._fail)

    def _show(self, answer: Compared) -> None:
        self._answer = answer
        self._describe(answer)
        self.modelChanged.emit(answer.model)
        trace, group_size_m = self._trace, answer.model.timeline.group_size_m
        if self._compilable(answer) and trace is not None and trace.architecture is not None:
            sample = sample_run(trace.request, group_size_m)
            self.occupancyWished.emit(WantedOccupancy(trace.kernel, group_size_m, sample, trace.architecture))

    def _compilable(self, answer: Compared) -> bool:
        """Whether a compiler may tell more than is known."""
        trace = self._trace
        if trace is None or trace.architecture is None or answer.residents.origin is not Origin.FITTED:
            return False
        return self._launches is not None and (trace.kernel, answer.model.timeline.group_size_m) not in self._compiled

    def _fail(self, error: Exception) -> None:
        text = QCoreApplication.translate("reduction", "The model cannot be fitted to this trace: {0}")
        self._bar.show_sentence(text.format(error), busy=False)

    def _describe(self, answer: Compared) -> None:
        details = details_of(answer, compiling=self._compilable(answer))
        group_size_m = answer.model.timeline.group_size_m
        self._bar.show_model(group_size_m, domain_text(Kind.SIMULATED.value), result_of(answer), details)


def _residents(same: list[SeenLaunch], m: int, per_sm: int | str | None, model: SimulationParameters) -> Residents:
    """Programs of a predicted launch, by traces of it, by its compiled kernel, or as many as the model has."""
    for seen in same:
        if seen.tells_of(m):
            return Residents(programs=seen.programs, origin=Origin.SEEN, detail=seen.title)
    if isinstance(per_sm, int):
        return Residents(programs=per_sm * model.sm_count, origin=Origin.COMPILED)
    return Residents(programs=model.resident_programs, origin=Origin.FITTED, detail=per_sm or "")


def _architecture(environment: Environment | None) -> str | None:
    if environment is None or environment.compute_capability is None:
        return None
    major, minor = environment.compute_capability
    return f"sm_{major}{minor}"
