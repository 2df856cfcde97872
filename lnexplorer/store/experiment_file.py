"""Recorded experiments: one file each, to be shown where there is no GPU, or to be handed on.

See `recorded_file` for the form of the file.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import EXPERIMENTS, check_experiment
from lnexplorer.protocol.plain import from_plain, to_plain
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.experiment_findings import check_figures
from lnexplorer.store.foreign_text import check_environment
from lnexplorer.store.own_file import OwnKind
from lnexplorer.store.recorded_file import (
    Manifest,
    heads_in,
    manifest_of,
    read_recorded,
    refused_as_unsaved,
    replayed,
    write_recorded,
)
from lnexplorer.store.timeline_check import check_strategy_timeline, check_timeline
from lnexplorer.store.validation import check_resolved
from lnkernels.launch import check_launch

SUFFIX = ".lnexperiment"
FILE = OwnKind(name="recorded experiment", format="lnexplorer experiment", version=1, suffix=SUFFIX, most_bytes=64 << 20)


@dataclass(frozen=True, slots=True)
class RecordedExperiment:
    """What a file in a folder is, without its content."""

    name: str  # of the experiment
    title: str
    path: Path


def write_experiment(path: Path, result: ExperimentResult, title: str = "") -> None:
    """Write a finished experiment, whole or not at all.

    Raises:
        RecordingError: the values do not fit together, or the file cannot be written; one sentence.
    """
    with refused_as_unsaved(path, FILE):
        check_findings(result)
    provenance, resolved = result.provenance, result.resolved
    title = title or f"{resolved.m}×{resolved.n} {resolved.dtype}, {provenance.environment.gpu or 'interpreter'}"
    environment = provenance.environment
    manifest = manifest_of(FILE, title, environment.date, provenance.kind, environment, result.request.name)
    write_recorded(path, FILE, manifest, lambda put: to_plain(result, put))


def read_experiment(path: Path) -> ExperimentResult:
    """The experiment in a file. What was measured comes back as "recorded".

    Raises:
        RecordingError: the file cannot be read, is damaged, foreign or from a newer version, or its values are impossible; one
            sentence that names the file and the cause.
    """
    return read_recorded(path, FILE, _decode)


def experiments_in(folder: Path) -> list[RecordedExperiment]:
    """The recorded experiments of a folder, in the order of EXPERIMENTS and then by title; other files are left out."""
    found = [
        RecordedExperiment(head["name"], str(head.get("title", "")), path)
        for path, head in heads_in(folder, FILE)
        if head.get("name") in EXPERIMENTS
    ]
    return sorted(found, key=lambda each: (EXPERIMENTS.index(each.name), each.title))


def _decode(_manifest: Manifest, plain: Any) -> ExperimentResult:
    result = from_plain(plain, ExperimentResult)
    check_findings(result)
    return replace(result, provenance=replace(result.provenance, kind=replayed(result.provenance.kind)))


def check_findings(result: ExperimentResult) -> None:
    """Raise RecordingError unless `result` can be shown."""
    name = result.request.name
    problems = check_experiment(result.request, "cuda") and check_experiment(result.request, "interpreter")
    check_resolved(result.resolved)
    check_environment(result.provenance.environment)
    problems = problems or check_launch(result.resolved.n, result.resolved.dtype, result.resolved.launch)
    if problems:
        raise RecordingError(f"its experiment is not possible: {problems[0]}")
    if [each for each in EXPERIMENTS if getattr(result, each) is not None] != [name]:
        raise RecordingError(f"it does not hold the findings of {name} alone")
    if result.strategies is not None:
        if result.strategies.timeline is not None:
            check_timeline(result.strategies.timeline, result.resolved)
        for timeline in result.strategies.others:
            check_strategy_timeline(timeline, result.resolved)
    check_figures(result)
