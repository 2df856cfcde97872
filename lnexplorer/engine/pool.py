"""The devices of a sweep: one worker each, and which cells each of them may take."""

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from lnexplorer.domain.machines import is_remote, read_machine
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import Cell
from lnexplorer.engine.batches import Batch
from lnexplorer.engine.cluster import Member
from lnexplorer.engine.sources import anything
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import (
    EngineEvent,
    JobEnded,
    JobPart,
    JobProgress,
    Outcome,
    WorkerLost,
    WorkerReady,
)
from lnkernels.values.environment import Device


class DeviceRunner:
    """A device: its worker, and the batches under way on it.

    Used by the sweep's thread alone. `hear` is called on other threads with what the worker
    reports, and has to bring it to that thread.
    """

    def __init__(
        self,
        device: str,
        supervise: Callable[..., Supervisor | Member],
        hear: Callable[["DeviceRunner", EngineEvent], None],
        place: str = "",
        seats: int = 1,
    ) -> None:
        self.facts: Device | None = None  # while a worker has the device
        self.batches: dict[int, Batch] = {}  # under way, by job
        self.lost = False  # no worker can be started any more
        self._seats = seats  # batches that it takes at once
        self._alone = False  # the batch under way must have the device for itself
        self._device = device
        self._place = place  # prefix of the device's name: the host, where that is another one
        self._supervisor = supervise(partial(hear, self), device=device)
        self._closer = threading.Thread(
            target=self._supervisor.close, name="runner-closer", daemon=True
        )

    @property
    def name(self) -> str:
        """The device, such as "cuda:0"; what was asked for until a worker has it."""
        if self.facts is None:
            return self._place + self._device
        name = "interpreter" if self.facts.index is None else f"cuda:{self.facts.index}"
        remote = is_remote(self._device)
        return read_machine(self._device).named(name) if remote else self._place + name

    @property
    def hardware(self) -> str:
        """The kind of GPU, as in the rows."""
        return (self.facts.environment.gpu if self.facts is not None else None) or "CPU"

    @property
    def idle(self) -> bool:
        most = 1 if self._alone else self._seats
        return self.facts is not None and not self.lost and len(self.batches) < most

    def start(self, ahead: Sequence[RunRequest]) -> None:
        self._supervisor.prepare(ahead)
        self._supervisor.start()

    def measure(self, batch: Batch, *, alone: bool = False) -> None:
        """Begin a batch; with `alone`, take no other until it has ended."""
        self._alone = alone
        self.batches[self._supervisor.submit(batch.request)] = batch

    def hear(self, event: EngineEvent) -> tuple[Batch, Outcome] | None:
        """Take an event of the worker. Return the batch that it ends, with its outcome."""
        match event:
            case WorkerReady(device=device):
                self.facts = device
            case WorkerLost(restarting=False):
                self.lost = True
            case JobProgress(job=job) | JobPart(job=job) if job in self.batches:
                self.batches[job].hear(event)
            case JobEnded(job=job, outcome=outcome) if job in self.batches:
                return self.batches.pop(job), outcome
        return None

    def close(self) -> None:
        """Begin to end the worker; `join` waits for it."""
        for job in self.batches:
            self._supervisor.cancel(job)
        self._closer.start()

    def join(self) -> None:
        """Wait until no process is left, which takes a bounded time."""
        self._closer.join()


class DevicePool:
    """All devices of a sweep, and the rules by which cells are placed on them."""

    def __init__(self) -> None:
        self.runners: list[DeviceRunner] = []
        self._hardware_of: dict[int | None, str] = {}  # by N
        self._orphans: set[int] = set()  # cells that lost a host once

    @property
    def busy(self) -> bool:
        return any(runner.batches for runner in self.runners)

    def fits(self, runner: DeviceRunner) -> Callable[[Cell], bool]:
        """Return a predicate of the cells that a device may take.

        Settings of one N are compared, so they stay on one kind of GPU while there is one. A cell
        that lost a host gets the next device for itself: if that is lost as well, it is to blame.
        """
        there = {
            other.hardware for other in self.runners if not other.lost and other.facts is not None
        }
        others = {
            n for n, kind in self._hardware_of.items() if kind != runner.hardware and kind in there
        }
        apart = self._orphans if runner.batches else ()
        if not others and not apart:
            return anything
        return lambda cell: cell.request.n not in others and cell.number not in apart

    def assign(self, runner: DeviceRunner, cells: Iterable[Cell]) -> None:
        """Remember the kind of GPU on which the settings of an N are timed."""
        self._hardware_of.update((cell.request.n, runner.hardware) for cell in cells)

    def needs_device_alone(self, cells: Iterable[Cell]) -> bool:
        return any(cell.number in self._orphans for cell in cells)

    def lose_host(self, cells: Sequence[Cell]) -> tuple[list[Cell], list[Cell]]:
        """Return the cells of a lost host that are tried once more, and those that failed twice."""
        again = [cell for cell in cells if cell.number not in self._orphans]
        twice = [cell for cell in cells if cell.number in self._orphans]
        self._orphans.update(cell.number for cell in cells)
        return again, twice

    def close(self) -> None:
        """End all workers, at the same time."""
        for runner in self.runners:
            runner.close()
        for runner in self.runners:
            runner.join()
