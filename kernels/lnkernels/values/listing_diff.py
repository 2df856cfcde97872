"""Two texts of one stage beside each other, without the noise of numbers that the compiler counts up: values, registers,
labels and addresses.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_NOISE: dict[str, tuple[tuple[str, str], ...]] = {
    "source": (),
    "ttir": ((r"%(\d+|([A-Za-z]\w*?)_\d+)\b", r"%\2"), (r"\^bb\d+", "^bb")),
    "llir": ((r"(?<=%)\d+|^\d+(?=:)", ""), (r"; preds = .*$", ""), (r"!\d+", "!")),
    "ptx": ((r"(%[a-z]+)\d+", r"\1"), (r"\$L__\w+", "$L"), (r"\s*//.*$", "")),
    "sass": ((r"^/\*\w+\*/", ""), (r"\b(U?[RP]|B|SB)\d+\b", r"\1"), (r"\.reuse\b", ""), (r"\.L_x?_?\d+", ".L")),
}
_NOISE["ttgir"] = _NOISE["ttir"]
_COMPILED = {stage: tuple((re.compile(pattern), replacement) for pattern, replacement in each) for stage, each in _NOISE.items()}


def normalised(line: str, stage: str) -> str:
    """A line as it is compared."""
    for pattern, replacement in _COMPILED[stage]:
        line = pattern.sub(replacement, line)
    return " ".join(line.split())


def beside(left: Sequence[str], right: Sequence[str], stage: str) -> NDArray[np.int32]:
    """[rows, 2]: a line of the left and a line of the right text in each row; -1 where one has none.

    As many lines as possible have a partner that is the same but for the noise. What was taken away stands before what
    came for it.
    """
    return aligned([normalised(line, stage) for line in left], [normalised(line, stage) for line in right])


def aligned(left: Sequence[str], right: Sequence[str]) -> NDArray[np.int32]:
    """The same for any lines: a longest common subsequence.

    A whole number holds a row of the table, a bit for each line of `left`: two texts of 5,000 lines take some 50 ms.
    Source: H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004.
    """
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    inner_left, inner_right = left[start : len(left) - end], right[start : len(right) - end]
    pairs = [(line, line) for line in range(start)]
    pairs += [(a + start if a >= 0 else -1, b + start if b >= 0 else -1) for a, b in _pairs(inner_left, inner_right)]
    pairs += [(len(left) - back, len(right) - back) for back in range(end, 0, -1)]
    return np.array(pairs, np.int32).reshape(-1, 2)


def _pairs(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
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
            found.append((a, -1))
        elif b > 1 and not rows[b - 2] >> a - 1 & 1:
            b -= 1
            found.append((-1, b))
        else:
            a, b = a - 1, b - 1
            found.append((a, b))
    found += [(place, -1) for place in range(a - 1, -1, -1)] + [(-1, place) for place in range(b - 1, -1, -1)]
    return _removed_first(found[::-1])


def _removed_first(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Between two lines that both have, those of the left before those of the right."""
    ordered: list[tuple[int, int]] = []
    added: list[tuple[int, int]] = []
    for pair in pairs:
        if pair[0] < 0:
            added.append(pair)
            continue
        if pair[1] >= 0:
            ordered += added
            added = []
        ordered.append(pair)
    return ordered + added
