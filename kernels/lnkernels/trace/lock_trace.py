"""Memory of a traced pass of `locked`, and its timeline."""

from __future__ import annotations  # compiling must not wait for torch

from typing import TYPE_CHECKING

import numpy as np

from lnkernels.language.launching import empty
from lnkernels.launch import Launch, ceil_div
from lnkernels.trace.clock_refinement import refined, whole_times
from lnkernels.trace.memory import TileTrace, TraceMemory, array_of, measured_tick
from lnkernels.values.environment import Kind
from lnkernels.values.frozen import frozen
from lnkernels.values.timeline import Clock, ReductionTimeline, Times, TracedSums, clock_of

if TYPE_CHECKING:
    from torch import Tensor


@frozen
class LockTrace(TraceMemory):
    """Device memory that a traced pass of `locked` writes."""

    order: Tensor  # [M] int32
    tries: Tensor  # [M] int32
    start: Tensor  # [M] int64
    low: Tensor  # [3, M] int32
    sm: Tensor  # [M] int32
    cycles: Tensor | None  # [4, M] int64
    rows: Tensor | None  # [2, M, N] float32
    after: Tensor | None  # [2, M, N] of the buffers' type
    tiles: TileTrace

    @classmethod
    def allocate(cls, x: Tensor, launch: Launch, partial_dtype: str | None) -> LockTrace:
        """Allocate memory, not initialised, for a pass over x [M, N].

        Args:
            x: of the pass.
            launch: of the pass.
            partial_dtype: of the buffers, where what every row added and left is recorded, too.
        """
        m, n = x.shape
        coarse = clock_of(measured_tick(x.device)) is Clock.COARSE

        def memory(*shape: int, dtype: str = "int32") -> Tensor:
            return empty(shape, dtype, x.device)

        tiles = TileTrace.allocate(ceil_div(n, launch.reduce_block_size_n), x.device)
        return cls(
            steps=tiles.steps,
            order=memory(m),
            tries=memory(m),
            start=memory(m, dtype="int64"),
            low=memory(3, m),
            sm=memory(m),
            cycles=memory(4, m, dtype="int64") if coarse else None,
            rows=memory(2, m, n, dtype="float32") if partial_dtype else None,
            after=memory(2, m, n, dtype=partial_dtype) if partial_dtype else None,
            tiles=tiles,
        )

    def read(self, x: Tensor, launch: Launch, dw: Tensor, db: Tensor | None) -> ReductionTimeline:
        """Return what was written as a timeline, with the dw and db that the pass gave.

        Times are in ns from the first row's start; two times closer than a tick cannot be told
        apart, and then `order` says who came first. On the interpreter, where programs run one
        after another, events are counted: their distances mean nothing.
        """
        m, n = x.shape
        times, tiles, tick, clock = self._times()
        sums = None
        if self.rows is not None and self.after is not None and db is not None:
            names = ("row_dw", "row_db", "dw_after", "db_after", "dw", "db")
            told = (*self.rows, *self.after.float(), dw.float(), db.float())
            sums = TracedSums(
                partial_dtype=str(self.after.dtype).removeprefix("torch."),
                **{name: array_of(one) for name, one in zip(names, told, strict=True)},
            )
        return ReductionTimeline(
            kind=Kind.INTERPRETED if clock is Clock.STEPS else Kind.MEASURED,
            m=m,
            n=n,
            group_size_m=launch.group_size_m,
            lock=np.arange(m, dtype=np.int32) % np.int32(launch.group_size_m),
            order=array_of(self.order),
            sm=array_of(self.sm),
            **dict(zip(("start_ns", "wanted_ns", "held_ns", "released_ns"), times, strict=True)),
            tile_block_m=launch.reduce_block_size_m,
            tile_block_n=launch.reduce_block_size_n,
            tile_sm=array_of(self.tiles.sm),
            tile_start_ns=tiles[1],
            tile_end_ns=tiles[2],
            tick_ns=tick,
            clock=clock,
            tries=array_of(self.tries),
            sums=sums,
        )

    def _times(self) -> tuple[Times, Times, float, Clock]:
        """Return times of rows [4, M] and of tiles [3, tiles] from the first row's start, how far
        off those of rows may be, and their clock.
        """
        times = whole_times(array_of(self.start), array_of(self.low))
        tiles = array_of(self.tiles.times)
        tick = measured_tick(self.start.device)
        if tick is None:
            return times, tiles, 1.0, Clock.STEPS
        clock = clock_of(tick)
        if self.cycles is not None:
            finer = refined(times, array_of(self.cycles), array_of(self.sm), tick)
            if finer is not None:
                times, tick = finer
                clock = Clock.REFINED
                # A tile's start is the timer's last step before it, which may lie before the last
                # row's refined end.
                tiles = np.maximum(tiles, times[3].max(initial=0))
        origin = times[0].min(initial=np.iinfo(np.int64).max) if times.size else tiles.min()
        return times - origin, tiles - origin, float(tick), clock
