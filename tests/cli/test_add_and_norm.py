"""Commands with the norm of x + residual: chosen, found out from a file, named everywhere."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command, Refused
from tests.lnkernels.test_add_and_norm import FLASH, RMS

pytestmark = pytest.mark.usefixtures("worker")
SHAPE = "--m 4 --n 16"
SMALL = f"{SHAPE} --device interpreter -q"


def test_a_file_that_adds_is_run_checked_and_named(tmp_path: Path, lnexplorer: Command) -> None:
    (path := tmp_path / "mine.py").write_text(RMS)
    run = f"run {SMALL} --provider {path}"
    told = lnexplorer(run).out
    assert "RMSNorm + residual 4×16 float16" in told
    assert "mine: all results are within tolerance" in told
    assert "PyTorch adds the residual before them" in told
    assert "RMSNorm + residual 4×16 float16" in lnexplorer("history show 1").out
    path.write_text(RMS.replace("to(x.dtype), total", "to(x.dtype), x * 1"))
    assert "residual_out is wrong in 64 of its elements" in lnexplorer(run, status=1).out


def test_the_option_is_a_norm_of_its_own(lnexplorer: Command) -> None:
    given = "--norm rms_norm --residual"
    document = lnexplorer(f"run {SMALL} {given} --provider none --json").document
    assert document["request"]["norm"] == "add_rms_norm"
    assert set(document["correctness"]) == {"y", "dx", "dw"}


def test_what_can_do_without_a_residual_is_given_one_where_that_is_asked_for(
    tmp_path: Path, lnexplorer: Command
) -> None:
    (path := tmp_path / "mine.py").write_text(FLASH)
    run = f"run {SMALL} --provider {path}:layer_norm_fn"
    assert "LayerNorm + residual 4×16 float16" in lnexplorer(f"{run} --residual").out


def test_a_sweep_names_the_norm_and_its_rows_are_kept(tmp_path: Path, lnexplorer: Command) -> None:
    (path := tmp_path / "mine.py").write_text(RMS)
    csv = tmp_path / "rows.csv"
    line = f"sweep {SMALL} --strategy persistent --provider {path} --csv {csv}"
    assert "RMSNorm + residual" in lnexplorer(line).out
    rows = csv.read_text().splitlines()
    assert len(rows) == 3
    assert all("add_rms_norm" in row for row in rows[1:])


def test_what_the_strategies_kernels_have_not_is_refused(
    tmp_path: Path, lnexplorer: Command, refused: Refused
) -> None:
    told = refused(f"touch {SHAPE} --residual")
    assert "choose layer_norm or rms_norm: PyTorch adds" in told
    told = refused(f"experiment order {SHAPE} --device interpreter --residual")
    assert "norm = add_layer_norm (--norm) is not possible" in told
    lnexplorer(f"run {SMALL} --residual --provider none")
    told = lnexplorer(f"export {tmp_path}/run.py --last 1", status=2).err
    assert "which add no residual" in told
    lnexplorer(f"export {tmp_path}/run.csv --last 1")
    assert "add_layer_norm" in (tmp_path / "run.csv").read_text()
