"""A sweep that runs by itself on a thread of its own, and reports to a listener."""

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import assert_never

from lnexplorer.domain.measuring import WAITING, Measured
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.stopwatch import Stopwatch
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.engine.batches import Batch, batch_of, damage, row_without, rows_of_answer, why_not
from lnexplorer.engine.cluster import HOST_LOST, SEATS, Cluster, Member
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.pool import DevicePool, DeviceRunner
from lnexplorer.engine.sources import MOST_TOGETHER, Source
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.engine.sweep_events import (
    BatchMeasured,
    CellFinished,
    DeviceLost,
    DeviceReady,
    How,
    SweepEnded,
    SweepEvent,
    SweepPaused,
    SweepResumed,
    SweepStarted,
    TurnAwaited,
    WorkerReplaced,
)
from lnexplorer.protocol.messages import (
    Broken,
    EngineEvent,
    Finished,
    JobProgress,
    Outcome,
    Refused,
    Stopped,
    Superseded,
    WorkerLost,
    WorkerReady,
)
from lnkernels.launch.settings import problems_sentence
from lnkernels.values import ExplainedError, Sentence, verbatim

_log = logging.getLogger(__name__)

MOST_AHEAD = 16  # settings for each worker of a cluster, to compile ahead


class SweepRunner:
    """Measures the cells of a source on a pool of workers, one for each device.

    No method waits but `join`, and all may be called from any thread: they post to the sweep's own
    thread, which does the work. The workers belong to the sweep and are gone when `SweepEnded` is
    reported. A cell that hangs or takes its worker with it costs its own row and nothing else.

    Args:
        make_source: makes what proposes the cells, on the sweep's thread. If it raises
            ExplainedError, the sweep ends without having started.
        on_event: gets every SweepEvent, on the sweep's thread; it must return quickly.
        devices: "auto", "cuda:N" …: one worker each.
        keep: keeps a row before it is reported, on the sweep's thread. If it raises ExplainedError,
            the sweep pauses and says why; `resume` tries again, so that no row is lost.
        step_seconds: time limit for one step of a cell, such as its compilation.
        cluster: address of a Dask scheduler whose workers are the devices, each with the first of
            `devices`.
        command: the worker's program, if not this package's.
        deadlines: how long a worker may take to start, and to show a sign of life.
    """

    def __init__(
        self,
        make_source: Callable[[], Source],
        on_event: Callable[[SweepEvent], None],
        *,
        devices: Sequence[str] = ("auto",),
        keep: Callable[[CellResult], None] = lambda _: None,
        step_seconds: float | None = None,
        cluster: str | None = None,
        command: Sequence[str] | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._make_source = make_source
        self._on_event = on_event
        self._keep = keep
        self._step_seconds = step_seconds
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._pool = DevicePool()
        self._cluster: Cluster | None = None
        if cluster is None:
            supervise = partial(Supervisor, command=command, deadlines=deadlines)
            self._pool.runners = [
                DeviceRunner(device, supervise, self._post_event)
                for device in dict.fromkeys(devices)
            ]
        else:
            self._cluster = Cluster(
                cluster,
                device=devices[0],
                on_member=lambda member: self._post(self._add_member, member, devices[0]),
                on_refused=lambda place, why: self._post(self._emit, DeviceLost(place, why)),
                on_over=lambda why: self._post(self._end, "failed", why),
                command=command,
                deadlines=deadlines,
            )
        self._reported: set[str] = set()  # devices that are known to be ready
        self._last_loss: Sentence | None = None
        self._paused = False
        self._cancelled = False
        self._over = False
        self._unkept: list[CellResult] = []  # rows that are yet to be kept
        self._done = 0  # rows, including those from before
        self._watch = Stopwatch()
        self._watch.start()
        self._ready_at: float | None = None  # when the first worker was ready, by that watch
        self._timing_seconds = 0.0
        self._thread = threading.Thread(target=self._work, name="sweep", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def pause(self) -> None:
        """Hand out no more cells; those under way still end."""
        self._post(self._pause)

    def resume(self) -> None:
        self._post(self._resume)

    def cancel(self) -> None:
        """End now. Rows so far are kept; cells under way have none."""
        self._cancelled = True
        self._post(self._end, "cancelled", None)

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the end. Return whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _post(self, function: Callable[..., None], *arguments: object) -> None:
        self._inbox.put(partial(function, *arguments))

    def _post_event(self, runner: DeviceRunner, event: EngineEvent) -> None:
        self._post(self._on_engine_event, runner, event)

    def _work(self) -> None:
        try:
            self._source = self._make_source()
            self._begin()
            while not self._over:
                self._inbox.get()()
        except ExplainedError as error:
            self._end("failed", error.sentence)
        except Exception as error:  # noqa: BLE001
            # Whatever it is, the workers must end, and the listener must hear of it.
            _log.exception("the sweep failed")
            self._end("failed", verbatim(f"{type(error).__name__}: {error}"))

    def _emit(self, event: SweepEvent) -> None:
        try:
            self._on_event(event)
        except Exception:  # noqa: BLE001 - a listener's mistake must not end the sweep
            _log.exception("the listener failed on %s", type(event).__name__)

    def _begin(self) -> None:
        if self._cancelled:
            self._end("cancelled", None)
            return
        self._done = self._source.kept
        self._emit(SweepStarted(self._source.total, self._done))
        if self._source.exhausted:
            self._end("finished", self._source.conclusion)
        elif self._cluster is not None:
            self._cluster.start()
        else:
            # Compilers are there sooner than workers: they begin with what each runner will likely
            # be given.
            runners = self._pool.runners
            for runner, share in zip(runners, self._shares(len(runners)), strict=True):
                runner.start(share)

    def _add_member(self, member: Member, device: str) -> None:
        """Add a Dask worker to the pool."""
        assert self._cluster is not None
        if self._over:
            return
        runner = DeviceRunner(device, member.supervise, self._post_event, member.place, SEATS)
        size = self._cluster.size
        parts = self._shares(size, MOST_AHEAD * size)
        runner.start(parts[len(self._pool.runners) % len(parts)])
        self._pool.runners.append(runner)

    def _shares(self, runners: int, most: int | None = None) -> list[tuple[RunRequest, ...]]:
        ahead = self._source.ahead()[:most]
        return shares([cell.request for cell in ahead if not cell.peer], runners)

    def _pause(self, why: Sentence | None = None) -> None:
        if not self._paused:
            self._paused = True
            self._watch.stop()
            self._emit(SweepPaused(why))

    def _resume(self) -> None:
        if self._paused:
            self._paused = False
            self._watch.start()
            self._emit(SweepResumed())
            self._proceed()

    def _on_engine_event(self, runner: DeviceRunner, event: EngineEvent) -> None:
        ended = runner.hear(event)
        match event:
            case WorkerReady(device=device):
                self._ready_at = self._watch.seconds if self._ready_at is None else self._ready_at
                self._source.begin(device)
                # Of a cluster many devices have one name.
                if self._cluster is None or runner.name not in self._reported:
                    self._reported.add(runner.name)
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
        runners = self._pool.runners
        if self._cluster is not None and runner.lost and not runner.batches and runner in runners:
            runners.remove(runner)
        if not self._source.learns:
            # Keeping rows takes milliseconds, in which the GPU has work already.
            self._hand_out()
        self._proceed()

    def _rows(self, runner: DeviceRunner, batch: Batch, outcome: Outcome) -> Sequence[CellResult]:
        """Return the rows of a batch that ended; cells without a row go back to the source."""
        device = runner.facts
        assert device is not None, "it has had work"
        match outcome:
            case Finished(value=Measured() as measured):
                self._timing_seconds += measured.timing_seconds
                self._emit(BatchMeasured(measured))
                return rows_of_answer(batch, measured, runner.name, device)
            case Broken(phase="start"):  # not the fault of any cell
                runner.facts = None  # until a worker is ready, or none comes
                self._source.put_back(batch.cells)
            case Broken(phase=phase, sentence=sentence) if phase == HOST_LOST:
                again, twice = self._pool.lose_host(batch.cells)
                self._source.put_back(again)
                return [
                    row_without(cell, "failed", sentence, runner.name, device) for cell in twice
                ]
            case Broken():
                rows, again = damage(batch, outcome, runner.name, device)
                self._source.put_back(again, alone=batch.at_fault is None)
                return rows
            case Refused(problems=problems):
                why = problems_sentence(problems)
                return [
                    row_without(cell, "invalid", why, runner.name, device) for cell in batch.cells
                ]
            case Stopped() | Superseded():
                self._source.put_back(batch.cells)
            case Finished():
                raise AssertionError(f"a measurement ended with {type(outcome.value).__name__}")
            case _:
                assert_never(outcome)
        return ()

    def _proceed(self) -> None:
        """Give every idle device its next cells, or end."""
        self._keep_rows()
        self._hand_out()
        self._keep_rows()
        busy, runners = self._pool.busy, self._pool.runners
        if self._source.exhausted and not busy and not self._unkept:
            self._end("finished", self._source.conclusion)
        elif self._cluster is None and not busy and all(runner.lost for runner in runners):
            self._end("failed", self._last_loss)

    def _hand_out(self) -> None:
        for runner in self._pool.runners:
            while runner.idle and not self._paused and self._give(runner):
                pass

    def _give(self, runner: DeviceRunner) -> bool:
        """Hand out the next cells. Return whether there were any."""
        device = runner.facts
        assert device is not None, "it is idle"
        # Where many devices share few cells, each gets fewer at once, so that all end at about the
        # same time.
        fair = -(-len(self._source.ahead()) // (2 * len(self._pool.runners)))
        most = max(1, min(MOST_TOGETHER, fair)) if device.backend == "cuda" else 0
        taken = self._source.take(most, self._pool.fits(runner))
        self._pool.assign(runner, taken)
        possible = []
        for cell in taken:
            if (why := why_not(cell, device)) is None:
                possible.append(cell)
            else:
                self._unkept.append(row_without(cell, "invalid", why, runner.name, device))
        if possible:
            batch = batch_of(possible, self._source, device.backend, self._step_seconds)
            runner.measure(batch, alone=self._pool.needs_device_alone(possible))
        return bool(taken)

    def _keep_rows(self) -> None:
        """Keep and report rows; those that cannot be kept wait, and the sweep with them."""
        while self._unkept:
            try:
                self._keep(self._unkept[0])
            except ExplainedError as error:
                self._pause(error.sentence)
                return
            row = self._unkept.pop(0)
            self._done += 1
            self._source.tell(row)
            total, new = self._source.total, self._done - self._source.kept
            remaining = None
            if self._ready_at is not None:
                remaining = (self._watch.seconds - self._ready_at) / new * (total - self._done)
            self._emit(CellFinished(row, self._done, total, remaining))

    def _end(self, how: How, sentence: Sentence | None) -> None:
        if self._over:
            return
        self._over = True
        self._watch.stop()
        self._pool.close()
        if self._cluster is not None:
            self._cluster.close()
        self._emit(SweepEnded(how, sentence, self._watch.seconds, self._timing_seconds))


def shares(ahead: Sequence[RunRequest], runners: int) -> list[tuple[RunRequest, ...]]:
    """Return what each device compiles ahead: about the batches that it will be given in turn."""
    turns = [place // MOST_TOGETHER % runners for place in range(len(ahead))]
    return [
        tuple(request for request, turn in zip(ahead, turns, strict=True) if turn == runner)
        for runner in range(runners)
    ]
