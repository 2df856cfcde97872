"""What the reduction's comparison wants to know of launches that are not on show: recordings of them, or what a compiler says."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.residents import Kernel, SeenLaunch
from lnexplorer.engine.events import Broken, EngineEvent, JobEnded, Refused, WorkerLost
from lnexplorer.engine.occupancy import device_of, occupancy_in
from lnexplorer.gui.reduction.comparison import Comparison, WantedOccupancy
from lnexplorer.gui.responsive import Delivery
from lnexplorer.gui.shell.client import EngineClient
from lnexplorer.gui.shell.messages import sentence_of
from lnexplorer.gui.shell.parts import Parts
from lnexplorer.gui.shell.state import SessionState
from lnexplorer.store.recordings import seen_launches
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Environment

_REST_SECONDS = 0.005  # between two recordings that are read, so that Qt's thread need not fight for the interpreter


class Runner(Protocol):
    """What is asked of the engine; a supervisor offers it."""

    def run(self, request: RunRequest) -> int:
        """Check the kernels; the job's number."""

    def close(self) -> None:
        """End everything."""


def start_worker(put: Callable[[EngineEvent], None], device: str) -> Runner:
    """A worker of its own."""
    from lnexplorer.engine.supervisor import Supervisor  # noqa: PLC0415  (most windows never need a second one)

    supervisor = Supervisor(put, device=device)
    supervisor.start()
    return supervisor


class ComparisonController(QObject):
    """Answers a comparison. The window's own worker is left alone: another one compiles, for as long as it is asked.

    Args:
        comparison: asks.
        state: of the session, at any time.
        folder: whose recordings are looked through.
        delivery: the way of other threads to Qt's.
        parent: owns this.
        start: starts a worker on a device.
    """

    def __init__(
        self,
        comparison: Comparison,
        state: Callable[[], SessionState],
        folder: Path,
        delivery: Delivery,
        parent: QObject | None = None,
        start: Callable[[Callable[[EngineEvent], None], str], Runner] = start_worker,
    ) -> None:
        super().__init__(parent)
        self._comparison, self._state, self._folder, self._delivery, self._start = comparison, state, folder, delivery, start
        self._known: dict[Kernel, list[SeenLaunch]] = {}
        self._worker: tuple[str, Runner, EngineClient] | None = None  # with its device
        self._asked: tuple[int, WantedOccupancy] | None = None  # with the job's number
        comparison.set_launches(self)
        comparison.occupancyWished.connect(self._ask)

    @property
    def environment(self) -> Environment | None:
        """Where the timeline on show was made."""
        return self._state().traced_in

    def seen(self, kernel: Kernel) -> list[SeenLaunch]:
        """Recorded traces of a kernel; on any thread."""
        if kernel not in self._known:
            self._known[kernel] = seen_launches(self._folder, kernel, lambda: time.sleep(_REST_SECONDS))
        return self._known[kernel]

    def close(self) -> None:
        """End the worker, if there is one."""
        self._asked = None
        if self._worker is not None:
            _, runner, client = self._worker
            self._worker = None
            client.close()
            runner.close()

    def _ask(self, wanted: WantedOccupancy) -> None:
        device = device_of(wanted.architecture)
        if self._worker is None or self._worker[0] != device:
            self.close()
            client = EngineClient(self._delivery, self)
            client.received.connect(self._hear)
            self._worker = (device, self._start(client.put, device), client)
        self._asked = (self._worker[1].run(wanted.sample), wanted)

    def _hear(self, event: EngineEvent) -> None:
        if self._asked is None:
            return
        job, wanted = self._asked
        match event:
            case JobEnded(job=ended, outcome=outcome) if ended == job:
                self._asked = None
                told = sentence_of(outcome) if isinstance(outcome, Broken | Refused) else occupancy_in(outcome)
                self._comparison.take_occupancy(wanted, told)
            case WorkerLost(restarting=False):
                self._asked = None
                self._comparison.take_occupancy(wanted, sentence_of(event))
            case _:
                pass


def link_prediction(parts: Parts, parent: QObject) -> ComparisonController | None:
    """The reduction's comparison asks the desk that is given back, which is to be closed with the window."""
    pane = parts.window.reduction
    if pane is None:
        return None
    session = parts.session
    return ComparisonController(pane.comparison, lambda: session.state, resource("recordings"), parts.delivery, parent)
