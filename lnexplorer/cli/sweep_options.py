"""The options of `lnexplorer sweep`, and the sweep that they ask for."""

import argparse
import re
from pathlib import Path

from lnexplorer.cli.options import DEVICES, check_device
from lnexplorer.cli.outcome import gpu_count
from lnexplorer.domain.parameters import GROUPS, PARAMETERS
from lnexplorer.domain.ranges import HOW, RangeError, Value, read_names, read_values
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import TUTORIAL, Axis, SweepRequest, check_sweep
from lnkernels.launch import Problem
from lnkernels.sentence import say

DESCRIPTION = "Try many settings: one or two parameters of a run take several values. What is not given is automatic."
EPILOG = f"""
values: {HOW}.
Strategies and providers are rows side by side, and are not crossed with each other.

Every setting has one row, with its status: ok, incorrect, invalid, out_of_resources, timed_out or failed, and the reason.
Exit status: 0 all settings were tried; 2 the sweep is not possible, or its GPU is not there; 3 no worker, or no room
for the rows; 130 interrupted, 143 by SIGTERM, 129 by a hang-up. However it ends, the rows so far are in the CSV file, and
--resume goes on; those of --save are saved, too.
"""
NONE = "none"
LISTS = ("strategy", "provider", "mode", "timing")
SWEEP_FIELDS = (*(parameter.name for parameter in PARAMETERS), "provider", "mode", "timing", "effort", "waits", "search")


def sweep_parser() -> argparse.ArgumentParser:
    """The parser. Values stay text: `read_sweep` judges them all."""
    parser = argparse.ArgumentParser(
        prog="lnexplorer sweep",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    groups = {name: parser.add_argument_group(title) for name, title in GROUPS.items()}
    for parameter in PARAMETERS:
        group, text = groups[parameter.group], parameter.help.replace("%", "%%")
        if parameter.type is bool:
            group.add_argument(parameter.option, metavar="on|off|on,off", nargs="?", const="on", help=text)
            group.add_argument(parameter.option.replace("--", "--no-", 1), dest=parameter.name, action="store_const", const="off")
        else:
            group.add_argument(parameter.option, metavar="VALUES", help=text)
    _add_sweep_options(parser.add_argument_group("Sweep"))
    _add_output_options(parser.add_argument_group("Where it runs, and where the rows go"))
    return parser


def read_sweep(options: argparse.Namespace) -> SweepRequest | list[Problem]:
    """The sweep that the options ask for, or everything that is wrong with it."""
    from lnexplorer.domain.sweep.request import (
        SweepRequest,
    )

    problems: list[Problem] = []
    base: dict[str, Value] = {}
    axes: list[Axis] = []
    for parameter in PARAMETERS:
        given = getattr(options, parameter.name)
        if given is None or parameter.name == "strategy":
            continue
        values = read_values(parameter, given)
        if isinstance(values, Problem):
            problems.append(values)
        elif len(values) > 1:
            axes.append(Axis(name=parameter.name, values=values))
        else:
            base[parameter.name] = values[0]
    names = {name: _names(name, getattr(options, name), problems) for name in LISTS}
    search = _count(options.search, problems)
    if options.waits not in (None, "on", "off"):
        problems.append(Problem("waits", options.waits, say("take on or off")))
    if problems:
        return problems
    default = TUTORIAL.sweep if options.tutorial else SweepRequest()
    if options.tutorial:
        base = {"m": default.base.m, "dtype": default.base.dtype, **base}
        axes = [axis for axis in default.axes if getattr(options, axis.name) is None] + axes
    sweep = SweepRequest(
        base=RunRequest.of(**base),
        axes=tuple(axes),
        strategies=_chosen(names["strategy"], default.strategies),
        providers=_chosen(names["provider"], default.providers),
        directions=_chosen(names["mode"], default.directions),
        modes=_chosen(names["timing"], default.modes),
        effort=options.effort or default.effort,
        waits=options.waits == "on",
        search=search,
    )
    return check_sweep(sweep) or _one_value_problems(sweep) or sweep


def asks_for_a_sweep(options: argparse.Namespace) -> bool:
    """Whether any option says what to try."""
    return options.tutorial or any(getattr(options, name) is not None for name in SWEEP_FIELDS)


def read_devices(text: str) -> tuple[str, ...] | list[Problem]:
    """The devices that are named: by comma, or all GPUs, as the driver counts them."""
    if text == "all":
        count = gpu_count()
        if not count:
            return [Problem("device", text, say("there is no NVIDIA GPU here that the driver shows; take interpreter, or auto"))]
        return tuple(f"cuda:{index}" for index in range(count))
    names = tuple("cuda:0" if name == "cuda" else name for name in dict.fromkeys(part.strip() for part in text.split(",")))
    problems = [problem for name in names for problem in check_device(name)]
    if not problems and len(names) > 1 and not all(re.fullmatch("cuda:[0-9]+", name) for name in names):
        problems = [Problem("device", text, say("take several GPUs, cuda:0,cuda:1, or one other device"))]
    return problems or names


def _add_sweep_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--provider", metavar="NAMES", help="peers to time beside: torch, torch.compile, liger, quack, apex")
    group.add_argument("--mode", metavar="NAMES", help="passes: forward, backward. Default: both")
    group.add_argument(
        "--timing",
        metavar="NAMES",
        help="kernel_cold (the kernels alone, L2 flushed before each repetition), kernel_warm, autograd. Default: kernel_cold",
    )
    group.add_argument(
        "--effort",
        metavar="quick|normal|thorough",
        help="how well each median is to be known: within 1 %%, 0.25 %% or 0.1 %%; normal times each figure for 0.2 s at least, "
        "thorough for 0.5 s as Triton's tutorial does. Default: normal; thorough with --tutorial",
    )
    text = "trace each setting of locked, too: the mean wait of a row for its lock becomes a column, lock_wait_ns"
    group.add_argument("--waits", metavar="on|off", nargs="?", const="on", help=text)
    group.add_argument("--tutorial", action="store_true", help="the curve that Triton's tutorial ends with, beside PyTorch's")
    group.add_argument(
        "--search",
        metavar="N",
        help="in place of a grid: search the open launch settings of one strategy, trying at most N (needs optuna)",
    )


def _add_output_options(group: argparse._ArgumentGroup) -> None:
    text = f"{DEVICES}; several GPUs by comma, or all. Default: auto"
    group.add_argument("--device", metavar="DEVICES", default="auto", help=text)
    step = "for one step of a setting, such as its compilation. Default: 30 on a GPU"
    group.add_argument("--timeout", metavar="SECONDS", help=step)
    group.add_argument("--csv", metavar="FILE", type=Path, help="write each row to FILE as soon as it is known")
    text = (
        "go on with FILE; what has a row there is not tried again. A search goes on where it was begun: it learns from samples, "
        "which are in the database of sweeps"
    )
    group.add_argument("--resume", metavar="FILE", type=Path, help=text)
    text = "keep the rows and their samples, also of an interrupted sweep, for the window; with the suffix .lnsweep"
    group.add_argument("--save", metavar="FILE.lnsweep", type=Path, help=text)
    group.add_argument("--title", help="what the saved sweep is called; what varies, the problem and the GPU if not given")
    text = "show the sweep that was saved in FILE; nothing is run"
    group.add_argument("--recorded", metavar="FILE.lnsweep", type=Path, help=text)
    group.add_argument("--json", action="store_true", help="print one JSON document on stdout; all else goes to stderr")
    group.add_argument(
        "--tutorial-output",
        metavar="DIR",
        type=Path,
        help="for a curve over N: write layer-norm-backward.csv and .png, and those of forward, as the tutorial does. Default: "
        "none; with --tutorial a new folder among the user's data, which is named at the end, or why there is none",
    )


def _names(name: str, text: str | None, problems: list[Problem]) -> tuple[str, ...] | None:
    if text is None:
        return None
    if text == NONE:
        return ()
    try:
        return read_names(text)
    except RangeError as error:
        problems.append(Problem(name, error.part or "nothing", error.allowed))
        return None


def _count(text: str | None, problems: list[Problem]) -> int:
    if text is None:
        return 0
    if not re.fullmatch("[1-9][0-9]{0,5}", text):
        problems.append(Problem("search", text, say("take a whole number from 1 to 999999")))
        return 0
    return int(text)


def _chosen(given: tuple[str, ...] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    return default if given is None else given


def _one_value_problems(sweep: SweepRequest) -> list[Problem]:
    """Fixed values that no setting of the sweep could be tried with. A value on an axis only costs its own rows."""
    varied = {axis.name for axis in sweep.axes}
    everywhere: list[Problem] | None = None
    for cell in all_cells(sweep):
        found = check(cell.request, "cuda") and check(cell.request, "interpreter")
        fixed = [problem for problem in found if problem.field not in varied]
        everywhere = fixed if everywhere is None else [problem for problem in everywhere if problem in fixed]
        if not everywhere:
            return []
    return everywhere or []
