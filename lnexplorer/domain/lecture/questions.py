"""Questions to the room: options, the right one, and the figures that show it."""

import math
from dataclasses import dataclass

import numpy as np

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.lecture.example import Example
from lnexplorer.domain.lecture.material import LectureCase, source_of
from lnexplorer.domain.wording import nanoseconds, signed_percent, significant
from lnkernels.values.sentence import Sentence, say, verbatim

INT32_BYTES = 4
FACTORS = (1.0, 1.5, 2.0, 4.0)  # offered for "how much longer does it take"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: Sentence
    options: tuple[Sentence, ...]
    correct: int  # index of the right option
    answer: tuple[Sentence, ...]  # a line each
    source: tuple[
        str, ...
    ] = ()  # GPU and date of what was recorded; none: counted from the example alone
    told_before: bool = False  # some of it is on show while the question is open
    hint: Sentence  # for the speaker, while it is open
    reason: Sentence  # and with the answer


def why_twice(example: Example) -> Question:
    """Ask why there are counts beside locks.

    Without counts, a second pass over the same rows adds to the first one's sums.
    """
    group_size_m, m = example.timeline.group_size_m, example.timeline.m
    numbers = 2 * group_size_m
    right = example.sums.dw
    wrong = right + right  # what the first pass left in the buffers, and the rows again
    column = int(np.abs(wrong - right).argmax())
    return Question(
        text=say(
            "There are {buffers} buffers. How many numbers stand beside them, and what for?",
            buffers=group_size_m,
        ),
        options=(
            say("{number}: a lock and a count for each buffer", number=numbers),
            say("{number}: a lock for each buffer", number=group_size_m),
            say("{number}: a lock for each row and buffer", number=m * group_size_m),
        ),
        correct=0,
        answer=(
            say(
                "{number} numbers, {bytes} bytes. The count says whether the buffer has been"
                " written. Without it, a second pass adds to the first one's sums: dw[{column}] ="
                " {wrong} instead of {right}.",
                number=numbers,
                bytes=numbers * INT32_BYTES,
                column=column,
                wrong=plain(float(wrong[column])),
                right=plain(float(right[column])),
            ),
        ),
        hint=say("Show of hands for each option; click the one with the most. Then the next step."),
        reason=say("G locks, G counts: that is why the kernel allocates 2 · G numbers."),
    )


def if_halved(cases: dict[int, LectureCase], size: int) -> Question:
    """Ask how much longer stage 1 takes with half of the buffers, as it was recorded.

    Args:
        cases: by GROUP_SIZE_M.
        size: that is asked about.
    """
    first, second = cases[size], cases[size // 2]
    first_ns, second_ns = first.summary.stage1_ns, second.summary.stage1_ns
    factor = second_ns / first_ns
    named = {1.0: say("just as long")}
    answer = say(
        "With {half} buffers: {second}, {factor} times as long.",
        half=size // 2,
        second=nanoseconds(second_ns),
        factor=significant(factor, 3),
    )
    least, most = sorted(case.cost.share for case in (first, second))
    added = say(
        "Tracing overhead of these passes: {least} to {most}.",
        least=signed_percent(least),
        most=signed_percent(most),
    )
    return Question(
        text=say(
            "{buffers} buffers: stage 1 takes {time}. With half as many buffers it takes …",
            buffers=size,
            time=nanoseconds(first_ns),
        ),
        options=tuple(
            named.get(each, say("{factor} times as long", factor=plain(each))) for each in FACTORS
        ),
        correct=min(range(len(FACTORS)), key=lambda index: abs(math.log(FACTORS[index] / factor))),
        answer=(answer, added),
        source=first.source,
        told_before=True,
        hint=say("Let everybody write a number down first."),
        reason=say("Rows per lock double, and they pass one after the other."),
    )


def how_many_wrong(result: ExperimentResult) -> Question:
    """Ask how many runs without the barrier had wrong sums."""
    side = result.findings_of(Barriers).left_out
    wrong, runs = side.wrong_runs, side.runs
    options = sorted({0, 1, wrong, runs})
    return Question(
        text=say("{runs} runs without the barrier: how many have wrong sums?", runs=runs),
        options=tuple(verbatim(str(number)) for number in options),
        correct=options.index(wrong),
        answer=tuple(result.headline()),
        source=source_of(result),
        hint=say("Show of hands. Ask also: would one test run have found it?"),
        reason=say(
            "A fault of timing: a test that passes says little. It takes exact inputs and many"
            " runs."
        ),
    )


def plain(value: float) -> str:
    """A number of the example, as short as it is."""
    return f"{value + 0.0:g}".replace("-", "−")
