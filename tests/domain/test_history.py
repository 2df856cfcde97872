"""A run as a line of the history, and what is typed to filter it."""

from dataclasses import replace

import pytest

from lnexplorer.domain.history import FIELDS, HistoryQuery, RunComparison, history_row, parse
from lnkernels.values.compiled import LaunchedKernels
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.sample_results import make_correctness, make_result

COLUMNS = f"the history has no such column; take one of {', '.join(FIELDS)}"


def test_a_measured_run_keeps_its_shape_errors_and_speeds() -> None:
    result = make_result()
    row = history_row(7, "2025-11-20T09:30:00+00:00", result)
    assert (row.id, row.kind, row.device) == (7, Kind.MEASURED, "NVIDIA H200")
    shape = (row.m, row.n, row.dtype, row.strategy, row.group_size_m)
    assert shape == (4096, 8192, "float16", "locked", 96)
    assert row.passed
    assert row.dw_error == result.correctness.checks[2].kernel_vs_truth.max_abs
    assert (row.forward_gbps, row.backward_gbps) == (2765, 1689)
    assert row.backward_share == 1689 / 3795


def test_a_wrong_result_is_named_and_its_speed_left_out() -> None:
    row = history_row(
        1, "", make_result(correctness=make_correctness(32, 64, failing=("dw", "db")))
    )
    assert not row.passed
    assert row.failed == ("dw", "db")
    assert row.forward_gbps is None
    assert row.backward_gbps is None


def test_a_run_whose_own_kernel_is_wrong_is_no_right_one() -> None:
    row = history_row(1, "", replace(make_result(), wrong_providers=("mine",)))
    assert (row.passed, row.failed, row.forward_gbps) == (False, ("mine",), 2765)


def test_a_run_of_what_is_inexact_or_launches_no_kernel_of_its_own_has_no_tick() -> None:
    result = replace(
        make_result(),
        providers=("torch", "half", "plain"),
        inexact=("half",),
        launched={"plain": LaunchedKernels(verbatim("it launches none"), own=False)},
    )
    row = history_row(1, "", result)
    assert (row.passed, row.verdicts) == (True, {"half": "inexact", "plain": "no kernel"})
    assert str(row.verdict) == "half (inexact), plain (no kernel)"
    assert str(history_row(1, "", make_result()).verdict) == "✓"
    wrong = history_row(1, "", replace(result, wrong_providers=("mine",)))
    assert str(wrong.verdict) == "✗ mine, half (inexact), plain (no kernel)"
    both = history_row(1, "", replace(result, wrong_providers=("half",)))  # on hard inputs, say
    assert str(both.verdict) == "✗ half (inexact), plain (no kernel)"


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("", HistoryQuery()),
        ("H200 failed", HistoryQuery(words=("h200",), passed=False)),
        (
            "N>=1024 passed",
            HistoryQuery(comparisons=(RunComparison("n", ">=", 1024.0),), passed=True),
        ),
        ("share>40%", HistoryQuery(comparisons=(RunComparison("backward_share", ">", 0.4),))),
        (
            'device="NVIDIA H200"',
            HistoryQuery(comparisons=(RunComparison("device", "=", "nvidia h200"),)),
        ),
        (
            "date>=2025-11-20",
            HistoryQuery(comparisons=(RunComparison("date", ">=", "2025-11-20"),)),
        ),
        ("date>=soon", HistoryQuery(words=("date>=soon",))),
        ("num_warps=8", HistoryQuery(comparisons=(RunComparison("num_warps", "=", 8.0),))),
        ("barrier=off", HistoryQuery(comparisons=(RunComparison("barrier", "=", 0.0),))),
        ('"num_wraps=8"', HistoryQuery(words=("num_wraps=8",))),
    ],
)
def test_the_filter_line_is_read_as_words_verdicts_and_comparisons(
    line: str, query: HistoryQuery
) -> None:
    assert parse(line) == query


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("n>=banana", ["n >= banana is not possible: take a number"]),
        ("share>x", ["share > x is not possible: take a number, or per cent as 40%"]),
        ("dtype=Half", ["dtype = Half is not possible: take one of float16, bfloat16, float32"]),
        ("strategy>locked", ["strategy > locked is not possible: compare it with = or !="]),
        ("date>=soon", ["date >= soon is not possible: take a day as YYYY-MM-DD"]),
        ("date<0001-01-01", ["date < 0001-01-01 is not possible: take a day as YYYY-MM-DD"]),
        (
            "num_wraps=8 lr=3",
            ["num_wraps = 8 is not possible: " + COLUMNS, "lr = 3 is not possible: " + COLUMNS],
        ),
        ("barrier>=on", ["barrier >= on is not possible: take on or off, with = or !="]),
        ("passed=yes", ["passed = yes is not possible: write passed or failed alone"]),
        (
            "kind=x n>=4 dx>y",
            [
                (
                    "kind = x is not possible: take one of measured, interpreted, simulated,"
                    " recorded, published"
                ),
                "dx > y is not possible: take a number",
            ],
        ),
    ],
)
def test_a_comparison_that_cannot_be_made_is_named_with_what_is_allowed(
    line: str, sentences: list[str]
) -> None:
    assert list(map(str, parse(line).problems)) == sentences
