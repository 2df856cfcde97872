"""What the window offers the controllers of its parts."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from lnexplorer.domain.jobs import JobFinding
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.kit.responsive import Delivery, IdleSteps
from lnexplorer.gui.session.files import FileThread
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.window.main_window import MainWindow
from lnexplorer.gui.window.preferences import Preferences
from lnexplorer.protocol.messages import EngineEvent, JobEnded, JobPart, Outcome

if TYPE_CHECKING:
    from lnexplorer.gui.session.history import HistoryThread
    from lnexplorer.gui.window.picture_run import PictureRun


def start_worker(put: Callable[[EngineEvent], None], device: str) -> Supervisor:
    supervisor = Supervisor(put, device=device)
    supervisor.start()
    return supervisor


class OwnWorker(QObject):
    """A worker beside the window's own, started when it is first asked.

    Of what it is asked, the newest alone is answered.
    """

    def __init__(
        self,
        delivery: Delivery,
        parent: QObject | None = None,
        start: Callable[..., Supervisor] = start_worker,
    ) -> None:
        super().__init__(parent)
        self._delivery = delivery
        self._start = start
        self._worker: tuple[str, Supervisor] | None = None  # with its device
        self._number = 0  # of the workers so far: those before the last one are not heard any more
        self._asked: tuple[int, Callable[[Outcome], object]] | None = None  # with the job's number
        self._hear_part: Callable[[JobFinding], object] = lambda _part: None
        self.printed = ""  # by somebody's kernel in the last job

    def ask(
        self,
        job: Any,
        answer: Callable[[Outcome], object],
        device: str = "interpreter",
        hear: Callable[[JobFinding], object] = lambda _part: None,
    ) -> None:
        """Have a job done on a device; its parts and its end are given to functions."""
        worker = self.start(device)
        self._asked = (worker.submit(job), answer)
        self._hear_part = hear

    def start(self, device: str) -> Supervisor:
        """Have the worker come up, so that it is ready when it is asked."""
        if self._worker is None or self._worker[0] != device:
            self.close()
            number, delivery = self._number, self._delivery
            put = lambda event: delivery.post(
                lambda: self._hear(event) if number == self._number else None
            )
            self._worker = (device, self._start(put, device))
        return self._worker[1]

    def close(self, *, wait: bool = True) -> None:
        """Let the worker go; what it is at is stopped. Not waited for, it ends in the background."""
        self._asked = None
        self._number += 1
        if self._worker is not None:
            _, engine = self._worker
            self._worker = None
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
            case JobEnded(job=ended, outcome=outcome, printed=printed) if ended == job:
                self._asked = None
                self.printed = printed
                answer(outcome)
            case _:
                pass


class Services(QObject):
    """What the application makes; this file only names it."""

    received = Signal(object)  # EngineEvent of the supervisor's worker, on Qt's thread

    window: MainWindow
    session: SessionController
    supervisor: Supervisor
    delivery: Delivery  # the way of other threads to Qt's
    history: "HistoryThread"
    files: FileThread
    steps: IdleSteps
    preferences: Preferences
    exercises: Path  # folder of the user's own lab sheets
    picture: "PictureRun | None" = None  # where the window is opened for a picture
    controllers: dict[str, Any]  # by the name of the part; those that have one

    def controller(self, part: str) -> Any:
        """What ties a part to engine and store; the part is made now if it was not before."""
        self.window.pane(part)
        return self.controllers[part]
