"""The conduct of a sweep: which lane gets which cells, what becomes of their answers, and when it ends. Used by one thread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from lnexplorer.domain.measuring import Measured, Spent
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.engine.events import Broken, Finished, Outcome, Refused, Stopped, Superseded
from lnexplorer.engine.pool import Lane, Work
from lnexplorer.engine.sweep import events
from lnexplorer.engine.sweep.batches import (
    Batch,
    batch_of,
    damage,
    invalid_row,
    measure_request,
    refused_rows,
    rows_of_answer,
    why_not,
)
from lnexplorer.engine.sweep.sources import MOST_TOGETHER, Source
from lnexplorer.engine.sweep.stopwatch import Stopwatch
from lnkernels.sentence import ExplainedError

How = Literal["finished", "cancelled", "failed"]
# A worker that cannot start so often in a row will not start the next time either.
MOST_FAILED_STARTS = 3


@dataclass(slots=True)
class _Held:
    """What a lane is at, and how its worker fares."""

    batch: Batch | None = None
    failed_starts: int = 0


class Conduct:
    """Everything about a running sweep but its thread."""

    def __init__(
        self,
        sweep: SweepRequest,
        source: Source,
        emit: Callable[[events.SweepEvent], None],
        keep: Callable[[CellResult], None],
        step_seconds: float | None,
    ) -> None:
        self.over = False
        self._sweep = sweep
        self._source = source
        self._emit = emit
        self._keep = keep
        self._step_seconds = step_seconds
        self._lanes: dict[Lane, _Held] = {}
        self._paused = self._ending = False
        self._unkept: list[CellResult] = []  # rows that could not be kept; they are tried again
        self._done = source.kept
        self._watch = Stopwatch()
        self._timing_seconds = self._measuring_seconds = 0.0
        self._spent = Spent()
        self._last_loss = ""

    def start(self, lanes: Sequence[Lane]) -> None:
        """Begin, with lanes that are not started yet."""
        self._lanes = {lane: _Held() for lane in lanes}
        self._emit(events.SweepStarted(self._source.total, self._source.kept))
        if self._source.exhausted:
            self._end("finished", self._source.conclusion)
            return
        # Compilers are there sooner than workers: they begin with what each lane will likely be given.
        for lane, share in zip(lanes, shares(self._ahead(), len(lanes)), strict=True):
            lane.prepare(share)
            lane.start()

    def pause(self, why: str = "") -> None:
        """Hand out no more cells."""
        if not self._paused and not self._ending:
            self._paused = True
            self._emit(events.SweepPaused(why))
            self._stop_watch_when_idle()

    def resume(self) -> None:
        """Go on."""
        if not self._paused or self._ending:
            return
        self._paused = False
        self._watch.go_on()
        self._emit(events.SweepResumed())
        self._keep_and_tell()
        self._proceed()

    def cancel(self) -> None:
        """End as soon as the workers let go; what is being measured has no row."""
        if not self._ending:
            self._end("cancelled", "")

    def fail(self, sentence: str) -> None:
        """End at once, for a reason that is no device's."""
        if not self.over:
            self._end("failed", sentence)

    def seconds_to_look(self) -> float | None:
        """Time until `look` has something to do."""
        return min((seconds for lane in self._lanes if (seconds := lane.seconds_to_stuck()) is not None), default=None)

    def look(self) -> None:
        """Do what is due."""
        for lane in self._lanes:
            lane.look()

    def lane_ready(self, lane: Lane) -> None:
        """As LaneListener says."""
        assert lane.facts is not None, "it is ready"
        if not self._watch.began:
            self._watch.begin()
        self._lanes[lane].failed_starts = 0
        self._emit(events.DeviceReady(lane.name, lane.facts))
        # A worker does what it is told in order: what is to be compiled has to be known before the first measurement.
        self._prepare()
        self._proceed()

    def lane_replaced(self, lane: Lane, sentence: str) -> None:
        """As LaneListener says."""
        if not self._ending:
            self._emit(events.WorkerReplaced(lane.name, sentence))

    def lane_lost(self, lane: Lane, sentence: str) -> None:
        """As LaneListener says."""
        if self._ending:
            return
        self._last_loss = sentence
        self._emit(events.DeviceLost(lane.name, sentence))
        self._proceed()

    def lane_ended(self, lane: Lane, work: Work, outcome: Outcome) -> None:
        """As LaneListener says."""
        held = self._lanes[lane]
        batch, held.batch = held.batch, None
        if self._ending or batch is None:
            return
        rows: Sequence[CellResult] = ()
        match outcome:
            case Finished(value=Measured() as measured):
                assert lane.facts is not None, "it has answered"
                self._timing_seconds += measured.timing_seconds
                self._measuring_seconds += measured.total_seconds
                self._spent += measured.spent
                rows = rows_of_answer(batch, measured, lane.name, lane.facts)
            case Broken():
                rows = self._broken(lane, held, batch, work, outcome)
            case Refused(problems=problems):
                assert lane.facts is not None, "it has answered"
                reason = "; ".join(map(str, problems))
                rows = refused_rows(batch, reason, lane.name, lane.facts)
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

    def _broken(self, lane: Lane, held: _Held, batch: Batch, work: Work, outcome: Broken) -> Sequence[CellResult]:
        if outcome.phase == "start" or lane.facts is None:
            # Not the fault of any cell.
            self._source.put_back(batch.cells, alone=False)
            held.failed_starts += 1
            if held.failed_starts >= MOST_FAILED_STARTS and not lane.lost:
                lane.lost = True
                self.lane_lost(lane, outcome.sentence)
            return ()
        left = damage(batch, work, outcome, lane.name, lane.facts)
        self._source.put_back(left.again, alone=left.alone)
        return left.rows

    def _proceed(self) -> None:
        """Give every idle lane its next cells, or end."""
        if self._ending:
            return
        self._hand_out()
        self._keep_and_tell()
        at_work = any(held.batch is not None for held in self._lanes.values())
        if self._source.exhausted and not at_work and not self._unkept:
            self._end("finished", self._source.conclusion)
        elif all(lane.lost for lane in self._lanes) and not at_work:
            self._end("failed", self._last_loss)
        else:
            self._stop_watch_when_idle()

    def _hand_out(self) -> None:
        for lane in self._lanes:
            while lane.idle and not self._paused and self._give(lane):
                pass

    def _give(self, lane: Lane) -> bool:
        """Hand out the next cells; whether there were any."""
        assert lane.facts is not None, "it is idle"
        on_gpu = lane.facts.backend == "cuda"
        # Where many lanes share few cells, each gets fewer at once, so that all end at about the same time.
        fair = -(-len(self._source.ahead()) // (2 * len(self._lanes)))
        taken = self._source.take(max(1, min(MOST_TOGETHER, fair)) if on_gpu else 0)
        if not taken:
            return False
        possible: list[Cell] = []
        for cell in taken:
            reason = why_not(cell, lane.facts)
            if reason:
                self._unkept.append(invalid_row(cell, reason, lane.name, lane.facts))
            else:
                possible.append(cell)
        if possible:
            batch = batch_of(possible)
            self._lanes[lane].batch = batch
            lane.measure(measure_request(self._sweep, batch, lane.facts.backend, self._step_seconds))
            for cell in possible:
                self._emit(events.CellStarted(cell, lane.name))
        return True

    def _prepare(self) -> None:
        """Let the lanes compile what will come, each another part of it: they share one cache."""
        ready = [lane for lane in self._lanes if not lane.lost and lane.facts is not None and lane.facts.backend == "cuda"]
        for lane, share in zip(ready, shares(self._ahead(), len(ready)), strict=True):
            lane.prepare(share)

    def _ahead(self) -> list[RunRequest]:
        return [cell.request for cell in self._source.ahead() if not cell.peer]

    def _keep_and_tell(self) -> None:
        """Keep rows and tell them; those that cannot be kept wait, and the sweep with them."""
        while self._unkept and not self._ending:
            try:
                self._keep(self._unkept[0])
            except ExplainedError as error:
                self.pause(str(error))
                return
            row = self._unkept.pop(0)
            self._done += 1
            self._source.tell(row)
            self._emit(events.CellFinished(row))
            left = self._source.total - self._done
            new = self._done - self._source.kept
            self._emit(events.SweepProgress(self._done, self._source.total, self._watch.remaining(new, left)))

    def _stop_watch_when_idle(self) -> None:
        if self._paused and all(held.batch is None for held in self._lanes.values()):
            self._watch.stop()

    def _end(self, how: How, sentence: str) -> None:
        self._ending = True
        self._watch.stop()
        for lane in self._lanes:
            lane.cancel()
            lane.close()
        for lane in self._lanes:
            lane.join()
        self.over = True
        times = self._watch.seconds, self._timing_seconds, self._measuring_seconds
        self._emit(events.SweepEnded(how, sentence, *times, self._spent))


def shares(ahead: Sequence[RunRequest], lanes: int) -> list[tuple[RunRequest, ...]]:
    """What each of so many lanes compiles, in its order: about the batches that it will be given when all take turns."""
    turns = [place // MOST_TOGETHER % max(lanes, 1) for place in range(len(ahead))]
    return [tuple(request for request, turn in zip(ahead, turns, strict=True) if turn == lane) for lane in range(lanes)]
