"""Traced launches compute what others do, and say when and in which order, as it can have been."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import KernelResults, kernel_results
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import Launch, LaunchWish, resolve_launch
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.registry import STRATEGY_KERNELS, run_backward
from lnkernels.trace.capture import carry_out
from lnkernels.trace.clock_refinement import whole_times
from lnkernels.values.timeline import Clock, ReductionTimeline, StrategyTimeline
from tests.lnkernels.conftest import DEVICE

M, N, GROUP_SIZE_M = 13, 72, 3
ATOMIC = Launch(
    strategy="atomic",
    block_size=128,
    block_size_n=128,
    num_warps=1,
    reduce_block_size_m=4,
    reduce_block_size_n=16,
    reduce_num_warps=1,
)
# Seven tiles for three programs: two programs take two tiles, one takes three.
WALKING = replace(ATOMIC, strategy="persistent", rows=2, num_stages=2, programs=3)
# A row in five blocks, the last of them not full.
IN_BLOCKS = replace(WALKING, rows=1, block_size_n=16)
# Slices of 32, 32 and 8 columns, each of two blocks; two groups take seven and six rows.
SHARED = replace(
    ATOMIC, strategy="split", slices=3, block_size_n=16, num_stages=2, programs=6, programs_per_sm=1
)
ALONE = replace(SHARED, slices=1, programs=4)
LAUNCHES = [ATOMIC, WALKING, IN_BLOCKS, SHARED, ALONE]
Gradients = dict[str, torch.Tensor]


def traced(
    launch: Launch, dtype: torch.dtype = torch.float16, m: int = M
) -> tuple[StrategyTimeline, Gradients, Gradients]:
    """The timeline, then dx [M, N], dw and db [N] without tracing and with it; NaN where nothing
    was written.
    """
    inputs = make_inputs(m, N, dtype, "tutorial", 0, DEVICE)
    x, kernels = inputs.x, STRATEGY_KERNELS[launch.strategy]
    wide = x.double()
    mean, rstd = wide.mean(1).float(), (wide.var(1, unbiased=False) + 1e-5).rsqrt().float()
    first, second = (
        {"dx": torch.full_like(x, torch.nan)}
        | {
            name: torch.full((N,), torch.nan, dtype=torch.float32, device=DEVICE)
            for name in ("dw", "db")
        }
        for _ in range(2)
    )
    memory = kernels.allocate_trace(x, launch)
    given = BackwardTensors(x=x, dy=inputs.dy, weight=inputs.weight, mean=mean, rstd=rstd, **first)
    run_backward(given, launch)
    carry_out(lambda: run_backward(replace(given, **second), launch, trace=memory), DEVICE)
    timeline = kernels.read_trace(x, launch, memory, dw=second["dw"], db=second["db"])
    assert isinstance(timeline, StrategyTimeline)
    return timeline, first, second


@pytest.mark.parametrize(("launch", "m"), [*((launch, M) for launch in LAUNCHES), (SHARED, 1)])
def test_tracing_changes_no_result_and_events_come_in_an_order_that_can_be(
    launch: Launch, m: int
) -> None:
    dtype = (torch.float16, torch.bfloat16, torch.float32)[LAUNCHES.index(launch) % 3]
    trace, first, second = traced(launch, dtype, m)
    for name, expected in first.items():
        assert not expected.isnan().any()
        if launch is ATOMIC and name != "dx" and not IS_INTERPRETED:
            torch.testing.assert_close(second[name], expected, rtol=1e-4, atol=1e-4)
        else:
            assert torch.equal(second[name], expected)
    shares = [
        (row, int(program) % trace.slices)
        for first, program in zip(trace.first_row.tolist(), trace.program, strict=True)
        for row in range(first, min(first + trace.rows, m))
    ]
    assert sorted(shares) == [(row, part) for row in range(m) for part in range(trace.slices)]
    waits = trace.wait_begin_ns, trace.wait_end_ns
    assert all((times is None) != (launch.strategy == "split") for times in waits)
    for program in range(trace.sm.size):
        events = [trace.program_start_ns[program]]
        for piece in np.flatnonzero(trace.program == program):
            waited = [times[piece] for times in waits if times is not None]
            events += [trace.start_ns[piece], *waited, trace.ready_ns[piece]]
        events += [trace.add_begin_ns[program], trace.add_end_ns[program]]
        assert all(a <= b for a, b in pairwise(events))
    for tile in range(trace.tile_sm.size):
        assert trace.tile_setup_ns[tile] <= trace.tile_start_ns[tile] <= trace.tile_end_ns[tile]
    assert trace.tile_start_ns.min() + trace.tick_ns >= trace.add_end_ns.max()
    assert trace.tile_sm.size == 2 * -(-N // launch.reduce_block_size_n)
    assert trace.program_start_ns.min() == 0


@pytest.mark.skipif(not IS_INTERPRETED, reason="on a GPU there is a clock")
def test_the_interpreter_counts_events_one_program_after_another() -> None:
    trace, _, _ = traced(ATOMIC)
    assert trace.clock is Clock.STEPS
    assert trace.start_ns.tolist() == list(range(0, 3 * M, 3))
    assert trace.add_end_ns.tolist() == list(range(2, 3 * M, 3))
    assert sorted(trace.tile_end_ns.tolist())[-1] == 3 * M + 3 * trace.tile_sm.size - 1
    trace, _, _ = traced(SHARED)
    assert (trace.program_start_ns[1:] == trace.add_end_ns[:-1] + 1).all()
    # Three events a turn after the start; the first turn has no row before it, the row's own turn
    # comes next.
    assert trace.ready_ns[trace.program == 0].tolist() == list(range(6, 25, 3))


@pytest.fixture
def locks() -> tuple[ReductionTimeline, KernelResults, KernelResults]:
    """A timeline of `locked` with its numbers, results without tracing and with it."""
    inputs = make_inputs(M, N, torch.float16, "tutorial", 0, DEVICE)
    launch = resolve_launch(N, "float16", LaunchWish(group_size_m=GROUP_SIZE_M))
    plain, again = kernel_results(inputs, 1e-5, launch), kernel_results(inputs, 1e-5, launch)
    assert again.dw is not None
    assert again.db is not None
    dx, dw, db = again.dx, again.dw, again.db
    for tensor in (dx, dw, db):
        tensor.fill_(torch.nan)
    kernels, memory = (
        STRATEGY_KERNELS["locked"],
        STRATEGY_KERNELS["locked"].allocate_trace(inputs.x, launch, numbers=True),
    )
    statistics = {"mean": again.mean, "rstd": again.rstd}
    given = BackwardTensors(
        x=inputs.x, dy=inputs.dy, weight=inputs.weight, **statistics, dx=dx, dw=dw, db=db
    )
    carry_out(lambda: run_backward(given, launch, trace=memory), DEVICE)
    timeline = kernels.read_trace(inputs.x, launch, memory, dw=dw, db=db)
    assert isinstance(timeline, ReductionTimeline)
    return timeline, plain, again


def test_tracing_locks_changes_no_result(
    locks: tuple[ReductionTimeline, KernelResults, KernelResults],
) -> None:
    _, plain, again = locks
    assert torch.equal(again.dx, plain.dx)
    for name in ("dw", "db"):
        torch.testing.assert_close(getattr(again, name), getattr(plain, name), rtol=1e-3, atol=1e-4)


def test_a_row_leaves_what_it_found_and_what_it_added(
    locks: tuple[ReductionTimeline, KernelResults, KernelResults],
) -> None:
    trace, _, results = locks
    assert trace.sums is not None
    row_sums = np.stack((trace.sums.row_dw, trace.sums.row_db))
    buffer_after = np.stack((trace.sums.dw_after, trace.sums.db_after))
    assert row_sums.shape == buffer_after.shape == (2, M, N)
    last = np.empty(GROUP_SIZE_M, int)
    for row in np.argsort(trace.order, kind="stable"):
        lock = trace.lock[row]
        found = buffer_after[:, last[lock]] if trace.order[row] else np.float32(0)
        assert np.allclose(buffer_after[:, row], found + row_sums[:, row], rtol=1e-6, atol=1e-7)
        last[lock] = row
    for total, result in zip(
        buffer_after[:, last].sum(axis=1), (results.dw, results.db), strict=True
    ):
        assert result is not None
        assert np.allclose(total, result.cpu().float(), rtol=2e-3, atol=1e-3)


def test_lower_halves_of_times_are_made_whole_across_their_wrap() -> None:
    true = np.array(
        [[2**32 - 5, 7 * 2**32 + 9], [2**32 - 1, 7 * 2**32 + 9], [2**32 + 3, 8 * 2**32 + 2]]
    )
    low = true[1:].astype(np.uint32).view(np.int32)
    assert whole_times(true[0], low).tolist() == true.tolist()
