"""What recording a trace costs: the backward pass of `locked`, plain and instrumented, taken in turns."""

import statistics
from collections.abc import Callable

import torch

from lnkernels.timing.cuda import Capture, Flush, KernelStopwatch
from lnkernels.values.timeline import TraceCost

_ROUNDS = 8
_ROUND_MS, _MOST_REPETITIONS = 5.0, 10  # of one side in one round


def measure_cost(plain: Callable[[], None], traced: Callable[[], None], device: torch.device) -> TraceCost:
    """Time two calls in turns, so that a change of the clocks meets both.

    Args:
        plain: enqueues the backward pass; allocates nothing.
        traced: enqueues the instrumented one.
        device: a CUDA device.
    """
    capture, flush = Capture(device), Flush(device)
    watches = [KernelStopwatch(captured, "warm", flush) for captured in (capture(lambda: plain), capture(lambda: traced))]
    longest = max(max(watch(1)) for watch in watches)
    repetitions = min(max(int(_ROUND_MS / longest), 1), _MOST_REPETITIONS) if longest > 0 else _MOST_REPETITIONS
    samples: list[list[float]] = [[], []]
    for _ in range(_ROUNDS):
        for watch, taken in zip(watches, samples, strict=True):
            taken.extend(watch(repetitions))
    plain_ms, traced_ms = map(statistics.median, samples)
    return TraceCost(plain_ns=plain_ms * 1e6, traced_ns=traced_ms * 1e6, repetitions=_ROUNDS * repetitions)
