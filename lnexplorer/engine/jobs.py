"""Jobs, and the line in which they wait: the newest request wins."""

from dataclasses import dataclass, field

from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.events import JobEnded, Outcome, Superseded
from lnexplorer.protocol.messages import Inspect, Run, Trace


@dataclass(frozen=True, slots=True)
class Job:
    """What was asked of a worker."""

    command: Run | Trace | Inspect

    @property
    def number(self) -> int:
        """Number by which everything about the job is known."""
        return self.command.job

    @property
    def request(self) -> RunRequest | None:
        """The request of a run or a trace."""
        return None if isinstance(self.command, Inspect) else self.command.request


@dataclass(slots=True)
class JobLine:
    """At most one job with the worker, one run or trace that waits, and one inspection that waits.

    A job that was ended while the worker still has it keeps its place until the worker lets go of it. Every method that ends
    jobs returns their ends, so that each job has exactly one.
    """

    held: Job | None = None  # by the worker
    ended: bool = False  # the held job has had its end
    _waiting: dict[str, Job] = field(default_factory=dict)

    @property
    def running(self) -> Job | None:
        """The job that the worker has and that has no end yet."""
        return None if self.ended else self.held

    @property
    def waits(self) -> bool:
        """Whether a job waits."""
        return bool(self._waiting)

    def add(self, job: Job) -> list[JobEnded]:
        """Let a job wait. A run or trace takes the place of everything before it, an inspection only of one that waits."""
        if isinstance(job.command, Inspect):
            replaced = self._waiting.pop("inspection", None)
            self._waiting["inspection"] = job
            return [] if replaced is None else [JobEnded(replaced.number, Superseded())]
        ends = self.end_all(Superseded())
        self._waiting["run"] = job
        return ends

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
        ends = [JobEnded(job.number, outcome) for job in self._waiting.values()]
        self._waiting.clear()
        return ends

    def take(self) -> Job | None:
        """Give the next job to the worker, which must hold none."""
        for kind in ("run", "inspection"):
            if kind in self._waiting:
                self.held, self.ended = self._waiting.pop(kind), False
                return self.held
        return None

    def release(self) -> None:
        """The worker has let go of its job, or is gone."""
        self.held, self.ended = None, False
