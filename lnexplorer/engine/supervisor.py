"""Runs jobs in a worker process that may hang, crash or die, and tells a listener how each of them ended.

`run_to_end` does one job for a caller that waits: the command line.
"""

import itertools
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from functools import partial

from lnexplorer.domain.jobs import JobRequest, RunJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.manager import ABANDON_SECONDS, Job, Manager
from lnexplorer.engine.process import Report, WorkerProcess
from lnexplorer.engine.spawn import Spawned
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, Outcome, Prepare, Refused
from lnkernels.sentence import Sentence, say, verbatim

_log = logging.getLogger(__name__)


class Supervisor:
    """One worker process and the jobs for it. No method waits for the worker, `close` apart; all may be called from any
    thread.

    A newer run or trace takes the place of an older one, whether that waits or runs; an inspection or a touch that of
    one that waits. Measurements and experiments are done in the order in which they came, each to its end; whatever is
    looked at goes before those that wait. Every job has exactly one `JobEnded`.

    Args:
        on_event: hears everything, on a thread of the supervisor; it must return quickly.
        device: "auto", "cuda:N", "interpreter" or "interpreter:sm_80".
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
        self._manager = Manager(self._emit, self._deliver, device, command, self._deadlines)
        self._thread = threading.Thread(target=self._work, name="supervisor", daemon=True)
        self._closed = False
        # First of all, whatever is asked for before `start`.
        self._inbox.put(partial(self._manager.start, spawned))

    def start(self) -> None:
        """Start the worker, so that it is ready when the first job comes."""
        self._thread.start()

    def submit(self, request: JobRequest) -> int:
        """Have a job done; its number."""
        if self._closed:
            raise RuntimeError("the supervisor is closed")
        job = Job(next(self._numbers), request)
        self._inbox.put(partial(self._manager.submit, job))
        return job.number

    def prepare(self, requests: Sequence[RunRequest]) -> None:
        """Have settings compiled ahead, the first first, in processes beside the worker; what was asked for before is
        forgotten.

        No job, and without an end. A worker that takes the place of a lost one gets the same again.
        """
        self._inbox.put(partial(self._manager.prepare, Prepare(tuple(requests))))

    def cancel(self, job: int, *, patiently: bool = False) -> None:
        """End one job, whether it runs or waits, and no other.

        Patiently, where another one follows and waiting is cheap.
        """
        self._inbox.put(partial(self._manager.cancel, job, patiently=patiently))

    def stop(self) -> None:
        """End what runs or waits. A worker that does not leave its job within the grace is ended and replaced."""
        self._inbox.put(self._manager.stop)

    def restart(self, device: str) -> None:
        """Replace the worker by one for another device. What runs or waits is stopped."""
        self._inbox.put(partial(self._manager.restart, device))

    def close(self) -> None:
        """End everything; when this returns, after a bounded time, no process is left.

        What runs or waits is stopped.
        """
        self._closed = True
        self._inbox.put(self._manager.close)
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(2 * self._deadlines.grace + 2 * ABANDON_SECONDS)

    def _deliver(self, worker: WorkerProcess, report: Report) -> None:
        self._inbox.put(partial(self._manager.hear, worker, report))

    def _emit(self, event: EngineEvent) -> None:
        try:
            self._on_event(event)
        except Exception:  # noqa: BLE001 - see below
            # A listener's mistake must not take the worker's supervision with it.
            _log.exception("the listener failed on %s", type(event).__name__)

    def _work(self) -> None:
        manager = self._manager
        while not manager.done:
            try:
                self._inbox.get(timeout=manager.alarms.seconds_to_next())()
            except queue.Empty:
                for alarm, seconds in manager.alarms.take_due():
                    manager.ring(alarm, seconds)


def run_to_end(
    request: JobRequest,
    device: str = "auto",
    on_event: Callable[[EngineEvent], None] | None = None,
    *,
    command: Sequence[str] | None = None,
    deadlines: Deadlines | None = None,
) -> Outcome:
    """Do one job in a worker of its own, which is gone when this returns.

    Args:
        request: what to do.
        device: "auto", "cuda:N", "interpreter" or "interpreter:sm_80".
        on_event: hears every event, on the caller's thread.
        command: the worker's program, if not this package's.
        deadlines: how long the worker may take for what.
    """
    events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
    supervisor = Supervisor(events.put, device=device, command=command, deadlines=deadlines)
    supervisor.start()
    try:
        job = supervisor.submit(request)
        while True:
            event = events.get()
            if on_event is not None:
                on_event(event)
            if isinstance(event, JobEnded) and event.job == job:
                return event.outcome
    finally:
        supervisor.close()


def stage1_occupancy(sample: RunRequest, architecture: str) -> int | Sentence:
    """Programs of stage 1 that share an SM, or why they are not known. Takes seconds: a worker is started for it.

    Args:
        sample: a small run with the kernels in question, such as `residents.sample_run`.
        architecture: such as "sm_90"; its compiler needs no GPU.
    """
    return occupancy_in(run_to_end(RunJob(sample), device_of(architecture)))


def device_of(architecture: str) -> str:
    """The worker that compiles for an architecture without a GPU."""
    return f"interpreter:{architecture}"


def occupancy_in(outcome: Outcome) -> int | Sentence:
    """What the end of a sample run says of stage 1: programs per SM, or why they are not known."""
    from lnexplorer.domain.residents import programs_per_sm

    match outcome:
        case Finished(RunResult() as result):
            known = programs_per_sm(result.compiled)
            return known if known is not None else next(iter(result.notes), say("The compiler told no occupancy."))
        case Refused(problems):
            return verbatim(str(problems[0]))
        case Broken():
            return outcome.sentence
        case _:
            return say("The compiler was stopped.")
