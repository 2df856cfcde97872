"""Runs jobs in a worker process that may hang, crash or die, and tells a listener how each ended.

`run_in_turn` does jobs for a caller that waits: the command line.
"""

import itertools
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from lnexplorer.domain.jobs import JobRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.ending import Cause
from lnexplorer.engine.job_line import Job, JobLine
from lnexplorer.engine.pipes import Spawned
from lnexplorer.engine.process import Report
from lnexplorer.engine.spawn import spawn_worker
from lnexplorer.engine.supervised import ABANDON_SECONDS, SupervisedWorker, WorkerGone, own_kernels
from lnexplorer.protocol.messages import (
    Broken,
    EngineEvent,
    Finished,
    JobEnded,
    JobPart,
    JobProgress,
    JobStarted,
    Outcome,
    Prepare,
    Stopped,
    WorkerLost,
    WorkerReady,
    WorkerStarting,
)
from lnkernels.values import ExplainedError, say

_log = logging.getLogger(__name__)

# A worker that is lost so often in a row, without a finished job, is started again by the next
# request only.
MOST_LOSSES = 3
# A line that drops so often without a finished job between is not taken up again by itself.
MOST_DROPS = 3


class Supervisor:
    """Hands jobs to one worker at a time, and replaces it when it is lost.

    No method waits for the worker, `close` apart; all may be called from any thread. What has no
    underscore only leaves a call for the supervisor's own thread, which does the rest.

    A newer run or trace takes the place of an older one, whether that waits or runs; an inspection
    or a touch that of one that waits. Measurements and experiments are done in the order in which
    they came, each to its end; whatever is looked at goes before those that wait. Every job has
    exactly one `JobEnded`.

    Args:
        on_event: hears everything, on the supervisor's thread; it must return quickly.
        device: "auto", "cuda:N", "interpreter", "interpreter:sm_80", or "ssh://host/cuda:1".
        command: the worker's program and first arguments, if not this package's worker.
        deadlines: how long the worker may take for what.
        spawned: a worker that `spawn_worker` has started for this device already.
    """

    def __init__(
        self,
        on_event: Callable[[EngineEvent], None],
        *,
        device: str = "auto",
        command: Sequence[str] | None = None,
        deadlines: Deadlines | None = None,
        spawned: Spawned | None = None,
    ) -> None:
        self._on_event = on_event
        self._deadlines = deadlines or Deadlines()
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._thread = threading.Thread(target=self._work, name="supervisor", daemon=True)
        self._closed = False  # no more is taken
        # The rest is for the supervisor's thread alone.
        self._device = device
        self._command = command
        self._line = JobLine()
        self._worker: SupervisedWorker | None = None
        self._losses = 0  # of workers, since a job was last asked for or answered
        self._drops = 0  # of the line to another machine, since a job was answered
        self._closing = False
        self._ahead: Prepare | None = None  # what any worker is to compile ahead
        # Before whatever is asked for before `start`.
        self._inbox.put(partial(self._start_worker, spawned))

    def start(self) -> None:
        """Start the worker, so that it is ready when the first job comes."""
        self._thread.start()

    def submit(self, request: JobRequest) -> int:
        """Have a job done; return its number."""
        if self._closed:
            raise RuntimeError("the supervisor is closed")
        job = Job(next(self._numbers), request)
        self._inbox.put(partial(self._submit, job))
        return job.number

    def prepare(self, requests: Sequence[RunRequest]) -> None:
        """Have settings compiled ahead, the first first, in processes beside the worker; what was
        asked for before is forgotten.

        No job, and without an end. A worker that takes the place of a lost one gets the same again.
        """
        self._inbox.put(partial(self._prepare, Prepare(tuple(requests))))

    def cancel(self, job: int, *, patiently: bool = False) -> None:
        """End one job, whether it runs or waits, and no other.

        Args:
            job: its number.
            patiently: give the worker as long to leave it as where a newer job takes its place,
                for a caller that submits another one next.
        """
        grace = self._deadlines.superseded_grace if patiently else self._deadlines.grace
        self._inbox.put(lambda: self._end_jobs(self._line.end_one(job, Stopped()), grace))

    def stop(self) -> None:
        """End what runs or waits. A worker that does not leave its job within the grace is ended
        and replaced.
        """
        self._inbox.put(
            lambda: self._end_jobs(self._line.end_all(Stopped()), self._deadlines.grace)
        )

    def restart(self, device: str) -> None:
        """Replace the worker by one for another device. What runs or waits is stopped."""
        self._inbox.put(partial(self._restart, device))

    def close(self) -> None:
        """End everything; when this returns, after a bounded time, no process is left.

        What runs or waits is stopped.
        """
        self._closed = True
        self._inbox.put(self._close)
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(2 * self._deadlines.grace + 2 * ABANDON_SECONDS)

    def _work(self) -> None:
        while not (self._closing and self._worker is None):
            worker = self._worker
            timeout = None if worker is None else worker.alarms.seconds_to_next()
            try:
                self._inbox.get(timeout=timeout)()
            except queue.Empty:
                if worker is not None and (gone := worker.ring()) is not None:
                    self._gone(gone)

    def _emit(self, *events: EngineEvent) -> None:
        for event in events:
            try:
                self._on_event(event)
            except Exception:  # noqa: BLE001 - a listener's mistake must not end the supervision
                _log.exception("the listener failed on %s", type(event).__name__)

    def _submit(self, job: Job) -> None:
        if self._closing:
            self._emit(JobEnded(job.number, Stopped()))
            return
        self._end_jobs(self._line.add(job), self._deadlines.superseded_grace)
        self._losses = 0
        if self._worker is None:
            self._start_worker()
        self._proceed()

    def _prepare(self, command: Prepare) -> None:
        self._ahead = command
        if self._worker is not None:
            self._worker.prepare(command)

    def _restart(self, device: str) -> None:
        self._device = device
        self._losses = 0
        self._drops = 0
        self._replace()
        if self._worker is None:
            self._start_worker()

    def _close(self) -> None:
        self._closing = True
        self._replace()

    def _replace(self) -> None:
        self._emit(*self._line.end_all(Stopped()))
        if self._worker is not None:
            self._worker.leave(
                Cause.REPLACED, say("The worker was replaced by one for another device.")
            )

    def _start_worker(self, spawned: Spawned | None = None) -> None:
        self._emit(WorkerStarting())
        try:
            spawned = spawned or spawn_worker(self._device, self._command)
        except (OSError, ImportError) as error:
            sentence = (
                error.sentence
                if isinstance(error, ExplainedError)
                else say("The worker process cannot be started: {error}.", error=str(error))
            )
            self._emit(*self._line.end_waiting(Broken("start", sentence, "")))
            self._emit(WorkerLost(sentence, "", restarting=False))
            return
        self._worker = SupervisedWorker(
            spawned,
            lambda worker, report: self._inbox.put(partial(self._hear, worker, report)),
            self._deadlines,
        )
        if self._ahead is not None:
            self._worker.prepare(self._ahead)  # its compilers come up sooner than it does

    def _proceed(self) -> None:
        """Give the worker its next job, if it can take one."""
        worker = self._worker
        if worker is None or not worker.takes_jobs or self._line.held is not None:
            return
        job = self._line.take()
        if job is not None:
            worker.begin(job)
            self._emit(JobStarted(job.number))

    def _end_jobs(self, ends: list[JobEnded], grace: float) -> None:
        """Report that jobs have ended, and have the worker leave the one that it holds of them."""
        self._emit(*ends)
        if self._worker is not None and self._line.held is not None and self._line.ended:
            self._worker.cancel(grace)

    def _hear(self, worker: SupervisedWorker, report: Report) -> None:
        """Take a report of a worker; those of former ones are dropped."""
        if worker is not self._worker:
            return
        match worker.hear(report):
            case WorkerGone() as gone:
                self._gone(gone)
            case WorkerReady() as ready:
                self._emit(ready)
                self._proceed()
            case JobProgress() | JobPart() as event if self._line.running is not None:
                self._emit(event)
            case JobEnded(outcome=outcome):
                self._answered(worker, outcome)

    def _answered(self, worker: SupervisedWorker, outcome: Outcome) -> None:
        job = self._line.held
        printed = worker.process.printed if job and own_kernels(job.request) else ""
        self._emit(*(replace(end, printed=printed) for end in self._line.end_running(outcome)))
        if worker.leaving:  # its device is lost
            return
        self._losses = 0
        self._drops = 0
        self._line.release()
        self._proceed()

    def _gone(self, gone: WorkerGone) -> None:
        self._worker = None
        if gone.cause is Cause.REPLACED:
            self._line.release()
            if not self._closing:
                self._start_worker()
            return
        broken = gone.broken
        self._losses += 1
        self._drops += broken.line_dropped
        # What never began is begun in the next worker, once.
        again = self._losses == 1 and gone.cause not in {Cause.SLOW, Cause.UNUSABLE}
        if again and not gone.started:
            self._line.put_back()
        self._emit(*self._line.end_running(broken))
        self._line.release()
        if broken.phase == "start" and not again:
            self._emit(*self._line.end_waiting(broken))
        restarting = self._may_restart(gone.cause)
        self._emit(WorkerLost(broken.sentence, broken.detail, restarting))
        if restarting:
            self._start_worker()
        else:
            self._emit(*self._line.end_waiting(broken))

    def _may_restart(self, cause: Cause | None) -> bool:
        """Return whether another worker is worth a try."""
        if self._closing or cause is Cause.UNUSABLE or self._drops > MOST_DROPS:
            return False
        return bool(self._line.waiting) or cause is Cause.STUBBORN or self._losses <= MOST_LOSSES


def run_in_turn(
    requests: Sequence[JobRequest],
    device: str = "auto",
    on_event: Callable[[EngineEvent], object] = lambda _: None,
) -> list[Outcome]:
    """Do jobs one after the other in one worker, up to the first that does not finish."""
    outcomes: list[Outcome] = []
    with WorkerInTurn(device, on_event) as worker:
        for request in requests:
            outcomes.append(worker.do(request))
            if not isinstance(outcomes[-1], Finished):
                break
    return outcomes


class WorkerInTurn:
    """A worker for a caller that waits for each job: it starts with the first one, another comes
    where it is lost, and is gone at the end of the block.
    """

    def __init__(
        self, device: str, on_event: Callable[[EngineEvent], object] = lambda _: None
    ) -> None:
        self._device = device
        self._on_event = on_event
        self._events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        self._supervisor: Supervisor | None = None

    def __enter__(self) -> "WorkerInTurn":
        return self

    def __exit__(self, *_: object) -> None:
        if self._supervisor is not None:
            self._supervisor.close()

    def do(self, request: JobRequest) -> Outcome:
        """Do a job to its end."""
        if self._supervisor is None:
            self._supervisor = Supervisor(self._events.put, device=self._device)
            self._supervisor.start()
        job = self._supervisor.submit(request)
        while True:
            event = self._events.get()
            self._on_event(event)
            if isinstance(event, JobEnded) and event.job == job:
                return event.outcome
