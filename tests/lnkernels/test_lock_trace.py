"""The traced stage 1 computes what stage 1 computes, and its order is one that locks allow."""

import pytest
import torch

from lnkernels.inputs import make_inputs
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import LaunchOverrides, resolve_launch
from lnkernels.lock_trace import LockTrace, measured_tick, trace_backward
from lnkernels.locked import LockedWorkspace
from lnkernels.results import KernelResults, kernel_results

M, N, GROUP_SIZE_M = 11, 24, 3


@pytest.fixture
def traced(device: torch.device) -> tuple[LockTrace, KernelResults, KernelResults]:
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
    trace = trace_backward(inputs.x, inputs.dy, *statistics, launch, workspace, **outputs)
    return trace, plain, again


def test_tracing_changes_no_result(traced: tuple[LockTrace, KernelResults, KernelResults]) -> None:
    _, plain, again = traced
    assert torch.equal(again.dx, plain.dx)
    for name in ("dw", "db"):
        torch.testing.assert_close(getattr(again, name), getattr(plain, name), rtol=1e-3, atol=1e-4)


def test_every_row_has_its_own_place_in_its_locks_order(
    traced: tuple[LockTrace, KernelResults, KernelResults],
) -> None:
    trace = traced[0]
    assert trace.lock.tolist() == [row % GROUP_SIZE_M for row in range(M)]
    for lock in range(GROUP_SIZE_M):
        places = trace.order[trace.lock == lock]
        assert sorted(places.tolist()) == list(range(len(places)))
    assert (trace.tries >= 1).all()


@pytest.mark.skipif(not IS_INTERPRETED, reason="on a GPU there is a clock: tests/gpu has its tests")
def test_the_interpreter_has_an_order_and_no_times(traced: tuple[LockTrace, KernelResults, KernelResults]) -> None:
    trace = traced[0]
    assert trace.order.tolist() == [row // GROUP_SIZE_M for row in range(M)]
    assert trace.tries.tolist() == [1] * M
    assert trace.start_ns is trace.wanted_ns is trace.held_ns is trace.released_ns is trace.sm is None
    assert measured_tick(torch.device("cpu")) is None
