"""What is taken from inside Triton stands in one file, and our kernels ask it for what they need."""

import ast
from pathlib import Path

import pytest
import torch

import lnkernels
from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import kernel_results
from lnkernels.launch import LAUNCHED, LaunchWish, resolve_launch
from lnkernels.triton_internals import launching

KERNELS = Path(lnkernels.__file__).parent
EXPLORER = KERNELS.parents[1] / "lnexplorer"
OPEN = ("triton", "triton.language", "triton.language.extra")


def test_nothing_else_imports_from_below_triton() -> None:
    found = {}
    for path in (*KERNELS.rglob("*.py"), *EXPLORER.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if "triton" in text else "")):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if any(name.split(".")[0] == "triton" and name not in OPEN for name in names):
                found[path.name] = names
    assert set(found) == {"triton_internals.py"}


@pytest.mark.parametrize("strategy", LAUNCHED)
def test_every_launch_of_ours_asks_for_fused_products_and_sums(strategy: str) -> None:
    asked: list[object] = []

    def note(*_given: object, **options: object) -> None:
        asked.append(options.get("enable_fp_fusion"))

    inputs = make_inputs(8, 64, torch.float16, "tutorial", 0, "cpu")
    launch = resolve_launch(64, "float16", LaunchWish(strategy=strategy))
    with launching(note):
        kernel_results(inputs, 1e-5, launch)
    assert len(asked) >= 2
    assert all(asked)
