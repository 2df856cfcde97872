"""Stamps of any kernel: the times at which its programs come by, noted by `stamp` and read as a
timeline.

A kernel takes memory for them last, `trace_ptr=None`, and stamps what it does; its launcher hands
on what it is given as `trace`. Where nobody traces, the pointer is None, and the compiler is left
with nothing of it.

    stamp(trace_ptr, "start")
    stamp(trace_ptr, "wanted", row, lock)  # of a row, where a program takes several; and of its lock, where it has one
    stamp(trace_ptr, "held", row, lock)
    stamp(trace_ptr, "released", row)

In place of these four a kernel may have up to four names of its own, each of which begins a phase;
the last ends all.
"""

import zlib
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np
import triton.language as tl
from numpy.typing import NDArray

from lnkernels.interpreter import INTERPRETED, IS_INTERPRETED, device_function
from lnkernels.language.clock import now
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import ExplainedError, say
from lnkernels.values.timeline import ReductionTimeline, Times, clock_of

if TYPE_CHECKING:
    import torch

STANDARD = ("start", "wanted", "held", "released")
MOST_PHASES = 4
LONGEST_NAME = 30  # letters of a phase, which stands in sentences and legends
MOST_ROWS = 1 << 16  # that are noted; later ones are passed over
# int64 of a row, and of what stands before the rows: on the interpreter how often the time was
# asked for
_WIDTH = 64
_LOCK, _SM, _FIRST = 0, 1, 2  # the first two count from 1: 0 is nothing


class StampError(ExplainedError):
    """Stamps that make no timeline, and why."""


def place_of(name: str) -> int:
    """Where the time of a name stands in a row: known to the compiler by the name alone, whatever
    was compiled before.
    """
    return (
        STANDARD.index(name) + _FIRST
        if name in STANDARD
        else _FIRST + 4 + zlib.crc32(name.encode()) % (_WIDTH - _FIRST - 4)
    )


if IS_INTERPRETED:
    _place: Any = place_of
else:

    @tl.core.builtin
    def _place(name: Any, _semantic: Any = None) -> Any:
        return tl.constexpr(place_of(getattr(name, "value", name)))


_ROWS, _ROW_WIDTH = tl.constexpr(MOST_ROWS), tl.constexpr(_WIDTH)


@device_function
def stamp(trace_ptr, NAME: tl.constexpr, row=None, lock=None):
    """Note that a program is here, where it is traced: when its first thread comes by, and on which
    multiprocessor.

    Args:
        trace_ptr: what the launcher was given as `trace`; None where nobody traces.
        NAME: start, wanted, held or released; or a name of the kernel's own.
        row: of several that a program takes, each with stamps of its own; the program's number
            where it is None.
        lock: number of the lock that the row wants or holds.
    """
    if trace_ptr is not None:
        at = tl.full((), tl.program_id(0) if row is None else row, tl.int64)
        noted = at < _ROWS
        at_ptr = trace_ptr + (at + 1) * _ROW_WIDTH
        tl.store(at_ptr + _place(NAME), now(trace_ptr), mask=noted)
        if lock is not None:
            tl.store(at_ptr, lock + 1, mask=noted)
        # While a lock is held, every further store would lengthen the queue.
        if NAME != "held" and NAME != "released":  # noqa: PLR1714 - the compiler knows no sets
            if INTERPRETED:
                tl.store(at_ptr + 1, 1, mask=noted)
            else:
                tl.store(at_ptr + 1, tl.extra.cuda.smid() + 1, mask=noted)


def allocate(device: "torch.device") -> "torch.Tensor":
    """What a launcher is given as `trace`: 32 MiB of int64."""
    import torch

    memory = torch.zeros((MOST_ROWS + 1) * _WIDTH, dtype=torch.int64, device=device)
    memory[0] = 1
    return memory


def read(
    memory: "torch.Tensor", names: Sequence[str], *, source: str, n: int, tick_ns: int | None
) -> ReductionTimeline:
    """What a traced launch noted, as a timeline of its rows. Without locks, rows that were not
    under way together share a lane.

    Args:
        memory: of `allocate`.
        names: of stamps, in the order in which they stand in the file.
        source: whose kernel it is.
        n: columns.
        tick_ns: of the GPU's timer; None on the interpreter, which counts stamps.

    Raises:
        StampError: nothing was noted, or too much, or under a name that cannot be shown.
    """
    for name in names:
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            allowed = say("take 1 to {most} letters, digits, signs and blanks", most=LONGEST_NAME)
            raise StampError(
                say(
                    "{file} has a stamp {name}: {allowed}",
                    file=source,
                    name=ascii(name)[:80],
                    allowed=allowed,
                )
            )
    table = memory.cpu().numpy().reshape(-1, _WIDTH)[1:]
    noted = [name for name in names if table[:, place_of(name)].any()]
    if not noted:
        raise StampError(
            say(
                "{file} has stamped nothing: hand its kernel what backward is given as trace",
                file=source,
            )
        )
    if len({place_of(name) for name in names}) < len(set(names)):
        raise StampError(
            say(
                "{file}: two of {names} cannot be told apart: rename one",
                file=source,
                names=", ".join(names),
            )
        )
    standard = set(noted) <= set(STANDARD)
    if len(noted) > MOST_PHASES or len(noted) < 2:
        found = ", ".join(noted)
        raise StampError(
            say(
                "{file} has stamps {names}: take two to {most}",
                file=source,
                names=found,
                most=MOST_PHASES,
            )
        )
    noted = sorted(noted, key=STANDARD.index) if standard else noted
    rows = np.flatnonzero((table[:, [place_of(name) for name in noted]] > 0).any(axis=1))
    times = _four(table[rows], noted)
    lock, order = _locks(table[rows, _LOCK], times)
    times = times - times[0].min()
    nothing = np.empty(0, np.int64)
    return ReductionTimeline(
        kind=Kind.INTERPRETED if tick_ns is None else Kind.MEASURED,
        m=rows.size,
        n=n,
        group_size_m=int(lock.max()) + 1,
        lock=lock,
        order=order,
        sm=np.maximum(table[rows, _SM] - 1, 0).astype(np.int32),
        start_ns=times[0],
        wanted_ns=times[1],
        held_ns=times[2],
        released_ns=times[3],
        tile_block_m=1,
        tile_block_n=max(n, 1),
        tile_sm=nothing.astype(np.int32),
        tile_start_ns=nothing,
        tile_end_ns=nothing,
        tick_ns=float(tick_ns or 1),
        clock=clock_of(tick_ns),
        source=source,
        lanes=not table[rows, _LOCK].any(),
        phases=() if standard else tuple(noted),
    )


def _four(table: NDArray[np.int64], noted: Sequence[str]) -> Times:
    """Times [4, rows] of start, wanted, held and released: where there are fewer stamps, some
    phases take no time.
    """
    read = [table[:, place_of(name)] for name in noted]
    if set(noted) <= set(STANDARD):
        known = dict(zip(noted, read, strict=True))
        times = [known.get(name, np.zeros_like(read[0])) for name in STANDARD]
    else:  # two phases are those before a wait and after it
        middle = [*read[1:-1], *read[1:2]] if len(read) > 2 else [read[1]] * 2
        times = [read[0], *middle[:2], read[-1]]
    found = np.stack(times)
    later = np.iinfo(np.int64).max
    # What a row did not stamp came with its next stamp; after the last one, with that.
    filled = np.minimum.accumulate(np.where(found > 0, found, later)[::-1], axis=0)[::-1]
    return np.maximum.accumulate(np.where(filled < later, filled, found.max(axis=0)), axis=0)


def _locks(stamped: NDArray[np.int64], times: Times) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The lock of each row from 0, or its lane where there are no locks; and its place in that
    one's order.
    """
    lock = (
        np.unique(stamped, return_inverse=True)[1] if stamped.any() else _lanes(times[0], times[3])
    )
    rows = np.lexsort((times[2], lock))
    first = np.searchsorted(lock[rows], lock[rows])
    order = np.empty_like(lock)
    order[rows] = np.arange(lock.size) - first
    return lock.astype(np.int32), order.astype(np.int32)


def _lanes(start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """A lane for each row, so that no two rows of a lane are under way at once, and as few as can
    be.
    """
    lane, free, until = np.zeros(start.size, np.int64), list[int](), list[tuple[int, int]]()
    for row in np.argsort(start, kind="stable").tolist():
        while until and until[0][0] <= start[row]:
            heappush(free, heappop(until)[1])
        lane[row] = heappop(free) if free else len(until)
        heappush(until, (int(end[row]), int(lane[row])))
    return lane
