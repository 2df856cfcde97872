"""The state of a supervisor: one worker, its jobs and its alarms. Used by one thread, so nothing here is locked."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from lnexplorer.domain.jobs import InspectJob, JobRequest, RunJob, TouchRequest, TraceJob
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.engine.deadlines import Alarm, Alarms, Deadlines
from lnexplorer.engine.process import PHASES, Cause, Exit, Gone, Report, Said, StreamEnded, Verdict, WorkerProcess, describe
from lnexplorer.engine.spawn import Spawned, spawn_worker
from lnexplorer.protocol.messages import (
    Broken,
    Cancel,
    Do,
    EngineEvent,
    Heartbeat,
    JobEnded,
    JobEvent,
    JobPart,
    JobProgress,
    JobStarted,
    Outcome,
    Prepare,
    Stopped,
    Superseded,
    WorkerEvent,
    WorkerLost,
    WorkerReady,
    WorkerStarting,
    WorkerUnusable,
)
from lnkernels.sentence import Sentence, say, verbatim
from lnkernels.values.environment import Device

# Pauses before a worker is started again; after one more loss without a finished job, the next request starts it.
RESTART_SECONDS = (0.0, 0.5, 2.0)
ABANDON_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Job:
    """What was asked of a worker, and the number by which everything about it is known."""

    number: int
    request: JobRequest


@dataclass(slots=True)
class JobLine:
    """At most one job with the worker, and those that wait.

    Of runs and traces the newest wins: it takes the place of what runs or waits. An inspection or a touch takes the
    place of one that waits. Everything else, such as measurements, is asked for on purpose and none is dropped: they
    wait for each other in the order in which they came, and what is looked at goes before those that wait.

    A job that was ended while the worker still has it keeps its place until the worker lets go of it. Every method that
    ends jobs returns their ends, so that each job has exactly one.
    """

    held: Job | None = None  # by the worker
    ended: bool = False  # the held job has had its end
    _waiting: dict[type, Job] = field(default_factory=dict)
    _in_line: deque[Job] = field(default_factory=deque)

    @property
    def running(self) -> Job | None:
        """The job that the worker has and that has no end yet."""
        return None if self.ended else self.held

    @property
    def waits(self) -> bool:
        """Whether a job waits."""
        return bool(self._waiting or self._in_line)

    def add(self, job: Job) -> list[JobEnded]:
        """Let a job wait."""
        request = job.request
        if isinstance(request, InspectJob | TouchRequest):
            kind = type(request)
            replaced = self._waiting.pop(kind, None)
            self._waiting[kind] = job
            return [] if replaced is None else [JobEnded(replaced.number, Superseded())]
        if not isinstance(request, RunJob | TraceJob):
            self._in_line.append(job)
            return []
        in_line = self.running is not None and not isinstance(self.running.request, RunJob | TraceJob | InspectJob | TouchRequest)
        ends = [] if in_line else self.end_running(Superseded())
        ends += [JobEnded(waiting.number, Superseded()) for waiting in self._waiting.values()]
        self._waiting = {RunJob: job}
        return ends

    def end_one(self, number: int, outcome: Outcome) -> list[JobEnded]:
        """End one job, whether it runs or waits."""
        if self.running is not None and self.running.number == number:
            return self.end_running(outcome)
        found = [job for job in (*self._waiting.values(), *self._in_line) if job.number == number]
        self._waiting = {kind: job for kind, job in self._waiting.items() if job.number != number}
        self._in_line = deque(job for job in self._in_line if job.number != number)
        return [JobEnded(job.number, outcome) for job in found]

    def end_all(self, outcome: Outcome) -> list[JobEnded]:
        """End what runs and what waits."""
        return self.end_running(outcome) + self.end_waiting(outcome)

    def end_running(self, outcome: Outcome) -> list[JobEnded]:
        """End the running job, if there is one; the worker may still have it."""
        running = self.running
        self.ended = True
        return [] if running is None else [JobEnded(running.number, outcome)]

    def end_waiting(self, outcome: Outcome) -> list[JobEnded]:
        """End what waits."""
        ends = [JobEnded(job.number, outcome) for job in (*self._waiting.values(), *self._in_line)]
        self._waiting.clear()
        self._in_line.clear()
        return ends

    def take(self) -> Job | None:
        """Give the next job to the worker, which must hold none."""
        for kind in (RunJob, InspectJob, TouchRequest):
            if kind in self._waiting:
                self.held, self.ended = self._waiting.pop(kind), False
                return self.held
        if self._in_line:
            self.held, self.ended = self._in_line.popleft(), False
            return self.held
        return None

    def release(self) -> None:
        """The worker has let go of its job, or is gone."""
        self.held, self.ended = None, False


class Manager:
    """Starts a worker, gives it jobs, ends it, starts the next."""

    def __init__(
        self,
        emit: Callable[[EngineEvent], None],
        deliver: Callable[[WorkerProcess, Report], None],
        device: str,
        command: Sequence[str] | None,
        deadlines: Deadlines,
    ) -> None:
        self.alarms = Alarms()
        self._emit = emit
        self._deliver = deliver
        self._device_wish = device
        self._command = command
        self._deadlines = deadlines
        self._line = JobLine()
        self._worker: WorkerProcess | None = None
        self._device: Device | None = None  # known once the worker is ready
        self._verdict: Verdict | None = None  # why the worker is being ended
        self._phase = "start"
        self._signalled = False  # whether it was sent a signal for that
        self._losses = 0  # of workers, since a job was last asked for or answered
        self._closing = False
        self._ahead: Prepare | None = None  # what any worker is to compile ahead

    @property
    def done(self) -> bool:
        """Whether all is closed and no process is left."""
        return self._closing and self._worker is None

    def start(self, spawned: Spawned | None = None) -> None:
        """Have a worker."""
        if self._worker is None:
            self._start_worker(spawned)

    def submit(self, job: Job) -> None:
        """Do a job as soon as the worker can."""
        if self._closing:
            self._emit(JobEnded(job.number, Stopped()))
            return
        self._announce(self._line.add(job))
        self._call_back(self._deadlines.superseded_grace)
        self._losses = 0
        if self._worker is None:
            self._start_worker()
        self._proceed()

    def prepare(self, command: Prepare) -> None:
        """Have settings compiled ahead by this worker, or by the next one."""
        self._ahead = command
        if self._worker is not None and self._verdict is None:
            self._worker.send(command)

    def cancel(self, number: int, *, patiently: bool = False) -> None:
        """End one job. Patiently: the worker has as long for that as where a newer job takes its place."""
        self._announce(self._line.end_one(number, Stopped()))
        self._call_back(self._deadlines.superseded_grace if patiently else self._deadlines.grace)

    def stop(self) -> None:
        """End what runs or waits."""
        self._announce(self._line.end_all(Stopped()))
        self._call_back(self._deadlines.grace)

    def restart(self, device: str) -> None:
        """Have a worker for another device; jobs are stopped."""
        self._announce(self._line.end_all(Stopped()))
        self._device_wish = device
        self._losses = 0
        if self._worker is None:
            self._start_worker()
        else:
            self._ask_to_leave(Verdict(Cause.REPLACED))

    def close(self) -> None:
        """End everything; `done` becomes true when the process is gone."""
        self._announce(self._line.end_all(Stopped()))
        self._closing = True
        self.alarms.clear(Alarm.RESTART)
        if self._worker is not None:
            self._ask_to_leave(Verdict(Cause.REPLACED))

    def hear(self, worker: WorkerProcess, report: Report) -> None:
        """Take a report of a worker; those of former ones are of no interest."""
        if worker is not self._worker:
            return
        match report:
            case Said(event):
                self._alive()
                if self._verdict is None:
                    self._hear_event(event)
            case StreamEnded(error):
                self._stream_ended(error)
            case Gone(exit_):
                self._gone(exit_)
            case _:
                assert_never(report)

    def ring(self, alarm: Alarm, seconds: float) -> None:
        """Do what is due."""
        match alarm:
            case Alarm.PHASE:
                self._end_worker(Verdict(Cause.SLOW, seconds))
            case Alarm.HEARTBEAT:
                self._end_worker(Verdict(Cause.SILENT, seconds))
            case Alarm.LEAVE:
                self._end_worker(self._verdict or Verdict(Cause.STUBBORN, seconds))
            case Alarm.KILL:
                if self._worker is not None:
                    self._worker.kill()
                    self.alarms.set(Alarm.ABANDON, ABANDON_SECONDS)
            case Alarm.ABANDON:
                # Not even SIGKILL ends a process that waits inside a driver. It has its signal; life goes on without
                # it.
                self._gone(None)
            case Alarm.RESTART:
                self._start_worker()
            case _:
                assert_never(alarm)

    def _hear_event(self, event: WorkerEvent) -> None:
        match event:
            case WorkerReady(device):
                self._ready(device)
            case WorkerUnusable(reason):
                self._ask_to_leave(Verdict(Cause.UNUSABLE, words=reason))
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
        match event:
            case JobProgress(phase=phase):
                self._phase = phase if phase in PHASES else self._phase
                self._step(held)
                self._tell(event)
            case JobPart():
                self._tell(event)
            case JobEnded(outcome=Broken(device_lost=True, sentence=sentence) as outcome):
                self._announce(self._line.end_running(outcome))
                self._ask_to_leave(Verdict(Cause.DEVICE_LOST, words=sentence))
            case JobEnded(outcome=outcome):
                self._answered(outcome)
            case _:
                assert_never(event)

    def _ready(self, device: Device) -> None:
        self._device = device
        self.alarms.clear(Alarm.PHASE)
        self._alive()
        self._emit(WorkerReady(device))
        self._proceed()

    def _alive(self) -> None:
        # Importing torch keeps a worker's threads from running for seconds, so silence counts only once it is ready.
        if self._device is not None and self._verdict is None:
            self.alarms.set(Alarm.HEARTBEAT, self._deadlines.heartbeat)

    def _proceed(self) -> None:
        """Give the worker its next job, if it can take one."""
        if self._worker is None or self._device is None or self._verdict is not None or self._line.held is not None:
            return
        job = self._line.take()
        if job is None:
            self._phase = "idle"
            return
        self._phase = "run" if isinstance(job.request, InspectJob) else "compile"
        self._worker.send(Do(job.number, job.request))
        self._step(job)
        self._emit(JobStarted(job.number))

    def _step(self, job: Job) -> None:
        backend = "cuda" if self._device is None else self._device.backend
        match job.request:
            case MeasureRequest(limit_seconds=seconds):
                pass
            case RunJob(request) | TraceJob(request):
                seconds = self._deadlines.phase_seconds(self._phase, request, backend)
            case _:
                seconds = self._deadlines.phase_seconds(self._phase, None, backend)
        self.alarms.set(Alarm.PHASE, seconds)

    def _call_back(self, grace: float) -> None:
        """Tell the worker to leave a job that was ended."""
        if self._worker is None or self._verdict is not None or self._line.held is None or not self._line.ended:
            return
        self._worker.send(Cancel(self._line.held.number))
        self.alarms.clear(Alarm.PHASE)
        self.alarms.set_earlier(Alarm.LEAVE, grace)

    def _answered(self, result: Outcome) -> None:
        """The worker has let go of its job."""
        self._losses = 0
        self.alarms.clear(Alarm.PHASE, Alarm.LEAVE)
        self._announce(self._line.end_running(result))
        self._line.release()
        self._proceed()

    def _stream_ended(self, error: str | None) -> None:
        # A worker that crashes closes its pipe, too. Then its exit says more than this, and follows at once.
        if self._verdict is None:
            cause = Cause.CLOSED if error is None else Cause.UNREADABLE
            self._ask_to_leave(Verdict(cause, words=verbatim(error or "")))

    def _ask_to_leave(self, verdict: Verdict) -> None:
        """Let the worker end by itself; it has the grace for that."""
        if self._worker is not None and self._verdict is None:
            self._worker.dismiss()
            self.alarms.clear(Alarm.PHASE, Alarm.HEARTBEAT)
            self.alarms.set(Alarm.LEAVE, self._deadlines.grace)
        self._verdict = verdict

    def _end_worker(self, verdict: Verdict) -> None:
        """End the worker by a signal, which also has it print where it was, and kill it soon after."""
        if self._worker is None:
            return
        self._verdict, self._signalled = verdict, True
        self._worker.dismiss()
        self._worker.terminate()
        self.alarms.clear(Alarm.PHASE, Alarm.HEARTBEAT, Alarm.LEAVE)
        self.alarms.set(Alarm.KILL, self._deadlines.grace / 2)

    def _gone(self, exit_: Exit | None) -> None:
        verdict, phase = self._verdict, "start" if self._device is None else self._phase
        if self._crashed_by_itself(exit_):
            verdict = None
        self._worker = self._device = None
        self.alarms.clear(*Alarm)
        if verdict is not None and verdict.cause is Cause.REPLACED:
            self._line.release()
            if not self._closing:
                self._start_worker()
            return
        self._lost(describe(exit_, verdict, phase), "" if exit_ is None else exit_.detail, phase, verdict)

    def _crashed_by_itself(self, exit_: Exit | None) -> bool:
        """Whether a pipe that ended was only the first sign of a crash, of which the exit says more."""
        if self._verdict is None or self._verdict.cause not in {Cause.CLOSED, Cause.UNREADABLE}:
            return False
        return exit_ is not None and exit_.status != 0 and not self._signalled

    def _lost(self, sentence: Sentence, detail: str, phase: str, verdict: Verdict | None) -> None:
        timed_out = verdict is not None and verdict.cause in {Cause.SLOW, Cause.SILENT}
        broken = Broken(phase, sentence, detail, timed_out)
        self._announce(self._line.end_running(broken))
        self._line.release()
        if phase == "start":
            self._announce(self._line.end_waiting(broken))
        pause = self._pause_before_restart(verdict)
        self._emit(WorkerLost(sentence, detail, restarting=pause is not None))
        if pause is None:
            self._announce(self._line.end_waiting(broken))
        elif pause > 0:
            self.alarms.set(Alarm.RESTART, pause)
        else:
            self._start_worker()

    def _pause_before_restart(self, verdict: Verdict | None) -> float | None:
        """Seconds until the next worker starts; None when one would only be lost again."""
        if self._closing or (verdict is not None and verdict.cause is Cause.UNUSABLE):
            return None
        if self._line.waits or (verdict is not None and verdict.cause is Cause.STUBBORN):
            return 0.0
        self._losses += 1
        return RESTART_SECONDS[self._losses - 1] if self._losses <= len(RESTART_SECONDS) else None

    def _start_worker(self, spawned: Spawned | None = None) -> None:
        self.alarms.clear(Alarm.RESTART)
        self._verdict, self._signalled, self._phase = None, False, "start"
        self._emit(WorkerStarting())
        try:
            spawned = spawned or spawn_worker(self._device_wish, self._command)
        except (OSError, ImportError) as error:
            sentence = say("The worker process cannot be started: {error}.", error=str(error))
            self._announce(self._line.end_waiting(Broken("start", sentence, "")))
            self._emit(WorkerLost(sentence, "", restarting=False))
            return
        self._worker = WorkerProcess(spawned, self._deliver)
        if self._ahead is not None:
            self._worker.send(self._ahead)  # its compilers come up sooner than it does
        self.alarms.set(Alarm.PHASE, self._deadlines.start)

    def _tell(self, event: JobProgress | JobPart) -> None:
        """Pass on what belongs to a job that has no end yet."""
        if self._line.running is not None:
            self._emit(event)

    def _announce(self, ends: list[JobEnded]) -> None:
        for end in ends:
            self._emit(end)
