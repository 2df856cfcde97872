"""Just as much of the engine, the files and the window as controllers of panes ask of them."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTranslator, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.experiments.experiment import ExperimentRequest
from lnexplorer.domain.jobs import RunJob, TraceJob
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.kit.responsive import IdleSteps
from lnexplorer.gui.session.services import PartKey
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.state import Remark, SessionState, ask, use_device
from lnkernels.values.environment import Device
from tests.sample_results import make_device


def state_of(request: RunRequest, device: Device | None = None) -> SessionState:
    """A session with a request on a device."""
    return ask(use_device(SessionState(), device), request)


class Marking(QTranslator):
    """A language in which every text stands in brackets."""

    def translate(
        self, context: str, source: str, disambiguation: str | None = None, n: int = -1
    ) -> str:
        return f"[{source}]"

    def isEmpty(self) -> bool:
        return False


class Recorder:
    """Takes jobs as the supervisor does, and remembers them. Each kind has numbers of its own."""

    def __init__(self) -> None:
        self.ran: list[RunRequest] = []
        self.traced: list[RunRequest] = []
        self.measured: list[MeasureRequest] = []
        self.asked: list[ExperimentRequest] = []
        self.prepared: list[tuple[RunRequest, ...]] = []
        self.cancelled: list[int] = []
        self.stopped = 0
        self.devices: list[str] = []
        self.prepare = self.prepared.append
        self.restart = self.devices.append

    def submit(self, job: object) -> int:
        kept: list[Any]
        match job:
            case RunJob():
                kept, first = self.ran, 0
            case TraceJob():
                kept, first = self.traced, 100
            case MeasureRequest():
                kept, first = self.measured, 500
            case ExperimentRequest():
                kept, first = self.asked, 40
            case _:
                raise AssertionError(job)
        kept.append(getattr(job, "request", job))
        return first + len(kept)

    def cancel(self, job: int, *, patiently: bool = False) -> None:
        self.cancelled.append(job)

    def stop(self) -> None:
        self.stopped += 1


class Engine:
    """Notes jobs of one kind, which are left patiently, and that it was closed."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.cancelled: list[int] = []
        self.closed = False

    def submit(self, job: object) -> int:
        self.asked.append(job)
        return len(self.asked)

    def cancel(self, job: int, *, patiently: bool) -> None:
        assert patiently
        self.cancelled.append(job)

    def close(self) -> None:
        self.closed = True


class Files:
    """Does at once what it is asked, where it can."""

    def open_example(self) -> None:
        """Open nothing."""

    def do(self, work: Callable[[], Any], then: Callable[[Any], object]) -> None:
        try:
            value = work()
        except ValueError:
            return
        then(value)


class FakeWindow(QWidget):
    """Notes the part in front; has devices in its menu."""

    closing = Signal()

    def __init__(self, gpus: int) -> None:
        super().__init__()
        self.brought: list[str] = []
        self._gpus = gpus

    def devices(self) -> tuple[str, ...]:
        return (*(f"cuda:{number}" for number in range(self._gpus)), "interpreter")

    def action(self, _name: str) -> QAction:
        return QAction(self)

    def show_part(self, name: str) -> None:
        self.brought.append(name)

    def show_about(self, workspace: str, about: str) -> None:
        """Say nothing."""


class FakeHistory(QObject):
    """A history whose answers come at once; its experiments and sweeps are it, too."""

    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.subject: Any = self  # of the work that is asked for
        self.experiments = self.sweeps = self
        self.records: dict[int, Any] = {}
        self.kept: list[Any] = []

    def ask(
        self,
        work: Callable[[Any], Any],
        then: Callable[[Any], object] | None = None,
        _key: str | None = None,
    ) -> None:
        value = work(self.subject)
        if then is not None:
            then(value)

    def change(self, _kind: str, work: Callable[[Any], Any]) -> None:
        self.ask(work)

    def add(self, record: object) -> None:
        self.kept.append(record)

    take = add

    def load(self, number: int) -> Any:
        return self.records[number]

    def rows(self) -> list[Any]:
        return []


class FakeServices(QObject):
    """Services that a controller is given."""

    received = Signal(object)  # of the client
    device = "auto"  # of the preferences
    keeps = True

    def __init__(self, gpus: int = 1) -> None:
        super().__init__()
        self.supervisor = Recorder()
        self.session = SessionController(
            self.supervisor, state_of(RunRequest(), make_device()), self
        )
        self.files = Files()
        self.steps = IdleSteps(self)
        self.window = self.dialogs = FakeWindow(gpus)
        self.parts: dict[str, Any] = {}
        self.history = FakeHistory()
        self.preferences = self

    def part(self, key: PartKey[Any]) -> Any:
        return self.parts[key.part]

    @property
    def said(self) -> str:
        """Return the sentence that the window tells its user."""
        notice = self.session.state.notice
        return notice.sentence if isinstance(notice, Remark) else ""
