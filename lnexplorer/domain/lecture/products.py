"""The fifth chapter: the order of programs, in Triton's matrix product and here."""

from collections.abc import Iterator

from lnexplorer.domain.lecture.buffers import PLAYED
from lnexplorer.domain.lecture.material import LectureMaterial, queue_model
from lnexplorer.domain.lecture.on_a_gpu import compiled
from lnexplorer.domain.lecture.order import (
    BLOCKS,
    BUFFER_BLOCKS,
    loads,
    pass_accesses,
    product_accesses,
    program_order,
)
from lnexplorer.domain.lecture.scenes import (
    ComparisonScene,
    LectureStep,
    Opening,
    Product,
    Words,
)
from lnexplorer.domain.wording import bytes_text
from lnkernels.launch import buffers_in_use
from lnkernels.launch.limits import DTYPE_BYTES
from lnkernels.values.sentence import say

FLOAT32_BYTES = 4
GROUPS = (1, 2, 3)  # of the matrix product
CACHES = (36, 54, 90, 162)  # blocks
SMALL_CACHE = 1 << 20  # bytes: less than the buffers of PLAYED[0]


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
    order = program_order(BLOCKS, group)
    loaded = loads(product_accesses(order[:BLOCKS], BLOCKS), 2 * BLOCKS**2)
    title = say("A matrix product, row after row")
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
    return LectureStep(
        scene=Product(order, BLOCKS, BLOCKS),
        title=title,
        caption=say(
            "{results} of {all} blocks of C are done. For them {loaded} blocks of A and B were"
            " loaded from memory.",
            results=BLOCKS,
            all=BLOCKS**2,
            loaded=loaded,
        ),
        note=note,
    )


def _caches() -> LectureStep:
    orders = {group: program_order(BLOCKS, group) for group in GROUPS}
    asked_for = 2 * BLOCKS**3
    counted = {
        (size, group): loads(product_accesses(order, BLOCKS), size)
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
    lines: list[Words] = [
        (say("{blocks} blocks", blocks=size), *(f"{counted[size, group]:,}" for group in GROUPS))
        for size in CACHES
    ]
    least, most = CACHES[1], CACHES[-1]
    return LectureStep(
        scene=ComparisonScene([titles, *lines]),
        title=say("Loads of the whole product, by room and order"),
        caption=say(
            "{asked} blocks are asked for. With room for {room}, groups of {group} load {few} from"
            " memory instead of {many}; with room for all {all}, the order is all one.",
            asked=f"{asked_for:,}",
            room=least,
            group=GROUPS[-1],
            few=f"{counted[least, GROUPS[-1]]:,}",
            many=f"{counted[least, 1]:,}",
            all=most,
        ),
        note=say(
            "Counted by a cache that keeps what was used last; programs run one after another. A"
            " group has to fit to pay."
        ),
        optional=True,
    )


def _pass_in_cache(material: LectureMaterial) -> LectureStep:
    case = material.cases[PLAYED[0]]
    resolved, _, limits = compiled(case.result)
    m, buffers = resolved.m, buffers_in_use(resolved.m, resolved.launch)
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
    lines: list[Words] = [
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
    return LectureStep(
        scene=ComparisonScene(lines, best=1),
        title=say("What of it holds for LayerNorm"),
        caption=say(
            "x and dy are read once, weight and buffers stay in L2: no order helps. It decides how"
            " many locks there are to choose from."
        ),
        note=say(
            "Counted by the same cache. The order that a small cache would like best is the worst"
            " one for the queues."
        ),
    )
