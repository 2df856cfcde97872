"""Options that several commands share: those of a run, by the declaration of the parameters;
devices, names, numbers, files.

Values stay text in the parsers. The readers here validate them: each returns a value, and adds what
is wrong to a list.
"""

import argparse
import math
import os
import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn, TypeVar

from lnexplorer.cli import terminal
from lnexplorer.cli.commands import impossible, refused, unusable
from lnexplorer.domain.machines import FORM, AddressError, is_remote, read_machine
from lnexplorer.domain.parameters import AUTOMATIC, GROUPS, PARAMETERS, Parameter
from lnexplorer.domain.ranges import RangeError, read_names
from lnexplorer.domain.request import RunRequest, check_anywhere
from lnkernels.launch import KNOWN_DEVICES, Problem
from lnkernels.launch.limits import DTYPE_OF
from lnkernels.values.sentence import say

T = TypeVar("T")

ARCHITECTURES = tuple(
    dict.fromkeys(limits.architecture for limits in KNOWN_DEVICES)
)  # that the interpreter can compile for
DEVICES = (
    "auto, cuda:N, interpreter, or interpreter:sm_80 (an architecture to compile for:"
    f" {', '.join(ARCHITECTURES)})"
)
THERE = f"; of another machine {FORM}"
NONE = "none"


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors end the command as an invalid request does, with a document where
    --json asks for one.
    """

    def __init__(self, command: str, description: str, epilog: str, *, json: bool = True) -> None:
        super().__init__(
            prog=f"lnexplorer {command}".rstrip(),
            description=description,
            epilog=epilog,
            allow_abbrev=False,
        )
        self._negative_number_matcher = re.compile(
            r"-(\d|\.\d|inf)"
        )  # argparse takes -1e-5 for an option
        self.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")
        if json:
            self.add_argument(
                "--json",
                action="store_true",
                help="print one JSON document on stdout; all else goes to stderr",
            )

    def error(self, message: str) -> NoReturn:
        known = self._option_string_actions
        words = [word.partition("=")[0].rstrip(":,") for word in message.split()]
        unknown = [word for word in words if word.startswith("--") and word not in known]
        close = [near for word in unknown for near in get_close_matches(word, known, 1, 0.7)]
        meant = f": did you mean {', '.join(close)}?" if close else ""
        raise unusable(f"{message}{meant}; {self.prog} --help lists the options")

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments; short names of dtypes are whole from here on."""
        options = self.parse_args(arguments)
        terminal.quiet = options.quiet
        if getattr(options, "dtype", None) is not None:
            options.dtype = ",".join(
                DTYPE_OF.get(name.strip(), name) for name in options.dtype.split(",")
            )
        return options


def add_run_options(parser: CommandParser) -> None:
    groups = {name: parser.add_argument_group(str(title)) for name, title in GROUPS.items()}
    for parameter in PARAMETERS:
        group = groups[parameter.group]
        default = RunRequest().value(parameter.name)
        unit = f" [{parameter.unit}]" if parameter.unit else ""
        text = (
            f"{parameter.help}{unit} Default: {AUTOMATIC if default is None else default}.".replace(
                "%", "%%"
            )
        )
        if parameter.type is bool:
            group.add_argument(
                parameter.option, action=argparse.BooleanOptionalAction, default=None, help=text
            )
        else:
            metavar = (
                "|".join(parameter.choices)
                if parameter.choices
                else parameter.type.__name__.upper()
            )
            group.add_argument(parameter.option, metavar=metavar, help=text)


def add_device_option(parser: argparse.ArgumentParser, default: str | None = "auto") -> None:
    text = (
        f"{DEVICES}{THERE}; auto takes the first GPU that can be used, and the interpreter where"
        " there is none"
    )
    parser.add_argument("--device", metavar="DEVICE", type=device_name, default=default, help=text)


def device_name(text: str) -> str:
    """Name a device as it is named everywhere else."""
    return "cuda:0" if text == "cuda" else text


def count_of(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take a whole number, at least 1")
    return int(text)


def end_if(problems: Sequence[Problem]) -> None:
    """End the command, by CommandEnd, where something is wrong."""
    if problems:
        raise refused(problems)


def check_device(name: str) -> list[Problem]:
    if is_remote(name):
        try:
            machine = read_machine(name)
        except AddressError as error:
            return [Problem("device", name, error.sentence)]
        return [Problem("device", name, each.allowed) for each in check_device(machine.device)]
    if re.fullmatch(f"auto|cuda:[0-9]{{1,3}}|interpreter(:({'|'.join(ARCHITECTURES)}))?", name):
        return []
    return [Problem("device", name, say("take {devices}", devices=DEVICES + THERE))]


def read_request(options: argparse.Namespace, problems: list[Problem]) -> RunRequest:
    wrong = check_device(options.device)
    values = read_parameters(options, PARAMETERS, wrong)
    request = RunRequest() if wrong else RunRequest.of(**values)
    # The default shape depends on the device. What is possible on neither is refused before a
    # worker is started.
    problems += wrong or check_anywhere(request)
    return request


def read_parameters(
    options: argparse.Namespace, parameters: Sequence[Parameter], problems: list[Problem]
) -> dict[str, int | float | str | bool | None]:
    values: dict[str, int | float | str | bool | None] = {}
    for parameter in parameters:
        given = getattr(options, parameter.name)
        if given is None or (given == AUTOMATIC and parameter.automatic):
            continue
        try:
            values[parameter.name] = parameter.type(given)
        except ValueError:
            problems.append(Problem(parameter.name, given, parameter.allowed()))
    return values


def read_range(
    field: str, text: str, read: Callable[[str], tuple[T, ...]], problems: list[Problem]
) -> tuple[T, ...]:
    try:
        return read(text)
    except RangeError as error:
        problems.append(Problem(field, error.part or "nothing", error.allowed))
        return ()


def read_choices(
    field: str,
    text: str | None,
    default: Sequence[str],
    problems: list[Problem],
    allowed: Sequence[str] = (),
) -> tuple[str, ...]:
    """Read names by comma; NONE for no name."""
    if text is None or text == NONE:
        return tuple(default) if text is None else ()
    names = read_range(field, text, read_names, problems)
    unknown = [name for name in names if allowed and name not in allowed]
    if unknown:
        problems.append(
            impossible(field, ", ".join(unknown), f"take {', '.join(allowed)}, or {NONE}")
        )
        return ()
    return names


def read_whole(field: str, text: str, least: int, most: int, problems: list[Problem]) -> int:
    if re.fullmatch("[0-9]{1,18}", text) and least <= int(text) <= most:
        return int(text)
    problems.append(impossible(field, text, f"take a whole number from {least} to {most}"))
    return least


def read_seconds(field: str, text: str, problems: list[Problem], most: float = 3600.0) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= most:
        problems.append(impossible(field, text, f"take a number from 0 to {most:.0f}"))
    return seconds


def unicode(text: str | None) -> str:
    """Replace every byte that is no Unicode in a text that is kept in a file."""
    return (text or "").encode(errors="replace").decode()


def check_file(field: str, path: Path | None) -> list[Problem]:
    """List what is wrong with an option that names a file to write, before anything runs."""
    if path is None:
        return []
    # os.path says no where a folder on the way may not be looked into; Path raises.
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
        # A folder; or a device or a pipe, which is written and not replaced.
        fine = os.access(path, os.W_OK) and not os.path.isdir(path)  # noqa: PTH112
    else:
        fine = os.access(path.parent, os.W_OK | os.X_OK)
    allowed = "name a file in a folder that is there, and that can be written"
    return [] if fine else [impossible(field, path, allowed)]
