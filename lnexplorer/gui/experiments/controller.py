"""Experiments of the window: asked of the engine or read from files, one at a time, and shown in their pane."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from lnexplorer.domain.experiments.findings import FINISHED, ExperimentResult
from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.domain.experiments.words import TITLES
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.experiment import ExperimentRecorder
from lnexplorer.gui.experiments.pane import ExperimentsPane
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.shell.messages import sentence_of
from lnexplorer.gui.shell.services import Services
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, JobPart, JobProgress, Outcome, Refused, Stopped
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Device

if TYPE_CHECKING:
    from lnexplorer.domain.experiments.findings import ExperimentRecord

SUFFIX = ".lnexperiment"  # storage.experiment_file's


class RecordedExperiments(QObject):
    """Shows experiments in their pane."""

    opened = Signal(object, str)  # ExperimentResult, path

    def __init__(self, services: Services, pane: ExperimentsPane) -> None:
        super().__init__(pane)
        self._window, self._session, self._pane = services.window, services.session, pane
        self._files, self._history = services.files, services.history
        self.opened.connect(lambda _result, path: self._files.note(Path(path)))

    def open(self, path: Path) -> None:
        """Read a recorded experiment and show it."""

        def read() -> "ExperimentResult":
            from lnexplorer.store.recordings import read_experiment  # noqa: PLC0415  (no work for the start)

            return read_experiment(path)

        self._files.do(read, lambda result: self._show(result, path))

    def open_kept(self, number: int) -> None:
        """Show an experiment of the history; one without findings is chosen, and the way to have some told."""
        self._history.load_experiment(number, self._show_kept)

    def _show_kept(self, record: "ExperimentRecord") -> None:
        pane = self._pane
        self._window.show_part("experiments")
        name, ended, found = record.request.name, record.ended, record.result is not None
        if record.result is not None:
            pane.show_result(record.result)  # before it is chosen: one without findings would ask for those in the recordings
        pane.choose(name)

        def words() -> str:
            text = self.tr("Experiment of the history: {title}")
            if not found:
                text = self.tr("This experiment did not come to its end and found nothing: {title}. Run does it again.")
            elif ended != FINISHED:
                text = self.tr("Experiment of the history, which did not come to its end: {title}")
            return text.format(title=translate_message(TITLES[name]))

        self._session.remark(words)

    def _show(self, result: "ExperimentResult", path: Path) -> None:
        pane = self._pane
        self._window.show_part("experiments")
        pane.show_result(result)
        pane.choose(result.request.name)
        self.opened.emit(result, str(path))
        self._session.remark(lambda: self.tr("Recorded experiment: {path}").format(path=path))


T = TypeVar("T")


class ExperimentEngine(Protocol):
    """What is asked of the engine; the supervisor offers it."""

    def submit(self, request: ExperimentRequest) -> int:
        """Do an experiment; the job's number."""

    def cancel(self, job: int) -> None:
        """End one job."""


class Files(Protocol):
    """What is asked of the thread that reads files."""

    def do(self, work: Callable[[], T], then: Callable[[T], None]) -> None:
        """Do something there, and have its result given to a function on Qt's thread."""


class ExperimentsController(QObject):
    """Ties the pane to the engine and to the recorded experiments.

    Args:
        engine: does them.
        files: reads those that were recorded.
        folder: where these are.
        pane: shows them.
        problem: gives the form's request.
        parent: owns this.
        held: says why nothing may be timed now, in a sentence; empty where it may.
        device: that an experiment would be done on; None while that is not known.
    """

    warned = Signal(str)  # a sentence for the user
    ended = Signal(object)  # ExperimentRecord, of an experiment that was done, or begun

    def __init__(
        self,
        engine: ExperimentEngine,
        files: Files,
        folder: Path,
        pane: ExperimentsPane,
        problem: Callable[[], RunRequest],
        parent: QObject | None = None,
        held: Callable[[], str] = str,
        device: Callable[[], Device | None] = lambda: None,
    ) -> None:
        super().__init__(parent)
        self._held, self._device = held, device
        self._engine, self._files, self._folder, self._pane, self._problem = engine, files, folder, pane, problem
        self._job: int | None = None
        self._recorder = ExperimentRecorder(ExperimentRequest(name=""))
        pane.runRequested.connect(self._run)
        pane.stopRequested.connect(self._stop)
        pane.recordedRequested.connect(self._open)
        self._list()

    def take(self, event: EngineEvent) -> None:
        """Follow an event of the engine."""
        match event:
            case JobProgress(job=job, step=step, done=done, total=total) if job == self._job:
                self._recorder.hear(event)
                self._pane.set_running(self._recorder.request.name, "" if step is None else translate_message(step), done, total)
            case JobPart(job=job) if job == self._job:
                self._recorder.hear(event)
            case JobEnded(job=job, outcome=outcome) if job == self._job:
                self._job = None
                self._pane.set_running(None)
                self._end(outcome)
            case _:
                pass

    def close(self) -> None:
        """The window closes: what is being done is stopped with it."""
        if self._job is not None:
            self._job = None
            self._keep(Stopped())

    def _end(self, outcome: Outcome) -> None:
        match outcome:
            case Finished(ExperimentResult() as result):
                self._pane.show_result(result)
            case Refused() | Broken():
                self.warned.emit(sentence_of(outcome))
            case _:
                pass
        if isinstance(outcome, Stopped | Broken) and self._recorder.found is not None:
            self._pane.show_result(self._recorder.found)
            self.warned.emit(self.tr("The experiment did not come to its end: what it found until then is on show."))
        self._keep(outcome)

    def _keep(self, outcome: Outcome) -> None:
        record = self._recorder.record(outcome)
        if record is not None:
            self.ended.emit(record)

    def _run(self, name: str, own_problem: bool) -> None:
        if self._job is not None:
            return
        if why := self._held():
            self.warned.emit(why)
            return
        problem = self._problem() if own_problem else RunRequest()
        self._recorder = ExperimentRecorder(ExperimentRequest(name=name, problem=problem), self._device())
        self._job = self._engine.submit(self._recorder.request)
        self._pane.set_running(name)

    def _stop(self) -> None:
        if self._job is not None:
            self._engine.cancel(self._job)

    def _list(self) -> None:
        folder = self._folder

        def work() -> dict[str, tuple[str, Path]]:
            from lnexplorer.store.recordings import experiments_in  # noqa: PLC0415  (on its thread)

            return {found.name: (found.title, found.path) for found in reversed(experiments_in(folder))}

        self._files.do(work, self._pane.set_recorded)

    def _open(self, _name: str, path: Path) -> None:
        def work() -> ExperimentResult:
            from lnexplorer.store.recordings import read_experiment  # noqa: PLC0415

            return read_experiment(path)

        self._files.do(work, self._pane.show_result)


def connect(pane: ExperimentsPane, services: Services) -> RecordedExperiments:
    """Experiments run on the window's device; those that were recorded come from the program's own files."""
    session = services.session

    def backend() -> str | None:
        return session.state.device.backend if session.state.device is not None else None

    folder = resource("recordings")
    controller = ExperimentsController(
        services.supervisor,
        services.files,
        folder,
        pane,
        lambda: session.state.request,
        pane,
        lambda: session.held,
        lambda: session.state.device,
    )
    controller.warned.connect(session.warn)
    controller.ended.connect(services.history.add_experiment)
    services.window.closing.connect(controller.close)
    services.client.received.connect(controller.take)
    pane.set_backend(backend())
    session.changed.connect(lambda before, after: pane.set_backend(backend()) if before.device != after.device else None)
    return RecordedExperiments(services, pane)
