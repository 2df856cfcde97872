"""The lock trace of a real run is consistent with what a lock is."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from lnkernels.accuracy import check_all
from lnkernels.inputs import make_inputs
from lnkernels.launch import LaunchOverrides, resolve_launch
from lnkernels.lock_trace import LockTrace, trace_backward
from lnkernels.locked import LockedWorkspace
from lnkernels.reference import torch_results
from lnkernels.results import kernel_results

pytestmark = pytest.mark.gpu

M, N = 4096, 1024


@pytest.fixture(scope="module", params=[16, 256])
def trace(request: pytest.FixtureRequest) -> LockTrace:
    inputs = make_inputs(M, N, torch.float16, "tutorial", 0, "cuda")
    launch = resolve_launch(N, "float16", LaunchOverrides(group_size_m=request.param))
    results = kernel_results(inputs, 1e-5, launch)
    assert results.dw is not None
    assert results.db is not None
    outputs = {"dx": results.dx, "dw": results.dw, "db": results.db}
    for tensor in outputs.values():
        tensor.fill_(torch.nan)
    workspace = LockedWorkspace.allocate(M, N, torch.float16, launch, "cuda")
    statistics = (inputs.weight, results.mean, results.rstd)
    traced = trace_backward(inputs.x, inputs.dy, *statistics, launch, workspace, **outputs)
    assert check_all(inputs, 1e-5, launch, results, torch_results(inputs, 1e-5)).passed
    return traced


def test_each_row_starts_wants_holds_and_releases_in_this_order(trace: LockTrace) -> None:
    times = [trace.start_ns, trace.wanted_ns, trace.held_ns, trace.released_ns]
    for earlier, later in pairwise(times):
        assert earlier is not None
        assert later is not None
        assert (earlier <= later).all()
    assert trace.start_ns is not None
    assert trace.start_ns.min() == 0


def test_a_lock_is_never_held_by_two_rows(trace: LockTrace) -> None:
    assert trace.held_ns is not None
    assert trace.released_ns is not None
    for lock in np.unique(trace.lock):
        rows = np.flatnonzero(trace.lock == lock)
        rows = rows[np.argsort(trace.order[rows])]
        assert trace.order[rows].tolist() == list(range(len(rows)))
        assert all(trace.released_ns[a] <= trace.held_ns[b] for a, b in pairwise(rows))


def test_a_row_that_got_its_lock_at_once_tried_once(trace: LockTrace) -> None:
    assert (trace.tries >= 1).all()
    assert (trace.tries > 1).any()


def test_the_multiprocessors_and_the_timers_step_are_those_of_a_gpu(trace: LockTrace) -> None:
    assert trace.sm is not None
    count = torch.cuda.get_device_properties(0).multi_processor_count
    assert 0 <= trace.sm.min() <= trace.sm.max() < count
    assert len(np.unique(trace.sm)) > count // 2
    assert trace.tick_ns is not None
    assert 1 <= trace.tick_ns <= 2000
