"""Findings that there cannot be are refused with their name and value, and those that there can be are not."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lnexplorer.domain.experiments.findings import ExperimentResult, GroupSizePoint, OrderSide, StrategyRow, WrongSum
from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import check_findings
from tests.sample_experiments import sample


def _first_point(**changes: Any) -> ExperimentResult:
    result = sample("group_size")
    assert result.group_size is not None
    first, *others = result.group_size.points
    return replace(result, group_size=replace(result.group_size, points=(replace(first, **changes), *others)))


def _points(change: Callable[[tuple[GroupSizePoint, ...]], tuple[GroupSizePoint, ...]]) -> ExperimentResult:
    result = sample("group_size")
    assert result.group_size is not None
    return replace(result, group_size=replace(result.group_size, points=change(result.group_size.points)))


def _rows(change: Callable[[tuple[StrategyRow, ...]], tuple[StrategyRow, ...]]) -> ExperimentResult:
    result = sample("strategies")
    assert result.strategies is not None
    return replace(result, strategies=replace(result.strategies, rows=change(result.strategies.rows)))


def _first_row(**changes: Any) -> ExperimentResult:
    return _rows(lambda rows: (replace(rows[0], **changes), *rows[1:]))


def _first_side(**changes: Any) -> ExperimentResult:
    result = sample("order")
    assert result.order is not None
    sides: tuple[OrderSide, ...] = result.order.sides
    return replace(result, order=replace(result.order, sides=(replace(sides[0], **changes), *sides[1:])))


def _wrong_sums(*wrong: WrongSum) -> ExperimentResult:
    result = sample("barrier")
    assert result.barrier is not None
    return replace(result, barrier=replace(result.barrier, left_out=replace(result.barrier.left_out, first=wrong)))


def _sides_exchanged() -> ExperimentResult:
    result = sample("barrier")
    assert result.barrier is not None
    found = result.barrier
    return replace(result, barrier=replace(found, left_out=found.put_back, put_back=found.left_out))


IMPOSSIBLE = [
    *((_first_point(wait_ns=wait), f"the wait of GROUP_SIZE_M = 1 with float32 buffers is {wait}") for wait in (-1.0, math.inf)),
    (_first_point(wait_same_ns=math.nan), "the wait of GROUP_SIZE_M = 1 with narrow buffers is nan"),
    (_first_point(bytes_same=-1), "the memory of GROUP_SIZE_M = 1 with narrow buffers is -1; it is at least 0 and finite"),
    (_first_point(error_float32=-1.0), "the error of GROUP_SIZE_M = 1 with float32 buffers is -1"),
    (_first_point(group_size_m=0), "GROUP_SIZE_M = 0; it can be 1 to 65536"),
    (_points(lambda points: points[::-1]), "not in their order"),
    (_points(lambda points: points[:1]), "holds 1 sizes; it has at least 2"),
    (_rows(lambda _: ()), "holds no strategy"),
    (_rows(lambda rows: (*rows, rows[0])), "holds a strategy twice"),
    (_first_row(strategy="\x1b[31m"), "a strategy of it is called"),
    (_first_row(distinct=-3), "has -3 unlike results"),
    (_first_row(workspace_bytes=-1), "the workspace of locked is -1"),
    (_first_row(error=-1.0), "the error of locked is -1"),
    (_first_side(partial_dtype="\x1b[31m"), "the buffers of locked are of .* they are of one of float32, same"),
    (_first_side(strategy="<b>"), "a strategy of it is called <b>"),
    (_first_side(spread=np.full(2048, -1, np.float32)), "the spread of .* is below 0"),
    (_wrong_sums(WrongSum(run=-5, result="dw", column=0, error=1.0)), "in run -5"),
    (_wrong_sums(WrongSum(run=5, result="\x1b[31m", column=0, error=1.0)), "x1b"),
    (_wrong_sums(*[WrongSum(run=5, result="dw", column=0, error=1.0)] * 100), "names 100 wrong sums, and counts fewer"),
    (_sides_exchanged(), "one without the barrier and one with it"),
]


@pytest.mark.parametrize(("result", "words"), IMPOSSIBLE)
def test_what_cannot_be_found_is_refused(result: ExperimentResult, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        check_findings(result)


@pytest.mark.parametrize(
    "result",
    [
        *(sample(name, gpu=gpu) for name in EXPERIMENTS for gpu in (True, False)),
        _first_point(wait_ns=0.0, wait_same_ns=None, error_same=math.nan, reason="\x1b[31mptxas\n"),
        _first_row(ms=None, gbps=None, distinct=None, error=math.inf, runs=0),
        _first_side(spread=np.full(2048, math.nan, np.float32), error=math.nan),
    ],
)
def test_what_can_be_found_is_not(result: ExperimentResult) -> None:
    check_findings(result)
