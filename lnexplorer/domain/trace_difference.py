"""Two traces beside each other: what grew and where, and the chain of rows that decides each end.

A chain leads from the first start to the end without a gap: what the last row did since it wanted
its lock, what the row did from which it took the lock over, and so on, back to a row that did not
queue; then what that row computed, and the row whose end on the same SM made room for it. So the
differences of its phases add up to the difference of the ends.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.panels import Text
from lnexplorer.domain.timeline import hand_overs, locks_in_use, phase_times
from lnkernels.values import Sentence, frozen, join_sentences, say
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
LISTED = 5
MOST_CHAINED = 12


@frozen
class Link:
    """A piece of work of a row for which the end of the trace waited."""

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
    """The timeline B against A; rows are aligned by number, locks are those of B."""

    ends_ns: tuple[int, int]
    difference_ns: int
    chains: tuple[tuple[Link, ...], tuple[Link, ...]]
    chain_ns: dict[str, list[int]]  # sums of the chains of A and B, by phase
    rows_ns: dict[str, Times]  # by phase, how much longer each row of both is in B
    locks_ns: dict[str, Times]  # by phase, the same of all rows of each lock
    grown: list[Growth]  # the phases of rows that changed most, the largest first

    @property
    def ends(self) -> Sentence:
        """How far the ends are apart, in the words of the table."""
        return say("end, B − A: {apart}", apart=_signed(self.difference_ns))

    def sentence(self) -> Sentence:
        """Say how far the ends are apart, and which row's phase grew most."""
        a, b, apart = _both(self.ends_ns)
        told = [say("A ends after {a}, B after {b}: {apart}.", a=a, b=b, apart=apart)]
        for most in self.grown[:1]:
            row = say(
                "Apart from queues, row {row} changed most: {phase} {ns} (lock {lock}).",
                row=most.row,
                lock=most.lock,
                phase=PHASES[most.phase],
                ns=_signed(most.ns),
            )
            told.append(row)
        return join_sentences(told, " ")

    def table(self) -> list[list[Text]]:
        """Return the phases of both chains and their sums, and the mean of a row, as text."""
        lines: list[list[Text]] = [
            [say("deciding chain"), "A", "B", "B − A", say("B − A, mean of rows")]
        ]
        for phase, both in self.chain_ns.items():
            times = self.rows_ns.get(phase)
            mean = wording.ABSENT if times is None else _signed(float(times.mean()))
            lines.append([PHASES[phase], *_both(both), mean])
        return [*lines, [say("end"), *_both(self.ends_ns), wording.ABSENT]]

    def steps(self) -> list[tuple[int, int]]:
        """Return a waterfall, as the lines of the table: where each phase leads the end, in ns."""
        grown = (b - a for a, b in self.chain_ns.values())
        return [*pairwise(accumulate(grown, initial=self.ends_ns[0])), self.ends_ns]

    def lines(self, link: Callable[[int], str] = str) -> list[Sentence]:
        """Name the rows of both chains, as many as are read, each as `link` writes it; and the
        locks whose rows changed most.
        """
        lines = []
        for name, chain in zip("AB", self.chains, strict=True):
            rows = list(dict.fromkeys(each.row for each in chain if each.row >= 0))
            shown = [*map(link, rows[:MOST_CHAINED]), *["…"] * (len(rows) > MOST_CHAINED)]
            line = say(
                "Rows that decide the end of {name}, {count:,}: {rows}",
                name=name,
                count=len(rows),
                rows=shown,
            )
            lines.append(line)
        by_lock = np.sum(list(self.locks_ns.values()), axis=0)
        named = [f"{lock} ({_signed(by_lock[lock])})" for lock in _largest(by_lock)]
        return [
            *lines,
            say("Locks of B whose rows changed most, all rows added up: {locks}", locks=named),
        ]


def trace_difference(a: ReductionTimeline, b: ReductionTimeline) -> TraceDifference:
    """Compare two timelines of `locked`, which have times."""
    chains = deciding_chain(a), deciding_chain(b)
    sums = {
        phase: [
            sum(link.end_ns - link.begin_ns for link in chain if link.phase == phase)
            for chain in chains
        ]
        for phase in PHASES
    }
    m, (one, other) = min(a.m, b.m), map(lengths, (a, b))
    rows = {phase: other[phase][:m] - one[phase][:m] for phase in one}
    lock, count = b.lock[:m], locks_in_use(b)
    locks = {
        phase: np.bincount(lock, times, count).astype(np.int64) for phase, times in rows.items()
    }
    own = np.concatenate([rows[phase] for phase in OWN])
    grown = [
        Growth(place % m, int(lock[place % m]), OWN[place // m], int(own[place]))
        for place in _largest(own)
    ]
    ends, apart = (a.end_ns, b.end_ns), b.end_ns - a.end_ns
    return TraceDifference(ends, apart, chains, sums, rows, locks, grown)


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
    links, until, seen = list[Link](), timeline.end_ns, set[int]()

    def add(phase: str, row: int, begin: int) -> None:
        nonlocal until
        begin = min(int(begin), until)
        links.append(Link(phase, row, begin, until))
        until = begin

    add("stage2", -1, released.max())
    row = int(released.argmax())
    while row not in seen:  # a coarse clock may show rows that take no time
        seen.add(row)
        queued = free[row] > wanted[row]
        add("holding", row, held[row])
        add("hand_over" if queued else "trying", row, free[row])
        if queued:
            row = int(before[row])
            continue
        add("computing", row, start[row])
        earlier = np.flatnonzero((timeline.sm == timeline.sm[row]) & (released <= until))
        if not earlier.size:
            break
        place = int(earlier[released[earlier].argmax()])
        add("starting", row, released[place])
        row = place
    add("starting", row, 0)
    return tuple(each for each in reversed(links) if each.end_ns > each.begin_ns)


def _largest(times: Times) -> list[int]:
    """Return the places of the largest differences that are not 0."""
    places: list[int] = np.argsort(-np.abs(times), kind="stable")[:LISTED].tolist()
    return [place for place in places if times[place]]


def _both(times: Sequence[int]) -> list[str]:
    """Return the times of A and B, and their difference."""
    return [*map(wording.nanoseconds, times), _signed(times[1] - times[0])]


def _signed(ns: float) -> str:
    return f"{'−' if ns < 0 else '+'}{wording.nanoseconds(abs(ns))}"
