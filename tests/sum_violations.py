"""Whether the sums of a traced run can have come about, from store to store and from the buffers to dw and db."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.ordered_sums import UNDERFLOW, UNIT_ROUNDOFF, previous_rows, rounded
from lnkernels.sentence import Sentence, say
from lnkernels.values.timeline import BUFFER_DTYPES, Indices, ReductionTimeline, TracedSums

Floats = NDArray[np.float64]
_LARGEST = {"float32": 3.4028234663852886e38, "float16": 65504.0, "bfloat16": 3.3895313892515355e38}
_FLUSHED = 2.0**-126  # float32's smallest normal number: hardware may take what is below it for 0
_PARTS = ("dw", "db")


def sum_violations(timeline: ReductionTimeline, result_dtype: str | None = None, *, barrier: bool = True) -> list[Sentence]:
    """What is impossible in a timeline's sums; empty where there are none, or they can have happened.

    A row leaves what was in its buffer and its own share, dw and db are the buffers as their last rows left them, each
    up to the roundings on the way. NaN and infinities are as possible as in the data, and a sum may grow beyond its
    type.

    Args: timeline: in which nothing else is impossible. result_dtype: element type of dw and db, one of BUFFER_DTYPES;
        None where it is not known, and may be any of them. barrier: whether each row waits for its stores. Where none
        does, a row may add to what is out of date.
    """
    sums = timeline.sums
    if sums is None:
        return []
    found: list[Sentence] = []
    for part in _PARTS:
        found += _not_of_type(f"{part}_after", getattr(sums, f"{part}_after"), sums.partial_dtype)
    previous, last = previous_rows(timeline)
    if barrier and not found:
        found += [each for part in _PARTS for each in _step_violations(sums, part, timeline.order, previous)]
    dtypes = BUFFER_DTYPES if result_dtype is None else (result_dtype,)
    return found + min((_result_violations(sums, last, dtype, barrier=barrier) for dtype in dtypes), key=len)


@dataclass(frozen=True, eq=False, slots=True)
class _Expected:
    """Sums, and how far what was stored may be from them."""

    exact: Floats
    bound: Floats
    magnitude: Floats  # sums of the absolute terms
    largest: float  # of the type that they are stored in

    @classmethod
    def of(cls, terms: Floats, roundings: int, dtype: str) -> "_Expected":
        """Of terms [K, …], of which each is rounded to float32 so many times, and their sum once to the type."""
        with np.errstate(invalid="ignore", over="ignore"):
            exact, magnitude = terms.sum(axis=0), np.abs(terms).sum(axis=0)
            growth = np.expm1(roundings * np.log1p(UNIT_ROUNDOFF["float32"]) + np.log1p(UNIT_ROUNDOFF[dtype]))
            bound = magnitude * growth + UNDERFLOW[dtype] + len(terms) * _FLUSHED
        return cls(exact, bound, magnitude, _LARGEST[dtype])

    def first_wrong(self, stored: NDArray[np.float32]) -> tuple[int, ...] | None:
        """Where a stored number is none that the sum may be rounded to."""
        with np.errstate(invalid="ignore"):
            close = np.isfinite(self.exact) & (np.abs(stored - self.exact) <= self.bound)
            infinite = np.isinf(stored) & (np.sign(stored) == np.sign(self.exact))
            overflown = infinite & (np.abs(self.exact) + self.bound >= self.largest)
            on_the_way = ~np.isfinite(stored) & (self.magnitude + self.bound >= _LARGEST["float32"])
        wrong = ~(close | overflown | on_the_way | (np.isnan(stored) & np.isnan(self.exact)))
        return tuple(int(place) for place in np.argwhere(wrong)[0]) if wrong.any() else None


def _not_of_type(name: str, values: NDArray[np.float32], dtype: str) -> list[Sentence]:
    wrong = (rounded(values, dtype) != values) & ~np.isnan(values)
    if not wrong.any():
        return []
    place = tuple(int(index) for index in np.argwhere(wrong)[0])
    return [
        say(
            "{number} is {value:.9g}, which is no {dtype}",
            number=f"{name}{list(place)}",
            value=float(values[place]),
            dtype=dtype,
        )
    ]


def _step_violations(sums: TracedSums, part: str, order: Indices, previous: Indices) -> list[Sentence]:
    """Rows in the order of their turns: of those that a wrong number has spoilt, the first is told."""
    rows = np.argsort(order, kind="stable")
    shares, after = getattr(sums, f"row_{part}")[rows].astype(np.float64), getattr(sums, f"{part}_after")[rows]
    left = getattr(sums, f"{part}_after")[previous[rows]].astype(np.float64)
    before = np.where((previous[rows] < 0)[:, None], 0.0, left)
    # The share is kept rounded and may be added as it was before that, the addition rounds, and then the store does.
    expected = _Expected.of(np.stack((before, shares)), 2, sums.partial_dtype)
    wrong = expected.first_wrong(after)
    if wrong is None:
        return []
    row, column = int(rows[wrong[0]]), wrong[1]
    there = say("the first to store")
    if previous[row] >= 0:
        there = say("after row {former} left {left:.9g}", former=int(previous[row]), left=float(before[wrong]))
    return [
        say(
            "{number} is {value:.9g}, and row {row} adds {share:.9g}, {there}, which gives {expected:.9g}, "
            "give or take {bound:.2g}",
            number=f"{part}_after[{row}, {column}]",
            value=float(after[wrong]),
            row=row,
            share=float(shares[wrong]),
            there=there,
            expected=float(expected.exact[wrong]),
            bound=float(expected.bound[wrong]),
        )
    ]


def _result_violations(sums: TracedSums, last: Indices, dtype: str, *, barrier: bool) -> list[Sentence]:
    found: list[Sentence] = []
    for part in _PARTS:
        total, buffers = getattr(sums, part), getattr(sums, f"{part}_after")[last].astype(np.float64)
        found += _not_of_type(part, total, dtype)
        expected = _Expected.of(buffers, len(buffers), dtype)
        wrong = expected.first_wrong(total) if barrier else None
        if wrong is not None:
            found.append(
                say(
                    "{number} is {value:.9g}, and the buffers' last values add up to {expected:.9g}, give or take {bound:.2g}",
                    number=f"{part}[{wrong[0]}]",
                    value=float(total[wrong]),
                    expected=float(expected.exact[wrong]),
                    bound=float(expected.bound[wrong]),
                )
            )
    return found
