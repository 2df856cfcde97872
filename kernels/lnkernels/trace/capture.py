"""Run a traced pass, and measure what tracing costs."""

from collections.abc import Callable

import torch

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.timing.cuda import Capture, Flush, KernelStopwatch
from lnkernels.timing.rounds import Effort, interleave
from lnkernels.values.timeline import TraceCost

_REPLAYS = 2  # what the last one wrote stays
_COST_EFFORT = Effort(turn=10, turn_ms=5.0, most=80, seconds=1.0)


def carry_out(call: Callable[[], object], device: torch.device) -> None:
    """Run a call whose kernels write a trace.

    A GPU replays it as a graph, so that stage 2 follows stage 1 as it does when passes are timed:
    started one by one, the second kernel of a small problem would wait for the host. The first
    replay pays for bringing the graph to the device.
    """
    if IS_INTERPRETED:
        call()
        return
    captured = Capture(device)(lambda: call)
    for _ in range(_REPLAYS):
        captured.graph.replay()
    torch.cuda.synchronize(device)


def measure_cost(
    plain: Callable[[], object], traced: Callable[[], object], device: torch.device
) -> TraceCost:
    """Time a plain and a traced call in turns, so that a change of the clocks affects both."""
    capture, flush = Capture(device), Flush(device)

    def watch(call: Callable[[], object]) -> KernelStopwatch:
        return KernelStopwatch(capture(lambda: call), "warm", flush)

    found = {}
    watches = {"plain": watch(plain), "traced": watch(traced)}
    for name, timing in interleave(watches, _COST_EFFORT):
        if isinstance(timing, Exception):
            raise timing
        found[name] = timing
    return TraceCost(
        plain_ns=found["plain"].p50_ms * 1e6,
        traced_ns=found["traced"].p50_ms * 1e6,
        repetitions=min(timing.repetitions for timing in found.values()),
    )
