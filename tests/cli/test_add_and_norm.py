"""Commands with the norm of x + residual: chosen, found out from a file, named everywhere."""

import json
from pathlib import Path

import pytest

from lnexplorer.cli.main import main
from tests.lnkernels.test_add_and_norm import FLASH, RMS

pytestmark = pytest.mark.usefixtures("worker")
SMALL = ("--m", "4", "--n", "16", "--device", "interpreter", "-q")


def test_a_file_that_adds_is_run_checked_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "mine.py").write_text(RMS)
    run = ("run", *SMALL, "--provider", str(path))
    assert main([*run]) == 0
    told = capsys.readouterr().out
    assert "RMSNorm + residual 4×16 float16" in told
    assert "mine: all results are within tolerance" in told
    assert "PyTorch adds the residual before them" in told
    assert main(["history", "show", "1"]) == 0
    assert "RMSNorm + residual 4×16 float16" in capsys.readouterr().out
    path.write_text(RMS.replace("to(x.dtype), total", "to(x.dtype), x * 1"))
    assert main([*run]) == 1
    assert "residual_out is wrong in 64 of its elements" in capsys.readouterr().out


def test_the_option_is_a_norm_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--norm", "rms_norm", "--residual")
    assert main(["run", *SMALL, *given, "--provider", "none", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["request"]["norm"] == "add_rms_norm"
    assert set(document["correctness"]) == {"y", "dx", "dw"}


def test_what_can_do_without_a_residual_is_given_one_where_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "mine.py").write_text(FLASH)
    run = ("run", *SMALL, "--provider", f"{path}:layer_norm_fn")
    assert main([*run, "--residual"]) == 0
    assert "LayerNorm + residual 4×16 float16" in capsys.readouterr().out


def test_a_sweep_names_the_norm_and_its_rows_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "mine.py").write_text(RMS)
    csv = tmp_path / "rows.csv"
    sweep = ("sweep", "--m", "4", "--n", "16", "--device", "interpreter", "-q")
    only = ("--strategy", "persistent", "--provider", str(path))
    assert main([*sweep, *only, "--csv", str(csv)]) == 0
    assert "RMSNorm + residual" in capsys.readouterr().out
    rows = csv.read_text().splitlines()
    assert len(rows) == 3
    assert all("add_rms_norm" in row for row in rows[1:])


def test_what_the_strategies_kernels_have_not_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = (*SMALL[:-1], "--residual")
    assert main(["touch", *SMALL[:4], "--residual"]) == 2
    assert "choose layer_norm or rms_norm: PyTorch adds" in capsys.readouterr().err
    assert main(["experiment", "order", *given]) == 2
    assert "norm = add_layer_norm (--norm) is not possible" in capsys.readouterr().err
    assert main(["run", *SMALL, "--residual", "--provider", "none"]) == 0
    capsys.readouterr()
    assert main(["export", str(tmp_path / "run.py"), "--last", "1"]) != 0
    assert "which add no residual" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "run.csv"), "--last", "1"]) == 0
    assert "add_layer_norm" in (tmp_path / "run.csv").read_text()
