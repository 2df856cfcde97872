"""Two traces beside each other: what grew and where, and the chain of rows that decides each end.

A chain leads from the first start to the end without a gap: what the last row did since it wanted
its lock, what the row did from which it took the lock over, and so on, back to a row that did not
queue; then what that row computed, and the row whose end on the same SM made room for it. So the
differences of its phases add up to the difference of the ends.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.panels import PanelPicture, Text, bar_panel, bar_picture
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

    def table(self) -> list[list[str]]:
        """Return the phases of both chains and their sums, and the mean of a row, as text."""
        lines = [["of the deciding chain", "A", "B", "B − A", "of a row, mean"]]
        for phase, name in PHASES.items():
            times, mean = self.rows.get(phase), wording.ABSENT
            if times is not None and times.size:
                mean = _signed(float(times.mean()))
            lines.append([str(name), *_both(self.sums.get(phase)), mean])
        return [*lines, ["end", *_both(self.ends_ns), wording.ABSENT]]

    def chain_lines(self) -> list[str]:
        """Return the rows of both chains as text, as many as are read."""
        lines = []
        for name, chain in zip("AB", self.chains, strict=True):
            rows = list(dict.fromkeys(link.row for link in chain if link.row >= 0))
            shown = ", ".join(map(str, rows[:MOST_CHAINED]))
            lines.append(f"rows that decide {name}'s end: {len(rows)}: {shown}")
        return lines

    def picture(self) -> PanelPicture:
        """Return the difference as a waterfall: from the end of A phase by phase to that of B."""
        steps = [other - one for one, other in self.sums.values()]
        ends = np.cumsum([self.a.end_ns, *steps])
        names: list[Text] = ["A"]
        for phase, step in zip(self.sums, steps, strict=True):
            names.append(say("{phase} {ns}", phase=PHASES[phase], ns=_signed(step)))
        start = np.array([0, *np.minimum(ends[:-1], ends[1:]), 0]) / 1e3
        length = np.array([self.a.end_ns, *map(abs, steps), self.b.end_ns]) / 1e3
        colours = ["grey", *("vermilion" if step > 0 else "green" for step in steps), "grey"]
        bars = bar_panel(self.sentence(), length.tolist(), (), colours, start=start)
        return replace(bar_picture([bars], [*names, "B"]), x_title=say("µs"))

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
    ends = phase_times(timeline)[-1]
    by_end = np.lexsort((ends, timeline.sm))
    sms, sorted_ends = timeline.sm[by_end], ends[by_end]
    start, wanted, free, held, released = (each.tolist() for each in phase_times(timeline))
    before = dict(zip(*(rows.tolist() for rows in reversed(hand_overs(timeline))), strict=True))
    row, seen = int(ends.argmax()), set[int]()
    until = released[row]
    links = [Link("stage2", -1, until, timeline.end_ns)]

    def add(phase: str, begin: int) -> None:
        nonlocal until
        links.append(Link(phase, row, min(begin, until), until))
        until = min(begin, until)

    while row not in seen:  # a coarse clock may show rows that take no time
        seen.add(row)
        queued = free[row] > wanted[row]
        add("holding", held[row])
        add("hand_over" if queued else "trying", free[row])
        if queued:
            row = before[row]
            continue
        add("computing", start[row])
        first, last = np.searchsorted(sms, (timeline.sm[row], timeline.sm[row] + 1))
        place = first + np.searchsorted(sorted_ends[first:last], until, "right") - 1
        if place < first:
            break
        add("starting", released[by_end[place]])
        row = int(by_end[place])
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
