"""The session as a frozen value, and how each event of the engine changes it. No Qt."""

from dataclasses import field, replace
from enum import StrEnum
from typing import TypeAlias, assert_never

from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.jobs import Compiled, JobFinding, JobResult, Touched
from lnexplorer.domain.kernel_versions import KernelVersion
from lnexplorer.domain.measuring import CandidateOutcome, Measured
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.pinned import PinnedRun
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
from lnkernels.launch import DeviceLimits
from lnkernels.launch.source import KernelSource
from lnkernels.values import Words, frozen, frozen_by_name
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.compiled import CompiledKernels, KernelFacts
from lnkernels.values.environment import Device, Environment, Kind
from lnkernels.values.figures import Figure, Throughput
from lnkernels.values.timeline import HangSnapshot, ReductionTimeline

LONG_SECONDS = 30.0  # a run of the interpreter that is estimated to take longer is asked about


class WorkerState(StrEnum):
    """The states of the worker in the status bar."""

    STARTING = "starting"
    READY = "ready"
    RUNNING = "running"
    LOST = "lost"


@frozen
class Remark:
    """A message about something that happened in the window, a sentence a line."""

    lines: tuple[Words, ...]
    detail: Words = ""
    stays: bool = False  # until somebody puts it away

    @property
    def sentence(self) -> str:
        """Return all of it in English."""
        return "\n".join(map(str, self.lines))


@frozen
class LongRun:
    """A question before a run that takes minutes; the run begins when it is asked for again."""

    m: int
    n: int
    seconds: float


Notice: TypeAlias = WorkerLost | Broken | Refused | Remark | LongRun


@frozen_by_name
class Jobs:
    """The newest jobs of the session's worker, by their numbers."""

    run: int | None = None  # also after its end
    trace: int | None = None
    inspect: int | None = None
    asked: RunPlan | None = None  # of the newest run or trace
    busy: bool = False  # a run or a trace has been asked for and has not ended
    ended: int = 0  # number of runs and traces that have ended, in whatever way


@frozen_by_name
class ShownRun:
    """The run on the screen, as far as it has come."""

    resolved: ResolvedRequest | None = None
    kind: Kind | None = None
    correctness: Correctness | None = None
    compiled: tuple[KernelFacts, ...] = ()
    compiled_of: ResolvedRequest | None = None  # launch of `compiled`; may be the run before's
    figures: tuple[Figure, ...] = ()
    result: RunResult | None = None  # once it has ended
    map: ErrorMap | None = None  # a part of an error map, in full resolution
    machine: str = ""  # that the run was made on; empty for a recorded run


@frozen_by_name
class ShownTrace:
    """The recorded timeline on the screen."""

    timeline: ReductionTimeline | None = None
    launch: ResolvedRequest | None = None  # None where it is not known
    shown_launch: ResolvedRequest | None = None  # where it is not known, as the heuristics have it
    environment: Environment | None = None  # where it was recorded; None where that is not known


@frozen_by_name
class OwnKernel:
    """The user's own kernel that is watched."""

    source: KernelSource | None = None  # with the settings that are chosen
    version: KernelVersion | None = None  # the findings about its newest text


@frozen_by_name
class SessionState:
    """Everything that the window shows."""

    # The request in the form on the session's device: resolved once, and handed on.
    plan: RunPlan = field(default_factory=lambda: plan_run(RunRequest(), "interpreter"))
    device: Device | None = None
    worker: WorkerState = WorkerState.STARTING
    jobs: Jobs = field(default_factory=Jobs)
    run: ShownRun = field(default_factory=ShownRun)
    trace: ShownTrace = field(default_factory=ShownTrace)
    own: OwnKernel = field(default_factory=OwnKernel)
    live: bool = True
    peers: tuple[str, ...] = DEFAULT_PEERS  # providers that are timed beside the strategy
    notice: Notice | None = None
    pinned: PinnedRun | None = None  # A, with which the run on the screen is compared

    @property
    def shown(self) -> PinnedRun | None:
        """The whole run on the screen, with its trace; None while there is none."""
        result = self.run.result
        trace = self.trace.timeline if self.is_of_run else None
        return None if result is None else PinnedRun(result, trace)

    @property
    def request(self) -> RunRequest:
        return self.plan.request

    @property
    def backend(self) -> str:
        return self.device.backend if self.device else "interpreter"

    @property
    def gpu(self) -> str | None:
        """The GPU of the session's device, "cuda:0" or another one here; None without."""
        index = self.device.index if self.device else None
        return None if index is None else f"cuda:{index}"

    @property
    def kind(self) -> Kind:
        """The kind of figures that the session's device gives."""
        return Kind.MEASURED if self.backend == "cuda" else Kind.INTERPRETED

    @property
    def question(self) -> LongRun | None:
        """The question to be asked before the request runs; None where it takes no minutes."""
        seconds = self.plan.seconds if self.device is not None else 0.0
        if seconds < LONG_SECONDS:
            return None
        return LongRun(self.plan.resolved.m, self.plan.resolved.n, seconds)

    def estimate(self, event: EngineEvent) -> float:
        """Estimate how long the run or trace of an event takes, in s; 0 where that is unknown."""
        jobs, job = self.jobs, getattr(event, "job", None)
        return jobs.asked.seconds if jobs.asked and job in (jobs.run, jobs.trace) else 0.0

    @property
    def limits(self) -> DeviceLimits | None:
        return self.device.limits if self.device else None

    def plan_of(self, request: RunRequest) -> RunPlan:
        """Resolve another request on the session's device, and check it there."""
        memory = self.device.free_memory_bytes if self.device else None
        plan = plan_run(request, self.backend, self.limits, memory)
        return replace(plan, machine=self.device.environment.where if self.device else "")

    @property
    def is_of_run(self) -> bool:
        """Return whether the timeline is a trace of the run on the screen: of the same launch,
        place and kind.
        """
        timeline, result, made = self.trace.timeline, self.run.result, self.trace.environment
        if timeline is None or timeline.source or result is None or made is None:
            return False
        return (
            self.trace.launch == result.resolved
            and made.place == result.provenance.environment.place
            and timeline.kind is result.provenance.kind
        )

    @property
    def can_restart(self) -> bool:
        """Return whether starting a worker helps: none is there, or being started."""
        if isinstance(self.notice, WorkerLost):
            return not self.notice.restarting
        return isinstance(self.notice, Broken) and self.worker is WorkerState.LOST

    @property
    def worker_shown(self) -> WorkerState:
        """The state of the worker, as far as it concerns the user."""
        running = self.jobs.busy and self.worker is WorkerState.READY
        return WorkerState.RUNNING if running else self.worker


def ask(state: SessionState, request: RunRequest) -> SessionState:
    """Put a request into the form."""
    return replace(state, plan=state.plan_of(request))


def use_device(state: SessionState, device: Device | None) -> SessionState:
    """Take another device, and resolve the requests for it."""
    if device == state.device:
        return state
    state = replace(state, device=device)
    if (asked := state.jobs.asked) is not None:
        state = replace(state, jobs=replace(state.jobs, asked=state.plan_of(asked.request)))
    return ask(state, state.request)


def begin_run(state: SessionState, job: int) -> SessionState:
    """Show that the supervisor has taken the request as `job`."""
    return replace(
        state,
        jobs=replace(state.jobs, run=job, trace=None, asked=state.plan, busy=True),
        run=replace(state.run, figures=()),
        notice=None,
    )


def begin_trace(state: SessionState, job: int) -> SessionState:
    """Show that the supervisor has taken the request as the trace `job`."""
    jobs = replace(state.jobs, trace=job, asked=state.plan, busy=True)
    return replace(state, jobs=jobs, notice=None)


def show_result(
    state: SessionState, result: RunResult, timeline: ReductionTimeline | None = None
) -> SessionState:
    """Show a result of the past and its trace; answers of a run under way are dropped."""
    request = pinned(result.request, result.resolved, state.backend, state.limits)
    state = _at_rest(_with_result(state, result), request)
    if timeline is None:
        return state
    return show_timeline(state, timeline, result.resolved, result.provenance.environment)


def show_timeline(
    state: SessionState,
    timeline: ReductionTimeline,
    launch: ResolvedRequest | None = None,
    environment: Environment | None = None,
) -> SessionState:
    """Show a timeline of the past, beside whatever run is on the screen."""
    return replace(
        state,
        trace=ShownTrace(
            timeline=timeline,
            launch=launch,
            shown_launch=launch or state.plan_of(request_of(timeline)).resolved,
            environment=environment,
        ),
    )


def ask_as_traced(state: SessionState) -> SessionState:
    """Put the launch of the timeline into the form, with no other run beside it; answers of one
    that is under way are dropped.
    """
    timeline, launch = state.trace.timeline, state.trace.launch
    assert timeline is not None
    request = request_of(timeline)
    if launch is not None:
        subject = {
            name: getattr(launch, name) for name in ("dtype", "eps", "data", "seed", "repeats")
        }
        request = pinned(replace(request, **subject), launch, state.backend, state.limits)
    run = ShownRun(resolved=state.trace.shown_launch, kind=timeline.kind)
    return _at_rest(replace(state, run=run), request)


def _at_rest(state: SessionState, request: RunRequest) -> SessionState:
    """Put a request into the form without running it, and drop answers of jobs under way."""
    jobs = replace(state.jobs, run=None, trace=None, busy=False)
    return ask(replace(state, jobs=jobs, notice=None), request)


def request_of(timeline: ReductionTimeline) -> RunRequest:
    """Return the request of a timeline, as far as the timeline tells it."""
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
    """Return the session after an event; an event of an older job changes nothing."""
    jobs = state.jobs
    match event:
        case WorkerStarting():
            state = replace(state, worker=WorkerState.STARTING)
        case WorkerReady(device):
            state = use_device(replace(state, worker=WorkerState.READY), device)
        case WorkerLost():
            state = replace(state, worker=WorkerState.LOST, notice=event)
        case JobStarted(job) if job in (jobs.run, jobs.trace):
            state = replace(state, worker=WorkerState.READY)
        case JobPart(job, part) if job == jobs.run:
            state = _with_part(state, part)
        case JobEnded(job, outcome):
            state = _after_end(state, job, outcome)
        case JobStarted() | JobProgress() | JobPart():
            pass
        case _:
            assert_never(event)
    return state


def _with_part(state: SessionState, part: JobFinding) -> SessionState:
    if isinstance(part, CandidateOutcome | ExperimentResult):
        # of a measurement or an experiment, which the window does not ask for by this session
        return state
    asked = state.jobs.asked
    assert asked is not None  # a job has a request
    before, run = state.run, replace(state.run, resolved=asked.resolved, kind=state.kind)
    match part:
        case Correctness():
            if run.machine != asked.machine:  # whose compiler knew another one
                run = replace(run, compiled=(), compiled_of=None, machine=asked.machine)
            run = replace(run, correctness=part, result=None, map=None)
            return replace(state, run=run, trace=ShownTrace())
        case Figure():
            return replace(state, run=replace(run, figures=(*run.figures, part)))
        case CompiledKernels(kernels):
            run = replace(before, compiled=kernels, compiled_of=asked.resolved)
            return replace(state, run=run)
        case _:
            assert_never(part)


def _after_end(state: SessionState, job: int, outcome: Outcome) -> SessionState:
    jobs = state.jobs
    if job not in (jobs.run, jobs.trace, jobs.inspect):
        return state
    if job != jobs.inspect:
        jobs = replace(jobs, busy=False, ended=jobs.ended + 1)
        state = replace(state, jobs=jobs)
    match outcome:
        case Finished(value):
            return _with_value(state, value)
        case Stopped() | Superseded():
            return state
        case Broken(hang=HangSnapshot(timeline=ReductionTimeline() as timeline)):
            return replace(_with_value(state, timeline), notice=outcome)
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
            launch = (state.jobs.asked or state.plan).resolved
            made = state.device.environment if state.device else None
            return show_timeline(state, value, launch, made)
        case ErrorMap():
            return replace(state, run=replace(state.run, map=value))
        case _:
            assert_never(value)


def _with_result(state: SessionState, result: RunResult) -> SessionState:
    made = result.provenance
    run = ShownRun(
        resolved=result.resolved,
        kind=made.kind,
        machine="" if made.kind is Kind.RECORDED else made.environment.where,
        correctness=result.correctness,
        compiled=result.compiled,
        compiled_of=result.resolved,
        figures=(result.throughput or Throughput()).figures,
        result=result,
    )
    return replace(state, run=run, trace=ShownTrace())
