"""Measurement after measurement in one worker, for callers that wait.

A candidate that costs the worker costs only itself.
"""

import queue
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest, Status
from lnexplorer.engine.batches import Batch
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, Outcome
from lnkernels.values.environment import Kind

# Compiled ahead while a point is timed: more would only push out what comes first.
POINTS_AHEAD = 8


class BenchmarkError(Exception):
    """The benchmark cannot go on. `outcome` says why."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(
            str(outcome.sentence) if isinstance(outcome, Broken) else type(outcome).__name__
        )
        self.outcome = outcome


def benchmark_points(
    requests: Sequence[MeasureRequest],
    device: str = "auto",
    on_event: Callable[[EngineEvent], object] = lambda _: None,
    *,
    command: Sequence[str] | None = None,
    deadlines: Deadlines | None = None,
) -> Generator[Measured, None, None]:
    """One point for each request, as soon as it is known. The worker is gone when this ends, or is
    closed.

    Raises:
        BenchmarkError: the device times nothing, or no worker can be started.
    """
    events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
    supervisor = Supervisor(events.put, device=device, command=command, deadlines=deadlines)
    supervisor.start()
    try:
        for position, request in enumerate(requests):
            later = requests[position + 1 : position + 1 + POINTS_AHEAD]
            supervisor.prepare([setting for each in later for setting in each.settings])
            yield _point(supervisor, events, request, on_event)
    finally:
        supervisor.close()


def _point(
    supervisor: Supervisor,
    events: "queue.SimpleQueue[EngineEvent]",
    request: MeasureRequest,
    on_event: Callable[[EngineEvent], object],
) -> Measured:
    """Measure until every candidate has its outcome, each time without those who cost a worker."""
    lost: dict[str, CandidateOutcome] = {}
    settings = dict(zip(request.labels, request.settings, strict=False))
    measured = Measured(request=request, problem=request.subject, kind=Kind.MEASURED, outcomes=())
    while (left := request.without(frozenset(lost))).labels:
        job, batch = supervisor.submit(left), Batch(left)
        while not isinstance(event := events.get(), JobEnded) or event.job != job:
            on_event(event)
            batch.hear(event)
        on_event(event)
        match event.outcome:
            case Finished(value=Measured() as measured):
                break
            case Broken() as answer if answer.phase != "start":
                lost.update(batch.outcomes)
                status: Status = "timed_out" if answer.timed_out else "failed"
                for name in (
                    [batch.at_fault]
                    if batch.at_fault
                    else [name for name in left.labels if name not in lost]
                ):
                    setting = settings.get(name)
                    lost[name] = CandidateOutcome(
                        label=name, status=status, setting=setting, reason=answer.sentence
                    )
            case answer:
                raise BenchmarkError(answer)
    found = {outcome.label: outcome for outcome in measured.outcomes} | lost
    return replace(
        measured, outcomes=tuple(found[name] for name in request.labels if name in found)
    )
