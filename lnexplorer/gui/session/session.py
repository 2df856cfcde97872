"""The session: turns the user's wishes into jobs, and the engine's events into its next state."""

from dataclasses import replace
from pathlib import Path
from typing import Any

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

QUIET_MS = 120  # a parameter that has not moved for so long is run …
PATIENCE_MS = 400  # … and one that keeps moving is run this often
FEW_ROWS = 64  # take the interpreter about a second
REST_MS = 700  # the same on a GPU, where live figures come first, and the run follows


class SessionController(QObject):
    """Holds the session's state, a frozen value, and emits each change from one to the next."""

    changed = Signal(object, object)  # SessionState before, SessionState after
    runFinished = Signal(object)  # RunResult of a run of this session
    # RunRequest before and after: with Live on, the user has changed it to one that can be run.
    moved = Signal(object, object)

    def __init__(
        self, runner: Supervisor, state: SessionState, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.state = state
        self._runner = runner
        self.held: Words = ""  # why nothing may be run now; empty where it may
        self._first: RunRequest | None = None  # the first request, until it has run
        self._moving = QElapsedTimer()
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._run_by_itself)

    def begin_with(self, request: RunRequest) -> None:
        """Run the first request, live or not; on a GPU its locks are recorded after it."""
        self._first = request
        self.show_request(request)
        self.run()

    def set_request(self, request: RunRequest) -> None:
        """Take a request from the form; with Live on, it is run if that is possible."""
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
        """Put a request into the form without running it."""
        self._rest.stop()
        self._go(ask(self.state, request))

    def set_live(self, live: bool) -> None:
        """Choose whether a change of the request runs it."""
        if not live:
            self._rest.stop()
        self._change(live=live)

    def set_peers(self, peers: tuple[str, ...]) -> None:
        """Choose the providers that are timed beside the strategy.

        With Live on, a new one is timed once the parameters rest.
        """
        timed = {figure.provider for figure in self.state.run.figures}
        new = set(peers) - set(self.state.peers) - timed
        self._change(peers=peers)
        if new and self._runs_by_itself and self.state.backend == "cuda":
            self._rest.start(REST_MS)

    def set_kernel(self, kernel: KernelSource | None) -> None:
        """Take the user's own kernel, for all parts."""
        version = None if kernel is None else self.state.own.version
        self._change(own=OwnKernel(source=kernel, version=version))

    def set_pinned(self, pinned: PinnedRun | None) -> None:
        """Compare with this run from now on; None: with none."""
        self._change(pinned=pinned)

    def set_own_version(self, version: KernelVersion) -> None:
        """Take the findings about the newest text of the user's own kernel."""
        self._change(own=replace(self.state.own, version=version))

    def hold(self, why: Words) -> None:
        """Refuse runs for the reason `why`, until this is called with an empty text."""
        self.held = why
        if why:
            self._rest.stop()

    def run(self, *, counters: bool = False) -> None:
        """Run the request now, or say why not; with `counters`, read hardware counters, too."""
        if not self._may_run():
            return
        reload_tuned_settings()  # as the worker does: both have to mean the same settings
        state = ask(self.state, self.state.request)
        job = RunJob(state.request, state.peers, counters=counters)
        self._go(begin_run(state, self._runner.submit(job)))

    def run_few(self) -> None:
        """Run the request with so few rows that it takes the interpreter no minutes."""
        self.set_request(replace(self.state.request, m=FEW_ROWS))
        self.run()

    def trace(self) -> None:
        """Record the locks of the request now, or say why not."""
        if self._may_run():
            self._go(begin_trace(self.state, self._runner.submit(TraceJob(self.state.request))))

    def inspect(self, tensor: str, *part: int) -> None:
        """Ask for a part of an error map of the last run; only an idle worker can give it.

        Args:
            tensor: name of the result.
            part: row, row stop, column, column stop.
        """
        jobs = self.state.jobs
        if not jobs.busy and jobs.run is not None:
            job = InspectJob(tensor, *part)
            number = self._runner.submit(job)
            self._change(jobs=replace(jobs, inspect=number))

    def stop(self) -> None:
        """Stop the job that runs, and the run that Live was about to begin."""
        self._rest.stop()
        self._runner.stop()

    def restart(self, device: str) -> None:
        """Start a worker on a device, and run the request on it."""
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
        """Show a recorded timeline.

        Args:
            timeline: the timeline.
            launch: None if it is not known.
            environment: where it was recorded; None if that is not known.
            alone: put the launch into the form, with no run beside it; else the run stays.
        """
        state = show_timeline(self.state, timeline, launch, environment)
        if alone:
            self.stop()
            state = ask_as_traced(state)
        self._go(state)

    def tell_saved(self, path: Path) -> None:
        self.remark(say("Saved as {path}", path=path))

    def remark(self, *lines: Words, detail: Words = "") -> None:
        """Show a message that is not about a failed run."""
        self._change(notice=Remark(lines, detail))

    def warn(self, words: Words) -> None:
        """Add a remark to those that are still shown; it stays until the user closes it."""
        before = self.state.notice.lines if isinstance(self.state.notice, Remark) else ()
        if words not in before:
            self._change(notice=Remark((*before, words), stays=True))

    def dismiss(self) -> None:
        self._change(notice=None)

    def take(self, event: EngineEvent) -> None:
        """Take an event of the engine into the state."""
        newest = self.state.jobs.run
        self._go(after_event(self.state, event))
        match event:
            case WorkerReady() if self.state.jobs.busy and self.state.question:
                # The run was asked for before the device was known.
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
                    self.trace()  # a few ms; the first timeline on the screen is a measured one
            case _:
                pass

    @property
    def _runs_by_itself(self) -> bool:
        return self.state.live and not self.state.plan.problems

    def _may_run(self) -> bool:
        """Return True if a run is possible now; otherwise tell the user why not."""
        self._rest.stop()
        problems = self.state.plan.problems
        if self.held:
            self.remark(self.held)
        elif problems:
            self._change(notice=Refused(problems))
        elif (question := self.state.question) not in (None, self.state.notice):
            self._change(notice=question)
            return False
        return not self.held and not problems

    def _run_by_itself(self) -> None:
        """Run the request for Live; ask first if it takes minutes."""
        if question := self.state.question:
            self._change(notice=question)
        else:
            self.run()

    def _change(self, **changed: Any) -> None:
        self._go(replace(self.state, **changed))

    def _go(self, state: SessionState) -> None:
        before = self.state
        self.state = state
        if before != state:
            self.changed.emit(before, state)
