"""The state of a supervisor: one worker, its jobs and its alarms. Used by one thread, so nothing here is locked."""

from collections.abc import Callable, Sequence
from typing import assert_never

from lnexplorer.engine.alarms import Alarm, Alarms
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.ending import Cause, Exit, Verdict, describe
from lnexplorer.engine.events import (
    Broken,
    EngineEvent,
    JobEnded,
    JobPart,
    JobProgress,
    JobStarted,
    Outcome,
    Stopped,
    WorkerLost,
    WorkerReady,
    WorkerStarting,
)
from lnexplorer.engine.jobs import Job, JobLine
from lnexplorer.engine.process import Gone, Report, Said, StreamEnded, WorkerProcess
from lnexplorer.engine.spawn import Spawned, spawn_worker
from lnexplorer.engine.translation import outcome, part, progress
from lnexplorer.protocol import messages
from lnexplorer.protocol.messages import Cancel, Inspect, Prepare
from lnkernels.values.environment import Device

# Pauses before a worker is started again; after one more loss without a finished job, the next request starts it.
RESTART_SECONDS = (0.0, 0.5, 2.0)
ABANDON_SECONDS = 3.0


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
                # Not even SIGKILL ends a process that waits inside a driver. It has its signal; life goes on without it.
                self._gone(None)
            case Alarm.RESTART:
                self._start_worker()
            case _:
                assert_never(alarm)

    def _hear_event(self, event: messages.Event) -> None:
        match event:
            case messages.Ready(device=device):
                self._ready(device)
            case messages.Unusable(reason=reason):
                self._ask_to_leave(Verdict(Cause.UNUSABLE, words=reason))
            case messages.Heartbeat():
                pass
            case _:
                self._hear_of_job(event)

    def _hear_of_job(self, event: messages.JobEvent) -> None:
        held = self._line.held
        if held is None or event.job != held.number:
            return
        match event:
            case messages.PhaseStarted() | messages.Progress():
                self._phase = event.phase if isinstance(event, messages.PhaseStarted) else self._phase
                self._step(held)
                self._tell(progress(event, self._phase))
            case (
                messages.CorrectnessReady()
                | messages.CompiledReady()
                | messages.FigureReady()
                | messages.CandidateMeasured()
                | messages.ConductedSoFar()
            ):
                self._tell(part(event))
            case messages.Failed(device_lost=True):
                self._announce(self._line.end_running(outcome(event)))
                self._ask_to_leave(Verdict(Cause.DEVICE_LOST, words=event.cause))
            case _:
                self._answered(outcome(event))

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
        self._phase = "run" if isinstance(job.command, Inspect) else "compile"
        self._worker.send(job.command)
        self._step(job)
        self._emit(JobStarted(job.number))

    def _step(self, job: Job) -> None:
        backend = "cuda" if self._device is None else self._device.backend
        seconds = job.step_seconds or self._deadlines.phase_seconds(self._phase, job.request, backend)
        self.alarms.set(Alarm.PHASE, seconds)

    def _call_back(self, grace: float) -> None:
        """Tell the worker to leave a job that was ended."""
        if self._worker is None or self._verdict is not None or self._line.held is None or not self._line.ended:
            return
        self._worker.send(Cancel(job=self._line.held.number))
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
            self._ask_to_leave(Verdict(cause, words=error or ""))

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

    def _lost(self, sentence: str, detail: str, phase: str, verdict: Verdict | None) -> None:
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
            sentence = f"The worker process cannot be started: {error}."
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
