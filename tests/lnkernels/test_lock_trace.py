"""The traced stage 1 computes what stage 1 computes, and its order is one that locks allow."""

import numpy as np
import pytest
import torch

from lnkernels.inputs import make_inputs
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import LaunchOverrides, resolve_launch
from lnkernels.lock_trace import trace_backward
from lnkernels.locked import LockedWorkspace
from lnkernels.results import KernelResults, kernel_results
from lnkernels.trace_clock import measured_tick, whole_times
from lnkernels.values.timeline import Clock, ReductionTimeline

M, N, GROUP_SIZE_M = 11, 24, 3


@pytest.fixture
def traced(device: torch.device) -> tuple[ReductionTimeline, KernelResults, KernelResults]:
    inputs = make_inputs(M, N, torch.float16, "tutorial", 0, device)
    launch = resolve_launch(N, "float16", LaunchOverrides(group_size_m=GROUP_SIZE_M))
    plain, again = kernel_results(inputs, 1e-5, launch), kernel_results(inputs, 1e-5, launch)
    assert again.dw is not None
    assert again.db is not None
    for tensor in (again.dx, again.dw, again.db):
        tensor.fill_(torch.nan)
    workspace = LockedWorkspace.allocate(M, N, torch.float16, launch, device)
    statistics = (inputs.weight, again.mean, again.rstd)
    outputs = {"dx": again.dx, "dw": again.dw, "db": again.db}
    trace = trace_backward(inputs.x, inputs.dy, *statistics, launch, workspace, **outputs, numbers=True)
    return trace, plain, again


def test_tracing_changes_no_result(traced: tuple[ReductionTimeline, KernelResults, KernelResults]) -> None:
    _, plain, again = traced
    assert torch.equal(again.dx, plain.dx)
    for name in ("dw", "db"):
        torch.testing.assert_close(getattr(again, name), getattr(plain, name), rtol=1e-3, atol=1e-4)


def test_every_row_has_its_own_place_in_its_locks_order(
    traced: tuple[ReductionTimeline, KernelResults, KernelResults],
) -> None:
    trace = traced[0]
    assert trace.lock.tolist() == [row % GROUP_SIZE_M for row in range(M)]
    for lock in range(GROUP_SIZE_M):
        places = trace.order[trace.lock == lock]
        assert sorted(places.tolist()) == list(range(len(places)))
    assert (trace.tries >= 1).all()


@pytest.mark.skipif(not IS_INTERPRETED, reason="on a GPU there is a clock: tests/gpu has its tests")
def test_the_interpreter_has_an_order_and_no_times(traced: tuple[ReductionTimeline, KernelResults, KernelResults]) -> None:
    trace = traced[0]
    assert trace.order.tolist() == [row // GROUP_SIZE_M for row in range(M)]
    assert trace.tries.tolist() == [1] * M
    assert trace.clock is Clock.STEPS
    assert trace.sm.tolist() == [0] * M
    assert trace.released_ns.tolist() == [4 * row + 3 for row in range(M)]
    assert trace.tile_start_ns[0] == 4 * M
    assert measured_tick(torch.device("cpu")) is None


def test_a_row_leaves_what_it_found_and_what_it_added(traced: tuple[ReductionTimeline, KernelResults, KernelResults]) -> None:
    trace, _, results = traced
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
    for total, result in zip(buffer_after[:, last].sum(axis=1), (results.dw, results.db), strict=True):
        assert result is not None
        assert np.allclose(total, result.cpu().float(), rtol=2e-3, atol=1e-3)


def test_numbers_are_kept_only_where_they_are_wanted(device: torch.device) -> None:
    inputs = make_inputs(2, 4, torch.float16, "tutorial", 0, device)
    launch = resolve_launch(4, "float16", LaunchOverrides(group_size_m=1))
    results = kernel_results(inputs, 1e-5, launch)
    workspace = LockedWorkspace.allocate(2, 4, torch.float16, launch, device)
    outputs = {"dx": results.dx, "dw": results.dw, "db": results.db}
    assert all(output is not None for output in outputs.values())
    trace = trace_backward(inputs.x, inputs.dy, inputs.weight, results.mean, results.rstd, launch, workspace, **outputs)  # type: ignore[arg-type]
    assert trace.sums is None


def test_lower_halves_of_times_are_made_whole_across_their_wrap() -> None:
    true = np.array([[2**32 - 5, 7 * 2**32 + 9], [2**32 - 1, 7 * 2**32 + 9], [2**32 + 3, 8 * 2**32 + 2]])
    low = true[1:].astype(np.uint32).view(np.int32)
    assert whole_times(true[0], low).tolist() == true.tolist()
