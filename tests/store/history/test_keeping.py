"""Runs are kept, deleted, brought back, and survive whatever ends the program."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lnexplorer.protocol.codec import encode
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History
from lnkernels.values.environment import Kind
from tests.store.examples import small_result
from tests.store.history.histories import filled, ids_of, rows


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
    with pytest.raises(StoreError, match=f"no run {first}"):
        history.load(first)
    assert history.add(small_result()) > second
    history.close()


def test_a_copied_history_is_whole(path: Path, tmp_path: Path) -> None:
    ids = filled(path)
    copy = tmp_path / "copy.sqlite3"
    shutil.copyfile(path, copy)
    history = History(copy, pytest.fail)
    assert ids_of(history) == ids
    history.close()


WRITER = """
import sys
from pathlib import Path
from lnexplorer.store.history import History
from tests.store.examples import small_result

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
