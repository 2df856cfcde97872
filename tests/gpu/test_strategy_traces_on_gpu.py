"""The traced kernels of the strategies without locks on a GPU: the plain ones' results, and times
that can have been.
"""

import pytest
import torch

from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.violations import violations
from lnexplorer.worker.experiments.strategies import trace_strategy
from lnkernels.check.inputs import make_inputs
from lnkernels.device import device_limits
from lnkernels.values.timeline import Clock, StrategyTimeline
from tests.worker.test_experiments import Quiet

pytestmark = pytest.mark.gpu

WIDE = [(4096, 16384), (1151, 32768), (64, 65536), (1000, 20000), (5, 32768)]
SHAPES = [
    (4096, 1024),
    (4096, 2048),
    (1151, 2048),
    (33, 1000),
    (4096, 256),
    (4096, 8192),
    (1151, 9216),
]


def traced(strategy: str, m: int, n: int, dtype: str) -> StrategyTimeline:
    device = torch.device("cuda", 0)
    problem = RunRequest(m=m, n=n, dtype=dtype).problem(strategy)
    resolved = resolve(problem, "cuda", device_limits(device))
    inputs = make_inputs(m, n, getattr(torch, dtype), "tutorial", 0, device)
    timeline = trace_strategy(Quiet(), inputs, resolved)  # type: ignore[arg-type]
    assert isinstance(timeline, StrategyTimeline), timeline
    return timeline


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(
    ("strategy", "m", "n"),
    [
        *((strategy, m, n) for strategy in ("atomic", "persistent") for m, n in SHAPES),
        *(("split", m, n) for m, n in [*SHAPES, *WIDE]),
    ],
)
def test_a_timeline_can_have_been_and_comes_from_the_plain_kernels_results(
    strategy: str, m: int, n: int, dtype: str
) -> None:
    timeline = traced(strategy, m, n, dtype)
    assert violations(timeline) == []
    assert timeline.clock in {Clock.TIMER, Clock.COARSE}
    assert timeline.cost is not None
    assert timeline.cost.repetitions >= 8
    count = torch.cuda.get_device_properties(0).multi_processor_count
    assert 0 <= timeline.sm.min() <= timeline.sm.max() < count
    assert timeline.end_ns > 0
    assert (timeline.wait_begin_ns is not None) == (strategy == "split")


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(("m", "n"), WIDE)
def test_nobody_ends_a_wait_for_a_sum_before_it_was_known(m: int, n: int, dtype: str) -> None:
    timeline = traced("split", m, n, dtype)
    assert timeline.slices > 1
    assert timeline.wait_begin_ns is not None
    assert timeline.wait_end_ns is not None
    begun, ended = (
        each.reshape(m, timeline.slices) for each in (timeline.wait_begin_ns, timeline.wait_end_ns)
    )
    groups = timeline.sm.size // timeline.slices
    # A program waits in its turn with a row when it has published its sums of the row after it,
    # which is groups rows later.
    published, read = (
        begun[:-groups].max(axis=1, initial=0),
        ended[groups:].min(axis=1, initial=2**62),
    )
    assert (read + timeline.tick_ns >= published).all()
