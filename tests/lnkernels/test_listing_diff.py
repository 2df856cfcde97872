"""Differences of two listings: as few as possible, and none that are noise."""

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lnkernels.values.listing_diff import aligned, normalised


def test_numbers_that_the_compiler_counts_up_are_no_difference() -> None:
    for stage, one, other in (
        (
            "ttgir",
            "  %x_13 = tt.load %x_12, %3 : tensor<8xf16, #blocked>",
            "%x_7 = tt.load %x_6, %11 : tensor<8xf16, #blocked>",
        ),
        ("llir", "  %16 = and i32 %18, 255", "%1 = and i32 %2, 255"),
        ("ptx", "\t@%p14 bra \t$L__BB0_4;", "\t@%p3 bra $L__BB0_12; // later"),
        (
            "sass",
            "/*0010*/   @!P0 LDG.E.64 R56, desc[UR8][R10.64] ;",
            "/*0a20*/ @!P3 LDG.E.64 R6.reuse, desc[UR4][R2.64] ;",
        ),
    ):
        assert normalised(one, stage) == normalised(other, stage), stage
    for stage, one, other in (
        ("ttgir", "%c = arith.constant 4 : i32", "%c = arith.constant 8 : i32"),
        ("ptx", "shl.b32 %r1, %r2, 2;", "shl.b32 %r1, %r2, 3;"),
        (
            "sass",
            "/*0010*/ LDG.E.64 R56, desc[UR8][R10.64] ;",
            "/*0010*/ LDG.E.128 R56, desc[UR8][R10.64] ;",
        ),
        (
            "sass",
            "/*0010*/ LDG.E.64 R56, desc[UR8][R10.64] ;",
            "/*0010*/ LDG.E.64 R56, desc[UR8][R10.64+0x800] ;",
        ),
    ):
        assert normalised(one, stage) != normalised(other, stage), stage


def longest(left: list[str], right: list[str]) -> int:
    """The length of a longest common subsequence, by the textbook's table."""
    lengths = [0] * (len(right) + 1)
    for a in left:
        before = 0
        for place, b in enumerate(right, 1):
            before, lengths[place] = (
                lengths[place],
                before + 1 if a == b else max(lengths[place], lengths[place - 1]),
            )
    return lengths[-1]


LINES = st.lists(st.sampled_from("abcd"), max_size=14)


@given(LINES, LINES)
def test_as_many_lines_as_possible_have_a_partner(left: list[str], right: list[str]) -> None:
    pairs = aligned(left, right)
    both = pairs[(pairs >= 0).all(axis=1)]
    assert len(both) == longest(left, right)
    assert all(left[a] == right[b] for a, b in both)
    for side, lines in ((0, left), (1, right)):
        assert list(pairs[pairs[:, side] >= 0, side]) == list(range(len(lines)))


def test_what_was_taken_away_stands_before_what_came_for_it() -> None:
    assert aligned(list("axyb"), list("apqb")).tolist() == [
        [0, 0],
        [1, -1],
        [2, -1],
        [-1, 1],
        [-1, 2],
        [3, 3],
    ]


def test_a_long_text_with_few_kinds_of_lines_is_compared_exactly() -> None:
    made = random.Random(0)
    left = [f"LINE {made.randrange(40)}" for _ in range(2000)]
    right = [line for line in left if made.random() > 0.1]
    pairs = aligned(left, right)
    assert np.count_nonzero((pairs >= 0).all(axis=1)) == len(right)
