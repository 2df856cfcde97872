"""A run as something that runs elsewhere: a script or a notebook for torch and triton alone, a command, triton.Config
values.
"""

import json
import math
import re
import shlex
from dataclasses import replace
from html import escape
from typing import Any

from lnexplorer import __version__
from lnexplorer.domain import wording
from lnexplorer.domain.history import HEADLINE_MODE
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.peers import DEFAULT_PEERS
from lnexplorer.domain.request import RunRequest, resolve, written_out
from lnexplorer.domain.result import RunResult
from lnexplorer.report.script_source import HEAD, MEASURE, RUN, UNPACK, is_package, sources
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
