"""The files of the tutorial's curve."""

import signal
from dataclasses import replace
from pathlib import Path

from lnexplorer.__main__ import main
from lnexplorer.cli.sweep import give_out, sweep_parser
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import Axis, SweepRequest
from lnexplorer.report.files import chart_rows, of_one_kind
from lnkernels.values.environment import Kind
from tests.cli.sweep.commands import started, wait_for_rows
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


def test_without_speeds_the_tables_are_written_all_the_same(tmp_path: Path) -> None:
    sweep = SweepRequest(base=RunRequest(m=16), axes=(Axis(name="n", values=(64, 128)),), strategies=("locked",), providers=())
    results = [replace(row(cell, time_ms=None), kind=Kind.INTERPRETED) for cell in all_cells(sweep)]
    options = sweep_parser().read(["--tutorial", "--tutorial-output", str(tmp_path)])
    assert give_out(options, sweep, results, ("finished", ""), {})
    table = (tmp_path / "layer-norm-backward.csv").read_text()
    assert table == "N,Triton (GB/s)\n64.000000,\n128.000000,\n"


def test_an_interrupted_curve_has_its_files_once_it_went_on(tmp_path: Path) -> None:
    path, folder = tmp_path / "rows.csv", tmp_path / "out"
    with started("sweep", "--tutorial", "--n", "1024:8192:512", "--device", "cuda:0", "--csv", str(path)) as process:
        wait_for_rows(path, 2)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert main(["sweep", "--resume", str(path), "--device", "cuda:0", "--tutorial-output", str(folder)]) == 0
    assert len((folder / "layer-norm-backward.csv").read_text().splitlines()) == 1 + 15


def test_rows_of_unlike_gpus_are_never_one_line_of_the_tutorial_s_files() -> None:
    sweep = SweepRequest(base=RunRequest(m=4096), axes=(Axis(name="n", values=(512, 1024, 2048)),))
    gpus = ("NVIDIA A100", "NVIDIA H200", "NVIDIA H200")
    results = [row(cell, gpu=gpu) for cell, gpu in zip(all_cells(sweep), gpus, strict=True)]
    shown, said = of_one_kind(results)
    assert [each.cell.request.n for each in shown] == [1024, 2048]
    assert "1 of NVIDIA A100" in said
    ceiling, *lines = [each for each in chart_rows(sweep, shown, "forward") if each.n == 1024]
    assert (ceiling.provider, ceiling.gbps) == ("copy", 200.0)
    assert [each.provider for each in lines] == ["locked"]
