"""The files of the tutorial's curve."""

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from lnexplorer.__main__ import main
from lnexplorer.cli.sweep import give_out
from lnexplorer.cli.sweep_options import sweep_parser
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.domain.sweep.table import row as table_row
from lnexplorer.report.files import chart_rows, of_one_kind
from lnkernels.values.environment import Kind
from tests.cli.sweep.commands import started, wait_for_rows
from tests.domain.sweep.results import row

NOT_WRITTEN = "lnexplorer sweep: the tutorial's files are not written: "


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


def test_without_speeds_it_is_said_why_there_are_no_files_and_how_to_have_them(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = SweepRequest(base=RunRequest(m=16), axes=(Axis(name="n", values=(64, 128)),), strategies=("locked",), providers=())
    results = [replace(row(cell, time_ms=None), kind=Kind.INTERPRETED) for cell in all_cells(sweep)]
    rows = [table_row(sweep, result) for result in results]
    options = sweep_parser().parse_args(["--tutorial"])
    assert give_out(options, sweep, rows, results, ("finished", ""), {})
    why = "the interpreter's times mean nothing, so no row has a speed"
    said = f"{NOT_WRITTEN}{why}; --tutorial-output DIR writes the tables all the same, without speeds\n"
    assert capsys.readouterr().err == said
    assert not (home / "tutorial").exists()
    options.tutorial_output = tmp_path / "out"
    assert give_out(options, sweep, rows, results, ("finished", ""), {})
    assert NOT_WRITTEN not in capsys.readouterr().err
    table = (tmp_path / "out" / "layer-norm-backward.csv").read_text()
    assert table == "N,Triton (GB/s)\n64.000000,\n128.000000,\n"


def test_an_interrupted_curve_says_how_to_have_its_files(tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, folder = tmp_path / "rows.csv", tmp_path / "out"
    arguments = ["sweep", "--tutorial", "--n", "1024:8192:512", "--device", "cuda:0", "--csv", str(path)]
    with started(*arguments) as process:
        wait_for_rows(path, 2)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        how = f"lnexplorer sweep --resume {path} --tutorial-output DIR goes on and writes them"
        assert f"{NOT_WRITTEN}the sweep did not come to its end; {how}\n" in process.stderr.read()
    assert not (home / "tutorial").exists()
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--tutorial-output", str(folder)]) == 0
    assert len((folder / "layer-norm-backward.csv").read_text().splitlines()) == 1 + 15
    assert NOT_WRITTEN not in capsys.readouterr().err


def test_what_is_no_curve_over_n_has_no_files_of_the_tutorial_which_is_said(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sweep", "--tutorial", "--n", "1024", "--device", "cuda:0"]) == 0
    assert f"{NOT_WRITTEN}they show a curve over N, and over nothing else\n" in capsys.readouterr().err
    assert not (home / "tutorial").exists()


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
