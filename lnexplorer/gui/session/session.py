"""Turns what the user wants into jobs, and the engine's events into the session's next state."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from lnexplorer.domain.jobs import InspectJob, RunJob, TraceJob
from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.session.state import (
    Remark,
    SessionState,
    Words,
    after_event,
    ask_as_traced,
    begin_run,
    begin_trace,
    show_result,
    show_timeline,
)
from lnexplorer.protocol.messages import EngineEvent, Finished, JobEnded, Refused
from lnkernels.launch import reload_tuned_settings
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Environment
from lnkernels.values.sentence import say
from lnkernels.values.timeline import ReductionTimeline

QUIET_MS = 120  # a parameter has to rest so long before it is run …
PATIENCE_MS = 400  # … but one that keeps moving is run as often as this
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
        self._rest.timeout.connect(self.run)

    def begin_with(self, request: RunRequest) -> None:
        """Take the first request and run it, whatever the switch says; on a GPU, its locks are
        recorded after it.
        """
        self._first = request
        self._go(
            replace(self.state, request=request, problems=self.state.plan_of(request).problems)
        )
        self.run()

    def set_request(self, request: RunRequest) -> None:
        """Take a request from the form; it runs by itself when live and possible."""
        problems = self.state.plan_of(request).problems
        before = self.state.request
        self._go(replace(self.state, request=request, problems=problems))
        if problems or not self.state.live or self.held:
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

    def set_live(self, live: bool) -> None:
        """Whether a change of the request runs it."""
        if not live:
            self._rest.stop()
        self._go(replace(self.state, live=live))

    def set_peers(self, peers: tuple[str, ...]) -> None:
        """Who is timed beside the strategy; one that is new is timed by itself when live, once
        nothing moves any more.
        """
        timed = {figure.provider for figure in self.state.figures}
        new = set(peers) - set(self.state.peers) - timed
        self._go(replace(self.state, peers=peers))
        if (
            new
            and self.state.live
            and self.state.backend == "cuda"
            and not self.state.problems
            and not self.held
        ):
            self._rest.start(REST_MS)

    def set_kernel(self, kernel: KernelSource | None) -> None:
        """The user's own kernel, which other parts may take, too."""
        self._go(
            replace(self.state, kernel=kernel, own=self.state.own if kernel is not None else None)
        )

    def set_own_figures(self, own: KernelVersion) -> None:
        """What was found of its newest text."""
        self._go(replace(self.state, own=own))

    def hold(self, why: Words) -> None:
        """Run nothing until this is called with an empty text; whoever wants a run is told why not,
        in this sentence.
        """
        self.held = why
        if why:
            self._rest.stop()

    def run(self, *, counters: bool = False) -> None:
        """Run the request now; an impossible one says why.

        Args:
            counters: have the hardware count, too.
        """
        if not self._may_run():
            return
        reload_tuned_settings()  # the worker does, too: both are to speak of the same settings
        job = RunJob(self.state.request, self.state.peers, counters=counters)
        self._go(begin_run(self.state, self._runner.submit(job)))

    def trace(self) -> None:
        """Record the locks of the request now; where that is impossible, it is said why."""
        if self._may_run():
            self._go(begin_trace(self.state, self._runner.submit(TraceJob(self.state.request))))

    def inspect(
        self, tensor: str, row_start: int, row_stop: int, column_start: int, column_stop: int
    ) -> None:
        """Have a part of an error map of the last run; an idle worker alone can give it."""
        if not self.state.busy and self.state.job is not None:
            job = self._runner.submit(
                InspectJob(tensor, row_start, row_stop, column_start, column_stop)
            )
            self._go(replace(self.state, inspect_job=job))

    def stop(self) -> None:
        self._rest.stop()
        self._runner.stop()

    def restart(self, device: str) -> None:
        """Take another device, or the same one anew, and run the request on it."""
        self._go(
            replace(
                self.state,
                device=None,
                job=None,
                trace_job=None,
                busy=False,
                notice=None,
                problems=(),
            )
        )
        self._runner.restart(device)
        self.run()

    def show_past(self, result: RunResult, timeline: ReductionTimeline | None = None) -> None:
        """Show a result of the history or of a recording, with its trace, and put its request into
        the form.
        """
        self._let_rest()
        self._go(show_result(self.state, result, timeline))

    def show_timeline(
        self,
        timeline: ReductionTimeline,
        launch: ResolvedRequest | None = None,
        environment: Environment | None = None,
    ) -> None:
        """Show a recorded timeline beside whatever run is on show; of which launch, made where, as
        far as that is known.
        """
        self._go(show_timeline(self.state, timeline, launch, environment))

    def show_past_timeline(
        self,
        timeline: ReductionTimeline,
        launch: ResolvedRequest | None,
        environment: Environment | None,
    ) -> None:
        """Show a recorded timeline that has no result with it, and put its launch into the form."""
        self._let_rest()
        self._go(ask_as_traced(show_timeline(self.state, timeline, launch, environment)))

    def tell_saved(self, path: Path) -> None:
        self.remark(say("Saved as {path}", path=str(path)))

    def remark(self, *lines: Words, detail: Words = "") -> None:
        """Tell the user something that is no failure of a run."""
        self._go(replace(self.state, notice=Remark(lines, detail)))

    def warn(self, words: Words) -> None:
        """Tell the user something about their files, below what else was told them and is not put
        away yet.
        """
        before = self.state.notice.lines if isinstance(self.state.notice, Remark) else ()
        if words not in before:
            self._go(replace(self.state, notice=Remark((*before, words), stays=True)))

    def dismiss(self) -> None:
        self._go(replace(self.state, notice=None))

    def put_remark_away(self) -> None:
        """Somebody looks at something else now, which what was remarked would cover."""
        if isinstance(self.state.notice, Remark):
            self.dismiss()

    def take(self, event: EngineEvent) -> None:
        newest = self.state.job
        device = self.state.device
        self._go(after_event(self.state, event))
        if self.state.device != device:
            self._go(replace(self.state, problems=self.state.plan.problems))
        match event:
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

    def _may_run(self) -> bool:
        """Whether nothing holds the session and its request is possible; if not, it is said why."""
        self._rest.stop()
        if self.held:
            self.remark(self.held)
        elif self.state.problems:
            self._go(replace(self.state, notice=Refused(self.state.problems)))
        return not self.held and not self.state.problems

    def _let_rest(self) -> None:
        self._rest.stop()
        if self.state.busy:
            self._runner.stop()

    def _go(self, state: SessionState) -> None:
        before = self.state
        self.state = state
        if before != state:
            self.changed.emit(before, state)
