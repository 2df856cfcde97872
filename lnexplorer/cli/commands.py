"""The table of commands, and how one ends: exit statuses, which scripts rely on. The window is the
command without a name.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from lnexplorer.cli import terminal
from lnexplorer.cli.interrupts import termination_heeded
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.store.files import NoRoomError, StoreError
from lnkernels.launch import Problem
from lnkernels.values import verbatim

OK = 0
FAULT_FOUND = NOT_WITHIN_TOLERANCE = 1  # for `doctor`: the explorer cannot be used
INVALID = 2
FAILED = 3
# As a shell says it of a command that a signal ended: 130 of Ctrl-C, 143 of SIGTERM, 129 of SIGHUP.
SIGNALLED = 128
INTERRUPTED = SIGNALLED + 2

# The module of each command, which has `parser()` and `main(options) -> exit status`.
COMMANDS = {
    "run": "check and time the kernels once, and print the result",
    "sweep": "try many settings, one row each, into a table that grows with them",
    "trace": (
        "show when each row wanted, held and released its lock: measured, simulated or recorded"
    ),
    "experiment": "run an experiment, such as barrier or order; its --help lists all",
    "neighbours": "try every setting one step away: what would make it faster, what limits it",
    "touch": "show every load and store of one row, with its line of code",
    "compile": (
        "show what the compiler makes of the kernels for any architecture, and check the locks"
    ),
    "record": "run, trace the locks, and save both in a file that the window opens",
    "tune": "measure the best launch settings for this GPU once, to be used from then on",
    "bench": (
        "time the strategies and other LayerNorms at several N, as a table, CSV, JSON and a picture"
    ),
    "export": "write runs of the history as CSV, Parquet, JSON, HTML report, script or notebook",
    "history": "list, show, annotate and delete runs of the history",
    "new-kernel": "write a file with a LayerNorm to begin from, for --provider FILE",
    "compare": "speeds of two runs, sweeps or benchmarks beside each other, with their uncertainty",
    "exercises": "lab sheets: list them, show one, check an answer by what was run or recorded",
    "lecture": "write the lecture with its notes as a PDF, or as a page of HTML",
    "doctor": "say what is here and what is missing",
    "completion": "print a script that completes commands, options and values in bash, zsh or fish",
}


class CommandEnd(Exception):  # noqa: N818  it is no error of this program
    """Ends a command without a result."""

    def __init__(
        self, status: int, sentences: Sequence[object], error: dict[str, Any], detail: str = ""
    ) -> None:
        super().__init__("; ".join(map(str, sentences)))
        self.status = status
        self.sentences = sentences
        self.error = error
        self.detail = detail

    def tell(self, command: str, *, as_json: bool) -> int:
        """Print why, and return the exit status."""
        for sentence in self.sentences:
            terminal.say(command, sentence)
        if self.detail:
            terminal.show(self.detail.rstrip(), sys.stderr)
        if as_json:
            terminal.print_json({"error": self.error})
        return self.status


def unusable(error: object) -> CommandEnd:
    """Make the end for a file or a command line that is not possible."""
    return CommandEnd(INVALID, [error], {"kind": "invalid", "cause": str(error)})


def failed(phase: str, cause: object, detail: str = "") -> CommandEnd:
    """Make the end for a phase that failed; `detail` is for stderr alone."""
    error = {"kind": "failed", "phase": phase, "cause": str(cause)}
    return CommandEnd(FAILED, [f"failed in phase {phase}: {cause}"], error, detail)


def stopped() -> CommandEnd:
    """Make the end for a command that was stopped."""
    why = "stopped before there was a result"
    return CommandEnd(INTERRUPTED, [why], {"kind": "interrupted", "cause": why})


def problem_text(problem: Problem) -> str:
    parameter = BY_NAME.get(problem.field)
    option = "" if parameter is None else f" ({parameter.option})"
    return (
        f"{problem.field} = {problem.value or 'nothing'}{option} is not possible: {problem.allowed}"
    )


def refused(problems: Sequence[Problem]) -> CommandEnd:
    """Make the end for a request that is not possible."""
    listed = [
        {"field": problem.field, "value": problem.value, "allowed": str(problem.allowed)}
        for problem in problems
    ]
    return CommandEnd(
        INVALID, list(map(problem_text, problems)), {"kind": "invalid", "problems": listed}
    )


def impossible(field: str, value: object, allowed: str) -> Problem:
    return Problem(field, str(value).encode(errors="replace").decode(), verbatim(allowed))


def refusal(field: str, value: object, allowed: str) -> CommandEnd:
    """Make the end for an option whose value is not possible."""
    return refused([impossible(field, value, allowed)])


def run_command(arguments: list[str]) -> int:
    """Run the command that the first argument names, or open the window."""
    arguments = _with_command_first(arguments)
    name = arguments[0] if arguments and arguments[0] in COMMANDS else ""
    rest = arguments[1:] if name else arguments
    try:
        with termination_heeded():
            _check_working_folder()
            module = command_module(name)
            status: int = module.main(module.parser().read(rest))
            return status
    except CommandEnd as end:
        found = end
    except NoRoomError as error:
        found = failed("saving", error)
    except StoreError as error:
        found = unusable(error)
    return found.tell(name, as_json=terminal.wants_json(arguments))


def _with_command_first(arguments: list[str]) -> list[str]:
    """Read `help COMMAND` as `COMMAND --help`, and take --quiet before a command, too."""
    first, *rest = arguments or [""]
    if first == "help":
        return [*rest[:1], "--help"]
    quiet = first in ("-q", "--quiet") and rest and rest[0] in COMMANDS
    return [rest[0], first, *rest[1:]] if quiet else arguments


def command_module(name: str) -> Any:
    """The module of a command, or that of the window where there is no name."""
    return importlib.import_module(f"lnexplorer.cli.{(name or 'window').replace('-', '_')}")


def _check_working_folder() -> None:
    try:
        os.getcwd()  # noqa: PTH109
    except OSError as error:
        raise unusable(
            "the folder that this was started in is not there any more: change to one that is"
        ) from error
