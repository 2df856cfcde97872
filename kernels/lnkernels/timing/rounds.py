"""Candidates measured in turns, A B A B, so that a drifting clock or a busy GPU is shared by all of them. Pure."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from lnkernels.timing.samples import SETTLED_WITHIN, Timing, summarize
from lnkernels.values.figures import L2State

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Key]):
    """Something that can be timed again and again."""

    key: Key
    l2: L2State
    sample: Callable[[int], Sequence[float]]  # takes a number of repetitions, gives their times in ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How long to go on. The defaults give a first estimate of a 0.2 ms kernel within 2 ms and about 60 samples of it in all."""

    first: int = 5  # repetitions of the first turn: an estimate to show at once
    turn: int = 25  # most repetitions of a later turn
    turn_ms: float = 10.0  # a later turn of slow candidates is shortened to about this
    most: int = 200  # repetitions after which a candidate is done, settled or not
    seconds: float = 2.0  # no turn starts later than this after the first
    within: float = SETTLED_WITHIN  # half-width of the median's interval, as a share of it, at which a candidate is done
    # Of turns that every candidate gets after its first, which prepares it: settled or not, `seconds` or not. `most` ends it
    # all the same.
    least_seconds: float = 0.0


@dataclass(slots=True)
class _Record:
    samples: list[float] = field(default_factory=list)
    timing: Timing | None = None
    failed: bool = False
    seconds: float = 0.0  # of its turns after the first, in which it is captured and warmed up

    def wants_more(self, effort: Effort, *, late: bool) -> bool:
        if self.failed:
            return False
        if self.timing is None:
            return True
        if self.timing.repetitions >= effort.most:
            return False
        return self.seconds < effort.least_seconds or not (self.timing.settled or late)

    def next_turn(self, effort: Effort) -> int:
        if self.timing is None:
            return effort.first
        fitting = int(effort.turn_ms / max(self.timing.p50_ms, 1e-6))
        return max(1, min(effort.turn, fitting, effort.most - self.timing.repetitions))


def never() -> bool:
    """A `should_stop` that lets everything run to its end."""
    return False


def interleave(
    candidates: Sequence[Candidate[Key]],
    effort: Effort | None = None,
    should_stop: Callable[[], bool] = never,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[Key, Timing | Exception]]:
    """Take turns until every median has settled, and give each candidate's timing so far after each of its turns.

    The first timing of every candidate comes before the second of any. A candidate that has settled rests, as soon as it had
    the least time that `effort` gives to all. One that raises gives its exception in place of a timing, and no more turns.
    Whoever consumes this may stop at any time; `should_stop` is asked before each turn. What has not settled when time or
    repetitions run out says so in its `Timing`.
    """
    effort = effort or Effort()
    records = [_Record() for _ in candidates]
    began = clock()
    late = False
    first_round = True
    while any(record.wants_more(effort, late=late) for record in records):
        for candidate, record in zip(candidates, records, strict=True):
            if should_stop():
                return
            turn_began = clock()
            late = not first_round and turn_began - began > effort.seconds
            if not record.wants_more(effort, late=late):
                continue
            try:
                record.samples += candidate.sample(record.next_turn(effort))
                if record.timing is not None:
                    record.seconds += clock() - turn_began
                record.timing = summarize(record.samples, candidate.l2, effort.within)
            except Exception as error:  # noqa: BLE001  a candidate is somebody else's code; the consumer judges
                record.failed = True
                yield candidate.key, error
            else:
                yield candidate.key, record.timing
        first_round = False
