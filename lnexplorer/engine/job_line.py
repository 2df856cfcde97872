"""The queue of jobs for one worker: which is next, and which make room for others."""

from collections.abc import Callable
from dataclasses import dataclass, field

from lnexplorer.domain.jobs import InspectJob, JobRequest, RunJob, TouchRequest, TraceJob
from lnexplorer.protocol.messages import JobEnded, Outcome, Superseded
from lnkernels.values import frozen

NEWEST_WINS = frozenset((0, 1, 2))  # ranks of jobs that make room for others
IN_LINE = 3


@frozen
class Job:
    """A request to a worker, and its number in all messages."""

    number: int
    request: JobRequest

    @property
    def rank(self) -> int:
        """The priority: runs and traces, inspections, touches, and then what waits in line."""
        match self.request:
            case RunJob() | TraceJob():
                return 0
            case InspectJob():
                return 1
            case TouchRequest():
                return 2
            case _:
                return IN_LINE


@dataclass(slots=True)
class JobLine:
    """At most one job with the worker, and those that wait.

    Of runs and traces the newest wins: it takes the place of what runs or waits. An inspection or a
    touch takes the place of one that waits. Everything else, such as measurements, is asked for on
    purpose and none is dropped: they wait for each other in the order in which they came, after
    everything that somebody looks at.

    A job that was ended while the worker still has it keeps its place until the worker lets go of
    it. Every method that ends jobs returns their ends, so that each job has exactly one.
    """

    held: Job | None = None  # by the worker
    ended: bool = False  # the held job has had its end
    waiting: list[Job] = field(default_factory=list)

    @property
    def running(self) -> Job | None:
        """The job that the worker has and that has no end yet."""
        return None if self.ended else self.held

    def add(self, job: Job) -> list[JobEnded]:
        ends = []
        if job.rank in NEWEST_WINS:
            if job.rank == 0 and self.running is not None and self.running.rank in NEWEST_WINS:
                ends += self.end_running(Superseded())
            ends += self.end_waiting(
                Superseded(), lambda each: each.rank in ({job.rank} if job.rank else NEWEST_WINS)
            )
        self.waiting.append(job)
        return ends

    def end_one(self, number: int, outcome: Outcome) -> list[JobEnded]:
        if self.running is not None and self.running.number == number:
            return self.end_running(outcome)
        return self.end_waiting(outcome, lambda job: job.number == number)

    def end_all(self, outcome: Outcome) -> list[JobEnded]:
        return self.end_running(outcome) + self.end_waiting(outcome)

    def end_running(self, outcome: Outcome) -> list[JobEnded]:
        """End the running job, if there is one; the worker may still have it."""
        running = self.running
        self.ended = True
        return [] if running is None else [JobEnded(running.number, outcome)]

    def end_waiting(
        self, outcome: Outcome, which: Callable[[Job], bool] = lambda _: True
    ) -> list[JobEnded]:
        ended = [job for job in self.waiting if which(job)]
        self.waiting = [job for job in self.waiting if job not in ended]
        return [JobEnded(job.number, outcome) for job in ended]

    def take(self) -> Job | None:
        """Give the next job to the worker, which must hold none."""
        job = min(self.waiting, key=lambda each: each.rank, default=None)
        if job is not None:
            self.waiting.remove(job)
            self.held = job
            self.ended = False
        return job

    def put_back(self) -> None:
        """The worker is gone without having begun its job, which is next again."""
        if self.running is not None:
            self.waiting.insert(0, self.running)
            self.release()

    def release(self) -> None:
        """The worker has let go of its job, or is gone."""
        self.held = None
        self.ended = False
