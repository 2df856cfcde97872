"""What the window offers the controllers of its parts, and the engine's events on Qt's thread."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from lnexplorer.domain.jobs import JobFinding
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.responsive import Delivery, IdleSteps
from lnexplorer.gui.shell.files import FileThread
from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.preferences import Preferences
from lnexplorer.gui.shell.session import SessionController
from lnexplorer.protocol.messages import EngineEvent, JobEnded, JobPart, Outcome, WorkerLost

if TYPE_CHECKING:
    from lnexplorer.gui.history.thread import HistoryThread
    from lnexplorer.gui.shell.picture_run import PictureRun


class EngineClient(QObject):
    """Hands on what one engine tells."""

    received = Signal(object)  # EngineEvent

    def __init__(self, delivery: Delivery, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._delivery = delivery
        self._open = True

    def put(self, event: EngineEvent) -> None:
        """Take an event, on the engine's thread."""
        self._delivery.post(partial(self._tell, event))

    def close(self) -> None:
        self._open = False

    def _tell(self, event: EngineEvent) -> None:
        if self._open:
            self.received.emit(event)


def start_worker(put: Callable[[EngineEvent], None], device: str) -> Supervisor:
    supervisor = Supervisor(put, device=device)
    supervisor.start()
    return supervisor


class OwnWorker(QObject):
    """A worker beside the window's own, started when it is first asked.

    Of what it is asked, the newest alone is answered.
    """

    def __init__(
        self, delivery: Delivery, parent: QObject | None = None, start: Callable[..., Supervisor] = start_worker
    ) -> None:
        super().__init__(parent)
        self._delivery, self._start = delivery, start
        self._worker: tuple[str, Supervisor, EngineClient] | None = None  # with its device
        self._asked: tuple[int, Callable[[Outcome | WorkerLost], object]] | None = None  # with the job's number
        self._hear_part: Callable[[JobFinding], object] = lambda _part: None

    def ask(
        self,
        job: Any,
        answer: Callable[[Outcome | WorkerLost], object],
        device: str = "interpreter",
        hear: Callable[[JobFinding], object] = lambda _part: None,
    ) -> None:
        """Have a job done on a device; its parts, and its end or that of the worker, are given to functions."""
        worker = self.start(device)
        self._asked, self._hear_part = (worker.submit(job), answer), hear

    def start(self, device: str) -> Supervisor:
        """Have the worker come up, so that it is ready when it is asked."""
        if self._worker is None or self._worker[0] != device:
            self.close()
            client = EngineClient(self._delivery, self)
            client.received.connect(self._hear)
            self._worker = (device, self._start(client.put, device), client)
        return self._worker[1]

    def close(self, *, wait: bool = True) -> None:
        """Let the worker go; what it is at is stopped. Not waited for, it ends in the background."""
        self._asked = None
        if self._worker is not None:
            _, engine, client = self._worker
            self._worker = None
            client.close()
            if wait:
                engine.close()
            else:
                threading.Thread(target=engine.close, name="worker-closer", daemon=True).start()

    def _hear(self, event: EngineEvent) -> None:
        if self._asked is None:
            return
        job, answer = self._asked
        match event:
            case JobPart(job=told, part=part) if told == job:
                self._hear_part(part)
            case JobEnded(job=ended, outcome=outcome) if ended == job:
                self._asked = None
                answer(outcome)
            case WorkerLost(restarting=False):
                self._asked = None
                answer(event)
            case _:
                pass


@dataclass(eq=False, slots=True, kw_only=True)
class Services:
    """The application makes them; this file only names them."""

    window: MainWindow
    session: SessionController
    supervisor: Supervisor
    client: EngineClient  # tells what the supervisor's worker says
    delivery: Delivery  # the way of other threads to Qt's
    history: "HistoryThread"
    files: FileThread
    steps: IdleSteps
    preferences: Preferences
    database: Path  # runs, sweeps and experiments
    exercises: Path  # folder of the user's own lab sheets
    picture: "PictureRun | None" = None  # where the window is opened for a picture
    controllers: dict[str, Any] = field(default_factory=dict)  # by the name of the part; those that have one

    def controller(self, part: str) -> Any:
        """What ties a part to engine and store; the part is made now if it was not before."""
        self.window.pane(part)
        return self.controllers[part]
