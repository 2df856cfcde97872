"""Kernels of one's own on the command line: files and modules among the names of providers, and their versions."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from lnexplorer.cli.options import NONE, known_providers, read_choices, read_range
from lnexplorer.cli.outcome import impossible
from lnexplorer.domain.kernel_versions import compare_versions, version_of_run
from lnexplorer.domain.peers import CEILINGS, DEFAULT_PEERS, check_peers
from lnexplorer.domain.ranges import read_names
from lnexplorer.domain.result import RunResult
from lnexplorer.store.history import History
from lnkernels.launch import Problem
from lnkernels.launch.source import (
    VARIABLE,
    SourceError,
    combinations,
    find_source,
    from_environment,
    is_source,
    read_source,
    to_environment,
)
from lnkernels.sentence import Sentence, say


def read_peers(text: str | None, problems: list[Problem]) -> tuple[str, ...]:
    """Who is timed beside a run."""
    names = read_providers(text, DEFAULT_PEERS, problems)
    problems += check_peers(names)
    return names


def read_providers(
    text: str | None, default: Sequence[str], problems: list[Problem], *, every_setting: bool = False
) -> tuple[str, ...]:
    """Names of providers. Files and modules among them are found, and named to the workers of this process.

    Args:
        text: by comma, such as `torch,my_norm.py`.
        default: where there is no text.
        problems: takes what is wrong.
        every_setting: a file is taken once for each combination of its SETTINGS, in place of the first of each.
    """
    known_problems = len(problems)
    given = () if text is None or text == NONE else read_range("provider", text, read_names, problems)
    if len(problems) > known_problems:
        return ()
    known = known_providers()
    registered = [name for name in given if not is_source(name)]
    names = read_choices("provider", ",".join(registered) or NONE if given else text, default, problems, known)
    sources = []
    for place in filter(is_source, given):
        try:
            found = find_source(place)
            sources += combinations(found) if every_setting else [found]
        except SourceError as error:
            problems.append(Problem("provider", place, error.sentence))
    own = [source.name for source in sources]
    taken = [name for number, name in enumerate(own) if name in (*known, *CEILINGS, NONE, *own[:number])]
    problems += [impossible("provider", name, "give the file another NAME: this one is taken") for name in taken]
    try:
        os.environ[VARIABLE] = to_environment(sources)
    except SourceError as error:
        problems.append(Problem("provider", f"{len(own)} kernels", error.sentence))
    return (*names, *own)


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
