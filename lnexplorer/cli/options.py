"""Options that several commands share: those of a run, by the declaration of the parameters;
devices, names, numbers, files.

Values stay text in the parsers. The readers here validate them: each returns a value, and adds what
is wrong to a list.
"""

import argparse
import errno
import math
import os
import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn, TypeVar

from lnexplorer.cli import terminal
from lnexplorer.cli.commands import Problems, impossible, refused, unusable
from lnexplorer.domain.machines import FORM, AddressError, is_remote, read_machine
from lnexplorer.domain.parameters import AUTOMATIC, GROUPS, PARAMETERS, Parameter
from lnexplorer.domain.ranges import RangeError, read_names
from lnexplorer.domain.request import RunRequest, check_anywhere
from lnexplorer.store.resources import resource
from lnkernels.launch import KNOWN_DEVICES, Problem, with_residual
from lnkernels.launch.limits import DTYPE_OF
from lnkernels.launch.source import KernelSource
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
        for argument in arguments:
            # Python 3.11 takes this value away, and misses it then.
            if argument.startswith("--") and argument.endswith("=--"):
                self.error(f"argument {argument.removesuffix('=--')}: expected one argument")
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
        add_parameter_option(groups[parameter.group], parameter)
    add_residual_option(groups["problem"])


def add_parameter_option(
    group: argparse._ActionsContainer, parameter: Parameter, default: object = None
) -> None:
    """Add the option of a parameter; its text names the default, by default that of a run."""
    default = default or RunRequest().value(parameter.name)
    unit = f" [{parameter.unit}]" if parameter.unit else ""
    text = f"{parameter.help}{unit} Default: {AUTOMATIC if default is None else default}."
    text = text.replace("%", "%%")
    if parameter.type is bool:
        switch = argparse.BooleanOptionalAction
        group.add_argument(parameter.option, action=switch, default=None, help=text)
    else:
        metavar = "|".join(parameter.choices) or parameter.type.__name__.upper()
        group.add_argument(parameter.option, metavar=metavar, help=text)


def add_flag(group: argparse._ActionsContainer, name: str, text: str) -> None:
    group.add_argument(name, action="store_true", help=text)


def add_file(
    group: argparse._ActionsContainer, name: str, text: str, metavar: str = "FILE"
) -> None:
    """Add an option, or an argument, that names a file to write, or a folder."""
    group.add_argument(name, metavar=metavar, type=file_name, help=text)


def add_recording(
    group: argparse._ActionsContainer, name: str, text: str, metavar: str = "FILE"
) -> None:
    """Add an option that names a file to open."""
    group.add_argument(name, metavar=metavar, type=recording_name, help=text)


def add_residual_option(group: argparse._ActionsContainer) -> None:
    text = "add a residual first: norm add_layer_norm for layer_norm, add_rms_norm for rms_norm"
    group.add_argument("--residual", action="store_true", default=None, help=text)


def take_norm(options: argparse.Namespace, kernels: Sequence[KernelSource] = ()) -> None:
    """Set the norm that is asked for, or that kernels of one's own tell; of x + residual with
    `--residual`.
    """
    options.norm = options.norm or norm_of(kernels)
    if options.residual:
        norms = (options.norm or RunRequest().norm).split(",")
        options.norm = ",".join(map(with_residual, norms))


def norm_of(kernels: Sequence[KernelSource]) -> str | None:
    """Return the norm that all kernels of one's own tell for certain; None where they do not."""
    told = {kernel.norm for kernel in kernels}
    return next(iter(told)) or None if len(told) == 1 else None


def add_device_option(parser: argparse.ArgumentParser, default: str | None = "auto") -> None:
    text = (
        f"{DEVICES}{THERE}; auto takes the first GPU that can be used, and the interpreter where"
        " there is none"
    )
    parser.add_argument("--device", metavar="DEVICE", type=device_name, default=default, help=text)


def device_name(text: str) -> str:
    """Name a device as it is named everywhere else."""
    return "cuda:0" if text == "cuda" else text


def file_name(text: str) -> Path:
    """Return a path; a name that no file system takes is refused before anything runs."""
    try:
        Path(text).stat()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise argparse.ArgumentTypeError(
                f"{text[:40]}… is not possible: take a shorter name"
            ) from error
    return Path(text)


def recording_name(text: str) -> Path:
    """Return the path of a file to open. The program's own recordings need no folder and suffix."""
    path, folder = file_name(text), resource("recordings")
    named = (each for each in folder.iterdir() if text in (each.name, each.stem))
    return path if path.exists() else next(named, path)


def count_of(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not possible: take a whole number, at least 1")
    return int(text)


def end_if(problems: Sequence[Problem]) -> None:
    """End the command, by CommandEnd, where something is wrong."""
    if problems:
        raise refused(problems)


def check_device(name: str) -> Problems:
    if is_remote(name):
        try:
            there = check_device(read_machine(name).device)
        except AddressError as error:
            return Problems([Problem("device", name, error.sentence)])
        return Problems(Problem("device", name, each.allowed) for each in there)
    if re.fullmatch(f"auto|cuda:[0-9]{{1,3}}|interpreter(:({'|'.join(ARCHITECTURES)}))?", name):
        return Problems()
    allowed = say("take {devices}", devices=DEVICES + THERE)
    if name in ARCHITECTURES:
        allowed = say(
            "take interpreter:{name}, which runs on the interpreter and compiles for {name}; by"
            " itself only lnexplorer compile takes it",
            name=name,
        )
    return Problems([Problem("device", name, allowed)])


def read_request(
    options: argparse.Namespace, problems: Problems, kernels: Sequence[KernelSource] = ()
) -> RunRequest:
    take_norm(options, kernels)
    wrong = check_device(options.device)
    values = read_parameters(options, PARAMETERS, wrong)
    request = RunRequest() if wrong else RunRequest.of(**values)
    # The default shape depends on the device. What is possible on neither is refused before a
    # worker is started.
    problems += wrong or check_anywhere(request)
    return request


def read_parameters(
    options: argparse.Namespace, parameters: Sequence[Parameter], problems: Problems
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
    field: str, text: str, read: Callable[[str], tuple[T, ...]], problems: Problems
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
    problems: Problems,
    allowed: Sequence[str] = (),
) -> tuple[str, ...]:
    """Read names by comma; NONE for no name."""
    if text is None or text == NONE:
        return tuple(default) if text is None else ()
    names = read_range(field, text, read_names, problems)
    unknown = [name for name in names if allowed and name not in allowed]
    if unknown:
        problems.refuse(field, ", ".join(unknown), f"take {', '.join(allowed)}, or {NONE}")
        return ()
    return names


def read_whole(field: str, text: str, least: int, most: int, problems: Problems) -> int:
    if re.fullmatch("[0-9]{1,18}", text) and least <= int(text) <= most:
        return int(text)
    problems.refuse(field, text, f"take a whole number from {least} to {most}")
    return least


def read_time(
    field: str, text: str, problems: Problems, most: float = 3600.0, unit: str = "seconds"
) -> float:
    try:
        time = float(text)
    except ValueError:
        time = math.nan
    if not 0 <= time <= most:
        problems.refuse(field, text, f"take a number of {unit} from 0 to {most:.0f}")
    return time


def unicode(text: str | None) -> str:
    """Replace every byte that is no Unicode in a text that is kept in a file."""
    return (text or "").encode(errors="replace").decode()


def check_file(field: str, path: Path | None) -> Problems:
    """List what is wrong with an option that names a file to write, before anything runs."""
    if path is None:
        return Problems()
    folder, why = path.parent, ""
    # os.path says no where a folder on the way may not be looked into; Path raises.
    if os.path.isdir(path):  # noqa: PTH112
        why = "name a file, not a folder"
    elif not os.path.isdir(folder):  # noqa: PTH112
        why = f"name a file in a folder that is there; {folder} is not"
    elif os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
        if not os.access(path, os.W_OK):  # a device or a pipe is written and not replaced
            why = "name a file that can be written"
    elif not os.access(folder, os.W_OK | os.X_OK):
        why = f"name a file in a folder that can be written; {folder} cannot"
    return Problems([impossible(field, path, why)] if why else [])
