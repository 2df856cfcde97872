"""`lnexplorer neighbours`: every setting one step away, timed, and what limits the present one."""

from lnexplorer.cli.experiment import add_experiment_options, carry_out
from lnexplorer.cli.options import CommandParser, add_flag
from lnexplorer.domain.experiments.neighbours import NEIGHBOURS

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
    """Do the experiment as `lnexplorer experiment` does, with options of its own."""
    return carry_out(parser().read(arguments))


def parser() -> CommandParser:
    command = CommandParser(NEIGHBOURS.name, DESCRIPTION, EPILOG)
    command.add_argument(
        "--budget",
        metavar="SECONDS",
        help="of timing, after which what is known so far is the result. Default: 60",
    )
    command.add_argument(
        "--kernel",
        dest="provider",
        metavar="FILE",
        help="a kernel of your own: the values beside the present ones in its SETTINGS are tried",
    )
    add_experiment_options(command)
    climb = "take the fastest and go again from there, until none is known to be faster"
    add_flag(command, "--climb", climb)
    command.set_defaults(name=NEIGHBOURS.name)
    return command
