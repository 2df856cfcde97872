"""The order of programs and what a cache makes of it: Triton's tutorial 03, "Matrix
Multiplication", counted.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

BLOCKS = 9  # in a row and in a column of each matrix, as in the tutorial
BUFFER_BLOCKS = 4


def program_order(blocks: int, group: int) -> NDArray[np.int64]:
    """Return block row and block column of each result [blocks²], in the order of programs.

    Args:
        blocks: in a row and in a column of the result.
        group: block rows whose results come column after column, as the tutorial's GROUP_SIZE_M; 1
            is row after row.
    """
    order = []
    for first in range(0, blocks, group):
        rows = range(first, min(first + group, blocks))
        order += [(row, column) for column in range(blocks) for row in rows]
    return np.array(order, np.int64)


def product_accesses(order: NDArray[np.int64], blocks: int) -> Iterator[tuple[str, int, int]]:
    """Yield the blocks that programs in turn load: a row of A and a column of B."""
    for row, column in order.tolist():
        for inner in range(blocks):
            yield "A", row, inner
            yield "B", inner, column


def pass_accesses(m: int, group_size_m: int, *, neighbours: bool) -> Iterator[tuple[str, int]]:
    """Yield the blocks that rows in turn touch in the backward pass: x, dy, weight, a buffer.

    A buffer is counted as BUFFER_BLOCKS blocks, dw and db in float32, where a row of x in half
    precision is one. Its first row stores there and loads nothing.

    Args:
        m: rows.
        group_size_m: buffers.
        neighbours: rows beside each other share a buffer; else row r has buffer r mod group_size_m,
            as in the kernel.
    """
    for row in range(m):
        buffer = row * group_size_m // m if neighbours else row % group_size_m
        yield from (("x", row), ("dy", row), ("weight", 0))
        yield from (("buffer", BUFFER_BLOCKS * buffer + part) for part in range(BUFFER_BLOCKS))


def loads(accesses: Iterable[Hashable], size: int) -> int:
    """Count the accesses that a cache of the last `size` different blocks does not answer."""
    cache: OrderedDict[Hashable, None] = OrderedDict()
    missed = 0
    for block in accesses:
        if block in cache:
            cache.move_to_end(block)
            continue
        missed += 1
        cache[block] = None
        if len(cache) > size:
            cache.popitem(last=False)
    return missed
