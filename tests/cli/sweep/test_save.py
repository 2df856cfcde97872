"""`lnexplorer sweep --save`, with a worker that invents its figures."""

import errno
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.timeline import LockWait
from lnexplorer.store.recordings import read_recorded_sweep, recorded_sweep, write_recorded_sweep
from lnkernels.values.environment import Kind
from tests.cli.conftest import Command
from tests.cli.sweep.conftest import CURVE
from tests.domain.sweep.results import row


def test_every_row_is_saved_with_its_samples_and_comes_back_as_recorded(
    tmp_path: Path, lnexplorer: Command
) -> None:
    path = tmp_path / "curve.lnsweep"
    captured = lnexplorer(f"{CURVE} --save {path} --title 'My curve' --json")
    assert f"14 rows are saved as {path}. Open it with: lnexplorer {path}" in captured.err
    found = read_recorded_sweep(path)
    assert (found.title, found.ended, found.total) == ("My curve", "finished", 14)
    assert {result.kind for result in found.results} == {Kind.RECORDED}
    printed = [row["forward_gbps"] for row in captured.document["rows"]]
    forward = [result.figure("forward") for result in found.results]
    assert [figure and figure.gbps for figure in forward] == printed
    assert all(
        figure is not None and np.all(figure.samples_ms > 0) and figure.samples_ms.size
        for figure in forward
    )


def test_a_file_of_that_name_is_kept(tmp_path: Path, lnexplorer: Command) -> None:
    path = tmp_path / "curve.lnsweep"
    path.write_text("mine")
    assert (
        f"{path} was there already, and is kept as curve.lnsweep.2"
        in lnexplorer(f"{CURVE} --save {path}").err
    )
    assert [each.read_text() for each in tmp_path.glob("curve.lnsweep.2*")] == ["mine"]


def test_a_disk_that_is_full_at_the_end_is_said_and_the_rows_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lnexplorer: Command
) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("lnexplorer.store.files.os.fsync", full)
    captured = lnexplorer(f"{CURVE} --save {tmp_path}/curve.lnsweep --json", status=3)
    assert "No space left on device" in captured.err
    assert captured.document["counts"]["ok"] == 14


def test_a_recorded_sweep_is_shown_and_nothing_is_run(tmp_path: Path, lnexplorer: Command) -> None:
    path, folder = tmp_path / "curve.lnsweep", tmp_path / "out"
    ran = lnexplorer(f"{CURVE} --save {path} --title 'My curve' --json").document
    (tmp_path / "asked").unlink()
    captured = lnexplorer("sweep --recorded", path, "--json", "--tutorial-output", folder)
    shown = captured.document
    assert captured.err.startswith("lnexplorer sweep: My curve: recorded on ")
    assert not (tmp_path / "asked").exists()
    assert {row["kind"] for row in shown["rows"]} == {"recorded"}
    for name in ("sweep", "ended", "counts", "changes", "crossings"):
        assert shown[name] == ran[name]
    assert len(shown["best"]) == 14
    assert all(best in ran["best"] for best in shown["best"])
    assert [row | {"kind": "measured"} for row in shown["rows"]] == ran["rows"]
    assert (folder / "layer-norm-backward.csv").read_text().startswith("N,")
    assert "14 settings: 14 right." in lnexplorer("sweep --recorded", path).out


def test_the_wait_for_locks_and_unlike_gpus_have_their_columns(
    tmp_path: Path, lnexplorer: Command
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
    head, first, second = (
        line.split("  ")
        for line in lnexplorer("sweep --recorded", tmp_path / "waits.lnsweep").out.splitlines()[:3]
    )
    assert {"gpu", "queued for a lock", "trying a free lock"} <= {each.strip() for each in head}
    assert {"NVIDIA H200", "12.3 µs", "0.710 µs"} <= {each.strip() for each in first}
    assert {"NVIDIA A100", "–"} <= {each.strip() for each in second}
