"""Runs jobs in a worker process that may hang, crash or die, and tells a listener how each of them
ended.

`run_to_end` does one job for a caller that waits: the command line.
"""

import itertools
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import assert_never

from lnexplorer.domain.jobs import InspectJob, JobRequest, RunJob, TraceJob
from lnexplorer.domain.kernel_versions import with_line
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.deadlines import Alarm, Alarms, Deadlines
from lnexplorer.engine.job_line import Job, JobLine
from lnexplorer.engine.process import (
    PHASES,
    Cause,
    Contacted,
    Exit,
    ProcessVerdict,
    Report,
    StreamEnded,
    WorkerProcess,
    describe,
)
from lnexplorer.engine.spawn import Spawned, spawn_worker
from lnexplorer.protocol.messages import (
    Broken,
    Cancel,
    Do,
    EngineEvent,
    Finished,
    Heartbeat,
    JobEnded,
    JobEvent,
    JobPart,
    JobProgress,
    JobStarted,
    Outcome,
    Prepare,
    Stopped,
    WorkerEvent,
    WorkerLost,
    WorkerReady,
    WorkerStarting,
    WorkerUnusable,
)
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Device
from lnkernels.values.sentence import Sentence, say

_log = logging.getLogger(__name__)

# A worker that is lost so often in a row, without a finished job, is started again by the next
# request only.
MOST_LOSSES = 3
# A line that drops so often without a finished job between is not taken up again by itself.
MOST_DROPS = 3
ABANDON_SECONDS = 3.0


class Supervisor:
    """One worker process and the jobs for it. No method waits for the worker, `close` apart; all
    may be called from any thread. What has no underscore only leaves word for the supervisor's own
    thread, which does the rest.

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
        self._alarms = Alarms()
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._thread = threading.Thread(target=self._work, name="supervisor", daemon=True)
        self._closed = False  # no more is taken
        # The rest is for the supervisor's thread alone.
        self._device_wish = device
        self._command = command
        self._line = JobLine()
        self._worker: WorkerProcess | None = None
        self._device: Device | None = None  # known once the worker is ready
        self._verdict: ProcessVerdict | None = None  # why the worker is being ended
        self._phase = "start"
        self._signalled = False  # whether it was sent a signal for that
        self._begun = False  # whether it has said anything of the job that it has
        self._at: Sentence | None = None  # the step of that job, as far as it has told
        self._losses = 0  # of workers, since a job was last asked for or answered
        self._drops = 0  # of the line to another machine, since a job was answered
        self._closing = False
        self._ahead: Prepare | None = None  # what any worker is to compile ahead
        # First of all, whatever is asked for before `start`.
        self._inbox.put(partial(self._start_worker, spawned))

    def start(self) -> None:
        """Start the worker, so that it is ready when the first job comes."""
        self._thread.start()

    def submit(self, request: JobRequest) -> int:
        """Have a job done; its number."""
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

        Patiently, where another one follows and waiting is cheap: the worker has as long for that
            as where a newer job
        takes its place.
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
            try:
                self._inbox.get(timeout=self._alarms.seconds_to_next())()
            except queue.Empty:
                for alarm, seconds in self._alarms.take_due():
                    self._ring(alarm, f"{seconds if seconds < 10 else round(seconds):g} s")

    def _emit(self, event: EngineEvent) -> None:
        try:
            self._on_event(event)
        except Exception:  # noqa: BLE001 - a listener's mistake must not take the worker's supervision with it
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
        if self._worker is not None and self._verdict is None:
            self._worker.send(command)

    def _restart(self, device: str) -> None:
        self._announce(self._line.end_all(Stopped()))
        self._device_wish = device
        self._losses = self._drops = 0
        if self._worker is None:
            self._start_worker()
        else:
            self._replace()

    def _close(self) -> None:
        self._announce(self._line.end_all(Stopped()))
        self._closing = True
        self._replace()

    def _replace(self) -> None:
        self._ask_to_leave(
            ProcessVerdict(
                Cause.REPLACED, say("The worker was replaced by one for another device.")
            )
        )

    def _hear(self, worker: WorkerProcess, report: Report) -> None:
        """Take a report of a worker; those of former ones are of no interest."""
        if worker is not self._worker:
            return
        match report:
            case StreamEnded(error, sentence):
                if sentence is None:
                    self._stream_ended(error)
                else:
                    self._ask_to_leave(ProcessVerdict(Cause.UNUSABLE, sentence))
            case Contacted():
                if self._verdict is None:
                    self._alarms.set(Alarm.PHASE, self._deadlines.start)
            case Exit():
                self._gone(report)
            case _:
                self._alive()
                if self._verdict is None:
                    self._hear_event(report)

    def _ring(self, alarm: Alarm, seconds: str) -> None:
        match alarm:
            case Alarm.PHASE:
                slow = say(
                    "The worker took longer than {seconds} {when}, and was ended.",
                    seconds=seconds,
                    when=PHASES[self._phase],
                )
                self._end_worker(self._no_contact(seconds) or ProcessVerdict(Cause.SLOW, slow))
            case Alarm.HEARTBEAT if (
                self._device is None and self._worker is not None and not self._worker.stopped
            ):
                # Importing torch keeps a worker's threads from running for seconds.
                self._alarms.set(Alarm.HEARTBEAT, self._deadlines.heartbeat)
            case Alarm.HEARTBEAT:
                silent = say(
                    "The worker did not answer for {seconds} {when}, and was ended.",
                    seconds=seconds,
                    when=PHASES[self._phase],
                )
                self._end_worker(ProcessVerdict(Cause.SLOW, silent))
            case Alarm.LEAVE:
                stubborn = say(
                    "The worker did not stop within {seconds}, and was ended.", seconds=seconds
                )
                self._end_worker(self._verdict or ProcessVerdict(Cause.STUBBORN, stubborn))
            case Alarm.KILL:
                if self._worker is not None:
                    self._worker.kill()
                    self._alarms.set(Alarm.ABANDON, ABANDON_SECONDS)
            case Alarm.ABANDON:
                # Not even SIGKILL ends a process that waits inside a driver. It has its signal;
                # life goes on without it.
                self._gone(None)
            case _:
                assert_never(alarm)

    def _hear_event(self, event: WorkerEvent) -> None:
        match event:
            case WorkerReady(device):
                self._ready(device)
            case WorkerUnusable(reason) | WorkerLost(sentence=reason):
                self._ask_to_leave(ProcessVerdict(Cause.UNUSABLE, reason))
            case Heartbeat():
                pass
            case JobProgress() | JobPart() | JobEnded():
                self._hear_of_job(event)
            case _:
                assert_never(event)

    def _hear_of_job(self, event: JobEvent) -> None:
        held = self._line.held
        if held is None or event.job != held.number:
            return
        self._begun = True
        match event:
            case JobProgress(phase=phase, step=step):
                self._at = step or self._at
                self._phase = phase if phase in PHASES else self._phase
                self._step(held)
                self._tell(event)
            case JobPart():
                self._tell(event)
            case JobEnded(outcome=Broken(device_lost=True, sentence=sentence) as outcome):
                self._announce(self._line.end_running(outcome))
                self._ask_to_leave(ProcessVerdict(Cause.DEVICE_LOST, sentence))
            case JobEnded(outcome=outcome):
                self._answered(outcome)
            case _:
                assert_never(event)

    def _ready(self, device: Device) -> None:
        self._device = device
        self._alarms.clear(Alarm.PHASE)
        self._alive()
        self._emit(WorkerReady(device))
        self._proceed()

    def _alive(self) -> None:
        if self._verdict is None:
            self._alarms.set(Alarm.HEARTBEAT, self._deadlines.heartbeat)

    def _proceed(self) -> None:
        """Give the worker its next job, if it can take one."""
        if (
            self._worker is None
            or self._device is None
            or self._verdict is not None
            or self._line.held is not None
        ):
            return
        job = self._line.take()
        if job is None:
            self._phase = "idle"
            return
        self._phase = "run" if isinstance(job.request, InspectJob) else "compile"
        self._begun = False
        self._at = None
        self._worker.begin_job()
        self._worker.send(Do(job.number, job.request))
        self._step(job)
        self._emit(JobStarted(job.number))

    def _step(self, job: Job) -> None:
        backend = "cuda" if self._device is None else self._device.backend
        match job.request:
            case MeasureRequest(limit_seconds=seconds):
                pass
            case request:
                run = request.request if isinstance(request, RunJob | TraceJob) else None
                seconds = self._deadlines.step_seconds(self._phase, run, backend)
        self._alarms.set(Alarm.PHASE, seconds)

    def _end_jobs(self, ends: list[JobEnded], grace: float) -> None:
        """Tell that jobs have ended, and the worker to leave what it has of them."""
        self._announce(ends)
        if (
            self._worker is None
            or self._verdict is not None
            or self._line.held is None
            or not self._line.ended
        ):
            return
        self._worker.send(Cancel(self._line.held.number))
        self._alarms.clear(Alarm.PHASE)
        self._alarms.set_earlier(Alarm.LEAVE, grace)

    def _answered(self, result: Outcome) -> None:
        self._losses = self._drops = 0
        self._alarms.clear(Alarm.PHASE, Alarm.LEAVE)
        held, worker = self._line.held, self._worker
        printed = (
            worker.printed
            if worker is not None and held is not None and _own_kernels(held.request)
            else ""
        )
        self._announce([replace(end, printed=printed) for end in self._line.end_running(result)])
        self._line.release()
        self._proceed()

    def _stream_ended(self, error: str | None) -> None:
        # A worker that crashes closes its pipe, too. Then its exit says more than this, and follows
        # at once.
        if self._verdict is None:
            when = PHASES[self._phase]
            closed = say("The worker closed its connection {when}.", when=when)
            unreadable = say(
                "The worker sent a message that cannot be read {when}: {error}.",
                when=when,
                error=error or "",
            )
            self._ask_to_leave(
                ProcessVerdict(Cause.STREAM, closed if error is None else unreadable)
            )

    def _ask_to_leave(self, verdict: ProcessVerdict) -> None:
        """Let the worker end by itself; it has the grace for that."""
        if self._worker is not None and self._verdict is None:
            self._worker.dismiss()
            self._alarms.clear(Alarm.PHASE, Alarm.HEARTBEAT)
            self._alarms.set(Alarm.LEAVE, self._deadlines.grace)
        self._verdict = verdict

    def _end_worker(self, verdict: ProcessVerdict) -> None:
        """End the worker by a signal, which also has it print where it was, and kill it soon after."""
        if self._worker is None:
            return
        self._verdict = verdict
        self._signalled = True
        self._worker.terminate()  # and no dismissal, upon which it would leave amid its words
        self._alarms.clear(Alarm.PHASE, Alarm.HEARTBEAT, Alarm.LEAVE)
        self._alarms.set(Alarm.KILL, self._deadlines.grace / 2)

    def _gone(self, exit_: Exit | None) -> None:
        verdict, phase = self._verdict, "start" if self._device is None else self._phase
        line = None if self._worker is None else self._worker.line
        # A pipe that ended may be only the first sign of a crash, of which the exit says more.
        if (
            verdict is not None
            and verdict.cause is Cause.STREAM
            and exit_ is not None
            and exit_.status
            and not self._signalled
        ):
            verdict = None
        if verdict is None and line is not None and exit_ is not None:
            explained = line.explain(exit_.status, exit_.output, PHASES[phase])
            if explained is not None:
                verdict = ProcessVerdict(
                    Cause.UNUSABLE if line.contact is None else Cause.LINE, explained
                )
        # One that a driver keeps has said where it was all the same.
        last = exit_ or (None if self._worker is None else Exit(0, self._worker.printed))
        self._worker = self._device = None
        self._alarms.clear(*Alarm)
        if verdict is not None and verdict.cause is Cause.REPLACED:
            self._line.release()
            if not self._closing:
                self._start_worker()
            return
        sentence = describe(exit_, phase) if verdict is None else verdict.sentence
        detail, held = "" if last is None else last.detail, self._line.held
        if held is not None:
            sentence = with_line(sentence, detail, _own_kernels(held.request), self._at)
        self._lost(sentence, detail, phase, None if verdict is None else verdict.cause)

    def _lost(self, sentence: Sentence, detail: str, phase: str, cause: Cause | None) -> None:
        self._losses += 1
        self._drops += cause is Cause.LINE
        broken = Broken(
            phase, sentence, detail, line_dropped=cause is Cause.LINE, timed_out=cause is Cause.SLOW
        )
        # What never began is begun in the next worker, once.
        again = self._losses == 1 and cause not in {Cause.SLOW, Cause.UNUSABLE}
        if again and not self._begun:
            self._line.put_back()
        self._announce(self._line.end_running(broken))
        self._line.release()
        if phase == "start" and not again:
            self._announce(self._line.end_waiting(broken))
        restarting = self._may_restart(cause)
        self._emit(WorkerLost(sentence, detail, restarting))
        if restarting:
            self._start_worker()
        else:
            self._announce(self._line.end_waiting(broken))

    def _may_restart(self, cause: Cause | None) -> bool:
        """Whether another worker would not only be lost again."""
        if self._closing or cause is Cause.UNUSABLE or self._drops > MOST_DROPS:
            return False
        return bool(self._line.waiting) or cause is Cause.STUBBORN or self._losses <= MOST_LOSSES

    def _start_worker(self, spawned: Spawned | None = None) -> None:
        self._verdict = None
        self._signalled = False
        self._phase = "start"
        self._emit(WorkerStarting())
        try:
            spawned = spawned or spawn_worker(self._device_wish, self._command)
        except (OSError, ImportError) as error:
            sentence = say("The worker process cannot be started: {error}.", error=str(error))
            self._announce(self._line.end_waiting(Broken("start", sentence, "")))
            self._emit(WorkerLost(sentence, "", restarting=False))
            return
        self._worker = WorkerProcess(
            spawned, lambda worker, report: self._inbox.put(partial(self._hear, worker, report))
        )
        if self._ahead is not None:
            self._worker.send(self._ahead)  # its compilers come up sooner than it does
        self._alarms.set(
            Alarm.PHASE, self._deadlines.start if spawned.line is None else self._deadlines.contact
        )
        self._alarms.set(Alarm.HEARTBEAT, self._deadlines.heartbeat)

    def _no_contact(self, seconds: str) -> ProcessVerdict | None:
        line = None if self._worker is None else self._worker.line
        if line is None or line.contact is not None:
            return None
        return ProcessVerdict(
            Cause.UNUSABLE,
            say("{host} did not answer within {seconds}.", host=line.machine.name, seconds=seconds),
        )

    def _tell(self, event: JobProgress | JobPart) -> None:
        if self._line.running is not None:
            self._emit(event)

    def _announce(self, ends: list[JobEnded]) -> None:
        for end in ends:
            self._emit(end)


def _own_kernels(request: JobRequest) -> tuple[KernelSource, ...]:
    match request:
        case RunJob(kernels=kernels) | MeasureRequest(kernels=kernels):
            return kernels
        case TraceJob(kernel=KernelSource() as kernel):
            return (kernel,)
    return ()


def run_to_end(
    request: JobRequest,
    device: str = "auto",
    on_event: Callable[[EngineEvent], object] = lambda _: None,
) -> Outcome:
    """Do one job in a worker of its own, which is gone when this returns."""
    return run_in_turn((request,), device, on_event)[0]


def run_in_turn(
    requests: Sequence[JobRequest],
    device: str = "auto",
    on_event: Callable[[EngineEvent], object] = lambda _: None,
) -> list[Outcome]:
    """The same with several jobs, one after the other, up to the first that does not give what it
    should.
    """
    events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
    supervisor = Supervisor(events.put, device=device)
    supervisor.start()
    outcomes: list[Outcome] = []
    try:
        for request in requests:
            job = supervisor.submit(request)
            while True:
                event = events.get()
                on_event(event)
                if isinstance(event, JobEnded) and event.job == job:
                    break
            outcomes.append(event.outcome)
            if not isinstance(event.outcome, Finished):
                break
    finally:
        supervisor.close()
    return outcomes
