"""One device of a pool: its worker, one measurement at a time, and a second worker while the first one seems to be stuck."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from lnexplorer.domain.measuring import CandidateOutcome, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import Broken, EngineEvent, JobEnded, JobPart, JobProgress, Outcome, WorkerLost, WorkerReady
from lnkernels.sentence import Sentence
from lnkernels.values.environment import Device

# A step that has taken this much of its time will hardly end by itself. A worker takes seconds to start, so the next one starts
# now, and works as soon as the stuck one is gone.
STUCK_SHARE = 0.5


@dataclass(slots=True)
class Work:
    """A measurement under way."""

    job: int
    request: MeasureRequest
    began: float
    step_began: float
    at: str | None = None  # label of the candidate at work, where that is known
    outcomes: dict[str, CandidateOutcome] = field(default_factory=dict)  # those that are final, by label


class PoolListener(Protocol):
    """Hears runners; on the thread that their events are posted to."""

    def runner_ready(self, runner: "DeviceRunner") -> None:
        """The device is known, and the runner takes work."""

    def runner_ended(self, runner: "DeviceRunner", work: Work, outcome: Outcome) -> None:
        """The measurement is over; the runner takes the next one, unless its worker could not start."""

    def runner_replaced(self, runner: "DeviceRunner", sentence: Sentence) -> None:
        """The worker was lost, and another one follows."""

    def runner_lost(self, runner: "DeviceRunner", sentence: Sentence) -> None:
        """No worker can be had any more; `work`, if there was any, has ended before."""


class DeviceRunner:
    """One device. Used by one thread, to which `post` brings what the workers say."""

    def __init__(
        self,
        device: str,
        listener: PoolListener,
        post: Callable[[Callable[[], None]], None],
        command: Sequence[str] | None,
        deadlines: Deadlines | None,
    ) -> None:
        self.facts: Device | None = None  # while a worker has the device
        self.work: Work | None = None
        self.lost = False
        self._wish = device
        self._listener = listener
        self._post = post
        self._command = command
        self._deadlines = deadlines
        self._ahead: Sequence[RunRequest] = ()
        self._active: Supervisor | None = None
        self._spare: Supervisor | None = None
        self._up = self._spare_up = False  # whether a worker is ready, and not still starting
        self._closers: list[threading.Thread] = []

    @property
    def name(self) -> str:
        """The device as it is known so far: "cuda:0", "interpreter", or what was wished."""
        if self.facts is None:
            return self._wish
        return "interpreter" if self.facts.index is None else f"cuda:{self.facts.index}"

    @property
    def idle(self) -> bool:
        """Whether it can take work."""
        return self.facts is not None and self.work is None and not self.lost

    def start(self) -> None:
        """Have a worker."""
        self._active = self._started()
        if self._ahead:
            self._active.prepare(self._ahead)

    def measure(self, request: MeasureRequest) -> None:
        """Measure; the runner is idle."""
        assert self._active is not None, "it was started"
        now = time.monotonic()
        self.work = Work(self._active.submit(request), request, now, now)

    def prepare(self, requests: Sequence[RunRequest]) -> None:
        """Have settings compiled while others are measured."""
        self._ahead = requests
        if self._active is not None:
            self._active.prepare(requests)

    def cancel(self) -> None:
        """Leave the measurement."""
        if self.work is not None and self._active is not None:
            self._active.cancel(self.work.job)

    def close(self) -> None:
        """Let all workers go, and do not wait for it; `join` does."""
        self._close(self._active)
        self._close(self._spare)
        self._active = self._spare = None

    def join(self) -> None:
        """Wait until no process is left, which takes a bounded time."""
        for closer in self._closers:
            closer.join()

    def seconds_to_stuck(self) -> float | None:
        """Time until the step at work counts as stuck; None where nothing waits for that."""
        if self.work is None or self._spare is not None or not self._up:
            return None
        return max(self.work.step_began + STUCK_SHARE * self.work.request.limit_seconds - time.monotonic(), 0.0)

    def look(self) -> None:
        """Start the next worker if this one is stuck."""
        if self.seconds_to_stuck() == 0.0:
            self._spare, self._spare_up = self._started(), False

    def _started(self) -> Supervisor:
        # The supervisor tells itself with its events; it has a name by the time it says anything.
        made: list[Supervisor] = []
        supervisor = Supervisor(
            lambda event: self._post(partial(self._hear, made[0], event)),
            device=self._wish if self.facts is None else self.name,
            command=self._command,
            deadlines=self._deadlines,
        )
        made.append(supervisor)
        supervisor.start()
        return supervisor

    def _hear(self, supervisor: Supervisor, event: EngineEvent) -> None:
        if supervisor is self._active:
            self._hear_active(event)
        elif supervisor is self._spare:
            self._hear_spare(event)

    def _hear_spare(self, event: EngineEvent) -> None:
        if isinstance(event, WorkerReady):
            self._spare_up = True
        elif isinstance(event, WorkerLost) and not event.restarting:
            self._close(self._spare)
            self._spare = None

    def _hear_active(self, event: EngineEvent) -> None:
        work = self.work
        match event:
            case WorkerReady(device=device):
                self.facts, self._up = device, True
                if work is not None:
                    work.step_began = time.monotonic()
                self._listener.runner_ready(self)
            case JobProgress(job=job, step=step) if work is not None and job == work.job:
                work.step_began = time.monotonic()
                work.at = str(step) if str(step) in work.request.labels else work.at
            case JobPart(job=job, part=CandidateOutcome() as outcome) if work is not None and job == work.job:
                work.outcomes[outcome.label] = outcome
            case JobEnded(job=job, outcome=outcome) if work is not None and job == work.job:
                self._ended(work, outcome)
            case WorkerLost(sentence=sentence, restarting=True):
                self._up = False
                self._listener.runner_replaced(self, sentence)
            case WorkerLost(sentence=sentence):
                self.lost, self._up = True, False
                self._listener.runner_lost(self, sentence)

    def _ended(self, work: Work, outcome: Outcome) -> None:
        self.work = None
        if isinstance(outcome, Broken):
            if outcome.phase == "start":
                self.facts = None  # until a worker is ready, or none comes
            elif self._spare is not None:
                self._change_over(outcome.sentence)
        self._listener.runner_ended(self, work, outcome)

    def _change_over(self, sentence: Sentence) -> None:
        """Go on with the spare worker. The other one has ended, or was left without work by an error."""
        self._close(self._active)
        self._active, self._spare, self._up = self._spare, None, self._spare_up
        self.prepare(self._ahead)
        self._listener.runner_replaced(self, sentence)

    def _close(self, supervisor: Supervisor | None) -> None:
        if supervisor is not None:
            closer = threading.Thread(target=supervisor.close, name="runner-closer", daemon=True)
            closer.start()
            self._closers.append(closer)
