"""Jobs, and the line in which they wait.

Of runs and traces the newest wins: it takes the place of what runs or waits. Measurements are asked for on purpose and none is
dropped: they wait for each other in the order in which they came, and a run or an inspection goes before those that wait.
"""

from collections import deque
from dataclasses import dataclass, field

from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.events import JobEnded, Outcome, Superseded
from lnexplorer.protocol.messages import Conduct, Inspect, Measure, Run, Touch, Trace, Work


@dataclass(frozen=True, slots=True)
class Job:
    """What was asked of a worker."""

    command: Work

    @property
    def number(self) -> int:
        """Number by which everything about the job is known."""
        return self.command.job

    @property
    def request(self) -> RunRequest | None:
        """The request of a run or a trace."""
        return self.command.request if isinstance(self.command, Run | Trace) else None

    @property
    def step_seconds(self) -> float | None:
        """Time for one step, where the job brings its own."""
        return self.command.request.limit_seconds if isinstance(self.command, Measure) else None


@dataclass(slots=True)
class JobLine:
    """At most one job with the worker; one run or trace, one inspection, and any number of measurements that wait.

    A job that was ended while the worker still has it keeps its place until the worker lets go of it. Every method that ends
    jobs returns their ends, so that each job has exactly one.
    """

    held: Job | None = None  # by the worker
    ended: bool = False  # the held job has had its end
    _waiting: dict[str, Job] = field(default_factory=dict)
    _measurements: deque[Job] = field(default_factory=deque)

    @property
    def running(self) -> Job | None:
        """The job that the worker has and that has no end yet."""
        return None if self.ended else self.held

    @property
    def waits(self) -> bool:
        """Whether a job waits."""
        return bool(self._waiting or self._measurements)

    def add(self, job: Job) -> list[JobEnded]:
        """Let a job wait. A run or trace takes the place of runs, traces and inspections, an inspection of one that waits."""
        if isinstance(job.command, Measure | Conduct):
            self._measurements.append(job)
            return []
        if isinstance(job.command, Inspect | Touch):
            kind = "inspection" if isinstance(job.command, Inspect) else "touch"
            replaced = self._waiting.pop(kind, None)
            self._waiting[kind] = job
            return [] if replaced is None else [JobEnded(replaced.number, Superseded())]
        measures = self.running is not None and isinstance(self.running.command, Measure | Conduct)
        ends = [] if measures else self.end_running(Superseded())
        ends += [JobEnded(waiting.number, Superseded()) for waiting in self._waiting.values()]
        self._waiting = {"run": job}
        return ends

    def end_one(self, number: int, outcome: Outcome) -> list[JobEnded]:
        """End one job, whether it runs or waits."""
        if self.running is not None and self.running.number == number:
            return self.end_running(outcome)
        found = [job for job in (*self._waiting.values(), *self._measurements) if job.number == number]
        self._waiting = {kind: job for kind, job in self._waiting.items() if job.number != number}
        self._measurements = deque(job for job in self._measurements if job.number != number)
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
        ends = [JobEnded(job.number, outcome) for job in (*self._waiting.values(), *self._measurements)]
        self._waiting.clear()
        self._measurements.clear()
        return ends

    def take(self) -> Job | None:
        """Give the next job to the worker, which must hold none."""
        for kind in ("run", "inspection", "touch"):
            if kind in self._waiting:
                self.held, self.ended = self._waiting.pop(kind), False
                return self.held
        if self._measurements:
            self.held, self.ended = self._measurements.popleft(), False
            return self.held
        return None

    def release(self) -> None:
        """The worker has let go of its job, or is gone."""
        self.held, self.ended = None, False
