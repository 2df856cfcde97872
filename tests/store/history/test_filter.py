"""Runs are filtered and sorted by their fields."""

from pathlib import Path

import pytest

from lnexplorer.domain.history_filter import parse
from lnexplorer.domain.history_query import Comparison, HistoryQuery
from lnexplorer.store.history import History
from lnkernels.values.environment import Kind
from tests.store.examples import small_result


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (HistoryQuery(), [3, 2, 1]),
        (HistoryQuery(words=("h200", "8x16")), [3, 1]),
        (HistoryQuery(words=("hello",)), [2]),
        (HistoryQuery(comparisons=(Comparison("kind", "=", "interpreted"),)), [2]),
        (HistoryQuery(comparisons=(Comparison("forward_gbps", ">", 100.0),)), [3, 1]),
        (HistoryQuery(comparisons=(Comparison("date", "=", "2025-11-20"),)), [3, 2, 1]),
        (HistoryQuery(comparisons=(Comparison("date", ">", "2025-11-20"),)), []),
        (HistoryQuery(comparisons=(Comparison("date", "<=", "2025-11-20"),)), [3, 2, 1]),
        (HistoryQuery(comparisons=(Comparison("date", "!=", "2025-11-20"),)), []),
        (HistoryQuery(passed=False), []),
        (HistoryQuery(sorted_by="forward_gbps", descending=False), [1, 3, 2]),
        (HistoryQuery(sorted_by="forward_gbps"), [3, 1, 2]),
    ],
)
def test_runs_are_filtered_and_sorted_by_their_fields(path: Path, query: HistoryQuery, found: list[int]) -> None:
    history = History(path, pytest.fail)
    for kind in (Kind.MEASURED, Kind.INTERPRETED, Kind.MEASURED):
        history.add(small_result(kind))
    history.annotate(2, "Hello there")
    assert list(history.find(query).ids) == found
    history.close()


@pytest.mark.parametrize(
    "typed",
    ["größe", "GRÖSSE", "Straße", "strasse", "ТАКТЫ", "σίσυφος", "快", "note=STRASSE", 'note="größe ΣΊΣΥΦΟΣ straße такты 快"'],
)
def test_case_is_nothing_to_a_note_in_whatever_letters(path: Path, typed: str) -> None:
    history = History(path, pytest.fail)
    noted, other = history.add(small_result()), history.add(small_result())
    history.annotate(noted, "Straße" if typed == "note=STRASSE" else "GRÖßE Σίσυφος STRASSE Такты 快")
    history.annotate(other, "nothing of that")
    assert list(history.find(parse(typed)).ids) == [noted]
    history.close()


@pytest.mark.parametrize("comparison", [Comparison("result", "=", 1.0), Comparison("m", "; DROP", 1.0)])
def test_only_fields_and_signs_that_exist_are_compared(path: Path, comparison: Comparison) -> None:
    history = History(path, pytest.fail)
    with pytest.raises(ValueError, match="not possible"):
        history.find(HistoryQuery(comparisons=(comparison,)))
    history.close()
