"""The session as a frozen value, and how each event of the engine changes it. No Qt."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias, assert_never

from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.jobs import Compiled, JobFinding, JobResult, Touched
from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.measuring import CandidateOutcome, Measured
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import ResolvedRequest, RunPlan, RunRequest, pinned, plan_run
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.messages import (
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
    WorkerLost,
    WorkerReady,
    WorkerStarting,
)
from lnkernels.launch import DeviceLimits, Problem
from lnkernels.launch.source import KernelSource
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.compiled import CompiledKernels, KernelFacts
from lnkernels.values.environment import Device, Environment, Kind
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import Sentence
from lnkernels.values.timeline import ReductionTimeline


class WorkerState(StrEnum):
    """What the status bar says about the worker."""

    STARTING = "starting"
    READY = "ready"
    RUNNING = "running"
    LOST = "lost"


Words: TypeAlias = Sentence | str  # a text stays as it is in every language


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that happened here, in lines."""

    lines: tuple[Words, ...]
    detail: Words = ""
    stays: bool = False  # until somebody puts it away

    @property
    def sentence(self) -> str:
        """All of it, in English."""
        return "\n".join(map(str, self.lines))


Notice: TypeAlias = WorkerLost | Broken | Refused | Remark


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """Everything that the window shows. `resolved`, `kind` and what follows up to `result` belong
    to one run.
    """

    request: RunRequest = field(default_factory=RunRequest)
    problems: tuple[Problem, ...] = ()
    device: Device | None = None
    worker: WorkerState = WorkerState.STARTING
    busy: bool = False  # a run or a trace is asked for and has not ended
    live: bool = True
    peers: tuple[str, ...] = DEFAULT_PEERS  # who is timed beside the strategy
    kernel: KernelSource | None = (
        None  # the one of the user's own that is watched, with the settings that are chosen
    )
    own: KernelVersion | None = None  # what was found of its newest text
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
    launch: ResolvedRequest | None = None  # of the timeline; None where it is not known
    traced_in: Environment | None = None  # the same, where it was made
    map: ErrorMap | None = None
    ended: int = 0  # number of runs that have ended, in whatever way

    @property
    def backend(self) -> str:
        return self.device.backend if self.device else "interpreter"

    @property
    def limits(self) -> DeviceLimits | None:
        return self.device.limits if self.device else None

    @property
    def plan(self) -> RunPlan:
        """What the request means on the session's device."""
        return self.plan_of(self.request)

    def plan_of(self, request: RunRequest) -> RunPlan:
        """Resolve a request on the session's device, and check it there."""
        memory = self.device.free_memory_bytes if self.device else None
        return plan_run(request, self.backend, self.limits, memory)

    @property
    def launch_shown(self) -> ResolvedRequest | None:
        """Of the timeline, with what it does not tell as the heuristics have it; None without one."""
        if self.timeline is None:
            return None
        return self.launch or self.plan_of(request_of(self.timeline)).resolved

    @property
    def is_of_run(self) -> bool:
        """Whether the timeline is a trace of the run on show: of its launch, made where it ran, and
        recorded as it is.
        """
        timeline, result, made = self.timeline, self.result, self.traced_in
        if (
            timeline is None
            or timeline.source
            or result is None
            or made is None
            or self.launch != result.resolved
        ):
            return False
        return (
            made.place == result.provenance.environment.place
            and timeline.kind is result.provenance.kind
        )

    @property
    def can_restart(self) -> bool:
        """Whether starting a worker helps: not where one is being started, or is there."""
        if isinstance(self.notice, WorkerLost):
            return not self.notice.restarting
        return isinstance(self.notice, Broken) and self.worker is WorkerState.LOST

    @property
    def worker_shown(self) -> WorkerState:
        """What the worker does, as far as the user wants to know."""
        return (
            WorkerState.RUNNING if self.busy and self.worker is WorkerState.READY else self.worker
        )

    def differs(self, other: "SessionState", *names: str) -> bool:
        return any(getattr(self, name) != getattr(other, name) for name in names)


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


def show_result(
    state: SessionState, result: RunResult, timeline: ReductionTimeline | None = None
) -> SessionState:
    """The session with a result of the past and its trace; answers of a run that is still under way
    are not shown any more.
    """
    state = _at_rest(
        _with_result(state, result),
        pinned(result.request, result.resolved, state.backend, state.limits),
    )
    return (
        state
        if timeline is None
        else show_timeline(state, timeline, result.resolved, result.provenance.environment)
    )


def show_timeline(
    state: SessionState,
    timeline: ReductionTimeline,
    launch: ResolvedRequest | None = None,
    environment: Environment | None = None,
) -> SessionState:
    """The session with a timeline of the past, whatever run is on show beside it."""
    return replace(state, timeline=timeline, launch=launch, traced_in=environment)


def ask_as_traced(state: SessionState) -> SessionState:
    """The session whose form has the launch of its timeline, and that shows no other run beside it;
    answers of one that is still under way are not shown any more.
    """
    assert state.timeline is not None
    request = request_of(state.timeline)
    if state.launch is not None:
        asked = replace(
            request,
            dtype=state.launch.dtype,
            eps=state.launch.eps,
            data=state.launch.data,
            seed=state.launch.seed,
        )
        request = pinned(
            replace(asked, repeats=state.launch.repeats), state.launch, state.backend, state.limits
        )
    alone = replace(
        state,
        resolved=state.launch_shown,
        kind=state.timeline.kind,
        result=None,
        correctness=None,
        map=None,
    )
    return _at_rest(replace(alone, compiled=(), figures=()), request)


def _at_rest(state: SessionState, request: RunRequest) -> SessionState:
    """The session with a request that is not run."""
    return replace(
        state,
        request=request,
        problems=(),
        job=None,
        trace_job=None,
        busy=False,
        progress=None,
        notice=None,
    )


def request_of(timeline: ReductionTimeline) -> RunRequest:
    """What a timeline tells of its launch."""
    if timeline.source:
        return RunRequest(m=timeline.m, n=timeline.n)
    request = RunRequest.of(
        m=timeline.m,
        n=timeline.n,
        group_size_m=timeline.group_size_m,
        reduce_block_size_m=timeline.tile_block_m,
        reduce_block_size_n=timeline.tile_block_n,
    )
    if timeline.sums is None:
        return request
    if timeline.sums.partial_dtype == "float32":
        return request.changed(partial_dtype="float32")
    return request.changed(dtype=timeline.sums.partial_dtype, partial_dtype="same")


def after_event(state: SessionState, event: EngineEvent) -> SessionState:
    """The session after an event. Events of jobs that are not the newest change nothing."""
    match event:
        case WorkerStarting():
            state = replace(state, worker=WorkerState.STARTING)
        case WorkerReady(device):
            state = replace(state, device=device, worker=WorkerState.READY)
        case WorkerLost():
            state = replace(state, worker=WorkerState.LOST, notice=event, progress=None)
        case JobStarted(job) | JobProgress(job=job) if job not in (state.job, state.trace_job):
            pass
        case JobStarted():
            state = replace(state, worker=WorkerState.READY)
        case JobProgress():
            state = replace(state, progress=event)
        case JobPart(job, part):
            state = _with_part(state, part) if job == state.job else state
        case JobEnded(job, outcome):
            state = _after_end(state, job, outcome)
        case _:
            assert_never(event)
    return state


def _with_part(state: SessionState, part: JobFinding) -> SessionState:
    if isinstance(part, CandidateOutcome | ExperimentResult):
        # of a measurement or an experiment, which the window does not ask for by this session
        return state
    assert state.asked is not None  # a job has a request
    kind = Kind.MEASURED if state.backend == "cuda" else Kind.INTERPRETED
    state = replace(state, resolved=state.plan_of(state.asked).resolved, kind=kind)
    match part:
        case Correctness():
            return replace(
                state,
                correctness=part,
                result=None,
                timeline=None,
                launch=None,
                traced_in=None,
                map=None,
            )
        case Figure():
            return replace(state, figures=(*state.figures, part))
        case CompiledKernels(kernels):
            return replace(state, compiled=kernels)
        case _:
            assert_never(part)


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


def _with_value(state: SessionState, value: JobResult) -> SessionState:
    match value:
        case Measured() | ExperimentResult() | Touched() | Compiled():
            return state  # of jobs that are not the session's
        case RunResult():
            return _with_result(state, value)
        case ReductionTimeline():
            launch = state.plan_of(state.asked or state.request).resolved
            return show_timeline(
                state, value, launch, state.device.environment if state.device else None
            )
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
        launch=None,
        traced_in=None,
        map=None,
    )
