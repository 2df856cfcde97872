"""Where the lecture is, when it should be there, and how the time that it has taken is written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import ceil

from lnexplorer.domain.lecture.material import halts, passings
from lnexplorer.domain.lecture.scenes import Asked, Closing, Event, Opening, Playback, Scene, Step
from lnkernels.sentence import Sentence

MOST_DIGITS = 3
WORDS_A_MINUTE = 130  # of an English lecture
# Seconds in which the room looks at a step, beside those in which it is spoken of.
LOOKED_AT: dict[type[Scene], int] = {Opening: 5, Event: 12, Asked: 60, Closing: 60, Playback: 8}
PICTURE_S, ANSWER_S, HALT_S = 30, 15, 5  # any other; an answer; each event at which a timeline halts


@dataclass(frozen=True, slots=True)
class Plan:
    """When each step begins if those that can be left out are; a step that is left out begins with the next."""

    minutes: tuple[int, ...]  # of each step, from 1
    length: int


def plan(steps: Sequence[Step]) -> Plan:
    """The minutes of a lecture."""
    ends = list(accumulate(0.0 if step.optional else seconds(step) for step in steps))
    return Plan(tuple(int(begin / 60) + 1 for begin in (0.0, *ends[:-1])), ceil(ends[-1] / 60))


def seconds(step: Step) -> float:
    """How long a step takes: its English words at a lecturing pace, and the time in which the room looks at it."""
    words = sum(len(str(sentence).split()) for sentence in _spoken(step))
    scene, looked_at = step.scene, LOOKED_AT.get(type(step.scene), PICTURE_S)
    if isinstance(scene, Asked) and scene.revealed:
        looked_at = ANSWER_S
    elif isinstance(scene, Playback):
        looked_at += HALT_S * len(halts(scene.case.timeline, scene.end_ns))
    return 60 * words / WORDS_A_MINUTE + looked_at


def _spoken(step: Step) -> Iterator[Sentence]:
    yield from (sentence for sentence in (step.title, step.caption, step.note) if sentence is not None)
    match step.scene:
        case Asked(question, revealed):
            yield from question.answer if revealed else (question.text, *question.options)
        case Playback() as scene:
            told = [passing for passing in passings(scene.case.timeline) if passing.time_ns <= scene.end_ns]
            yield from (passing.sentence for passing in told if passing.sentence is not None)


@dataclass(frozen=True, slots=True)
class Position:
    """A step of `count`, from 0; people count from 1."""

    count: int
    step: int = 0
    typed: str = ""

    def at(self, step: int) -> "Position":
        """Another step; the first or the last where there is none of that number."""
        return Position(self.count, min(max(step, 0), self.count - 1))

    def moved(self, steps: int) -> "Position":
        return self.at(self.step + steps)

    def with_digit(self, digit: str) -> "Position":
        """One more digit of a number; a number of more than MOST_DIGITS digits begins anew."""
        return replace(self, typed=self.typed + digit if len(self.typed) < MOST_DIGITS else digit)

    def entered(self) -> "Position":
        """The step whose number was typed, or else the next one."""
        return self.at(int(self.typed) - 1) if self.typed else self.moved(1)


def clock_text(seconds: float) -> str:
    """Hours, where there are any, minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"
