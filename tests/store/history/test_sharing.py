"""Several programs have one history open."""

import sqlite3
from pathlib import Path

import pytest

from lnexplorer.store.files import FIRST_MEMORY_ID
from lnexplorer.store.history import History
from tests.store.examples import small_result
from tests.store.history.histories import filled, ids_of, rows


def test_two_programs_share_one_history(path: Path) -> None:
    first, second = History(path, pytest.fail), History(path, pytest.fail)
    ids = [first.add(small_result()), second.add(small_result()), first.add(small_result())]
    assert ids_of(first) == ids_of(second) == ids
    first.close()
    second.close()


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
