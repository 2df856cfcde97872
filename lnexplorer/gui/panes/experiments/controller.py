"""Runs experiments of the window, reads them from files and history, and shows them."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal

from lnexplorer.domain.experiments.catalogue import (
    EXPERIMENTS,
    FINISHED,
    ExperimentRecord,
    finished,
)
from lnexplorer.domain.experiments.experiment import (
    ExperimentRequest,
    ExperimentResult,
    Step,
)
from lnexplorer.domain.experiments.invariance import INVARIANCE
from lnexplorer.domain.experiments.neighbours import NEIGHBOURS, kernel_changes, taken
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.experiment import ExperimentRecorder
from lnexplorer.gui.panes.experiments.pane import ExperimentsPane
from lnexplorer.gui.session.files import shown_path
from lnexplorer.gui.session.messages import notice_text
from lnexplorer.gui.session.services import Controller, Services
from lnexplorer.gui.session.state import SessionState
from lnexplorer.protocol.messages import (
    Broken,
    EngineEvent,
    Finished,
    JobEnded,
    JobPart,
    JobProgress,
    Outcome,
    Refused,
    Stopped,
)
from lnexplorer.store.archive import EXPERIMENT, heads_in
from lnexplorer.store.recordings import read_experiment
from lnexplorer.store.resources import resource
from lnkernels.values import say


class ExperimentsController(Controller):
    """Runs an experiment at a time, on the window's device."""

    opened = Signal(object, str)  # ExperimentResult, path

    def __init__(self, pane: ExperimentsPane, services: Services, folder: Path) -> None:
        super().__init__(pane)
        self._pane = pane
        self._services = services
        self._session = services.session
        self._job: int | None = None
        self._recorder = ExperimentRecorder(ExperimentRequest(name=""))
        pane.bar.run.clicked.connect(self._run)
        pane.bar.stop.clicked.connect(
            lambda: services.supervisor.cancel(self._job) if self._job is not None else None
        )
        pane.recordedRequested.connect(
            lambda path: services.files.do(lambda: read_experiment(path), pane.show_result)
        )
        pane.findings.stepTaken.connect(self._take_step)
        services.received.connect(self.take)
        self._session.changed.connect(self._on_changed)
        pane.aboutChanged.connect(lambda about: services.window.show_about("experiments", about))
        self._on_changed(SessionState(), self._session.state)
        services.files.do(
            lambda: {head.name: path for path, head in heads_in(folder, EXPERIMENT)},
            pane.set_recorded,
        )

    def take(self, event: EngineEvent) -> None:
        """Follow an event of the engine."""
        match event:
            case JobProgress(job, _, step, done, total) if job == self._job:
                self._recorder.hear(event)
                self._pane.bar.set_running(self._recorder.request.name, step or "", done, total)
            case JobPart(job) if job == self._job:
                self._recorder.hear(event)
            case JobEnded(job, outcome) if job == self._job:
                self._job = None
                self._pane.bar.set_running(None)
                self._end(outcome)

    def open(self, path: Path) -> None:
        """Read a recorded experiment and show it."""
        self._services.files.do(
            lambda: read_experiment(path), lambda result: self._show(result, path)
        )

    def open_kept(self, number: int) -> None:
        """Show an experiment of the history; of one without findings say how to have some."""
        self._services.history.ask(
            lambda history: history.experiments.load(number), self._show_kept
        )

    def close(self) -> None:
        """Record an experiment that is stopped because the window closes."""
        if self._job is not None:
            self._job = None
            self._keep(Stopped())

    def _run(self) -> None:
        state, own = self._session.state, self._pane.bar.own_problem.isChecked()
        problem = state.request if own else RunRequest()
        request = ExperimentRequest(name=self._pane.name, problem=problem)
        if own and request.name == INVARIANCE.name:  # those beside the form's strategy
            request = replace(request, providers=state.peers, kernel=state.own.source)
        self._begin(request)

    def try_neighbours(self) -> None:
        """Try what is one step away from the parameters, or from the settings of one's own kernel;
        without a GPU a recording tells more.
        """
        self._services.window.show_part("experiments")
        self._pane.choose(NEIGHBOURS.name)
        state = self._session.state
        if state.backend != "cuda" and self._pane.has_recorded:
            return
        kernel = state.own.source
        if kernel is not None and not kernel_changes(kernel):
            kernel = None
        problem = state.request if state.plan.problems else state.plan.shaped
        self._begin(ExperimentRequest(name=NEIGHBOURS.name, problem=problem, kernel=kernel))

    def _take_step(self, result: ExperimentResult, step: Step) -> None:
        request = taken(result, step, self._session.state.own.source)
        if request is None:
            self._session.warn(say("Open the file of this kernel first, in Your kernel."))
            return
        if request.kernel is None:
            self._session.show_request(request.problem)
        else:
            self._session.set_kernel(request.kernel)
        self._begin(request)

    def _begin(self, request: ExperimentRequest) -> None:
        if self._job is not None:
            return
        if why := self._session.held:
            self._session.warn(why)
            return
        self._recorder = ExperimentRecorder(request, self._session.state.device)
        self._job = self._services.supervisor.submit(request)
        self._pane.bar.set_running(request.name)

    def _end(self, outcome: Outcome) -> None:
        if isinstance(outcome, Refused | Broken):
            self._session.warn(notice_text(outcome))
        if isinstance(outcome, Finished) and isinstance(outcome.value, ExperimentResult):
            self._pane.show_result(outcome.value)
        elif self._recorder.result is not None:
            self._pane.show_result(self._recorder.result)
            self._session.warn(
                say("The experiment was cut off: what it found until then is on show.")
            )
        self._keep(outcome)

    def _keep(self, outcome: Outcome) -> None:
        record = self._recorder.record(outcome)
        if record is not None:
            self._services.history.change(
                "experiments", lambda history: history.experiments.add(record)
            )

    def _on_changed(self, before: SessionState, after: SessionState) -> None:
        if before.device != after.device:
            self._pane.set_backend(None if after.device is None else after.backend)

    def _show(self, result: ExperimentResult, path: Path) -> None:
        self._services.window.show_part("experiments")
        self._pane.show_result(result)
        self._pane.choose(result.request.name)
        self.opened.emit(result, str(path))
        self._session.remark(say("Recorded experiment: {path}", path=shown_path(path)))
        if self._services.keeps:
            self._services.history.change(
                "experiments", lambda history: history.experiments.take(finished(result))
            )

    def _show_kept(self, record: ExperimentRecord) -> None:
        self._services.window.show_part("experiments")
        name = record.request.name
        if record.result is not None:
            # First: a choice without findings would ask for those in the recordings.
            self._pane.show_result(record.result)
        self._pane.choose(name)
        title = EXPERIMENTS[name].title
        remark = say("Experiment of the history: {title}", title=title)
        if record.result is None:
            remark = say(
                "This experiment was cut off and found nothing: {title}. Run does it again.",
                title=title,
            )
        elif record.ended != FINISHED:
            remark = say("An experiment of the history that was cut off: {title}", title=title)
        self._session.remark(remark)


def connect(pane: ExperimentsPane, services: Services) -> ExperimentsController:
    """Tie the pane to the window's device, and to the recordings that ship with the program."""
    return ExperimentsController(pane, services, resource("recordings"))
