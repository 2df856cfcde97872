"""Times of the schedule model for a launch, from what was measured on one GPU.

Source: stage 1 and stage 2 with a time stamp at each step, on one NVIDIA H200 (132 SMs, torch 2.11, triton 3.6), M = 4096,
medians of 10 runs. Times of another GPU differ; the shape of what happens does not.
"""

from dataclasses import dataclass

import numpy as np

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.fit import USUAL_SLOWDOWN, USUAL_SPIN_NS
from lnexplorer.domain.simulation.parameters import SimulationParameters


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """Means over rows in ns, at widths N; and stage 2, per tile of 128 columns."""

    width: tuple[int, ...]
    compute_ns: tuple[int, ...]
    hold_ns: tuple[int, ...]
    tile_base_ns: int
    tile_step_ns: int  # 32 buffers


# By the bytes of an element of x and of a buffer. Of 8 columns only the first was measured: a thread has one element of a row at
# most and waits for the way to memory and back, whatever the type, so the others have the same times.
_MEASURED = {
    (2, 4): _Measured(
        width=(8, 512, 1024, 2048, 4096, 8192, 16384),
        compute_ns=(450, 1010, 1200, 1520, 1660, 2050, 2780),
        hold_ns=(380, 770, 1190, 1330, 1710, 2650, 4260),
        tile_base_ns=1500,
        tile_step_ns=1440,
    ),
    (2, 2): _Measured(
        width=(8, 512, 1024, 2048, 4096, 8192, 16384),
        compute_ns=(450, 1020, 900, 1300, 1610, 1760, 2810),
        hold_ns=(380, 470, 500, 540, 650, 870, 1620),
        tile_base_ns=1400,
        tile_step_ns=940,
    ),
    (4, 4): _Measured(
        width=(8, 1024, 4096, 8192),
        compute_ns=(450, 2450, 2020, 2230),
        hold_ns=(380, 770, 1340, 2140),
        tile_base_ns=980,
        tile_step_ns=1980,
    ),
}
# The other times, and how they grow with N, from six traces on the same GPU (4 to 4096 rows, N = 8 to 8192, 2 to 256 buffers),
# each fitted by itself: tries of 740 to 990 ns, hand-overs of 570 to 1020, first holds of 0.51 to 0.62 of the later ones.
TRY_NS, TRY_NS_PER_COLUMN = 720.0, 0.033  # the columns' stores have to be done before the lock is tried, and given back
HAND_OVER_NS, HAND_OVER_NS_PER_COLUMN = 600.0, 0.05
FIRST_HOLD_SHARE = 0.55
EXIT_NS, STAGGER_NS = 1100.0, 0.3
BANDWIDTH = 4300.0  # bytes a ns that the loads and stores of a first wave reach, L2 cache and memory together
STAGE2_GAP_NS = 2500.0  # 2200 to 2900: one kernel ends, the next begins
JITTER, TILE_JITTER = 0.17, 0.02
_TABLE_ROWS = 4096  # of the runs behind the table; its compute times are means over the first wave and the later rows


def default_model(request: ResolvedRequest, resident_programs: int, sm_count: int) -> SimulationParameters:
    """The model of a launch: times by N and element types, from the table above.

    Between the widths of the table times are interpolated, beyond them they follow the last slope. A step of stage 2 is taken to
    be as long as it has elements.

    Args:
        request: the launch.
        resident_programs: programs of stage 1 on the device at once, SMs × occupancy.
        sm_count: SMs.
    """
    element = 4 if request.dtype == "float32" else 2
    partial = 4 if request.launch.partial_dtype == "float32" else element
    measured = _MEASURED[element, partial]
    step_columns = min(request.n, request.launch.reduce_block_size_n)
    crowd_ns = 3 * request.n * element / BANDWIDTH / 2  # on average half of a wave's traffic comes before a program's own
    in_first_wave = crowd_ns * resident_programs * min(resident_programs / _TABLE_ROWS, 1.0)
    compute_ns = _at_width(measured.width, measured.compute_ns, request.n)
    hold_ns = _at_width(measured.width, measured.hold_ns, request.n)
    return SimulationParameters(
        resident_programs=resident_programs,
        sm_count=sm_count,
        compute_ns=max(compute_ns - in_first_wave, compute_ns / 2),
        crowd_ns=crowd_ns,
        hold_ns=hold_ns,
        first_hold_ns=FIRST_HOLD_SHARE * hold_ns,
        try_ns=TRY_NS + TRY_NS_PER_COLUMN * request.n,
        hand_over_ns=HAND_OVER_NS + HAND_OVER_NS_PER_COLUMN * request.n,
        spin_ns=USUAL_SPIN_NS,
        hold_slowdown=USUAL_SLOWDOWN,
        stagger_ns=STAGGER_NS,
        exit_ns=EXIT_NS,
        jitter=JITTER,
        seed=request.seed,
        stage2_gap_ns=STAGE2_GAP_NS,
        tile_base_ns=measured.tile_base_ns,
        tile_step_ns=measured.tile_step_ns * (request.launch.reduce_block_size_m * step_columns) / (32 * 128),
        tile_jitter=TILE_JITTER,
    )


def _at_width(width: tuple[int, ...], times: tuple[int, ...], n: int) -> float:
    if n <= width[-1]:
        return float(np.interp(n, width, times))
    slope = max(times[-1] - times[-2], 0) / (width[-1] - width[-2])
    return times[-1] + slope * (n - width[-1])
