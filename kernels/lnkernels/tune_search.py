"""What tuning searches, in which order and for how long, and what it takes for the best.

Pure: somebody else measures.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

from lnkernels.launch import DTYPE_BYTES, DeviceLimits
from lnkernels.launch.forward import has_many_rows
from lnkernels.launch.measured import ForwardEntry, RowsEntry
from lnkernels.launch.persistent import holds_rows
from lnkernels.launch.tuned import Entry, Kept, StrategyEntry
from lnkernels.launch.tuning import candidates, table_widths, untuned

_WORTH = 0.99  # of the time of what is used untuned: another has to take less, or its gain is taken for noise
_KINDS_COMPARED = ("rows", "split")
COMPARED = "strategy"  # kind of the search that compares their best


class DeviceLostError(Exception):
    """The GPU does not answer any more; the message says after what."""


@dataclass(frozen=True, slots=True)
class Search:
    """One search: settings of one kind for one width and element type."""

    kind: str
    n: int
    dtype: str

    def __str__(self) -> str:
        return f"{self.kind}, N = {self.n}, {self.dtype}"


Times: TypeAlias = dict[Entry, float]  # ms; without those that could not be timed
# Times for each M that could be measured at all. The number is when no further candidate is to be begun, None for
# never.
Measure: TypeAlias = Callable[[Search, list[Entry], float | None], dict[int, Times]]


def searches(widths: Sequence[int], dtypes: Sequence[str], kinds: Sequence[str]) -> list[Search]:
    """What there is to do; of two element types of one size the first alone."""
    kinds = list(dict.fromkeys(kinds))
    return [Search(kind, n, dtype) for n in dict.fromkeys(widths) for dtype in _one_of_a_size(dtypes) for kind in kinds]


def table_searches(dtypes: Sequence[str], kinds: Sequence[str]) -> list[Search]:
    """What there is to do for the built-in table: every kind at the widths of its own entries."""
    kinds = list(dict.fromkeys(kinds))
    pairs = [(kind, dtype) for dtype in _one_of_a_size(dtypes) for kind in kinds]
    return [Search(kind, n, dtype) for kind, dtype in pairs for n in table_widths(kind, DTYPE_BYTES[dtype])]


def with_candidates(wanted: Sequence[Search], limits: DeviceLimits) -> list[Search]:
    """Those for which there is something to try on a device."""
    return [search for search in wanted if candidates(search.kind, search.n, search.dtype, limits)]


def tune(
    wanted: Sequence[Search],
    limits: DeviceLimits,
    measure: Measure,
    until: float | None = None,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[Search, Kept, list[float]]]:
    """Search after search, the best entry and its ms for each M. The forward pass gets an entry for few rows and one
    for many.

    Where the settings of both strategies of the backward pass were found for a width, they are measured once more, in
    turns, and the faster strategy is an entry, too.

    Args:
        wanted: what to search.
        limits: the device's.
        measure: times candidates.
        until: time of `now` after which no search begins. Until then each has an equal share of what time is left.
        now: the clock.
    """
    possible = [(search, entries) for search in wanted if (entries := candidates(search.kind, search.n, search.dtype, limits))]
    found: dict[tuple[int, str], dict[str, Entry]] = {}
    for done, (search, entries) in enumerate(possible):
        begun = now()
        if until is not None and begun >= until:
            return
        deadline = None if until is None else begun + (until - begun) / (len(possible) - done)
        timed = measure(search, entries, deadline)
        for many_rows, together in _classes(search.kind, timed):
            usual = untuned(search.kind, search.n, search.dtype, limits, many_rows=many_rows)
            best = _best(usual, entries, together)
            if best is not None:
                kept = replace(best, many_rows=many_rows) if isinstance(best, ForwardEntry) else best
                yield search, kept, [times[best] for times in together]
                found.setdefault((search.n, search.dtype), {})[search.kind] = best
        both = found.get((search.n, search.dtype), {})
        if search.kind in _KINDS_COMPARED and all(kind in both for kind in _KINDS_COMPARED):
            yield from _compared(search, [both[kind] for kind in _KINDS_COMPARED], limits, measure)


def _one_of_a_size(dtypes: Sequence[str]) -> list[str]:
    found: dict[int, str] = {}
    for dtype in dtypes:
        found.setdefault(DTYPE_BYTES[dtype], dtype)
    return list(found.values())


def _compared(
    search: Search, entries: list[Entry], limits: DeviceLimits, measure: Measure
) -> Iterator[tuple[Search, Kept, list[float]]]:
    """Which of the best settings of both strategies, persistent first, is the faster."""
    usual = entries[0 if holds_rows(search.n, search.dtype, limits) else 1]
    both = Search(COMPARED, search.n, search.dtype)
    together = list(measure(both, entries, None).values())
    best = _best(usual, entries, together)
    if best is not None and all(len(times) == len(entries) for times in together):
        strategy = "persistent" if isinstance(best, RowsEntry) else "split"
        entry = StrategyEntry(element_bytes=best.element_bytes, up_to_n=search.n, strategy=strategy)
        yield both, entry, [times[best] for times in together]


def _best(usual: Entry, entries: list[Entry], together: list[Times]) -> Entry | None:
    """The entry with the least product of times, of those timed everywhere; the usual one unless another is worth it."""
    products = {entry: prod(times[entry] for times in together) for entry in entries if all(entry in times for times in together)}
    if not products or not together:
        return None
    best = min(products, key=lambda entry: products[entry])
    return usual if usual in products and products[best] > products[usual] * _WORTH ** len(together) else best


def _classes(kind: str, timed: dict[int, Times]) -> list[tuple[bool, list[Times]]]:
    """Times whose product decides together: those of few and of many rows apart, where they have settings of their own."""
    if kind != "forward":
        return [(False, list(timed.values()))] if timed else []
    apart = ((many, [times for m, times in timed.items() if has_many_rows(m) == many]) for many in (False, True))
    return [(many, together) for many, together in apart if together]
