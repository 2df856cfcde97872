"""Launch settings found by measurement, by the element's size and N. Data, which the strategies
read.

Measured on one NVIDIA H200 (132 SMs, driver 580, torch 2.11, triton 3.6), kernels alone in a CUDA
graph, cold L2, candidates interleaved: at M = 4096 in float16 (2 bytes an element) and float32, and
at M = 32768, up to 2048 columns M = 65536, in half precision, which has entries of its own
(`kernels/notes.md`). Entries are measured anew on a device, and printed in this form, by

    lnexplorer tune --m 4096,32768 --dtype float16,float32 --n ...

An entry holds for rows of at most `up_to_n` columns, and more than the entry before it. The last
entries, which hold for all wider rows, are measured at 65536 columns, that of the forward pass in
half precision at 131072. Rows that are wider than the last of ROWS are for strategy `split`.
"""

from dataclasses import replace
from typing import TypeVar

from lnkernels.values.frozen import frozen


@frozen
class RowsEntry:
    """Settings of strategy `persistent`, named as in `lnkernels.launch.settings.Launch`."""

    element_bytes: int
    up_to_n: int
    rows: int
    num_warps: int
    num_stages: int
    programs_per_sm: int
    block_n: int = 0  # columns of a block of the row; 0 for the whole row
    sums_per_row: bool = False
    fewer: int = 0  # so many of every 32 programs that fill the GPU are not launched


@frozen
class SplitEntry:
    """Settings of strategy `split`, named likewise."""

    element_bytes: int
    up_to_n: int
    block_n: int
    num_warps: int
    num_stages: int
    programs_per_sm: int = 1


@frozen
class ForwardEntry:
    """Settings of the forward pass: those whose names begin with `forward_`, and `block_size`."""

    element_bytes: int
    up_to_n: int
    rows: int
    num_warps: int
    block_n: int = 0  # 0 for the whole row
    num_stages: int = 1
    programs_per_sm: int = 0  # 0 for one program a tile
    held: bool = False
    # for M of at least MANY_ROWS; else for fewer, and for all where no other entry is for many
    many_rows: bool = False


Measured = TypeVar("Measured", RowsEntry, SplitEntry, ForwardEntry)

# Rows from which on the end of a launch counts little, and kernels win that are slower to begin and
# read memory more evenly.
MANY_ROWS = 16384

# Bytes of an element, widest row, rows, warps, stages, programs an SM, columns of a block.
ROWS = (
    RowsEntry(2, 256, 4, 1, 6, 3),
    RowsEntry(2, 512, 4, 2, 4, 2, sums_per_row=True),
    RowsEntry(2, 1024, 4, 4, 6, 1),
    RowsEntry(2, 1536, 1, 2, 6, 2, 512),
    RowsEntry(2, 2048, 1, 4, 4, 2),
    RowsEntry(2, 2560, 1, 4, 4, 2, 1024),
    RowsEntry(2, 3584, 1, 4, 6, 1, 1024),
    RowsEntry(2, 4096, 1, 8, 5, 1, 2048),
    RowsEntry(2, 4608, 1, 4, 5, 1, 1024),
    RowsEntry(2, 5120, 1, 4, 4, 1, 1024),
    RowsEntry(2, 7680, 1, 8, 4, 1, 2048),
    RowsEntry(2, 16384, 1, 8, 3, 1, 2048),
    RowsEntry(4, 512, 4, 2, 4, 2, sums_per_row=True),
    RowsEntry(4, 1024, 4, 4, 4, 2),
    RowsEntry(4, 1536, 1, 4, 6, 1, 512),
    RowsEntry(4, 2048, 2, 8, 3, 1),
    RowsEntry(4, 3584, 1, 4, 4, 1, 512),
    RowsEntry(4, 4096, 1, 8, 3, 1),
    RowsEntry(4, 8192, 1, 8, 3, 1, 1024),
)

# Of strategy `persistent`, where the rows are so many that sums of as many programs fit the
# workspace; measured at M = 65536.
ROWS_OF_MANY = (
    RowsEntry(2, 64, 8, 1, 4, 6),
    RowsEntry(2, 128, 8, 2, 4, 4, sums_per_row=True),
    RowsEntry(2, 192, 4, 2, 4, 6, sums_per_row=True),
    RowsEntry(2, 256, 4, 1, 4, 4),
    RowsEntry(2, 384, 4, 2, 4, 4, sums_per_row=True),
    RowsEntry(2, 448, 2, 2, 4, 6, sums_per_row=True),
    RowsEntry(2, 512, 2, 2, 4, 4, sums_per_row=True),
    RowsEntry(2, 832, 1, 1, 4, 6, 256),
    RowsEntry(2, 1344, 1, 2, 4, 4, 512),
    RowsEntry(2, 1536, 1, 2, 6, 2, 512),
    RowsEntry(2, 1664, 4, 8, 4, 1, sums_per_row=True),
    RowsEntry(2, 1728, 4, 8, 4, 1, sums_per_row=True, fewer=1),
    RowsEntry(2, 1792, 1, 4, 5, 2, 1024),
    RowsEntry(2, 1920, 1, 4, 5, 2),
    RowsEntry(2, 1984, 1, 4, 5, 2, fewer=2),
    RowsEntry(2, 2048, 1, 4, 5, 2, 1024, fewer=2),
)

# The same on an H100 of 80 GB, whose memory is slower: from 1281 columns on it wants less in
# flight.
ROWS_OF_MANY_H100 = (
    *(one for one in ROWS_OF_MANY if one.up_to_n <= 832),
    RowsEntry(2, 960, 2, 4, 4, 2, sums_per_row=True),
    RowsEntry(2, 1024, 4, 4, 4, 1, sums_per_row=True),
    RowsEntry(2, 1152, 2, 4, 4, 2, sums_per_row=True),
    RowsEntry(2, 1280, 1, 4, 6, 2),
    RowsEntry(2, 1728, 2, 4, 3, 2, sums_per_row=True),
    RowsEntry(2, 1920, 1, 4, 4, 2, 1024),
    RowsEntry(2, 2048, 2, 4, 4, 1, sums_per_row=True),
)

# Of strategy `persistent`, for rows that are read in groups (`reads_groups`); measured at M = 4096
# to 16384 on H200s, in lines of 128 bytes.
ROWS_IN_GROUPS = (
    RowsEntry(2, 1664, 1, 2, 4, 4, 512),
    RowsEntry(2, 2112, 1, 2, 3, 4, 512),
    RowsEntry(2, 2688, 1, 4, 4, 2, 512),
    RowsEntry(2, 3200, 1, 4, 4, 2, 1024),
    RowsEntry(2, 3648, 1, 4, 4, 2, 512),
    RowsEntry(2, 5632, 1, 4, 3, 2, 1024),
    RowsEntry(2, 16384, 1, 8, 4, 1, 2048),
    RowsEntry(4, 1280, 1, 2, 5, 2, 256),
    RowsEntry(4, 1664, 1, 2, 4, 2, 256),
    RowsEntry(4, 4608, 1, 4, 3, 2, 512),
    RowsEntry(4, 8192, 1, 8, 3, 1, 1024),
)

H100_MEMORY = 88 << 30  # bytes: more than it has, less than a GPU of its class with faster memory

# Bytes of an element, widest row, columns of a block, warps, stages, programs an SM.
SPLIT = (
    SplitEntry(2, 24575, 1024, 4, 3, 2),
    SplitEntry(2, 1 << 20, 2048, 8, 3),
    SplitEntry(4, 12288, 1024, 8, 4),
    SplitEntry(4, 1 << 19, 2048, 16, 3),
)

# For rows that are read in groups.
SPLIT_IN_GROUPS = (SplitEntry(4, 16384, 1024, 8, 3),)

# Bytes of an element, widest row, rows, warps, columns of a block.
FORWARD = (
    ForwardEntry(2, 256, 4, 4),
    ForwardEntry(2, 512, 2, 2),
    ForwardEntry(2, 1024, 2, 2),
    ForwardEntry(2, 1536, 2, 4),
    ForwardEntry(2, 2048, 1, 4),
    ForwardEntry(2, 3584, 1, 4, 1024, held=True),
    ForwardEntry(2, 4096, 2, 8),
    ForwardEntry(2, 5120, 1, 4, 1024, held=True),
    ForwardEntry(2, 6144, 1, 8, 2048, held=True),
    ForwardEntry(2, 7168, 1, 4, 1024, held=True),
    ForwardEntry(2, 8192, 1, 8, 2048, held=True),
    ForwardEntry(2, 9728, 1, 4, 2048, held=True),
    ForwardEntry(2, 10240, 1, 8, 2048, held=True),
    ForwardEntry(2, 11264, 1, 8, 4096, held=True),
    ForwardEntry(2, 14336, 1, 8, 2048, held=True),
    ForwardEntry(2, 16384, 1, 8, 4096, held=True),
    ForwardEntry(2, 24576, 1, 16, 4096, held=True),
    ForwardEntry(2, 32768, 1, 16, 8192, held=True),
    ForwardEntry(2, 65536, 1, 32, 8192, held=True),
    ForwardEntry(2, 1 << 30, 1, 32, 8192),
    ForwardEntry(4, 256, 2, 1),
    ForwardEntry(4, 1024, 2, 2),
    ForwardEntry(4, 2048, 1, 4, 1024, held=True),
    ForwardEntry(4, 8192, 1, 8, 2048, held=True),
    ForwardEntry(4, 12288, 1, 16, 2048, held=True),
    ForwardEntry(4, 16384, 1, 16, 4096, held=True),
    ForwardEntry(4, 32768, 1, 32, 8192, held=True),
    ForwardEntry(4, 1 << 30, 1, 32, 8192),
)

_MANY = (
    ForwardEntry(2, 64, 16, 1, held=True),
    ForwardEntry(2, 128, 16, 2, 64, held=True),
    ForwardEntry(2, 192, 16, 4, 64, held=True),
    ForwardEntry(2, 256, 8, 2, held=True),
    ForwardEntry(2, 640, 4, 2, 128, held=True),
    ForwardEntry(2, 768, 4, 4, 256, held=True),
    ForwardEntry(2, 832, 2, 2, 128, held=True),
    ForwardEntry(2, 1920, 2, 2, 256, held=True),
    ForwardEntry(2, 2048, 1, 4),
    ForwardEntry(2, 4096, 1, 4, 1024),
    ForwardEntry(2, 8192, 1, 8, 2048),
    ForwardEntry(2, 10240, 1, 8, 2048, held=True),
    ForwardEntry(2, 12288, 1, 8, 4096, held=True),
    ForwardEntry(2, 16384, 1, 8, 8192, held=True),
    ForwardEntry(2, 32768, 1, 16, 4096, held=True),
    ForwardEntry(2, 65536, 1, 32, 8192, held=True),
)
FORWARD_OF_MANY_ROWS = tuple(replace(entry, many_rows=True) for entry in _MANY)

# For rows that are read in groups: programs walk them, with weight and bias held.
FORWARD_IN_GROUPS = (
    ForwardEntry(2, 1280, 1, 1, 256, 4, 12, held=True),
    ForwardEntry(2, 2688, 1, 2, 512, 4, 6, held=True),
    ForwardEntry(2, 4608, 1, 4, 1024, 4, 3, held=True),
    ForwardEntry(2, 5632, 1, 4, 1024, 3, 3, held=True),
    ForwardEntry(2, 7168, 1, 4, 1024, 4, 2, held=True),
    ForwardEntry(2, 8192, 1, 4, 1024, 3, 2, held=True),
    ForwardEntry(2, 16384, 1, 8, 2048, 4, 1, held=True),
    ForwardEntry(4, 1536, 1, 2, 256, 4, 8, held=True),
    ForwardEntry(4, 3072, 1, 4, 512, 4, 4, held=True),
    ForwardEntry(4, 5120, 1, 4, 512, 3, 3, held=True),
    ForwardEntry(4, 8192, 1, 8, 1024, 3, 1, held=True),
    ForwardEntry(4, 16384, 1, 16, 2048, 3, 1, held=True),
)
LINE = 128  # bytes that a warp loads and stores together
_NARROWEST_IN_GROUPS = 960  # columns


def reads_groups(n: int, element_bytes: int) -> bool:
    """Return True if rows of n elements begin at any place within 16 bytes, and reading them in
    groups is faster (`lnkernels.language.groups.first_group`).
    """
    return n > _NARROWEST_IN_GROUPS and n * element_bytes % 16 != 0


def entry_for(table: tuple[Measured, ...], n: int, element_bytes: int) -> Measured | None:
    """Return the entry of a table for rows of n elements."""
    fitting = (one for one in table if one.element_bytes == element_bytes and n <= one.up_to_n)
    return next(fitting, None)
