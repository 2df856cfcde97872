"""What is typed to filter the history."""

import pytest

from lnexplorer.domain.history_filter import parse, with_term
from lnexplorer.domain.history_query import Comparison, HistoryQuery


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("", HistoryQuery()),
        ("h200", HistoryQuery(words=("h200",))),
        ("H200 failed", HistoryQuery(words=("h200",), passed=False)),
        ("N>=1024 passed", HistoryQuery(comparisons=(Comparison("n", ">=", 1024.0),), passed=True)),
        ("share>40%", HistoryQuery(comparisons=(Comparison("backward_share", ">", 0.4),))),
        ("kind=interpreted", HistoryQuery(comparisons=(Comparison("kind", "=", "interpreted"),))),
        ('device="NVIDIA H200"', HistoryQuery(comparisons=(Comparison("device", "=", "nvidia h200"),))),
        ("date>=2025-11-20", HistoryQuery(comparisons=(Comparison("date", ">=", "2025-11-20"),))),
        ("date>=soon", HistoryQuery(words=("date>=soon",))),
        ('"two words"', HistoryQuery(words=("two words",))),
        ("a.*[(", HistoryQuery(words=("a.*[(",))),
        ("forward>abc", HistoryQuery(words=("forward>abc",))),
    ],
)
def test_the_filter_line_is_read_as_words_verdicts_and_comparisons(line: str, query: HistoryQuery) -> None:
    assert parse(line) == query


@pytest.mark.parametrize(
    ("line", "name", "term", "after"),
    [
        ("", "strategy", "strategy=locked", "strategy=locked"),
        ("h200 strategy=locked n>5", "strategy", "strategy=split", "h200 n>5 strategy=split"),
        ('device="NVIDIA H200" x', "device", "", "x"),
        ("failed", "passed", "passed", "passed"),
    ],
)
def test_a_field_that_is_chosen_takes_the_place_of_its_term(line: str, name: str, term: str, after: str) -> None:
    assert with_term(line, name, term) == after
