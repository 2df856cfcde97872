"""Scripts, notebooks, commands and settings that leave the program."""

import ast
import json
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from lnexplorer.cli.options import CommandParser, add_run_options, read_request
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.report.script import command, notebook, python_script, roots, sources
from lnkernels.launch import LAUNCHED
from tests.sample_results import exported_run

LECTURE = RunRequest.of(m=6, n=24, group_size_m=2, seed=3, num_warps=2)

# The script, with everything out of reach that is neither the standard library, nor torch and
# triton and what they need. Then the kernels as they are installed, on the same data.
RUN = """
import runpy, sys

class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"lnexplorer", "msgspec", "pandas", "platformdirs", "PySide6", "pyqtgraph", "pynvml"}:
            raise ModuleNotFoundError(f"{name} is out of reach")
        return None

def forget(folder):
    owns = {name: module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "lnkernels"}
    assert owns and all(file.startswith(folder) for file in owns.values()), owns
    for name in owns:
        del sys.modules[name]

sys.meta_path.insert(0, Wall())
kernels, found = sys.argv[1], {}
for script in sys.argv[2:]:
    found[script] = runpy.run_path(script, run_name="__main__")["results"]
    forget(sys.path.pop(0))
sys.path.insert(0, kernels)
import torch
from lnkernels.check.inputs import make_inputs
from lnkernels.launch import LaunchWish
from lnkernels import layer_norm
wishes = LaunchWish(strategy="locked", group_size_m=2, num_warps=2), LaunchWish(strategy="persistent")
for wish, results in zip(wishes, found.values()):
    inputs = make_inputs(6, 24, torch.float16, "tutorial", 3, "cpu")
    x, weight, bias = (tensor.requires_grad_() for tensor in (inputs.x, inputs.weight, inputs.bias))
    layer_norm(x, (24,), weight, bias, 1e-5, launch=wish).backward(inputs.dy)
    assert sys.modules["lnkernels"].__file__.startswith(kernels)
    print("equal" if torch.equal(weight.grad, results["dw"]) and torch.equal(x.grad, results["dx"]) else "different")
"""


@pytest.mark.timeout(170)
def test_a_script_runs_on_torch_and_triton_alone_and_gives_the_same_gradients(
    tmp_path: Path,
) -> None:
    scripts = [tmp_path / f"{name}.py" for name in ("locked", "persistent", "rms_norm")]
    persistent = RunRequest.of(m=6, n=24, seed=3, strategy="persistent")
    requests = (LECTURE, persistent, persistent.changed(norm="rms_norm"))
    for script, request in zip(scripts, requests, strict=True):
        script.write_text(python_script(exported_run(request)))
    kernels = str(Path(__file__).resolve().parents[2] / "kernels")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {
        "TRITON_INTERPRET": "1"
    }
    ran = subprocess.run(
        [sys.executable, "-I", "-c", RUN, kernels, *map(str, scripts)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split()[-2:] == ["equal", "equal"]
    assert ran.stdout.count("dw  largest absolute error") == 3
    assert ran.stdout.count("db  largest absolute error") == 2


@pytest.mark.parametrize("strategy", ["locked", "split"])
def test_a_script_has_what_its_strategy_launches_and_no_other(strategy: str) -> None:
    modules = sources(*roots(strategy))
    functions = {
        node.name
        for text in modules.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    }
    kernels = {"locked": "stage2_kernel", "split": "split_kernel"}
    assert {
        kernels[strategy],
        "forward_kernel" if strategy == "locked" else "tile_in_blocks_kernel",
    } <= functions
    # Neither how launches are chosen, nor what was measured and tuned for that.
    chosen = ("measured", "tuned", "tuning", "forward", *(set(LAUNCHED) - {strategy}))
    assert not {f"lnkernels.launch.{name}" for name in chosen} & set(modules)
    assert sum(text.count("\n") for text in modules.values()) < 2600


def test_a_notebook_holds_the_script_in_cells_that_are_python() -> None:
    document = json.loads(notebook(exported_run(LECTURE)))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert document["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in document["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in document["cells"]:
        assert set(cell["id"]) <= set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
        )
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            ast.parse("".join(cell["source"]))
    code = "\n".join(
        "".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"
    )
    script = ast.parse(python_script(exported_run(LECTURE)))
    assert ast.dump(script) == ast.dump(ast.parse(code))


HOSTILE = (
    'H200"""\nraise SystemExit(3)\r\x1b[2J\u2028raise SystemExit(4)\n""" <script>alert(1)</script>'
    " [a](javascript:b)"
)


def test_nothing_that_a_file_says_of_its_machine_is_run_by_the_script_or_stands_as_more_than_text_in_the_notebook() -> (
    None
):
    result = exported_run(LECTURE)
    facts = dict.fromkeys(("gpu", "date", "torch", "triton"), HOSTILE)
    hostile = replace(
        result,
        provenance=replace(
            result.provenance, environment=replace(result.provenance.environment, **facts)
        ),
    )
    script = python_script(hostile)
    assert ast.dump(ast.parse(script)) == ast.dump(ast.parse(python_script(result)))
    head = script[: script.index("import atexit")].splitlines()
    assert any("H200" in line for line in head)
    assert all(not line or line.startswith("#") for line in head)
    cells = json.loads(notebook(hostile))["cells"]
    about = "".join(cells[0]["source"])
    assert "H200" in about
    assert "<script>" not in about
    assert "[a](" not in about.replace("\\[", "")
    assert [cell["source"] for cell in cells[1:]] == [
        cell["source"] for cell in json.loads(notebook(result))["cells"][1:]
    ]


@pytest.mark.parametrize(
    "request_",
    [
        LECTURE,
        RunRequest.of(
            n=2048, dtype="bfloat16", partial_dtype="same", barrier=False, eps=-1e-5, data="offset"
        ),
    ],
)
def test_the_command_asks_for_the_same_run(request_: RunRequest) -> None:

    words = shlex.split(command(exported_run(request_)))
    assert words[:2] == ["lnexplorer", "run"]
    assert words[-2:] == ["--device", "interpreter"]
    parser = CommandParser("run", "", "")
    add_run_options(parser)
    parser.add_argument("--device")
    read = read_request(parser.read(words[2:]))
    assert isinstance(read, RunRequest)
    assert resolve(read, "interpreter") == resolve(request_, "interpreter")


def test_the_command_names_files_of_providers_that_nothing_else_has() -> None:
    providers = ("torch", "mine", "tiled.num_warps=8", "both.layer_norm.scale=0.5", "x=1")
    words = shlex.split(command(replace(exported_run(LECTURE), providers=providers)))
    assert (
        words[words.index("--provider") + 1] == "torch,mine.py,tiled.py,both.py:layer_norm,x=1.py"
    )
    settings = [word for before, word in pairwise(words) if before == "--setting"]
    assert settings == ["num_warps=8", "scale=0.5"]
