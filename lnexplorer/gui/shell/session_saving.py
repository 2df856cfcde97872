"""What a session is made of: what is on show, taken down on Qt's thread, and what the history gives to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lnexplorer.domain.result import RunResult
from lnkernels.values.accuracy import ErrorMap

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentResult
    from lnexplorer.domain.request import ResolvedRequest, RunRequest
    from lnexplorer.domain.residents import Kernel, SeenLaunch
    from lnexplorer.domain.sweep.cells import CellResult
    from lnexplorer.domain.sweep.request import SweepRequest
    from lnexplorer.gui.shell.main_window import MainWindow
    from lnexplorer.gui.shell.state import SessionState
    from lnexplorer.gui.sweep.overlays import Overlay
    from lnexplorer.store.recorded_sweep import RecordedSweep
    from lnexplorer.store.session import Session, SessionRun, SessionTimeline, SessionViews

# Bytes of a session's JSON for each byte that the databases keep, and for what is said in words: a run of the tutorial's size
# takes 336 kB there and 557 kB here, the lecture's 8 and 35; a row of a sweep 2 and 4.6.
RUN_FACTOR, RUN_WORDS = 1.6, 25_000
ROW_FACTOR, ROW_WORDS = 2.0, 1_500


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
    from lnexplorer.store.session import SessionViews  # noqa: PLC0415  (no work for the start of the window)

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
    from lnexplorer.store.session import Session, SessionCurves, SessionLaunch, SessionRun  # noqa: PLC0415

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
    from lnexplorer.store.session import SessionRun  # noqa: PLC0415

    if result is None:
        return None
    for place, run in enumerate(runs):
        if is_same(run.result, result):
            return place
    runs.append(SessionRun(result=result))
    return len(runs) - 1


def _with_shown_sweep(sweeps: "list[RecordedSweep]", shown: OnShow) -> "tuple[list[RecordedSweep], int | None]":
    """The sweeps, and the place of the one on the screen, which is added where it is not among the others."""
    from lnexplorer.store.recorded_sweep import recorded_sweep  # noqa: PLC0415

    if shown.sweep is None or not shown.sweep[1]:
        return sweeps, None
    request, results = shown.sweep
    dates = {result.cell.number: result.environment.date for result in results}
    for place, sweep in enumerate(sweeps):
        if sweep.sweep == request and {row.cell.number: row.environment.date for row in sweep.results} == dates:
            return sweeps, place
    return [*sweeps, recorded_sweep(request, results)], len(sweeps)


def _timeline(window: "MainWindow", state: "SessionState") -> "SessionTimeline | None":
    from lnexplorer.store.session import SessionTimeline  # noqa: PLC0415

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
