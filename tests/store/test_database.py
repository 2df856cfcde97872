"""One file for all: shared by programs, private to its user, never overwritten when it is damaged."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lnexplorer.domain.experiments.catalogue import finished
from lnexplorer.domain.history import HistoryQuery, parse
from lnexplorer.protocol.codec import encode
from lnexplorer.store import database
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History
from lnkernels.values.sentence import Sentence
from tests.sample_experiments import sample
from tests.store.examples import files_of_at_most, small_result
from tests.store.histories import change, filled, ids_of, open_whole
from tests.store.session_examples import small_sweep


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / database.NAME


@pytest.fixture
def said() -> list[Sentence]:
    return []


def kept_of(path: Path) -> list[Path]:
    """Files that were kept under another name."""
    return [
        file
        for file in sorted(path.parent.glob(f"{path.name}.2*"))
        if not file.name.endswith(("-wal", "-shm"))
    ]


def test_the_file_and_its_folder_are_for_their_user_alone(path: Path) -> None:
    with open_whole(path) as history:
        history.runs.add(small_result())
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert {
            file.stat().st_mode & 0o777 for file in path.parent.iterdir() if file.is_file()
        } == {0o600}


def test_two_programs_share_one_file_and_hear_of_each_other(path: Path) -> None:
    with open_whole(path) as first, open_whole(path) as second:
        ids = [
            first.runs.add(small_result()),
            second.runs.add(small_result()),
            first.runs.add(small_result()),
        ]
        assert ids_of(first) == ids_of(second) == ids
        first.has_changed()
        assert not first.has_changed()
        second.runs.set_deleted([ids[0]], deleted=True)
        assert first.has_changed()
        assert not first.has_changed()


def test_a_file_that_is_held_too_long_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WAIT_SECONDS", 0.1)
    with open_whole(path) as history:
        with closing(sqlite3.connect(path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(
                StoreError, match=f"{path} cannot be used: another program holds it"
            ):
                history.runs.add(small_result())
        assert history.runs.add(small_result()) == 1


def test_a_full_disk_is_told_and_what_was_written_before_stays(path: Path) -> None:
    with open_whole(path) as history:
        history.runs.add(small_result())
        connection = history._database._connection
        connection.execute(
            f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}"
        )

        def fill() -> None:
            for _ in range(100):
                history.runs.add(small_result())

        with pytest.raises(StoreError, match="the disk is full"):
            fill()
        assert 1 in ids_of(history)
        whole = ids_of(history)
        assert [history.runs.load(number).notes for number in whole] == [
            small_result().notes
        ] * len(whole)


@pytest.mark.parametrize(
    "content", [b"This is a letter.\n" * 100, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_file_that_is_no_database_is_kept_and_a_new_one_begun(
    path: Path, said: list[Sentence], content: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with closing(History(path, said.append)) as history:
        assert ids_of(history) == []
        history.runs.add(small_result())
    (kept,) = kept_of(path)
    assert kept.read_bytes() == content
    assert (
        f"is damaged: it is no database. It is kept as {kept.name}, and a new one is begun."
        in str(said[0])
    )


def test_one_that_lacks_tables_is_kept_whole(path: Path, said: list[Sentence]) -> None:
    filled(path)
    change(path, "DROP TABLE cells")
    with closing(History(path, said.append)) as history:
        assert history.runs.add(small_result()) == 1
    assert "no such table" in str(said[0])
    assert len(kept_of(path)) == 1


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("PRAGMA user_version = 99", "is of a newer version: it is left as it is"),
        ("PRAGMA application_id = 5", "is a database of another program, and is left as it is"),
    ],
)
def test_one_of_another_version_or_program_is_left_as_it_is(path: Path, sql: str, why: str) -> None:
    filled(path)
    change(path, sql)
    with pytest.raises(StoreError, match=why):
        History(path, pytest.fail)
    assert kept_of(path) == []


def spoilt(path: Path) -> bytes:
    """The file with every page but the first overwritten at its beginning."""
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    return bytes(content)


def test_damage_that_is_met_later_is_told_and_the_next_start_begins_anew(
    path: Path, said: list[Sentence]
) -> None:
    filled(path, 30)
    with open_whole(path) as first:
        path.write_bytes(spoilt(path))
        with pytest.raises(StoreError, match="is damaged"):
            first.runs.add(small_result())
        with closing(History(path, said.append)) as second:
            assert second.runs.add(small_result()) == 1
        with pytest.raises(StoreError, match="is not the file that was opened"):
            first.runs.add(small_result())
    (kept,) = kept_of(path)
    assert kept.read_bytes()[4096:4160] == b"\xff" * 64
    assert kept.name in str(said[0])


def test_damage_costs_its_row_and_no_other(path: Path, said: list[Sentence]) -> None:
    with open_whole(path) as history:
        for _ in range(3):
            history.runs.add(small_result())
            history.experiments.add(finished(sample("order")))
        sweep = history.sweeps.take(small_sweep())
    change(
        path,
        "UPDATE runs SET kind = CAST(x'4e56ff' AS TEXT) WHERE id = 1",
        "UPDATE results SET result = substr(result, 1, 99) || x'00' || substr(result, 101)"
        " WHERE id = 2",
        "UPDATE experiments SET n = 'n' WHERE id = 1",
        "UPDATE experiments SET reason = x'00' WHERE id = 2",
        "UPDATE cells SET result = x'00' WHERE cell = 0",
    )
    with closing(History(path, said.append)) as history:
        assert [row.id for row in history.runs.rows([1, 2, 3])] == [2, 3]
        with pytest.raises(StoreError, match="Run 2 cannot be read: it is damaged"):
            history.runs.load(2)
        assert encode(history.runs.load(3)) == encode(small_result())
        assert [row.id for row in history.experiments.rows()] == [3]
        assert len(history.sweeps.load(sweep).results) == len(small_sweep().results) - 1
        history.runs.rows([1])  # told once
    assert [str(each).partition(" (")[0] for each in said] == [
        "Row 1 of runs is damaged: it is left out.",
        "Row 2 of experiments is damaged: it is left out.",
        "Row 1 of experiments is damaged: it is left out.",
        f"Row 0 of sweep {sweep} is left out: it is not whole.",
    ]


def test_a_history_whose_rows_have_checksums_is_read_and_written(path: Path) -> None:
    filled(path, 1)
    for table in ("runs", "results", "experiments", "sweeps", "kernels", "cells"):
        change(path, f"ALTER TABLE {table} ADD COLUMN checksum")
    change(path, "UPDATE runs SET checksum = 7", "PRAGMA user_version = 1")
    with open_whole(path) as history:
        history.experiments.add(finished(sample("order")))
        sweep = history.sweeps.take(small_sweep())
        assert [history.runs.add(small_result()), *ids_of(history)] == [2, 1, 2]
        assert len(history.sweeps.load(sweep).results) == len(small_sweep().results)


@pytest.mark.parametrize("reading", [False, True])
def test_a_history_without_the_settings_of_its_runs_gets_their_columns(
    path: Path, reading: bool
) -> None:
    filled(path, 1)
    for column in ("launch", "setting", "forward_us", "backward_us", "norm"):
        change(path, f"ALTER TABLE runs DROP COLUMN {column}")
    with open_whole(path, reading=reading) as history:
        (row,) = history.runs.rows([1])
        assert (row.launch, row.setting, row.forward_us, row.norm) == ({}, "", None, "layer_norm")
        assert ids_of(history, parse("norm=layer_norm")) == [1]
        assert ids_of(history, parse("norm=rms_norm")) == []
        assert row.forward_gbps
        assert ids_of(history, HistoryQuery(sorted_by="num_warps")) == [1]
    with open_whole(path) as history:
        assert history.runs.take(small_result(), "") == 1, "it is the same run"


def test_a_file_on_a_full_disk_is_read(path: Path) -> None:
    filled(path)
    with files_of_at_most(0), open_whole(path, reading=True) as history:
        assert ids_of(history) == [1, 2, 3]


def test_a_file_that_is_only_read_stays_as_it_is_damaged_or_not(path: Path) -> None:
    with pytest.raises(StoreError):
        History(path, pytest.fail, reading=True)
    assert not path.parent.exists()
    filled(path)
    before = path.read_bytes()
    with open_whole(path, reading=True) as history:
        assert ids_of(history) == [1, 2, 3]
        with pytest.raises(StoreError):
            history.runs.add(small_result())
    path.write_bytes(spoilt(path))
    with pytest.raises(StoreError, match="is damaged"):
        History(path, pytest.fail, reading=True)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() != before
