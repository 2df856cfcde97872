"""A sweep that is interrupted: its rows are kept, and it says how to go on."""

import json
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from lnexplorer.__main__ import main
from lnexplorer.cli.sweep_session import SweepProgressLine, SweepSession
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.engine.sweep import CellFinished
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import open_history
from lnexplorer.store.recordings import read_recorded_sweep
from lnexplorer.store.sweep_csv import SweepFile
from lnkernels.sentence import say
from tests.cli.sweep.commands import CURVE, started, table, wait_for_rows
from tests.engine.sweep.fake_worker import LOSES
from tests.store.examples import files_of_at_most


def test_an_interrupted_sweep_says_how_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 2)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        said = process.stderr.read()
    assert "interrupted" in said
    assert f"lnexplorer sweep --resume {path} goes on" in said
    assert len(table(path)) >= 2


def test_without_a_file_it_says_that_the_window_goes_on_with_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "--n", "1024", "--group-size-m", f"16,32,{LOSES},64,3,5", "--device", "cuda:0"]) == 3
    said = capsys.readouterr().err
    with open_history(home / "lnexplorer.sqlite3", pytest.fail) as history:
        (kept,) = history.sweeps.rows()
    assert (kept.ended, kept.done >= 1) == ("failed", True)
    assert f"kept as sweep {kept.id}: the window goes on with it" in said


def test_one_that_is_interrupted_before_its_first_row_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    path = folder / "keep.csv"
    path.write_text("of before\n")
    with started(*CURVE, "--csv", str(path), seconds="60") as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "asked").exists():  # a worker is at the first row
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        assert "kept as" not in process.stderr.read()
    assert [(each.name, each.read_text()) for each in folder.iterdir()] == [("keep.csv", "of before\n")]


def test_ctrl_c_again_and_again_is_one_ctrl_c(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 2)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        assert process.stderr is not None
        err = process.stderr.read()
    assert process.returncode == 130
    assert f"lnexplorer sweep --resume {path} goes on" in err
    assert "Traceback" not in err
    assert len(table(path)) >= 2


def test_a_sweep_that_cannot_say_how_far_it_is_lets_go_of_its_file_and_says_how_it_ended(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(1024, 1536)),))
    path = tmp_path / "rows.csv"

    def show(_line: SweepProgressLine, event: object) -> None:
        if isinstance(event, CellFinished):
            raise BrokenPipeError("nobody reads")

    monkeypatch.setattr(SweepProgressLine, "show", show)
    with pytest.raises(BrokenPipeError):
        SweepSession(sweep, SweepFile(path, sweep)).run(("cuda:0",), None)
    assert len(table(path)) >= 1
    with sqlite3.connect(home / "lnexplorer.sqlite3") as database:
        assert database.execute("SELECT ended FROM sweeps").fetchall() == [("failed",)]


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_sweep_that_is_asked_to_end_does_as_with_ctrl_c_and_has_a_status_of_its_own(
    sent: signal.Signals, status: int, tmp_path: Path
) -> None:
    path, saved = tmp_path / "rows.csv", tmp_path / "curve.lnsweep"
    with started(*CURVE, "--csv", str(path), "--save", str(saved)) as process:
        wait_for_rows(path, 2)
        process.send_signal(sent)
        assert process.wait(60) == status
        assert process.stderr is not None
        assert f"lnexplorer sweep --resume {path} goes on" in process.stderr.read()
    assert len(table(path)) == len(read_recorded_sweep(saved).results) >= 2


def test_without_room_for_its_first_line_a_sweep_fails_and_what_was_there_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("of before\n")
    with files_of_at_most(800):  # room for what the worker notes, and for less than a line of names
        assert main([*CURVE, "--csv", str(path), "--json"]) == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out)["rows"] == []
    assert f"{path} cannot be written (File too large)." in captured.err
    assert [file.name for file in tmp_path.glob("*.csv*")] == ["rows.csv"]
    assert path.read_text() == "of before\n"


def test_a_gpu_that_disappears_ends_the_sweep_and_the_rows_so_far_are_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    sizes = f"16,32,{LOSES},64,3,5"
    assert main(["sweep", "--n", "1024", "--group-size-m", sizes, "--device", "cuda:0", "--csv", str(path), "--json"]) == 3
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (found["ended"], found["because"]) == ("failed", "The GPU has fallen off the bus.")
    before = table(path)
    assert 1 <= len(before) < 6
    assert f"lnexplorer sweep --resume {path} goes on" in captured.err
    (tmp_path / "gone").unlink()
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0"]) == 0
    assert [row for row in table(path) if row["cell"] in {one["cell"] for one in before}] == sorted(
        before, key=lambda row: row["cell"]
    )
    assert len(table(path)) == 6


def test_a_disk_that_fills_up_ends_the_sweep_and_keeps_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add = SweepFile.add

    def add_some(self: SweepFile, result: CellResult) -> None:
        if self.count == 2:
            raise StoreError(say("rows.csv cannot be written (No space left on device)."))
        add(self, result)

    with monkeypatch.context() as patch:
        patch.setattr(SweepFile, "add", add_some)
        assert main([*CURVE, "--csv", str(tmp_path / "rows.csv")]) == 3
    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert "goes on" in said
    assert len(table(tmp_path / "rows.csv")) == 2
    assert main([*CURVE, "--resume", str(tmp_path / "rows.csv")]) == 0
    assert len(table(tmp_path / "rows.csv")) == 14
