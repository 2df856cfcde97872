"""Measurement after measurement in one worker, for callers that wait.

A candidate that costs the worker costs only itself.
"""

import queue
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import Broken, EngineEvent, Finished, JobEnded, JobPart, JobProgress, Outcome
from lnkernels.values.environment import Kind

# Compiled ahead while a point is timed: more would only push out what comes first.
POINTS_AHEAD = 8


class BenchmarkError(Exception):
    """The benchmark cannot go on. `outcome` says why."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome.sentence) if isinstance(outcome, Broken) else type(outcome).__name__)
        self.outcome = outcome


def benchmark_points(
    requests: Sequence[MeasureRequest],
    device: str = "auto",
    on_event: Callable[[EngineEvent], None] | None = None,
    *,
    command: Sequence[str] | None = None,
    deadlines: Deadlines | None = None,
) -> Generator[Measured, None, None]:
    """One point for each request, as soon as it is known. The worker is gone when this ends, or is closed.

    Args:
        requests: each with its own N.
        device: "auto", "cuda:N", or "interpreter", which refuses.
        on_event: hears every event, on the caller's thread.
        command: the worker's program, if not this package's.
        deadlines: how long the worker may take for what.

    Raises:
        BenchmarkError: the device times nothing, or no worker can be started.
    """
    events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
    supervisor = Supervisor(events.put, device=device, command=command, deadlines=deadlines)
    supervisor.start()
    try:
        for position, request in enumerate(requests):
            supervisor.prepare(_ahead(requests[position + 1 : position + 1 + POINTS_AHEAD]))
            yield _point(supervisor, events, request, on_event)
    finally:
        supervisor.close()


def _ahead(requests: Sequence[MeasureRequest]) -> list[RunRequest]:
    return [setting for request in requests for setting in request.settings]


def _point(
    supervisor: Supervisor,
    events: "queue.SimpleQueue[EngineEvent]",
    request: MeasureRequest,
    on_event: Callable[[EngineEvent], None] | None,
) -> Measured:
    """Measure until every candidate has its outcome, each time without those who cost a worker."""
    lost: dict[str, CandidateOutcome] = {}
    while True:
        left = request.without(frozenset(lost))
        if not (left.settings or left.providers):
            return _without_times(request, lost)
        answer, at_work, known = _answer(supervisor, events, left, on_event)
        match answer:
            case Finished(value=Measured() as measured):
                return _merged(request, measured, lost)
            case Broken() if answer.phase != "start":
                lost.update(known)
                culprits = [at_work] if at_work in left.labels else [name for name in left.labels if name not in lost]
                for name in culprits:
                    lost[name] = CandidateOutcome(
                        label=name,
                        status="timed_out" if answer.timed_out else "failed",
                        setting=dict(zip(request.labels, request.settings, strict=False)).get(name),
                        reason=answer.sentence,
                    )
            case _:
                raise BenchmarkError(answer)


def _answer(
    supervisor: Supervisor,
    events: "queue.SimpleQueue[EngineEvent]",
    request: MeasureRequest,
    on_event: Callable[[EngineEvent], None] | None,
) -> tuple[Outcome, str, dict[str, CandidateOutcome]]:
    """The end of one job, who was at work last, and the outcomes of those who got no time."""
    job, at_work, known = supervisor.submit(request), "", dict[str, CandidateOutcome]()
    while True:
        event = events.get()
        if on_event is not None:
            on_event(event)
        match event:
            case JobProgress(job=number, step=step) if number == job and step:
                at_work = str(step)
            case JobPart(job=number, part=CandidateOutcome() as outcome) if number == job and outcome.status != "ok":
                known[outcome.label] = outcome
            case JobEnded(job=number, outcome=outcome) if number == job:
                return outcome, at_work, known


def _merged(request: MeasureRequest, measured: Measured, lost: dict[str, CandidateOutcome]) -> Measured:
    found = {outcome.label: outcome for outcome in measured.outcomes} | lost
    return replace(measured, outcomes=tuple(found[name] for name in request.labels if name in found))


def _without_times(request: MeasureRequest, lost: dict[str, CandidateOutcome]) -> Measured:
    return Measured(
        request=request,
        problem=request.subject,
        kind=Kind.MEASURED,
        outcomes=tuple(lost[name] for name in request.labels if name in lost),
        ceilings=(),
        before=None,
        after=None,
        warnings=(),
        timing_seconds=0.0,
        total_seconds=0.0,
    )
