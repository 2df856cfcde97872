"""Both stages of the reduction as a model says: the same kind of timeline as a trace."""

from heapq import heapify, heapreplace

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.simulation.parameters import SimulationParameters
from lnexplorer.domain.simulation.stage1 import Times, around, simulate_stage1
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, ReductionTimeline

# Traces of an NVIDIA H200 with one buffer and with two: 1060 and 1560 ns a tile. Triton takes an argument of 1 as a
# constant, so that the kernel for a single buffer has neither loop nor sum.
SINGLE_BUFFER = 0.68


def simulate(
    m: int, n: int, group_size_m: int, tile_block_m: int, tile_block_n: int, parameters: SimulationParameters
) -> ReductionTimeline:
    """Both stages for x [m, n]; equal arguments give equal timelines.

    Args:
        m: rows, one program of stage 1 each, started in their order as places become free.
        n: columns.
        group_size_m: buffers; row r adds to buffer r mod group_size_m.
        tile_block_m: buffers that a program of stage 2 adds per step.
        tile_block_n: columns of a program of stage 2.
        parameters: the device and the kernel.
    """
    rng = np.random.default_rng(parameters.seed)
    stage1 = simulate_stage1(m, group_size_m, parameters, rng)
    end = int(stage1.released_ns.max(initial=0))
    tile_sm, tile_start, tile_end = _stage2(min(group_size_m, m), n, tile_block_m, tile_block_n, end, parameters, rng)
    return ReductionTimeline(
        kind=Kind.SIMULATED,
        m=m,
        n=n,
        group_size_m=group_size_m,
        lock=(np.arange(m) % group_size_m).astype(np.int32),
        order=stage1.order,
        sm=(stage1.place % parameters.sm_count).astype(np.int32),
        start_ns=stage1.start_ns,
        wanted_ns=stage1.wanted_ns,
        held_ns=stage1.held_ns,
        released_ns=stage1.released_ns,
        tile_block_m=tile_block_m,
        tile_block_n=tile_block_n,
        tile_sm=tile_sm,
        tile_start_ns=tile_start,
        tile_end_ns=tile_end,
        tick_ns=1.0,
        clock=Clock.MODEL,
    )


def _stage2(
    buffers: int,
    n: int,
    block_m: int,
    block_n: int,
    after_ns: int,
    parameters: SimulationParameters,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], Times, Times]:
    """SM, start and end of each tile of columns. Tiles need no lock: each has columns of its own."""
    tiles, steps = -(-n // block_n), buffers / block_m  # a step of fewer buffers loads less
    mean_ns = (parameters.tile_base_ns + steps * parameters.tile_step_ns) * (SINGLE_BUFFER if buffers == 1 else 1.0)
    durations = around(mean_ns, tiles, parameters.tile_jitter, rng)
    begin = after_ns + round(parameters.stage2_gap_ns)
    places = [(begin + round(place * parameters.stagger_ns), place) for place in range(min(parameters.resident_programs, tiles))]
    heapify(places)
    start, place_of = np.empty(tiles, np.int64), np.empty(tiles, np.int64)
    for tile in range(tiles):
        start[tile], place_of[tile] = places[0]
        heapreplace(places, (int(start[tile] + durations[tile]), int(place_of[tile])))
    return (place_of % parameters.sm_count).astype(np.int32), start, start + durations
