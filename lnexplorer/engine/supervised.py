"""A worker under supervision from its start to its end: deadlines, events, and how it is ended.

`WorkerProcess` below it has the pipes and threads; the `Supervisor` above it has the jobs.
"""

from collections.abc import Callable
from typing import assert_never

from lnexplorer.domain.autopsy import cause_of, with_cause
from lnexplorer.domain.jobs import InspectJob, JobRequest, RunJob, TraceJob
from lnexplorer.domain.kernel_versions import with_line
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.engine.deadlines import Alarm, Alarms, Deadlines
from lnexplorer.engine.ending import PHASES, Cause, EndReason, describe
from lnexplorer.engine.job_line import Job
from lnexplorer.engine.pipes import Spawned
from lnexplorer.engine.process import Contacted, Exit, Report, StreamEnded, WorkerProcess
from lnexplorer.protocol.messages import (
    Broken,
    Cancel,
    Do,
    Heartbeat,
    JobEnded,
    JobPart,
    JobProgress,
    JobStands,
    Look,
    Prepare,
    WorkerEvent,
    WorkerLost,
    WorkerReady,
    WorkerUnusable,
)
from lnkernels.launch.source import KernelSource
from lnkernels.values import Sentence, frozen, join_sentences, say
from lnkernels.values.environment import Device
from lnkernels.values.timeline import HangSnapshot

ABANDON_SECONDS = 3.0


@frozen
class WorkerGone:
    """The process has ended, or is given up."""

    cause: Cause | None  # None: it ended by itself
    broken: Broken  # the end of its job, if it had one
    started: bool  # it had reported something about that job


class SupervisedWorker:
    """A worker process under deadlines. For the supervisor's thread alone; nothing here waits.

    Args:
        spawned: the process.
        deliver: gets this object and what its process reports, on other threads.
        deadlines: how long the worker may take for what.
    """

    def __init__(
        self,
        spawned: Spawned,
        deliver: Callable[["SupervisedWorker", Report], None],
        deadlines: Deadlines,
    ) -> None:
        self.device: Device | None = None  # known once the worker is ready
        self.alarms = Alarms()
        self._deadlines = deadlines
        self._phase = "start"
        self._reason: EndReason | None = None  # why the worker is being ended
        self._signalled = False
        self._job: Job | None = None
        self._started = False  # whether it has reported anything about that job
        self._step: Sentence | None = None  # of that job, as far as it has reported
        self._hang: HangSnapshot | None = None  # where its kernel stood when it was too slow
        self.process = WorkerProcess(spawned, lambda report: deliver(self, report))
        self._line = spawned.line
        self.alarms.set(Alarm.PHASE, deadlines.start if self._line is None else deadlines.contact)

    @property
    def leaving(self) -> bool:
        return self._reason is not None

    @property
    def takes_jobs(self) -> bool:
        return self.device is not None and not self.leaving

    def prepare(self, command: Prepare) -> None:
        if not self.leaving:
            self.process.send(command)

    def begin(self, job: Job) -> None:
        self._job = job
        self._started = False
        self._step = None
        self._phase = "run" if isinstance(job.request, InspectJob) else "compile"
        self.process.begin_job()
        self.process.send(Do(job.number, job.request))
        self._await_step(job.request)

    def cancel(self, grace: float) -> None:
        """Ask the worker to leave its job; it is ended if it has not within the grace."""
        if self._job is not None and not self.leaving:
            self.process.send(Cancel(self._job.number))
            self.alarms.clear(Alarm.PHASE)
            self.alarms.set_earlier(Alarm.LEAVE, grace)

    def leave(self, cause: Cause, sentence: Sentence) -> None:
        """Let the worker end by itself within the grace."""
        if not self.leaving:
            self.process.dismiss()
            self.alarms.clear(Alarm.PHASE, Alarm.HEARTBEAT)
            self.alarms.set(Alarm.LEAVE, self._deadlines.grace)
        self._reason = EndReason(cause, sentence)

    def hear(self, report: Report) -> WorkerEvent | WorkerGone | None:
        """Take a report of the process; return what the supervisor has to know of it."""
        match report:
            case Exit():
                return self._gone(report)
            case StreamEnded(_, Sentence() as unusable):
                self.leave(Cause.UNUSABLE, unusable)
            case JobStands(hang) if self._reason is not None:
                if hang is not None and hang.is_whole:
                    self._hang = with_cause(hang)
                self._end(self._reason)
            case _ if self.leaving:
                pass
            case StreamEnded(error):
                # A worker that crashes closes its pipe, too: then its exit follows at once.
                self.leave(Cause.STREAM, self._stream_ended(error))
            case Contacted():
                self.alarms.set(Alarm.PHASE, self._deadlines.start)
            case _:
                heard = self._hear_event(report)
                if self.takes_jobs:  # before, importing torch keeps its threads from running
                    self.alarms.set(Alarm.HEARTBEAT, self._deadlines.heartbeat)
                return heard
        return None

    def ring(self) -> WorkerGone | None:
        """Do what the alarms that are due ask for."""
        for alarm, due in self.alarms.take_due():
            seconds = f"{due if due < 10 else round(due):g} s"
            match alarm:
                case Alarm.PHASE if self._job is not None:
                    # It is ended once it has said where its kernel stands.
                    self._reason = self._too_slow(seconds)
                    self.process.send(Look())
                    self.alarms.clear(Alarm.HEARTBEAT)
                    self.alarms.set(Alarm.LEAVE, self._deadlines.grace)
                case Alarm.PHASE:
                    self._end(self._too_slow(seconds))
                case Alarm.HEARTBEAT:
                    silent = say(
                        "The worker did not answer for {seconds} {when}, and was ended.",
                        seconds=seconds,
                        when=PHASES[self._phase],
                    )
                    self._end(EndReason(Cause.SLOW, silent))
                case Alarm.LEAVE:
                    stubborn = say(
                        "The worker did not stop within {seconds}, and was ended.",
                        seconds=seconds,
                    )
                    self._end(self._reason or EndReason(Cause.STUBBORN, stubborn))
                case Alarm.KILL:
                    self.process.kill()
                    self.alarms.set(Alarm.ABANDON, ABANDON_SECONDS)
                case Alarm.ABANDON:
                    # Not even SIGKILL ends a process that waits inside a driver. It has its signal;
                    # the program goes on without it.
                    return self._gone(None)
                case _:
                    assert_never(alarm)
        return None

    def _hear_event(self, event: WorkerEvent) -> WorkerEvent | None:
        match event:
            case WorkerReady(device):
                self.device = device
                self._phase = "idle"
                self.alarms.clear(Alarm.PHASE)
                return event
            case WorkerUnusable(reason) | WorkerLost(sentence=reason):
                self.leave(Cause.UNUSABLE, reason)
                return None
            case Heartbeat() | JobStands():
                return None
            case JobProgress() | JobPart() | JobEnded():
                job = self._job
                if job is None or event.job != job.number:
                    return None
                self._started = True
                if isinstance(event, JobProgress):
                    self._step = event.step or self._step
                    self._phase = event.phase if event.phase in PHASES else self._phase
                    self._await_step(job.request)
                elif isinstance(event, JobEnded):
                    self._answered(event)
                return event
            case _:
                assert_never(event)

    def _answered(self, event: JobEnded) -> None:
        match event.outcome:
            case Broken(device_lost=True, sentence=sentence):
                self.leave(Cause.DEVICE_LOST, sentence)
            case _:
                self._job = None
                self._phase = "idle"
                self.alarms.clear(Alarm.PHASE, Alarm.LEAVE)

    def _await_step(self, request: JobRequest) -> None:
        if isinstance(request, MeasureRequest):
            seconds = request.limit_seconds
        else:
            run = request.request if isinstance(request, RunJob | TraceJob) else None
            backend = "cuda" if self.device is None else self.device.backend
            seconds = self._deadlines.step_seconds(self._phase, run, backend)
        self.alarms.set(Alarm.PHASE, seconds)

    def _stream_ended(self, error: str | None) -> Sentence:
        when = PHASES[self._phase]
        if error is None:
            return say("The worker closed its connection {when}.", when=when)
        return say(
            "The worker sent a message that cannot be read {when}: {error}.", when=when, error=error
        )

    def _too_slow(self, seconds: str) -> EndReason:
        if self._line is not None and not self._line.connected:
            host = self._line.machine.name
            return EndReason(
                Cause.UNUSABLE,
                say("{host} did not answer within {seconds}.", host=host, seconds=seconds),
            )
        slow = say(
            "The worker took longer than {seconds} {when}, and was ended.",
            seconds=seconds,
            when=PHASES[self._phase],
        )
        return EndReason(Cause.SLOW, slow)

    def _end(self, reason: EndReason) -> None:
        """End the worker by a signal, upon which it prints where it was, and kill it soon after."""
        self._reason = reason
        self._signalled = True
        self.process.terminate()  # and no dismissal, upon which it would leave while it prints
        self.alarms.clear(Alarm.PHASE, Alarm.HEARTBEAT, Alarm.LEAVE)
        self.alarms.set(Alarm.KILL, self._deadlines.grace / 2)

    def _gone(self, exit_: Exit | None) -> WorkerGone:
        reason = self._reason
        # A pipe that ended may be only the first sign of a crash, of which the exit says more.
        if (
            reason is not None
            and reason.cause is Cause.STREAM
            and exit_ is not None
            and exit_.status
            and not self._signalled
        ):
            reason = None
        if reason is None and self._line is not None and exit_ is not None:
            explained = self._line.explain(exit_.status, exit_.output, PHASES[self._phase])
            if explained is not None:
                dropped = Cause.LINE if self._line.connected else Cause.UNUSABLE
                reason = EndReason(dropped, explained)
        sentence = describe(exit_, self._phase) if reason is None else reason.sentence
        # One that a driver keeps has printed where it was all the same.
        detail = (exit_ or Exit(0, self.process.printed)).detail
        if self._job is not None:
            sentence = with_line(sentence, detail, own_kernels(self._job.request), self._step)
        if self._hang is not None:
            sentence = join_sentences([sentence, cause_of(self._hang)], " ")
        cause = None if reason is None else reason.cause
        broken = Broken(
            self._phase,
            sentence,
            detail,
            line_dropped=cause is Cause.LINE,
            timed_out=cause is Cause.SLOW,
            hang=self._hang,
        )
        return WorkerGone(cause, broken, self._started)


def own_kernels(request: JobRequest) -> tuple[KernelSource, ...]:
    match request:
        case RunJob(kernels=kernels) | MeasureRequest(kernels=kernels):
            return kernels
        case TraceJob(kernel=KernelSource() as kernel):
            return (kernel,)
    return ()
