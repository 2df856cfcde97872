"""The reduction of dw and db as it happened, or as a model says: plain arrays, one entry a row and one a tile."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.provenance import Kind

Times = NDArray[np.int64]
Indices = NDArray[np.int32]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ReductionTimeline:
    """Stage 1, a row each entry [M], and stage 2, a tile of columns each entry [T]. Times in ns from the first start."""

    kind: Kind
    m: int
    n: int
    group_size_m: int
    lock: Indices  # [M] the buffer of the row
    order: Indices  # [M] how many rows had added to the buffer before
    sm: Indices  # [M] the SM, or for a model the resident program's SM
    start_ns: Times  # [M] the program begins
    wanted_ns: Times  # [M] dx is done, the first try for the lock
    held_ns: Times  # [M] the lock is taken
    released_ns: Times  # [M] the stores are done, the lock is given back
    tile_block_m: int  # buffers that a tile adds per step
    tile_block_n: int  # columns of a tile
    tile_sm: Indices  # [T]
    tile_start_ns: Times  # [T]
    tile_end_ns: Times  # [T]
    tick_ns: float  # step of the clock: times closer than this are not ordered by it

    @property
    def end_ns(self) -> int:
        """Time of the last event."""
        last_row = int(self.released_ns.max(initial=0))
        return max(last_row, int(self.tile_end_ns.max(initial=0)))
