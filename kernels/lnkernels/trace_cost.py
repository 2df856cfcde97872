"""What recording a trace costs: the backward pass of `locked`, plain and instrumented, taken in turns."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

import torch

from lnkernels.timing.cuda import Capture, Flush, KernelStopwatch

_ROUNDS = 8
_ROUND_MS, _MOST_REPETITIONS = 5.0, 10  # of one side in one round


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians in ms over all repetitions of a side; both kernels, the zeroing of the locks included, L2 cache warm."""

    plain_ms: float
    traced_ms: float
    repetitions: int


def measure_cost(plain: Callable[[], None], traced: Callable[[], None], device: torch.device) -> Cost:
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
    return Cost(statistics.median(samples[0]), statistics.median(samples[1]), _ROUNDS * repetitions)
