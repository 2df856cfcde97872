"""Options that several commands share: those of a run, from the parameters' one declaration, and the device."""

import argparse
import re
from typing import NoReturn

from lnexplorer.cli.terminal import print_json, wants_json
from lnexplorer.domain.parameters import AUTOMATIC, BY_NAME, GROUPS, PARAMETERS, Parameter
from lnexplorer.domain.request import RunRequest, check
from lnkernels.launch import KNOWN_DEVICES, Problem
from lnkernels.sentence import say

ARCHITECTURES = tuple(dict.fromkeys(limits.architecture for limits in KNOWN_DEVICES))  # that the interpreter can compile for
DEVICES = f"auto, cuda:N, interpreter, or interpreter:sm_80 (an architecture to compile for: {', '.join(ARCHITECTURES)})"


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """One option for every parameter of a run. Values stay text here: `read_request` judges them all, in one way."""
    groups = {name: parser.add_argument_group(title) for name, title in GROUPS.items()}
    for parameter in PARAMETERS:
        group = groups[parameter.group]
        text = _help(parameter)
        if parameter.type is bool:
            group.add_argument(parameter.option, action=argparse.BooleanOptionalAction, default=None, help=text)
        else:
            metavar = "|".join(parameter.choices) if parameter.choices else parameter.type.__name__.upper()
            group.add_argument(parameter.option, metavar=metavar, help=text)


def add_device_option(parser: argparse.ArgumentParser, default: str | None = "auto") -> None:
    """--device."""
    text = f"{DEVICES}; auto takes the first GPU that can be used, and the interpreter where there is none"
    parser.add_argument("--device", metavar="DEVICE", type=_device_name, default=default, help=text)


def parse(parser: argparse.ArgumentParser, arguments: list[str]) -> argparse.Namespace:
    """Parse the arguments, or leave with what is wrong with them, on stdout as well where JSON is wanted there.

    argparse takes -1 and -0.5 for values, but -1e-5 and -inf for options.
    """
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] == BY_NAME["eps"].option and _is_number(argument):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    said: list[str] = []

    def leave(message: str) -> NoReturn:
        said.append(message)
        argparse.ArgumentParser.error(parser, message)

    parser.error = leave  # type: ignore[method-assign]  # argparse hands its message to nobody else
    try:
        return parser.parse_args(joined)
    except SystemExit:
        if said and wants_json(joined):
            print_json({"schema_version": 1, "error": {"kind": "invalid", "cause": said[0]}})
        raise


def check_device(name: str) -> list[Problem]:
    """What is wrong with a device's name."""
    if re.fullmatch(f"auto|cuda:[0-9]{{1,3}}|interpreter(:({'|'.join(ARCHITECTURES)}))?", name):
        return []
    return [Problem("device", name, say("take {devices}", devices=DEVICES))]


def read_request(options: argparse.Namespace) -> RunRequest | list[Problem]:
    """The request that the options ask for, or everything that is wrong with it."""
    values: dict[str, object] = {}
    problems = check_device(options.device)
    for parameter in PARAMETERS:
        given = getattr(options, parameter.name)
        if given is None or (given == AUTOMATIC and parameter.automatic):
            continue
        try:
            values[parameter.name] = parameter.type(given)
        except ValueError:
            problems.append(Problem(parameter.name, given, parameter.allowed()))
    if problems:
        return problems
    request = RunRequest.of(**values)
    # The default shape depends on the device. What is possible on neither is refused before a worker is started.
    return (check(request, "cuda") and check(request, "interpreter")) or request


def unicode(text: str | None) -> str:
    """A text that somebody gave, with every byte that is no Unicode replaced, as it is to be kept in a file."""
    return (text or "").encode(errors="replace").decode()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _device_name(text: str) -> str:
    return "cuda:0" if text == "cuda" else text


def _help(parameter: Parameter) -> str:
    default = RunRequest().value(parameter.name)
    unit = f" [{parameter.unit}]" if parameter.unit else ""
    text = f"{parameter.help}{unit} Default: {AUTOMATIC if default is None else default}."
    return text.replace("%", "%%")
