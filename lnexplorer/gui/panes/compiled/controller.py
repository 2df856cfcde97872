"""The controller of the Compiled pane: has the worker compile, and compares texts in a thread."""

import shutil
from dataclasses import replace
from pathlib import Path

from lnexplorer.domain.compiled import Words
from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.peers import SHOWN_KERNELS, kernels_of_peer
from lnexplorer.domain.pinned import PinnedRun
from lnexplorer.domain.request import RunRequest, other_setting, written_out
from lnexplorer.gui.panes.compiled.pane import CompiledPane
from lnexplorer.gui.session.messages import notice_text
from lnexplorer.gui.session.services import Controller, Services
from lnexplorer.gui.session.state import SessionState, WorkerState
from lnexplorer.protocol.messages import (
    Broken,
    EngineEvent,
    Finished,
    JobEnded,
    JobStarted,
    Outcome,
    Refused,
)
from lnkernels.launch import DeviceLimits, Problem
from lnkernels.launch.source import KernelSource
from lnkernels.values import say
from lnkernels.values.environment import Device
from lnkernels.values.listing import ARCHITECTURES, Listing
from lnkernels.values.listing_diff import beside

# The purposes of jobs: the request, what it is compared with, the live registers of both.
OWN, OTHER, LIVE = "own", "other", "live"


class CompiledController(Controller):
    """Ties the pane to the engine and the history."""

    def __init__(self, pane: CompiledPane, services: Services) -> None:
        super().__init__(pane)
        self._pane = pane
        self._services = services
        self._problem: RunRequest | None = None
        self._device: Device | None = None
        self._limits: DeviceLimits | None = None  # of the device that it is for
        self._source: KernelSource | None = None  # the user's own, in place of the strategy's
        self._later: list[KernelSource] = []  # that follows it
        # The purpose of each: OWN, OTHER, LIVE, or an architecture of the table.
        self._jobs: dict[int, str] = {}
        self._pinned: PinnedRun | None = None
        self._live: list[CompileJob] = []  # that are still to count live registers
        pane.compileRequested.connect(self._ask)
        pane.otherRequested.connect(self._ask_other)
        pane.code.rowsRequested.connect(self._put_beside)
        pane.architectures.button.clicked.connect(self._ask_for_table)
        pane.beside.count.clicked.connect(lambda: services.session.run(counters=True))

    @property
    def shows_soon(self) -> bool:
        """A compilation will soon be on show; a picture of the window waits for it."""
        state = self._services.session.state
        begins = (
            self._pane.isVisible() and state.device is None and state.worker is WorkerState.STARTING
        )
        return begins or bool(self._jobs) or self._pane.asking.is_about_to_ask

    def show_own(self, *versions: KernelSource) -> None:
        """Compile a kernel of the user's own, or two versions beside each other, until a parameter
        changes; that runs their code.
        """
        self._cancel()
        self._source, *self._later = versions
        names = [Path(each.place).name for each in versions]  # not where kept versions lie
        self._services.window.show_about("compiled", " → ".join(names))
        self._services.window.show_part("compiled")
        self._pane.architectures.clear()
        self._pane.compare_with("")
        self._pane.asking.start()

    def _go_on(self, outcome: Outcome) -> None:
        """Put the next version beside the one that was compiled; alone where that has failed."""
        if self._later:
            self._source = self._later.pop(0)
            if isinstance(outcome, Refused | Broken):
                self._services.session.remark(notice_text(outcome))
            else:
                self._pane.code.left.choose_stage("sass")
                self._pane.keep()
            self._pane.asking.start()

    def follow(self, state: SessionState) -> None:
        """Compile the session's request whenever it changes."""
        if state.device != self._device:
            self._device = state.device
            self._cancel()
            self._pane.leave_machine()
            offered = () if state.device is None else state.device.offered
            here = (each.name for each in offered if each.missing is None)
            self._pane.offer_peers(tuple(name for name in here if name in SHOWN_KERNELS))
            self._pane.asking.start()
        triton = "" if state.device is None else state.device.environment.triton
        self._pane.show_counters(state.run.result, triton)
        self._compare(state)
        if state.pinned is not self._pinned:
            self._pinned = state.pinned
            if state.pinned or self._pane.beside.chosen == "baseline":
                self._pane.compare_with("baseline" if state.pinned else "")
        self._pane.beside.count.setVisible(
            state.backend == "cuda" and shutil.which("ncu") is not None
        )
        self._count_live(state)
        if state.device is None or state.plan.problems:
            return
        # Neither data nor seeds are compiled, so none of them makes another problem.
        problem = state.plan.shaped.without_data()
        if (problem, state.limits) != (self._problem, self._limits):
            self._problem = problem
            self._limits = state.limits
            self._source = None
            self._later = []
            self._services.window.show_about("compiled", "")
            self._cancel()
            self._pane.architectures.clear()
            self._pane.asking.start()

    def _compare(self, state: SessionState) -> None:
        """Dim a compilation of another setting until that in force is compiled."""
        shown = self._pane.compiled
        of = None if shown is None else shown.resolved
        if shown is not None and not state.plan.problems:
            same = shown.request.problem == state.plan.shaped.without_data()
            of = None if same else of  # another architecture may choose otherwise
        self._pane.veil.show_other(other_setting(of, state.plan, renews=True))

    def take(self, event: EngineEvent) -> None:
        match event:
            case JobStarted(job) if self._jobs.get(job) in (OWN, OTHER):
                self._pane.set_waiting(started=True)
            case JobEnded(job, outcome) if job in self._jobs:
                self._end(self._jobs.pop(job), outcome)

    def _submit(
        self,
        purpose: str,
        problem: RunRequest,
        architecture: str,
        *,
        own: bool = True,
        source: KernelSource | None = None,
    ) -> None:
        """Have a setting compiled for a purpose, in place of the jobs before.

        Args:
            purpose: one of those of `_jobs`.
            problem: the setting.
            architecture: empty for the device's own.
            own: take the user's own kernel, if one is on show.
            source: a kernel to take in place of it.
        """
        self._cancel(purpose)
        job = CompileJob(
            problem=problem,
            architecture=architecture,
            source=source or (self._source if own else None),
        )
        if purpose in (OWN, OTHER):
            self._pane.set_waiting()
        self._jobs[self._services.supervisor.submit(job)] = purpose

    def _cancel(self, *purposes: str) -> None:
        """Cancel the jobs of some purposes, or all."""
        self._live = self._live if purposes else []
        for job in [job for job, what in self._jobs.items() if what in purposes or not purposes]:
            del self._jobs[job]
            self._services.supervisor.cancel(job, patiently=True)

    def _count_live(self, state: SessionState) -> None:
        """Have live registers counted while no run or trace is asked for; these go first."""
        if state.jobs.busy:
            self._cancel(LIVE)
        elif LIVE not in self._jobs.values():
            self._jobs |= {self._services.supervisor.submit(job): LIVE for job in self._live}

    def _ask(self) -> None:
        if self._problem is not None:
            self._cancel()
            self._submit(OWN, self._problem, self._architecture)

    def _ask_for_table(self) -> None:
        if self._problem is not None and not set(ARCHITECTURES) & set(self._jobs.values()):
            self._pane.architectures.clear()
            for name in ARCHITECTURES:
                self._submit(name, self._problem, name)

    @property
    def _architecture(self) -> str:
        """The architecture that is chosen; empty for the device's own."""
        return self._pane.architecture.currentData()  # type: ignore[no-any-return]

    def _ask_other(self) -> None:
        problem, state = self._problem, self._services.session.state
        self._cancel(OTHER)
        if problem is None:
            return
        match self._pane.beside.chosen:
            case "" | "kept":
                pass  # the pane has what it takes
            case "baseline":
                self._ask_for_pinned(state, problem)
            case "barrier":
                on = state.plan_of(problem).resolved.launch.barrier
                self._submit(OTHER, problem.changed(barrier=not on), self._architecture)
            case choice if choice in SHOWN_KERNELS:
                source = kernels_of_peer(choice, problem.norm or "layer_norm")
                if isinstance(source, Problem):
                    self._pane.show_problem(source.sentence)
                else:
                    self._submit(OTHER, problem, self._architecture, source=source)
            case choice:
                self._submit(OTHER, problem, choice)

    def _ask_for_pinned(self, state: SessionState, problem: RunRequest) -> None:
        """Compile A, unless it is of the same setting."""
        if state.pinned is None:
            self._pane.show_problem(say("No run is pinned as A: pin one in Run or in History."))
            return
        run = state.pinned.result
        pinned = written_out(run.request, run.resolved).without_data()
        if pinned != written_out(problem, state.plan_of(problem).resolved).without_data():
            self._submit(OTHER, pinned, self._architecture, own=False)

    def _end(self, what: str, outcome: Outcome) -> None:
        pane, compiled = self._pane, None
        if isinstance(outcome, Finished) and isinstance(outcome.value, Compiled):
            compiled = outcome.value
        why: Words = say("Stopped. It is compiled when a parameter changes or is chosen again.")
        if isinstance(outcome, Refused | Broken):
            why = notice_text(outcome)
        if what == LIVE:
            self._live = self._live[1:] if compiled is not None else []  # then they are not told
            if compiled is not None:
                pane.show_live(compiled)
        elif what not in (OWN, OTHER):
            pane.architectures.add(what, compiled or why)
        elif compiled is None:
            pane.show_problem(why)
        else:
            (pane.show_other if what == OTHER else pane.show_compiled)(compiled)
            self._compare(self._services.session.state)
            self._live.append(replace(compiled.request, live=True))  # takes about as long again
        if what == OWN:
            self._go_on(outcome)
        self._count_live(self._services.session.state)

    def _put_beside(self, stage: str, left: Listing, right: Listing) -> None:
        self._services.files.do(
            lambda: beside(left.stages[stage].lines, right.stages[stage].lines, stage),
            lambda rows: self._pane.code.show_rows(stage, left, right, rows),
            key="compiled beside",
        )


def connect(pane: CompiledPane, services: Services) -> CompiledController:
    """Tie the pane to the session."""
    session = services.session
    controller = CompiledController(pane, services)
    services.received.connect(controller.take)
    session.changed.connect(lambda _before, after: controller.follow(after))
    controller.follow(session.state)
    if not services.keeps:  # it looks again whenever a step is done
        services.received.connect(lambda _event: services.steps.add("compiled", lambda: None))
    return controller
