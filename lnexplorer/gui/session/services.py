"""The services that controllers of panes work with, and what they may ask of the window."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from lnexplorer.domain.jobs import JobFinding, JobRequest
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.gui.kit import Languages
from lnexplorer.gui.kit.responsive import Delivery, IdleSteps
from lnexplorer.gui.session.files import FileThread
from lnexplorer.gui.session.history import HistoryThread
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.session.under_way import UnderWay
from lnexplorer.protocol.messages import EngineEvent, JobEnded, JobPart, Outcome
from lnexplorer.store.settings import Settings
from lnkernels.launch.source import KernelSource

Wanted = TypeVar("Wanted")


def start_worker(put: Callable[[EngineEvent], None], device: str) -> Supervisor:
    supervisor = Supervisor(put, device=device)
    supervisor.start()
    return supervisor


class OwnWorker(QObject):
    """A second worker, which starts at its first job; only the newest job is answered."""

    def __init__(
        self,
        services: "Services",
        parent: QObject,
        start: Callable[..., Supervisor] = start_worker,
    ) -> None:
        super().__init__(parent)
        self._delivery = services.delivery
        self._under_way = services.under_way
        self._under_way.stopWanted.connect(self._stop)
        self._start = start
        self._worker: tuple[str, Supervisor] | None = None  # with its device
        self._number = 0  # of the workers so far: those before the last one are not heard any more
        self._asked: tuple[int, Callable[[Outcome], object]] | None = None  # with the job's number
        self._hear_part: Callable[[JobFinding], object] = lambda _part: None
        self._estimate = 0.0  # of the last job, s; 0 where it is not known
        self.printed = ""  # by somebody's kernel in the last job

    def ask(
        self,
        job: JobRequest,
        answer: Callable[[Outcome], object],
        device: str = "interpreter",
        hear: Callable[[JobFinding], object] = lambda _part: None,
        estimate: float = 0.0,
    ) -> None:
        """Do a job on a device.

        Args:
            job: what to do.
            answer: called with the outcome.
            device: as the command line names it.
            hear: called with each finished part.
            estimate: s that the job may take; 0 where that is not known.
        """
        self._estimate = estimate
        worker = self.start(device)
        self._asked = (worker.submit(job), answer)
        self._hear_part = hear

    def start(self, device: str) -> Supervisor:
        """Start the worker, so that it is ready for a job."""
        if self._worker is None or self._worker[0] != device:
            self.close()
            number, delivery = self._number, self._delivery

            def put(event: EngineEvent) -> None:
                delivery.post(lambda: self._hear(event) if number == self._number else None)

            self._worker = (device, self._start(put, device))
        return self._worker[1]

    def close(self, *, wait: bool = True) -> None:
        """End the worker and its job; without `wait`, in the background."""
        self._asked = None
        self._number += 1
        self._under_way.forget(self)
        if self._worker is not None:
            _, engine = self._worker
            self._worker = None
            if wait:
                engine.close()
            else:
                threading.Thread(target=engine.close, name="worker-closer", daemon=True).start()

    def _stop(self) -> None:
        if self._worker is not None and self._asked is not None:
            self._worker[1].stop()

    def _hear(self, event: EngineEvent) -> None:
        self._under_way.hear(event, self, self._estimate)
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


class Controller(QObject):
    """Ties the pane of a part to the session; closed with the window."""

    @property
    def shows_soon(self) -> bool:
        """Return whether an answer is on its way; a picture of the window is taken after it."""
        return False

    def close(self) -> None:
        """End what is under way."""


@runtime_checkable
class Kept(Protocol):
    """A pane whose view a session file keeps: a dataclass that says how its content is shown."""

    View: type

    def view(self) -> Any | None: ...

    def show_view(self, view: Any, /) -> None:
        """Take a view from a file; what does not fit the pane's content changes nothing."""


class Window(Protocol):
    """The requests that a controller may make of the main window."""

    @property
    def workspace(self) -> str: ...

    workspaceShown: SignalInstance  # with its name

    closing: SignalInstance

    def action(self, name: str) -> QAction: ...

    def devices(self) -> tuple[str, ...]:
        """Return the devices in the menu, as the command line names them."""

    def show_part(self, name: str) -> None:
        """Bring a part to the front, with its workspace."""

    def show_about(self, workspace: str, about: str) -> None:
        """Say in a workspace's headline what is shown; the empty text for the parameters."""

    def put_beside(self, widget: QWidget) -> None:
        """Place a widget at the right of every workspace."""


class Choices(Protocol):
    """The user's preferences, as far as controllers need them."""

    settings: Settings

    def change(self, **changed: Any) -> None:
        """Change some of the settings."""

    device: str  # as the command line names it

    languages: Languages
    languageChosen: SignalInstance


class OpensFiles(Protocol):
    """The controller of a part that shows files."""

    opened: SignalInstance  # with what was read, and its path

    def open(self, path: Path) -> None: ...


class OpensSweeps(OpensFiles, Protocol):
    """The controller of sweeps."""

    def open_kept(self, number: int, go_on: bool) -> None:
        """Show a sweep of the history, or resume it."""


class OpensExperiments(OpensFiles, Protocol):
    """The controller of experiments."""

    def open_kept(self, number: int) -> None:
        """Show an experiment of the history."""

    def try_neighbours(self) -> None:
        """Try every setting one step away from the parameters."""


class ChecksKernels(Protocol):
    """The controller of the user's own kernels."""

    def choose(self) -> None:
        """Ask for a file."""

    def watch(self, path: Path) -> None:
        """Check a file now, and whenever it is saved."""


class CompilesKernels(Protocol):
    """The controller of the Compiled part."""

    def show_own(self, *versions: KernelSource) -> None:
        """Compile a kernel of the user's own, or two versions of it, and show them."""


class ShowsHistory(Protocol):
    """The controller of the history and the gallery."""

    def open_gallery(self) -> None: ...

    def list_sweeps(self) -> None: ...


class FollowsRows(Protocol):
    """The controller of the reduction, where a row is followed."""

    rowFollowed: SignalInstance  # with its number, or None


@dataclass(frozen=True)
class PartKey(Generic[Wanted]):
    """Names the controller of a part, by what other parts may ask of it."""

    part: str


SWEEP = PartKey[OpensSweeps]("sweep")
EXPERIMENTS = PartKey[OpensExperiments]("experiments")
COMPILED = PartKey[CompilesKernels]("compiled")
OWN_KERNELS = PartKey[ChecksKernels]("own_kernels")
HISTORY = PartKey[ShowsHistory]("history")
REDUCTION = PartKey[FollowsRows]("reduction")


class Services(QObject):
    """The objects that a controller works with; the application makes them."""

    received = Signal(object)  # EngineEvent of the supervisor's worker, on Qt's thread

    window: Window
    dialogs: QWidget  # the parent of what is asked in a window of its own
    session: SessionController
    supervisor: Supervisor
    under_way: UnderWay
    delivery: Delivery  # the way of other threads to Qt's
    history: HistoryThread
    files: FileThread
    steps: IdleSteps
    preferences: Choices
    exercises: Path  # folder of the user's own lab sheets
    keeps = True  # runs in the history: not where the window is opened for a picture

    def part(self, key: PartKey[Wanted]) -> Wanted:
        """Return the controller of a part; it is made now if it was not before."""
        raise NotImplementedError
