"""What a session is made of: what is on show, taken down on Qt's thread; and how it comes to the screen again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from lnexplorer.domain.result import RunResult
from lnexplorer.domain.simulation import simulate
from lnexplorer.gui.shell.services import Services
from lnkernels.values.accuracy import ErrorMap
from lnkernels.values.timeline import ReductionTimeline

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentResult
    from lnexplorer.domain.request import ResolvedRequest, RunRequest
    from lnexplorer.domain.residents import Kernel, SeenLaunch
    from lnexplorer.domain.sweep.cells import CellResult
    from lnexplorer.domain.sweep.request import SweepRequest
    from lnexplorer.gui.correctness.pane import CorrectnessPane
    from lnexplorer.gui.experiments.pane import ExperimentsPane
    from lnexplorer.gui.memory_access.pane import TouchPane
    from lnexplorer.gui.reduction.pane import ReductionPane
    from lnexplorer.gui.shell.main_window import MainWindow
    from lnexplorer.gui.shell.state import SessionState
    from lnexplorer.gui.sweep.overlays import Overlay
    from lnexplorer.gui.sweep.pane import SweepPane
    from lnexplorer.gui.throughput.pane import ThroughputPane
    from lnexplorer.store.recordings import RecordedSweep
    from lnexplorer.store.session import Session, SessionRun, SessionTimeline, SessionViews

# Bytes of a session before it is deflated, for each byte that the history keeps, and for what every run says: one of
# the tutorial's size takes 336 kB there and 414 kB here, the lecture's 8 and 24; a row of a sweep 1.6 and 3.3.
RUN_FACTOR, RUN_WORDS = 1.2, 16_000
ROW_FACTOR = 2.1


@dataclass(frozen=True, eq=False, slots=True)
class OnShow:
    """What is open, and how it is shown."""

    request: "RunRequest"
    result: RunResult | None
    part: ErrorMap | None
    timeline: "SessionTimeline | None"
    launches: "tuple[tuple[Kernel, SeenLaunch], ...]"  # that were traced
    charted: "tuple[tuple[ResolvedRequest, str], ...]"  # launch and date of each run on the chart of speeds
    layout: str
    sweep: "tuple[SweepRequest, list[CellResult]] | None"
    sweep_form: "SweepRequest | None"
    beside: "tuple[Overlay, ...]"
    experiments: "tuple[ExperimentResult, ...]"
    views: "SessionViews"


def on_show(window: "MainWindow", state: "SessionState") -> OnShow:
    """What is open now. On Qt's thread; nothing of it changes afterwards."""
    from lnexplorer.store.session import SessionViews

    pane = window.made.get  # what was never looked at has nothing to tell
    sweep, throughput, experiments = pane("sweep"), pane("throughput"), pane("experiments")
    reduction, correctness, memory_access = pane("reduction"), pane("correctness"), pane("memory_access")
    model = None if sweep is None else sweep.model
    return OnShow(
        request=state.request,
        result=state.result,
        part=state.map,
        timeline=_timeline(window, state),
        launches=() if reduction is None else reduction.comparison.seen,
        charted=() if throughput is None else throughput.charted,
        layout=window.layout_text(),
        sweep=None if model is None else (model.sweep, list(model.results.values())),
        sweep_form=None if sweep is None else sweep.form.sweep() or (model.sweep if model is not None else None),
        beside=() if sweep is None else sweep.picture.bar.chosen_overlays,
        experiments=() if experiments is None else experiments.results,
        views=SessionViews(
            correctness=None if correctness is None else correctness.view(),
            throughput=None if throughput is None else throughput.view(),
            sweep=None if sweep is None else sweep.picture.view(),
            touch=None if memory_access is None else memory_access.view(),
            experiment=None if experiments is None else experiments.name,
        ),
    )


def session_of(
    shown: OnShow, found: Sequence[tuple[int, str, RunResult]], baseline: int | None, sweeps: "Sequence[RecordedSweep]"
) -> "Session":
    """The whole session. Not for Qt's thread: many runs are compared with what is on show.

    Args:
        shown: what is open.
        found: number, note and result of each run of the history that goes in.
        baseline: number of the run that others are compared with.
        sweeps: the kept ones that go in.
    """
    from lnexplorer.store.session import Session, SessionCurves, SessionLaunch, SessionRun

    runs = [SessionRun(result=result, note=note) for _, note, result in found]
    place = _place_of_shown(runs, shown.result)
    places = {(run.result.resolved, run.result.provenance.environment.date): number for number, run in enumerate(runs)}
    numbers = [number for number, _, _ in found]
    held, sweep = _with_shown_sweep(list(sweeps), shown)
    return Session(
        request=shown.request,
        runs=tuple(runs),
        baseline=numbers.index(baseline) if baseline in numbers else None,
        shown=place,
        charted=tuple(places[key] for key in shown.charted if key in places),
        layout=shown.layout,
        part=shown.part if place is not None else None,
        timeline=shown.timeline,
        launches=tuple(SessionLaunch(kernel=kernel, seen=seen) for kernel, seen in shown.launches),
        sweeps=tuple(held),
        sweep=sweep,
        sweep_form=shown.sweep_form,
        beside=tuple(
            SessionCurves(
                title=each.title,
                kind=each.kind,
                problem=each.problem,
                direction=each.direction,
                mode=each.mode,
                curves=each.curves,
            )
            for each in shown.beside
        ),
        experiments=shown.experiments,
        views=shown.views,
    )


def is_same(one: RunResult, other: RunResult) -> bool:
    """Whether two results are of one run; what the history keeps is coarser, so arrays are not compared."""
    return one.provenance.environment == other.provenance.environment and one.resolved == other.resolved


def _place_of_shown(runs: "list[SessionRun]", result: RunResult | None) -> int | None:
    """The place of the run on the screen, which is added where it is not among the others."""
    from lnexplorer.store.session import SessionRun

    if result is None:
        return None
    for place, run in enumerate(runs):
        if is_same(run.result, result):
            return place
    runs.append(SessionRun(result=result))
    return len(runs) - 1


def _with_shown_sweep(sweeps: "list[RecordedSweep]", shown: OnShow) -> "tuple[list[RecordedSweep], int | None]":
    """The sweeps, and the place of the one on the screen, which is added where it is not among the others."""
    from lnexplorer.store.recordings import recorded_sweep

    if shown.sweep is None or not shown.sweep[1]:
        return sweeps, None
    request, results = shown.sweep
    dates = {result.cell.number: result.environment.date for result in results}
    for place, sweep in enumerate(sweeps):
        if sweep.sweep == request and {row.cell.number: row.environment.date for row in sweep.results} == dates:
            return sweeps, place
    return [*sweeps, recorded_sweep(request, results)], len(sweeps)


def _timeline(window: "MainWindow", state: "SessionState") -> "SessionTimeline | None":
    from lnexplorer.store.session import SessionTimeline

    pane = window.made.get("reduction")
    if pane is not None and pane.shown is not None:
        timeline, request, model = pane.shown
        view = pane.view()
        if model is not None:  # what a model gave, it gives again
            return SessionTimeline(request=request, timeline=None, view=view)
        made = state.traced_in if timeline is state.timeline else None
        return SessionTimeline(request=request, timeline=timeline, view=view, environment=made)
    launch = state.launch_shown
    if state.timeline is not None and launch is not None:
        return SessionTimeline(request=launch, timeline=state.timeline, environment=state.traced_in)
    return None


MOST_ROWS = 1 << 20  # that the pane simulates at all


@dataclass(frozen=True, eq=False, slots=True)
class Opened:
    """A session, and what takes a while to find out of it."""

    session: "Session"
    timeline: ReductionTimeline | None  # that it shows
    cells: int  # of the sweep that it shows; 0 without one


def opened(session: "Session") -> Opened:
    """With a simulated timeline simulated again, which takes a second for a million rows: not for Qt's thread."""
    kept = session.timeline
    cells = 0 if session.sweep is None else session.sweeps[session.sweep].total
    return Opened(session, None if kept is None else kept.timeline or _simulated(kept), cells)


def _simulated(kept: "SessionTimeline") -> ReductionTimeline | None:
    request, model = kept.request, kept.view.model
    if model is None:
        return None
    launch = request.launch
    rows = min(request.m, MOST_ROWS)
    return simulate(rows, request.n, launch.group_size_m, launch.reduce_block_size_m, launch.reduce_block_size_n, model)


def _made_with(kept: "SessionTimeline", result: "RunResult") -> bool:
    """Whether a timeline was made where its run was; one that does not say where was."""
    return kept.environment is None or kept.environment.place == result.provenance.environment.place


class SessionOpening(QObject):
    """Shows a session."""

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._window, self._session, self._steps = services.window, services.session, services.steps

    def show(self, found: Opened, then: Callable[[], None]) -> None:
        """Show all of it, one part in each turn of the event loop, and run nothing; then do something else."""
        session, timeline = found.session, found.timeline
        parts: list[Callable[[], None]] = [
            partial(self._with, "throughput", partial(self._throughput, session)),
            partial(self._with, "correctness", partial(self._correctness, session)),
            partial(self._with, "reduction", partial(self._reduction, session, timeline)),
            partial(self._run, session, timeline),
            partial(self._with, "memory_access", partial(self._touch, session)),
            partial(self._with, "sweep", partial(self._sweep, session, found.cells)),
            partial(self._with, "experiments", partial(self._experiments, session)),
            partial(self._arrange, session),
            then,
        ]
        for number, part in enumerate(parts):
            self._steps.add(f"session {number}", part)

    def _arrange(self, session: "Session") -> None:
        if session.layout:
            self._window.restore_layout(session.layout)

    def _run(self, session: "Session", timeline: ReductionTimeline | None) -> None:
        kept = session.timeline
        if session.shown is not None:
            result = session.runs[session.shown].result
            # A simulated timeline of other parameters than the run's is simulated anew with them, below.
            own = kept is not None and kept.request == result.resolved and _made_with(kept, result)
            self._session.show_past(result, timeline if own else None)
            if kept is not None and kept.timeline is not None and not own:
                self._session.show_timeline(kept.timeline, kept.request, kept.environment)
            if session.part is not None:
                self._session.show_part(session.part)
            if not self._session.state.live and session.request != result.request:
                self._window.parameters.set_request(session.request)
                self._session.set_request(session.request)
            return
        self._window.parameters.set_request(session.request)
        self._session.set_request(session.request)
        if kept is not None and timeline is not None:
            self._session.show_timeline(timeline, kept.request, kept.environment)

    def _reduction(self, session: "Session", timeline: ReductionTimeline | None, pane: "ReductionPane") -> None:
        pane.comparison.remember((launch.kernel, launch.seen) for launch in session.launches)
        if session.timeline is None or timeline is None:
            return
        pane.wish_view(timeline, session.timeline.view)
        if self._session.state.timeline is timeline:  # a pane that was made later shows it already, without its model
            pane.show_timeline(timeline, session.timeline.request)

    def _throughput(self, session: "Session", pane: "ThroughputPane") -> None:
        places = [place for place in session.charted if place != session.shown]
        pane.show_earlier([session.runs[place].result for place in places])
        if session.views.throughput is not None:
            pane.show_view(session.views.throughput)

    def _correctness(self, session: "Session", pane: "CorrectnessPane") -> None:
        if session.views.correctness is not None:
            shown = None if session.shown is None else session.runs[session.shown].result.correctness
            pane.show_view(session.views.correctness, shown)

    def _touch(self, session: "Session", pane: "TouchPane") -> None:
        resolved = self._session.state.resolved
        if session.views.touch is not None and resolved is not None:
            pane.set_shape(resolved.m, resolved.n)
            pane.show_view(session.views.touch)

    def _sweep(self, session: "Session", cells: int, pane: "SweepPane") -> None:
        if session.sweep is None and session.sweep_form is None:
            return
        sweeps = self._services.controller("sweep").sweeps
        if sweeps.busy or pane.state != "idle":
            self._session.warn(lambda: self.tr("A sweep is under way: those of the session are in the history."))
            return
        if session.sweep is not None:
            shown = session.sweeps[session.sweep]
            sweeps.look_at(shown.sweep, list(shown.results))
            if session.views.sweep is not None:  # before its rows, which would be read once more for another quantity
                pane.picture.show_view(session.views.sweep)
            pane.show_progress(len(shown.results), cells, None)
        self._steps.add("session's sweep", partial(self._look_at_sweep, session, pane))  # after its rows

    def _look_at_sweep(self, session: "Session", pane: "SweepPane") -> None:
        from lnexplorer.gui.sweep.overlays import Overlay

        form = session.sweep_form
        if session.beside and form is not None:
            overlays = [
                Overlay(title=c.title, kind=c.kind, problem=c.problem, direction=c.direction, mode=c.mode, curves=c.curves)
                for c in session.beside
            ]
            pane.lay_beside(overlays, form)
        if form is not None:
            pane.form.set_sweep(form)
            pane.bar.show_preset_of(form)
        if session.views.sweep is not None:
            self._steps.add("session's view of the sweep", partial(pane.picture.show_view, session.views.sweep))

    def _experiments(self, session: "Session", pane: "ExperimentsPane") -> None:
        for number, result in enumerate(session.experiments):
            self._steps.add(f"session's experiment {number}", partial(pane.show_result, result))
        chosen = session.views.experiment
        if chosen in {result.request.name for result in session.experiments}:
            self._steps.add("session's experiment", partial(pane.choose, chosen))

    def _with(self, name: str, show: Callable[[Any], None]) -> None:
        show(self._window.pane(name))
