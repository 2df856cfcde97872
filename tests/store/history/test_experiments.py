"""Experiments in the history: beside its runs, in the same file."""

import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.domain.experiments.findings import FAILED, STOPPED, ExperimentRecord, Orders, finished
from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.protocol.codec import encode
from lnexplorer.store.files import EXPERIMENTS as TABLE
from lnexplorer.store.files import FIRST_MEMORY_ID, VERSION, StoreError
from lnexplorer.store.history import History
from tests.sample_experiments import sample
from tests.store.examples import files_of_at_most, small_result

ORDER = finished(sample("order"))
SIDES = sample("order").order.sides  # type: ignore[union-attr]  # they are what it finds
STOPPED_ONE = replace(ORDER, ended=STOPPED, result=None, done=120, total=600, date="2026-01-02T03:05:05+00:00")


def ids_of(history: History) -> list[int]:
    return [row.id for row in history.experiments.rows()]


def filled(path: Path, *records: ExperimentRecord) -> list[int]:
    history = History(path, pytest.fail)
    ids = [history.experiments.add(record) for record in records]
    history.close()
    return ids


def change(path: Path, sql: str, *values: object) -> None:
    database = sqlite3.connect(path)
    with database:
        database.execute(sql, values)
    database.close()


@pytest.mark.parametrize("gpu", [True, False])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_finished_experiment_comes_back_after_a_restart_with_its_findings(name: str, gpu: bool, path: Path) -> None:
    result = sample(name, gpu=gpu)
    (id_,) = filled(path, finished(result))
    history = History(path, pytest.fail)
    (row,) = history.experiments.rows()
    assert (row.id, row.name, row.ended, row.device) == (id_, name, "finished", "GPU" if gpu else "CPU")
    assert (row.m, row.n, row.dtype, row.kind) == (
        result.resolved.m,
        result.resolved.n,
        result.resolved.dtype,
        result.provenance.kind,
    )
    found = history.experiments.load(id_)
    assert found.result is not None
    assert encode(found.result) == encode(result)
    history.close()


def test_one_that_ended_early_is_kept_with_what_it_has(path: Path) -> None:
    failed = replace(ORDER, ended=FAILED, result=None, reason="The worker crashed.", done=3, total=9)
    first, second = filled(path, STOPPED_ONE, failed)
    history = History(path, pytest.fail)
    assert ids_of(history) == [first, second]  # newest first, by the time at which they ended
    part = replace(STOPPED_ONE, result=replace(sample("order"), order=Orders(sides=SIDES[:1])), date="2026-01-01T00:00:00+00:00")
    history.experiments.add(part)
    stopped, crashed, partly = history.experiments.rows()
    assert partly.ended == STOPPED
    found = history.experiments.load(partly.id)
    assert found.result is not None
    assert found.result.order is not None
    assert [side.runs for side in found.result.order.sides] == [200]
    assert (stopped.ended, stopped.done, stopped.total) == (STOPPED, 120, 600)
    assert (crashed.ended, crashed.reason) == (FAILED, "The worker crashed.")
    found = history.experiments.load(first)
    assert (found.result, found.request) == (None, ORDER.request)
    history.close()


def test_deleted_experiments_can_be_brought_back_and_stay_away_otherwise(path: Path) -> None:
    first, second = filled(path, STOPPED_ONE, ORDER)
    history = History(path, pytest.fail)
    history.experiments.delete([first, second])
    assert history.experiments.rows() == []
    with pytest.raises(StoreError, match=f"no experiment {first}"):
        history.experiments.load(first)
    history.experiments.undelete([second])
    history.close()
    history = History(path, pytest.fail)
    assert ids_of(history) == [second]
    history.close()
    change(path, "UPDATE experiments SET deleted = 1 WHERE id = ?", second)
    history = History(path, pytest.fail)  # deleted long ago: gone
    history.experiments.undelete([second])
    assert history.experiments.rows() == []
    assert history.experiments.add(ORDER) > second
    history.close()


def test_one_from_a_file_is_kept_once(path: Path) -> None:
    history = History(path, pytest.fail)
    recorded = replace(ORDER, kind=finished(sample("order", gpu=False)).kind)
    first = history.experiments.take(ORDER)
    assert history.experiments.take(recorded) == first
    assert history.experiments.take(finished(sample("barrier"))) != first
    history.close()


def test_a_history_of_version_2_gets_the_table_and_keeps_its_runs(path: Path) -> None:
    history = History(path, pytest.fail)
    run = history.add(small_result())
    history.close()
    change(path, "DROP TABLE experiments")
    change(path, "PRAGMA user_version = 2")
    first, second = History(path, pytest.fail), History(path, pytest.fail)
    assert first.find(HistoryQuery()).ids.tolist() == second.find(HistoryQuery()).ids.tolist() == [run]
    number = first.experiments.add(ORDER)
    assert ids_of(second) == [number]
    first.close()
    second.close()
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA user_version").fetchone() == (VERSION,) == (4,)
    assert database.execute("SELECT sql FROM sqlite_schema WHERE name = 'experiments'").fetchone()[0] == TABLE.strip()
    database.close()


def test_a_window_hears_of_an_experiment_of_another_one(path: Path) -> None:
    first, second = History(path, pytest.fail), History(path, pytest.fail)
    first.tend()
    assert not first.tend()
    number = second.experiments.add(ORDER)
    assert first.tend()
    assert ids_of(first) == [number]
    first.close()
    second.close()


def test_what_the_disk_does_not_take_is_written_later(path: Path) -> None:
    warnings: list[str] = []
    (kept,) = filled(path, STOPPED_ONE)
    history = History(path, warnings.append)
    with files_of_at_most(4096):
        new = history.experiments.add(ORDER)
        assert new >= FIRST_MEMORY_ID
        history.experiments.delete([kept])
        assert ids_of(history) == [new]
        with pytest.raises(StoreError, match=f"no experiment {kept}"):
            history.experiments.load(kept)
    assert history.tend()
    (written,) = ids_of(history)
    assert written < FIRST_MEMORY_ID
    assert history.experiments.load(new).ended == "finished"  # whoever still knows the old number finds it
    history.close()
    assert len(warnings) == 1
    assert "kept in memory until it can" in warnings[0]
    history = History(path, pytest.fail)
    assert ids_of(history) == [written]
    history.close()


@pytest.mark.parametrize("wrong", ["x", b"\xff\x00", 1.5, 2**62, ""])
def test_damage_is_named_and_costs_no_other(wrong: object, path: Path) -> None:
    first, second, third = filled(path, ORDER, STOPPED_ONE, finished(sample("barrier")))
    change(path, "UPDATE experiments SET record = ? WHERE id = ?", wrong, first)
    change(path, "UPDATE experiments SET kind = ? WHERE id = ?", wrong, second)
    change(path, "UPDATE experiments SET m = ? WHERE id = ?", b"\xff", third)
    history = History(path, pytest.fail)
    assert ids_of(history) == [first]
    with pytest.raises(StoreError, match=f"Experiment {first} is damaged, or another version"):
        history.experiments.load(first)
    assert history.experiments.load(second).ended == STOPPED
    history.close()


def test_findings_that_cannot_be_shown_are_refused(path: Path) -> None:
    unknown = replace(STOPPED_ONE, request=replace(ORDER.request, name="weather"))
    first, second = filled(path, replace(ORDER, result=replace(sample("order"), order=None)), unknown)
    history = History(path, pytest.fail)
    with pytest.raises(StoreError, match=f"Experiment {first} is damaged.*findings of order alone"):
        history.experiments.load(first)
    with pytest.raises(StoreError, match=f"Experiment {second} is damaged.*not known"):
        history.experiments.load(second)
    history.close()


def test_any_damage_of_the_file_ends_in_a_sentence(path: Path) -> None:
    filled(path, ORDER, STOPPED_ONE)
    change(path, "PRAGMA journal_mode = DELETE")
    whole, chance = path.read_bytes(), random.Random(3)
    told: list[str] = []
    for _ in range(60):
        for file in path.parent.iterdir():
            file.unlink()
        data = bytearray(whole)
        for _ in range(chance.choice([1, 5, 50])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        history = History(path, told.append)
        for id_ in [*ids_of(history), 1, 2]:
            try:
                history.experiments.load(id_)
            except StoreError as error:
                told.append(str(error))
        assert history.experiments.add(ORDER)
        history.close()
    assert told
