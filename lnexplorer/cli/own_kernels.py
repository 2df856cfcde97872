"""Kernels of one's own on the command line: files and modules among the names of providers, and their versions."""

import argparse
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from lnexplorer.cli.options import NONE, known_providers, read_choices, read_range
from lnexplorer.cli.outcome import impossible
from lnexplorer.domain.kernel_versions import compare_versions, version_of_run
from lnexplorer.domain.peers import CEILINGS, DEFAULT_PEERS, check_peers
from lnexplorer.domain.ranges import read_names, read_setting
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.sweep.request import Axis
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


class OwnSettings:
    """Values of settings of files, as they were asked for: `num_warps=4,8`, several by `;`."""

    def __init__(self, texts: Sequence[str], problems: list[Problem]) -> None:
        pairs = [part.partition("=") for text in texts for part in text.split(";")]
        self._texts = {name.strip(): values for name, _, values in pairs}
        self._problems, self._met = problems, set[str]()
        problems += [
            Problem("setting", name, say("write NAME=VALUES, with a name in SETTINGS of the file"))
            for name, equals, _ in pairs
            if not equals
        ]

    def of(self, source: KernelSource) -> tuple[KernelSource, dict[str, tuple[SettingValue, ...]]]:
        """A kernel with those that are to have one value, and the values of the others."""
        chosen = dict(source.offered)
        for setting, known in chosen.items():
            name = f"{source.name}.{setting}"
            key = name if name in self._texts else setting
            if key in self._texts:
                self._met.add(key)
                found = read_setting(name, self._texts[key], known)
                if isinstance(found, Problem):
                    self._problems.append(found)
                else:
                    chosen[setting] = tuple(value for value in found if value is not None)
        one = {name: values[0] for name, values in chosen.items() if len(values) == 1 and name in self._asked(source)}
        held = with_settings(source, one) if one else source
        return held, {name: values for name, values in chosen.items() if len(values) > 1}

    def refuse_unmet(self) -> None:
        """What no file has is refused."""
        self._problems += [
            Problem("setting", name, say("no file among the providers has it in SETTINGS"))
            for name in set(self._texts) - self._met
        ]

    def _asked(self, source: KernelSource) -> set[str]:
        return {name.removeprefix(f"{source.name}.") for name in self._texts}


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
    chosen = OwnSettings(settings, problems)
    for place in filter(is_source, given):
        try:
            source, several = chosen.of(find_source(place))
            made = combinations(source, several if each else {})
        except SourceError as error:
            problems.append(Problem("provider", place, error.sentence))
            continue
        sources += made
        own += [source.name] if axes is not None else [one.name for one in made]
        if axes is not None:
            axes += [Axis(name=f"{source.name}.{name}", values=values) for name, values in several.items()]
    chosen.refuse_unmet()
    taken = [name for number, name in enumerate(own) if name in (*known, *CEILINGS, NONE, *own[:number])]
    problems += [impossible("provider", name, "give the file another NAME: this one is taken") for name in taken]
    try:
        os.environ[VARIABLE] = to_environment(sources)
    except SourceError as error:
        problems.append(Problem("provider", f"{len(own)} kernels", error.sentence))
    return (*names, *own)


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
