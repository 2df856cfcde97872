import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from lnexplorer.domain.provenance import Kind
from lnexplorer.protocol.codec import encode
from lnexplorer.storage.history import History, HistoryError
from lnexplorer.storage.history_store import FIRST_MEMORY_ID
from tests.storage.examples import files_of_at_most, small_result

Open = Callable[[Path], History]


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite3"


def filled(path: Path, count: int = 3) -> list[int]:
    history = History(path, pytest.fail)
    ids = [history.add(small_result()) for _ in range(count)]
    history.close()
    return ids


def test_runs_come_back_after_a_restart_oldest_first(path: Path) -> None:
    ids = filled(path)
    history = History(path, pytest.fail)
    rows = history.rows()
    assert [row.id for row in rows] == ids
    assert rows[0].device == "NVIDIA H200"
    assert rows[0].date.endswith("+00:00")
    assert encode(history.load(ids[1])) == encode(small_result())
    history.close()


def test_a_run_on_the_interpreter_is_kept_too(path: Path) -> None:
    history = History(path, pytest.fail)
    assert history.load(history.add(small_result(Kind.INTERPRETED))).throughput is None
    history.close()


def test_a_deleted_run_can_be_brought_back_until_the_next_start(path: Path) -> None:
    first, second, _ = filled(path)
    history = History(path, pytest.fail)
    history.delete(first)
    history.delete(second)
    history.undelete(second)
    assert first not in [row.id for row in history.rows()]
    history.close()
    history = History(path, pytest.fail)
    assert second in [row.id for row in history.rows()]
    with pytest.raises(HistoryError, match=f"no run {first}"):
        history.load(first)
    assert history.add(small_result()) > second
    history.close()


def test_a_file_that_is_no_database_is_kept_aside_and_a_new_history_begun(path: Path, warnings: list[str]) -> None:
    content = b"This is a letter.\n" * 100
    path.write_bytes(content)
    history = History(path, warnings.append)
    history.add(small_result())
    assert len(history.rows()) == 1
    history.close()
    (kept,) = path.parent.glob("history.sqlite3.2*[0-9]")
    assert kept.read_bytes() == content
    assert len(warnings) == 1
    assert kept.name in warnings[0]


def test_a_database_of_another_program_is_kept_aside(path: Path, warnings: list[str]) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE letters (text)")
    other.commit()
    other.close()
    history = History(path, warnings.append)
    assert history.rows() == []
    history.close()
    assert "kept as" in warnings[0]


def test_damage_in_the_middle_is_found_when_it_is_met_and_nothing_is_overwritten(path: Path, warnings: list[str]) -> None:
    filled(path, 30)
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(content)
    history = History(path, warnings.append)
    history.rows()
    new = history.add(small_result())
    assert [row.id for row in history.rows()] == [new]
    history.close()
    assert any("damaged" in warning for warning in warnings)
    (kept,) = (
        file
        for file in path.parent.iterdir()
        if file.name.startswith("history.sqlite3.2") and not file.name.endswith(("wal", "shm"))
    )
    assert kept.read_bytes()[4096:4160] == b"\xff" * 64


def test_a_newer_history_is_left_alone(path: Path, warnings: list[str]) -> None:
    filled(path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = path.read_bytes()
    history = History(path, warnings.append)
    new = history.add(small_result())
    assert [row.id for row in history.rows()] == [new]
    history.close()
    assert path.read_bytes() == before
    assert "version 99" in warnings[0]


def test_on_a_full_disk_new_runs_stay_in_memory_and_old_ones_on_the_list(path: Path, warnings: list[str]) -> None:
    ids = filled(path)
    history = History(path, warnings.append)
    with files_of_at_most(path.stat().st_size // 2):
        new = history.add(small_result())
        second = history.add(small_result())
        assert new >= FIRST_MEMORY_ID
        assert [row.id for row in history.rows()] == [*ids, new, second]
        assert encode(history.load(new)) == encode(small_result())
    history.close()
    assert len(warnings) == 1
    assert "until the program ends" in warnings[0]
    history = History(path, pytest.fail)
    assert [row.id for row in history.rows()] == ids
    history.close()


def test_a_history_that_may_only_be_read_is_listed_and_left_as_it_is(path: Path, warnings: list[str]) -> None:
    ids = filled(path)
    holder = sqlite3.connect(path)  # another program that never lets go of the write lock
    holder.execute("BEGIN IMMEDIATE")
    history = History(path, warnings.append)
    history.delete(ids[0])
    new = history.add(small_result())
    assert [row.id for row in history.rows()] == [*ids[1:], new]
    history.undelete(ids[0])
    assert ids[0] in [row.id for row in history.rows()]
    history.close()
    holder.rollback()
    holder.close()
    assert "another program holds it" in warnings[0]
    history = History(path, pytest.fail)
    assert [row.id for row in history.rows()] == ids
    history.close()


def test_without_a_folder_the_history_is_in_memory(tmp_path: Path, warnings: list[str]) -> None:
    (tmp_path / "file").write_text("not a folder")
    history = History(tmp_path / "file" / "history.sqlite3", warnings.append)
    new = history.add(small_result())
    assert [row.id for row in history.rows()] == [new]
    history.close()
    assert len(warnings) == 1


def test_a_run_that_another_version_wrote_is_named_and_the_others_stay(path: Path) -> None:
    ids = filled(path)
    database = sqlite3.connect(path)
    database.execute("UPDATE runs SET result = ?, row = '' WHERE id = ?", (b"\x00", ids[1]))
    database.execute("UPDATE runs SET row = '{}' WHERE id = ?", (ids[0],))
    database.commit()
    database.close()
    history = History(path, pytest.fail)
    assert [row.id for row in history.rows()] == [ids[0], ids[2]]
    with pytest.raises(HistoryError, match=f"Run {ids[1]} is damaged"):
        history.load(ids[1])
    history.close()


def test_two_programs_share_one_history(path: Path) -> None:
    first, second = History(path, pytest.fail), History(path, pytest.fail)
    ids = [first.add(small_result()), second.add(small_result()), first.add(small_result())]
    assert [row.id for row in first.rows()] == [row.id for row in second.rows()] == ids
    first.close()
    second.close()


def test_a_copied_history_is_whole(path: Path, tmp_path: Path) -> None:
    ids = filled(path)
    copy = tmp_path / "copy.sqlite3"
    shutil.copyfile(path, copy)
    history = History(copy, pytest.fail)
    assert [row.id for row in history.rows()] == ids
    history.close()
