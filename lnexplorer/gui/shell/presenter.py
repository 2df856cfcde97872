"""Compares two states of the session and touches only what differs, one small step in each turn of the event loop."""

from collections.abc import Callable
from dataclasses import replace

from lnexplorer.domain.peers import prepared_now
from lnexplorer.domain.request import ResolvedRequest, resolve
from lnexplorer.engine.events import Broken, WorkerLost
from lnexplorer.gui.responsive import IdleSteps
from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.messages import detail_of, sentence_of
from lnexplorer.gui.shell.state import Notice, Remark, SessionState, WorkerState
from lnkernels.launch import DeviceLimits, limits_for_architecture
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.compiled import KernelFacts

# Until the worker has told its device, the model runs on this one.
USUAL_ARCHITECTURE = "sm_90"


class Presenter:
    """Shows the session in the window's panes. Panes that do not exist yet are shown everything once they do."""

    def __init__(self, window: MainWindow, steps: IdleSteps) -> None:
        self._window = window
        self._steps = steps
        self._problem: tuple[ResolvedRequest, int, int] | None = None

    def show(self, before: SessionState, after: SessionState) -> None:
        """Show what differs."""
        self._show_form(before, after)
        self._show_status(before, after)
        if _differ(before, after, "resolved", "kind", "correctness", "figures"):
            self._steps.add("headline", lambda: self._headline(after))
        if before.correctness is not after.correctness:
            self._correctness(after)
        if before.map is not after.map:
            self._steps.add("map", lambda: self._map(after))
        self._show_throughput(before, after)
        self._show_reduction(before, after)

    def show_all(self, name: str, state: SessionState) -> None:
        """Show the state in a pane that has just been made."""
        match name:
            case "correctness":
                self._correctness(state)
            case "throughput":
                self._new_throughput(state)
            case "reduction":
                self._problem = None
                if state.timeline is not None:
                    self._reduction(state)
                self._timeline(state)
            case _:
                pass

    def _show_form(self, before: SessionState, after: SessionState) -> None:
        form = self._window.parameters
        if before.device != after.device:
            form.set_device(after.device)
        form.set_request(after.request)
        if before.busy != after.busy:
            form.set_running(after.busy)
            self._window.actions_.stop.setEnabled(after.busy)
        if before.live != after.live:
            form.set_live(after.live)
            self._window.actions_.live.setChecked(after.live)
        if before.compiled != after.compiled:
            form.set_compiled(after.compiled)

    def _show_status(self, before: SessionState, after: SessionState) -> None:
        status = self._window.status
        if _differ(before, after, "worker_shown", "device"):
            status.show_worker(after.worker_shown, after.device)
        if before.progress is not after.progress:
            status.show_progress(after.progress)
        if before.kind is not after.kind:
            status.show_kind(after.kind)
        if before.notice is not after.notice:
            self._notice(after)

    def _notice(self, state: SessionState) -> None:
        strip = self._window.message
        match state.notice:
            case None:
                strip.hide()
            case notice:
                ways_out = {"note": isinstance(notice, Remark), "can_restart": _can_restart(notice, state.worker)}
                strip.show_message(lambda: sentence_of(notice), lambda: detail_of(notice), **ways_out)

    def _headline(self, state: SessionState) -> None:
        self._window.headline.show_run(state.resolved, state.kind, state.correctness, state.figures)

    def _correctness(self, state: SessionState) -> None:
        pane = self._window.correctness
        if pane is None:
            return
        steps: tuple[Callable[[], object], ...] = (pane.clear,)
        if state.correctness is not None and state.resolved is not None and state.kind is not None:
            steps = pane.steps_to_show(state.correctness, state.resolved, state.kind)
        self._steps.replace("correctness", steps)

    def _map(self, state: SessionState) -> None:
        if self._window.correctness is not None and state.map is not None:
            self._window.correctness.show_map(state.map)

    def _show_throughput(self, before: SessionState, after: SessionState) -> None:
        pane = self._window.throughput
        if pane is None:
            return
        if before.device != after.device:
            self._steps.add("throughput device", lambda: pane.set_device(after.device))
        if before.peers != after.peers:
            self._steps.add("throughput peers", lambda: pane.set_peers(after.peers))
        if _prepared(before) != _prepared(after):
            self._steps.add("throughput preparing", lambda: pane.show_preparing(_prepared(after)))
        if (before.job, before.device) != (after.job, after.device) and after.busy:
            self._steps.add("throughput run", lambda: self._begin_throughput(after))
        if after.result is not before.result and after.result is not None:
            result = after.result
            self._steps.add("throughput result", lambda: pane.show_result(result))
        elif len(after.figures) > len(before.figures):
            for position in range(len(before.figures), len(after.figures)):
                figure = after.figures[position]
                self._steps.add(f"throughput figure {position}", lambda figure=figure: pane.add_figure(figure))  # type: ignore[misc]

    def _begin_throughput(self, state: SessionState) -> None:
        # Before the device is known, so is not what an automatic shape will be.
        if self._window.throughput is not None and state.device is not None and state.asked is not None and state.job is not None:
            self._window.throughput.begin_run(resolve(state.asked, state.backend, state.limits))

    def _new_throughput(self, state: SessionState) -> None:
        pane = self._window.throughput
        if pane is None:
            return
        pane.set_device(state.device)
        pane.set_peers(state.peers)
        if state.busy:
            self._begin_throughput(state)
        if state.result is not None:
            pane.show_result(state.result)
        for figure in state.figures if state.result is None else ():
            pane.add_figure(figure)

    def _show_reduction(self, before: SessionState, after: SessionState) -> None:
        if _differ(before, after, "request", "problems", "device", "compiled", "correctness"):
            self._steps.add("reduction", lambda: self._reduction(after))
        if before.timeline is not after.timeline:
            self._steps.add("timeline", lambda: self._timeline(after))

    def _reduction(self, state: SessionState) -> None:
        pane = self._window.reduction
        if pane is None or state.problems:
            return
        resolved = resolve(state.request, state.backend, state.limits)
        limits = state.device.limits if state.device else limits_for_architecture(USUAL_ARCHITECTURE)
        # What is simulated depends neither on the data nor on how often it is run.
        problem = (
            replace(resolved, seed=0, repeats=1, data="tutorial"),
            _resident(state.compiled, resolved, limits),
            limits.sm_count,
        )
        if state.timeline is not None and state.launch_shown == resolved:
            self._problem = None  # what was recorded stays on show, until something else is asked for
        elif problem != self._problem:
            self._problem = problem
            pane.set_problem(resolved, problem[1], problem[2])
        pane.set_partial_rows(None if self._problem is None and not state.is_of_run else _partial_rows(state, resolved))

    def _timeline(self, state: SessionState) -> None:
        pane = self._window.reduction
        if pane is None:
            return
        launch = state.launch_shown
        if state.timeline is not None and launch is not None:
            self._problem = None
            pane.show_timeline(state.timeline, launch)
            # What another run's rows add has no place in the cells of this one.
            pane.set_partial_rows(_partial_rows(state, launch) if state.is_of_run else None)
        else:
            self._problem = None
            self._reduction(state)


def _can_restart(notice: Notice, worker: WorkerState) -> bool:
    """Whether starting a worker helps: not where one is being started, or is there."""
    if isinstance(notice, WorkerLost):
        return not notice.restarting
    return isinstance(notice, Broken) and worker is WorkerState.LOST


def _prepared(state: SessionState) -> str:
    """The peer that a run prepares now."""
    return prepared_now(state.progress.step) if state.busy and state.progress is not None else ""


def _partial_rows(state: SessionState, resolved: ResolvedRequest) -> PartialRows | None:
    if state.correctness is None or state.resolved != resolved:
        return None
    return state.correctness.partial_rows


def _resident(compiled: tuple[KernelFacts, ...], resolved: ResolvedRequest, limits: DeviceLimits) -> int:
    """Programs of stage 1 that the device holds at once: by the compiled kernel, else as many as its warps allow."""
    for facts in compiled:
        if facts.name == "backward_stage1" and facts.occupancy is not None and facts.num_warps == resolved.launch.num_warps:
            return max(facts.occupancy.programs_per_sm, 1) * limits.sm_count
    return max(min(limits.programs_per_sm, limits.warps_per_sm // resolved.launch.num_warps), 1) * limits.sm_count


def _differ(before: SessionState, after: SessionState, *names: str) -> bool:
    return any(getattr(before, name) != getattr(after, name) for name in names)
