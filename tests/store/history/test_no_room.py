"""What cannot be written stays in memory until it can."""

import sqlite3
from pathlib import Path

import pytest

from lnexplorer.protocol.codec import encode
from lnexplorer.store.files import FIRST_MEMORY_ID
from lnexplorer.store.history import History
from tests.store.examples import files_of_at_most, small_result
from tests.store.history.histories import OLDEST_FIRST, filled, ids_of, rows


def test_on_a_full_disk_new_runs_stay_in_memory_and_are_written_when_there_is_room(path: Path, warnings: list[str]) -> None:
    ids = filled(path)
    history = History(path, warnings.append)
    with files_of_at_most(4096):
        new = history.add(small_result())
        second = history.add(small_result())
        assert new >= FIRST_MEMORY_ID
        assert ids_of(history) == [*ids, new, second]
        assert encode(history.load(new)) == encode(small_result())
        history.annotate(second, "written later")
        history.pin(new)
        assert not history.tend()
    assert history.tend()
    later = ids_of(history)
    assert later[:3] == ids
    assert all(id_ < FIRST_MEMORY_ID for id_ in later[3:])
    assert encode(history.load(new)) == encode(small_result())  # whoever still knows the old number finds the run
    history.close()
    assert len(warnings) == 1
    assert "kept in memory until it can" in warnings[0]
    history = History(path, pytest.fail)
    assert ids_of(history) == later
    assert rows(history)[-1].note == "written later"
    baseline = history.find(OLDEST_FIRST).baseline
    assert baseline is not None
    assert baseline.id == later[3]
    history.close()


def test_a_run_that_cannot_be_pinned_in_the_file_is_not_written_twice(path: Path, warnings: list[str]) -> None:
    ids = filled(path)
    history = History(path, warnings.append)
    with files_of_at_most(4096):
        new = history.add(small_result())
        history.pin(new)
    other = sqlite3.connect(path)
    other.execute("CREATE TRIGGER full BEFORE INSERT ON settings BEGIN SELECT RAISE(ABORT, 'no room'); END")
    history.tend()
    assert ids_of(history) == [*ids, new]
    other.execute("DROP TRIGGER full")
    other.close()
    assert history.tend()
    assert len(ids_of(history)) == len(ids) + 1
    baseline = history.find(OLDEST_FIRST).baseline
    assert baseline is not None
    assert baseline.id == ids_of(history)[-1]
    history.close()


def test_a_file_that_could_not_be_opened_is_used_as_soon_as_it_can(path: Path, warnings: list[str]) -> None:
    ids = filled(path)
    away = path.with_name("away")
    path.rename(away)
    path.mkdir()
    history = History(path, warnings.append)
    assert "cannot be opened" in warnings[0]
    new = history.add(small_result())
    assert not history.tend()
    path.rmdir()
    away.rename(path)
    assert history.tend()
    assert ids_of(history) == [*ids, ids[-1] + 1]
    assert encode(history.load(new)) == encode(small_result())
    history.close()
    assert len(warnings) == 1


def test_without_a_folder_the_history_is_in_memory(tmp_path: Path, warnings: list[str]) -> None:
    (tmp_path / "file").write_text("not a folder")
    history = History(tmp_path / "file" / "history.sqlite3", warnings.append)
    new = history.add(small_result())
    assert ids_of(history) == [new]
    history.close()
    assert len(warnings) == 1
