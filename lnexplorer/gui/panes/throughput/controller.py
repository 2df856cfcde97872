"""Live on a GPU: a moving parameter is measured at once, briefly; the newest setting wins."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from lnexplorer.domain.live import MOST_AHEAD, LivePoint, likely_next, quick_request
from lnexplorer.domain.measuring import CandidateOutcome, Measured, label
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.panes.throughput.pane import ThroughputPane
from lnexplorer.gui.session.services import OWN_KERNELS, Controller, Services
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import SessionState
from lnexplorer.protocol.messages import (
    Broken,
    EngineEvent,
    Finished,
    JobEnded,
    JobPart,
    Outcome,
    Refused,
)
from lnkernels.launch.settings import problems_sentence
from lnkernels.values.figures import Figure

# Of the 150 ms from a slider to a point beside the kernel's own time; the bridge from the engine
# and the chart take 30 each.
GATHER_MS = 30
# A parameter that keeps moving faster than it can be measured: after so long without a point, one
# setting is let through.
HUNGER_MS = 300


class LiveTuner(QObject):
    """Measures each move of a parameter, and reports points; idle on the interpreter, whose times
    mean nothing.

    A move is measured within GATHER_MS. That cancels the measurement of an older one, and so does a
    whole run, which the session starts when nothing has moved for a while.
    """

    pointReady = Signal(object)  # LivePoint, of the setting that is measured now

    def __init__(
        self, runner: Supervisor, session: SessionController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._runner = runner
        self._session = session
        self._mode = "kernel_cold"
        # The newest setting, the one before the last move, and the one that is measured.
        self._wanted = self._before = RunRequest()
        self._plan = session.state.plan_of(self._wanted)
        self._job: int | None = None
        # Of the setting that is measured now, by provider, direction and mode.
        self._figures: dict[tuple[str, str, str], Figure] = {}
        self._hunger = QElapsedTimer()  # since a measurement began, while no point has come
        self._gather = QTimer(self, singleShot=True, interval=GATHER_MS)
        self._gather.timeout.connect(self._measure_newest)
        session.moved.connect(self._on_moved)
        session.changed.connect(self._on_changed)

    def set_mode(self, mode: str) -> None:
        self._mode = mode

    def take(self, event: EngineEvent) -> None:
        """Follow an event of the engine, if it is about the newest measurement."""
        match event:
            case JobPart(job, Figure() as figure) if job == self._job:
                self._add(figure)
                self._report(figures=tuple(self._figures.values()))
            case JobPart(job, CandidateOutcome() as outcome) if (
                job == self._job and outcome.status != "ok"
            ):
                self._report(**outcome.part())
            case JobEnded(job, outcome) if job == self._job:
                self._job = None
                self._end(outcome)

    def _on_moved(self, before: RunRequest, after: RunRequest) -> None:
        self._wanted = after
        # Started once, and not again while the parameter keeps moving: a point comes during the
        # movement, too.
        if self._session.state.backend == "cuda" and not self._gather.isActive():
            self._before = before
            self._gather.start()

    def _on_changed(self, before: SessionState, after: SessionState) -> None:
        """Cancel for a whole run, or a switch to another device or to a result of the past."""
        begun = (before.jobs.run, before.jobs.trace) != (after.jobs.run, after.jobs.trace)
        if begun or before.device != after.device or not after.live or after.plan.problems:
            self._gather.stop()
            self._leave()

    def _measure_newest(self) -> None:
        state = self._session.state
        if self._session.held or (state.jobs.trace is not None and state.jobs.busy):
            return
        if self._job is not None and self._hunger.isValid() and self._hunger.elapsed() > HUNGER_MS:
            return  # the next point, or the end, comes back here
        self._leave()
        if state.jobs.busy and state.jobs.run is not None:
            self._runner.cancel(state.jobs.run, patiently=True)  # nobody asks for it any more
        if not self._hunger.isValid():
            self._hunger.start()
        self._plan = state.plan_of(self._wanted)
        self._figures.clear()
        self._job = self._runner.submit(quick_request(self._wanted, self._mode))

    def _report(self, **facts: Any) -> None:
        self._hunger.invalidate()
        self.pointReady.emit(LivePoint(resolved=self._plan.resolved, **facts))
        if self._wanted != self._plan.request and not self._gather.isActive():
            self._gather.start()

    def _leave(self) -> None:
        job = self._job
        self._job = None
        if job is not None:
            self._runner.cancel(job, patiently=True)

    def _add(self, *figures: Figure) -> None:
        """Keep figures, under the provider's name in runs."""
        for figure in figures:
            own = figure.provider == label(self._plan.request)
            named = replace(figure, provider=self._plan.resolved.launch.strategy) if own else figure
            self._figures[named.provider, named.direction, named.mode] = named

    def _end(self, outcome: Outcome) -> None:
        match outcome:
            case Finished(Measured(outcomes=(own,)) as measured):
                self._add(*own.figures, *measured.ceilings)
                figures = tuple(self._figures.values()) if own.figures else ()
                about = {"warnings": measured.warnings, "environment": measured.after}
                self._report(**own.part() | about | {"figures": figures})
                if self._wanted == self._plan.request and own.figures:
                    ahead = likely_next(self._before, self._wanted, self._plan.resolved)
                    plan_of = self._session.state.plan_of
                    possible = [each for each in ahead if not plan_of(each).problems]
                    self._runner.prepare(tuple(possible[:MOST_AHEAD]))
            case Broken(sentence=sentence):
                self._report(reason=sentence)
            case Refused(problems=problems):
                self._report(reason=problems_sentence(problems))


class ThroughputController(Controller):
    """Shows the speeds of the session's runs, and of what is measured while a parameter moves."""

    def __init__(self, pane: ThroughputPane, services: Services) -> None:
        super().__init__(pane)
        self._pane = pane
        self._steps = services.steps
        session = services.session
        self.live = LiveTuner(services.supervisor, session, self)
        services.received.connect(self.live.take)
        pane.notice.acted.connect(services.files.open_example)
        pane.modeChanged.connect(self.live.set_mode)
        pane.peersChosen.connect(session.set_peers)
        pane.peers.kernelWanted.connect(lambda: services.part(OWN_KERNELS).choose())
        self.live.pointReady.connect(pane.show_live)
        session.changed.connect(self._on_changed)
        self._on_changed(SessionState(), session.state)

    def _on_changed(self, before: SessionState, after: SessionState) -> None:
        pane = self._pane
        if before.device != after.device:
            pane.set_device(after.device)
        if before.plan is not after.plan:
            pane.set_plan(after.plan)
        if before.peers != after.peers:
            pane.set_peers(after.peers)
        if before.own.version is not after.own.version:
            pane.show_own(after.own.version)
        jobs, result = after.jobs, after.run.result
        # Before the device is known, the shape of an automatic request is not known either.
        begun = (before.jobs.run, before.device) != (jobs.run, after.device) and jobs.busy
        if begun and after.device is not None and jobs.asked is not None and jobs.run is not None:
            pane.begin_run(jobs.asked.resolved)
        # Figures of a new result are its own, which may be of another run.
        if result is before.run.result:
            for figure in after.run.figures[len(before.run.figures) :]:
                pane.add_figure(figure)
        elif result is not None:
            self._steps.add("throughput", lambda: pane.show_result(result))


connect = ThroughputController
