"""Read the stamps of a traced launch as a timeline, see `lnkernels.language.stamps`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lnkernels.language.stamps import (
    HELD,
    LOCK,
    PLACE,
    PROGRAM_BITS,
    STANDARD,
    WAITS,
    WIDTH,
    place_of,
)
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import ExplainedError, say
from lnkernels.values.timeline import ReductionTimeline, Times, clock_of, places

if TYPE_CHECKING:
    import torch

MOST_PHASES = 4
LONGEST_NAME = 30  # letters of a phase, which stands in sentences and legends


class StampError(ExplainedError):
    """Stamps that make no timeline, and why."""


def stamp_timeline(
    memory: "torch.Tensor", names: Sequence[str], *, source: str, n: int, tick_ns: int | None
) -> ReductionTimeline:
    """Return the stamps of a traced launch as a timeline of its rows. Without locks, rows that did
    not overlap share a lane.

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
                "{file} has a stamp {name}: {allowed}",
                file=source,
                name=ascii(name)[:80],
                allowed=allowed,
            )
    table = memory.cpu().numpy().reshape(-1, WIDTH)[1:]
    noted = [name for name in names if table[:, place_of(name)].any()]
    if not noted:
        raise StampError(
            "{file} has stamped nothing: hand its kernel what backward is given as trace",
            file=source,
        )
    if len({place_of(name) for name in names}) < len(set(names)):
        raise StampError(
            "{file}: two of {names} cannot be told apart: rename one",
            file=source,
            names=names,
        )
    if len(noted) > MOST_PHASES or len(noted) < 2:
        raise StampError(
            "{file} has stamps {names}: take two to {most}",
            file=source,
            names=noted,
            most=MOST_PHASES,
        )
    rows = np.flatnonzero((table[:, [place_of(name) for name in noted]] > 0).any(axis=1))
    return timeline_of(table[rows], noted, source=source, n=n, tick_ns=tick_ns)


def timeline_of(
    table: NDArray[np.int64],
    noted: Sequence[str],
    *,
    source: str,
    n: int,
    tick_ns: int | None,
    stop: int | None = None,
) -> ReductionTimeline:
    """Return rows of the memory of stamps as a timeline.

    Args:
        table: [rows, WIDTH].
        noted: names of stamps, two to MOST_PHASES, in the order of the text.
        source: whose kernel it is.
        n: columns.
        tick_ns: of the GPU's timer; None on the interpreter.
        stop: the time that comes in place of stamps that never came; None where rows have ended.
    """
    standard = set(noted) <= set(STANDARD)
    noted = sorted(noted, key=STANDARD.index) if standard else noted
    times = _four(table, noted, stop)
    taken = table[:, HELD]
    if WAITS not in noted:  # with the number of a program
        taken = np.where(table[:, LOCK] > 0, table[:, LOCK], taken)
    lock, order = _locks(taken, times, times[0] == stop)
    times = times - times[0].min()
    nothing = np.empty(0, np.int64)
    return ReductionTimeline(
        kind=Kind.INTERPRETED if tick_ns is None else Kind.MEASURED,
        m=len(table),
        n=n,
        group_size_m=int(lock.max()) + 1,
        lock=lock,
        order=order,
        sm=np.maximum(table[:, PLACE] % (1 << PROGRAM_BITS) - 1, 0).astype(np.int32),
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
        lanes=not taken.any(),
        phases=() if standard else tuple(noted),
    )


def _four(table: NDArray[np.int64], noted: Sequence[str], stop: int | None) -> Times:
    """Return times [4, rows] of start, wanted, held and released; with fewer stamps some phases
    take no time.
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
    # What a row did not stamp came with its next stamp; after the last one, with that, or never.
    filled = np.minimum.accumulate(np.where(found > 0, found, later)[::-1], axis=0)[::-1]
    end = found.max(axis=0) if stop is None else stop
    return np.maximum.accumulate(np.where(filled < later, filled, end), axis=0)


def _locks(
    stamped: NDArray[np.int64], times: Times, never: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the lock of each row, or its lane where there are no locks, and its place in the order
    of it. Those that never began share all.
    """
    if stamped.any():
        lock = np.where(stamped > 0, stamped - 1, stamped.max())  # those without one are apart
        if lock.max() >= lock.size:
            lock = np.unique(lock, return_inverse=True)[1]
    else:
        lock = places(times[0], times[3])
    lock[never] = np.arange(never.sum()) % (lock[~never].max() + 1)
    rows = np.lexsort((times[2], lock))
    first = np.searchsorted(lock[rows], lock[rows])
    order = np.empty_like(lock)
    order[rows] = np.arange(lock.size) - first
    return lock.astype(np.int32), order.astype(np.int32)
