"""The checks that a sheet may name, pure functions of evidence and answer, and their verdicts.

A new check is a function here. Its decorator says what is typed, and which parameters of which
kinds the sheet gives.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any
from zlib import crc32

import numpy as np

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.experiments.group_size import GroupSizes
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.material import work_out
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.timeline import summarize
from lnkernels.launch.limits import DTYPE_BYTES
from lnkernels.values import ExplainedError, Sentence, Words, frozen, frozen_by_name, say, verbatim
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


@frozen
class AnswerVerdict:
    state: str  # RIGHT, WRONG or OPEN
    sentence: Sentence
    right: float | None = None  # answer, where it is a number
    within: float = 0.0  # by how much it may be off


Judge = Callable[..., AnswerVerdict]


@frozen_by_name(eq=False)
class Evidence:
    """Everything that answers are checked by.

    Files go by their names without suffix; reading one may raise.
    """

    runs: Sequence[RunResult] = ()  # of the history, newest first
    # With GPU and date.
    recordings: Mapping[str, tuple[ReductionTimeline, Words]] = field(default_factory=dict)
    sweeps: Mapping[str, Sequence[CellResult]] = field(default_factory=dict)
    experiments: Mapping[str, ExperimentResult] = field(default_factory=dict)
    source: str = ""  # of the kernels of `locked`, as they run here
    options: tuple[str, ...] = ()  # of the sheet
    # Carries out a command of `lnexplorer` and returns its JSON document.
    command: Callable[..., Any] = dict


@frozen
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
    allowed = say("take one of {choices}", choices=choices)
    return ExerciseKind(allowed, "|".join(map(re.escape, choices)))


def refused(key: str, value: str, allowed: Sentence) -> ExerciseError:
    """Return the error that names a field, its value and what is allowed."""
    shown = value if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]}…"
    return ExerciseError(
        "{field} = {value} is not possible: {allowed}", field=key, value=shown, allowed=allowed
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
    given, off = number_in(answer), within / 100 * abs(right)
    if abs(given - right) <= max(off, 1e-9):
        return AnswerVerdict(RIGHT, reason, right, off)
    told = say("{answer} is too small.", answer=answer)
    if given > right:
        told = say("{answer} is too large.", answer=answer)
    return AnswerVerdict(WRONG, told, right, off)


WIDEST_LOAD = 16  # bytes that a thread loads at once
# No folder, and so nothing outside of the known ones.
_FILE = ExerciseKind(
    say("name a file of the program's recordings, or beside the sheet, without folder and suffix"),
    "[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}",
)
_SIZE, _WITHIN = whole(1, 10**6), whole(0, 100)
_DECIMAL = ExerciseKind(say("take a number, such as 12.5"), r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NUMBER, _TIME = NUMBERS = say("a number"), say("a number, or a time such as 12.5 µs")


@frozen
class Check:
    judge: Judge  # of evidence, answer and, by name, its parameters
    parameters: dict[str, ExerciseKind]
    answer: Sentence | None  # what is typed; None: nothing is, it is checked by what was run


CHECKS: dict[str, Check] = {}


def _check(answer: Sentence | None, **parameters: ExerciseKind) -> Callable[[Judge], Judge]:
    def register(judge: Judge) -> Judge:
        CHECKS[judge.__name__] = Check(judge, parameters, answer)
        return judge

    return register


@_check(_NUMBER, result=one_of(("dw", "db")), column=whole(0, 3))
def example_sum(evidence: Evidence, answer: str, result: str, column: int) -> AnswerVerdict:
    """Check a column of dw or db of the lecture's example, added up by hand."""
    del evidence
    right = float(getattr(work_out().sums, result)[column])
    return compared(
        answer,
        right,
        say(
            "{result}[{column}] = {right}: counted.",
            result=result,
            column=column,
            right=f"{right:g}",
        ),
    )


@_check(_NUMBER, value=_DECIMAL, within=_WITHIN)
def number(evidence: Evidence, answer: str, value: str, within: int) -> AnswerVerdict:
    """Check a number or a time that the sheet names."""
    del evidence
    right = number_in(value)
    return compared(answer, right, say("{right} is right.", right=value), within)


def letters_of(answer: str, options: Sequence[str]) -> str:
    """Return the letters in an answer, each that of an option and no two alike.

    Raises:
        ExerciseError: it is no such answer.
    """
    letters, allowed = "".join(re.findall(r"\w", answer.upper())), LETTERS[: len(options)]
    if not letters or len(set(letters)) < len(letters) or not set(letters) <= set(allowed):
        wanted = say("take letters from A to {last}", last=allowed[-1])
        raise refused("answer", answer or "nothing", wanted)
    return letters


@_check(say("the letter of an answer"), right=whole(1, 26))
def choice(evidence: Evidence, answer: str, right: int) -> AnswerVerdict:
    """Check the letter of an option, of which the sheet names the right one by its place."""
    letter = LETTERS[right - 1]
    reason = say("{letter}: {text}", letter=letter, text=evidence.options[right - 1])
    if letters_of(answer, evidence.options) == letter:
        return AnswerVerdict(RIGHT, reason)
    return AnswerVerdict(WRONG, say("It is not {answer}.", answer=answer))


@_check(say("the letters in their order"))
def order(evidence: Evidence, answer: str) -> AnswerVerdict:
    """Check the order of options, which stand in the sheet as they follow each other."""
    shown = mixed_up(evidence.options)
    right = "".join(LETTERS[shown.index(text)] for text in evidence.options)
    if letters_of(answer, evidence.options) == right:
        return AnswerVerdict(RIGHT, say("{order} is right.", order=" ".join(right)))
    return AnswerVerdict(WRONG, say("It is not {answer}.", answer=answer))


def mixed_up(options: Sequence[str]) -> list[str]:
    """Return options in an order that is always the same and not theirs."""
    mixed = sorted(options, key=lambda text: crc32(text.encode()))
    return mixed[1:] + mixed[:1] if mixed == list(options) else mixed


@_check(None, rows=_SIZE)
def uncontended(evidence: Evidence, answer: str, rows: int) -> AnswerVerdict:
    """Look for a run of at least so many rows in which no two rows share a lock."""
    del answer
    for run in evidence.runs:
        resolved = run.resolved
        if (
            resolved.launch.strategy == "locked"
            and resolved.m >= rows
            and resolved.launch.group_size_m >= resolved.m
        ):
            reason = say(
                "{m} rows and {locks} locks on {date}.",
                m=resolved.m,
                locks=resolved.launch.group_size_m,
                date=run.provenance.environment.date[:10],
            )
            return AnswerVerdict(RIGHT, reason)
    return AnswerVerdict(
        OPEN,
        say(
            "No run of the history has at least {rows} rows and a lock for each. Run one.",
            rows=rows,
        ),
    )


FIGURES: dict[str, tuple[Sentence, Callable[[ReductionTimeline], float]]] = {
    "stage1_us": (say("Stage 1"), lambda timeline: summarize(timeline).stage1_ns / 1e3),
    "stage2_us": (say("Stage 2"), lambda timeline: summarize(timeline).stage2_ns / 1e3),
    "pass_us": (say("Both stages"), lambda timeline: summarize(timeline).pass_ns / 1e3),
    "first_row": (
        say("First row of lock 0"),
        lambda timeline: int(np.flatnonzero((timeline.lock == 0) & (timeline.order == 0))[0]),
    ),
    "last_row": (
        say("Last row to give its lock back"),
        lambda timeline: int(timeline.released_ns.argmax()),
    ),
    "longest_wait_row": (
        say("Row that waits longest"),
        lambda timeline: int((timeline.held_ns - timeline.wanted_ns).argmax()),
    ),
}


@_check(_TIME, file=_FILE, figure=one_of(FIGURES), within=_WITHIN)
def recorded(evidence: Evidence, answer: str, file: str, figure: str, within: int) -> AnswerVerdict:
    """Check a figure of a recording; a time may be off by `within` per cent."""
    (timeline, source), (name, work_it_out) = evidence.recordings[file], FIGURES[figure]
    right, of_row = work_it_out(timeline), figure.endswith("_row")
    shown = str(int(right)) if of_row else wording.microseconds(right)
    reason = say(
        "{figure}: {right}, recorded on {source}.", figure=name, right=shown, source=source
    )
    if not of_row or number_in(answer) == right:
        return compared(answer, right, reason, within)
    return AnswerVerdict(WRONG, say("It is not row {row}.", row=answer), right)


@_check(_NUMBER, file=_FILE, within=_WITHIN)
def enough_buffers(evidence: Evidence, answer: str, file: str, within: int) -> AnswerVerdict:
    """Check the least GROUP_SIZE_M whose time is within so many per cent of the fastest one's."""
    experiment = evidence.experiments[file]
    found = experiment.findings
    points = found.points if isinstance(found, GroupSizes) else ()
    times = {
        point.group_size_m: point.ms_float32 for point in points if point.ms_float32 is not None
    }
    if not times:
        raise refused("file", file, say("name an experiment on group_size that has times"))
    right = min(
        size for size, ms in times.items() if ms <= (1 + within / 100) * min(times.values())
    )
    reason = say(
        "GROUP_SIZE_M = {size} takes {time}, the fastest {best}: recorded on {gpu}.",
        size=right,
        time=wording.milliseconds(times[right]),
        best=wording.milliseconds(min(times.values())),
        gpu=experiment.provenance.environment.where,
    )
    return compared(answer, right, reason)


@_check(_NUMBER, call=ExerciseKind(say("take the name of a function"), "[a-z_]{1,60}"))
def called_in_line(evidence: Evidence, answer: str, call: str) -> AnswerVerdict:
    """Check the number of a line of `locked` that calls a function without arguments."""
    lines = evidence.source.split("\n")
    right = [number for number, line in enumerate(lines, start=1) if line.strip() == f"{call}()"]
    given = number_in(answer)
    line = int(given) if given == int(given) and 1 <= given <= len(lines) else 0
    if line in right:
        return AnswerVerdict(
            RIGHT, say("Line {line}: {text}", line=line, text=verbatim(lines[line - 1].strip()))
        )
    found = lines[line - 1].strip() if line else ""
    return AnswerVerdict(
        WRONG,
        say("Line {line} says: {text}", line=f"{given:g}", text=verbatim(found or "–")),
        right[0] if right else None,
    )


@_check(_NUMBER, file=_FILE, percent=whole(1, 99))
def runs_to_find(evidence: Evidence, answer: str, file: str, percent: int) -> AnswerVerdict:
    """Check how many runs find a missing barrier with so many per cent of probability.

    The rate is the one that was seen.
    """
    found = evidence.experiments[file].findings
    side = found.worst if isinstance(found, Barriers) else None
    if side is None or not 0 < side.wrong_runs < side.runs:
        raise refused(
            "file", file, say("name an experiment on the barrier in which some runs were wrong")
        )
    right = math.ceil(math.log(1 - percent / 100) / math.log(1 - side.wrong_runs / side.runs))
    reason = say(
        "{wrong} of {runs} runs were wrong: {right} runs.",
        wrong=side.wrong_runs,
        runs=side.runs,
        right=right,
    )
    return compared(answer, right, reason)


@_check(_NUMBER, m=_SIZE, n=_SIZE, group_size_m=_SIZE, within=_WITHIN)
def rounding(
    evidence: Evidence, answer: str, m: int, n: int, group_size_m: int, within: int
) -> AnswerVerdict:
    """Check how much larger the error of dw is with buffers of the type of x than with float32."""
    errors: dict[str, float] = {}
    for run in evidence.runs:
        if is_locked(run, m, n, group_size_m) and run.resolved.dtype == "float16":
            error = next(
                check.kernel_vs_truth.max_abs
                for check in run.correctness.checks
                if check.name == "dw"
            )
            errors.setdefault(run.resolved.launch.partial_dtype, error)
    if set(errors) != {"same", "float32"} or not errors["float32"]:
        reason = say(
            "Run {m}×{n} float16 with GROUP_SIZE_M = {group} twice: with buffers in float16 and in"
            " float32.",
            m=m,
            n=n,
            group=group_size_m,
        )
        return AnswerVerdict(OPEN, reason)
    right = errors["same"] / errors["float32"]
    reason = say(
        "{same} against {exact}: {right} times.",
        same=f"{errors['same']:.2g}",
        exact=f"{errors['float32']:.2g}",
        right=f"{right:.2g}",
    )
    return compared(answer, right, reason, within)


@_check(_NUMBER, file=_FILE, n=_SIZE, beside=_SIZE, dtype=one_of(DTYPE_BYTES))
def load_width(
    evidence: Evidence, answer: str, file: str, n: int, beside: int, dtype: str
) -> AnswerVerdict:
    """Check the bytes that a thread can load at once from every row of n elements.

    A sweep tells the cost beside another n.
    """
    right = math.gcd(n * DTYPE_BYTES[dtype], WIDEST_LOAD)
    times = {
        cell.cell.request.n: figure.p50_ms
        for cell in evidence.sweeps[file]
        if not cell.cell.peer and (figure := cell.figure("backward"))
    }
    if not {n, beside} <= set(times):
        raise refused(
            "file", file, say("name a sweep that has n = {n} and n = {beside}", n=n, beside=beside)
        )
    reason = say(
        "Rows of {n} begin at multiples of {bytes} bytes. The backward pass takes {factor} times as"
        " long as at {beside} ({gpu}).",
        n=n,
        bytes=right,
        factor=f"{times[n] / times[beside]:.3g}",
        beside=beside,
        gpu=next(iter(evidence.sweeps[file])).hardware,
    )
    return compared(answer, right, reason)


@_check(say("the name of a strategy"), file=_FILE)
def same_bits(evidence: Evidence, answer: str, file: str) -> AnswerVerdict:
    """Check a strategy that gave the same bits in every run of an experiment."""
    found = evidence.experiments[file].findings
    rows = {row.strategy: row for row in found.rows} if isinstance(found, Strategies) else {}
    row = rows.get(answer.lower())
    if row is None:
        raise refused("answer", answer or "nothing", say("take one of {choices}", choices=rows))
    reason = say(
        "{strategy}: distinct results in {runs} runs: {distinct}.",
        strategy=row.strategy,
        distinct=row.distinct or 0,
        runs=row.runs,
    )
    return AnswerVerdict(RIGHT if row.distinct == 1 else WRONG, reason)


@_check(say("the name of your file"), m=_SIZE, n=_SIZE)
def own_lock(evidence: Evidence, answer: str, m: int, n: int) -> AnswerVerdict:
    """Check a file of one's own: its sums by running it, its lock by the rule for locks."""
    size = (f"--m={m}", f"--n={n}")
    verdicts = evidence.command("run", f"--provider={answer}", *size).get("verdicts") or {}
    if list(verdicts.values()) not in ([RIGHT], ["no kernel"]):
        return AnswerVerdict(WRONG, say("Its results are not right."))
    made = evidence.command("compile", f"--kernel={answer}", "--check", "--device=sm_90", *size)
    locks = [lock for kernel in made["kernels"] for lock in kernel["locks"]]
    faults = [verbatim(lock["sentence"]) for lock in locks if lock["fault"]]
    if faults or not locks:
        nothing = say("Its results are right, but no lock is taken and given back.")
        return AnswerVerdict(WRONG, faults[0] if faults else nothing)
    return AnswerVerdict(RIGHT, say("Its results are right, and the rule for locks holds."))


def is_locked(run: RunResult, m: int, n: int, group_size_m: int) -> bool:
    resolved = run.resolved
    launch = resolved.launch
    return (resolved.m, resolved.n, launch.strategy, launch.group_size_m) == (
        m,
        n,
        "locked",
        group_size_m,
    )
