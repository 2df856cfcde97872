"""Device memory that traced kernels write, and the GPU timer that they read."""

from __future__ import annotations  # compiling must not wait for torch

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import triton
import triton.language as tl
from numpy.typing import NDArray

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.language.launching import empty, launch_kernel
from lnkernels.launch import Launch, ceil_div
from lnkernels.launch.limits import registers_as_given
from lnkernels.triton_internals import FUSED, load
from lnkernels.values.environment import Kind
from lnkernels.values.frozen import frozen
from lnkernels.values.timeline import Indices, StrategyTimeline, Times, clock_of

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_CLOCK_READS = 4096


@frozen
class TraceMemory:
    """Device memory that a traced kernel writes, by the names of the kernel's parameters. Times are
    those of `lnkernels.language.clock.now`.
    """

    steps: Tensor | None  # what the interpreter counts events in


@frozen
class TileTrace(TraceMemory):
    """Device memory that a traced stage 2 writes."""

    # [3, tiles] int64: set up, start, end; tiles of dw before those of db where they are apart
    times: Tensor
    sm: Tensor  # [tiles] int32

    @classmethod
    def allocate(cls, tiles: int, device: torch.device) -> TileTrace:
        times = empty((3, tiles), "int64", device)
        return cls(steps_from_zero(device), times, empty((tiles,), "int32", device))


@frozen
class ProgramTrace(TraceMemory):
    """Device memory that a traced pass of a strategy without locks writes."""

    # int64, of the programs' walks, in the strategy's own form; None where a program takes one row
    turn: Tensor | None
    times: Tensor  # [3, programs] int64: start, adding of the sums begins, and ends
    sm: Tensor  # [programs] int32
    tiles: TileTrace

    @classmethod
    def allocate(
        cls, x: Tensor, launch: Launch, turn: tuple[int, ...] | None, programs: int
    ) -> ProgramTrace:
        """Allocate memory, not initialised, for a pass over x, whose stage 2 has tiles of dw and of
        db.
        """
        device, columns = x.device, launch.reduce_block_size_n
        tiles = TileTrace.allocate(2 * ceil_div(x.shape[1], columns), device)
        return cls(
            tiles.steps,
            None if turn is None else empty(turn, "int64", device),
            empty((3, programs), "int64", device),
            empty((programs,), "int32", device),
            tiles,
        )

    def read(
        self,
        strategy: str,
        m: int,
        n: int,
        rows: int,
        program: Indices,
        pieces: Times,
        *,
        first_row: Indices | None = None,
        waits: Times | None = None,
        slices: int = 1,
    ) -> StrategyTimeline:
        """Return what was written as a timeline, without what recording it costs.

        Times are in ns from the first program's start. On the interpreter, which has no clock, they
        count the events that came before: their order is true, their distances mean nothing.

        Args:
            strategy: whose pass it is.
            m: rows.
            n: columns.
            rows: of a piece.
            program: [T] that took each piece.
            pieces: [2, T] start and ready, as read.
            first_row: [T] of each piece; None where each holds the rows after those of the piece
                before it.
            waits: [2, T] begin and end of the wait in each piece, as read; None where no program
                waits for another in one.
            slices: of a row, each with a program of its own.
        """
        programs, tiles, tick = (
            array_of(self.times),
            array_of(self.tiles.times),
            measured_tick(self.times.device),
        )
        origin = programs[0].min(initial=np.iinfo(np.int64).max) if programs.size else tiles.min()
        if tick is None:
            origin = 0
        return StrategyTimeline(
            strategy=strategy,
            kind=Kind.INTERPRETED if tick is None else Kind.MEASURED,
            clock=clock_of(tick),
            tick_ns=float(tick or 1),
            m=m,
            n=n,
            rows=rows,
            program=program,
            first_row=(
                np.arange(program.size, dtype=np.int32) * np.int32(rows)
                if first_row is None
                else first_row
            ),
            start_ns=pieces[0] - origin,
            ready_ns=pieces[1] - origin,
            sm=array_of(self.sm),
            program_start_ns=programs[0] - origin,
            add_begin_ns=programs[1] - origin,
            add_end_ns=programs[2] - origin,
            tile_sm=array_of(self.tiles.sm),
            tile_setup_ns=tiles[0] - origin,
            tile_start_ns=tiles[1] - origin,
            tile_end_ns=tiles[2] - origin,
            slices=slices,
            wait_begin_ns=None if waits is None else waits[0] - origin,
            wait_end_ns=None if waits is None else waits[1] - origin,
        )


def pointers_of(trace: TraceMemory | None) -> dict[str, Any]:
    """Return the arguments of a kernel that is traced; none where it is not."""
    if trace is None:
        return {}
    memory = {field.name: getattr(trace, field.name) for field in fields(trace)}
    memory.pop("tiles", None)  # of another kernel
    return {f"{name}_ptr": each for name, each in memory.items() if each is not None}


def array_of(tensor: Tensor) -> NDArray[Any]:
    """Return what a tensor holds, in memory of the host."""
    array: NDArray[Any] = tensor.cpu().numpy()
    return array


@triton.jit
def clock_kernel(times_ptr, reads):
    """Read the clock again and again."""
    for i in range(reads):
        tl.store(times_ptr + i, tl.extra.cuda.globaltimer())


def measured_tick(device: torch.device) -> int | None:
    """Return the smallest step of the device's global timer in ns; None on the interpreter.

    A timer that steps more often than one program can read it shows the time of a reading instead.
    """
    if IS_INTERPRETED:
        return None
    times = empty((_CLOCK_READS,), "int64", device)
    launch_kernel(clock_kernel, (1,), times, _CLOCK_READS, num_warps=1)
    steps = times.diff()
    return int(steps[steps > 0].min())


def steps_from_zero(device: torch.device) -> Tensor | None:
    """Return the counter that the interpreter's clock uses, one int64 zero; None on a GPU."""
    return empty((1,), "int64", device).zero_() if IS_INTERPRETED else None


def registers_of(kernel: Any, grid: tuple[int, ...], *args: Any, **constants: Any) -> int:
    """Return the registers a thread gets when the kernel is launched with these arguments on the
    current GPU.

    Launches nothing.
    """
    compiled = kernel.warmup(*args, grid=grid, **constants, **FUSED)
    return registers_as_given(load(compiled).n_regs)
