"""Predict a launch by the schedule model: fitted to a trace, or by the table of measured times;
with as many programs of stage 1 on the device at once as is known, and how that is known.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnexplorer.domain.simulation.fit import (
    USUAL_HOLD_CROWD_NS,
    USUAL_SLOWDOWN,
    USUAL_SPIN_NS,
    PredictionError,
    error_of_summary,
    fit,
)
from lnexplorer.domain.simulation.model import SimulationParameters, simulate
from lnexplorer.domain.timeline import Prepared, most_in_flight, prepare
from lnkernels.launch import DTYPE_BYTES, DeviceLimits, as_wish, limits_for_architecture
from lnkernels.values import Sentence, frozen_by_name
from lnkernels.values.compiled import KernelFacts
from lnkernels.values.environment import Environment
from lnkernels.values.timeline import Clock, ReductionTimeline

# Times of the model for a launch, from what was measured on one NVIDIA H200 (132 SMs, torch 2.11,
# triton 3.6), M = 4096 unless the width is 64 or less. Times of another GPU differ; the shape of
# what happens does not. `tests/benchmarks/default_times.py` derives them anew: from the recordings
# in resources/recordings, each fitted by itself, and for widths and types that were not recorded
# from means over their rows.


@frozen_by_name
class _Measured:
    """Times in ns of rows beside which few others use the memory, at widths N; and stage 2, per
    tile of 128 columns.
    """

    width: tuple[int, ...]
    compute_ns: tuple[int, ...]
    hold_ns: tuple[int, ...]
    first_hold_share: tuple[float, ...]  # of a buffer's first row, which does not load it
    tile_base_ns: int
    tile_step_ns: int  # 32 buffers


# By the bytes of an element of x and of a buffer. Recorded were N = 8 and 64 of both types of
# buffers, and 1024, 2048 and 8192 of the first type; a thread has one element of a row of 8 columns
# at most and waits for the way to memory and back, whatever the type of x. Holds of 512 columns are
# between those of the widths beside them: with so many programs the means say little of them.
_MEASURED = {
    (2, 4): _Measured(
        width=(8, 64, 512, 1024, 2048, 4096, 8192, 16384),
        compute_ns=(300, 385, 530, 740, 885, 915, 895, 2055),
        hold_ns=(400, 512, 570, 618, 747, 1065, 1650, 2970),
        first_hold_share=(0.64, 0.48, 0.7, 0.84, 0.82, 0.82, 0.81, 0.75),
        tile_base_ns=1500,
        tile_step_ns=1440,
    ),
    (2, 2): _Measured(
        width=(8, 64, 512, 1024, 2048, 4096, 8192, 16384),
        compute_ns=(320, 362, 500, 575, 880, 1150, 760, 1600),
        hold_ns=(390, 467, 475, 485, 600, 745, 845, 1635),
        first_hold_share=(0.58, 0.55, 0.55, 0.55, 0.55, 0.55, 0.55, 0.55),
        tile_base_ns=1400,
        tile_step_ns=940,
    ),
    (4, 4): _Measured(
        width=(8, 512, 1024, 4096, 8192),
        compute_ns=(300, 450, 750, 525, 540),
        hold_ns=(400, 530, 575, 1195, 1745),
        first_hold_share=(0.64, 0.7, 0.84, 0.82, 0.81),
        tile_base_ns=980,
        tile_step_ns=1980,
    ),
}
# The other times, from the same recordings. Tries and hand-overs grow with N, as the columns'
# stores have to be done before the lock is tried, and given back; with 8 columns a single warp does
# them.
_WIDTHS_OF_LOCKS, _TRY_NS, _HAND_OVER_NS = (
    (8, 64, 1024, 8192),
    (544, 544, 900, 930),
    (455, 620, 633, 940),
)
EXIT_NS, STAGGER_NS = 1200.0, 0.3
# Bytes a ns of x, dy and dx that a first wave reaches: 5000 to 5800 of 25 MB in all, 2700 to 3100
# of 50 MB and more.
CACHE_BANDWIDTH, MEMORY_BANDWIDTH = 5100.0, 2850.0
_CACHED_BYTES = (
    40e6  # that the L2 cache of 50 MB still has when the pass is repeated; between 25 and 50 MB
)
STAGE2_GAP_NS = 1500.0  # 1410 to 1820: one kernel ends, the next begins
JITTER, TILE_JITTER = 0.17, 0.02


def default_model(
    request: ResolvedRequest, resident_programs: int, sm_count: int
) -> SimulationParameters:
    """The model of a launch: times by N and element types, from the table above.

    Between the widths of the table times are interpolated, beyond them they follow the last slope.
    A step of stage 2 is taken to be as long as it has elements.
    """
    element, partial = DTYPE_BYTES[request.dtype], DTYPE_BYTES[request.buffer_dtype]
    measured = _MEASURED[element, partial]
    step_columns = min(request.n, request.launch.reduce_block_size_n)
    row_bytes = 3 * request.n * element
    bandwidth = CACHE_BANDWIDTH if request.m * row_bytes < _CACHED_BYTES else MEMORY_BANDWIDTH
    hold_ns = _at_width(measured.width, measured.hold_ns, request.n)
    return SimulationParameters(
        resident_programs=resident_programs,
        sm_count=sm_count,
        compute_ns=_at_width(measured.width, measured.compute_ns, request.n),
        crowd_ns=row_bytes
        / bandwidth
        / 2,  # on average half of the others' traffic comes before a program's own
        hold_ns=hold_ns,
        hold_crowd_ns=USUAL_HOLD_CROWD_NS * request.n * partial / 4,
        first_hold_ns=hold_ns
        * float(np.interp(request.n, measured.width, measured.first_hold_share)),
        try_ns=_at_width(_WIDTHS_OF_LOCKS, _TRY_NS, request.n),
        hand_over_ns=_at_width(_WIDTHS_OF_LOCKS, _HAND_OVER_NS, request.n),
        spin_ns=USUAL_SPIN_NS,
        hold_slowdown=USUAL_SLOWDOWN,
        stagger_ns=STAGGER_NS,
        exit_ns=EXIT_NS,
        jitter=JITTER,
        seed=request.seed,
        stage2_gap_ns=STAGE2_GAP_NS,
        tile_base_ns=measured.tile_base_ns,
        tile_step_ns=measured.tile_step_ns
        * (request.launch.reduce_block_size_m * step_columns)
        / (32 * 128),
        tile_jitter=TILE_JITTER,
    )


def _at_width(width: tuple[int, ...], times: tuple[int, ...], n: int) -> float:
    if n <= width[-1]:
        return float(np.interp(n, width, times))
    slope = max(times[-1] - times[-2], 0) / (width[-1] - width[-2])
    return times[-1] + slope * (n - width[-1])


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


@frozen_by_name
class Residents:
    """Programs of stage 1 on the device at once, if there are as many rows."""

    programs: int
    origin: Origin
    # Title of the trace in which they were seen, architecture, or why there is nothing better.
    detail: Sentence | str = ""


@frozen_by_name
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
    atomic_count: bool


@frozen_by_name(eq=False)
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
        atomic_count=launch.atomic_count,
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
