"""Kernels of one's own on the command line: files and modules among the names of providers, and their versions."""

import argparse
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lnexplorer.cli.options import NONE, known_providers, read_choices, read_range
from lnexplorer.cli.outcome import do_job_to_end, impossible, value_of
from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.kernel_versions import compare_versions, version_of_run, with_line
from lnexplorer.domain.peers import CEILINGS, DEFAULT_PEERS, check_peers
from lnexplorer.domain.ranges import read_names, read_setting, write_values
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.request import Axis
from lnexplorer.protocol.messages import Broken
from lnexplorer.store.history import History
from lnkernels.launch import Problem
from lnkernels.launch.source import (
    VARIABLE,
    KernelSource,
    SettingValue,
    SourceError,
    combinations,
    find_source,
    from_environment,
    is_source,
    read_source,
    to_environment,
    with_settings,
)
from lnkernels.sentence import Sentence, say

MOST_COMMAS = 8  # in the name of one file


def add_setting_option(group: argparse._ActionsContainer) -> None:
    text = "values of a setting in SETTINGS of the file, in place of those that stand there; several by ; or by repeating this"
    group.add_argument("--setting", metavar="NAME=VALUES", action="append", default=[], help=text)


def read_peers(text: str | None, problems: list[Problem], settings: Sequence[str] = ()) -> tuple[str, ...]:
    """Who is timed beside a run."""
    names = read_providers(text, DEFAULT_PEERS, problems, settings, each=False)
    problems += check_peers(names)
    return names


def read_providers(
    text: str | None,
    default: Sequence[str],
    problems: list[Problem],
    settings: Sequence[str] = (),
    *,
    axes: list[Axis] | None = None,
    each: bool = True,
) -> tuple[str, ...]:
    """Names of providers. Files and modules among them are found, and named to the workers of this process.

    Args:
        text: by comma, such as `torch,my_norm.py`.
        default: where there is no text.
        problems: takes what is wrong.
        settings: `NAME=VALUES`, in place of the values in SETTINGS of a file.
        axes: takes the settings of files that have several values; None makes a provider of each combination.
        each: a file is taken with every value of its SETTINGS, in place of the first.
    """
    known_problems = len(problems)
    given = () if text is None or text == NONE else read_range("provider", text, _read_names, problems)
    if len(problems) > known_problems:
        return ()
    known = known_providers()
    registered = [name for name in given if not is_source(name)]
    names = read_choices("provider", ",".join(registered) or NONE if given else text, default, problems, known)
    sources: list[KernelSource] = []
    own: list[str] = []
    asked = dict(part.strip().split("=", 1) for text in settings for part in text.split(";") if "=" in part)
    met: set[str] = set()
    for place in filter(is_source, given):
        try:
            source, several = _with_asked(find_source(place), asked, met, problems)
            made = combinations(source, several if each else {})
        except SourceError as error:
            problems.append(Problem("provider", place, error.sentence))
            continue
        problems += [
            Problem("setting", f"{name}={write_values(values)}", say("take one value"))
            for name, values in several.items()
            if name in met and not each
        ]
        sources += made
        own += [source.name] if axes is not None else [one.name for one in made]
        if axes is not None:
            axes += [Axis(name=f"{source.name}.{name}", values=values) for name, values in several.items()]
    wrong = [text for text in settings if not all("=" in part for part in text.split(";"))]
    allowed = say("write NAME=VALUES, with a name in SETTINGS of a file among the providers")
    problems += [Problem("setting", name, allowed) for name in (*wrong, *sorted(set(asked) - met))]
    taken = [name for number, name in enumerate(own) if name in (*known, *CEILINGS, NONE, *own[:number])]
    problems += [impossible("provider", name, "give the file another NAME: this one is taken") for name in taken]
    try:
        os.environ[VARIABLE] = to_environment(sources)
    except SourceError as error:
        problems.append(Problem("provider", f"{len(own)} kernels", error.sentence))
    return (*names, *own)


def _with_asked(
    source: KernelSource, asked: Mapping[str, str], met: set[str], problems: list[Problem]
) -> tuple[KernelSource, dict[str, tuple[SettingValue, ...]]]:
    """A kernel with the settings that are to have one value, and the values of the others; `met` takes what it has."""
    values, one = dict(source.offered), dict[str, SettingValue]()
    for name, known in source.offered:
        for key in {name, f"{source.name}.{name}"} & set(asked):
            met |= {key, name}
            found = read_setting(f"{source.name}.{name}", asked[key], known)
            if isinstance(found, Problem):
                problems.append(found)
            else:
                values[name] = found
                one |= {name: found[0]} if len(found) == 1 else {}
    return with_settings(source, one) if one else source, {name: each for name, each in values.items() if len(each) > 1}


def run_beside(job: RunJob, device: str) -> RunResult:
    """What a run gives. Where a kernel of one's own took its worker along, the rest is run without it, and the result says
    so.
    """
    outcome, own = do_job_to_end(job, device), [one for one in from_environment() if one.name in job.providers]
    if not own or not isinstance(outcome, Broken) or outcome.phase == "start":
        return value_of(outcome, RunResult, device)
    why, _ = with_line(outcome.sentence, outcome.detail, own)
    guilty = [one.name for one in own if one.place in outcome.detail] or [one.name for one in own]
    others = tuple(name for name in job.providers if name not in guilty)
    result = value_of(do_job_to_end(replace(job, providers=others), device), RunResult, device)
    notes = (say("{provider}: {reason}", provider=name, reason=why) for name in guilty)
    wrong = (*result.wrong_providers, *guilty)
    return replace(result, providers=job.providers, notes=(*result.notes, *notes), wrong_providers=wrong)


def stamped_kernel() -> str:
    """The provider among those that were named whose stamps can be traced: the first file that has some; empty for none."""
    for source in from_environment():
        with suppress(SourceError):
            if source.is_file and read_source(Path(source.place)).stamps:
                return source.name
    return ""


def _read_names(text: str) -> tuple[str, ...]:
    """Names by comma; one in the name of a file that is there parts nothing."""
    parts, found = read_names(text), list[str]()
    if len(parts) > 1 and is_source(text):
        parts, words = (), text.split(",")
        while words:
            ends = range(min(len(words), MOST_COMMAS + 1), 1, -1)
            end = next((end for end in ends if _is_file(",".join(words[:end]).strip())), 1)
            found.append(",".join(words[:end]).strip())
            words = words[end:]
    return parts or tuple(dict.fromkeys(found))


def _is_file(name: str) -> bool:
    place, _, function = (name, "", "") if name.endswith(".py") else name.rpartition(":")
    if not place.endswith(".py") or (function and not function.isidentifier()):
        return False
    return os.path.isfile(os.path.expanduser(place))  # noqa: PTH111, PTH113  those of Path raise


def keep_versions(history: History, result: RunResult) -> list[Sentence]:
    """Keep the text of each file that took part in a run; what there is to say of each, and of it beside the one before.

    A file that was saved after it was run is left out: its text is not what was run.
    """
    said: list[Sentence] = []
    for source in filter(lambda one: one.is_file, from_environment()):
        with suppress(SourceError):
            found = read_source(Path(source.place))
            if found.sha256 == source.sha256:
                before = history.kernels.versions(source.place)
                kept = history.kernels.keep(version_of_run(source, result), found.text)
                said.append(say("{name}: version {version} of {place}", name=kept.name, version=kept.version, place=kept.place))
                older = [one for one in before if one.version < kept.version]
                said += compare_versions(kept, older[-1]) if older else []
    return said
