"""Predict a launch by the schedule model: fitted to a trace, or by the table of measured times;
with as many programs of stage 1 on the device at once as is known, and how that is known.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum
from typing import TypeAlias

from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.simulation.defaults import default_model
from lnexplorer.domain.simulation.fit import PredictionError, error_of_summary, fit
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.timeline import Prepared, most_in_flight, prepare
from lnkernels.launch import DeviceLimits, as_wish, limits_for_architecture
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Environment
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import Sentence
from lnkernels.values.timeline import Clock, ReductionTimeline

# Programs of stage 1 an SM that a run is compiled to for an architecture, or why they are unknown.
Occupancy: TypeAlias = Callable[[RunRequest, str], int | Sentence]
STAGE1 = "backward_stage1"
USUAL_ARCHITECTURE = "sm_90"  # that is modelled where no device is known


class Origin(StrEnum):
    """The source of a number of resident programs, the surest first."""

    GIVEN = "given"
    SEEN = "seen"  # in a trace of the launch
    COMPILED = "compiled"  # SMs × occupancy of the compiled kernel
    FITTED = (  # seen in the trace that the model is fitted to, whose kernel may be another one
        "fitted"
    )
    GUESSED = "guessed"  # SMs × what the warps of a program allow


@frozen(kw_only=True)
class Residents:
    """Programs of stage 1 on the device at once, if there are as many rows."""

    programs: int
    origin: Origin
    # Title of the trace in which they were seen, architecture, or why there is nothing better.
    detail: Sentence | str = ""


@frozen(kw_only=True)
class Kernel:
    """The settings that decide, beside GROUP_SIZE_M, how stage 1 is compiled and how many of its
    programs a device holds.
    """

    gpu: str | None
    triton: str
    n: int
    dtype: str
    partial_dtype: str
    block_size_n: int
    num_warps: int
    num_stages: int
    barrier: bool


@frozen(eq=False, kw_only=True)
class Prediction:
    """A simulated launch, what it was simulated with, and a trace of the same launch, if there is
    one.
    """

    model: Prepared
    parameters: SimulationParameters
    residents: Residents
    measured: Prepared | None

    @property
    def error(self) -> PredictionError | None:
        """The error of the model against that trace."""
        seen = self.measured
        if seen is None:
            return None
        return error_of_summary(seen.summary, self.model.summary, seen.timeline.cost)


def predict(
    m: int,
    n: int,
    group_size_m: int,
    blocks: tuple[int, int],
    residents: Residents,
    model: SimulationParameters,
    seen: Iterable[Prepared] = (),
) -> Prediction:
    """Simulate a launch with so many resident programs, and put the first trace of it beside that.

    Raises:
        ValueError: its times are too long.
    """
    parameters = replace(model, resident_programs=residents.programs)
    timeline = simulate(m, n, group_size_m, *blocks, parameters)
    measured = next((launch for launch in seen if launch.is_of(timeline)), None)
    return Prediction(
        model=prepare(timeline), parameters=parameters, residents=residents, measured=measured
    )


def predict_by_trace(
    timeline: ReductionTimeline,
    asked: RunRequest,
    seen: Iterable[Prepared],
    launched: ResolvedRequest | None,
    architecture: str,
    given: int | None,
    compiler: Occupancy,
) -> Prediction:
    """Fit the model to a trace, and predict the launch that is asked for with it.

    Args:
        timeline: the trace.
        asked: what it leaves open is as in the trace.
        seen: traces of the same kernel, any launch.
        launched: what the trace is of; None where it is not known.
        architecture: of its GPU; empty where it is not known.
        given: resident programs, whatever is known of them otherwise.
        compiler: tells the occupancy of a launch that was not traced.

    Raises:
        ValueError: its times are too long.
    """
    m = asked.m or timeline.m
    group_size_m = asked.launch.group_size_m or timeline.group_size_m
    same = [launch for launch in seen if launch.timeline.group_size_m == group_size_m]
    sm_count = sm_count_of(timeline, architecture)
    fitted = replace(fit(timeline, sm_count), seed=asked.seed)
    residents = seen_residents(same, m) if given is None else None
    if residents is None:
        residents = Residents(programs=fitted.resident_programs, origin=Origin.FITTED)
        sample = sample_run(launched, group_size_m) if launched and architecture else None
        residents = _counted(residents, sample, architecture, sm_count, given, compiler)
    blocks = (
        asked.launch.reduce_block_size_m or timeline.tile_block_m,
        asked.launch.reduce_block_size_n or timeline.tile_block_n,
    )
    return predict(m, timeline.n, group_size_m, blocks, residents, fitted, same)


def predict_by_table(
    resolved: ResolvedRequest, limits: DeviceLimits, given: int | None, compiler: Occupancy
) -> Prediction:
    """Predict a launch by the table of measured times, on a device that need not be here.

    Raises:
        ValueError: its times are too long.
    """
    launch, sm_count = resolved.launch, limits.sm_count
    guessed = Residents(programs=programs_by_warps(launch.num_warps, limits), origin=Origin.GUESSED)
    sample = sample_run(resolved, launch.group_size_m)
    residents = _counted(guessed, sample, limits.architecture, sm_count, given, compiler)
    model = default_model(resolved, residents.programs, sm_count)
    blocks = (launch.reduce_block_size_m, launch.reduce_block_size_n)
    return predict(resolved.m, resolved.n, launch.group_size_m, blocks, residents, model)


def _counted(
    otherwise: Residents,
    sample: RunRequest | None,
    architecture: str,
    sm_count: int,
    given: int | None,
    compiler: Occupancy,
) -> Residents:
    """The number as given, or by the compiler, or else another one with the reason."""
    if given is not None:
        return Residents(programs=given, origin=Origin.GIVEN)
    if sample is None:
        return replace(otherwise, detail="the recording does not say what it was made with")
    per_sm = compiler(sample, architecture)
    if isinstance(per_sm, int):
        return Residents(programs=per_sm * sm_count, origin=Origin.COMPILED, detail=architecture)
    return replace(otherwise, detail=per_sm)


def seen_residents(seen: Iterable[Prepared], m: int) -> Residents | None:
    """Return the programs of a launch of m rows by the first of its traces that tells; None
    without.
    """
    for trace in seen:
        if trace.tells_of(m):
            return Residents(programs=trace.programs, origin=Origin.SEEN, detail=trace.title)
    return None


def kernel_of(request: ResolvedRequest, environment: Environment | None) -> Kernel:
    """Return the kernel of stage 1 of `locked` that a request launches, and its GPU."""
    launch = request.launch
    return Kernel(
        gpu=None if environment is None else environment.gpu,
        triton="" if environment is None else environment.triton,
        n=request.n,
        dtype=request.dtype,
        partial_dtype=launch.partial_dtype,
        block_size_n=launch.block_size_n,
        num_warps=launch.num_warps,
        num_stages=launch.num_stages,
        barrier=launch.barrier,
    )


def sample_run(request: ResolvedRequest, group_size_m: int) -> RunRequest:
    """A run of one row with the kernels of a launch, but for its GROUP_SIZE_M: they compile alike
    for any number of rows.
    """
    wish = replace(as_wish(request.launch), group_size_m=group_size_m)
    return RunRequest(m=1, n=request.n, dtype=request.dtype, launch=wish)


def programs_per_sm(compiled: tuple[KernelFacts, ...]) -> int | None:
    """Occupancy of stage 1; None where it is not known."""
    for facts in compiled:
        if facts.name == STAGE1 and facts.occupancy is not None:
            return max(facts.occupancy.programs_per_sm, 1)
    return None


def programs_by_warps(num_warps: int, limits: DeviceLimits) -> int:
    """Return how many programs the warps of a device allow; the compiled kernel is unknown."""
    return max(min(limits.programs_per_sm, limits.warps_per_sm // num_warps), 1) * limits.sm_count


def sm_count_of(timeline: ReductionTimeline, architecture: str) -> int:
    """Return the number of SMs of a trace's device: those that were seen, where each had its
    chance, else those of a known card.
    """
    seen = int(timeline.sm.max(initial=0)) + 1
    if most_in_flight(timeline) < timeline.m:
        return seen
    try:
        return max(seen, limits_for_architecture(architecture).sm_count)
    except ValueError:
        return seen


def has_times(timeline: ReductionTimeline) -> bool:
    """Return whether it tells how many programs were on a device at once."""
    return timeline.clock not in (Clock.STEPS, Clock.MODEL)
