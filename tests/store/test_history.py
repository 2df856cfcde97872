"""Runs and experiments are kept, found, annotated, deleted and brought back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lnexplorer.domain.experiments.barrier import Barriers
from lnexplorer.domain.experiments.catalogue import EXPERIMENTS, ExperimentRecord, finished
from lnexplorer.domain.history import HistoryQuery, RunComparison, parse
from lnexplorer.protocol.codec import decode, encode
from lnexplorer.store import database
from lnexplorer.store.files import StoreError
from lnexplorer.store.packed import deflate, inflate
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import say
from tests.sample_experiments import sample
from tests.store.examples import small_result, small_timeline
from tests.store.histories import filled, ids_of, open_whole


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / database.NAME


def test_deleted_runs_can_be_brought_back_and_are_forgotten_a_day_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = filled(path)
    with open_whole(path) as history:
        history.runs.set_deleted([first, second], deleted=True)
        history.runs.set_deleted([second], deleted=False)
        assert ids_of(history) == [second, third]
        with pytest.raises(StoreError, match=f"There is no run {first}"):
            history.runs.load(first)
    monkeypatch.setattr(database, "KEPT_DELETED_SECONDS", -1.0)
    with open_whole(path) as history:
        history.runs.set_deleted([first], deleted=False)
        assert ids_of(history) == [second, third]
        with pytest.raises(StoreError, match=f"There is no run {first}"):
            history.runs.load(first)
        assert history.runs.add(small_result()) > third, "a number is given once"


def test_notes_and_the_baseline_are_kept(path: Path) -> None:
    first, second, _ = filled(path)
    with open_whole(path) as history:
        history.runs.annotate(first, "slow clocks 慢\n\ud800")
        history.runs.pin(second)
    with open_whole(path) as history:
        assert [row.note for row in history.runs.rows([first])] == ["slow clocks 慢\n?"]
        assert history.runs.baseline() == second
        history.runs.set_deleted([second], deleted=True)
        assert history.runs.baseline() is None
        history.runs.pin(None)
        assert history.runs.baseline() is None


def test_the_pinned_run_is_kept_with_its_trace(path: Path) -> None:
    first, second, _ = filled(path)
    result = small_result()
    trace = small_timeline()
    with open_whole(path) as history:
        assert history.runs.pinned() is None
        history.runs.pin(first, trace)
    with open_whole(path) as history:
        pinned = history.runs.pinned()
        assert pinned is not None
        assert pinned.timeline is not None
        assert pinned.is_of(result)
        assert (pinned.timeline.held_ns == trace.held_ns).all()
        history.runs.pin(second)
        pinned = history.runs.pinned()
        assert pinned is not None
        assert pinned.timeline is None, "it is of another run"
        history.runs.pin(second, replace(trace, held_ns=trace.wanted_ns - 5))
        with pytest.raises(StoreError):
            history.runs.pinned()


def test_a_run_from_a_file_is_kept_once_and_its_note_stands_where_there_is_none(path: Path) -> None:
    with open_whole(path) as history:
        own = history.runs.add(small_result())
        recorded = replace(
            small_result(), provenance=replace(small_result().provenance, kind=Kind.RECORDED)
        )
        assert history.runs.take(recorded, "of a file") == own
        assert history.runs.take(recorded, "of another") == own
        assert [row.note for row in history.runs.rows([own])] == ["of a file"]
        assert history.runs.take(small_result(Kind.INTERPRETED), "") != own


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (HistoryQuery(), [3, 2, 1]),
        (HistoryQuery(words=("h200", "8x16")), [3, 1]),
        (HistoryQuery(comparisons=(RunComparison("kind", "=", "interpreted"),)), [2]),
        (HistoryQuery(comparisons=(RunComparison("forward_gbps", ">", 100.0),)), [3, 1]),
        (HistoryQuery(comparisons=(RunComparison("date", "=", "2025-11-20"),)), [3, 2, 1]),
        (HistoryQuery(comparisons=(RunComparison("date", ">", "2025-11-20"),)), []),
        (HistoryQuery(comparisons=(RunComparison("num_warps", ">=", 1.0),)), [3, 2, 1]),
        (HistoryQuery(comparisons=(RunComparison("barrier", "!=", 0.0),)), [3, 2, 1]),
        (HistoryQuery(comparisons=(RunComparison("partial_dtype", "=", "same"),)), [3, 2, 1]),
        (HistoryQuery(sorted_by="forward_gbps", descending=False), [1, 3, 2]),
    ],
)
def test_runs_are_filtered_and_sorted_by_their_fields(
    path: Path, query: HistoryQuery, found: list[int]
) -> None:
    with open_whole(path) as history:
        for kind in (Kind.MEASURED, Kind.INTERPRETED, Kind.MEASURED):
            history.runs.add(small_result(kind))
        history.runs.annotate(2, "Hello there")
        assert ids_of(history, query) == found


@pytest.mark.parametrize("typed", ["GRÖSSE", "ТАКТЫ", 'note="größe ΣΊΣΥΦΟΣ straße такты 快"'])
def test_case_is_nothing_to_a_note_in_whatever_letters(path: Path, typed: str) -> None:
    noted, other, _ = filled(path)
    with open_whole(path) as history:
        history.runs.annotate(noted, "GRÖßE Σίσυφος STRASSE Такты 快")
        history.runs.annotate(other, "nothing of that")
        assert ids_of(history, parse(typed)) == [noted]


@pytest.mark.parametrize(
    "comparison", [RunComparison("result", "=", 1.0), RunComparison("m", "; DROP", 1.0)]
)
def test_only_fields_and_signs_that_exist_are_compared(
    path: Path, comparison: RunComparison
) -> None:
    with open_whole(path) as history, pytest.raises(ValueError, match="not possible"):
        history.runs.find(HistoryQuery(comparisons=(comparison,)))


def stopped() -> ExperimentRecord:
    record = finished(sample("barrier"))
    return replace(record, ended="failed", result=None, reason=say("It hung."), done=2, total=7)


def test_an_experiment_of_before_its_findings_had_a_tag_is_loaded() -> None:
    record = finished(sample("order"))
    older = decode(encode(record), dict[str, Any])
    findings = older["result"].pop("findings")
    name = findings.pop("experiment")
    older["result"] |= dict.fromkeys(EXPERIMENTS) | {name: findings}
    assert encode(inflate(deflate(older), ExperimentRecord)) == encode(record)


def test_an_experiment_in_which_one_switch_took_out_barrier_and_count_is_loaded_as_that() -> None:
    record = finished(sample("barrier"))
    older = decode(encode(record), dict[str, Any])
    findings = older["result"]["findings"]
    findings["left_out"] = findings.pop("plain_count")
    for name in ("left_out", "put_back"):
        findings[name].pop("atomic_count")
    loaded = inflate(deflate(older), ExperimentRecord)
    assert loaded.result is not None
    found = loaded.result.findings_of(Barriers)
    assert found.left_out is None
    assert [(side.barrier, side.atomic_count) for side in found.sides] == [
        (False, False),
        (True, True),
    ]
    assert "Without barrier and atomic count, 5 of 1000" in loaded.result.seen()


def test_experiments_are_kept_with_their_findings_and_those_that_failed_with_the_reason(
    path: Path,
) -> None:
    with open_whole(path) as history:
        whole, failed = (
            history.experiments.add(finished(sample("strategies"))),
            history.experiments.add(stopped()),
        )
        rows = {row.id: row for row in history.experiments.rows()}
        assert (rows[whole].name, rows[whole].ended, rows[whole].device) == (
            "strategies",
            "finished",
            "GPU",
        )
        assert (str(rows[failed].reason), rows[failed].done, rows[failed].total) == (
            "It hung.",
            2,
            7,
        )
        assert encode(history.experiments.load(whole)) == encode(finished(sample("strategies")))
        assert history.experiments.load(failed).result is None
