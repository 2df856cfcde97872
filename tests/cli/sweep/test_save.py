"""`lnexplorer sweep --save`, with a worker that invents its figures."""

import errno
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lnexplorer.cli.main import main
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.timeline import LockWait
from lnexplorer.store.recordings import read_recorded_sweep, recorded_sweep, write_recorded_sweep
from lnkernels.values.environment import Kind
from tests.cli.sweep.commands import CURVE, run
from tests.domain.sweep.results import row


def test_every_row_is_saved_with_its_samples_and_comes_back_as_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "curve.lnsweep"
    assert main([*CURVE, "--save", str(path), "--title", "My curve", "--json"]) == 0
    captured = capsys.readouterr()
    assert f"14 rows are saved as {path}. Open it with: lnexplorer {path}" in captured.err
    found = read_recorded_sweep(path)
    assert (found.title, found.ended, found.total) == ("My curve", "finished", 14)
    assert {result.kind for result in found.results} == {Kind.RECORDED}
    printed = [row["forward_gbps"] for row in json.loads(captured.out)["rows"]]
    forward = [result.figure("forward") for result in found.results]
    assert [figure and figure.gbps for figure in forward] == printed
    assert all(
        figure is not None and np.all(figure.samples_ms > 0) and figure.samples_ms.size
        for figure in forward
    )


def test_a_file_of_that_name_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "curve.lnsweep"
    path.write_text("mine")
    assert main([*CURVE, "--save", str(path)]) == 0
    assert f"{path} was there already, and is kept as curve.lnsweep.2" in capsys.readouterr().err
    assert [each.read_text() for each in tmp_path.glob("curve.lnsweep.2*")] == ["mine"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--save /dev/null/one/two.lnsweep", "in a folder that is there"),
        ("--csv a.lnsweep --save a.lnsweep", "name another file than that of the rows"),
        ("--save a.json", "name a file that ends in .lnsweep"),
        ("--title Mine", "title = Mine is not possible"),
    ],
)
def test_a_place_that_cannot_be_is_refused_before_anything_is_tried(
    arguments: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*CURVE, *arguments.split()]) == 2
    assert said in capsys.readouterr().err


def test_a_disk_that_is_full_at_the_end_is_said_and_the_rows_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("lnexplorer.store.files.os.fsync", full)
    assert main([*CURVE, "--save", str(tmp_path / "curve.lnsweep"), "--json"]) == 3
    captured = capsys.readouterr()
    assert "No space left on device" in captured.err
    assert json.loads(captured.out)["counts"]["ok"] == 14


def test_a_recorded_sweep_is_shown_and_nothing_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "curve.lnsweep", tmp_path / "out"
    assert main([*CURVE, "--save", str(path), "--title", "My curve", "--json"]) == 0
    ran = json.loads(capsys.readouterr().out)
    (tmp_path / "asked").unlink()
    assert run("sweep --recorded", path, "--json", "--tutorial-output", folder) == 0
    captured = capsys.readouterr()
    shown = json.loads(captured.out)
    assert captured.err.startswith("lnexplorer sweep: My curve: recorded on ")
    assert not (tmp_path / "asked").exists()
    assert {row["kind"] for row in shown["rows"]} == {"recorded"}
    for name in ("sweep", "ended", "counts", "changes", "crossings"):
        assert shown[name] == ran[name]
    assert len(shown["best"]) == 14
    assert all(best in ran["best"] for best in shown["best"])
    assert [row | {"kind": "measured"} for row in shown["rows"]] == ran["rows"]
    assert (folder / "layer-norm-backward.csv").read_text().startswith("N,")
    assert run("sweep --recorded", path) == 0
    assert "14 settings: 14 right." in capsys.readouterr().out


@pytest.mark.parametrize("arguments", ["--n 64", "--csv rows.csv"])
def test_a_recorded_sweep_is_shown_alone(
    arguments: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(f"sweep --recorded curve.lnsweep {arguments}") == 2
    assert "recorded = curve.lnsweep is not possible: show it alone" in capsys.readouterr().err


def test_the_wait_for_locks_and_unlike_gpus_have_their_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = SweepRequest(
        base=RunRequest(m=4096, n=1024),
        axes=(Axis(name="group_size_m", values=(1, 16)),),
        strategies=("locked",),
        waits=True,
    )
    rows = [
        row(cell, gpu=gpu)
        for cell, gpu in zip(all_cells(sweep), ("NVIDIA H200", "NVIDIA A100"), strict=True)
    ]
    write_recorded_sweep(
        tmp_path / "waits.lnsweep",
        recorded_sweep(
            sweep, [replace(rows[0], wait=LockWait(trying_ns=710.0, queued_ns=12_340.0)), rows[1]]
        ),
    )
    assert run("sweep --recorded", tmp_path / "waits.lnsweep") == 0
    head, first, second = (line.split("  ") for line in capsys.readouterr().out.splitlines()[:3])
    assert {"gpu", "queued for a lock", "trying a free lock"} <= {each.strip() for each in head}
    assert {"NVIDIA H200", "12.3 µs", "0.710 µs"} <= {each.strip() for each in first}
    assert {"NVIDIA A100", "–"} <= {each.strip() for each in second}
