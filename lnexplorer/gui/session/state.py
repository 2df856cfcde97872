"""The session as a frozen value, and how each event of the engine changes it. No Qt."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias, assert_never

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.measuring import CandidateOutcome, Measured
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.provenance import Device, Kind
from lnexplorer.domain.request import ResolvedRequest, RunRequest, pinned, resolve
from lnexplorer.domain.result import Correctness, ErrorMap, Figure, KernelFacts, RunResult
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.domain.touch import Touched
from lnexplorer.engine.events import (
    Broken,
    EngineEvent,
    Finished,
    JobEnded,
    JobPart,
    JobProgress,
    JobStarted,
    Outcome,
    Refused,
    Stopped,
    Superseded,
    Value,
    WorkerLost,
    WorkerReady,
    WorkerStarting,
)
from lnkernels.launch import DeviceLimits, Problem


class WorkerState(StrEnum):
    """What the status bar says about the worker."""

    STARTING = "starting"
    READY = "ready"
    RUNNING = "running"
    LOST = "lost"


# In English, as the catalogue knows it, or what says it in the language of the window, whichever that is by then.
Words: TypeAlias = str | Callable[[], str]


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that happened here: what was said when it happened, and what says it again in another language."""

    sentence: str
    detail: str = ""
    words: tuple[Words, ...] = field(default=(), compare=False)  # of each sentence; none where `sentence` is in English
    more_words: Words = field(default="", compare=False)  # of the detail


Notice: TypeAlias = WorkerLost | Broken | Refused | Remark


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """Everything that the window shows. `resolved`, `kind` and what follows belong to one run."""

    request: RunRequest = field(default_factory=RunRequest)
    problems: tuple[Problem, ...] = ()
    device: Device | None = None
    worker: WorkerState = WorkerState.STARTING
    busy: bool = False  # a run or a trace is asked for and has not ended
    live: bool = True
    peers: tuple[str, ...] = DEFAULT_PEERS  # who is timed beside the strategy
    job: int | None = None  # the newest run, also after its end
    trace_job: int | None = None
    inspect_job: int | None = None
    asked: RunRequest | None = None  # what the newest run was asked
    progress: JobProgress | None = None
    notice: Notice | None = None
    resolved: ResolvedRequest | None = None
    kind: Kind | None = None
    correctness: Correctness | None = None
    compiled: tuple[KernelFacts, ...] = ()
    figures: tuple[Figure, ...] = ()
    result: RunResult | None = None
    timeline: ReductionTimeline | None = None
    map: ErrorMap | None = None
    ended: int = 0  # number of runs that have ended, in whatever way

    @property
    def backend(self) -> str:
        """Backend of the device; the interpreter's defaults are the modest ones while no device is known."""
        return self.device.backend if self.device else "interpreter"

    @property
    def limits(self) -> DeviceLimits | None:
        """Limits of the device; None while it is not known."""
        return self.device.limits if self.device else None

    @property
    def worker_shown(self) -> WorkerState:
        """What the worker does, as far as the user wants to know."""
        return WorkerState.RUNNING if self.busy and self.worker is WorkerState.READY else self.worker


def begin_run(state: SessionState, job: int) -> SessionState:
    """The session once the supervisor has taken its request as `job`."""
    return replace(
        state,
        job=job,
        trace_job=None,
        asked=state.request,
        busy=True,
        progress=None,
        notice=None,
        figures=(),
    )


def begin_trace(state: SessionState, job: int) -> SessionState:
    """The session once the supervisor has taken its request as the trace `job`."""
    return replace(state, trace_job=job, asked=state.request, busy=True, progress=None, notice=None)


def show_result(state: SessionState, result: RunResult, timeline: ReductionTimeline | None = None) -> SessionState:
    """The session with a result of the past; answers of a run that is still under way are not shown any more."""
    return replace(
        _with_result(state, result),
        request=pinned(result.request, result.resolved, state.backend, state.limits),
        problems=(),
        job=None,
        trace_job=None,
        busy=False,
        progress=None,
        notice=None,
        timeline=timeline,
    )


def after_event(state: SessionState, event: EngineEvent) -> SessionState:
    """The session after an event. Events of jobs that are not the newest change nothing."""
    match event:
        case WorkerStarting() | WorkerReady() | WorkerLost():
            return _after_worker(state, event)
        case JobStarted(job) | JobProgress(job=job) if job not in (state.job, state.trace_job):
            return state
        case JobStarted():
            return replace(state, worker=WorkerState.READY)
        case JobProgress():
            return replace(state, progress=event)
        case JobPart(job, part):
            return _with_part(state, part) if job == state.job else state
        case JobEnded(job, outcome):
            return _after_end(state, job, outcome)
        case _:
            assert_never(event)


def _after_worker(state: SessionState, event: WorkerStarting | WorkerReady | WorkerLost) -> SessionState:
    match event:
        case WorkerStarting():
            return replace(state, worker=WorkerState.STARTING)
        case WorkerReady(device):
            return replace(state, device=device, worker=WorkerState.READY)
        case WorkerLost():
            return replace(state, worker=WorkerState.LOST, notice=event, progress=None)
        case _:
            assert_never(event)


def _with_part(
    state: SessionState, part: Correctness | tuple[KernelFacts, ...] | Figure | CandidateOutcome | ExperimentResult
) -> SessionState:
    if isinstance(part, CandidateOutcome | ExperimentResult):
        return state  # of a measurement or an experiment, which the window does not ask for by this session
    assert state.asked is not None  # a job has a request
    kind = Kind.MEASURED if state.backend == "cuda" else Kind.INTERPRETED
    state = replace(state, resolved=resolve(state.asked, state.backend, state.limits), kind=kind)
    match part:
        case Correctness():
            return replace(state, correctness=part, result=None, timeline=None, map=None)
        case Figure():
            return replace(state, figures=(*state.figures, part))
        case _:
            return replace(state, compiled=part)


def _after_end(state: SessionState, job: int, outcome: Outcome) -> SessionState:
    if job not in (state.job, state.trace_job, state.inspect_job):
        return state
    if job != state.inspect_job:
        state = replace(state, busy=False, progress=None, ended=state.ended + 1)
    match outcome:
        case Finished(value):
            return _with_value(state, value)
        case Stopped() | Superseded():
            return state
        case Refused() | Broken():
            return replace(state, notice=outcome)
        case _:
            assert_never(outcome)


def _with_value(state: SessionState, value: Value) -> SessionState:
    match value:
        case Measured() | ExperimentResult() | Touched():
            return state  # of jobs that are not the session's
        case RunResult():
            return _with_result(state, value)
        case ReductionTimeline():
            return replace(state, timeline=value, resolved=resolve(state.asked or state.request, state.backend, state.limits))
        case ErrorMap():
            return replace(state, map=value)
        case _:
            assert_never(value)


def _with_result(state: SessionState, result: RunResult) -> SessionState:
    return replace(
        state,
        result=result,
        resolved=result.resolved,
        kind=result.provenance.kind,
        correctness=result.correctness,
        compiled=result.compiled,
        figures=() if result.throughput is None else result.throughput.figures,
        timeline=None,
        map=None,
    )
