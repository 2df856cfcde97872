"""The fifth chapter: the order of programs and what a cache makes of it, in Triton's tutorial 03,
"Matrix Multiplication", and here.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.lecture.buffers import PLAYED
from lnexplorer.domain.lecture.material import (
    LectureMaterial,
    compiled,
    queue_model,
)
from lnexplorer.domain.lecture.on_a_gpu import FLOAT32_BYTES
from lnexplorer.domain.lecture.scenes import (
    LONG,
    ComparisonScene,
    LectureStep,
    Opening,
    Product,
    TableLine,
    step,
)
from lnexplorer.domain.wording import (
    bytes_text,
)
from lnkernels.launch.limits import DTYPE_BYTES
from lnkernels.values import Sentence, say

BLOCKS = 9  # in a row and in a column of each matrix, as in the tutorial
BUFFER_BLOCKS = 4
GROUPS = (1, 2, 3)  # of the matrix product
CACHES = (36, 54, 90, 162)  # blocks
SMALL_CACHE = 1 << 20  # bytes: less than the buffers of PLAYED[0]


def program_order(group: int) -> NDArray[np.int64]:
    """Return block row and block column of each result [BLOCKS²], in the order of programs.

    `group` block rows are done column after column, as with the tutorial's GROUP_SIZE_M; 1 is row
    after row.
    """
    order = []
    for first in range(0, BLOCKS, group):
        rows = range(first, min(first + group, BLOCKS))
        order += [(row, column) for column in range(BLOCKS) for row in rows]
    return np.array(order, np.int64)


def product_accesses(order: NDArray[np.int64]) -> Iterator[tuple[str, int, int]]:
    """Yield the blocks that programs in turn load: a row of A and a column of B."""
    for row, column in order.tolist():
        for inner in range(BLOCKS):
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


def order_of_programs(material: LectureMaterial) -> Iterator[LectureStep]:
    """Yield the chapter on Triton's matrix product, and what of it holds here."""
    yield LectureStep(
        scene=Opening(5),
        note=say("A step aside, to the first example of Triton's own introduction."),
    )
    for group in (1, 3):
        yield _product(group)
    yield _caches()
    yield _pass_in_cache(material)


def _product(group: int) -> LectureStep:
    order = program_order(group)
    loaded = loads(product_accesses(order[:BLOCKS]), 2 * BLOCKS**2)
    title = say("A matrix product, row after row")
    aside: Sentence | str = ""
    note = say(
        "From Triton's tutorial on matrix multiplication. Each program computes one block of C from"
        " a row of A and a column of B."
    )
    if group > 1:
        title = say("The same programs in groups of {group} rows", group=group)
        note = say(
            "The same work, another order. What was loaded once is still in the cache for the next"
            " program."
        )
        aside = say("For LayerNorm GROUP_SIZE_M counts buffers, here block rows of a group.")
    return step(
        Product(order, BLOCKS, BLOCKS),
        title,
        "{results} of {all} blocks of C are done. For them {loaded} blocks of A and B were loaded"
        " from memory.",
        note,
        aside,
        results=BLOCKS,
        all=BLOCKS**2,
        loaded=loaded,
    )


def _caches() -> LectureStep:
    orders = {group: program_order(group) for group in GROUPS}
    counted = {
        (size, group): loads(product_accesses(order), size)
        for size in CACHES
        for group, order in orders.items()
    }
    titles = (
        say("room in the cache"),
        *(
            say("groups of {rows} rows", rows=group) if group > 1 else say("row after row")
            for group in GROUPS
        ),
    )
    lines: list[TableLine] = [
        (say("{blocks} blocks", blocks=size), *(f"{counted[size, group]:,}" for group in GROUPS))
        for size in CACHES
    ]
    least, most = CACHES[1], CACHES[-1]
    return step(
        ComparisonScene([titles, *lines]),
        "Loads of the whole product, by room and order",
        "{asked} blocks are asked for. With room for {room}, groups of {group} load {few} from"
        " memory instead of {many}; with room for all {all}, the order is all one.",
        "Counted by a cache that keeps what was used last; programs run one after another. A group"
        " has to fit to pay.",
        shortest=LONG,
        asked=f"{2 * BLOCKS**3:,}",
        room=least,
        group=GROUPS[-1],
        few=f"{counted[least, GROUPS[-1]]:,}",
        many=f"{counted[least, 1]:,}",
        all=most,
    )


def _pass_in_cache(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved, _, limits = compiled(case.result)
    m, buffers = resolved.m, resolved.buffers
    block = resolved.n * DTYPE_BYTES[resolved.dtype]
    assert BUFFER_BLOCKS * block == 2 * resolved.n * FLOAT32_BYTES, (
        "half precision, float32 buffers"
    )
    orders = [
        list(pass_accesses(m, buffers, neighbours=neighbours)) for neighbours in (False, True)
    ]
    stored = BUFFER_BLOCKS * buffers  # by the first row of each buffer, whose first use is no load
    resident = queue_model(case).resident
    locks = [
        len({row % buffers for row in range(resident)}),
        len({row * buffers // m for row in range(resident)}),
    ]
    lines: list[TableLine] = [
        (
            say("loads of the backward pass"),
            say("row r in buffer r mod {g}", g=buffers),
            say("neighbours in one buffer"),
        ),
        (say("requested"), *(bytes_text((len(order) - stored) * block) for order in orders)),
    ]
    for size in (limits.l2_bytes, SMALL_CACHE):
        missed = (loads(order, size // block) - stored for order in orders)
        lines.append(
            (
                say("from memory, L2 of {size}", size=bytes_text(size)),
                *(bytes_text(count * block) for count in missed),
            )
        )
    lines.append(
        (say("locks that the first {rows} rows want", rows=f"{resident:,}"), *map(str, locks))
    )
    return step(
        ComparisonScene(lines, best=1),
        "What of it holds for LayerNorm",
        "x and dy are read once, weight and buffers stay in L2: no order helps. It decides how many"
        " locks there are to choose from.",
        "Counted by the same cache. The order that a small cache would like best is the worst one"
        " for the queues.",
    )
