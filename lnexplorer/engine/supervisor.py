"""Runs jobs in a worker process that may hang, crash or die, and tells a listener how each of them ended."""

import itertools
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from functools import partial

from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.touch import TouchRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.events import EngineEvent
from lnexplorer.engine.jobs import Job
from lnexplorer.engine.manager import ABANDON_SECONDS, Manager
from lnexplorer.engine.process import Report, WorkerProcess
from lnexplorer.engine.spawn import Spawned
from lnexplorer.protocol.messages import Conduct, Inspect, Measure, Prepare, Run, Touch, Trace, Work

_log = logging.getLogger(__name__)


class Supervisor:
    """One worker process and the jobs for it. No method waits for the worker, `close` apart; all may be called from any thread.

    A newer run or trace takes the place of an older one, whether that waits or runs. Measurements and experiments are done in the
    order in which they came, each to its end; a run goes before those that wait. Every job has exactly one `JobEnded`.

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

    def run(self, request: RunRequest, providers: tuple[str, ...] = DEFAULT_PEERS) -> int:
        """Check and time the kernels, with `providers` timed beside them; the job's number."""
        return self._submit(lambda job: Run(job=job, request=request, providers=providers))

    def trace(self, request: RunRequest) -> int:
        """Record the locks of stage 1 on a GPU; the job's number."""
        return self._submit(lambda job: Trace(job=job, request=request))

    def measure(self, request: MeasureRequest) -> int:
        """Check and time several candidates; the job's number.

        Its `JobProgress` names in `step` the label of the candidate at work, so that when the worker is lost one knows whose
        fault that was. A `JobPart` with a `CandidateOutcome` follows as soon as a candidate's is final.
        """
        return self._submit(lambda job: Measure(job=job, request=request))

    def conduct(self, request: ExperimentRequest) -> int:
        """Do an experiment, in line with the measurements; the job's number."""
        return self._submit(lambda job: Conduct(job=job, request=request))

    def touch(self, request: TouchRequest) -> int:
        """Tell what a row's programs load and store; a newer one takes the place of one that waits; the job's number."""
        return self._submit(lambda job: Touch(job=job, request=request))

    def prepare(self, requests: Sequence[RunRequest]) -> None:
        """Have settings compiled ahead, the first first, in processes beside the worker; what was asked for before is forgotten.

        No job, and without an end. A worker that takes the place of a lost one gets the same again.
        """
        self._inbox.put(partial(self._manager.prepare, Prepare(requests=tuple(requests))))

    def cancel(self, job: int, *, patiently: bool = False) -> None:
        """End one job, whether it runs or waits, and no other. Patiently, where another one follows and waiting is cheap."""
        self._inbox.put(partial(self._manager.cancel, job, patiently=patiently))

    def inspect(self, tensor: str, row_start: int, row_stop: int, column_start: int, column_stop: int) -> int:
        """Have a part of the error map of "y" or "dx" of the last finished run; the job's number."""

        def command(job: int) -> Inspect:
            return Inspect(
                job=job,
                tensor=tensor,
                row_start=row_start,
                row_stop=row_stop,
                column_start=column_start,
                column_stop=column_stop,
            )

        return self._submit(command)

    def stop(self) -> None:
        """End what runs or waits. A worker that does not leave its job within the grace is ended and replaced."""
        self._inbox.put(self._manager.stop)

    def restart(self, device: str) -> None:
        """Replace the worker by one for another device. What runs or waits is stopped."""
        self._inbox.put(partial(self._manager.restart, device))

    def close(self) -> None:
        """End everything; when this returns, after a bounded time, no process is left. What runs or waits is stopped."""
        self._closed = True
        self._inbox.put(self._manager.close)
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(2 * self._deadlines.grace + 2 * ABANDON_SECONDS)

    def _submit(self, command: Callable[[int], Work]) -> int:
        if self._closed:
            raise RuntimeError("the supervisor is closed")
        job = Job(command(next(self._numbers)))
        self._inbox.put(partial(self._manager.submit, job))
        return job.number

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
