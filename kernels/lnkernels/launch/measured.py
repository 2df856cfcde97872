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

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsEntry:
    """Strategy `persistent`; its numbers are settings of `lnkernels.launch.settings.Launch`."""

    element_bytes: int
    up_to_n: int
    rows: int
    num_warps: int
    num_stages: int
    programs_per_sm: int
    sums_per_row: bool = False
    block_n: int = 0  # 0 for the whole row, else columns of one of the blocks that it is held in
    fewer: int = 0  # so many of every 32 programs that fill the GPU are not launched


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitEntry:
    """Strategy `split`; likewise."""

    element_bytes: int
    up_to_n: int
    block_n: int
    num_warps: int
    num_stages: int
    programs_per_sm: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardEntry:
    """Forward pass; likewise, of the settings whose names begin with `forward_`, and `block_n` is
    `block_size`.
    """

    element_bytes: int
    up_to_n: int
    rows: int = 1
    block_n: int = 0  # 0 for the whole row
    num_warps: int
    num_stages: int = 1
    programs_per_sm: int = 0  # 0 for one program a tile
    held: bool = False
    # for M of at least MANY_ROWS; else for fewer, and for all where no other entry is for many
    many_rows: bool = False


# Rows from which on the end of a launch counts little, and kernels win that are slower to begin and
# read memory more evenly.
MANY_ROWS = 16384

ROWS = (
    RowsEntry(element_bytes=2, up_to_n=256, rows=4, num_warps=1, num_stages=6, programs_per_sm=3),
    RowsEntry(
        element_bytes=2,
        up_to_n=512,
        rows=4,
        num_warps=2,
        num_stages=4,
        programs_per_sm=2,
        sums_per_row=True,
    ),
    RowsEntry(element_bytes=2, up_to_n=1024, rows=4, num_warps=4, num_stages=6, programs_per_sm=1),
    RowsEntry(
        element_bytes=2,
        up_to_n=1536,
        rows=1,
        num_warps=2,
        num_stages=6,
        programs_per_sm=2,
        block_n=512,
    ),
    RowsEntry(element_bytes=2, up_to_n=2048, rows=1, num_warps=4, num_stages=4, programs_per_sm=2),
    RowsEntry(
        element_bytes=2,
        up_to_n=2560,
        rows=1,
        num_warps=4,
        num_stages=4,
        programs_per_sm=2,
        block_n=1024,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=3584,
        rows=1,
        num_warps=4,
        num_stages=6,
        programs_per_sm=1,
        block_n=1024,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=4096,
        rows=1,
        num_warps=8,
        num_stages=5,
        programs_per_sm=1,
        block_n=2048,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=4608,
        rows=1,
        num_warps=4,
        num_stages=5,
        programs_per_sm=1,
        block_n=1024,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=5120,
        rows=1,
        num_warps=4,
        num_stages=4,
        programs_per_sm=1,
        block_n=1024,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=7680,
        rows=1,
        num_warps=8,
        num_stages=4,
        programs_per_sm=1,
        block_n=2048,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=16384,
        rows=1,
        num_warps=8,
        num_stages=3,
        programs_per_sm=1,
        block_n=2048,
    ),
    RowsEntry(
        element_bytes=4,
        up_to_n=512,
        rows=4,
        num_warps=2,
        num_stages=4,
        programs_per_sm=2,
        sums_per_row=True,
    ),
    RowsEntry(element_bytes=4, up_to_n=1024, rows=4, num_warps=4, num_stages=4, programs_per_sm=2),
    RowsEntry(
        element_bytes=4,
        up_to_n=1536,
        rows=1,
        num_warps=4,
        num_stages=6,
        programs_per_sm=1,
        block_n=512,
    ),
    RowsEntry(element_bytes=4, up_to_n=2048, rows=2, num_warps=8, num_stages=3, programs_per_sm=1),
    RowsEntry(
        element_bytes=4,
        up_to_n=3584,
        rows=1,
        num_warps=4,
        num_stages=4,
        programs_per_sm=1,
        block_n=512,
    ),
    RowsEntry(element_bytes=4, up_to_n=4096, rows=1, num_warps=8, num_stages=3, programs_per_sm=1),
    RowsEntry(
        element_bytes=4,
        up_to_n=8192,
        rows=1,
        num_warps=8,
        num_stages=3,
        programs_per_sm=1,
        block_n=1024,
    ),
)

# Of strategy `persistent`, where the rows are so many that sums of as many programs fit the
# workspace; measured at M = 65536.
ROWS_OF_MANY = (
    RowsEntry(element_bytes=2, up_to_n=64, rows=8, num_warps=1, num_stages=4, programs_per_sm=6),
    RowsEntry(
        element_bytes=2,
        up_to_n=128,
        rows=8,
        num_warps=2,
        num_stages=4,
        programs_per_sm=4,
        sums_per_row=True,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=192,
        rows=4,
        num_warps=2,
        num_stages=4,
        programs_per_sm=6,
        sums_per_row=True,
    ),
    RowsEntry(element_bytes=2, up_to_n=256, rows=4, num_warps=1, num_stages=4, programs_per_sm=4),
    RowsEntry(
        element_bytes=2,
        up_to_n=384,
        rows=4,
        num_warps=2,
        num_stages=4,
        programs_per_sm=4,
        sums_per_row=True,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=448,
        rows=2,
        num_warps=2,
        num_stages=4,
        programs_per_sm=6,
        sums_per_row=True,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=512,
        rows=2,
        num_warps=2,
        num_stages=4,
        programs_per_sm=4,
        sums_per_row=True,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=832,
        rows=1,
        num_warps=1,
        num_stages=4,
        programs_per_sm=6,
        block_n=256,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=1344,
        rows=1,
        num_warps=2,
        num_stages=4,
        programs_per_sm=4,
        block_n=512,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=1536,
        rows=1,
        num_warps=2,
        num_stages=6,
        programs_per_sm=2,
        block_n=512,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=1664,
        rows=4,
        num_warps=8,
        num_stages=4,
        programs_per_sm=1,
        sums_per_row=True,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=1728,
        rows=4,
        num_warps=8,
        num_stages=4,
        programs_per_sm=1,
        sums_per_row=True,
        fewer=1,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=1792,
        rows=1,
        num_warps=4,
        num_stages=5,
        programs_per_sm=2,
        block_n=1024,
    ),
    RowsEntry(element_bytes=2, up_to_n=1920, rows=1, num_warps=4, num_stages=5, programs_per_sm=2),
    RowsEntry(
        element_bytes=2, up_to_n=1984, rows=1, num_warps=4, num_stages=5, programs_per_sm=2, fewer=2
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=2048,
        rows=1,
        num_warps=4,
        num_stages=5,
        programs_per_sm=2,
        block_n=1024,
        fewer=2,
    ),
)

# The same on an H100 of 80 GB, whose memory is slower: from 1281 columns on it wants less in
# flight.
ROWS_OF_MANY_H100 = (
    *(one for one in ROWS_OF_MANY if one.up_to_n <= 832),
    RowsEntry(
        element_bytes=2,
        up_to_n=960,
        rows=2,
        num_warps=4,
        num_stages=4,
        programs_per_sm=2,
        sums_per_row=True,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=1024,
        rows=4,
        num_warps=4,
        num_stages=4,
        programs_per_sm=1,
        sums_per_row=True,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=1152,
        rows=2,
        num_warps=4,
        num_stages=4,
        programs_per_sm=2,
        sums_per_row=True,
    ),
    RowsEntry(element_bytes=2, up_to_n=1280, rows=1, num_warps=4, num_stages=6, programs_per_sm=2),
    RowsEntry(
        element_bytes=2,
        up_to_n=1728,
        rows=2,
        num_warps=4,
        num_stages=3,
        programs_per_sm=2,
        sums_per_row=True,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=1920,
        rows=1,
        num_warps=4,
        num_stages=4,
        programs_per_sm=2,
        block_n=1024,
    ),
    RowsEntry(
        element_bytes=2,
        up_to_n=2048,
        rows=2,
        num_warps=4,
        num_stages=4,
        programs_per_sm=1,
        sums_per_row=True,
    ),
)
H100_MEMORY = 88 << 30  # bytes: more than it has, less than a GPU of its class with faster memory

SPLIT = (
    SplitEntry(
        element_bytes=2, up_to_n=24575, block_n=1024, num_warps=4, num_stages=3, programs_per_sm=2
    ),
    SplitEntry(element_bytes=2, up_to_n=1 << 20, block_n=2048, num_warps=8, num_stages=3),
    SplitEntry(element_bytes=4, up_to_n=12288, block_n=1024, num_warps=8, num_stages=4),
    SplitEntry(element_bytes=4, up_to_n=1 << 19, block_n=2048, num_warps=16, num_stages=3),
)

FORWARD = (
    ForwardEntry(element_bytes=2, up_to_n=256, rows=4, num_warps=4),
    ForwardEntry(element_bytes=2, up_to_n=512, rows=2, num_warps=2),
    ForwardEntry(element_bytes=2, up_to_n=1024, rows=2, num_warps=2),
    ForwardEntry(element_bytes=2, up_to_n=1536, rows=2, num_warps=4),
    ForwardEntry(element_bytes=2, up_to_n=2048, num_warps=4),
    ForwardEntry(element_bytes=2, up_to_n=3584, block_n=1024, num_warps=4, held=True),
    ForwardEntry(element_bytes=2, up_to_n=4096, rows=2, num_warps=8),
    ForwardEntry(element_bytes=2, up_to_n=5120, block_n=1024, num_warps=4, held=True),
    ForwardEntry(element_bytes=2, up_to_n=6144, block_n=2048, num_warps=8, held=True),
    ForwardEntry(element_bytes=2, up_to_n=7168, block_n=1024, num_warps=4, held=True),
    ForwardEntry(element_bytes=2, up_to_n=8192, block_n=2048, num_warps=8, held=True),
    ForwardEntry(element_bytes=2, up_to_n=9728, block_n=2048, num_warps=4, held=True),
    ForwardEntry(element_bytes=2, up_to_n=10240, block_n=2048, num_warps=8, held=True),
    ForwardEntry(element_bytes=2, up_to_n=11264, block_n=4096, num_warps=8, held=True),
    ForwardEntry(element_bytes=2, up_to_n=14336, block_n=2048, num_warps=8, held=True),
    ForwardEntry(element_bytes=2, up_to_n=16384, block_n=4096, num_warps=8, held=True),
    ForwardEntry(element_bytes=2, up_to_n=24576, block_n=4096, num_warps=16, held=True),
    ForwardEntry(element_bytes=2, up_to_n=32768, block_n=8192, num_warps=16, held=True),
    ForwardEntry(element_bytes=2, up_to_n=65536, block_n=8192, num_warps=32, held=True),
    ForwardEntry(element_bytes=2, up_to_n=1 << 30, block_n=8192, num_warps=32),
    ForwardEntry(element_bytes=4, up_to_n=256, rows=2, num_warps=1),
    ForwardEntry(element_bytes=4, up_to_n=1024, rows=2, num_warps=2),
    ForwardEntry(element_bytes=4, up_to_n=2048, block_n=1024, num_warps=4, held=True),
    ForwardEntry(element_bytes=4, up_to_n=8192, block_n=2048, num_warps=8, held=True),
    ForwardEntry(element_bytes=4, up_to_n=12288, block_n=2048, num_warps=16, held=True),
    ForwardEntry(element_bytes=4, up_to_n=16384, block_n=4096, num_warps=16, held=True),
    ForwardEntry(element_bytes=4, up_to_n=32768, block_n=8192, num_warps=32, held=True),
    ForwardEntry(element_bytes=4, up_to_n=1 << 30, block_n=8192, num_warps=32),
)

_MANY = (
    ForwardEntry(element_bytes=2, up_to_n=64, rows=16, num_warps=1, held=True),
    ForwardEntry(element_bytes=2, up_to_n=128, rows=16, block_n=64, num_warps=2, held=True),
    ForwardEntry(element_bytes=2, up_to_n=192, rows=16, block_n=64, num_warps=4, held=True),
    ForwardEntry(element_bytes=2, up_to_n=256, rows=8, num_warps=2, held=True),
    ForwardEntry(element_bytes=2, up_to_n=640, rows=4, block_n=128, num_warps=2, held=True),
    ForwardEntry(element_bytes=2, up_to_n=768, rows=4, block_n=256, num_warps=4, held=True),
    ForwardEntry(element_bytes=2, up_to_n=832, rows=2, block_n=128, num_warps=2, held=True),
    ForwardEntry(element_bytes=2, up_to_n=1920, rows=2, block_n=256, num_warps=2, held=True),
    ForwardEntry(element_bytes=2, up_to_n=2048, num_warps=4),
    ForwardEntry(element_bytes=2, up_to_n=4096, block_n=1024, num_warps=4),
    ForwardEntry(element_bytes=2, up_to_n=8192, block_n=2048, num_warps=8),
    ForwardEntry(element_bytes=2, up_to_n=10240, block_n=2048, num_warps=8, held=True),
    ForwardEntry(element_bytes=2, up_to_n=12288, block_n=4096, num_warps=8, held=True),
    ForwardEntry(element_bytes=2, up_to_n=16384, block_n=8192, num_warps=8, held=True),
    ForwardEntry(element_bytes=2, up_to_n=32768, block_n=4096, num_warps=16, held=True),
    ForwardEntry(element_bytes=2, up_to_n=65536, block_n=8192, num_warps=32, held=True),
)
FORWARD_OF_MANY_ROWS = tuple(replace(entry, many_rows=True) for entry in _MANY)
