"""Times of the schedule model for a launch, from what was measured on one GPU.

Source: one NVIDIA H200 (132 SMs, torch 2.11, triton 3.6), M = 4096 unless the width is 64 or less.
    Times of another GPU
differ; the shape of what happens does not. `tests/benchmarks/default_times.py` derives them anew:
from the recordings in resources/recordings, each fitted by itself, and for widths and types that
were not recorded from means over their rows.
"""

import numpy as np

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.simulation.fit import USUAL_HOLD_CROWD_NS, USUAL_SLOWDOWN, USUAL_SPIN_NS
from lnexplorer.domain.simulation.model import SimulationParameters
from lnkernels.launch import DTYPE_BYTES
from lnkernels.values.frozen import frozen


@frozen(kw_only=True)
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
