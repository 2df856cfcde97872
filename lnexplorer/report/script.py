"""A run as something that runs elsewhere: a script or a notebook for torch and triton alone, a command, triton.Config values."""

import ast
import json
import math
import re
import shlex
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lnexplorer import __version__
from lnexplorer.domain import wording
from lnexplorer.domain.history import HEADLINE_MODE
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import RunRequest, resolve, written_out
from lnexplorer.domain.result import RunResult
from lnexplorer.store.files import short
from lnkernels.launch import LAUNCHED, launched_kernels, own_settings
from lnkernels.values.environment import Kind
from lnkernels.values.figures import Figure

ROOTS = (
    *("lnkernels.layer_norm", "lnkernels.inputs", "lnkernels.timing.cuda"),
    *(f"lnkernels.strategies.{name}" for name in LAUNCHED),
)
DIRECTIONS = ("forward", "backward")
DEFAULT = RunRequest()
_MARKDOWN = re.compile(r"[\\`*_\[\]]")  # what begins something else than text within a line


def python_script(result: RunResult) -> str:
    """A script that needs torch and triton alone: the kernels' sources, the same data, a check, and the times.

    Raises:
        OSError: the kernels are installed without their source files.
    """
    # Comments, whatever a foreign file says of its machine: text between quotation marks could end them.
    heading = "\n".join(["#!/usr/bin/env python3", *(f"# {line}".rstrip() for line in _description(result))])
    return "\n\n".join([heading, HEAD.rstrip(), *(text.rstrip() for _, text in _parts(result))]) + "\n"


def notebook(result: RunResult) -> str:
    """The same as a Jupyter notebook, nbformat 4.5.

    Raises:
        OSError: the kernels are installed without their source files.
    """
    about = "\n".join(_MARKDOWN.sub(r"\\\g<0>", escape(line, quote=False)) for line in _description(result))
    cells = [_cell("markdown", "about", about), _cell("code", "imports", HEAD.rstrip())]
    for name, text in _parts(result):
        cells.append(_cell("code", name, text.rstrip()))
    document = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def command(result: RunResult) -> str:
    """The command that makes this run again: the shape, and as much of the launch as other devices might choose
    otherwise.

    What a strategy without locks launches depends on the device and on what was tuned there, so all of it is written
    out.
    """
    words = ["lnexplorer", "run"]
    asked = _asked(result)
    for name, value in asked.flat().items():
        if value is None or (name not in ("m", "n") and value == DEFAULT.value(name)):
            continue
        option = BY_NAME[name].option
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        else:
            words += [option, str(value)]
    if result.providers != DEFAULT_PEERS:
        words += ["--provider", ",".join(result.providers) or "none"]
    if result.provenance.kind is Kind.INTERPRETED:
        words += ["--device", "interpreter"]
    return shlex.join(words)


def triton_config(result: RunResult) -> str:
    """A triton.Config for each kernel of the run, as Python text."""
    launch = result.resolved.launch
    kernels = launched_kernels(result.resolved.n, launch)
    if not kernels:
        settings = {name.upper(): value for name, value in _settings(result).items() if name != "strategy"}
        return f"triton.Config({settings!r})  # strategy {launch.strategy}\n"
    lines = []
    for kernel in kernels:
        arguments = [repr(kernel.constants), f"num_warps={kernel.num_warps}"]
        if kernel.num_stages is not None:
            arguments.append(f"num_stages={kernel.num_stages}")
        lines.append(f"{kernel.name} = triton.Config({', '.join(arguments)})")
    return "\n".join(lines) + "\n"


def _parts(result: RunResult) -> list[tuple[str, str]]:
    """The script after its imports, by the name of each part."""
    parts = [("settings", _settings_text(result))]
    modules = sources(*ROOTS)
    parts.append(("sources", "SOURCES = {}"))
    for name, text in modules.items():
        path = name.replace(".", "/") + ("/__init__.py" if is_package(name) else ".py")
        parts.append((path.removesuffix(".py").replace("/", "-"), f'SOURCES["{path}"] = {_literal(text)}'))
    return [*parts, ("unpack", UNPACK), ("measure", MEASURE), ("run", RUN)]


def _settings_text(result: RunResult) -> str:
    resolved = result.resolved
    lines = [
        f"M, N, DTYPE, EPS = {resolved.m}, {resolved.n}, torch.{resolved.dtype}, {_number(resolved.eps)}",
        f"DATA, SEED = {resolved.data!r}, {resolved.seed}",
        "SETTINGS = {",
        *(f'    "{name}": {value!r},' for name, value in _settings(result).items()),
        "}",
        "# The run's figures that this reproduces: median times in ms of its kernels alone in a CUDA graph, cold L2.",
        f"RUN_P50_MS = {{{', '.join(f'{name!r}: {_number(figure.p50_ms)}' for name, figure in _figures(result).items())}}}",
    ]
    return "\n".join(lines)


def _settings(result: RunResult) -> dict[str, Any]:
    """Every setting of the launch, as it was resolved: nothing is left to the device, or to what was tuned there."""
    launch = result.resolved.launch
    return {"strategy": launch.strategy, **own_settings(launch)}


def _asked(result: RunResult) -> RunRequest:
    """A request for the launch of the run, whatever the device has tuned; that of `locked` follows from its shape
    alone.
    """
    resolved = result.resolved
    shaped = replace(result.request, m=resolved.m, n=resolved.n)
    follows = resolved.launch.strategy == "locked" and resolve(shaped, "cuda") == resolved
    return shaped if follows else written_out(shaped, resolved)


def _figures(result: RunResult) -> dict[str, Figure]:
    """The run's own figures by direction: the kernels alone, cold L2."""
    if result.throughput is None:
        return {}
    strategy = result.resolved.launch.strategy
    found = ((direction, result.throughput.find(strategy, direction, HEADLINE_MODE)) for direction in DIRECTIONS)
    return {direction: figure for direction, figure in found if figure is not None and figure.p50_ms > 0}


def _description(result: RunResult) -> list[str]:
    """What the run was and what it gave: lines without line breaks or control characters."""
    environment, resolved, launch = result.provenance.environment, result.resolved, result.resolved.launch
    lines = [
        f"LayerNorm of {wording.shape(resolved.m, resolved.n, resolved.dtype)}, strategy {launch.strategy}.",
        "",
        f"A run of lnexplorer {__version__} that runs on its own, with torch and triton: the same kernels, settings and data.",
        f"It was {result.provenance.kind} on {environment.gpu or 'a CPU'}, {environment.date},",
        f"torch {environment.torch}, triton {environment.triton}:",
    ]
    for direction, figure in _figures(result).items():
        lines.append(f"{direction}, cold L2: {figure.gbps:.0f} GB/s, p50 {figure.p50_ms:.4f} ms")
    if _figures(result):
        lines += [
            "These are the figures that this reproduces: the kernels alone in a CUDA graph, the L2 cache flushed before each"
        ]
        lines += ["repetition, the median. It times with the run's own stopwatch and prints its figures beside them."]
    errors = ((check.name, wording.error(check.kernel_vs_truth.max_abs)) for check in result.correctness.checks)
    lines += [f"{name}: largest absolute error {error}" for name, error in errors]
    return [short(line) for line in lines]


def _literal(text: str) -> str:
    """Text as a Python literal that can be read."""
    if "'''" in text or text.endswith(("'", "\\")):
        return repr(text)
    return f"r'''{text}'''"


def _number(value: float) -> str:
    return repr(float(value)) if math.isfinite(value) else f'float("{value}")'


def _cell(kind: str, name: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": name[:64], "metadata": {}, "source": text.splitlines(keepends=True)}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


PACKAGE = "lnkernels"


def sources(*roots: str) -> dict[str, str]:
    """Text of each module that `roots` need, themselves included, by name; a module stands after those that it imports.

    Args:
        roots: such as "lnkernels.layer_norm".

    Raises:
        FileNotFoundError: the package is installed without its source files.
    """
    found: dict[str, str] = {}
    visited: set[str] = set()

    def visit(name: str) -> None:
        if name in visited:
            return
        visited.add(name)
        for parent in _parents(name):
            visit(parent)
        text = _path_of(name).read_text(encoding="utf-8")
        for other in _imports(name, text):
            visit(other)
        found[name] = text

    for root in roots:
        visit(root)
    return found


def is_package(name: str) -> bool:
    """Whether a module of the package is a folder."""
    return _file_of(name, "/__init__.py").is_file()


def _imports(name: str, text: str) -> list[str]:
    """Modules of the package that a module imports when it is loaded or later, but for the sake of types."""
    names = []
    tree = ast.parse(text)
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [other for other in names if other.split(".")[0] == PACKAGE and other != name and _exists(other)]


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _exists(name: str) -> bool:
    return is_package(name) or _file_of(name, ".py").is_file()


def _path_of(name: str) -> Path:
    return _file_of(name, "/__init__.py") if is_package(name) else _file_of(name, ".py")


def _file_of(name: str, suffix: str) -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"The package {PACKAGE} is not installed with its source files.")
    return Path(spec.submodule_search_locations[0]).parent / (name.replace(".", "/") + suffix)


HEAD = """\
import atexit
import importlib
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # the kernels run on the CPU then, and nothing is timed
import triton
"""

UNPACK = """\
FOLDER = Path(tempfile.mkdtemp(prefix="layer-norm-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
for name, text in SOURCES.items():
    # Triton reads the source of a kernel from its file, so each module becomes one.
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
sys.path.insert(0, str(FOLDER))
layer_norm = importlib.import_module("lnkernels.layer_norm").layer_norm
LAUNCH = importlib.import_module("lnkernels.launch").LaunchWish(**SETTINGS)
make_inputs = importlib.import_module("lnkernels.inputs").make_inputs
timing = importlib.import_module("lnkernels.timing.cuda")
"""

MEASURE = '''\
TURNS, REPETITIONS = 8, 25  # forward and backward in turns, so that both share a drifting clock


def measure(prepared):
    """Times in ms by name, taken as the run's were: kernels alone in a CUDA graph, L2 flushed before each repetition."""
    device = torch.device("cuda", torch.cuda.current_device())
    flush, capture = timing.Flush(device), timing.Capture(device)
    watches = {name: timing.KernelStopwatch(capture(prepare), "cold", flush) for name, prepare in prepared.items()}
    times = {name: [] for name in watches}
    for _ in range(TURNS):
        for name, watch in watches.items():
            times[name] += watch(REPETITIONS)
    return times


def show_speed(name, passes, times):
    """Print the median and percentiles, and GB/s of the tutorial's bytes: `passes` times M * N elements."""
    p20, p80 = (statistics.quantiles(times, n=5, method="inclusive")[place] for place in (0, 3))
    p50 = statistics.median(times)
    size = passes * M * N * DTYPE.itemsize / 1e6
    line = f"{name}, cold L2".ljust(18) + f" {size / p50:7.0f} GB/s   p20 {p20:.4f}  p50 {p50:.4f}  p80 {p80:.4f} ms"
    if name in RUN_P50_MS:
        there = RUN_P50_MS[name]
        line += f"   (the run: {size / there:.0f} GB/s, p50 {there:.4f} ms; {p50 / there:.3f} of its time)"
    print(line)
'''

RUN = '''\
def main():
    """Run both passes, compare with float64, time them on a GPU; the four results."""
    print(f"torch {torch.__version__}, triton {triton.__version__}")
    device = "cpu" if os.environ.get("TRITON_INTERPRET") == "1" else "cuda"
    inputs = make_inputs(M, N, DTYPE, DATA, SEED, device)
    tensors = [tensor.detach().requires_grad_() for tensor in (inputs.x, inputs.weight, inputs.bias)]

    def forward():
        x, weight, bias = tensors
        return layer_norm(x, (N,), weight, bias, EPS, launch=LAUNCH)

    y = forward()
    results = dict(zip(("y", "dx", "dw", "db"), (y.detach(), *torch.autograd.grad(y, tensors, inputs.dy))))
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    exact_y = torch.nn.functional.layer_norm(exact[0], (N,), exact[1], exact[2], EPS)
    truth = (exact_y.detach(), *torch.autograd.grad(exact_y, exact, inputs.dy.double()))
    for (name, result), true in zip(results.items(), truth):
        print(f"{name:3} largest absolute error {(result.double() - true).abs().max().item():.2e}")
    if device == "cuda":
        print(f"{torch.cuda.get_device_name()}: kernels alone in a CUDA graph, median of {TURNS * REPETITIONS}")

        def normalise():
            with torch.no_grad():
                return forward()

        def prepare_backward():
            # Autograd launches on the stream where the forward pass and its leaves were first used: that of the capture.
            leaves = [tensor.detach().requires_grad_() for tensor in tensors]
            result = layer_norm(leaves[0], (N,), leaves[1], leaves[2], EPS, launch=LAUNCH)
            return lambda: torch.autograd.grad(result, leaves, inputs.dy, retain_graph=True)

        times = measure({"forward": lambda: normalise, "backward": prepare_backward})
        show_speed("forward", 2, times["forward"])
        show_speed("backward", 3, times["backward"])
    else:
        print("Triton's interpreter ran the kernels: its times mean nothing, and none were taken.")
    return results


if __name__ == "__main__":
    results = main()
'''
