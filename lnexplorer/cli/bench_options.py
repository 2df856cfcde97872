"""The options of `lnexplorer bench`, and the benchmark that they ask for."""

import argparse
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeVar

from lnexplorer.cli.options import add_device_option, check_device
from lnexplorer.cli.outcome import why_not_written
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.ranges import HOW, RangeError, read_names, read_whole_numbers
from lnexplorer.domain.request import RunRequest, check
from lnkernels.launch import STRATEGIES, Problem
from lnkernels.launch.catalogue import is_provider_name
from lnkernels.sentence import say, verbatim

T = TypeVar("T")

DESCRIPTION = "Check and time the strategies and other LayerNorms at several N, those of one N interleaved in one run."
EPILOG = (
    "GB/s count the tutorial's bytes; the share is of a copy (forward) or an a + b -> c (backward) of the same bytes, measured "
    "in the same run. Files are written as points arrive. Exit status: 0 all of N were tried; 1 the same, and some results "
    "were wrong; 2 the request is not possible; 3 the worker, or writing a file, failed; 130 interrupted, 143 by SIGTERM, "
    "129 by a hang-up; the files have what is known then."
)
PEERS = ("torch", "torch.compile", "liger", "quack", "apex")
L2_STATES = ("cold", "warm")
PROBLEM = ("m", "dtype", "eps", "data", "seed")
PICTURES = (".png", ".svg")
# A figure for a table is worth more samples than one that follows a slider.
MOST_SAMPLES, WITHIN = 1000, 0.005
LIMIT_SECONDS = 180.0  # torch.compile takes half a minute where its caches are cold


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """What to measure, and where to put it."""

    requests: tuple[MeasureRequest, ...]  # one for each N
    named: frozenset[str]  # providers that were asked for by name; others may be missing without a word
    device: str
    csv: Path | None
    json: Path | None  # Path("-") is stdout
    picture: Path | None
    command: str


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="lnexplorer bench", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False)
    problem = made.add_argument_group("Problem")
    for name in PROBLEM:
        parameter = BY_NAME[name]
        default = 4096 if name == "m" else RunRequest().value(name)
        problem.add_argument(parameter.option, default=str(default), help=f"{parameter.help} Default: {default}.")
    problem.add_argument("--n", default="1024:15872:512,16384", help=f"Numbers of columns: {HOW}. Default: %(default)s.")
    who = made.add_argument_group("Who")
    strategies = ",".join(STRATEGIES)
    who.add_argument("--strategy", help=f"of {strategies}, by comma; none for none. Default: all.")
    peers = f"Default: {', '.join(PEERS)}, and those of other packages, as far as they are here."
    who.add_argument("--provider", help=f"who is timed beside them, by comma; none for none. {peers}")
    what = made.add_argument_group("What")
    what.add_argument("--mode", help="of forward,backward. Default: both.")
    what.add_argument("--l2", default="cold,warm", help="State of the cache before a kernel, of cold,warm. Default: both.")
    text = "Time the call through autograd, too, as the tutorial does, and what it takes of the host. Default: yes."
    what.add_argument("--autograd", action=argparse.BooleanOptionalAction, default=True, help=text)
    text = "Longest time for each N after everybody's first turn; it ends sooner where medians settle. Default: %(default)s."
    what.add_argument("--seconds", default="3", help=text)
    where = made.add_argument_group("Where to")
    where.add_argument("--csv", metavar="FILE", type=Path, help="a row for each N, provider, pass and way of calling")
    text = "everything with its samples; without FILE on stdout, and all else on stderr"
    where.add_argument("--json", metavar="FILE", type=Path, nargs="?", const=Path("-"), help=text)
    where.add_argument("--picture", metavar="FILE", type=Path, help="GB/s against N, as .png or .svg")
    add_device_option(made)
    return made


def read_options(options: argparse.Namespace, arguments: Sequence[str]) -> BenchOptions | list[Problem]:
    """The benchmark that the options ask for, or everything that is wrong with it."""
    from lnexplorer.domain.measuring import MeasureRequest
    from lnkernels.values.figures import DIRECTIONS

    problems = check_device(options.device)
    if not problems and options.device.startswith("interpreter"):
        problems = [Problem("device", options.device, say("choose a GPU: the interpreter's times mean nothing"))]
    subject = _read_problem(options, problems)
    widths = _read(options.n, "n", read_whole_numbers, problems)
    strategies = _read_choices(options.strategy, "strategy", STRATEGIES, STRATEGIES, problems)
    providers = _read_choices(options.provider, "provider", None, (*PEERS, *_of_other_packages()), problems)
    providers = tuple(name for name in providers if name not in strategies)  # those of that name are the same kernels
    directions = _read_choices(options.mode, "mode", DIRECTIONS, DIRECTIONS, problems)
    states = _read_choices(options.l2, "l2", L2_STATES, ("cold",), problems)
    seconds = _read_seconds(options.seconds, problems)
    if not strategies and not providers:
        problems.append(Problem("strategy", "none", say("name a strategy or a provider: there is nobody to time")))
    modes = tuple(f"kernel_{state}" for state in states) + (("autograd",) if options.autograd else ())
    problems += _check_files(options)
    if not problems:
        problems += _check_widths(subject, widths)
    if problems:
        return problems
    return BenchOptions(
        requests=tuple(
            MeasureRequest(
                settings=tuple(subject.changed(n=n, strategy=strategy) for strategy in strategies),
                providers=providers,
                problem=replace(subject, n=n),
                directions=directions,
                modes=modes,
                seconds=seconds,
                within=WITHIN,
                most=MOST_SAMPLES,
                limit_seconds=LIMIT_SECONDS,
            )
            for n in widths
        ),
        named=frozenset(providers if options.provider is not None else ()),
        device=options.device,
        csv=options.csv,
        json=options.json,
        picture=options.picture,
        command=shlex.join(["lnexplorer", "bench", *arguments]),
    )


def _read_problem(options: argparse.Namespace, problems: list[Problem]) -> RunRequest:
    values: dict[str, object] = {}
    for name in PROBLEM:
        parameter, given = BY_NAME[name], getattr(options, name)
        try:
            values[name] = parameter.type(given)
        except ValueError:
            problems.append(Problem(name, given, parameter.allowed()))
    return RunRequest.of(strategy="auto", **values)


def _read(text: str, field: str, read: Callable[[str], tuple[T, ...]], problems: list[Problem]) -> tuple[T, ...]:
    try:
        return read(text)
    except RangeError as error:
        problems.append(Problem(field, error.part or "nothing", error.allowed))
        return ()


def _read_choices(
    text: str | None, field: str, allowed: Sequence[str] | None, default: Sequence[str], problems: list[Problem]
) -> tuple[str, ...]:
    if text is None:
        return tuple(dict.fromkeys(default))
    if text == "none" and field in {"strategy", "provider"}:
        return ()
    names = _read(text, field, read_names, problems)
    unknown = [name for name in names if allowed is not None and name not in allowed]
    if unknown and allowed is not None:
        problems.append(Problem(field, ", ".join(unknown), say("choose of {choices}", choices=", ".join(allowed))))
    return names


def _read_seconds(text: str, problems: list[Problem]) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        problems.append(Problem("seconds", text, say("take a number from 0 to 3600")))
    return seconds


def _check_widths(subject: RunRequest, widths: Sequence[int]) -> list[Problem]:
    """What is wrong with the problem at any N; whether a strategy can take it is that strategy's matter."""
    for n in widths:
        request = replace(subject, n=n)
        if check(request, "cuda"):
            return check(request, "cuda")
    return []


def _check_files(options: argparse.Namespace) -> list[Problem]:
    found = []
    for field in ("csv", "json", "picture"):
        path = getattr(options, field)
        if path is None or (field == "json" and str(path) == "-"):
            continue
        if why := why_not_written(path, folders_are_made=False):
            found.append(Problem(field, str(path), verbatim(why)))
        elif field == "picture" and path.suffix.lower() not in PICTURES:
            found.append(Problem(field, str(path), say("take a name that ends in {endings}", endings=" or ".join(PICTURES))))
    return found


def _of_other_packages() -> tuple[str, ...]:
    """Providers that installed packages declare, the project's own strategies left out."""
    return tuple(
        point.name
        for point in entry_points(group="lnkernels.providers")
        if point.name not in STRATEGIES and is_provider_name(point.name)
    )
