"""Has the worker compile what is set, when somebody looks, and puts two texts beside each other in a thread."""

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from lnexplorer.domain.jobs import Compiled, CompileJob
from lnexplorer.domain.request import RunRequest, resolve, written_out
from lnexplorer.gui.compiled.pane import CompiledPane
from lnexplorer.gui.reduction.source import FILE
from lnexplorer.gui.shell.messages import sentence_of
from lnexplorer.gui.shell.services import Services
from lnexplorer.gui.shell.state import SessionState, WorkerState
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, JobStarted, Outcome, Refused, WorkerLost
from lnkernels.launch.source import KernelSource
from lnkernels.values.listing import ARCHITECTURES, Listing
from lnkernels.values.listing_diff import beside

if TYPE_CHECKING:
    from lnexplorer.store.history import History


class CompiledController(QObject):
    """Ties the pane to the engine, the history and the reduction."""

    def __init__(self, pane: CompiledPane, services: Services) -> None:
        super().__init__(pane)
        self._pane, self._services = pane, services
        self._problem: RunRequest | None = None
        self._source: KernelSource | None = None  # a kernel of one's own in place of the strategy's
        self._job: int | None = None  # of what is set
        self._other: int | None = None  # of what it is compared with
        self._live: dict[int, bool] = {}  # jobs that count live registers; whether of what it is compared with
        self._table: dict[int, str] = {}  # architectures of the table, by job
        pane.compileRequested.connect(self._ask)
        pane.otherRequested.connect(self._ask_other)
        pane.rowsRequested.connect(self._put_beside)
        pane.tableRequested.connect(self._ask_for_table)
        pane.countersRequested.connect(lambda: services.session.run(counters=True))

    @property
    def shows_soon(self) -> bool:
        """Whether something else will soon be on show: a picture waits for it."""
        state = self._services.session.state
        begins = self._pane.isVisible() and state.device is None and state.worker is WorkerState.STARTING
        return begins or self._job is not None or bool(self._live) or self._pane.is_about_to_ask

    def show_own(self, source: KernelSource) -> None:
        """Compile a kernel of one's own, until a parameter changes; its code is run for that."""
        self._source = source
        self._services.window.show_about("compiled", source.place)
        self._services.window.show_part("compiled")
        self._pane.architectures.clear()
        self._pane.ask_again()

    def follow(self, state: SessionState) -> None:
        """Compile what is set from now on."""
        self._pane.show_counters(state.result)
        self._pane.count.setVisible(state.backend == "cuda" and shutil.which("ncu") is not None)
        if state.device is None or state.problems:
            return
        resolved = resolve(state.request, state.backend, state.limits)
        # Neither data nor seeds are compiled, so none of them makes another problem.
        problem = replace(state.request, m=resolved.m, n=resolved.n, seed=0, repeats=1, data="tutorial")
        if problem != self._problem:
            self._problem, self._source = problem, None
            self._services.window.show_about("compiled", "")
            self._cancel()
            self._pane.architectures.clear()
            self._pane.ask_again()

    def take(self, event: EngineEvent) -> None:
        match event:
            case JobStarted(job=job) if job in (self._job, self._other):
                self._pane.set_waiting(begun=True)
            case JobEnded(job=job, outcome=outcome) if job in self._live:
                is_other = self._live.pop(job)
                if isinstance(outcome, Finished) and isinstance(outcome.value, Compiled):  # else there is nothing to tell
                    self._pane.show_live(outcome.value, is_other=is_other)
            case JobEnded(job=job, outcome=outcome) if job is not None and job in (self._job, self._other):
                is_other = job == self._other
                self._job, self._other = (self._job, None) if is_other else (None, self._other)
                self._end(outcome, is_other=is_other)
            case JobEnded(job=job, outcome=outcome) if job in self._table:
                found = outcome.value if isinstance(outcome, Finished) else None
                why = sentence_of(outcome) if isinstance(outcome, Refused | Broken) else self.tr("stopped")
                self._pane.architectures.add(self._table.pop(job), found if isinstance(found, Compiled) else why)
            case WorkerLost() if self._job is not None or self._other is not None:
                self._job = self._other = None
                self._table, self._live = {}, {}
                self._pane.show_problem(sentence_of(event))
            case _:
                pass

    def _cancel(self) -> None:
        jobs = (self._job, self._other, *self._live, *self._table)
        self._table, self._live = {}, {}
        for job in jobs:
            if job is not None:
                self._services.supervisor.cancel(job, patiently=True)
        self._job = self._other = None

    def _ask(self, architecture: str) -> None:
        if self._problem is not None:
            self._cancel()
            self._pane.set_waiting()
            self._job = self._services.supervisor.submit(self._wanted(self._problem, architecture))

    def _ask_for_table(self) -> None:
        if self._problem is not None and not self._table:
            self._pane.architectures.clear()
            for name in ARCHITECTURES:
                self._table[self._services.supervisor.submit(self._wanted(self._problem, name))] = name

    def _ask_other(self, choice: str, architecture: str) -> None:
        problem = self._problem
        if problem is None:
            return
        if choice == "baseline":
            self._services.history.ask(_baseline, lambda found: self._ask_for_baseline(found, architecture))
            return
        if choice == "barrier":
            on = resolve(problem, self._services.session.state.backend, self._services.session.state.limits).launch.barrier
            self._submit_other(problem.changed(barrier=not on), architecture)
        else:
            self._submit_other(problem, choice)

    def _ask_for_baseline(self, found: RunRequest | None, architecture: str) -> None:
        if found is None:
            self._pane.show_problem(self.tr("The history has no baseline: choose a run there, and set it as the baseline"))
        else:
            self._submit_other(found, architecture)

    def _submit_other(self, problem: RunRequest, architecture: str) -> None:
        if self._other is not None:
            self._services.supervisor.cancel(self._other, patiently=True)
        self._pane.set_waiting()
        self._other = self._services.supervisor.submit(self._wanted(problem, architecture))

    def _wanted(self, problem: RunRequest, architecture: str) -> CompileJob:
        return CompileJob(problem=problem, architecture=architecture, source=self._source)

    def _end(self, outcome: Outcome, *, is_other: bool) -> None:
        match outcome:
            case Finished(Compiled() as compiled):
                (self._pane.show_other if is_other else self._pane.show_compiled)(compiled)
                live = self._services.supervisor.submit(replace(compiled.request, live=True))  # takes about as long again
                self._live[live] = is_other
            case Refused() | Broken():
                self._pane.show_problem(sentence_of(outcome))
            case _:
                self._pane.show_problem(self.tr("Stopped. It is compiled when a parameter changes or is chosen again."))

    def _put_beside(self, stage: str, left: Listing, right: Listing) -> None:
        self._services.files.do(
            lambda: beside(left.stages[stage].lines, right.stages[stage].lines, stage),
            lambda rows: self._pane.show_rows(stage, left, right, rows),
            key="compiled beside",
        )


def connect(pane: CompiledPane, services: Services) -> CompiledController:
    """The line that the followed row of the reduction is at is marked here, too."""
    session = services.session
    controller = CompiledController(pane, services)
    services.client.received.connect(controller.take)
    session.changed.connect(lambda _before, after: controller.follow(after))
    controller.follow(session.state)
    if services.picture is not None:  # it looks again whenever a step is done
        services.client.received.connect(lambda _event: services.steps.add("compiled", lambda: None))
    source = services.window.pane("reduction").panel.source
    source.marksChanged.connect(lambda lines: pane.follow_lines(FILE, lines))
    pane.follow_lines(FILE, source.marked)
    return controller


def _baseline(history: "History") -> RunRequest | None:
    """What the run was launched with that the history compares with."""
    number = history.runs.baseline()
    if number is None:
        return None
    result = history.runs.load(number)
    return written_out(result.request, result.resolved)
