"""Align two texts of one stage, without the noise of numbers that the compiler counts up: values,
registers, labels and addresses.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_NOISE: dict[str, tuple[tuple[str, str], ...]] = {
    "source": (),
    "ttir": ((r"%(\d+|([A-Za-z]\w*?)_\d+)\b", r"%\2"), (r"\^bb\d+", "^bb")),
    "llir": ((r"(?<=%)\d+|^\d+(?=:)", ""), (r"; preds = .*$", ""), (r"!\d+", "!")),
    "ptx": ((r"(%[a-z]+)\d+", r"\1"), (r"\$L__\w+", "$L"), (r"\s*//.*$", "")),
    "sass": (
        (r"^/\*\w+\*/", ""),
        (r"\b(U?[RP]|B|SB)\d+\b", r"\1"),
        (r"\.reuse\b", ""),
        (r"\.L_x?_?\d+", ".L"),
    ),
}
_NOISE["ttgir"] = _NOISE["ttir"]
_COMPILED = {
    stage: tuple((re.compile(pattern), replacement) for pattern, replacement in each)
    for stage, each in _NOISE.items()
}


def normalised(line: str, stage: str) -> str:
    """Return a line as it is compared."""
    for pattern, replacement in _COMPILED[stage]:
        line = pattern.sub(replacement, line)
    return " ".join(line.split())


def beside(left: Sequence[str], right: Sequence[str], stage: str) -> NDArray[np.int32]:
    """Return [rows, 2]: a line of the left and of the right text in each row; -1 where one has
    none.

    As many lines as possible have a partner that is the same but for the noise. What was taken away
    stands before what came for it.
    """
    return aligned(
        [normalised(line, stage) for line in left], [normalised(line, stage) for line in right]
    )


def aligned(left: Sequence[str], right: Sequence[str]) -> NDArray[np.int32]:
    """Align any lines by a longest common subsequence."""
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    inner = _common(left[start : len(left) - end], right[start : len(right) - end])
    both = [(line, line) for line in range(start)] + [(a + start, b + start) for a, b in inner]
    # The last pair lies beyond the last lines.
    both += [(len(left) - back, len(right) - back) for back in range(end, -1, -1)]
    rows: list[tuple[int, int]] = []
    for (a, b), (next_a, next_b) in pairwise([(-1, -1), *both]):
        rows += [(line, -1) for line in range(a + 1, next_a)] + [
            (-1, line) for line in range(b + 1, next_b)
        ]
        rows.append((next_a, next_b))
    return np.array(rows[:-1], np.int32).reshape(-1, 2)


def _common(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return the lines of a longest common subsequence.

    A whole number holds a row of the table, a bit for each line of `left`: two texts of 5,000 lines
    take some 50 ms.
    Source: H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004.
    """
    where: dict[str, int] = {}
    for place, line in enumerate(left):
        where[line] = where.get(line, 0) | 1 << place
    everything = (1 << len(left)) - 1
    row, rows = everything, []
    for line in right:
        common = row & where.get(line, 0)
        row = (row + common | row - common) & everything
        rows.append(row)
    found: list[tuple[int, int]] = []
    a, b = len(left), len(right)
    while a and b:
        if rows[b - 1] >> a - 1 & 1:
            a -= 1
        elif b > 1 and not rows[b - 2] >> a - 1 & 1:
            b -= 1
        else:
            a, b = a - 1, b - 1
            found.append((a, b))
    return found[::-1]
