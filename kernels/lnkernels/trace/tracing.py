"""Traces of a backward pass: the memory that traced kernels write, how a traced pass is carried
out, and what it tells.

The kernels' side of it is `lnkernels.language.clock`; that of others' kernels is `stamp`.
"""

from __future__ import (
    annotations,
)  # torch is imported where memory is allocated; compiling must not wait for it

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import triton
import triton.language as tl

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.language.stamps import (
    stamp as stamp,
)
from lnkernels.launch.limits import registers_as_given
from lnkernels.timing.rounds import Candidate, Effort, interleave
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Indices, StrategyTimeline, Times, TraceCost, clock_of

if TYPE_CHECKING:
    import torch

_Floats = npt.NDArray[np.float64]

_CLOCK_READS = 4096
_REPLAYS = 2  # what the last one wrote stays

_COST_EFFORT = Effort(turn=10, turn_ms=5.0, most=80, seconds=1.0)

_WORTH = 2  # refined times are worth having when they are this many times finer than the timer's
_APART_NS = 16  # the two clocks are read one after the other
_SLOPES = np.linspace(-1, 1, 161)


@dataclass(frozen=True, slots=True)
class TileTrace:
    """Device memory that a traced stage 2 writes. Times are those of
    `lnkernels.language.clock.now`.
    """

    times: (
        torch.Tensor
    )  # [3, tiles] int64: set up, start, end; tiles of dw before those of db where they are apart
    sm: torch.Tensor  # [tiles] int32
    steps: torch.Tensor | None  # what the interpreter counts events in

    @classmethod
    def allocate(cls, tiles: int, device: torch.device, steps: torch.Tensor | None) -> TileTrace:
        import torch

        return cls(
            torch.empty((3, tiles), dtype=torch.int64, device=device),
            torch.empty(tiles, dtype=torch.int32, device=device),
            steps,
        )

    def pointers(self) -> dict[str, torch.Tensor | None]:
        return {"times_ptr": self.times, "sm_ptr": self.sm, "steps_ptr": self.steps}


@dataclass(frozen=True, slots=True)
class ProgramTrace:
    """Device memory that a traced pass of a strategy without locks writes."""

    turns: (
        torch.Tensor | None
    )  # int64, of the programs' walks, in the strategy's own form; None where a program takes one row
    times: torch.Tensor  # [3, programs] int64: start, adding of the sums begins, and ends
    sm: torch.Tensor  # [programs] int32
    tiles: TileTrace

    @classmethod
    def allocate(
        cls, turns: tuple[int, ...] | None, programs: int, tiles: int, device: torch.device
    ) -> ProgramTrace:
        import torch

        return cls(
            torch.empty(turns, dtype=torch.int64, device=device) if turns is not None else None,
            torch.empty((3, programs), dtype=torch.int64, device=device),
            torch.empty(programs, dtype=torch.int32, device=device),
            TileTrace.allocate(tiles, device, steps_from_zero(device)),
        )

    def pointers(self) -> dict[str, torch.Tensor | None]:
        turns = {} if self.turns is None else {"turn_ptr": self.turns}
        return {**turns, "times_ptr": self.times, "sm_ptr": self.sm, "steps_ptr": self.tiles.steps}

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
        """What was written, as a timeline without what recording it costs.

        Times are in ns from the first program's start. On the interpreter, which has no clock, they
        count the events that came
        before: their order is true, their distances mean nothing.

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
            self.times.cpu().numpy(),
            self.tiles.times.cpu().numpy(),
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
            sm=self.sm.cpu().numpy(),
            program_start_ns=programs[0] - origin,
            add_begin_ns=programs[1] - origin,
            add_end_ns=programs[2] - origin,
            tile_sm=self.tiles.sm.cpu().numpy(),
            tile_setup_ns=tiles[0] - origin,
            tile_start_ns=tiles[1] - origin,
            tile_end_ns=tiles[2] - origin,
            slices=slices,
            wait_begin_ns=None if waits is None else waits[0] - origin,
            wait_end_ns=None if waits is None else waits[1] - origin,
        )


@triton.jit
def clock_kernel(times_ptr, reads):
    """Read the clock again and again."""
    for i in range(reads):
        tl.store(times_ptr + i, tl.extra.cuda.globaltimer())


def measured_tick(device: torch.device) -> int | None:
    """The least step, in ns, between two different readings of the device's global timer; None on
    the interpreter.

    A timer that steps more often than one program can read it shows the time of a reading instead.
    """
    if IS_INTERPRETED:
        return None
    import torch

    times = torch.empty(_CLOCK_READS, dtype=torch.int64, device=device)
    clock_kernel[(1,)](times, _CLOCK_READS, num_warps=1)
    steps = times.diff()
    return int(steps[steps > 0].min())


def carry_out(call: Callable[[], object], device: torch.device) -> None:
    """Make a call whose kernels write what is traced.

    A GPU replays it as a graph, so that stage 2 follows stage 1 as it does when passes are timed:
        started one by one,
    the second kernel of a small problem would wait for the host. The first replay pays for bringing
    the graph to the device.
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


def steps_from_zero(device: torch.device) -> torch.Tensor | None:
    """What `lnkernels.language.clock.now` counts in: one int64 zero on the interpreter, None on a
    GPU.
    """
    import torch

    return torch.zeros(1, dtype=torch.int64, device=device) if IS_INTERPRETED else None


def whole_times(start: npt.NDArray[np.int64], low: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Times [events + 1, M] from one that is whole [M] and the lower halves of later ones [events,
    M], up to 4 s later.
    """
    later: npt.NDArray[np.int64] = start + (low.astype(np.int64) - start) % (np.int64(1) << 32)
    return np.concatenate((start[None], later))


def registers_of(kernel: Any, grid: tuple[int, ...], *args: Any, **constants: Any) -> int:
    """Registers a thread that a kernel is given as it would be launched with these arguments on the
    current GPU.

    Launches nothing.
    """
    compiled = kernel.warmup(*args, grid=grid, **constants)
    compiled._init_handles()  # Triton loads a kernel, and learns this, when it is first launched
    return registers_as_given(compiled.n_regs)


def refined(
    timer_ns: Times, cycles: Times, sm: npt.NDArray[np.int32], tick_ns: int
) -> tuple[Times, int] | None:
    """Times of events, more exactly than the timer told them, and how far they may be off in ns;
    None where that cannot be done.

    An SM counts cycles of one length, from a beginning of its own. A timer that steps shows a time
    up to a step too early. So each event bounds the beginning of its SM's count from both sides,
    and the events of an SM together bound it closely. The length of a cycle is the same for all SMs
    while the clock does not change; where it does, the bounds contradict each other.

    Args:
        timer_ns: [events, M] as read from the timer.
        cycles: [events, M] as read from the SM's clock at the same moments.
        sm: [M] the SM of each column.
        tick_ns: the timer's step.
    """
    present, index = np.unique(sm, return_inverse=True)
    base = timer_ns.min()
    told, counted = (timer_ns - base).astype(np.float64), (cycles - cycles.min()).astype(np.float64)
    length = _cycle_length(told, counted, index, present.size)
    if length is None:
        return None
    # The slope through so many points is off by less than this over the whole stretch. Of the
    # slopes that contradict no reading the middle one is taken, and how far apart they are is a
    # doubt of its own.
    stretch = max(float(np.ptp(told)), float(tick_ns))
    slopes = _SLOPES * min(8 / np.sqrt(told.size), 1.0) * tick_ns
    bounds = [
        _beginnings(told, counted * length * (1 + off / stretch), index, present.size, tick_ns)
        for off in slopes
    ]
    possible = [at for at, (least, most) in enumerate(bounds) if (least <= most).all()]
    if not possible:
        return None
    middle = possible[len(possible) // 2]
    least, most = bounds[middle]
    doubt = float((most - least).max()) + slopes[possible[-1]] - slopes[possible[0]]
    if doubt * _WORTH > tick_ns:
        return None
    true = counted * length * (1 + slopes[middle] / stretch) + ((least + most) / 2)[index]
    return np.rint(true).astype(np.int64) + base, max(round(doubt), 1)


def _beginnings(
    told: _Floats, counted: _Floats, index: npt.NDArray[np.int64], sms: int, tick_ns: int
) -> tuple[_Floats, _Floats]:
    """The least and the most that the beginning of each SM's count can be: told <= true < told +
    tick, true = begin + counted.
    """
    apart = told - counted
    least, most = np.full(sms, -np.inf), np.full(sms, np.inf)
    for event in range(told.shape[0]):
        np.maximum.at(least, index, apart[event])
        np.minimum.at(most, index, apart[event])
    return least - _APART_NS / 2, most + tick_ns + _APART_NS / 2


def _cycle_length(
    told: _Floats, counted: _Floats, index: npt.NDArray[np.int64], sms: int
) -> float | None:
    """Length of a cycle in ns: the slope of the timer over the clock, within SMs."""
    size = np.bincount(index, minlength=sms) * told.shape[0]
    apart = []
    for values in (told, counted):
        means = np.bincount(index, weights=values.sum(axis=0), minlength=sms) / size
        apart.append(values - means[index])
    spread = float((apart[1] ** 2).sum())
    slope = float((apart[0] * apart[1]).sum()) / spread if spread else 0.0
    return slope if slope > 0 else None


def measure_cost(
    plain: Callable[[], object], traced: Callable[[], object], device: torch.device
) -> TraceCost:
    """Time two calls in turns, so that a change of the clocks meets both."""
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
