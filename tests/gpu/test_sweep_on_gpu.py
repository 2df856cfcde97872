"""Sweeps with real times."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from lnexplorer.engine.sources import why_no_search
from tests.cli.sweep.conftest import table
from tests.programs import run_command

pytestmark = pytest.mark.gpu

CURVE = "--m 4096 --n 1024:3072:1024 --strategy locked,persistent --provider torch --effort quick"


def sweep(home: Path, line: str, device: str = "cuda:0") -> subprocess.CompletedProcess[str]:
    return run_command(f"sweep {line} --device {device}", seconds=170, LNEXPLORER_HOME=str(home))


def test_every_row_of_a_curve_has_both_speeds_and_its_share_of_the_ceiling(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    run = sweep(tmp_path, f"{CURVE} --csv {path} --json")
    assert run.returncode == 0, run.stderr
    rows = table(path)
    assert [(row["provider"], row["status"]) for row in rows] == [
        (name, "ok") for name in ("locked", "persistent", "torch")
    ] * 3
    for row in rows:
        assert row["kind"] == "measured"
        assert row["device"] == "cuda:0"
        for direction in ("forward", "backward"):
            assert (
                float(row[f"{direction}_p20_gbps"])
                <= float(row[f"{direction}_gbps"])
                <= float(row[f"{direction}_p80_gbps"])
            )
            assert 0 < float(row[f"{direction}_share_of_ceiling"]) < 2
    own = [row for row in rows if row["provider"] != "torch"]
    assert all(int(row["forward_registers"]) > 0 for row in own)
    document = json.loads(run.stdout)
    assert 0 < document["times"]["timing_seconds"] < document["times"]["wall_seconds"]
    assert len(document["best"]) == 6


def test_a_curve_that_was_cut_short_goes_on_without_measuring_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    assert sweep(tmp_path, f"{CURVE} --csv {path}").returncode == 0
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:6]))
    run = sweep(tmp_path, f"--resume {path}")
    assert run.returncode == 0, run.stderr
    assert "9 settings, 5 with a row already" in run.stderr
    assert path.read_text().splitlines(keepends=True)[:6] == lines[:6]
    assert len(table(path)) == 9


def test_dask_workers_have_a_gpu_each_and_share_the_settings(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs Dask: pip install '.[cluster]'")
    torch = pytest.importorskip("torch")
    gpus, path = min(torch.cuda.device_count(), 2), tmp_path / "rows.csv"
    groups = "--m 4096 --n 1024,2048 --group-size-m 16:168:8 --effort quick"
    run = sweep(tmp_path, f"{groups} --cluster local:{gpus} --csv {path}", "auto")
    assert run.returncode == 0, run.stderr
    rows = table(path)
    assert [row["cell"] for row in rows] == [str(cell) for cell in range(40)]
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["device"] for row in rows} == {
        f"{os.uname().nodename}/cuda:{index}" for index in range(gpus)
    }


@pytest.mark.skipif(bool(why_no_search()), reason="the search needs the extra `search`")
def test_a_search_times_settings_and_names_the_best_of_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    asked = f"--m 4096 --n 1024 --search 12 --effort quick --csv {path} --json"
    run = sweep(tmp_path, asked)
    assert run.returncode == 0, run.stderr
    document = json.loads(run.stdout)
    right = [row for row in document["rows"] if row["status"] == "ok"]
    timed = {row["cell"]: row["forward_p50_ms"] + row["backward_p50_ms"] for row in right}
    assert len(document["rows"]) == 12
    assert len(timed) > 1
    (best,) = document["best"]
    assert best["mode"] == "forward,backward"
    assert timed[best["cell"]] == min(timed.values())
