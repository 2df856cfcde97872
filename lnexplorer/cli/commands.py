"""Which command it is. The window is the one without a name."""

import importlib
from collections.abc import Callable

from lnexplorer.cli.interrupts import termination_heeded

# The module of each command, which has `main(arguments) -> exit status`.
COMMANDS = {
    "run": "check and time the kernels once, and print the result",
    "sweep": "try many settings, one row each, into a table that grows with them",
    "trace": "show when each row wanted, held and released its lock: measured, simulated or recorded",
    "experiment": "one of four experiments with locks: group_size, barrier, order, strategies",
    "touch": "show every load and store of one row, with its line of code",
    "record": "run on a GPU, trace its locks, and save both in a file that the window opens",
    "tune": "measure the best launch settings for this GPU once, to be used from then on",
    "bench": "time the strategies and other LayerNorms at several N, as a table, CSV, JSON and a picture",
    "export": "write runs of the history as CSV, Parquet, JSON, HTML report, script or notebook",
    "doctor": "say what is here and what is missing",
}


def run_command(arguments: list[str]) -> int:
    """Run the command that the first argument names, or open the window."""
    if arguments and arguments[0] in COMMANDS:
        with termination_heeded():  # the window ends by it at once: what it keeps is written already
            return _main_of(arguments[0])(arguments[1:])
    return _main_of("window")(arguments)


def _main_of(name: str) -> Callable[[list[str]], int]:
    main: Callable[[list[str]], int] = importlib.import_module(f"lnexplorer.cli.{name}").main
    return main
