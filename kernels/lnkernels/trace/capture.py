"""Run a traced pass, and measure what tracing costs."""

from __future__ import annotations  # torch is imported where it is needed

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch.limits import registers_as_given
from lnkernels.timing.rounds import Candidate, Effort, interleave
from lnkernels.values.timeline import TraceCost

if TYPE_CHECKING:
    import torch

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
    import torch

    from lnkernels.timing.cuda import Capture

    captured = Capture(device)(lambda: call)
    for _ in range(_REPLAYS):
        captured.graph.replay()
    torch.cuda.synchronize(device)


def registers_of(kernel: Any, grid: tuple[int, ...], *args: Any, **constants: Any) -> int:
    """Return the registers a thread gets when the kernel is launched with these arguments on the
    current GPU.

    Launches nothing.
    """
    compiled = kernel.warmup(*args, grid=grid, **constants)
    compiled._init_handles()  # Triton loads a kernel, and learns this, when it is first launched
    return registers_as_given(compiled.n_regs)


def measure_cost(
    plain: Callable[[], object], traced: Callable[[], object], device: torch.device
) -> TraceCost:
    """Time a plain and a traced call in turns, so that a change of the clocks affects both."""
    from lnkernels.timing.cuda import Capture, Flush, KernelStopwatch

    capture, flush = Capture(device), Flush(device)

    def watch(call: Callable[[], object]) -> KernelStopwatch:
        return KernelStopwatch(capture(lambda: call), "warm", flush)

    watches = [watch(plain), watch(traced)]
    found = {}
    for name, timing in interleave(
        [Candidate(name, "warm", watch) for name, watch in enumerate(watches)], _COST_EFFORT
    ):
        if isinstance(timing, Exception):
            raise timing
        found[name] = timing
    repetitions = min(timing.repetitions for timing in found.values())
    return TraceCost(
        plain_ns=found[0].p50_ms * 1e6, traced_ns=found[1].p50_ms * 1e6, repetitions=repetitions
    )
