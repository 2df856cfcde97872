"""The options of `lnexplorer sweep`, and the sweep that they ask for."""

import argparse
import re
import textwrap

from lnexplorer.cli.jobs import gpu_count
from lnexplorer.cli.options import (
    DEVICES,
    CommandParser,
    Options,
    add_file,
    add_flag,
    add_option,
    add_recording,
    add_residual_option,
    check_device,
    device_name,
    end_if,
    take_norm,
)
from lnexplorer.cli.providers import add_setting_option, read_providers
from lnexplorer.domain.parameters import GROUPS, PARAMETERS
from lnexplorer.domain.peers import KNOWN_PEERS
from lnexplorer.domain.ranges import HOW, Value, read_values
from lnexplorer.domain.request import RunRequest, check_anywhere
from lnexplorer.domain.sweep.cells import all_cells
from lnexplorer.domain.sweep.request import (
    TUTORIAL,
    Axis,
    SweepRequest,
    check_sweep,
)
from lnkernels.launch import Problem
from lnkernels.launch.source import is_source

DESCRIPTION = """\
Try many settings: one or two parameters of a run take several values. What is
not given is automatic.
"""
EPILOG = f"""
{textwrap.fill(f"VALUES: {HOW}.", 79)}
Each strategy and each provider has rows of its own, beside those of the others.

Every setting has one row, with its status (ok, incorrect, invalid,
out_of_resources, timed_out or failed) and the reason.

Exit status: 0 all settings were tried; 1 the same, and a provider is not here;
2 the sweep is not possible, or its GPU is not there; 3 no worker, no room for
the rows, or they are not in the history; 130 interrupted, 143 by SIGTERM, 129
by a hang-up. However it ends, the rows so far are in the files of --csv and
--save, and --resume goes on.
"""
# A sweep checks each setting once.
SWEPT = tuple(parameter for parameter in PARAMETERS if parameter.name != "repeats")
# Options that say where a sweep runs and where its rows go; the others ask for one.
AROUND = {
    "quiet",
    "json",
    "device",
    "cluster",
    "timeout",
    "csv",
    "resume",
    "save",
    "title",
    "recorded",
    "tutorial_output",
}
MOST_SETTINGS = 999_999  # of a search
SWITCH = ("on", "off")


def parser() -> CommandParser:
    """Make the parser. Values stay text: `read_sweep` checks them all."""
    made = CommandParser("sweep", DESCRIPTION, EPILOG)
    made.set_defaults(kernels=())
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    groups = {name: made.add_argument_group(str(title)) for name, title in GROUPS.items()}
    for parameter in SWEPT:
        group, text = groups[parameter.group], str(parameter.help).replace("%", "%%")
        if parameter.type is bool:
            add_option(group, parameter.option, text, "on|off|on,off", nargs="?", const="on")
            group.add_argument(
                parameter.option.replace("--", "--no-", 1),
                dest=parameter.name,
                action="store_const",
                const="off",
            )
        else:
            add_option(group, parameter.option, text, "VALUES")
    add_residual_option(groups["problem"])
    _add_sweep_options(made.add_argument_group("Sweep"))
    _add_output_options(made.add_argument_group("Where it runs, and where the rows go"))
    return made


def read_sweep(options: Options) -> SweepRequest:
    """Return the sweep that the options ask for; a CommandEnd where it is not possible."""
    default = TUTORIAL.sweep if options.tutorial else SweepRequest()
    base: dict[str, Value] = (
        {"m": default.base.m, "dtype": default.base.dtype} if options.tutorial else {}
    )
    if options.norm is not None:
        take_norm(options)
    axes = [axis for axis in default.axes if getattr(options, axis.name) is None]
    for parameter in SWEPT:
        given = getattr(options, parameter.name)
        if given is None or parameter.name == "strategy":
            continue
        values = read_values(parameter, given)
        if isinstance(values, Problem):
            options.problems.append(values)
        elif len(values) > 1:
            axes.append(Axis(name=parameter.name, values=values))
            base.pop(parameter.name, None)
        else:
            base[parameter.name] = values[0]
    providers, options.kernels = read_providers(options, default.providers, axes=axes)
    if options.norm is None:
        take_norm(options, options.kernels)
        base |= {"norm": options.norm} if options.norm else {}
    sweep = SweepRequest(
        base=RunRequest.of(**base),
        axes=tuple(axes),
        strategies=options.read_choices("strategy", default.strategies, optional=True),
        providers=providers,
        directions=options.read_choices("mode", default.directions),
        modes=options.read_choices("timing", default.modes),
        effort=options.effort or default.effort,
        waits=options.waits == "on",
        time_anyway=options.time_anyway == "on",
        search=(0 if options.search is None else options.read_whole("search", 1, MOST_SETTINGS)),
    )
    end_if(options.problems or check_sweep(sweep) or _one_value_problems(sweep))
    return sweep


def asks_for_a_sweep(options: Options) -> bool:
    """Return whether more is asked for than to resume, with files of user kernels named again."""
    asked = options.given.keys() - AROUND
    named = (
        options.resume is not None
        and options.provider is not None
        and asked <= {"provider", "setting"}
        and all(map(is_source, options.provider.split(",")))
    )
    return bool(asked) and not named


def read_devices(options: Options) -> tuple[str, ...]:
    """Return the devices that are named: by comma, or all GPUs that the driver counts."""
    text: str = options.device
    if text == "all":
        count = gpu_count()
        if not count:
            options.refuse(
                "device",
                text,
                "there is no NVIDIA GPU here that the driver shows; take interpreter, or auto",
            )
        return tuple(f"cuda:{index}" for index in range(count or 0))
    names = tuple(
        device_name(name) for name in dict.fromkeys(part.strip() for part in text.split(","))
    )
    wrong = [problem for name in names for problem in check_device(name)]
    options.problems += wrong
    if (
        not wrong
        and len(names) > 1
        and not all(re.fullmatch("cuda:[0-9]+|ssh://.*", name) for name in names)
    ):
        allowed = "take several GPUs, cuda:0,cuda:1,ssh://host/cuda:0, or one other device"
        options.refuse("device", text, allowed)
    return names


def _add_sweep_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--provider",
        "--kernel",
        metavar="NAMES",
        help=f"who is timed beside the strategies, by comma: {', '.join(KNOWN_PEERS)}, providers of"
        " other packages, and kernels of your own, such as my_norm.py",
    )
    add_setting_option(group)
    add_option(group, "--mode", "passes. Default: both", "forward,backward")
    add_option(
        group,
        "--timing",
        "kernels alone, with a cold L2 (flushed before each repetition) or a warm one, or the"
        " call through autograd. Default: kernel_cold",
        "kernel_cold,kernel_warm,autograd",
    )
    add_option(
        group,
        "--effort",
        "how well each median is to be known: within 1 %%, 0.25 %% or 0.1 %%; normal times each"
        " figure for 0.2 s at least, thorough for 0.5 s as Triton's tutorial does. Default:"
        " normal; thorough with --tutorial",
        "quick|normal|thorough",
    )
    text = (
        "trace each setting of locked, too: how long a row tries its free lock, and queues for it,"
        " become two columns"
    )
    group.add_argument("--waits", choices=SWITCH, nargs="?", const="on", help=text)
    text = "time settings and providers whose results are wrong, too; their rows stay marked so"
    group.add_argument("--time-anyway", choices=SWITCH, nargs="?", const="on", help=text)
    add_flag(group, "--tutorial", "the curve that Triton's tutorial ends with, beside PyTorch's")
    add_option(
        group,
        "--search",
        "in place of a grid: search the open launch settings of one strategy, trying at most N"
        " (needs optuna)",
        "N",
    )


def _add_output_options(group: argparse._ArgumentGroup) -> None:
    text = f"{DEVICES}; several GPUs by comma, or all. Default: auto"
    add_option(group, "--device", text, "DEVICES", default="auto")
    text = (
        "the GPUs of a Dask cluster, tcp://HOST:PORT of its scheduler, or local:N for N Dask"
        " workers on this machine; --device then says what each worker runs on (needs distributed)"
    )
    add_option(group, "--cluster", text, "ADDRESS")
    step = "for one step of a setting, such as its compilation. Default: 30 on a GPU"
    add_option(group, "--timeout", step, "SECONDS", default="0")
    add_file(group, "--csv", "write each row to FILE as soon as it is known")
    text = (
        "go on with FILE: a setting that has a row there is not tried again. Name kernels of your"
        " own again, by --provider. A search goes on only on the machine where it began: it learns"
        " from samples, which are in the history there"
    )
    add_file(group, "--resume", text)
    text = (
        "keep the rows and their samples, also of an interrupted sweep, for the window; with the"
        " suffix .lnsweep"
    )
    add_file(group, "--save", text, "FILE.lnsweep")
    group.add_argument(
        "--title",
        help="title of the saved sweep. Default: what varies, the problem and the GPU",
    )
    text = "show the sweep that was saved in FILE; nothing is run"
    add_recording(group, "--recorded", text, "FILE.lnsweep")
    text = (
        "for a curve over N: write layer-norm-backward.csv and .png, and those of forward, as the"
        " tutorial does"
    )
    add_file(group, "--tutorial-output", text, "DIR")


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
