"""The rows of a sweep, the files of the tutorial's curve, and a search."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.sweep.conftest import CURVE, GROUPS, table
from tests.engine.sweep.fake_worker import DIES, WRONG


def test_every_setting_has_a_row_in_the_file_and_in_the_document(
    tmp_path: Path, lnexplorer: Command
) -> None:
    found = lnexplorer(f"{CURVE} --csv {tmp_path}/rows.csv --json").document
    assert (found["ended"], found["counts"]["ok"]) == ("finished", 14)
    rows = table(tmp_path / "rows.csv")
    assert [row["cell"] for row in rows] == [str(number) for number in range(14)]
    assert {(row["provider"], row["n"]) for row in rows} == {
        (p, str(n)) for p in ("locked", "torch") for n in range(1024, 4097, 512)
    }
    assert found["rows"][0]["forward_gbps"] == float(rows[0]["forward_gbps"]) > 0
    assert {"n": 1536, "name": "block_size", "before": 1024, "after": 2048} in found["changes"]


def test_a_setting_that_fails_has_its_status_and_reason_and_the_best_is_named(
    lnexplorer: Command,
) -> None:
    captured = lnexplorer(GROUPS)
    lines = {line.split()[0]: line for line in captured.out.splitlines() if line[:1].isdigit()}
    assert f"{DIES}" in lines
    assert "failed: The worker was killed" in lines[str(DIES)]
    assert "incorrect: dw is not within its tolerance." in lines[str(WRONG)]
    assert "5 settings: 3 right, 1 wrong, 1 failed." in captured.out
    assert (
        "Best forward, M = 4096, N = 1024, float16, NVIDIA H200: locked, GROUP_SIZE_M = 64"
        in captured.out
    )
    assert "about" in captured.err


def test_on_the_interpreter_rows_have_errors_and_no_speeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    monkeypatch.undo()  # of the worker that invents
    monkeypatch.setenv("LNEXPLORER_HOME", str(tmp_path / "home"))
    path = tmp_path / "rows.csv"
    line = "sweep --m 4 --n 64 --group-size-m 1,2 --provider torch --device interpreter --csv"
    assert "Rows have errors here, and no speeds" in lnexplorer(line, path).err
    rows = table(path)
    assert [(row["provider"], row["group_size_m"], row["status"], row["kind"]) for row in rows] == [
        ("locked", "1", "ok", "interpreted"),
        ("torch", "", "ok", "interpreted"),
        ("locked", "2", "ok", "interpreted"),
    ]
    assert all(float(row["dw_max_abs_error"]) > 0 and row["forward_gbps"] == "" for row in rows)


def test_the_tutorial_s_files_have_its_names_and_columns(
    lnexplorer: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    lnexplorer("sweep --tutorial --n 1024:2048:512 --device cuda:0 --tutorial-output", folder)
    lines = (folder / "layer-norm-backward.csv").read_text().splitlines()
    assert lines[0] == "N,Triton (GB/s),Torch (GB/s)"
    assert [line.split(",")[0] for line in lines[1:]] == [
        "1024.000000",
        "1536.000000",
        "2048.000000",
    ]
    assert all(float(value) > 0 for line in lines[1:] for value in line.split(",")[1:])
    for name in ("layer-norm-backward.png", "layer-norm-forward.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
