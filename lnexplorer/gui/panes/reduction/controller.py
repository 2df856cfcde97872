"""Connects the pane to the session."""

from functools import cache

from PySide6.QtCore import Signal

from lnexplorer.domain.request import ResolvedRequest, other_setting
from lnexplorer.domain.simulation.prediction import (
    USUAL_ARCHITECTURE,
    Kernel,
    programs_by_warps,
    programs_per_sm,
)
from lnexplorer.domain.timeline import Prepared
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.session.services import Controller, Services
from lnexplorer.gui.session.state import SessionState
from lnexplorer.store.recordings import seen_launches
from lnexplorer.store.resources import resource
from lnkernels.launch import DeviceLimits, limits_for_architecture
from lnkernels.values import say
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.compiled import KernelFacts


class ReductionController(Controller):
    """Shows the session's timeline, or a simulation of its request; provides recordings to compare
    with.
    """

    rowFollowed = Signal(object)  # its number, or None

    def __init__(self, pane: ReductionPane, services: Services) -> None:
        super().__init__(pane)
        self._pane = pane
        self._steps = services.steps
        self._of: ResolvedRequest | None = None  # the newest setting that could be shown
        self._problem: tuple[ResolvedRequest, int, int] | None = None  # that is simulated on show
        session = services.session
        pane.comparison.recorded = _recorded
        pane.transport.moment.clicked.connect(services.window.action("moment").trigger)
        pane.transport.film.clicked.connect(services.window.action("film").trigger)
        pane.canvas.rowClicked.connect(self.rowFollowed)
        session.changed.connect(self._on_changed)
        self._show_timeline(session.state)
        self._show_pinned(session.state)

    def _on_changed(self, before: SessionState, after: SessionState) -> None:
        if before.plan is not after.plan or before.run is not after.run:
            self._steps.add("reduction", lambda: self._show_problem(after))
        if before.trace.timeline is not after.trace.timeline:
            self._steps.add("timeline", lambda: self._show_timeline(after))
        parts = ("plan", "run", "trace", "pinned")
        if any(getattr(before, part) is not getattr(after, part) for part in parts):
            self._steps.add("pinned", lambda: self._show_pinned(after))

    def _show_problem(self, state: SessionState) -> None:
        of = self._of if state.plan.problems else None
        self._pane.veil.show_other(other_setting(of, state.plan))
        if state.plan.problems:
            return
        self._of = resolved = state.plan.resolved
        limits = state.limits or limits_for_architecture(USUAL_ARCHITECTURE)
        # A simulation depends neither on the data nor on how often it is run.
        run = state.run
        old = other_setting(run.compiled_of, state.plan, run.machine) is not None
        residents = _residents(() if old else state.run.compiled, resolved, limits)
        problem = (resolved.without_data(), residents, limits.sm_count)
        if state.trace.timeline is not None and state.trace.shown_launch == resolved:
            if self._problem is not None:  # a recording is on show until something else is asked
                self._steps.add("timeline", lambda: self._show_timeline(state))
        elif problem != self._problem:
            self._problem = problem
            self._pane.set_problem(resolved, residents, limits.sm_count)
        own = self._problem is not None or state.is_of_run
        self._pane.set_partial_rows(_partial_rows(state, resolved) if own else None)

    def _show_timeline(self, state: SessionState) -> None:
        launch = state.trace.shown_launch
        self._problem = None
        if state.trace.timeline is None or launch is None:
            self._show_problem(state)
            return
        self._pane.show_timeline(state.trace.timeline, launch, state.trace.environment)
        # What another run's rows add has no place in the cells of this one.
        self._pane.set_partial_rows(_partial_rows(state, launch) if state.is_of_run else None)

    def _show_pinned(self, state: SessionState) -> None:
        """Show the trace of A below the timeline of another setting; below a simulated one if their
        rows are as many.
        """
        a, launch = state.pinned, state.trace.shown_launch or self._of
        if (
            a is None
            or a.timeline is None
            or launch is None
            or launch == (of_a := a.result.resolved)
            or (state.trace.timeline is None and launch.m != of_a.m)
        ):
            self._pane.show_pinned(None)
        else:
            self._pane.show_pinned(a.timeline, say("A: {setting}", setting=a.setting))


connect = ReductionController


@cache
def _recorded(kernel: Kernel) -> list[Prepared]:
    """Return recorded traces of a kernel; on any thread."""
    return seen_launches(resource("recordings"), kernel)


def _partial_rows(state: SessionState, resolved: ResolvedRequest) -> PartialRows | None:
    if state.run.correctness is None or state.run.resolved != resolved:
        return None
    return state.run.correctness.partial_rows


def _residents(
    compiled: tuple[KernelFacts, ...], resolved: ResolvedRequest, limits: DeviceLimits
) -> int:
    """Return how many programs of stage 1 the device holds at once: by the compiled kernel, else
    as many as its warps allow.
    """
    warps = resolved.launch.num_warps
    known = programs_per_sm(tuple(facts for facts in compiled if facts.num_warps == warps))
    return programs_by_warps(warps, limits) if known is None else known * limits.sm_count
