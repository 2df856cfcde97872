"""Options that name providers: installed ones, and kernels of one's own in files and modules."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lnexplorer.cli.commands import impossible
from lnexplorer.cli.options import NONE, Options, add_flag, add_option, read_request
from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.peers import (
    CEILINGS,
    DEFAULT_PEERS,
    KNOWN_PEERS,
    check_peers,
    known_providers,
)
from lnexplorer.domain.ranges import read_names, read_setting
from lnexplorer.domain.sweep.request import Axis
from lnkernels.launch import STRATEGIES, Problem
from lnkernels.launch.source import (
    KernelSource,
    SettingValue,
    SourceError,
    combinations,
    find_source,
    is_source,
    with_settings,
)
from lnkernels.values import say


def add_setting_option(group: argparse._ActionsContainer) -> None:
    text = (
        "values of a setting in SETTINGS of the file, in place of those that stand there; several"
        " by ; or by repeating this"
    )
    add_option(group, "--setting", text, "NAME=VALUES", action="append", default=[])


def add_provider_option(parser: argparse.ArgumentParser) -> None:
    text = (
        f"who is timed beside the kernels, by comma, of {', '.join((*KNOWN_PEERS, *STRATEGIES))},"
        " the providers of other packages, and kernels of your own: my_norm.py,"
        f" my_norm.py:function, package.module:function; {NONE} for none. What is not installed is"
        f" said. Default: {','.join(DEFAULT_PEERS)}."
    )
    parser.add_argument("--provider", "--kernel", metavar="NAMES", help=text)
    add_setting_option(parser)


def add_time_anyway_option(group: argparse._ActionsContainer) -> None:
    text = "time wrong kernels, too; their times are marked as WRONG everywhere"
    add_flag(group, "--time-anyway", text)


def read_run(options: Options) -> RunJob:
    """Read a run, and the providers that are timed beside it."""
    names, kernels = read_providers(options, DEFAULT_PEERS, each=False)
    options.problems += check_peers(names)
    anyway = getattr(options, "time_anyway", False)  # `record` times no wrong kernel
    return RunJob(
        read_request(options, kernels),
        names,
        kernels=kernels,
        time_anyway=anyway,
        autopsy=getattr(options, "autopsy", False),
    )


def read_providers(
    options: Options,
    default: Sequence[str],
    *,
    axes: list[Axis] | None = None,
    each: bool = True,
) -> tuple[tuple[str, ...], tuple[KernelSource, ...]]:
    """Read the names of providers, and the kernels of files and modules among them.

    Args:
        options: the providers by comma, such as `torch,my_norm.py`, and `NAME=VALUES` in place of
            the values in SETTINGS of a file.
        default: where none are given.
        axes: takes the settings of files that have several values; None makes a provider of each
            combination.
        each: a file is taken with every value of its SETTINGS, in place of the first.
    """
    text, known = options.provider, known_providers()
    given: Sequence[str] = ()
    if text is not None and is_source(text) and Path(text).is_file():  # its name may have commas
        given = (text,)
    elif text is not None and text != NONE:
        given = options.read_range("provider", read_names)
    places = [name for name in given if is_source(name) and name not in known]
    names = tuple(default) if text is None else tuple(n for n in given if n not in places)
    if text is not None and (unknown := [name for name in names if name not in known]):
        allowed = f"take {', '.join(known)}, or {NONE}"
        options.refuse("provider", ", ".join(unknown), allowed)
        names = ()
    sources: list[KernelSource] = []
    for place in places:
        with _refusing(options, "provider", place):
            sources.append(find_source(place))
    sources = _with_values(options, sources, options.setting, each=each)
    made: list[KernelSource] = []
    for source in sources:
        several = {name: values for name, values in source.offered if len(values) > 1 and each}
        if axes is not None:
            own = f"{source.name}."
            axes += [Axis(name=own + name, values=values) for name, values in several.items()]
        with _refusing(options, "provider", source.place):
            made += combinations(source, several)
    mine = [one.name for one in (sources if axes is not None else made)]
    options.problems += [
        impossible("provider", name, "give the file another NAME: this one is taken")
        for number, name in enumerate(mine)
        if name in (*known, *CEILINGS, NONE, *mine[:number])
    ]
    return (*names, *mine), tuple(made)


def read_kernel(options: Options, place: str, settings: Sequence[str]) -> KernelSource | None:
    """Read the kernel of a file or a module, with one value of each setting."""
    with _refusing(options, "kernel", place):
        return _with_values(options, [find_source(place)], settings, each=False)[0]
    return None


@contextmanager
def _refusing(options: Options, field: str, value: str) -> Iterator[None]:
    """Inside, a source that cannot be used is a problem of an option."""
    try:
        yield
    except SourceError as error:
        options.problems.append(Problem(field, value, error.sentence))


def _with_values(
    options: Options, sources: Sequence[KernelSource], settings: Sequence[str], *, each: bool
) -> list[KernelSource]:
    """Return kernels with the values that `NAME=VALUES` ask for."""
    asked = {
        name.strip(): values
        for text in settings
        for name, _, values in (part.partition("=") for part in text.split(";"))
    }
    offered = {
        text
        for source in sources
        for name, _ in source.offered
        for text in (name, f"{source.name}.{name}")
    }
    names = ", ".join(dict.fromkeys(name for source in sources for name, _ in source.offered))
    allowed = say(
        "write NAME=VALUES, with a name in SETTINGS of a file that is named: {names}",
        names=names or say("none has any"),
    )
    options.problems += [
        Problem("setting", name or "nothing", allowed) for name in asked if name not in offered
    ]
    return [_one_with_values(options, source, asked, each=each) for source in sources]


def _one_with_values(
    options: Options, source: KernelSource, asked: Mapping[str, str], *, each: bool
) -> KernelSource:
    """Return a kernel with the values that are asked for; a single one stands in its name, too."""
    values, one = dict(source.offered), dict[str, SettingValue]()
    for name, known in source.offered:
        text = asked.get(name, asked.get(f"{source.name}.{name}"))
        found = known if text is None else read_setting(f"{source.name}.{name}", text, known)
        if isinstance(found, Problem):
            options.problems.append(found)
        elif text is not None and len(found) > 1 and not each:
            options.problems.append(Problem("setting", f"{name}={text}", say("take one value")))
        else:
            values[name] = found
            one |= {name: found[0]} if text is not None and len(found) == 1 else {}
    return with_settings(replace(source, offered=tuple(values.items())), one)
