"""Kept sweeps, for whoever hands them on or brings some."""

from dataclasses import replace
from pathlib import Path

import pytest
from lnexplorer.store.kept_sweeps import change_sweeps, keep_sweeps, load_sweeps, weighed_sweeps

from lnexplorer.store.sweeps import NAME, SweepStore
from lnkernels.values.environment import Kind
from tests.store.session_examples import SWEEP, small_sweep


def test_sweeps_are_weighed_and_loaded_as_they_were_kept(tmp_path: Path) -> None:
    keep_sweeps(tmp_path, [small_sweep()], pytest.fail)
    keep_sweeps(tmp_path, [small_sweep()], pytest.fail)
    (line,) = weighed_sweeps(tmp_path, pytest.fail)
    assert (line.row.done, line.row.total, line.row.ended, line.row.date) == (9, 9, "finished", small_sweep().date)
    assert line.size > 1000
    (sweep,) = load_sweeps(tmp_path, [line.row.id], pytest.fail)
    assert (sweep.sweep, sweep.date, sweep.ended) == (SWEEP, small_sweep().date, "finished")
    assert sweep.note == line.row.note == "slow clocks 慢"
    assert {result.kind for result in sweep.results} == {Kind.MEASURED}


def test_a_note_from_a_file_stands_where_there_is_none_and_nowhere_else(tmp_path: Path) -> None:
    keep_sweeps(tmp_path, [replace(small_sweep(), note="")], pytest.fail)
    keep_sweeps(tmp_path, [small_sweep()], pytest.fail)
    assert [line.row.note for line in weighed_sweeps(tmp_path, pytest.fail)] == ["slow clocks 慢"]
    keep_sweeps(tmp_path, [replace(small_sweep(), note="of another file")], pytest.fail)
    assert [line.row.note for line in weighed_sweeps(tmp_path, pytest.fail)] == ["slow clocks 慢"]


def test_where_nothing_is_kept_nothing_is_made(tmp_path: Path) -> None:
    assert weighed_sweeps(tmp_path, pytest.fail) == []
    assert load_sweeps(tmp_path, [1], pytest.fail) == []
    keep_sweeps(tmp_path, [], pytest.fail)
    assert list(tmp_path.iterdir()) == []


def test_one_that_cannot_be_loaded_is_told_of_and_takes_no_other_with_it(tmp_path: Path) -> None:
    store = SweepStore(tmp_path / NAME, pytest.fail)
    empty, whole = store.begin(SWEEP, 9), store.take(small_sweep())
    store.close()
    said: list[str] = []
    assert [len(sweep.results) for sweep in load_sweeps(tmp_path, [empty, whole, 77], said.append)] == [9]
    assert said == [f"Sweep {empty} is left out: it has no row.", "There is no sweep 77."]
    assert [line.row.id for line in weighed_sweeps(tmp_path, pytest.fail)] == [whole]


def test_a_database_that_cannot_be_used_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said: list[str] = []
    keep_sweeps(tmp_path / "file", [small_sweep()], said.append)
    assert len(said) == 1
    assert "cannot be kept in" in said[0]


def test_a_sweep_is_annotated_and_deleted_and_why_not_is_told(tmp_path: Path) -> None:
    change_sweeps(tmp_path, lambda store: store.delete([1]), pytest.fail)
    assert list(tmp_path.iterdir()) == []
    keep_sweeps(tmp_path, [small_sweep()], pytest.fail)
    change_sweeps(tmp_path, lambda store: store.annotate(1, "fast again"), pytest.fail)
    assert [line.row.note for line in weighed_sweeps(tmp_path, pytest.fail)] == ["fast again"]
    window = SweepStore(tmp_path / NAME, pytest.fail)
    window.go_on(1)
    said: list[str] = []
    change_sweeps(tmp_path, lambda store: store.delete([1]), said.append)
    assert said == ["Sweep 1 is running: cancel it before it is deleted."]
    window.close()
    change_sweeps(tmp_path, lambda store: store.delete([1]), pytest.fail)
    assert weighed_sweeps(tmp_path, pytest.fail) == []
    change_sweeps(tmp_path, lambda store: store.undelete([1]), pytest.fail)
    assert len(weighed_sweeps(tmp_path, pytest.fail)) == 1
