"""Two traces beside each other: what grew and where, and the chain of rows that decides each end.

A chain leads from the first start to the end without a gap: what the last row did since it wanted
its lock, what the row did from which it took the lock over, and so on, back to a row that did not
queue; then what that row computed, and the row whose end on the same SM made room for it. So the
differences of its phases add up to the difference of the ends.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.panels import Text
from lnexplorer.domain.timeline import hand_overs, locks_in_use, phase_times
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import Sentence, say
from lnkernels.values.timeline import ReductionTimeline, Times

PHASES = {
    "starting": say("waiting for a place"),
    "computing": say("computing"),
    "queued": say("queued"),
    "trying": say("trying"),
    "hand_over": say("hand-over"),
    "holding": say("holding"),
    "stage2": say("stage 2"),
}
OWN = ("computing", "trying", "hand_over", "holding")  # no mere consequence of another row's
LISTED_ROWS = 5
MOST_CHAINED = 12


@frozen
class Link:
    """What a row did, of that which the end waited for."""

    phase: str  # of PHASES
    row: int  # -1 for stage 2
    begin_ns: int
    end_ns: int


@frozen
class Growth:
    """A phase of a row of both traces, and how much longer it is in the second."""

    row: int
    lock: int  # in the second
    phase: str
    ns: int


@frozen(eq=False)
class TraceDifference:
    """The timeline B against A; rows are aligned by number."""

    a: ReductionTimeline
    b: ReductionTimeline
    chains: tuple[tuple[Link, ...], tuple[Link, ...]]
    sums: dict[str, list[int]]  # of the chains of A and B, in ns by phase
    rows: dict[str, Times]  # by phase, how much longer each row of both is in B

    @property
    def ends_ns(self) -> tuple[int, int]:
        return self.a.end_ns, self.b.end_ns

    @property
    def grown(self) -> list[Growth]:
        """Return the phases of rows that changed most, the largest first."""
        found = [
            Growth(int(row), int(self.b.lock[row]), phase, int(self.rows[phase][row]))
            for phase in OWN
            for row in np.argsort(-np.abs(self.rows[phase]), kind="stable")[:LISTED_ROWS]
        ]
        found.sort(key=lambda each: -abs(each.ns))
        return [each for each in found[:LISTED_ROWS] if each.ns]

    @property
    def locks(self) -> dict[str, Times]:
        """Return how much longer the rows of each lock of both are in B, by phase."""
        count = min(map(locks_in_use, (self.a, self.b)))
        a, b = (
            {phase: _by_lock(each, times, count) for phase, times in lengths(each).items()}
            for each in (self.a, self.b)
        )
        return {phase: b[phase] - a[phase] for phase in a}

    def sentence(self) -> Sentence:
        """Say how far the ends are apart, and which row's phase grew most."""
        ends = list(map(wording.nanoseconds, self.ends_ns))
        apart = _signed(self.ends_ns[1] - self.ends_ns[0])
        if not self.grown:
            return say("A ends after {a}, B after {b}: {apart}.", a=ends[0], b=ends[1], apart=apart)
        most = self.grown[0]
        return say(
            "A ends after {a}, B after {b}: {apart}. Most of all rows, row {row} changed by {ns}:"
            " {phase}, lock {lock}.",
            a=ends[0],
            b=ends[1],
            apart=apart,
            row=most.row,
            lock=most.lock,
            phase=PHASES[most.phase],
            ns=_signed(most.ns),
        )

    def table(self) -> list[list[Text]]:
        """Return the phases of both chains and their sums, and the mean of a row, as text."""
        heads: list[Text] = [say("deciding chain"), "A", "B", "B − A", say("mean of rows")]
        lines = [heads]
        for phase, name in PHASES.items():
            times, mean = self.rows.get(phase), wording.ABSENT
            if times is not None and times.size:
                mean = _signed(float(times.mean()))
            lines.append([name, *_both(self.sums.get(phase)), mean])
        return [*lines, [say("end"), *_both(self.ends_ns), wording.ABSENT]]

    def steps(self) -> list[tuple[int, int]]:
        """Return a waterfall, as the lines of the table: where each phase leads the end, in ns."""
        found, at = [], self.a.end_ns
        for phase in PHASES:
            one, other = self.sums.get(phase, (0, 0))
            found.append((at, at + other - one))
            at += other - one
        return [*found, self.ends_ns]

    def lines(self, link: Callable[[int], str] = str) -> list[Sentence]:
        """Name the rows of both chains, as many as are read, each as `link` writes it; and, where
        both have the same locks, those whose rows changed most.
        """
        lines = []
        for name, chain in zip("AB", self.chains, strict=True):
            rows = list(dict.fromkeys(each.row for each in chain if each.row >= 0))
            shown = ", ".join(map(link, rows[:MOST_CHAINED]))
            if len(rows) > MOST_CHAINED:
                shown += ", …"
            lines.append(
                say(
                    "Rows that decide the end of {name}, {count:,}: {rows}",
                    name=name,
                    count=len(rows),
                    rows=shown,
                )
            )
        by_lock = np.sum(list(self.locks.values()), axis=0)
        most = np.argsort(-np.abs(by_lock), kind="stable")[:LISTED_ROWS].tolist()
        named = ", ".join(f"{lock} ({_signed(by_lock[lock])})" for lock in most if by_lock[lock])
        if named and locks_in_use(self.a) == locks_in_use(self.b):
            lines.append(say("Locks whose rows changed most: {locks}", locks=named))
        return lines

    def document(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "ends_ns": list(self.ends_ns),
            "difference_ns": self.ends_ns[1] - self.ends_ns[0],
            "chain_ns": self.sums,
            "chains": self.chains,
            "grown": self.grown,
            "rows_ns": self.rows,
            "locks_ns": self.locks,
        }


def trace_difference(a: ReductionTimeline, b: ReductionTimeline) -> TraceDifference:
    """Compare two timelines of `locked`, which have times."""
    chains = deciding_chain(a), deciding_chain(b)
    # What is queued on a chain is what other rows do.
    sums = {phase: [0, 0] for phase in PHASES if phase != "queued"}
    for place, chain in enumerate(chains):
        for link in chain:
            sums[link.phase][place] += link.end_ns - link.begin_ns
    m, (one, other) = min(a.m, b.m), map(lengths, (a, b))
    rows = {phase: other[phase][:m] - one[phase][:m] for phase in one}
    return TraceDifference(a, b, chains, sums, rows)


def lengths(timeline: ReductionTimeline) -> dict[str, Times]:
    """Return how long each row is in each phase; they add up to its release."""
    start, wanted, free, held, released = phase_times(timeline)
    queued = free > wanted
    return {
        "starting": start,
        "computing": wanted - start,
        "queued": free - wanted,
        "trying": np.where(queued, 0, held - free),
        "hand_over": np.where(queued, held - free, 0),
        "holding": released - held,
    }


def deciding_chain(timeline: ReductionTimeline) -> tuple[Link, ...]:
    """Return what the end waited for, from the first start on."""
    start, wanted, free, held, released = phase_times(timeline)
    before = dict(zip(*reversed(hand_overs(timeline)), strict=True))
    row, seen = int(released.argmax()), set[int]()
    until = int(released[row])
    links = [Link("stage2", -1, until, timeline.end_ns)]

    def add(phase: str, begin: int) -> None:
        nonlocal until
        begin = min(int(begin), until)
        links.append(Link(phase, row, begin, until))
        until = begin

    while row not in seen:  # a coarse clock may show rows that take no time
        seen.add(row)
        queued = free[row] > wanted[row]
        add("holding", held[row])
        add("hand_over" if queued else "trying", free[row])
        if queued:
            row = int(before[row])
            continue
        add("computing", start[row])
        earlier = np.flatnonzero((timeline.sm == timeline.sm[row]) & (released <= until))
        if not earlier.size:
            break
        place = int(earlier[released[earlier].argmax()])
        add("starting", released[place])
        row = place
    add("starting", 0)
    return tuple(each for each in reversed(links) if each.end_ns > each.begin_ns)


def _by_lock(timeline: ReductionTimeline, times: Times, count: int) -> Times:
    return np.bincount(timeline.lock, times, count)[:count].astype(np.int64)


def _both(times: Sequence[int] | None) -> list[str]:
    """Return the times of A and B, and their difference."""
    if times is None:
        return [wording.ABSENT] * 3
    return [*map(wording.nanoseconds, times), _signed(times[1] - times[0])]


def _signed(ns: float) -> str:
    return f"{'−' if ns < 0 else '+'}{wording.nanoseconds(abs(ns))}"
