"""One job from beginning to end, for callers that wait: the command line."""

import queue
from collections.abc import Callable, Sequence

from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.touch import TouchRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.events import EngineEvent, JobEnded, Outcome
from lnexplorer.engine.supervisor import Supervisor


def run_to_end(
    request: RunRequest,
    device: str = "auto",
    on_progress: Callable[[EngineEvent], None] | None = None,
    *,
    providers: tuple[str, ...] = DEFAULT_PEERS,
    command: Sequence[str] | None = None,
    deadlines: Deadlines | None = None,
) -> Outcome:
    """Check and time the kernels in a worker of their own, which is gone when this returns.

    Args:
        request: what to run.
        device: "auto", "cuda:N", "interpreter" or "interpreter:sm_80".
        on_progress: hears every event, on the caller's thread.
        providers: who is timed beside the kernels.
        command: the worker's program, if not this package's.
        deadlines: how long the worker may take for what.
    """
    return _to_end(lambda supervisor: supervisor.run(request, providers), device, on_progress, command, deadlines)


def trace_to_end(
    request: RunRequest,
    device: str = "auto",
    on_progress: Callable[[EngineEvent], None] | None = None,
    *,
    command: Sequence[str] | None = None,
    deadlines: Deadlines | None = None,
) -> Outcome:
    """Record the locks of stage 1 in a worker of its own; arguments as those of `run_to_end`."""
    return _to_end(lambda supervisor: supervisor.trace(request), device, on_progress, command, deadlines)


def measure_to_end(
    request: MeasureRequest,
    device: str = "auto",
    on_progress: Callable[[EngineEvent], None] | None = None,
    *,
    command: Sequence[str] | None = None,
    deadlines: Deadlines | None = None,
) -> Outcome:
    """Check and time several candidates in a worker of their own; arguments as those of `run_to_end`."""
    return _to_end(lambda supervisor: supervisor.measure(request), device, on_progress, command, deadlines)


def conduct_to_end(
    request: ExperimentRequest,
    device: str = "auto",
    on_progress: Callable[[EngineEvent], None] | None = None,
    *,
    command: Sequence[str] | None = None,
    deadlines: Deadlines | None = None,
) -> Outcome:
    """Do an experiment in a worker of its own; arguments as those of `run_to_end`."""
    return _to_end(lambda supervisor: supervisor.conduct(request), device, on_progress, command, deadlines)


def touch_to_end(
    request: TouchRequest,
    on_progress: Callable[[EngineEvent], None] | None = None,
    *,
    command: Sequence[str] | None = None,
    deadlines: Deadlines | None = None,
) -> Outcome:
    """Tell what a row's programs touch, in a worker of its own on the interpreter; arguments as those of `run_to_end`."""
    return _to_end(lambda supervisor: supervisor.touch(request), "interpreter", on_progress, command, deadlines)


def _to_end(
    submit: Callable[[Supervisor], int],
    device: str,
    on_progress: Callable[[EngineEvent], None] | None,
    command: Sequence[str] | None,
    deadlines: Deadlines | None,
) -> Outcome:
    events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
    supervisor = Supervisor(events.put, device=device, command=command, deadlines=deadlines)
    supervisor.start()
    try:
        job = submit(supervisor)
        while True:
            event = events.get()
            if on_progress is not None:
                on_progress(event)
            if isinstance(event, JobEnded) and event.job == job:
                return event.outcome
    finally:
        supervisor.close()
