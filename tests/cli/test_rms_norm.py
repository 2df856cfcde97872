"""Commands with RMSNorm: chosen, found out from a file, named everywhere."""

import json
from pathlib import Path

import pytest

from lnexplorer.cli.main import main
from lnexplorer.cli.options import norm_of
from lnkernels.launch.source import find_source
from tests.lnkernels.test_rms_norm import LLAMA

pytestmark = pytest.mark.usefixtures("worker")
SMALL = ("--m", "4", "--n", "16", "--device", "interpreter", "-q")
LAYER_NORM = "def layer_norm(x, normalized_shape, weight, bias, eps): pass\n"


def test_a_run_of_rmsnorm_is_named_in_its_document_its_text_and_the_history(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", *SMALL, "--norm", "rms_norm", "--provider", "none", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["request"]["norm"] == "rms_norm"
    assert set(document["correctness"]) == {"y", "dx", "dw"}
    assert main(["history", "show", "1"]) == 0
    assert "RMSNorm 4×16 float16" in capsys.readouterr().out
    assert main(["run", *SMALL, "--provider", "none"]) == 0
    capsys.readouterr()
    for norm, run in (("rms_norm", "1"), ("layer_norm", "2")):
        assert main(["history", "list", "--filter", f"norm={norm}"]) == 0
        line = capsys.readouterr().out.splitlines()[-1].split()
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
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "mine.py").write_text(LLAMA)
    run = ("run", *SMALL, "--provider", str(path))
    assert main([*run]) == 0
    assert "RMSNorm 4×16 float16" in (told := capsys.readouterr().out)
    assert "mine: all results are within tolerance" in told
    assert main([*run, "--norm", "layer_norm"]) == 1
    assert "RMSNorm is no LayerNorm, by its name: choose norm rms_norm" in capsys.readouterr().out
    path.write_text(LLAMA.replace("RMSNorm", "Norm"))
    assert main([*run]) == 1
    assert "Norm takes no bias: choose norm rms_norm" in capsys.readouterr().out


def test_what_rmsnorm_has_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    small = SMALL[:-1]
    assert main(["trace", *small, "--norm", "rms_norm", "--source", "measured"]) == 2
    assert "RMSNorm has no db" in capsys.readouterr().err
    assert main(["experiment", "order", *small, "--norm", "rms_norm"]) == 2
    assert "norm = rms_norm (--norm) is not possible: choose layer_norm" in capsys.readouterr().err
