import os
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from lnexplorer.domain.history import HistoryRow
from lnexplorer.domain.history_query import Comparison, HistoryQuery
from lnexplorer.domain.provenance import Kind
from lnexplorer.protocol.codec import encode
from lnexplorer.storage.history import History, HistoryError
from lnexplorer.storage.history_schema import FIRST_MEMORY_ID
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


OLDEST_FIRST = HistoryQuery(sorted_by="id", descending=False)


def rows(history: History, query: HistoryQuery = OLDEST_FIRST) -> list[HistoryRow]:
    return history.rows(history.find(query).ids.tolist())


def ids_of(history: History, query: HistoryQuery = OLDEST_FIRST) -> list[int]:
    return [row.id for row in rows(history, query)]


def test_runs_come_back_after_a_restart_oldest_first(path: Path) -> None:
    ids = filled(path)
    history = History(path, pytest.fail)
    found = rows(history)
    assert [row.id for row in found] == ids
    assert found[0].device == "NVIDIA H200"
    assert found[0].date.endswith("+00:00")
    assert encode(history.load(ids[1])) == encode(small_result())
    history.close()


def test_a_run_on_the_interpreter_is_kept_too(path: Path) -> None:
    history = History(path, pytest.fail)
    assert history.load(history.add(small_result(Kind.INTERPRETED))).throughput is None
    history.close()


def test_deleted_runs_can_be_brought_back_and_stay_away_otherwise(path: Path) -> None:
    first, second, _ = filled(path)
    history = History(path, pytest.fail)
    history.delete([first, second])
    history.undelete([second])
    assert first not in ids_of(history)
    history.close()
    history = History(path, pytest.fail)
    assert second in ids_of(history)
    with pytest.raises(HistoryError, match=f"no run {first}"):
        history.load(first)
    assert history.add(small_result()) > second
    history.close()


def test_a_file_that_is_no_database_is_kept_aside_and_a_new_history_begun(path: Path, warnings: list[str]) -> None:
    content = b"This is a letter.\n" * 100
    path.write_bytes(content)
    history = History(path, warnings.append)
    history.add(small_result())
    assert len(ids_of(history)) == 1
    history.close()
    (kept,) = path.parent.glob("history.sqlite3.2*[0-9]")
    assert kept.read_bytes() == content
    assert len(warnings) == 1
    assert kept.name in warnings[0]


@pytest.mark.parametrize("sql", ["DROP TABLE lines", "ALTER TABLE lines DROP COLUMN note", "PRAGMA user_version = 1"])
def test_one_with_other_tables_is_kept_aside(path: Path, warnings: list[str], sql: str) -> None:
    filled(path)
    database = sqlite3.connect(path)
    database.execute(sql)
    database.commit()
    database.close()
    history = History(path, warnings.append)
    history.add(small_result())
    assert len(ids_of(history)) == 1
    history.close()
    assert "kept as" in warnings[0]
    assert len(list(path.parent.glob("history.sqlite3.2*[0-9]"))) == 1


def test_a_history_of_version_2_that_has_the_table_of_experiments_goes_on(path: Path) -> None:
    runs = filled(path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 2")
    database.close()
    history = History(path, pytest.fail)
    assert ids_of(history) == runs
    history.close()


def test_a_new_file_of_another_window_is_not_put_aside_for_the_damage_of_the_old_one(path: Path, warnings: list[str]) -> None:
    filled(path, 30)
    first = History(path, warnings.append)
    path.rename(path.with_name("put aside"))  # as another window does that has met the damage
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    second = History(path, pytest.fail)
    new = second.add(small_result())
    content = bytearray(path.with_name("put aside").read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.with_name("put aside").write_bytes(content)
    added = first.add(small_result())
    assert ids_of(first) == ids_of(second) == [new, added]
    assert warnings == []
    first.close()
    second.close()


def test_a_database_of_another_program_is_kept_aside(path: Path, warnings: list[str]) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE letters (text)")
    other.commit()
    other.close()
    history = History(path, warnings.append)
    assert ids_of(history) == []
    history.close()
    assert "kept as" in warnings[0]


def test_damage_in_the_middle_is_found_when_it_is_met_and_nothing_is_overwritten(path: Path, warnings: list[str]) -> None:
    filled(path, 30)
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(content)
    history = History(path, warnings.append)
    ids_of(history)
    new = history.add(small_result())
    assert ids_of(history) == [new]
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
    assert ids_of(history) == [new]
    history.close()
    assert path.read_bytes() == before
    assert "version 99" in warnings[0]


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


def test_what_another_program_keeps_from_being_written_is_written_when_it_lets_go(path: Path, warnings: list[str]) -> None:
    ids = filled(path)
    history = History(path, warnings.append)
    holder = sqlite3.connect(path)
    holder.execute("BEGIN IMMEDIATE")
    history.delete(ids[:2])
    history.annotate(ids[2], "a note")
    new = history.add(small_result())
    assert ids_of(history) == [ids[2], new]
    assert rows(history)[0].note == "a note"
    history.undelete([ids[1]])
    assert ids_of(history) == [*ids[1:], new]
    holder.rollback()
    holder.close()
    last = history.add(small_result())
    assert last < FIRST_MEMORY_ID
    assert ids_of(history) == [*ids[1:], last - 1, last]
    history.close()
    assert len(warnings) == 1
    assert "another program holds it" in warnings[0]
    history = History(path, pytest.fail)
    assert ids_of(history) == [*ids[1:], last - 1, last]
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


def test_a_run_that_another_version_wrote_is_named_and_the_others_stay(path: Path) -> None:
    ids = filled(path)
    database = sqlite3.connect(path)
    database.execute("UPDATE results SET result = ? WHERE id = ?", (b"\x00", ids[1]))
    database.execute("UPDATE lines SET kind = 'dreamt' WHERE id = ?", (ids[2],))
    database.execute("UPDATE lines SET strategy = 'new' WHERE id = ?", (ids[0],))
    database.commit()
    database.close()
    history = History(path, pytest.fail)
    assert [(row.id, row.strategy) for row in rows(history)] == [(ids[0], "new"), (ids[1], "locked")]
    with pytest.raises(HistoryError, match=f"Run {ids[1]} is damaged"):
        history.load(ids[1])
    history.close()


def test_two_programs_share_one_history(path: Path) -> None:
    first, second = History(path, pytest.fail), History(path, pytest.fail)
    ids = [first.add(small_result()), second.add(small_result()), first.add(small_result())]
    assert ids_of(first) == ids_of(second) == ids
    first.close()
    second.close()


def test_a_copied_history_is_whole(path: Path, tmp_path: Path) -> None:
    ids = filled(path)
    copy = tmp_path / "copy.sqlite3"
    shutil.copyfile(path, copy)
    history = History(copy, pytest.fail)
    assert ids_of(history) == ids
    history.close()


def test_a_history_of_version_3_gets_the_columns_of_counted_bytes(path: Path) -> None:
    history = History(path, pytest.fail)
    result = small_result()
    run = history.add(result)
    history.close()
    database = sqlite3.connect(path)
    for name in ("forward_counted", "backward_counted"):
        database.execute(f"ALTER TABLE lines DROP COLUMN {name}")
    database.execute("PRAGMA user_version = 3")
    database.close()
    history = History(path, pytest.fail)
    assert history.take(result, "") == run, "it is the same run, whatever its line lacks"
    new = history.add(result)
    assert result.throughput is not None
    figure = result.throughput.find(result.resolved.launch.strategy, "backward", "kernel_cold")
    assert figure is not None
    assert [row.backward_counted for row in history.rows([run, new])] == [None, figure.counted_gbps]
    history.close()


def test_the_history_of_the_first_version_is_taken_over(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute(
        "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, date TEXT NOT NULL, deleted INTEGER NOT NULL DEFAULT 0,"
        " row TEXT NOT NULL, result BLOB NOT NULL)"
    )
    blob = zlib.compress(encode(small_result()))
    for deleted in (0, 1, 0):
        database.execute("INSERT INTO runs (date, deleted, row, result) VALUES ('2025-11-20', ?, '{}', ?)", (deleted, blob))
    database.execute("PRAGMA application_id = 0x4C4E4558")
    database.execute("PRAGMA user_version = 1")
    database.commit()
    database.close()
    history = History(path, pytest.fail)
    assert ids_of(history) == [1, 3]
    assert rows(history)[0].speed("forward") is not None
    assert encode(history.load(3)) == encode(small_result())
    assert history.add(small_result()) == 4
    history.close()


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


@pytest.mark.parametrize("comparison", [Comparison("result", "=", 1.0), Comparison("m", "; DROP", 1.0)])
def test_only_fields_and_signs_that_exist_are_compared(path: Path, comparison: Comparison) -> None:
    history = History(path, pytest.fail)
    with pytest.raises(ValueError, match="not possible"):
        history.find(HistoryQuery(comparisons=(comparison,)))
    history.close()


def test_a_window_hears_what_another_one_has_written(path: Path) -> None:
    first, second = History(path, pytest.fail), History(path, pytest.fail)
    first.tend()
    assert not first.tend()
    second.add(small_result())
    assert first.tend()
    assert not first.tend()
    second.delete([1])
    assert first.tend()
    # The second window's deletion can still be undone after a third one was opened.
    third = History(path, pytest.fail)
    third.close()
    second.undelete([1])
    assert ids_of(first) == [1]
    first.close()
    second.close()


WRITER = """
import sys
from pathlib import Path
from lnexplorer.storage.history import History
from tests.storage.examples import small_result

history = History(Path(sys.argv[1]), print)
while True:
    print(history.add(small_result()), flush=True)
"""


def test_killing_the_program_loses_at_most_the_run_in_flight(path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    told = 0
    for lines in (1, 4, 9):  # killed at different moments of its work
        command = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as writer:
            assert writer.stdout is not None
            for _ in range(lines):
                told = int(writer.stdout.readline())
            writer.kill()
            told = max([told, *map(int, writer.stdout.read().split())])
        history = History(path, pytest.fail)
        kept = ids_of(history)
        assert kept == list(range(1, len(kept) + 1))
        assert told <= len(kept) <= told + 1
        assert encode(history.load(kept[-1])) == encode(small_result())
        history.close()
