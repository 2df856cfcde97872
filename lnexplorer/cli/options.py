"""Options that several commands share: those of a run, by the declaration of the parameters;
devices, names, numbers, files.

Values stay text in the parsers. The readers of Options validate them.
"""

import argparse
import errno
import math
import os
import re
from collections.abc import Callable, Container, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from lnexplorer.cli import terminal
from lnexplorer.cli.commands import impossible, refused, unusable
from lnexplorer.domain.machines import FORM, AddressError, is_remote, read_machine
from lnexplorer.domain.parameters import AUTOMATIC, GROUPS, PARAMETERS, Parameter
from lnexplorer.domain.ranges import RangeError, read_names
from lnexplorer.domain.request import RunRequest, check_anywhere
from lnexplorer.store.resources import resource
from lnkernels.launch import KNOWN_DEVICES, Problem, with_residual
from lnkernels.launch.limits import DTYPE_OF
from lnkernels.launch.source import KernelSource
from lnkernels.values import say

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


class Options(argparse.Namespace):
    """The options of a command, texts for the most part, and what is wrong with them so far.

    Its readers return a value, and add what is wrong with it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.arguments: list[str] = []  # that were read
        self.given: dict[str, Any] = {}  # the options that are not at their defaults
        self.problems: list[Problem] = []

    def refuse(self, field: str, value: object, allowed: str) -> None:
        self.problems.append(impossible(field, value, allowed))

    def refuse_given(self, fields: Iterable[str], allowed: str) -> None:
        """Refuse those of these options that were given."""
        for field in fields:
            if field in self.given:
                value = self.given[field]
                shown = {True: "on", False: "off"}[value] if isinstance(value, bool) else value
                self.refuse(field, ", ".join(shown) if isinstance(shown, list) else shown, allowed)

    def end_if_refused(self) -> None:
        """End the command, by CommandEnd, where something is wrong."""
        end_if(self.problems)

    def read_parameters(
        self, parameters: Sequence[Parameter]
    ) -> dict[str, int | float | str | bool | None]:
        values: dict[str, int | float | str | bool | None] = {}
        for parameter in parameters:
            given = vars(self).get(parameter.name)
            if given is None or (given == AUTOMATIC and parameter.automatic):
                continue
            try:
                values[parameter.name] = parameter.type(given)
            except ValueError:
                self.problems.append(Problem(parameter.name, given, parameter.allowed()))
        return values

    def read_range(
        self, field: str, read: Callable[[str], tuple[T, ...]], text: str | None = None
    ) -> tuple[T, ...]:
        """Read several values, in place of the option's a text's."""
        try:
            return read(getattr(self, field) if text is None else text)
        except RangeError as error:
            self.problems.append(Problem(field, error.part or "nothing", error.allowed))
            return ()

    def read_choices(
        self,
        field: str,
        default: Sequence[str],
        allowed: Sequence[str] = (),
        *,
        optional: bool = False,
    ) -> tuple[str, ...]:
        """Read names by comma; where they are `optional`, NONE for no name."""
        text = getattr(self, field)
        if text is None or (optional and text == NONE):
            return tuple(default) if text is None else ()
        names = self.read_range(field, read_names)
        unknown = [name for name in names if allowed and name not in allowed]
        if unknown:
            offered = ", ".join((*allowed, f"or {NONE}") if optional else allowed)
            self.refuse(field, ", ".join(unknown), f"take {offered}")
            return ()
        return names

    def read_whole(self, field: str, least: int, most: int, text: str | None = None) -> int:
        """Read a whole number, in place of the option's a text's."""
        text = getattr(self, field) if text is None else text
        if re.fullmatch("[0-9]{1,18}", text) and least <= int(text) <= most:
            return int(text)
        self.refuse(field, text, f"take a whole number from {least} to {most}")
        return least

    def read_time(self, field: str, most: float = 3600.0, unit: str = "seconds") -> float:
        try:
            time = float(getattr(self, field))
        except ValueError:
            time = math.nan
        if not 0 <= time <= most:
            allowed = f"take a number of {unit} from 0 to {most:.0f}"
            self.refuse(field, getattr(self, field), allowed)
        return time

    def check_file(self, field: str, path: Path | None) -> None:
        """Refuse a file that could not be written, before anything runs; None is none."""
        if path is None:
            return
        folder, why = path.parent, ""
        # os.path says no where a folder on the way may not be looked into; Path raises.
        if os.path.isdir(path):  # noqa: PTH112
            why = "name a file, not a folder"
        elif not os.path.isdir(folder):  # noqa: PTH112
            why = f"name a file in a folder that is there; {folder} is not"
        elif os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
            # A device, or a pipe without a name, is written and not replaced.
            if Path(path).resolve().is_fifo():
                why = "name a file, not a pipe, which nobody may read"
            elif not os.access(path, os.W_OK):
                why = "name a file that can be written"
        elif not os.access(folder, os.W_OK | os.X_OK):
            why = f"name a file in a folder that can be written; {folder} cannot"
        if why:
            self.refuse(field, path, why)


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
        if "--kernel" in known:
            close += [f"--kernel {word}" for word in words if ".py" in word]
        meant = f": did you mean {', '.join(close)}?" if close else ""
        raise unusable(f"{message}{meant}; {self.prog} --help lists the options")

    def read(self, arguments: Sequence[str]) -> Options:
        """Parse the arguments; short names of dtypes are whole from here on."""
        for argument in arguments:
            # Python 3.11 takes this value away, and misses it then.
            if argument.startswith("--") and argument.endswith("=--"):
                self.error(f"argument {argument.removesuffix('=--')}: expected one argument")
        options = self.parse_args(arguments, Options())
        options.arguments = [*arguments]
        options.given = {
            action.dest: value
            for action in self._actions
            if (value := getattr(options, action.dest, action.default)) != action.default
        }
        terminal.quiet = options.quiet
        if getattr(options, "dtype", None) is not None:
            options.dtype = ",".join(
                DTYPE_OF.get(name.strip(), name) for name in options.dtype.split(",")
            )
        return options


def add_run_options(parser: CommandParser, unused: Container[str] = ()) -> None:
    """Add the options of a run, but those of parameters that the command does not use."""
    groups = {name: parser.add_argument_group(str(title)) for name, title in GROUPS.items()}
    for parameter in PARAMETERS:
        if parameter.name not in unused:
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
        add_option(group, parameter.option, text, metavar)


def add_option(
    group: argparse._ActionsContainer, name: str, text: str, metavar: str, **more: Any
) -> None:
    """Add an option with a value, or an argument."""
    group.add_argument(name, metavar=metavar, help=text, **more)


def add_flag(group: argparse._ActionsContainer, name: str, text: str) -> None:
    group.add_argument(name, action="store_true", help=text)


def add_file(
    group: argparse._ActionsContainer, name: str, text: str, metavar: str = "FILE"
) -> None:
    """Add an option, or an argument, that names a file to write, or a folder."""
    add_option(group, name, text, metavar, type=file_name)


def add_recording(
    group: argparse._ActionsContainer, name: str, text: str, metavar: str = "FILE"
) -> None:
    """Add an option that names a file to open."""
    add_option(group, name, text, metavar, type=recording_name)


def add_residual_option(group: argparse._ActionsContainer) -> None:
    text = "add a residual first: norm add_layer_norm for layer_norm, add_rms_norm for rms_norm"
    group.add_argument("--residual", action="store_true", default=None, help=text)


def take_norm(options: Options, kernels: Sequence[KernelSource] = ()) -> None:
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
    add_option(parser, "--device", text, "DEVICE", type=device_name, default=default)


def device_name(text: str) -> str:
    """Name a device as it is named everywhere else."""
    return "cuda:0" if text == "cuda" else text


def file_name(text: str) -> Path:
    """Return a path; a name that no file system takes is refused before anything runs."""
    if not text:
        raise argparse.ArgumentTypeError("nothing is not possible: name a file")
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


def check_device(name: str) -> list[Problem]:
    if is_remote(name):
        try:
            there = check_device(read_machine(name).device)
        except AddressError as error:
            return [Problem("device", name, error.sentence)]
        return [Problem("device", name, each.allowed) for each in there]
    if re.fullmatch(f"auto|cuda:[0-9]{{1,3}}|interpreter(:({'|'.join(ARCHITECTURES)}))?", name):
        return []
    allowed = say("take {devices}", devices=DEVICES + THERE)
    if name in ARCHITECTURES:
        allowed = say(
            "take interpreter:{name}, which runs on the interpreter and compiles for {name}; by"
            " itself only lnexplorer compile takes it",
            name=name,
        )
    return [Problem("device", name, allowed)]


def read_request(options: Options, kernels: Sequence[KernelSource] = ()) -> RunRequest:
    take_norm(options, kernels)
    before = len(options.problems)
    options.problems += check_device(options.device)
    values = options.read_parameters(PARAMETERS)
    if len(options.problems) > before:
        return RunRequest()
    request = RunRequest.of(**values)
    # The default shape depends on the device. What is possible on neither is refused before a
    # worker is started.
    options.problems += check_anywhere(request)
    return request


def unicode(text: str | None) -> str:
    """Replace every byte that is no Unicode in a text that is kept in a file."""
    return (text or "").encode(errors="replace").decode()
