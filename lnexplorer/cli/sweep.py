"""`lnexplorer sweep`: many settings, one row each, without a window."""

import argparse
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from lnexplorer.cli.commands import FAILED, OK, impossible
from lnexplorer.cli.jobs import gpu_count
from lnexplorer.cli.options import (
    DEVICES,
    CommandParser,
    check_device,
    check_file,
    device_name,
    end_if,
    file_name,
    read_choices,
    read_seconds,
    read_whole,
    unicode,
)
from lnexplorer.cli.providers import add_setting_option, read_providers
from lnexplorer.cli.sweep_session import SweepRows, SweepSession
from lnexplorer.cli.sweep_text import sweep_text
from lnexplorer.cli.terminal import print_json, say, show
from lnexplorer.domain.machines import is_remote
from lnexplorer.domain.parameters import GROUPS, PARAMETERS
from lnexplorer.domain.ranges import HOW, Value, read_values
from lnexplorer.domain.request import RunRequest, check_anywhere
from lnexplorer.domain.sweep.cells import CellResult, all_cells, kernels_left_out
from lnexplorer.domain.sweep.presets import TUTORIAL
from lnexplorer.domain.sweep.request import (
    Axis,
    SweepRequest,
    check_cluster,
    check_sweep,
    sweep_command,
)
from lnexplorer.domain.wording import counted
from lnexplorer.engine.search import source_of, why_no_search
from lnexplorer.report.documents import sweep_document
from lnexplorer.report.files import write_tutorial_files
from lnexplorer.store.archive import SWEEP
from lnexplorer.store.files import StoreError, keep_aside, reason
from lnexplorer.store.paths import find_paths
from lnexplorer.store.recordings import read_recorded_sweep, recorded_sweep, write_recorded_sweep
from lnexplorer.store.sweep_csv import SweepFile
from lnexplorer.store.sweep_keeper import KeptSweep, kept_sweep
from lnkernels.launch import Problem
from lnkernels.launch.source import KernelSource, is_source

DESCRIPTION = (
    "Try many settings: one or two parameters of a run take several values. What is not given is"
    " automatic."
)
EPILOG = f"""
values: {HOW}.
Strategies and providers are rows side by side, and are not crossed with each other.

Every setting has one row, with its status: ok, incorrect, invalid, out_of_resources, timed_out
or failed, and the reason.
Exit status: 0 all settings were tried; 2 the sweep is not possible, or its GPU is not there; 3 no
worker, no room for the rows, or they are not in the history; 130 interrupted, 143 by SIGTERM, 129
by a hang-up. However it ends, the rows so far are in the CSV file, and --resume goes on; those of
--save are saved, too.
"""
SWEEP_FIELDS = (
    *(parameter.name for parameter in PARAMETERS),
    "provider",
    "mode",
    "timing",
    "effort",
    "waits",
    "search",
)
DAY = 86_400.0
MOST_SETTINGS = 999_999  # of a search


def main(arguments: list[str]) -> int:
    options = parser().read(arguments)
    if options.recorded is not None:
        return show_recorded(options)
    problems: list[Problem] = []
    devices = read_devices(options.device, problems)
    if options.cluster is not None:
        problems += _problems_of_cluster(options, devices)
    seconds = (
        None
        if options.timeout is None
        else read_seconds("timeout", options.timeout, problems, DAY) or None
    )
    if options.csv and options.resume and options.csv != options.resume:
        allowed = f"rows go to this file, so leave --csv {options.csv} out"
        problems.append(impossible("resume", options.resume, allowed))
    end_if(problems)
    kept = None
    if options.resume is not None:
        kept = kept_sweep(options.resume, find_paths().history, partial(say, "sweep"))
    sweep = _asked_for(options, kept, problems)
    end_if(problems + _problems_of_output(options, sweep))
    path = options.resume or options.csv
    file = None if path is None else SweepFile(path, sweep, () if kept is None else kept.results)
    session = SweepSession("sweep")
    rows = SweepRows(sweep, file, kept, session)
    saved = True
    try:
        ended = session.run(
            lambda: source_of(sweep, rows.results, options.kernels),
            devices,
            rows,
            step_seconds=seconds,
            cluster=options.cluster,
        )
    finally:
        if options.save is not None and not session.refused:
            saved = save_sweep(options.save, unicode(options.title), sweep, rows.results, session)
    complete = give_out(
        options,
        sweep,
        sorted(rows.results, key=lambda result: result.cell.number),
        (session.how, session.because),
        session.times,
    )
    return FAILED if ended == OK and not (saved and complete and rows.in_history) else ended


def _asked_for(
    options: argparse.Namespace, kept: KeptSweep | None, problems: list[Problem]
) -> SweepRequest:
    """Return the sweep that is to be run; a resumed one has to be the one of its file."""
    if kept is None:
        return read_sweep(options)
    if not asks_for_a_sweep(options):
        options.kernels = _named_again(options, kept.sweep, problems)
        return kept.sweep
    sweep = read_sweep(options)
    if sweep_command(sweep) != sweep_command(kept.sweep):
        other = (
            f"it is of another sweep: {sweep_command(kept.sweep)}. Give the file and a device alone"
        )
        problems.append(impossible("resume", options.resume, other))
    return sweep


def parser() -> CommandParser:
    """Make the parser. Values stay text: `read_sweep` checks them all."""
    made = CommandParser("sweep", DESCRIPTION, EPILOG)
    made.set_defaults(kernels=())
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    groups = {name: made.add_argument_group(str(title)) for name, title in GROUPS.items()}
    for parameter in PARAMETERS:
        group, text = groups[parameter.group], str(parameter.help).replace("%", "%%")
        if parameter.type is bool:
            group.add_argument(
                parameter.option, metavar="on|off|on,off", nargs="?", const="on", help=text
            )
            group.add_argument(
                parameter.option.replace("--", "--no-", 1),
                dest=parameter.name,
                action="store_const",
                const="off",
            )
        else:
            group.add_argument(parameter.option, metavar="VALUES", help=text)
    _add_sweep_options(made.add_argument_group("Sweep"))
    _add_output_options(made.add_argument_group("Where it runs, and where the rows go"))
    return made


def read_sweep(options: argparse.Namespace) -> SweepRequest:
    """Return the sweep that the options ask for; a CommandEnd where it is not possible."""
    problems: list[Problem] = []
    default = TUTORIAL.sweep if options.tutorial else SweepRequest()
    base: dict[str, Value] = (
        {"m": default.base.m, "dtype": default.base.dtype} if options.tutorial else {}
    )
    axes = [axis for axis in default.axes if getattr(options, axis.name) is None]
    for parameter in PARAMETERS:
        given = getattr(options, parameter.name)
        if given is None or parameter.name == "strategy":
            continue
        values = read_values(parameter, given)
        if isinstance(values, Problem):
            problems.append(values)
        elif len(values) > 1:
            axes.append(Axis(name=parameter.name, values=values))
            base.pop(parameter.name, None)
        else:
            base[parameter.name] = values[0]
    providers, options.kernels = read_providers(
        options.provider, default.providers, problems, options.setting, axes=axes
    )
    if options.waits not in (None, "on", "off"):
        problems.append(impossible("waits", options.waits, "take on or off"))
    sweep = SweepRequest(
        base=RunRequest.of(**base),
        axes=tuple(axes),
        strategies=read_choices("strategy", options.strategy, default.strategies, problems),
        providers=providers,
        directions=read_choices("mode", options.mode, default.directions, problems),
        modes=read_choices("timing", options.timing, default.modes, problems),
        effort=options.effort or default.effort,
        waits=options.waits == "on",
        search=(
            0
            if options.search is None
            else read_whole("search", options.search, 1, MOST_SETTINGS, problems)
        ),
    )
    end_if(problems or check_sweep(sweep) or _one_value_problems(sweep))
    return sweep


def asks_for_a_sweep(options: argparse.Namespace) -> bool:
    """Whether a resumed sweep is described anew, more than by the files of its user kernels."""
    given = {name: value for name in SWEEP_FIELDS if (value := getattr(options, name)) is not None}
    named = (
        options.resume is not None
        and given.keys() == {"provider"}
        and all(map(is_source, given["provider"].split(",")))
    )
    return options.tutorial or (bool(options.setting or given) and not named)


def _named_again(
    options: argparse.Namespace, sweep: SweepRequest, problems: list[Problem]
) -> tuple[KernelSource, ...]:
    """Return the user kernels of a sweep that is resumed, from the files that --provider names."""
    _, kernels = read_providers(options.provider, (), problems, options.setting, axes=[])
    if left := kernels_left_out(sweep, kernels):
        allowed = (
            f"it has {', '.join(left)}, of your own: name the file as well, as in --provider"
            f" {left[0]}.py"
        )
        problems.append(impossible("resume", options.resume, allowed))
    return kernels


def read_devices(text: str, problems: list[Problem]) -> tuple[str, ...]:
    """Return the devices that are named: by comma, or all GPUs that the driver counts."""
    if text == "all":
        count = gpu_count()
        if not count:
            problems.append(
                impossible(
                    "device",
                    text,
                    "there is no NVIDIA GPU here that the driver shows; take interpreter, or auto",
                )
            )
        return tuple(f"cuda:{index}" for index in range(count or 0))
    names = tuple(
        device_name(name) for name in dict.fromkeys(part.strip() for part in text.split(","))
    )
    wrong = [problem for name in names for problem in check_device(name)]
    if (
        not wrong
        and len(names) > 1
        and not all(re.fullmatch("cuda:[0-9]+|ssh://.*", name) for name in names)
    ):
        wrong = [
            impossible(
                "device",
                text,
                "take several GPUs, cuda:0,cuda:1,ssh://host/cuda:0, or one other device",
            )
        ]
    problems += wrong
    return names


def _add_sweep_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--provider",
        metavar="NAMES",
        help="peers to time beside: torch, torch.compile, liger, quack, apex, flash-attn",
    )
    add_setting_option(group)
    group.add_argument("--mode", metavar="forward,backward", help="passes. Default: both")
    group.add_argument(
        "--timing",
        metavar="kernel_cold,kernel_warm,autograd",
        help=(
            "kernel_cold (the kernels alone, L2 flushed before each repetition), kernel_warm,"
            " autograd. Default: kernel_cold"
        ),
    )
    group.add_argument(
        "--effort",
        metavar="quick|normal|thorough",
        help=(
            "how well each median is to be known: within 1 %%, 0.25 %% or 0.1 %%; normal times each"
            " figure for 0.2 s at least, thorough for 0.5 s as Triton's tutorial does. Default:"
            " normal; thorough with --tutorial"
        ),
    )
    text = (
        "trace each setting of locked, too: how long a row tries its free lock, and queues for it,"
        " become two columns"
    )
    group.add_argument("--waits", metavar="on|off", nargs="?", const="on", help=text)
    group.add_argument(
        "--tutorial",
        action="store_true",
        help="the curve that Triton's tutorial ends with, beside PyTorch's",
    )
    group.add_argument(
        "--search",
        metavar="N",
        help=(
            "in place of a grid: search the open launch settings of one strategy, trying at most N"
            " (needs optuna)"
        ),
    )


def _add_output_options(group: argparse._ArgumentGroup) -> None:
    text = f"{DEVICES}; several GPUs by comma, or all. Default: auto"
    group.add_argument("--device", metavar="DEVICES", default="auto", help=text)
    text = (
        "the GPUs of a Dask cluster, tcp://HOST:PORT of its scheduler, or local:N for N Dask"
        " workers on this machine; --device says then what each of them takes (needs distributed)"
    )
    group.add_argument("--cluster", metavar="ADDRESS", help=text)
    step = "for one step of a setting, such as its compilation. Default: 30 on a GPU"
    group.add_argument("--timeout", metavar="SECONDS", help=step)
    group.add_argument(
        "--csv",
        metavar="FILE",
        type=file_name,
        help="write each row to FILE as soon as it is known",
    )
    text = (
        "go on with FILE; what has a row there is not tried again. Kernels of your own are named"
        " again, by --provider. A search goes on where it was begun: it learns from samples, which"
        " are in the database of sweeps"
    )
    group.add_argument("--resume", metavar="FILE", type=file_name, help=text)
    text = (
        "keep the rows and their samples, also of an interrupted sweep, for the window; with the"
        " suffix .lnsweep"
    )
    group.add_argument("--save", metavar="FILE.lnsweep", type=file_name, help=text)
    group.add_argument(
        "--title",
        help="what the saved sweep is called; what varies, the problem and the GPU if not given",
    )
    text = "show the sweep that was saved in FILE; nothing is run"
    group.add_argument("--recorded", metavar="FILE.lnsweep", type=file_name, help=text)
    group.add_argument(
        "--tutorial-output",
        metavar="DIR",
        type=file_name,
        help=(
            "for a curve over N: write layer-norm-backward.csv and .png, and those of forward, as"
            " the tutorial does"
        ),
    )


def _one_value_problems(sweep: SweepRequest) -> list[Problem]:
    """Return problems with fixed values that spoil every setting.

    A value on an axis only costs its own rows.
    """
    varied = {axis.name for axis in sweep.axes}
    everywhere: list[Problem] | None = None
    for cell in all_cells(sweep):
        found = check_anywhere(cell.request)
        fixed = [problem for problem in found if problem.field not in varied]
        everywhere = (
            fixed if everywhere is None else [problem for problem in everywhere if problem in fixed]
        )
        if not everywhere:
            return []
    return everywhere or []


def _problems_of_output(options: argparse.Namespace, sweep: SweepRequest) -> list[Problem]:
    problems: list[Problem] = []
    if sweep.search and (why := why_no_search()):
        problems.append(impossible("search", sweep.search, why))
    if options.tutorial_output is not None:
        problems += _check_curve(options.tutorial_output, sweep)
    if options.resume is None:
        problems += check_file("csv", options.csv)
    if options.save is None:
        if options.title is not None:
            problems.append(
                impossible("title", options.title, "name the file that has it with --save")
            )
    elif options.save in (options.csv, options.resume):
        problems.append(impossible("save", options.save, "name another file than that of the rows"))
    elif options.save.suffix != SWEEP.suffix and not options.save.is_dir():
        allowed = f"name a file that ends in {SWEEP.suffix}, by which the window knows it"
        problems.append(impossible("save", options.save, allowed))
    else:
        problems += check_file("save", options.save)
    return problems


def _problems_of_cluster(options: argparse.Namespace, devices: Sequence[str]) -> list[Problem]:
    problems = check_cluster(options.cluster)
    if len(devices) != 1 or is_remote(devices[0]):
        problems.append(
            impossible(
                "device",
                options.device,
                "with --cluster name what each Dask worker takes, such as auto",
            )
        )
    return problems


def _check_curve(folder: Path, sweep: SweepRequest) -> list[Problem]:
    if [axis.name for axis in sweep.axes] == ["n"]:
        return []
    return [impossible("tutorial_output", folder, "give N several values, and nothing else")]


def give_out(
    options: argparse.Namespace,
    sweep: SweepRequest,
    results: Sequence[CellResult],
    ended: tuple[str, str],
    times: Mapping[str, float],
) -> bool:
    """Print a sweep, and write the tutorial's files where they are wanted.

    Return whether all of it was written.
    """
    if options.json:
        print_json(sweep_document(sweep, results, ended, times))
    else:
        show(sweep_text(sweep, results))
    if options.tutorial_output is None:
        return True
    if not results:
        say("sweep", "the tutorial's files are not written: there is no row")
        return True
    written = write_tutorial_files(options.tutorial_output, sweep, results)
    for sentence in (
        *written.remarks,
        *(f"wrote {written.folder / name}" for name in written.names),
    ):
        say("sweep", sentence)
    return written.complete


def show_recorded(options: argparse.Namespace) -> int:
    """Print a recorded sweep; nothing is run. Return the exit status."""
    if asks_for_a_sweep(options) or any((options.csv, options.resume, options.save)):
        end_if(
            [
                impossible(
                    "recorded",
                    options.recorded,
                    "show it alone: leave out what would be run, or kept",
                )
            ]
        )
    found = read_recorded_sweep(options.recorded)
    sweep = found.sweep
    if options.tutorial_output is not None:
        end_if(_check_curve(options.tutorial_output, sweep))
    where = ", ".join(found.gpus)
    say("sweep", f"{found.title}: {found.results[0].kind} on {where}, {found.date[:10]}")
    times = {"timing_seconds": sum(result.timing_seconds for result in found.results)}
    complete = give_out(options, sweep, found.results, (found.ended, ""), times)
    return OK if complete else FAILED


def save_sweep(
    path: Path,
    title: str,
    sweep: SweepRequest,
    results: Sequence[CellResult],
    session: SweepSession,
) -> bool:
    """Save the rows so far, and say so. Return whether that was done.

    A file of that name is kept under another one.
    """
    if not results:
        say("sweep", f"there is no row to save in {path}")
        return False
    try:
        if path.is_file() and path.stat().st_size:
            say("sweep", f"{path} was there already, and is kept as {keep_aside(path).name}.")
        write_recorded_sweep(path, recorded_sweep(sweep, results, title=title, ended=session.how))
    except StoreError as error:
        say("sweep", error)
        return False
    except OSError as error:
        say("sweep", f"{path} cannot be saved ({reason(error)}).")
        return False
    saved = len(results)
    say(
        "sweep",
        f"{counted(saved, 'row is', 'rows are')} saved as {path}. Open it with: lnexplorer"
        f" {shlex.quote(str(path))}",
    )
    return True
