"""One device of a pool: its worker, and one measurement at a time."""

import threading
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


@dataclass(slots=True)
class Work:
    """A measurement under way."""

    job: int
    request: MeasureRequest
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
        self._supervisor: Supervisor | None = None
        self._closer: threading.Thread | None = None

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
        self._supervisor = Supervisor(
            lambda event: self._post(partial(self._hear, event)),
            device=self._wish,
            command=self._command,
            deadlines=self._deadlines,
        )
        self._supervisor.start()
        if self._ahead:
            self._supervisor.prepare(self._ahead)

    def measure(self, request: MeasureRequest) -> None:
        """Measure; the runner is idle."""
        assert self._supervisor is not None, "it was started"
        self.work = Work(self._supervisor.submit(request), request)

    def prepare(self, requests: Sequence[RunRequest]) -> None:
        """Have settings compiled while others are measured."""
        self._ahead = requests
        if self._supervisor is not None:
            self._supervisor.prepare(requests)

    def cancel(self) -> None:
        """Leave the measurement."""
        if self.work is not None and self._supervisor is not None:
            self._supervisor.cancel(self.work.job)

    def close(self) -> None:
        """Let the worker go, and do not wait for it; `join` does."""
        if self._supervisor is not None:
            self._closer = threading.Thread(target=self._supervisor.close, name="runner-closer", daemon=True)
            self._closer.start()
            self._supervisor = None

    def join(self) -> None:
        """Wait until no process is left, which takes a bounded time."""
        if self._closer is not None:
            self._closer.join()

    def _hear(self, event: EngineEvent) -> None:
        if self._supervisor is None:
            return  # what it says while it closes
        work = self.work
        match event:
            case WorkerReady(device=device):
                self.facts = device
                self._listener.runner_ready(self)
            case JobProgress(job=job, step=step) if work is not None and job == work.job:
                work.at = str(step) if str(step) in work.request.labels else work.at
            case JobPart(job=job, part=CandidateOutcome() as outcome) if work is not None and job == work.job:
                work.outcomes[outcome.label] = outcome
            case JobEnded(job=job, outcome=outcome) if work is not None and job == work.job:
                self._ended(work, outcome)
            case WorkerLost(sentence=sentence, restarting=True):
                self._listener.runner_replaced(self, sentence)
            case WorkerLost(sentence=sentence):
                self.lost = True
                self._listener.runner_lost(self, sentence)

    def _ended(self, work: Work, outcome: Outcome) -> None:
        self.work = None
        if isinstance(outcome, Broken) and outcome.phase == "start":
            self.facts = None  # until a worker is ready, or none comes
        self._listener.runner_ended(self, work, outcome)
