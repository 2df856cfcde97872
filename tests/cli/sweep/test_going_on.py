"""A sweep that is interrupted, and `--resume`: what has a row is not measured again."""

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.store.files import StoreError
from lnexplorer.store.recordings import read_recorded_sweep
from lnexplorer.store.sweep_csv import SweepFile
from lnexplorer.store.sweep_keeper import KeptSweep, kept_sweep
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import say
from tests.cli.conftest import Command, Refused
from tests.cli.sweep.conftest import CURVE, started, table, wait_for_rows
from tests.engine.sweep.conftest import hold_after


def test_a_sweep_that_is_asked_to_end_keeps_its_rows_and_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, saved = tmp_path / "rows.csv", tmp_path / "curve.lnsweep"
    hold_after(1, tmp_path, monkeypatch)
    with started(f"{CURVE} --csv {path} --save {saved}") as process:
        wait_for_rows(path, 2)
        process.send_signal(signal.SIGHUP)
        assert process.wait(60) == 128 + signal.SIGHUP
        assert process.stderr is not None
        said = process.stderr.read()
    assert "interrupted" in said
    assert f"lnexplorer sweep --resume {path} goes on" in said
    found = read_recorded_sweep(saved)
    assert (found.ended, found.total) == ("cancelled", 14)
    assert 2 <= len(table(path)) == len(found.results) < 14


def test_a_disk_that_fills_up_ends_the_sweep_and_keeps_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    add = SweepFile.add

    def add_some(self: SweepFile, result: CellResult) -> None:
        if self.count == 2:
            raise StoreError(say("rows.csv cannot be written (No space left on device)."))
        add(self, result)

    with monkeypatch.context() as patch:
        patch.setattr(SweepFile, "add", add_some)
        said = lnexplorer(f"{CURVE} --csv {tmp_path}/rows.csv", status=3).err
    assert "No space left on device" in said
    assert "goes on" in said
    assert len(table(tmp_path / "rows.csv")) == 2
    lnexplorer(f"{CURVE} --resume {tmp_path}/rows.csv")
    assert len(table(tmp_path / "rows.csv")) == 14


def test_a_file_of_another_sweep_or_none_or_of_another_history_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command, refused: Refused
) -> None:
    path = tmp_path / "rows.csv"
    lnexplorer(f"{CURVE} --n 1024 --csv {path}")
    assert "of another sweep: --m 4096 --n 1024 --strategy" in refused(f"{CURVE} --resume {path}")
    assert (
        "No such file"
        in lnexplorer("sweep --resume", tmp_path / "none.csv", "--json", status=2).document[
            "error"
        ]["cause"]
    )
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path / "elsewhere"))
    assert f"The rows of {path} are not in {tmp_path}/elsewhere" in refused("sweep --resume", path)
    assert not (tmp_path / "elsewhere").exists(), "who only reads makes nothing"


def interpreted(kept: KeptSweep) -> KeptSweep:
    return replace(
        kept, results=tuple(replace(result, kind=Kind.INTERPRETED) for result in kept.results)
    )


def test_measured_and_interpreted_rows_do_not_mix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    path = tmp_path / "rows.csv"
    lnexplorer(f"{CURVE} --csv {path}")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    monkeypatch.setattr(
        "lnexplorer.cli.sweep.kept_sweep", lambda *given: interpreted(kept_sweep(*given))
    )
    captured = lnexplorer(f"{CURVE} --resume {path} --json", status=2)
    assert "has interpreted rows, and this device gives measured ones" in captured.err
    assert captured.document["error"]["kind"] == "invalid"
