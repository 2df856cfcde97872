"""`--resume`: what has a row is not measured again, and a file that is not of this sweep is left alone."""

import json
import signal
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.__main__ import main
from lnexplorer.cli.sweep import kept_sweep
from lnexplorer.cli.sweep_session import KeptSweep
from lnexplorer.doctor.facts import Driver
from lnexplorer.store.history import open_history
from lnexplorer.store.paths import find_paths
from lnkernels.values.environment import Kind
from tests.cli.sweep.commands import CURVE, document, started, table, wait_for_rows


def test_a_killed_sweep_goes_on_with_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 3)
        process.send_signal(signal.SIGKILL)
    before = len(table(path))
    assert 3 <= before < 14
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--json"]) == 0
    assert len(table(path)) == 14
    asked = (tmp_path / "asked").read_text().splitlines()
    assert len(asked) - len(set(asked)) <= 2, "only what had no row when the process was killed was asked for again"
    assert f"{before} of them have a row already" in capsys.readouterr().err


def test_a_sweep_goes_on_where_its_rows_are_kept_though_the_same_command_was_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 3)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    before = len(table(path))
    assert main([*CURVE, "--csv", str(tmp_path / "again.csv")]) == 0
    saved = tmp_path / "whole.lnsweep"
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--save", str(saved)]) == 0
    with open_history(find_paths().history, pytest.fail) as history:
        rows, first = history.sweeps.rows(), history.sweeps.load(1)
    assert [(kept.done, kept.ended) for kept in rows] == [(14, "finished"), (14, "finished")]
    seconds = {each["seconds"] for each in table(path)}
    assert {f"{result.seconds:.3f}".rstrip("0") for result in first.results} == {each.rstrip("0") for each in seconds}
    assert f"{before} of them have a row already" in (said := capsys.readouterr().err)
    assert "14 rows are saved" in said, "with the samples of the rows of before"


def test_a_sweep_that_another_process_is_at_is_not_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    with started(*CURVE, "--csv", str(path)) as process:
        wait_for_rows(path, 3)
        process.send_signal(signal.SIGKILL)
    before = table(path)
    with open_history(find_paths().history, pytest.fail) as window:
        window.sweeps.go_on(1)
        assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--json"]) == 2
    error = document(capsys)["error"]
    assert error["kind"] == "invalid"
    assert "Sweep 1 is running in another window or command" in error["cause"]
    assert table(path) == before
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0"]) == 0
    assert len(table(path)) == 14


def test_what_is_gone_on_with_has_its_samples_from_the_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    assert main([*CURVE, "--csv", str(path)]) == 0
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:8]))
    capsys.readouterr()
    assert main([*CURVE, "--resume", str(path), "--json"]) == 0
    assert len(document(capsys)["best"]) == 14, "forward and backward at seven N"
    with sqlite3.connect(tmp_path / "home" / "lnexplorer.sqlite3") as connection:
        found = connection.execute("SELECT sweep, count(*) FROM cells GROUP BY sweep").fetchall()
        ended = connection.execute("SELECT ended FROM sweeps").fetchall()
    connection.close()
    assert found == [(1, 14)]
    assert ended == [("finished",)]


def test_a_file_of_another_sweep_or_none_or_of_another_history_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    assert main([*CURVE[:-2], "--n", "1024", "--device", "cuda:0", "--csv", str(path)]) == 0
    assert main([*CURVE, "--resume", str(path)]) == 2
    assert "of another sweep: --m 4096 --n 1024 --strategy" in capsys.readouterr().err
    assert main(["sweep", "--resume", str(tmp_path / "none.csv"), "--json"]) == 2
    assert "No such file" in document(capsys)["error"]["cause"]
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path / "elsewhere"))
    assert main(["sweep", "--resume", str(path)]) == 2
    assert f"The rows of {path} are not in {tmp_path}/elsewhere" in capsys.readouterr().err


def interpreted(kept: KeptSweep) -> KeptSweep:
    return replace(kept, results=tuple(replace(result, kind=Kind.INTERPRETED) for result in kept.results))


def test_measured_and_interpreted_rows_do_not_mix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    assert main([*CURVE, "--csv", str(path)]) == 0
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    monkeypatch.setattr("lnexplorer.cli.sweep.kept_sweep", lambda path: interpreted(kept_sweep(path)))
    capsys.readouterr()
    assert main([*CURVE, "--resume", str(path), "--json"]) == 2
    captured = capsys.readouterr()
    assert "has interpreted rows, and this device gives measured ones" in captured.err
    assert json.loads(captured.out)["error"]["kind"] == "invalid"


def test_a_gpu_that_is_not_there_is_bad_input_to_what_has_rows_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    assert main([*CURVE, "--csv", str(path)]) == 0
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:8]))
    before = path.read_bytes()
    monkeypatch.setattr("lnexplorer.doctor.facts.find_driver", Driver)
    capsys.readouterr()
    assert main(["sweep", "--resume", str(path), "--device", "cuda:9", "--json"]) == 2
    (problem,) = document(capsys)["error"]["problems"]
    assert (problem["field"], problem["value"]) == ("device", "cuda:9")
    assert path.read_bytes() == before
