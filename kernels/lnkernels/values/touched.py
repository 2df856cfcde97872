"""Loads and stores of a program, one by one."""

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.frozen import frozen

KERNELS = ("forward", "stage1", "stage2")
ROW_BUFFERS = ("x", "dy", "y", "dx")  # [M, N]
COLUMN_BUFFERS = ("weight", "bias", "dw", "db")  # [N]
PARTIAL_BUFFERS = ("partial_dw", "partial_db")  # [buffers, N]


@frozen(eq=False)
class Access:
    """A load, store or atomic operation of one program."""

    kernel: str  # of KERNELS
    program: int
    action: str  # load, store, compare and swap, add, exchange
    # x, dy, weight, bias, mean, rstd, y, dx, partial_dw, partial_db, locks, counts, dw, db
    buffer: str
    offsets: NDArray[np.int64]  # [lanes] elements from the buffer's start; of masked lanes, too
    mask: NDArray[np.bool_]  # [lanes] which lanes touch memory
    lanes: tuple[int, ...]  # shape of the block, () for one element
    file: str  # of the kernels, such as passes/locked.py
    function: str
    line: int

    @property
    def writes(self) -> bool:
        return self.action != "load"

    @property
    def masked(self) -> int:
        return int(self.mask.size - np.count_nonzero(self.mask))


def columns(access: Access, n: int) -> NDArray[np.int64]:
    """Return the columns of a matrix with n columns, or of a vector, that an access touches,
    without masked lanes.

    Raises:
        ValueError: the buffer has no columns.
    """
    offsets = access.offsets[access.mask]
    if access.buffer in ROW_BUFFERS or access.buffer in PARTIAL_BUFFERS:
        return offsets % n
    if access.buffer in COLUMN_BUFFERS:
        return offsets
    raise ValueError(f"{access.buffer} has no columns")


def rows(access: Access, n: int) -> tuple[int, ...]:
    """Return the rows of a matrix, or of the buffers of partial sums, that an access touches, in
    order; none of a vector.
    """
    if access.buffer not in ROW_BUFFERS and access.buffer not in PARTIAL_BUFFERS:
        return ()
    return tuple(int(row) for row in np.unique(access.offsets[access.mask] // n))
