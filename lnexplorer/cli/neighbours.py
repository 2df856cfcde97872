"""`lnexplorer neighbours`: every setting one step away, timed, and what limits the present one."""

from lnexplorer.cli.commands import impossible
from lnexplorer.cli.experiment import add_experiment_options, carry_out
from lnexplorer.cli.options import CommandParser, read_seconds, take_norm
from lnexplorer.cli.providers import add_setting_option, read_kernel
from lnexplorer.domain.experiments.neighbours import NEIGHBOURS
from lnkernels.launch import Problem

DESCRIPTION = (
    "Check every setting one step away from the present one, time them in turns until each"
    " difference is known to ±0.5 %, and say what limits the present launch."
)
EPILOG = (
    "What is not given is automatic; --repeats is the most rounds. The interpreter has no times:"
    " there settings are only checked. Exit status: 0 done; 2 the request is not possible; 3 the"
    " worker, or writing, failed; 130 interrupted: the history has what was known by then."
)


def main(arguments: list[str]) -> int:
    options, problems = parser().read(arguments), list[Problem]()
    kernel = None
    if options.kernel is not None:
        kernel = read_kernel(options.kernel, options.setting, problems)
        take_norm(options, [kernel] if kernel else [])
    elif options.setting:
        allowed = "name a kernel of your own by --kernel FILE"
        problems.append(impossible("setting", options.setting[0], allowed))
    seconds = read_seconds("budget", options.budget, problems)
    return carry_out(options, problems, kernel=kernel, budget_seconds=seconds)


def parser() -> CommandParser:
    command = CommandParser(NEIGHBOURS.name, DESCRIPTION, EPILOG)
    command.add_argument(
        "--budget",
        metavar="SECONDS",
        default="60",
        help="of timing, after which what is known so far is the result. Default: 60",
    )
    command.add_argument(
        "--kernel",
        metavar="FILE",
        help="a kernel of your own: the values beside the present ones in its SETTINGS are tried",
    )
    add_setting_option(command)
    add_experiment_options(command)
    climb = "take the fastest and go again from there, until none is known to be faster"
    command.add_argument("--climb", action="store_true", help=climb)
    command.set_defaults(name=NEIGHBOURS.name)
    return command
