"""Exports of a run that run elsewhere: a script or a notebook that needs torch and triton alone, a
command.
"""

import ast
import json
import math
import re
import shlex
from collections.abc import Iterator
from dataclasses import asdict, replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from lnexplorer import __version__
from lnexplorer.domain import wording
from lnexplorer.domain.history import HEADLINE_MODE
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.peers import DEFAULT_PEERS, known_providers
from lnexplorer.domain.request import RunRequest, resolve, written_out
from lnexplorer.domain.result import RunResult
from lnexplorer.store.files import StoreError, short
from lnkernels.launch import split_norm
from lnkernels.values.environment import Kind
from lnkernels.values.figures import DIRECTIONS, Figure, Throughput

DEFAULT = RunRequest()
_MARKDOWN = re.compile(r"[\\`*_\[\]]")  # what begins something else than text within a line
# Begins a setting in a provider's name, such as `half.scale=0.5`.
_SETTING = re.compile(r"\.(?=[^\W\d]\w*=)")


def python_script(result: RunResult) -> str:
    """Make a script that needs torch and triton alone: the kernels' sources, the same data, a
    check, and the times.
    """
    # In comments, because text of a foreign file could end a string.
    about = "\n".join(f"# {line}".rstrip() for line in _description(result))
    parts = [f"#!/usr/bin/env python3\n{about}", HEAD, *(text for _, text in _parts(result))]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def notebook(result: RunResult) -> str:
    """Make the same as a Jupyter notebook, nbformat 4.5."""
    about = "\n".join(
        _MARKDOWN.sub(r"\\\g<0>", escape(line, quote=False)) for line in _description(result)
    )
    code = [("imports", HEAD), *_parts(result)]
    document = {
        "cells": [_cell("markdown", "about", about), *(_cell("code", *part) for part in code)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def command(result: RunResult) -> str:
    """Return the command that repeats this run: the shape, and as much of the launch as other
    devices might choose otherwise.

    The launch of a strategy without locks depends on the device and on what was tuned there, so all
    of it is written out; that of `locked` follows from its shape.
    """
    words, resolved = ["lnexplorer", "run"], result.resolved
    asked = replace(result.request, m=resolved.m, n=resolved.n)
    if resolved.launch.strategy != "locked" or resolve(asked, "cuda") != resolved:
        asked = written_out(asked, resolved)
    for name, value in asked.flat().items():
        if value is None or (name not in ("m", "n") and value == DEFAULT.value(name)):
            continue
        option = BY_NAME[name].option
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        else:
            words += [option, str(value)]
    if result.providers != DEFAULT_PEERS:
        known = known_providers()
        own = [_SETTING.split(name) for name in result.providers if name not in known]
        named = [name for name in result.providers if name in known]
        named += [_own_file(name) for name, *_ in own]
        words += ["--provider", ",".join(dict.fromkeys(named)) or "none"]
        for setting in (each for _, *settings in own for each in settings):
            words += ["--setting", setting]
    if result.provenance.kind is Kind.INTERPRETED:
        words += ["--device", "interpreter"]
    return shlex.join(words)


def _own_file(name: str) -> str:
    """Return a file of one's own, as its folder knows it, by its provider's name."""
    file, _, function = name.partition(".")
    return f"{file}.py:{function}" if function else f"{file}.py"


def _parts(result: RunResult) -> list[tuple[str, str]]:
    if split_norm(result.resolved.norm)[1]:
        raise StoreError(
            "A script has the kernels alone, which add no residual: choose a table or a report."
        )
    parts = [("settings", _settings_text(result))]
    modules = sources(*roots(result.resolved.launch.strategy))
    parts.append(("sources", "SOURCES = {}"))
    for name, text in modules.items():
        path = name.replace(".", "/") + (
            "/__init__.py" if path_of(name).name == "__init__.py" else ".py"
        )
        parts.append(
            (path.removesuffix(".py").replace("/", "-"), f'SOURCES["{path}"] = {_literal(text)}')
        )
    return [*parts, ("unpack", UNPACK), ("measure", MEASURE), ("run", RUN)]


def roots(strategy: str) -> list[tuple[str, str]]:
    """Return the names of the package that the script uses, each with its module."""
    module = f"{PACKAGE}.passes.{strategy}"
    forward = module if _Module(module).binds("launch_forward") else "lnkernels.passes.forward"
    return [
        *((module, name) for name in ("allocate_workspace", "launch_backward")),
        *(
            (forward, "launch_forward"),
            ("lnkernels.launch.settings", "Launch"),
            ("lnkernels.check.inputs", "make_inputs"),
        ),
        *(("lnkernels.passes.arguments", name) for name in ("ForwardTensors", "BackwardTensors")),
        *(("lnkernels.timing.cuda", name) for name in ("Flush", "Capture", "KernelStopwatch")),
    ]


def _settings_text(result: RunResult) -> str:
    resolved = result.resolved
    times = ", ".join(
        f"{name!r}: {_number(figure.p50_ms)}" for name, figure in _figures(result).items()
    )
    lines = [
        (
            f"M, N, DTYPE, EPS = {resolved.m}, {resolved.n}, torch.{resolved.dtype},"
            f" {_number(resolved.eps)}"
        ),
        f"DATA, SEED, NORM = {resolved.data!r}, {resolved.seed}, {resolved.norm!r}",
        "SETTINGS = {",
        # Every one as it was resolved: nothing is left to the device, or to what was tuned there.
        *(f'    "{name}": {value!r},' for name, value in asdict(resolved.launch).items()),
        "}",
        (
            "# The run's figures that this reproduces: median times in ms of its kernels alone in a"
            " CUDA graph, cold L2."
        ),
        f"RUN_P50_MS = {{{times}}}",
    ]
    return "\n".join(lines)


def _figures(result: RunResult) -> dict[str, Figure]:
    """Return the run's own figures by direction: the kernels alone, cold L2."""
    times, strategy = result.throughput or Throughput(), result.resolved.launch.strategy
    found = {each: times.find(strategy, each, HEADLINE_MODE) for each in DIRECTIONS}
    return {each: figure for each, figure in found.items() if figure and figure.p50_ms > 0}


def _description(result: RunResult) -> list[str]:
    """Describe the run and its figures in lines without line breaks or control characters."""
    environment, resolved = result.provenance.environment, result.resolved
    lines = [
        f"{resolved.title}, strategy {resolved.launch.strategy}.",
        "",
        (
            f"A run of lnexplorer {__version__} that runs on its own, with torch and triton: the"
            " same kernels, settings and data."
        ),
        f"It was {result.provenance.kind} on {environment.where}, {environment.date},",
        f"torch {environment.torch}, triton {environment.triton}:",
    ]
    for direction, figure in _figures(result).items():
        lines.append(f"{direction}, cold L2: {figure.gbps:.0f} GB/s, p50 {figure.p50_ms:.4f} ms")
    if _figures(result):
        lines += [
            (
                "These are the figures that this reproduces: the kernels alone in a CUDA graph, the"
                " L2 cache flushed before each"
            ),
            (
                "repetition, the median. It times with the run's own stopwatch and prints its"
                " figures beside them."
            ),
        ]
    errors = (
        (check.name, wording.error(check.kernel_vs_truth.largest))
        for check in result.correctness.checks
    )
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
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": name[:64],
        "metadata": {},
        "source": text.rstrip().splitlines(keepends=True),
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


PACKAGE = "lnkernels"


def sources(*roots: tuple[str, str]) -> dict[str, str]:
    """Return the text of the kernels' modules by name, with no more of each than `roots` need.

    Args:
        roots: names of the package, each with its module, such as ("lnkernels.check.inputs",
            "make_inputs").
    """
    modules: dict[str, _Module] = {}
    wanted = list(roots)
    while wanted:
        module, name = wanted.pop()
        for parent in (module.rsplit(".", count)[0] for count in range(module.count(".") + 1)):
            if parent not in modules:
                modules[parent] = _Module(parent)
        wanted += modules[module].take(name)
    return {name: module.text for name, module in modules.items()}


class _Module:
    """A module of the package, of which statements are taken as they are needed."""

    def __init__(self, name: str) -> None:
        self._text = path_of(name).read_text(encoding="utf-8")
        tree = ast.parse(self._text)
        self._statements = {bound: node for node in tree.body for bound in _bound(node)}
        # So nobody evaluates annotations, and what they alone name is not needed.
        self._taken = {0: "from __future__ import annotations"}

    @property
    def text(self) -> str:
        """The statements that were taken, in their order."""
        return "\n".join(self._taken[line] for line in sorted(self._taken)) + "\n"

    def binds(self, name: str) -> bool:
        return name in self._statements

    def take(self, name: str) -> list[tuple[str, str]]:
        """Take the statement that binds a name; return what it needs of other modules, by module
        and name.
        """
        node = self._statements.get(name)
        if node is None:
            return []  # a builtin, or what a function binds itself
        if isinstance(node, ast.Import | ast.ImportFrom):
            alias = next(
                alias for alias in node.names if (alias.asname or alias.name.split(".")[0]) == name
            )
            source = "" if isinstance(node, ast.Import) else f"from {node.module} "
            self._taken[node.lineno * 1000 + node.names.index(alias)] = (
                f"{source}import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
            )
            return _imported(node, alias)
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        if first * 1000 in self._taken:
            return []
        lines = self._text.split("\n")[first - 1 : node.end_lineno]
        self._taken[first * 1000] = "\n".join(["", "", *lines] if hasattr(node, "body") else lines)
        found: list[tuple[str, str]] = []
        for part in _evaluated(node):
            if isinstance(part, ast.Name):
                found += self.take(part.id)
            elif isinstance(part, ast.ImportFrom):
                found += [each for alias in part.names for each in _imported(part, alias)]
        return found


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement, without annotations."""
    for field, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST) and field not in ("annotation", "returns"):
                yield part
                yield from _evaluated(part)


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return []
    found = []
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.append(part.id)
        elif isinstance(part, ast.FunctionDef | ast.ClassDef):
            found.append(part.name)
    return found


def _imported(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> list[tuple[str, str]]:
    module = node.module if isinstance(node, ast.ImportFrom) else None
    if module is None or module.split(".")[0] != PACKAGE:
        return []
    return [(module, alias.name)]


def path_of(name: str) -> Path:
    """Return the file of a module of the package."""
    path = Path(str(files(PACKAGE))).parent / name.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


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
    # The kernels run on the CPU then, and nothing is timed.
    os.environ.setdefault("TRITON_INTERPRET", "1")
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
kernels = importlib.import_module(f"lnkernels.passes.{SETTINGS['strategy']}")
if hasattr(kernels, "launch_forward"):
    launch_forward = kernels.launch_forward
else:
    launch_forward = importlib.import_module("lnkernels.passes.forward").launch_forward
if not (torch.cuda.is_available() and torch.cuda.get_device_capability() >= (9, 0)):
    SETTINGS["overlap"] = False  # kernels of one pass overlap on newer GPUs alone
LAUNCH = importlib.import_module("lnkernels.launch.settings").Launch(**SETTINGS)
make_inputs = importlib.import_module("lnkernels.check.inputs").make_inputs
passes = importlib.import_module("lnkernels.passes.arguments")
timing = importlib.import_module("lnkernels.timing.cuda")
"""

MEASURE = '''\
TURNS, REPETITIONS = 8, 25  # forward and backward in turns, so that both share a drifting clock


def measure(prepared):
    """Return times in ms by name: kernels alone in a CUDA graph, L2 flushed before each."""
    device = torch.device("cuda", torch.cuda.current_device())
    flush, capture = timing.Flush(device), timing.Capture(device)
    watches = {
        name: timing.KernelStopwatch(capture(prepare), "cold", flush)
        for name, prepare in prepared.items()
    }
    times = {name: [] for name in watches}
    for _ in range(TURNS):
        for name, watch in watches.items():
            times[name] += watch(REPETITIONS)
    return times


def show_speed(name, passes, times):
    """Print median, percentiles and GB/s of the tutorial's bytes: `passes` times M * N elements."""
    p20, p80 = (statistics.quantiles(times, n=5, method="inclusive")[place] for place in (0, 3))
    p50 = statistics.median(times)
    size = passes * M * N * DTYPE.itemsize / 1e6
    line = f"{name}, cold L2".ljust(18)
    line += f" {size / p50:7.0f} GB/s   p20 {p20:.4f}  p50 {p50:.4f}  p80 {p80:.4f} ms"
    if name in RUN_P50_MS:
        there = RUN_P50_MS[name]
        line += f"   (the run: {size / there:.0f} GB/s, p50 {there:.4f} ms;"
        line += f" {p50 / there:.3f} of its time)"
    print(line)
'''

RUN = '''\
def prepare_passes(inputs):
    """Functions that launch the kernels of a pass each, and what they write: y, dx, dw, db."""
    x, weight, bias, dy = inputs.x, inputs.weight, inputs.bias, inputs.dy
    mean, rstd = (torch.empty(M, dtype=torch.float32, device=x.device) for _ in range(2))
    y, dx, dw, db = (torch.empty_like(like) for like in (x, x, weight, bias))
    if NORM == "rms_norm":
        mean = bias = db = None
    workspace = kernels.allocate_workspace(x, LAUNCH, dw=True, db=db is not None)

    def forward():
        given = passes.ForwardTensors(
            x=x, weight=weight, bias=bias, eps=EPS, y=y, mean=mean, rstd=rstd
        )
        launch_forward(given, LAUNCH)

    def backward():
        given = passes.BackwardTensors(
            x=x, dy=dy, weight=weight, mean=mean, rstd=rstd, dx=dx, dw=dw, db=db
        )
        kernels.launch_backward(given, LAUNCH, workspace)

    results = {"y": y, "dx": dx, "dw": dw, "db": db}
    return forward, backward, {name: one for name, one in results.items() if one is not None}


def main():
    """Run both passes, compare with float64, time them on a GPU; the four results."""
    print(f"torch {torch.__version__}, triton {triton.__version__}")
    device = "cpu" if os.environ.get("TRITON_INTERPRET") == "1" else "cuda"
    inputs = make_inputs(M, N, DTYPE, DATA, SEED, device)
    forward, backward, results = prepare_passes(inputs)
    forward()
    backward()
    tensors = (inputs.x, inputs.weight, inputs.bias)[: len(results) - 1]
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    exact_y = getattr(torch.nn.functional, NORM)(exact[0], (N,), *exact[1:], eps=EPS)
    truth = (exact_y.detach(), *torch.autograd.grad(exact_y, exact, inputs.dy.double()))
    for (name, result), true in zip(results.items(), truth):
        print(f"{name:3} largest absolute error {(result.double() - true).abs().max().item():.2e}")
    if device == "cuda":
        name = torch.cuda.get_device_name()
        print(f"{name}: kernels alone in a CUDA graph, median of {TURNS * REPETITIONS}")
        times = measure({"forward": lambda: forward, "backward": lambda: backward})
        show_speed("forward", 2, times["forward"])
        show_speed("backward", 3, times["backward"])
    else:
        print("Triton's interpreter ran the kernels: its times mean nothing, and none were taken.")
    return results


if __name__ == "__main__":
    results = main()
'''
