"""The lock trace of a real run is consistent with what a lock is."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from lnexplorer.domain.jobs import TraceJob
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.violations import violations
from lnexplorer.engine.supervisor import run_in_turn
from lnexplorer.protocol.messages import Finished
from lnexplorer.store.check import check_timeline
from lnexplorer.worker.connection import Cancellation, Task
from lnexplorer.worker.trace import trace as trace_job
from lnkernels.check.accuracy import check_all
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import KernelResults, kernel_results, torch_results
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.locked import allocate_trace, allocate_workspace, read_trace
from lnkernels.passes.registry import run_backward
from lnkernels.trace.capture import carry_out
from lnkernels.trace.clock_refinement import refined, whole_times
from lnkernels.trace.memory import measured_tick
from lnkernels.values.timeline import Clock, ReductionTimeline
from tests.worker.conftest import Wire

pytestmark = pytest.mark.gpu

M, N = 4096, 1024


def given_by(inputs: Inputs, results: KernelResults) -> BackwardTensors:
    statistics = {"mean": results.mean, "rstd": results.rstd}
    written = {"dx": results.dx, "dw": results.dw, "db": results.db}
    return BackwardTensors(x=inputs.x, dy=inputs.dy, weight=inputs.weight, **statistics, **written)


@pytest.fixture(scope="module", params=[16, 256])
def trace(request: pytest.FixtureRequest) -> ReductionTimeline:
    inputs = make_inputs(M, N, torch.float16, "tutorial", 0, "cuda")
    launch = resolve_launch(N, "float16", LaunchWish(group_size_m=request.param))
    results = kernel_results(inputs, 1e-5, launch)
    assert results.dw is not None
    assert results.db is not None
    dx, dw, db = results.dx, results.dw, results.db
    for tensor in (dx, dw, db):
        tensor.fill_(torch.nan)
    workspace, memory = allocate_workspace(inputs.x, launch), allocate_trace(inputs.x, launch)
    carry_out(
        lambda: run_backward(given_by(inputs, results), launch, workspace, memory), inputs.x.device
    )
    traced = read_trace(inputs.x, launch, memory, dw=dw, db=db)
    assert check_all(inputs, 1e-5, launch, results, torch_results(inputs, 1e-5)).passed
    return traced


def test_a_timeline_can_have_been(trace: ReductionTimeline) -> None:
    assert violations(trace) == []
    assert trace.start_ns.min() == 0


def test_the_multiprocessors_and_the_timers_step_are_those_of_a_gpu(
    trace: ReductionTimeline,
) -> None:
    count = torch.cuda.get_device_properties(0).multi_processor_count
    assert 0 <= trace.sm.min() <= trace.sm.max() < count
    assert len(np.unique(trace.sm)) > count // 2
    assert 1 <= (trace.tick_ns or 0) <= 2000


@pytest.mark.parametrize("data", ["normal", "offset", "constant", "spike", "nan", "inf"])
@pytest.mark.parametrize(
    ("m", "n", "group_size_m"), [(1, 1, 1), (1, 17, 64), (7, 1, 3), (33, 40, 64), (64, 64, 1)]
)
def test_no_trace_is_refused_for_its_shape_or_its_data(
    m: int, n: int, group_size_m: int, data: str
) -> None:
    for dtype, partial_dtype, barrier in (
        ("bfloat16", "same", True),
        ("float16", "same", True),
        ("float16", "float32", False),
        ("float32", "float32", True),
    ):
        asked: dict[str, Any] = {
            "m": m,
            "n": n,
            "group_size_m": group_size_m,
            "data": data,
            "dtype": dtype,
        }
        asked |= {"partial_dtype": partial_dtype, "barrier": barrier, "eps": 0.0}
        task = Task(1, Wire(), Cancellation())  # type: ignore[arg-type]
        resolved = resolve(RunRequest.of(**asked), "cuda")
        timeline = trace_job(task, resolved, torch.device("cuda", 0), with_cost=False)
        assert isinstance(timeline, ReductionTimeline)
        check_timeline(timeline, resolved)


def test_a_trace_tells_what_it_costs_and_which_clock_it_read() -> None:
    (outcome,) = run_in_turn([TraceJob(RunRequest.of(m=512, n=1024, group_size_m=64))], "cuda:0")
    assert isinstance(outcome, Finished)
    timeline = outcome.value
    assert isinstance(timeline, ReductionTimeline)
    assert timeline.cost is not None
    assert timeline.cost.plain_ns > 0
    assert timeline.cost.traced_ns > 0
    assert timeline.cost.repetitions >= 8
    assert timeline.clock in {Clock.TIMER, Clock.REFINED, Clock.COARSE}
    assert timeline.sums is None


def test_sm_clocks_agree_with_the_timer_that_they_are_calibrated_against() -> None:
    inputs = make_inputs(M, N, torch.float16, "tutorial", 0, "cuda")
    launch = resolve_launch(N, "float16", LaunchWish(group_size_m=256))
    results = kernel_results(inputs, 1e-5, launch)
    workspace, memory = allocate_workspace(inputs.x, launch), allocate_trace(inputs.x, launch)
    memory = replace(memory, cycles=torch.empty((4, M), dtype=torch.int64, device="cuda"))
    for _ in range(2):
        run_backward(given_by(inputs, results), launch, workspace, memory)
    fine = whole_times(memory.start.cpu().numpy(), memory.low.cpu().numpy())
    assert memory.cycles is not None
    cycles, sm = memory.cycles.cpu().numpy(), memory.sm.cpu().numpy()
    coarse_tick = 4096  # as if the timer had long steps
    found = refined(fine // coarse_tick * coarse_tick, cycles, sm, coarse_tick)
    if found is None:
        pytest.skip(
            "the clocks of this GPU's SMs contradict each other, so they do not refine its timer"
        )
    times, doubt = found
    assert doubt <= coarse_tick // 2
    assert np.abs(times - fine).max() <= doubt + (measured_tick(torch.device("cuda")) or 0)
