"""A sweep that runs by itself on a thread of its own, and tells a listener what happens."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, assert_never

from lnexplorer.domain.measuring import Measured, Spent
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine.batches import (
    Batch,
    batch_of,
    damage,
    invalid_row,
    measure_request,
    refused_rows,
    rows_of_answer,
    why_not,
)
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.pool import DeviceRunner, Work
from lnexplorer.engine.sources import MOST_TOGETHER, Grid, Source
from lnexplorer.protocol.messages import Broken, Finished, Outcome, Refused, Stopped, Superseded
from lnkernels.launch.settings import problems_sentence
from lnkernels.sentence import ExplainedError, Sentence, verbatim
from lnkernels.values.environment import Device

_log = logging.getLogger(__name__)

How = Literal["finished", "cancelled", "failed"]
# A worker that cannot start so often in a row will not start the next time either.
MOST_FAILED_STARTS = 3


@dataclass(frozen=True, slots=True)
class SweepStarted:
    """Workers are on their way up. `total` cells make the sweep, of which `kept` have a row from before."""

    total: int  # for a search: the most that it tries
    kept: int


@dataclass(frozen=True, slots=True)
class DeviceReady:
    """A worker has its device; "auto" is decided now."""

    device: str  # "cuda:0", "interpreter"
    facts: Device


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
class CellStarted:
    """A cell is with a worker. It may start again, when the worker was lost to another cell."""

    cell: Cell
    device: str


@dataclass(frozen=True, slots=True)
class CellFinished:
    """A row, kept already where there is a place to keep it."""

    result: CellResult


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """How far it is: after every row."""

    done: int  # rows of before among them
    total: int
    remaining_seconds: float | None  # None until it can be told


@dataclass(frozen=True, slots=True)
class SweepPaused:
    """No more cells are handed out; those with a worker still end."""

    why: Sentence | None  # None where somebody asked for it, else why, such as that the disk is full


@dataclass(frozen=True, slots=True)
class SweepResumed:
    """It goes on."""


@dataclass(frozen=True, slots=True)
class SweepEnded:
    """The one end. "failed": there is no device left to go on with."""

    how: Literal["finished", "cancelled", "failed"]
    sentence: Sentence | None  # why it failed, or why a search ends; else None
    wall_seconds: float  # from the start to the end, pauses left out
    timing_seconds: float  # of these, summed over devices: while a GPU was timing
    measuring_seconds: float = 0.0  # summed over devices: while a worker was at a measurement, timing and all the rest
    spent: Spent = field(default_factory=Spent)  # of these, what was not timing


SweepEvent: TypeAlias = (
    SweepStarted
    | DeviceReady
    | WorkerReplaced
    | DeviceLost
    | CellStarted
    | CellFinished
    | SweepProgress
    | SweepPaused
    | SweepResumed
    | SweepEnded
)


class Stopwatch:
    """Counts from `begin`, and not between `stop` and `go_on`."""

    def __init__(self) -> None:
        self._created = time.monotonic()
        self._began: float | None = None  # when the first worker was ready
        self._stopped: float | None = None
        self._paused = 0.0

    @property
    def began(self) -> bool:
        """Whether a worker was ready."""
        return self._began is not None

    @property
    def seconds(self) -> float:
        """Since it was made: what the user waits, the workers' start included."""
        return (self._stopped or time.monotonic()) - self._created - self._paused

    def begin(self) -> None:
        """Cells are handed out from now on."""
        self._began = time.monotonic()

    def stop(self) -> None:
        """Nothing is measured from now on."""
        if self._stopped is None:
            self._stopped = time.monotonic()

    def go_on(self) -> None:
        """It is again."""
        if self._stopped is not None:
            self._paused += time.monotonic() - self._stopped
            self._stopped = None

    def remaining(self, done: int, left: int) -> float | None:
        """Seconds that `left` cells will take if each takes as long as the `done` ones did; None without any."""
        if self._began is None or done < 1:
            return None
        elapsed = (self._stopped or time.monotonic()) - self._began - self._paused
        return elapsed / done * left


@dataclass(slots=True)
class _Held:
    """What a runner is at, and how its worker fares."""

    batch: Batch | None = None
    failed_starts: int = 0


class SweepController:
    """Everything about a running sweep but its thread."""

    def __init__(
        self,
        sweep: SweepRequest,
        source: Source,
        emit: Callable[[SweepEvent], None],
        keep: Callable[[CellResult], None],
        step_seconds: float | None,
    ) -> None:
        self.over = False
        self._sweep = sweep
        self._source = source
        self._emit = emit
        self._keep = keep
        self._step_seconds = step_seconds
        self._runners: dict[DeviceRunner, _Held] = {}
        self._paused = self._ending = False
        self._unkept: list[CellResult] = []  # rows that could not be kept; they are tried again
        self._done = source.kept
        self._watch = Stopwatch()
        self._timing_seconds = self._measuring_seconds = 0.0
        self._spent = Spent()
        self._last_loss: Sentence | None = None

    def start(self, runners: Sequence[DeviceRunner]) -> None:
        """Begin, with runners that are not started yet."""
        self._runners = {runner: _Held() for runner in runners}
        self._emit(SweepStarted(self._source.total, self._source.kept))
        if self._source.exhausted:
            self._end("finished", self._source.conclusion)
            return
        # Compilers are there sooner than workers: they begin with what each runner will likely be given.
        for runner, share in zip(runners, shares(self._ahead(), len(runners)), strict=True):
            runner.prepare(share)
            runner.start()

    def pause(self, why: Sentence | None = None) -> None:
        """Hand out no more cells."""
        if not self._paused and not self._ending:
            self._paused = True
            self._emit(SweepPaused(why))
            self._stop_watch_when_idle()

    def resume(self) -> None:
        """Go on."""
        if not self._paused or self._ending:
            return
        self._paused = False
        self._watch.go_on()
        self._emit(SweepResumed())
        self._keep_and_tell()
        self._proceed()

    def cancel(self) -> None:
        """End as soon as the workers let go; what is being measured has no row."""
        if not self._ending:
            self._end("cancelled", None)

    def fail(self, sentence: Sentence) -> None:
        """End at once, for a reason that is no device's."""
        if not self.over:
            self._end("failed", sentence)

    def runner_ready(self, runner: DeviceRunner) -> None:
        """As PoolListener says."""
        assert runner.facts is not None, "it is ready"
        if not self._watch.began:
            self._watch.begin()
        self._runners[runner].failed_starts = 0
        self._emit(DeviceReady(runner.name, runner.facts))
        # A worker does what it is told in order: what is to be compiled has to be known before the first measurement.
        self._prepare()
        self._proceed()

    def runner_replaced(self, runner: DeviceRunner, sentence: Sentence) -> None:
        """As PoolListener says."""
        if not self._ending:
            self._emit(WorkerReplaced(runner.name, sentence))

    def runner_lost(self, runner: DeviceRunner, sentence: Sentence) -> None:
        """As PoolListener says."""
        if self._ending:
            return
        self._last_loss = sentence
        self._emit(DeviceLost(runner.name, sentence))
        self._proceed()

    def runner_ended(self, runner: DeviceRunner, work: Work, outcome: Outcome) -> None:
        """As PoolListener says."""
        held = self._runners[runner]
        batch, held.batch = held.batch, None
        if self._ending or batch is None:
            return
        rows: Sequence[CellResult] = ()
        match outcome:
            case Finished(value=Measured() as measured):
                assert runner.facts is not None, "it has answered"
                self._timing_seconds += measured.timing_seconds
                self._measuring_seconds += measured.total_seconds
                self._spent += measured.spent
                rows = rows_of_answer(batch, measured, runner.name, runner.facts)
            case Broken():
                rows = self._broken(runner, held, batch, work, outcome)
            case Refused(problems=problems):
                assert runner.facts is not None, "it has answered"
                reason = problems_sentence(problems)
                rows = refused_rows(batch, reason, runner.name, runner.facts)
            case Stopped() | Superseded():
                self._source.put_back(batch.cells, alone=False)
            case Finished():
                raise AssertionError(f"a measurement ended with {type(outcome.value).__name__}")
            case _:
                assert_never(outcome)
        self._unkept += rows
        if not self._source.learns:
            # Keeping rows takes milliseconds, in which the GPU has work already.
            self._hand_out()
        self._keep_and_tell()
        self._proceed()

    def _broken(self, runner: DeviceRunner, held: _Held, batch: Batch, work: Work, outcome: Broken) -> Sequence[CellResult]:
        if outcome.phase == "start" or runner.facts is None:
            # Not the fault of any cell.
            self._source.put_back(batch.cells, alone=False)
            held.failed_starts += 1
            if held.failed_starts >= MOST_FAILED_STARTS and not runner.lost:
                runner.lost = True
                self.runner_lost(runner, outcome.sentence)
            return ()
        left = damage(batch, work, outcome, runner.name, runner.facts)
        self._source.put_back(left.again, alone=left.alone)
        return left.rows

    def _proceed(self) -> None:
        """Give every idle runner its next cells, or end."""
        if self._ending:
            return
        self._hand_out()
        self._keep_and_tell()
        at_work = any(held.batch is not None for held in self._runners.values())
        if self._source.exhausted and not at_work and not self._unkept:
            self._end("finished", self._source.conclusion)
        elif all(runner.lost for runner in self._runners) and not at_work:
            self._end("failed", self._last_loss)
        else:
            self._stop_watch_when_idle()

    def _hand_out(self) -> None:
        for runner in self._runners:
            while runner.idle and not self._paused and self._give(runner):
                pass

    def _give(self, runner: DeviceRunner) -> bool:
        """Hand out the next cells; whether there were any."""
        assert runner.facts is not None, "it is idle"
        on_gpu = runner.facts.backend == "cuda"
        # Where many runners share few cells, each gets fewer at once, so that all end at about the same time.
        fair = -(-len(self._source.ahead()) // (2 * len(self._runners)))
        taken = self._source.take(max(1, min(MOST_TOGETHER, fair)) if on_gpu else 0)
        if not taken:
            return False
        possible: list[Cell] = []
        for cell in taken:
            reason = why_not(cell, runner.facts)
            if reason is not None:
                self._unkept.append(invalid_row(cell, reason, runner.name, runner.facts))
            else:
                possible.append(cell)
        if possible:
            batch = batch_of(possible)
            self._runners[runner].batch = batch
            runner.measure(measure_request(self._sweep, batch, runner.facts.backend, self._step_seconds))
            for cell in possible:
                self._emit(CellStarted(cell, runner.name))
        return True

    def _prepare(self) -> None:
        """Let the runners compile what will come, each another part of it: they share one cache."""
        ready = [
            runner for runner in self._runners if not runner.lost and runner.facts is not None and runner.facts.backend == "cuda"
        ]
        for runner, share in zip(ready, shares(self._ahead(), len(ready)), strict=True):
            runner.prepare(share)

    def _ahead(self) -> list[RunRequest]:
        return [cell.request for cell in self._source.ahead() if not cell.peer]

    def _keep_and_tell(self) -> None:
        """Keep rows and tell them; those that cannot be kept wait, and the sweep with them."""
        while self._unkept and not self._ending:
            try:
                self._keep(self._unkept[0])
            except ExplainedError as error:
                self.pause(error.sentence)
                return
            row = self._unkept.pop(0)
            self._done += 1
            self._source.tell(row)
            self._emit(CellFinished(row))
            left = self._source.total - self._done
            new = self._done - self._source.kept
            self._emit(SweepProgress(self._done, self._source.total, self._watch.remaining(new, left)))

    def _stop_watch_when_idle(self) -> None:
        if self._paused and all(held.batch is None for held in self._runners.values()):
            self._watch.stop()

    def _end(self, how: How, sentence: Sentence | None) -> None:
        self._ending = True
        self._watch.stop()
        for runner in self._runners:
            runner.cancel()
            runner.close()
        for runner in self._runners:
            runner.join()
        self.over = True
        times = self._watch.seconds, self._timing_seconds, self._measuring_seconds
        self._emit(SweepEnded(how, sentence, *times, self._spent))


def shares(ahead: Sequence[RunRequest], runners: int) -> list[tuple[RunRequest, ...]]:
    """What each of so many runners compiles, in its order: about the batches that it will be given when all take turns."""
    turns = [place // MOST_TOGETHER % max(runners, 1) for place in range(len(ahead))]
    return [tuple(request for request, turn in zip(ahead, turns, strict=True) if turn == runner) for runner in range(runners)]


def _keep_nothing(_: CellResult) -> None:
    """Rows are only told."""


class SweepRunner:
    """One sweep over a pool of workers, one for each device. No method waits, `join` apart; all may be called from any
    thread.

    The workers belong to the sweep and are gone when `SweepEnded` is told. A cell that hangs or takes its worker with
    it costs its own row and nothing else.

    Args: sweep: one that `check_sweep` passes. on_event: hears every SweepEvent, on the sweep's thread; it must return
        quickly. devices: "auto", "cuda:N" …: one worker each. done: numbers of the cells that have a row from before
        and are not measured again. keep: keeps a row, before it is told, on the sweep's thread. Where it raises
        ExplainedError, the sweep pauses and says
            why; `resume` tries again, so that no row is lost.
        step_seconds: time for one step of a cell, such as its compilation; None takes what is usual.
        source: where cells come from, if not the grid of `sweep`.
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
        keep: Callable[[CellResult], None] = _keep_nothing,
        step_seconds: float | None = None,
        source: Source | None = None,
        command: Sequence[str] | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._on_event = on_event
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._controller = SweepController(sweep, source or Grid(sweep, done), self._emit, keep, step_seconds)
        self._runners = [
            DeviceRunner(device, self._controller, self._inbox.put, command, deadlines) for device in dict.fromkeys(devices)
        ]
        self._thread = threading.Thread(target=self._work, name="sweep", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def pause(self) -> None:
        """Hand out no more cells; those that are being measured still end."""
        self._inbox.put(self._controller.pause)

    def resume(self) -> None:
        """Go on after a pause."""
        self._inbox.put(self._controller.resume)

    def cancel(self) -> None:
        """End now. Rows so far are kept; the cells that are being measured have none."""
        self._inbox.put(self._controller.cancel)

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the end, and say whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        controller = self._controller
        try:
            controller.start(self._runners)
            while not controller.over:
                self._inbox.get()()
        except Exception as error:  # noqa: BLE001 - see below
            # Whatever it is, the workers are let go, and whoever waits hears of the end.
            _log.exception("the sweep failed")
            controller.fail(verbatim(f"{type(error).__name__}: {error}"))

    def _emit(self, event: SweepEvent) -> None:
        try:
            self._on_event(event)
        except Exception:  # noqa: BLE001 - a listener's mistake must not take the sweep with it
            _log.exception("the listener failed on %s", type(event).__name__)
