"""Commands with RMSNorm: chosen, found out from a file, named everywhere."""

from pathlib import Path

import pytest

from lnexplorer.cli.options import norm_of
from lnkernels.launch.source import find_source
from tests.cli.conftest import Command, Refused
from tests.lnkernels.test_rms_norm import LLAMA

pytestmark = pytest.mark.usefixtures("worker")
SHAPE = "--m 4 --n 16 --device interpreter"
SMALL = f"{SHAPE} -q"
LAYER_NORM = "def layer_norm(x, normalized_shape, weight, bias, eps): pass\n"


def test_a_run_of_rmsnorm_is_named_in_its_document_its_text_and_the_history(
    lnexplorer: Command,
) -> None:
    document = lnexplorer(f"run {SMALL} --norm rms_norm --provider none --json").document
    assert document["request"]["norm"] == "rms_norm"
    assert set(document["correctness"]) == {"y", "dx", "dw"}
    assert "RMSNorm 4×16 float16" in lnexplorer("history show 1").out
    lnexplorer(f"run {SMALL} --provider none")
    for norm, run in (("rms_norm", "1"), ("layer_norm", "2")):
        line = lnexplorer(f"history list --filter norm={norm}").out.splitlines()[-1].split()
        assert line[0] == run


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LLAMA, "rms_norm"),
        (LAYER_NORM, "layer_norm"),
        (LLAMA + LAYER_NORM, ""),  # has both
        (LLAMA.replace("RMSNorm", "Norm"), ""),
    ],
)
def test_a_norm_is_taken_from_names_that_are_certain(tmp_path: Path, text: str, told: str) -> None:
    (path := tmp_path / "mine.py").write_text(text)
    found = find_source(str(path))
    assert found.norm == told
    assert norm_of([found]) == (told or None)
    assert find_source("liger_kernel.ops.rms_norm:LigerRMSNormFunction").norm == "rms_norm"


def test_a_file_with_rmsnorm_needs_no_option_and_one_that_is_not_certain_asks(
    tmp_path: Path, lnexplorer: Command
) -> None:
    (path := tmp_path / "mine.py").write_text(LLAMA)
    run = f"run {SMALL} --provider {path}"
    assert "RMSNorm 4×16 float16" in (told := lnexplorer(run).out)
    assert "mine: all results are within tolerance" in told
    told = lnexplorer(f"{run} --norm layer_norm", status=1).out
    assert "RMSNorm is no LayerNorm, by its name: choose norm rms_norm" in told
    path.write_text(LLAMA.replace("RMSNorm", "Norm"))
    assert "Norm takes no bias: choose norm rms_norm" in lnexplorer(run, status=1).out


def test_what_rmsnorm_has_not_is_refused(refused: Refused) -> None:
    told = refused(f"trace {SHAPE} --norm rms_norm --source measured")
    assert "RMSNorm has no db" in told
    told = refused(f"experiment order {SHAPE} --norm rms_norm")
    assert "norm = rms_norm (--norm) is not possible: choose layer_norm" in told
