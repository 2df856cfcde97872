"""Turns what the user wants into jobs, and the engine's events into the session's next state."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from lnexplorer.domain.jobs import InspectJob, RunJob, TraceJob
from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.pinned import PinnedRun
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.session.state import (
    OwnKernel,
    Remark,
    SessionState,
    after_event,
    ask,
    ask_as_traced,
    begin_run,
    begin_trace,
    show_result,
    show_timeline,
    use_device,
)
from lnexplorer.protocol.messages import EngineEvent, Finished, JobEnded, Refused, WorkerReady
from lnkernels.launch import reload_tuned_settings
from lnkernels.launch.source import KernelSource
from lnkernels.values import Words, say
from lnkernels.values.environment import Environment
from lnkernels.values.timeline import ReductionTimeline

QUIET_MS = 120  # a parameter has to rest so long before it is run …
PATIENCE_MS = 400  # … but one that keeps moving is run as often as this
FEW_ROWS = 64  # take the interpreter about a second
REST_MS = (
    700  # on a GPU, where live figures come first: everything else is looked at once nothing moves
)


class SessionController(QObject):
    """Holds the session's state. Everything is a change from one frozen state to the next, reported
    once.
    """

    changed = Signal(object, object)  # SessionState before, SessionState after
    runFinished = Signal(object)  # RunResult, of a run of this session
    moved = Signal(
        object, object
    )  # RunRequest before and after: Live wants figures of a possible one

    def __init__(
        self, runner: Supervisor, state: SessionState, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.state = state
        self._runner = runner
        self.held: Words = ""  # why nothing may be run now; empty where it may
        self._first: RunRequest | None = None  # until it has run
        self._moving = QElapsedTimer()
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._run_by_itself)

    def begin_with(self, request: RunRequest) -> None:
        """Take the first request and run it, live or not; on a GPU, record its locks after it."""
        self._first = request
        self.show_request(request)
        self.run()

    def set_request(self, request: RunRequest) -> None:
        """Take a request from the form; it runs by itself when live and possible."""
        before = self.state.request
        self._go(ask(self.state, request))
        if not self._runs_by_itself:
            self._rest.stop()
            return
        if request != before:
            self.moved.emit(before, request)
        if self.state.backend == "cuda":
            self._rest.start(REST_MS)
            return
        if not self._rest.isActive():
            self._moving.start()
        self._rest.start(max(min(QUIET_MS, PATIENCE_MS - self._moving.elapsed()), 0))

    def show_request(self, request: RunRequest) -> None:
        """Put a request into the form, and run nothing."""
        self._rest.stop()
        self._go(ask(self.state, request))

    def set_live(self, live: bool) -> None:
        """Choose whether a change of the request runs it."""
        if not live:
            self._rest.stop()
        self._go(replace(self.state, live=live))

    def set_peers(self, peers: tuple[str, ...]) -> None:
        """Choose the providers that are timed beside the strategy; a new one is timed by itself
        when live, once nothing moves any more.
        """
        timed = {figure.provider for figure in self.state.run.figures}
        new = set(peers) - set(self.state.peers) - timed
        self._go(replace(self.state, peers=peers))
        if new and self._runs_by_itself and self.state.backend == "cuda":
            self._rest.start(REST_MS)

    def set_kernel(self, kernel: KernelSource | None) -> None:
        """Take the user's own kernel, which other parts may use, too."""
        version = None if kernel is None else self.state.own.version
        self._go(replace(self.state, own=OwnKernel(source=kernel, version=version)))

    def set_pinned(self, pinned: PinnedRun | None) -> None:
        """Compare with this run from now on, or with none."""
        self._go(replace(self.state, pinned=pinned))

    def set_own_version(self, version: KernelVersion) -> None:
        """Take the findings about its newest text."""
        self._go(replace(self.state, own=replace(self.state.own, version=version)))

    def hold(self, why: Words) -> None:
        """Run nothing until this is called with an empty text; `why` is told to who wants a run."""
        self.held = why
        if why:
            self._rest.stop()

    def run(self, *, counters: bool = False) -> None:
        """Run the request now, or say why that is impossible; `counters` reads the hardware's."""
        if not self._may_run():
            return
        reload_tuned_settings()  # the worker does, too: both are to speak of the same settings
        state = ask(self.state, self.state.request)
        job = RunJob(state.request, state.peers, counters=counters)
        self._go(begin_run(state, self._runner.submit(job)))

    def run_few(self) -> None:
        """Run the request with so few rows that it takes the interpreter no minutes."""
        self.set_request(replace(self.state.request, m=FEW_ROWS))
        self.run()

    def trace(self) -> None:
        """Record the locks of the request now, or say why that is impossible."""
        if self._may_run():
            self._go(begin_trace(self.state, self._runner.submit(TraceJob(self.state.request))))

    def inspect(self, tensor: str, *part: int) -> None:
        """Ask for a part of an error map of the last run, from a row and a column up to others; an
        idle worker alone can give it.
        """
        jobs = self.state.jobs
        if not jobs.busy and jobs.run is not None:
            job = InspectJob(tensor, *part)
            number = self._runner.submit(job)
            self._go(replace(self.state, jobs=replace(jobs, inspect=number)))

    def stop(self) -> None:
        """Stop what runs, and what was about to run by itself."""
        self._rest.stop()
        self._runner.stop()

    def restart(self, device: str) -> None:
        """Take another device, or the same one anew, and run the request on it."""
        jobs = replace(self.state.jobs, run=None, trace=None, busy=False)
        self._go(use_device(replace(self.state, jobs=jobs, notice=None), None))
        self._runner.restart(device)
        self.run()

    def show_past(self, result: RunResult, timeline: ReductionTimeline | None = None) -> None:
        """Show a result of the history or of a recording, with its trace and its request."""
        self.stop()
        self._go(show_result(self.state, result, timeline))

    def show_timeline(
        self,
        timeline: ReductionTimeline,
        launch: ResolvedRequest | None = None,
        environment: Environment | None = None,
        *,
        alone: bool = False,
    ) -> None:
        """Show a recorded timeline; its launch and where it was made, as far as they are known.

        It stands beside whatever run is shown or, where it is `alone`, puts its launch into the
        form.
        """
        state = show_timeline(self.state, timeline, launch, environment)
        if alone:
            self.stop()
            state = ask_as_traced(state)
        self._go(state)

    def tell_saved(self, path: Path) -> None:
        self.remark(say("Saved as {path}", path=path))

    def remark(self, *lines: Words, detail: Words = "") -> None:
        """Tell the user something that is no failure of a run."""
        self._go(replace(self.state, notice=Remark(lines, detail)))

    def warn(self, words: Words) -> None:
        """Add a remark about files to those that are still shown."""
        before = self.state.notice.lines if isinstance(self.state.notice, Remark) else ()
        if words not in before:
            self._go(replace(self.state, notice=Remark((*before, words), stays=True)))

    def dismiss(self) -> None:
        self._go(replace(self.state, notice=None))

    def take(self, event: EngineEvent) -> None:
        """Follow an event of the engine."""
        newest = self.state.jobs.run
        self._go(after_event(self.state, event))
        match event:
            case WorkerReady() if self.state.jobs.busy and self.state.question:
                # It was asked for before its device was known.
                self._runner.stop()
                self._run_by_itself()
            case JobEnded(job, Finished(RunResult() as result)) if job == newest:
                self.runFinished.emit(result)
                first = self._first
                self._first = None
                if (
                    first == self.state.request
                    and self.state.backend == "cuda"
                    and first.strategy == "locked"
                ):
                    self.trace()  # a few ms, and what is seen first was measured
            case _:
                pass

    @property
    def _runs_by_itself(self) -> bool:
        return self.state.live and not self.state.plan.problems

    def _may_run(self) -> bool:
        """Return whether a run is possible now; if not, say why."""
        self._rest.stop()
        problems = self.state.plan.problems
        if self.held:
            self.remark(self.held)
        elif problems:
            self._go(replace(self.state, notice=Refused(problems)))
        elif (question := self.state.question) not in (None, self.state.notice):
            self._go(replace(self.state, notice=question))
            return False
        return not self.held and not problems

    def _run_by_itself(self) -> None:
        """Run the request as Live does: nothing that takes minutes, about which it asks."""
        if question := self.state.question:
            self._go(replace(self.state, notice=question))
        else:
            self.run()

    def _go(self, state: SessionState) -> None:
        before = self.state
        self.state = state
        if before != state:
            self.changed.emit(before, state)
