"""Evidence, parameters, answers and verdicts of the checks of exercises."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.cells import CellResult
from lnkernels.values.sentence import ExplainedError, Sentence, say
from lnkernels.values.timeline import ReductionTimeline

RIGHT, WRONG, OPEN = "right", "wrong", "open"  # open: something has to be run first
LONGEST_SHOWN = 60  # characters of a refused value
UNITS = dict.fromkeys(("", "%", "×", "x", "bytes", "µs", "μs", "us"), 1.0) | {
    "ns": 1e-3,
    "ms": 1e3,
    "s": 1e6,
}
Value = int | str


class ExerciseError(ExplainedError, ValueError):
    """A sheet or an answer cannot be read, and why."""


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    state: str  # RIGHT, WRONG or OPEN
    sentence: Sentence


Judge = Callable[..., AnswerVerdict]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Evidence:
    """Everything that answers are checked by.

    Files go by their names without suffix; reading one may raise.
    """

    runs: Sequence[RunResult] = ()  # of the history, newest first
    # With GPU and date.
    recordings: Mapping[str, tuple[ReductionTimeline, str]] = field(default_factory=dict)
    sweeps: Mapping[str, Sequence[CellResult]] = field(default_factory=dict)
    experiments: Mapping[str, ExperimentResult] = field(default_factory=dict)
    source: str = ""  # of the kernels of `locked`, as they run here


@dataclass(frozen=True, slots=True)
class ExerciseKind:
    """Values of a parameter: whole numbers up to `most`, or else texts of a pattern."""

    allowed: Sentence
    pattern: str = "[0-9]{1,9}"
    least: int = 0
    most: int | None = None

    def read(self, text: str) -> Value | None:
        """Return the value; None where it is not allowed."""
        if not re.fullmatch(self.pattern, text):
            return None
        if self.most is None:
            return text
        return int(text) if self.least <= int(text) <= self.most else None


def whole(least: int, most: int) -> ExerciseKind:
    allowed = say("take a whole number from {least} to {most}", least=least, most=most)
    return ExerciseKind(allowed, least=least, most=most)


def one_of(choices: Iterable[str]) -> ExerciseKind:
    choices = tuple(choices)
    allowed = say("take one of {choices}", choices=", ".join(choices))
    return ExerciseKind(allowed, "|".join(map(re.escape, choices)))


def refused(key: str, value: str, allowed: Sentence) -> ExerciseError:
    """Return the error that names a field, its value and what is allowed."""
    shown = value if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]}…"
    return ExerciseError(
        say("{field} = {value} is not possible: {allowed}", field=key, value=shown, allowed=allowed)
    )


def number_in(answer: str) -> float:
    """Return the number in an answer; a time in µs.

    Raises:
        ExerciseError: there is none.
    """
    found = re.fullmatch(
        r"([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*([^\W0-9]*|%|×)", answer.replace("−", "-")
    )
    if found is None or found[2].lower() not in UNITS:
        allowed = say("take a number, such as 12.5, or a time, such as 12.5 µs")
        raise refused("answer", answer or "nothing", allowed)
    return float(found[1]) * UNITS[found[2].lower()]


def compared(answer: str, right: float, reason: Sentence, within: float = 0.0) -> AnswerVerdict:
    """Compare a number or a time with the right one, of which it may be off by `within` per cent.

    Args:
        answer: as it was typed.
        right: the number, or µs.
        reason: why it is right.
        within: per cent.
    """
    given = number_in(answer)
    if abs(given - right) <= max(within / 100 * abs(right), 1e-9):
        return AnswerVerdict(RIGHT, reason)
    if given > right:
        return AnswerVerdict(WRONG, say("{answer} is too large.", answer=answer))
    return AnswerVerdict(WRONG, say("{answer} is too small.", answer=answer))
