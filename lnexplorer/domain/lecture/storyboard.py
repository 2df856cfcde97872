"""The steps of the lecture, in their order."""

from dataclasses import dataclass

from lnexplorer.domain.lecture.answers import Question
from lnexplorer.domain.lecture.example import Beat, BeatKind, Example, beats, strides
from lnexplorer.domain.lecture.material import GROUP_SIZES

CHAPTERS = 4
PROGRAMS = 2  # of the example without locks
TABLES = ("inputs", "mean", "rstd", "xhat", "c", "dx", "partials")
SHOWN_FIRST, SHOWN_THEN = 2, 5  # points of the chart


@dataclass(frozen=True, slots=True)
class Opening:
    """A chapter begins; 0 is the lecture itself."""

    chapter: int


@dataclass(frozen=True, slots=True)
class Worked:
    """The numbers of the example, as far as one of TABLES."""

    upto: str


@dataclass(frozen=True, slots=True)
class Told:
    """An event of the example."""

    beat: Beat


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, then its answer."""

    question: Question
    revealed: bool


@dataclass(frozen=True, slots=True)
class Charted:
    """The chart of stage 1 against GROUP_SIZE_M, with so many points."""

    points: int
    recorded: bool = False  # with the recorded times beside the model's


@dataclass(frozen=True, slots=True)
class Played:
    """A timeline, playing."""

    recorded: bool
    group_size_m: int


@dataclass(frozen=True, slots=True)
class Strode:
    """The example without locks after a number of rounds; past the last one the programs store their sums, then stage
    2.
    """

    round: int


@dataclass(frozen=True, slots=True)
class Compared:
    """With locks and without, in figures."""


@dataclass(frozen=True, slots=True)
class Raced:
    """With locks and without, as it was recorded, on one axis of time."""


@dataclass(frozen=True, slots=True)
class Closing:
    """What to take home."""


Scene = Opening | Worked | Told | Asked | Charted | Played | Strode | Compared | Raced | Closing


@dataclass(frozen=True, slots=True)
class Step:
    """One picture of the lecture."""

    chapter: int
    scene: Scene


def storyboard(example: Example, recorded: tuple[int, ...]) -> tuple[Step, ...]:
    """All steps.

    Args:
        example: what is worked out by hand.
        recorded: the values of GROUP_SIZE_M of which there are recordings.
    """
    first: list[Scene] = [Opening(1), *(Worked(name) for name in TABLES)]
    for beat in beats(example.timeline):
        first.append(Told(beat))
        if beat.kind is BeatKind.STORES and beat.lock == 0:
            first += _question(Question.TWICE)
    first += _question(Question.COUNT_ZERO)
    most, least = GROUP_SIZES[0], GROUP_SIZES[4]
    second: list[Scene] = [Opening(2), Played(recorded=False, group_size_m=most), *_question(Question.HALVING)]
    second += [Charted(SHOWN_FIRST), Charted(SHOWN_THEN), Played(recorded=False, group_size_m=least)]
    second += [Charted(len(GROUP_SIZES)), *_question(Question.ZEROED)]
    third: list[Scene] = [Opening(3), *(Played(recorded=True, group_size_m=size) for size in recorded)]
    third.append(Charted(len(GROUP_SIZES), recorded=True))
    rounds = len(strides(example.x, example.x, PROGRAMS))
    fourth: list[Scene] = [Opening(4), *(Strode(number) for number in range(rounds + 3)), Compared(), Raced(), Closing()]
    chapters = enumerate((first, second, third, fourth), start=1)
    return (Step(0, Opening(0)), *(Step(chapter, scene) for chapter, scenes in chapters for scene in scenes))


def _question(question: Question) -> list[Scene]:
    return [Asked(question, revealed=False), Asked(question, revealed=True)]
