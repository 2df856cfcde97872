"""The clocks that traced kernels read, how finely they step, and what stands in for them where there is none."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import triton
import triton.language as tl

from lnkernels.interpreter import INTERPRETED, IS_INTERPRETED, device_function
from lnkernels.locked import wait_for_all_threads
from lnkernels.timing.cuda import Capture

_CLOCK_READS = 4096
_REPLAYS = 2  # what the last one wrote stays
_WRAP = np.int64(1) << 32


@device_function
def timer_low():
    """The lower half of the GPU's timer: one register to keep it in, where the whole takes two."""
    return tl.inline_asm_elementwise("mov.u32 $0, %globaltimer_lo;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)


@device_function
def sm_clock():
    """Cycles of the streaming multiprocessor that the program runs on."""
    return tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)


@device_function
def now(steps_ptr):
    """The GPU's timer in ns. The interpreter has no clock: there it is counted how often this was asked before.

    steps_ptr points at an int64 zero on the interpreter, and is None on a GPU.
    """
    if INTERPRETED:
        return tl.atomic_add(steps_ptr, 1)
    else:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return tl.extra.cuda.globaltimer()


@device_function
def place():
    """The streaming multiprocessor that the program runs on; the interpreter's is called 0."""
    if INTERPRETED:
        return 0
    else:  # noqa: RET505
        return tl.extra.cuda.smid()


@device_function
def wait_until_written():
    """Return when everything that the program's threads have stored or added in memory is there."""
    if not INTERPRETED:
        tl.inline_asm_elementwise("membar.gl; mov.u32 $0, 0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    wait_for_all_threads()


@triton.jit
def clock_kernel(times_ptr, reads):
    """Read the clock again and again."""
    for i in range(reads):
        tl.store(times_ptr + i, tl.extra.cuda.globaltimer())


def measured_tick(device: torch.device) -> int | None:
    """The least step, in ns, between two different readings of the device's global timer; None on the interpreter.

    A timer that steps more often than one program can read it shows the time of a reading instead.
    """
    if IS_INTERPRETED:
        return None
    times = torch.empty(_CLOCK_READS, dtype=torch.int64, device=device)
    clock_kernel[(1,)](times, _CLOCK_READS, num_warps=1)
    steps = times.diff()
    return int(steps[steps > 0].min())


def carry_out(call: Callable[[], None], device: torch.device) -> None:
    """Make a call whose kernels write what is traced.

    A GPU replays it as a graph, so that stage 2 follows stage 1 as it does when passes are timed: started one by one, the second
    kernel of a small problem would wait for the host. The first replay pays for bringing the graph to the device.
    """
    if IS_INTERPRETED:
        call()
        return
    captured = Capture(device)(lambda: call)
    for _ in range(_REPLAYS):
        captured.graph.replay()
    torch.cuda.synchronize(device)


def steps_from_zero(device: torch.device) -> torch.Tensor | None:
    """What `now` counts in: one int64 zero on the interpreter, None on a GPU."""
    return torch.zeros(1, dtype=torch.int64, device=device) if IS_INTERPRETED else None


def whole_times(start: npt.NDArray[np.int64], low: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Times [events + 1, M] from one that is whole [M] and the lower halves of later ones [events, M], up to 4 s later."""
    later: npt.NDArray[np.int64] = start + (low.astype(np.int64) - start) % _WRAP
    return np.concatenate((start[None], later))


def registers_of(kernel: Any, grid: tuple[int, ...], *args: Any, **constants: Any) -> int:
    """Registers a thread of a kernel as it would be launched with these arguments on the current GPU. Launches nothing."""
    compiled = kernel.warmup(*args, grid=grid, **constants)
    compiled._init_handles()  # Triton loads a kernel, and learns this, when it is first launched
    registers: int = compiled.n_regs
    return registers
