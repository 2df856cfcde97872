"""A sweep that runs by itself on a thread of its own, and tells a listener what happens."""

import logging
import queue
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, assert_never

from lnexplorer.domain.machines import is_remote, read_machine
from lnexplorer.domain.measuring import WAITING, Measured
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.stopwatch import Stopwatch
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine.batches import Batch, batch_of, damage, row_without, rows_of_answer, why_not
from lnexplorer.engine.cluster import HOST_LOST, SEATS, Cluster, Member
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.sources import MOST_TOGETHER, Grid, Source, anything
from lnexplorer.engine.supervisor import Supervisor
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
    Superseded,
    WorkerLost,
    WorkerReady,
)
from lnkernels.launch.settings import problems_sentence
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Device
from lnkernels.values.sentence import ExplainedError, Sentence, verbatim

_log = logging.getLogger(__name__)

MOST_AHEAD = 16  # settings for each worker of a cluster, to compile ahead
How = Literal["finished", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class SweepStarted:
    """Workers are on their way up. `total` cells make the sweep, of which `kept` have a row from
    before.
    """

    total: int  # for a search: the most that it tries
    kept: int


@dataclass(frozen=True, slots=True)
class DeviceReady:
    """A worker has its device; "auto" is decided now."""

    device: str  # "cuda:0", "interpreter"; of a cluster "node7/cuda:0"
    facts: Device


@dataclass(frozen=True, slots=True)
class TurnAwaited:
    """A device waits until others have timed on it, and who has the turn; told again while that is
    so.
    """

    device: str
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class WorkerReplaced:
    """A worker ended, or was ended, and another one takes its place."""

    device: str
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """A device takes no more cells, and why. Its cells go to the others."""

    device: str
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class CellFinished:
    """A row, kept already where there is a place to keep it, and how far the sweep is."""

    result: CellResult
    done: int  # rows of before among them
    total: int
    remaining_seconds: float | None  # None until it can be told


@dataclass(frozen=True, slots=True)
class SweepPaused:
    """No more cells are handed out; those with a worker still end."""

    why: (
        Sentence | None
    )  # None where somebody asked for it, else why, such as that the disk is full


@dataclass(frozen=True, slots=True)
class SweepResumed:
    """It goes on."""


@dataclass(frozen=True, slots=True)
class SweepEnded:
    """The one end. "failed": there is no device left to go on with."""

    how: How
    sentence: Sentence | None  # why it failed, or why a search ends; else None
    wall_seconds: float  # from the start to the end, pauses left out
    timing_seconds: float  # of these, summed over devices: while a GPU was timing


SweepEvent: TypeAlias = (
    SweepStarted
    | DeviceReady
    | TurnAwaited
    | WorkerReplaced
    | DeviceLost
    | CellFinished
    | SweepPaused
    | SweepResumed
    | SweepEnded
)


class DeviceRunner:
    """One device: its worker, and the measurements that this has in hand. Used by one thread, to
    which `post` brings what the worker says.
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
        self.batches: dict[int, Batch] = {}  # in hand, by job
        self.lost = False  # no worker can be had any more
        self._seats = seats  # measurements that it has at once
        self._alone = False  # what it has in hand suffers no other beside it
        self._wish = device
        self._place = (
            place  # what stands before the name of the device: the host, where it is another one
        )
        self._supervisor = supervise(partial(hear, self), device=device)
        self._closer = threading.Thread(
            target=self._supervisor.close, name="runner-closer", daemon=True
        )

    @property
    def name(self) -> str:
        """The device as it is known so far: "cuda:0", "interpreter", or what was wished."""
        if self.facts is None:
            return self._place + self._wish
        name = "interpreter" if self.facts.index is None else f"cuda:{self.facts.index}"
        return read_machine(self._wish).named(name) if is_remote(self._wish) else self._place + name

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
        """Measure; the runner is idle, and gets nothing else meanwhile where that is to be alone."""
        self._alone = alone
        self.batches[self._supervisor.submit(batch.request)] = batch

    def hear(self, event: EngineEvent) -> tuple[Batch, Outcome] | None:
        """Take what the worker says; the measurement that ends by that, and how."""
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
        """Let the worker go, and do not wait for it; `join` does."""
        for job in self.batches:
            self._supervisor.cancel(job)
        self._closer.start()

    def join(self) -> None:
        """Wait until no process is left, which takes a bounded time."""
        self._closer.join()


class SweepRunner:
    """One sweep over a pool of workers, one for each device. No method waits, `join` apart; all may
    be called from any thread. What has no underscore only leaves word for the sweep's own thread,
    which does the rest.

    The workers belong to the sweep and are gone when `SweepEnded` is told. A cell that hangs or
    takes its worker with it costs its own row and nothing else.

    Args:
        sweep: one that `check_sweep` passes.
        on_event: hears every SweepEvent, on the sweep's thread; it must return quickly.
        devices: "auto", "cuda:N" …: one worker each.
        done: numbers of the cells that have a row from before and are not measured again.
        keep: keeps a row, before it is told, on the sweep's thread. Where it raises ExplainedError,
            the sweep pauses and says why; `resume` tries again, so that no row is lost.
        step_seconds: time for one step of a cell, such as its compilation; None takes what is
            usual.
        source: where cells come from, if not the grid of `sweep`.
        kernels: of one's own among the providers of `sweep`, with each setting that it tries of
            them.
        cluster: makes the Cluster whose Dask workers are the devices, each with the first of
            `devices`.
        command: the worker's program, if not this package's.
        deadlines: how long a worker may take to start, and to show a sign of life.
    """

    def __init__(
        self,
        sweep: SweepRequest,
        on_event: Callable[[SweepEvent], None],
        *,
        devices: Sequence[str] = ("auto",),
        done: Collection[int] = (),
        keep: Callable[[CellResult], None] = lambda _: None,
        step_seconds: float | None = None,
        source: Source | None = None,
        kernels: Sequence[KernelSource] = (),
        cluster: Callable[..., Cluster] | None = None,
        command: Sequence[str] | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._sweep = sweep
        self._kernels = kernels
        self._source = source or Grid(sweep, done)
        self._on_event = on_event
        self._keep = keep
        self._step_seconds = step_seconds
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        supervise = partial(Supervisor, command=command, deadlines=deadlines)
        self._runners: list[DeviceRunner] = []
        self._cluster: Cluster | None = None
        if cluster is None:
            self._runners = [
                DeviceRunner(device, supervise, self._post) for device in dict.fromkeys(devices)
            ]
        else:
            self._cluster = cluster(
                device=devices[0],
                on_member=lambda member: self._inbox.put(
                    partial(self._take_in, member, devices[0])
                ),
                on_refused=lambda place, reason: self._inbox.put(
                    partial(self._emit, DeviceLost(place, reason))
                ),
                on_over=lambda sentence: self._inbox.put(partial(self._end, "failed", sentence)),
                command=command,
                deadlines=deadlines,
            )
        self._hardware_of: dict[
            int | None, str
        ] = {}  # by N: settings of one N stay on like devices
        self._orphans: set[int] = (
            set()
        )  # cells that have lost a host; each is tried once more, alone
        self._told: set[str] = set()  # devices that are known to be ready
        self._paused = self._over = False
        self._unkept: list[CellResult] = []  # rows that could not be kept; they are tried again
        self._done = self._source.kept
        self._watch = Stopwatch()
        self._watch.start()
        self._ready_at: float | None = None  # when the first worker was ready, by that watch
        self._timing_seconds = 0.0
        self._last_loss: Sentence | None = None
        self._thread = threading.Thread(target=self._work, name="sweep", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def pause(self) -> None:
        """Hand out no more cells; those that are being measured still end."""
        self._inbox.put(self._pause)

    def resume(self) -> None:
        self._inbox.put(self._resume)

    def cancel(self) -> None:
        """End now. Rows so far are kept; the cells that are being measured have none."""
        self._inbox.put(lambda: self._end("cancelled", None))

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the end, and say whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _post(self, runner: DeviceRunner, event: EngineEvent) -> None:
        self._inbox.put(partial(self._hear, runner, event))

    def _work(self) -> None:
        try:
            self._begin()
            while not self._over:
                self._inbox.get()()
        except Exception as error:  # noqa: BLE001 - whatever it is, the workers are let go, and whoever waits hears of it
            _log.exception("the sweep failed")
            self._end("failed", verbatim(f"{type(error).__name__}: {error}"))

    def _emit(self, event: SweepEvent) -> None:
        try:
            self._on_event(event)
        except Exception:  # noqa: BLE001 - a listener's mistake must not take the sweep with it
            _log.exception("the listener failed on %s", type(event).__name__)

    def _begin(self) -> None:
        self._emit(SweepStarted(self._source.total, self._source.kept))
        if self._source.exhausted:
            self._end("finished", self._source.conclusion)
            return
        if self._cluster is not None:
            self._cluster.start()
            return
        # Compilers are there sooner than workers: they begin with what each runner will likely be
        # given.
        ahead = [cell.request for cell in self._source.ahead() if not cell.peer]
        for runner, share in zip(self._runners, shares(ahead, len(self._runners)), strict=True):
            runner.start(share)

    def _take_in(self, member: Member, device: str) -> None:
        """A Dask worker."""
        assert self._cluster is not None
        if self._over:
            return
        runner = DeviceRunner(device, member.supervise, self._post, member.place, SEATS)
        ahead = [
            cell.request
            for cell in self._source.ahead()[: MOST_AHEAD * self._cluster.size]
            if not cell.peer
        ]
        parts = shares(ahead, self._cluster.size)
        runner.start(parts[len(self._runners) % len(parts)])
        self._runners.append(runner)

    def _pause(self, why: Sentence | None = None) -> None:
        if not self._paused:
            self._paused = True
            self._emit(SweepPaused(why))
            self._stop_watch_when_idle()

    def _resume(self) -> None:
        if self._paused:
            self._paused = False
            self._watch.start()
            self._emit(SweepResumed())
            self._proceed()

    def _hear(self, runner: DeviceRunner, event: EngineEvent) -> None:
        ended = runner.hear(event)
        match event:
            case WorkerReady(device=device):
                self._ready_at = self._watch.seconds if self._ready_at is None else self._ready_at
                if (
                    self._cluster is None or runner.name not in self._told
                ):  # a cluster has many of one name
                    self._told.add(runner.name)
                    self._emit(DeviceReady(runner.name, device))
            case WorkerLost(sentence=sentence, restarting=True):
                self._emit(WorkerReplaced(runner.name, sentence))
                return
            case WorkerLost(sentence=sentence):
                self._last_loss = sentence
                self._emit(DeviceLost(runner.name, sentence))
            case JobProgress(step=Sentence() as step) if step.template == WAITING.template:
                self._emit(TurnAwaited(runner.name, step))
                return
            case _ if ended is None:
                return
        if ended is not None:
            self._unkept += self._rows(runner, *ended)
        if (
            self._cluster is not None
            and runner.lost
            and not runner.batches
            and runner in self._runners
        ):
            self._runners.remove(runner)
        if not self._source.learns:
            # Keeping rows takes milliseconds, in which the GPU has work already.
            self._hand_out()
        self._proceed()

    def _rows(self, runner: DeviceRunner, batch: Batch, outcome: Outcome) -> Sequence[CellResult]:
        """What became of cells; those that have no row come again, each by itself."""
        device = runner.facts
        assert device is not None, "it has had work"
        match outcome:
            case Finished(value=Measured() as measured):
                self._timing_seconds += measured.timing_seconds
                return rows_of_answer(batch, measured, runner.name, device)
            case Broken(phase="start"):  # not the fault of any cell
                runner.facts = None  # until a worker is ready, or none comes
                self._source.put_back(batch.cells)
            case Broken(phase=phase, sentence=sentence) if (
                phase == HOST_LOST
            ):  # each is tried once more, elsewhere
                twice = [cell for cell in batch.cells if cell.number in self._orphans]
                self._source.put_back(
                    [cell for cell in batch.cells if cell.number not in self._orphans]
                )
                self._orphans.update(cell.number for cell in batch.cells)
                return [
                    row_without(cell, "failed", sentence, runner.name, device) for cell in twice
                ]
            case Broken():
                rows, again = damage(batch, outcome, runner.name, device)
                self._source.put_back(again)
                return rows
            case Refused(problems=problems):
                reason = problems_sentence(problems)
                return [
                    row_without(cell, "invalid", reason, runner.name, device)
                    for cell in batch.cells
                ]
            case Stopped() | Superseded():
                self._source.put_back(batch.cells)
            case Finished():
                raise AssertionError(f"a measurement ended with {type(outcome.value).__name__}")
            case _:
                assert_never(outcome)
        return ()

    def _proceed(self) -> None:
        """Give every idle runner its next cells, or end."""
        self._keep_and_tell()
        self._hand_out()
        self._keep_and_tell()
        at_work = any(runner.batches for runner in self._runners)
        if self._source.exhausted and not at_work and not self._unkept:
            self._end("finished", self._source.conclusion)
        elif self._cluster is None and all(runner.lost for runner in self._runners) and not at_work:
            self._end("failed", self._last_loss)
        else:
            self._stop_watch_when_idle()

    def _hand_out(self) -> None:
        for runner in self._runners:
            while runner.idle and not self._paused and self._give(runner):
                pass

    def _give(self, runner: DeviceRunner) -> bool:
        """Hand out the next cells; whether there were any."""
        device = runner.facts
        assert device is not None, "it is idle"
        # Where many runners share few cells, each gets fewer at once, so that all end at about the
        # same time.
        fair = -(-len(self._source.ahead()) // (2 * len(self._runners)))
        taken = self._source.take(
            max(1, min(MOST_TOGETHER, fair)) if device.backend == "cuda" else 0, self._fits(runner)
        )
        self._hardware_of.update((cell.request.n, runner.hardware) for cell in taken)
        reasons = [(cell, why_not(cell, device)) for cell in taken]
        self._unkept += [
            row_without(cell, "invalid", reason, runner.name, device)
            for cell, reason in reasons
            if reason is not None
        ]
        possible = [cell for cell, reason in reasons if reason is None]
        if possible:
            alone = any(cell.number in self._orphans for cell in possible)
            batch = batch_of(
                possible, self._sweep, device.backend, self._step_seconds, self._kernels
            )
            runner.measure(batch, alone=alone)
        return bool(taken)

    def _fits(self, runner: DeviceRunner) -> Callable[[Cell], bool]:
        """Whether a cell is for a device: settings of one N, which are compared, stay on one kind
        while there is one. What has lost a host has the next one for itself, so that it alone is to
        blame if that is lost, too.
        """
        there = {
            other.hardware for other in self._runners if not other.lost and other.facts is not None
        }
        others = {
            n for n, kind in self._hardware_of.items() if kind != runner.hardware and kind in there
        }
        apart = self._orphans if runner.batches else ()
        if not others and not apart:
            return anything
        return lambda cell: cell.request.n not in others and cell.number not in apart

    def _keep_and_tell(self) -> None:
        """Keep rows and tell them; those that cannot be kept wait, and the sweep with them."""
        while self._unkept:
            try:
                self._keep(self._unkept[0])
            except ExplainedError as error:
                self._pause(error.sentence)
                return
            row = self._unkept.pop(0)
            self._done += 1
            self._source.tell(row)
            left, new = self._source.total - self._done, self._done - self._source.kept
            each = None if self._ready_at is None else (self._watch.seconds - self._ready_at) / new
            self._emit(
                CellFinished(
                    row, self._done, self._source.total, None if each is None else each * left
                )
            )

    def _stop_watch_when_idle(self) -> None:
        if self._paused and not any(runner.batches for runner in self._runners):
            self._watch.stop()

    def _end(self, how: How, sentence: Sentence | None) -> None:
        if self._over:
            return
        self._over = True
        self._watch.stop()
        for runner in self._runners:
            runner.close()
        for runner in self._runners:
            runner.join()
        if self._cluster is not None:
            self._cluster.close()
        self._emit(SweepEnded(how, sentence, self._watch.seconds, self._timing_seconds))


def shares(ahead: Sequence[RunRequest], runners: int) -> list[tuple[RunRequest, ...]]:
    """What each of so many runners compiles, in its order: about the batches that it will be given
    when all take turns.
    """
    turns = [place // MOST_TOGETHER % runners for place in range(len(ahead))]
    return [
        tuple(request for request, turn in zip(ahead, turns, strict=True) if turn == runner)
        for runner in range(runners)
    ]
