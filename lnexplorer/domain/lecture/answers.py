"""The answers to the questions: which option is right and the figures that show it, worked out from what is asked
about.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from lnexplorer.domain.lecture.example import Example, last_contents, sums_without_counts
from lnexplorer.domain.lecture.material import GrowthPoint
from lnexplorer.domain.request import ResolvedRequest
from lnkernels.launch.catalogue import buffers_in_use, partial_buffer_bytes
from lnkernels.launch.shapes import DTYPE_BYTES
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline, TraceCost

INT32_BYTES = 4
FACTORS = (1.0, 1.5, 2.0, 4.0)  # offered for "how much longer does it take"


class Question(Enum):
    """What the room is asked."""

    TWICE = "why twice G numbers"
    COUNT_ZERO = "when is the count 0"
    ZEROED = "what if the buffers were zeroed first"
    HALVING = "how long does halving G make it"


@dataclass(frozen=True, slots=True)
class Answer:
    """Options as numbers, the right one, and the figures behind it."""

    question: Question
    options: tuple[float, ...]
    correct: int  # index of the right option
    figures: dict[str, float] = field(default_factory=dict)
    kinds: tuple[Kind, ...] = ()  # where the figures come from; none: counted from the shape or the example alone

    @property
    def kinds_asked(self) -> tuple[Kind, ...]:
        """Of these, what is on show while the question is open: nothing that was recorded."""
        return tuple(kind for kind in self.kinds if kind is not Kind.RECORDED)


def why_twice(example: Example) -> Answer:
    """Locks and counts. Without counts, a second pass over the same rows finds the first one's sums and adds to them.

    The options are the numbers that are kept: a lock and a count for each buffer, a lock for each buffer, a lock for
    each row.
    """
    group_size_m, m = example.timeline.group_size_m, example.timeline.m
    numbers = 2 * group_size_m
    options = (numbers, group_size_m, m * group_size_m)
    right = example.sums.dw.astype(np.float64)
    wrong = sums_without_counts(example, last_contents(example))
    column = int(np.abs(wrong - right).argmax())
    return Answer(
        Question.TWICE,
        options=options,
        correct=options.index(numbers),
        figures={
            "group_size_m": group_size_m,
            "numbers": numbers,
            "bytes": numbers * INT32_BYTES,
            "column": column,
            "right": float(right[column]),
            "wrong": float(wrong[column]),
        },
    )


def when_zero(timeline: ReductionTimeline, recorded: ReductionTimeline | None = None) -> Answer:
    """How many rows find the count at 0: counted in a timeline, and in a recorded one where there is one."""
    found = int(np.count_nonzero(timeline.order == 0))
    options = tuple(sorted({1, found, timeline.m}))
    figures: dict[str, float] = {"found": found, "m": timeline.m, "group_size_m": timeline.group_size_m}
    if recorded is not None:
        first = np.flatnonzero(recorded.order == 0)
        figures |= {
            "recorded_found": first.size,
            "recorded_m": recorded.m,
            "recorded_group_size_m": recorded.group_size_m,
            "overtaken": int(np.count_nonzero(first >= recorded.group_size_m)),
        }
    kinds = (timeline.kind,) if recorded is None else (timeline.kind, recorded.kind)
    return Answer(Question.COUNT_ZERO, options, options.index(found), figures, kinds)


def if_zeroed(request: ResolvedRequest) -> Answer:
    """What zeroing costs: every element of the buffers is stored once more, and the first row of each has to load it."""
    m, n, launch = request.m, request.n, request.launch
    used = buffers_in_use(m, launch)
    more = partial_buffer_bytes(m, n, request.dtype, launch)
    element = more / (2 * used * n)
    tensors = 3 * m * n * DTYPE_BYTES[request.dtype]
    options = (2 * m * n * element, 2 * used * INT32_BYTES, more)
    return Answer(
        Question.ZEROED,
        options=options,
        correct=options.index(more),
        figures={
            "elements": 2 * used * n,
            "stored": more,
            "loaded": more,
            "counts_bytes": launch.group_size_m * INT32_BYTES,
            "share": 2 * more / tensors,
            "m": m,
            "n": n,
            "group_size_m": launch.group_size_m,
        },
    )


def if_halved(
    points: Sequence[GrowthPoint],
    recorded_ns: dict[int, int] | None = None,
    costs: Mapping[int, TraceCost] | None = None,
) -> Answer:
    """The time of stage 1 with half of the buffers over that with all, from the simulation.

    Args:
        points: by falling GROUP_SIZE_M, each half of the one before.
        recorded_ns: stage 1 by GROUP_SIZE_M, as recorded; at least two make an average factor for one halving.
        costs: of recording these, by GROUP_SIZE_M.
    """
    first, second = points[0], points[1]
    factor = second.summary.stage1_ns / first.summary.stage1_ns
    figures: dict[str, float] = {
        "group_size_m": first.group_size_m,
        "first_ns": first.summary.stage1_ns,
        "second_ns": second.summary.stage1_ns,
        "factor": factor,
        "last_factor": points[-1].summary.stage1_ns / points[-2].summary.stage1_ns,
    }
    if recorded_ns and len(recorded_ns) > 1:
        most, least = max(recorded_ns), min(recorded_ns)
        figures |= {
            "recorded_most": most,
            "recorded_least": least,
            "recorded_most_ns": recorded_ns[most],
            "recorded_least_ns": recorded_ns[least],
            "recorded_factor": (recorded_ns[least] / recorded_ns[most]) ** (1 / math.log2(most / least)),
        }
        if costs and most in costs and least in costs:
            figures |= {"recorded_most_cost": costs[most].share, "recorded_least_cost": costs[least].share}
    nearest = min(range(len(FACTORS)), key=lambda index: abs(math.log(FACTORS[index] / factor)))
    kinds = (Kind.SIMULATED, Kind.RECORDED) if "recorded_factor" in figures else (Kind.SIMULATED,)
    return Answer(Question.HALVING, FACTORS, nearest, figures, kinds)
