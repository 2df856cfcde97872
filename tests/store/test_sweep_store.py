import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import NotKeptError, all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest, sweep_command
from lnexplorer.store.files import StoreError
from lnexplorer.store.recorded_sweep import recorded_sweep
from lnexplorer.store.sweeps import SweepInUseError, SweepStore
from tests.domain.sweep.results import row

SWEEP = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024, 2048)),))
CELLS = all_cells(SWEEP)


def never(sentence: str) -> None:
    raise AssertionError(sentence)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "sweeps.sqlite3"


def test_a_sweep_comes_back_with_its_rows_and_their_samples(path: Path) -> None:
    store = SweepStore(path, never)
    number = store.begin(SWEEP, 3)
    store.add(number, row(CELLS[2], time_ms=2.0))
    store.add(number, row(CELLS[0], status="timed_out", reason="It hung."))
    (kept,) = store.sweeps()
    assert (kept.command, kept.total, kept.done, kept.ended, kept.complete) == (sweep_command(SWEEP), 3, 2, "", False)
    store.close()

    request, rows = SweepStore(path, never).load(number)
    assert request == SWEEP
    assert [(found.cell, found.status, found.reason) for found in rows] == [
        (CELLS[0], "timed_out", "It hung."),
        (CELLS[2], "ok", ""),
    ]
    figure, expected = rows[1].figure("forward"), row(CELLS[2], time_ms=2.0).figure("forward")
    assert figure is not None and expected is not None  # noqa: PT018
    np.testing.assert_array_equal(figure.samples_ms, expected.samples_ms)


def test_the_end_is_noted_and_a_sweep_can_be_taken_away(path: Path) -> None:
    store = SweepStore(path, never)
    first, second = store.begin(SWEEP, 3), store.begin(SWEEP, 3)
    store.add(second, row(CELLS[0]))
    store.end(first, "cancelled")
    assert [(kept.id, kept.ended) for kept in store.sweeps()] == [(second, ""), (first, "cancelled")]
    store.end(second, "failed")
    store.delete([second])
    assert [kept.id for kept in store.sweeps()] == [first]
    assert store.like(SWEEP) == [first]
    with pytest.raises(StoreError, match=f"no sweep {second}"):
        store.load(second)
    other = SweepStore(path, never)
    other.undelete([second])
    assert [kept.id for kept in store.sweeps()] == [second, first]
    assert len(other.load(second)[1]) == 1
    for each in (store, other):
        each.close()


def test_a_deleted_sweep_is_gone_for_good_a_day_later(path: Path) -> None:
    store = SweepStore(path, never)
    numbers = [store.begin(SWEEP, 3) for _ in range(2)]
    for number in numbers:
        store.add(number, row(CELLS[0]))
        store.end(number, "finished")
    store.delete(numbers)
    store._connection.execute("UPDATE sweeps SET deleted = deleted - 90000 WHERE id = ?", (numbers[0],))
    store.close()
    store = SweepStore(path, never)
    store.undelete(numbers)
    assert [kept.id for kept in store.sweeps()] == numbers[1:]
    assert list(store.sizes()) == numbers[1:]
    store.close()


def test_a_note_is_kept(path: Path) -> None:
    store = SweepStore(path, never)
    number = store.begin(SWEEP, 3)
    store.annotate(number, "before the fix")
    assert [kept.note for kept in store.sweeps()] == ["before the fix"]
    store.close()


def test_a_database_of_version_1_keeps_its_sweeps(path: Path) -> None:
    store = SweepStore(path, never)
    number = store.begin(SWEEP, 3)
    store.add(number, row(CELLS[0]))
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE sweeps DROP COLUMN note")
        connection.execute("ALTER TABLE sweeps DROP COLUMN deleted")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    store = SweepStore(path, never)
    (kept,) = store.sweeps()
    assert (kept.id, kept.done, kept.note) == (number, 1, "")
    store.close()


def test_only_one_program_is_at_a_sweep(path: Path) -> None:
    one, other = SweepStore(path, never), SweepStore(path, never)
    number = one.begin(SWEEP, 3)
    assert [[kept.running for kept in store.sweeps()] for store in (one, other)] == [[True], [True]]
    with pytest.raises(SweepInUseError, match=f"Sweep {number} is running in another window or command"):
        other.go_on(number)
    with pytest.raises(SweepInUseError, match="cancel it before it is deleted"):
        other.delete([number])
    one.end(number, "cancelled")
    other.go_on(number)
    assert [(kept.ended, kept.running) for kept in one.sweeps()] == [("", True)]
    other.close()
    assert [(kept.ended, kept.running) for kept in one.sweeps()] == [("", False)]
    one.go_on(number)
    one.close()


def test_a_folder_without_locks_costs_no_sweep(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("lnexplorer.store.sweep_lock.fcntl.flock", refuse)
    store = SweepStore(path, never)
    number = store.begin(SWEEP, 3)
    store.go_on(number)
    assert [kept.running for kept in store.sweeps()] == [False]
    store.close()


def test_a_killed_process_has_kept_every_row_that_it_wrote(path: Path) -> None:
    program = f"""
from pathlib import Path
from lnexplorer.store.sweeps import SweepStore
from tests.store.test_sweep_store import CELLS, SWEEP, row
store = SweepStore(Path({str(path)!r}), print)
number = store.begin(SWEEP, 3)
store.add(number, row(CELLS[0]))
store.add(number, row(CELLS[1]))
print("written", flush=True)
import time
time.sleep(60)
"""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(root), str(root / "kernels")))}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment, cwd=root) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        own = SweepStore(path, never)
        assert [kept.running for kept in own.sweeps()] == [True]
        own.close()
        process.send_signal(signal.SIGKILL)
    store = SweepStore(path, never)
    (kept,) = store.sweeps()
    assert (kept.done, kept.ended, kept.running) == (2, "", False)
    assert len(store.load(kept.id)[1]) == 2


def test_two_programs_write_at_the_same_time(path: Path) -> None:
    one, other = SweepStore(path, never), SweepStore(path, never)
    numbers = [store.begin(SWEEP, 3) for store in (one, other)]
    for cell in CELLS:
        one.add(numbers[0], row(cell))
        other.add(numbers[1], row(cell))
    assert [kept.done for kept in one.sweeps()] == [3, 3]


def test_a_damaged_database_is_kept_under_another_name_and_told(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database at all" * 100)
    said: list[str] = []
    store = SweepStore(path, said.append)
    assert store.sweeps() == []
    assert "damaged" in said[0]
    (kept,) = path.parent.glob("sweeps.sqlite3.2*")
    assert kept.name in said[0]
    assert kept.read_bytes().startswith(b"this is no database")


def test_damage_in_the_middle_is_kept_under_another_name_when_the_list_meets_it(path: Path) -> None:
    store = SweepStore(path, never)
    for _ in range(40):
        number = store.begin(SWEEP, 3)
        store.add(number, row(0))
        store.end(number, "finished")
    store.close()
    content = bytearray(path.read_bytes())
    leaf_of_rows = 0x0A  # the first byte of such a page, fileformat2.html of SQLite
    first, *others = (page for page in range(4096, len(content), 4096) if content[page] == leaf_of_rows)
    assert others, "opening looks at the last of them"
    content[first : first + 64] = b"\xff" * 64
    path.write_bytes(content)
    said: list[str] = []
    store, other = SweepStore(path, said.append), SweepStore(path, said.append)
    busy = SweepStore(path, said.append)
    at_work = busy.begin(SWEEP, 3)
    with pytest.raises(StoreError, match="cannot be read: database disk image is malformed"):
        store.sweeps()
    busy.end(at_work, "cancelled")
    assert said == []
    assert store.sweeps() == []
    (told,) = said
    (kept,) = (file for file in path.parent.glob("sweeps.sqlite3.2*") if not file.name.endswith(("wal", "shm")))
    assert kept.name in told
    assert kept.read_bytes()[first : first + 64] == b"\xff" * 64
    # Who had the file open before goes over to the new one.
    number = other.begin(SWEEP, 3)
    other.add(number, row(0))
    assert [(each.id, each.done) for each in store.sweeps()] == [(number, 1)]
    for each in (store, other, busy):
        each.close()


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("PRAGMA user_version = 99", "has version 99, this program reads version 2"),
        ("PRAGMA application_id = 5", "another program"),
    ],
)
def test_a_database_of_another_version_or_program_is_left_as_it_is(path: Path, sql: str, why: str) -> None:
    SweepStore(path, never).close()
    with sqlite3.connect(path) as connection:
        connection.execute(sql)
    connection.close()
    with pytest.raises(StoreError, match=why):
        SweepStore(path, never)
    assert [file.name for file in path.parent.iterdir() if file.name.startswith("sweeps.sqlite3.")] == []


def test_a_disk_that_is_full_is_told(path: Path) -> None:
    store = SweepStore(path, never)
    number = store.begin(SWEEP, 3)
    store._connection.execute("PRAGMA max_page_count = 1")

    def fill() -> None:
        for _ in range(100):
            store.begin(SWEEP, number)

    with pytest.raises(NotKeptError, match="the disk is full"):
        fill()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be kept in"):
        SweepStore(tmp_path / "file" / "sweeps.sqlite3", never)


def test_a_sweep_from_a_file_is_kept_once(path: Path) -> None:
    store = SweepStore(path, never)
    recorded = replace(recorded_sweep(SWEEP, [row(cell) for cell in CELLS[:2]]), date="2025-01-02T03:04:05+00:00")
    number = store.take(recorded)
    assert store.take(recorded) == number
    (kept,) = store.sweeps()
    assert (kept.date, kept.done, kept.total, kept.ended) == (recorded.date, 2, 3, "cancelled")
    assert store.load(number)[0] == SWEEP
    assert store.sizes()[number] > 0

    # More rows, or other ones, are another sweep; fewer are part of one that is here.
    assert store.take(recorded_sweep(SWEEP, [row(CELLS[0])])) == number
    more = store.take(recorded_sweep(SWEEP, [row(cell) for cell in CELLS], ended="finished"))
    assert more != number
    assert store.take(recorded_sweep(SWEEP, [row(CELLS[0], time_ms=9.0)])) not in (number, more)
    store.close()


def test_one_that_is_on_the_way_here_is_not_the_same_as_one_from_a_file_that_has_more(path: Path) -> None:
    store = SweepStore(path, never)
    own = store.begin(SWEEP, 3)
    store.add(own, row(CELLS[0]))
    assert store.take(recorded_sweep(SWEEP, [row(CELLS[0])])) == own
    assert store.take(recorded_sweep(SWEEP, [row(cell) for cell in CELLS[:2]])) != own
    assert len(store.load(own)[1]) == 1
    store.close()


@pytest.mark.parametrize("left", [("note", "deleted"), ("note",), ()])
def test_a_database_of_version_1_gets_the_columns_that_it_lacks(path: Path, left: tuple[str, ...]) -> None:
    store = SweepStore(path, never)
    number = store.begin(SWEEP, 3)
    store.close()
    database = sqlite3.connect(path)
    for column in left:
        database.execute(f"ALTER TABLE sweeps DROP COLUMN {column}")
    database.execute("PRAGMA user_version = 1")
    database.commit()
    database.close()
    store = SweepStore(path, never)
    store.annotate(number, "slow")
    assert [kept.note for kept in store.sweeps()] == ["slow"]
    store.close()


def test_one_with_other_tables_is_kept_under_another_name(path: Path) -> None:
    SweepStore(path, never).close()
    database = sqlite3.connect(path)
    database.execute("DROP TABLE cells")
    database.commit()
    database.close()
    said: list[str] = []
    store = SweepStore(path, said.append)
    store.add(store.begin(SWEEP, 3), row(CELLS[0]))
    store.close()
    assert "kept as" in said[0]


def test_a_damaged_row_is_told_of_and_takes_no_other_with_it(path: Path) -> None:
    said: list[str] = []
    store = SweepStore(path, said.append)
    number = store.begin(SWEEP, 3)
    for cell in CELLS[:2]:
        store.add(number, row(cell))
    store._connection.execute("UPDATE cells SET result = x'00' WHERE cell = 0")
    assert [found.cell for found in store.load(number)[1]] == [CELLS[1]]
    assert [sentence.partition(":")[0] for sentence in said] == [f"Row 0 of sweep {number} is left out"]
    store._connection.execute("UPDATE cells SET result = x'00'")
    with pytest.raises(StoreError, match=f"Sweep {number} is damaged"):
        store.load(number)
    store.close()


def test_many_that_were_deleted_are_forgotten_a_part_at_each_start(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lnexplorer.store.sweep_schema.FORGOTTEN", 2)
    store = SweepStore(path, never)
    numbers = [store.begin(SWEEP, 3) for _ in range(5)]
    store._connection.execute("UPDATE sweeps SET deleted = 1 WHERE id > ?", (numbers[0],))
    store.close()
    left = []
    for _ in range(3):
        store = SweepStore(path, never)
        left.append(store._connection.execute("SELECT count(*) FROM sweeps").fetchone()[0])
        store.close()
    assert left == [3, 1, 1]
