"""The files of the tutorial's curve."""

from pathlib import Path

import pytest

from lnexplorer.__main__ import main
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.sweep.table import row as table_row
from lnexplorer.domain.sweep.tutorial import chart_rows, of_one_kind
from tests.domain.sweep.results import row


def test_the_tutorial_s_files_have_its_names_and_columns(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    arguments = ["sweep", "--tutorial", "--n", "1024:2048:512", "--device", "cuda:0", "--tutorial-output", str(folder)]
    assert main(arguments) == 0
    lines = (folder / "layer-norm-backward.csv").read_text().splitlines()
    assert lines[0] == "N,Triton (GB/s),Torch (GB/s)"
    assert [line.split(",")[0] for line in lines[1:]] == ["1024.000000", "1536.000000", "2048.000000"]
    assert all(float(value) > 0 for line in lines[1:] for value in line.split(",")[1:])
    for name in ("layer-norm-backward.png", "layer-norm-forward.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")


def test_the_tutorial_s_curve_leaves_its_files_by_itself(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "--tutorial", "--n", "1024:2048:512", "--device", "cuda:0"]) == 0
    (folder,) = (home / "tutorial").iterdir()
    names = {f"layer-norm-{direction}.{kind}" for direction in ("forward", "backward") for kind in ("csv", "png")}
    assert {path.name for path in folder.iterdir()} == names
    assert f"wrote {folder / 'layer-norm-backward.png'}" in capsys.readouterr().err
    assert main(["sweep", "--m", "4096", "--n", "1024,2048", "--device", "cuda:0"]) == 0
    assert len(list((home / "tutorial").iterdir())) == 1, "no other curve does"


def test_rows_of_unlike_gpus_are_never_one_line_of_the_tutorial_s_files() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024, 2048)),))
    gpus = ("NVIDIA A100", "NVIDIA H200", "NVIDIA H200")
    results = [row(cell, gpu=gpu) for cell, gpu in zip(all_cells(sweep), gpus, strict=True)]
    shown, said = of_one_kind([table_row(sweep, result) for result in results])
    assert [each["n"] for each in shown] == [1024, 2048]
    assert "1 of NVIDIA A100" in said
    ceiling, *lines = [each for each in chart_rows(sweep, shown, "forward") if each.n == 1024]
    assert (ceiling.provider, ceiling.gbps) == ("copy", 200.0)
    assert [each.provider for each in lines] == ["locked"]
