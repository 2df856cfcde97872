"""The traced kernels of the strategies without locks compute what the plain ones do, and say when, in an order that can be."""

from dataclasses import replace
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from lnkernels import atomic, atomic_trace, persistent, persistent_trace
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch.settings import AtomicSettings, ReduceSettings, RowsSettings
from lnkernels.reductions import PartialSums
from lnkernels.trace_clock import carry_out
from lnkernels.values.timeline import Clock, StrategyTimeline
from tests.lnkernels.traced_passes import Gradients, plain_and_traced

M, N = 13, 40
REDUCE = ReduceSettings(block_m=4, block_n=16, num_warps=1, overlap=False)
ATOMIC = AtomicSettings(block_n=64, num_warps=1, reduce=REDUCE)
# Seven tiles for three programs: two programs take two tiles, one takes three.
WALKING = RowsSettings(
    rows=2, block_n=64, num_warps=1, num_stages=2, programs=3, max_registers=None, sums_per_row=False, reduce=REDUCE
)
# A row in three blocks, the last of them not full.
IN_BLOCKS = replace(WALKING, rows=1, block_n=16)
CASES = [
    (atomic, atomic_trace, ATOMIC),
    (persistent, persistent_trace, WALKING),
    (persistent, persistent_trace, IN_BLOCKS),
]


def traced(
    plain: ModuleType, tracing: ModuleType, settings: Any, dtype: torch.dtype, device: torch.device
) -> tuple[StrategyTimeline, Gradients, Gradients]:
    programs = 1 if plain is atomic else persistent.programs_for(M, settings)
    return plain_and_traced(plain, tracing, settings, PartialSums.allocate(programs, N, device), (M, N), dtype, device)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize(("plain", "tracing", "settings"), CASES)
def test_tracing_changes_no_result(
    plain: ModuleType, tracing: ModuleType, settings: Any, dtype: torch.dtype, device: torch.device
) -> None:
    _, first, second = traced(plain, tracing, settings, dtype, device)
    for name, expected in first.items():
        assert not expected.isnan().any()
        if plain is atomic and name != "dx" and not IS_INTERPRETED:
            torch.testing.assert_close(second[name], expected, rtol=1e-4, atol=1e-4)
        else:
            assert torch.equal(second[name], expected)


@pytest.mark.parametrize(("plain", "tracing", "settings"), CASES)
def test_events_come_in_an_order_that_can_be(plain: ModuleType, tracing: ModuleType, settings: Any, device: torch.device) -> None:
    trace, _, _ = traced(plain, tracing, settings, torch.float16, device)
    covered = [row for first in trace.first_row.tolist() for row in range(first, min(first + trace.rows, M))]
    assert covered == list(range(M))
    for program in range(trace.sm.size):
        own = np.flatnonzero(trace.program == program)
        events = [trace.program_start_ns[program]]
        for piece in own:
            events += [trace.start_ns[piece], trace.ready_ns[piece]]
        events += [trace.add_begin_ns[program], trace.add_end_ns[program]]
        assert all(a <= b for a, b in pairwise(events))
    for tile in range(trace.tile_sm.size):
        assert trace.tile_setup_ns[tile] <= trace.tile_start_ns[tile] <= trace.tile_end_ns[tile]
    assert trace.tile_start_ns.min() + trace.tick_ns >= trace.add_end_ns.max()
    assert trace.tile_sm.size == 2 * -(-N // REDUCE.block_n)
    assert trace.program_start_ns.min() == 0


def test_a_program_walks_over_every_third_tile(device: torch.device) -> None:
    trace, _, _ = traced(persistent, persistent_trace, WALKING, torch.float16, device)
    assert trace.rows == 2
    assert [trace.first_row[trace.program == program].tolist() for program in range(3)] == [[0, 6, 12], [2, 8], [4, 10]]


@pytest.mark.skipif(not IS_INTERPRETED, reason="on a GPU there is a clock")
def test_the_interpreter_counts_events_one_program_after_another(device: torch.device) -> None:
    trace, _, _ = traced(atomic, atomic_trace, ATOMIC, torch.float16, device)
    assert trace.clock is Clock.STEPS
    assert trace.start_ns.tolist() == list(range(0, 3 * M, 3))
    assert trace.add_end_ns.tolist() == list(range(2, 3 * M, 3))
    assert sorted(trace.tile_end_ns.tolist())[-1] == 3 * M + 3 * trace.tile_sm.size - 1


@pytest.mark.skipif(not IS_INTERPRETED, reason="a GPU repeats the call")
def test_the_interpreter_makes_a_call_once() -> None:
    calls: list[int] = []
    carry_out(lambda: calls.append(1), torch.device("cpu"))
    assert calls == [1]
