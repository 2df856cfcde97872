"""The traced kernels of the strategies without locks on a GPU: the plain ones' results, and times that can have been."""

from types import ModuleType

import pytest
import torch

from lnexplorer.domain.experiments.strategy_timeline import StrategyTimeline, strategy_violations
from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.domain.timeline import Clock
from lnexplorer.worker.experiments.backward import statistics
from lnexplorer.worker.experiments.order import without_locks
from lnexplorer.worker.experiments.strategy_traces import trace_strategy
from lnkernels import atomic_trace, persistent_trace
from lnkernels.device import device_limits
from lnkernels.inputs import make_inputs
from lnkernels.launch.settings import AtomicSettings
from lnkernels.strategies import plan_of
from tests.worker.test_experiments import Quiet

pytestmark = pytest.mark.gpu

SHAPES = [(4096, 1024), (4096, 2048), (1151, 2048), (33, 1000), (4096, 256), (4096, 8192), (1151, 9216)]


def resolved_for(strategy: str, m: int, n: int, dtype: str) -> ResolvedRequest:
    return resolve(without_locks(RunRequest(m=m, n=n, dtype=dtype), strategy), "cuda", device_limits(torch.device("cuda", 0)))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(("m", "n"), SHAPES)
@pytest.mark.parametrize("strategy", ["atomic", "persistent"])
def test_a_timeline_can_have_been_and_comes_from_the_plain_kernels_results(strategy: str, m: int, n: int, dtype: str) -> None:
    device = torch.device("cuda", 0)
    resolved = resolved_for(strategy, m, n, dtype)
    inputs = make_inputs(m, n, getattr(torch, dtype), "tutorial", 0, device)
    mean, rstd = statistics(inputs.x, resolved.eps)
    timeline = trace_strategy(Quiet(), inputs, mean, rstd, resolved)  # type: ignore[arg-type]
    assert isinstance(timeline, StrategyTimeline), timeline
    assert strategy_violations(timeline) == []
    assert timeline.clock in {Clock.TIMER, Clock.COARSE}
    assert timeline.cost is not None
    assert timeline.cost.repetitions >= 8
    count = torch.cuda.get_device_properties(0).multi_processor_count
    assert 0 <= timeline.sm.min() <= timeline.sm.max() < count
    assert timeline.end_ns > 0


@pytest.mark.parametrize("strategy", ["atomic", "persistent"])
def test_traced_results_are_near_the_truth(strategy: str) -> None:
    device = torch.device("cuda", 0)
    resolved = resolved_for(strategy, 4096, 2048, "float16")
    inputs = make_inputs(4096, 2048, torch.float16, "tutorial", 0, device)
    mean, rstd = statistics(inputs.x, resolved.eps)
    settings = plan_of(resolved.launch, 2048, "float16", device).backward
    tracing: ModuleType = atomic_trace if isinstance(settings, AtomicSettings) else persistent_trace
    outputs = {name: torch.full((2048,), torch.nan, device=device) for name in ("dw", "db")}
    dx = torch.full_like(inputs.x, torch.nan)
    tracing.trace_backward(inputs.x, inputs.dy, inputs.weight, mean, rstd, settings, dx=dx, **outputs)
    xhat = (inputs.x.double() - mean[:, None].double()) * rstd[:, None].double()
    truth = {"dw": (inputs.dy.double() * xhat).sum(0), "db": inputs.dy.double().sum(0)}
    for name, expected in truth.items():
        assert (outputs[name].double() - expected).abs().max() < 1e-3
    assert not dx.isnan().any()
