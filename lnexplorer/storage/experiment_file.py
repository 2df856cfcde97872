"""Recorded experiments: one file each, to be shown where there is no GPU, or to be handed on.

See `recorded_file` for the form of the file.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lnexplorer.domain.experiments.findings import BarrierSide, ExperimentResult
from lnexplorer.domain.experiments.request import EXPERIMENTS, check_experiment
from lnexplorer.protocol.plain import from_plain, to_plain
from lnexplorer.storage.archive import RecordingError
from lnexplorer.storage.foreign_text import check_environment
from lnexplorer.storage.own_file import OwnKind
from lnexplorer.storage.recorded_file import Manifest, heads_in, manifest_of, read_recorded, replayed, write_recorded
from lnexplorer.storage.validation import check_resolved, check_strategy_timeline, check_timeline
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
    sides = () if result.barrier is None else (result.barrier.left_out, result.barrier.put_back)
    if any(not _possible(side, result.resolved.n) for side in sides):
        raise RecordingError("it counts more wrong runs than there were, or none at all, or in other columns")
    if result.order is not None:
        for repeated in result.order.sides:
            if repeated.spread.shape != (result.resolved.n,) or not 1 <= repeated.distinct <= repeated.runs:
                raise RecordingError("its spread is not one value a column, or its runs are fewer than their results")
    if result.group_size is not None and len(result.group_size.points) < 2:
        raise RecordingError("it holds fewer than two sizes")
    if result.strategies is not None:
        if result.strategies.timeline is not None:
            check_timeline(result.strategies.timeline)
        for timeline in result.strategies.others:
            check_strategy_timeline(timeline)

    _check_figures(result)


def _check_figures(result: ExperimentResult) -> None:
    for what, value in _figures(result):
        if value is not None and not 0 < value < math.inf:
            raise RecordingError(f"{what} is {value}; it is above 0 and finite")


def _figures(result: ExperimentResult) -> Iterator[tuple[str, float | None]]:
    """What is divided by, or drawn on a logarithmic axis. An error may be NaN or infinite, as the sum that it is of."""
    for point in () if result.group_size is None else result.group_size.points:
        for buffers, ms in (("float32", point.ms_float32), ("narrow", point.ms_same)):
            yield f"the time of GROUP_SIZE_M = {point.group_size_m} with {buffers} buffers", ms
    for row in () if result.strategies is None else result.strategies.rows:
        yield f"the time of {row.strategy[:40]}", row.ms
        yield f"the speed of {row.strategy[:40]}", row.gbps


def _possible(side: BarrierSide, n: int) -> bool:
    counts = (side.wrong_dw, side.wrong_db)
    fits = all(count.shape == (n,) and count.min() >= 0 and count.max() <= side.wrong_runs for count in counts)
    return fits and 0 <= side.wrong_runs <= side.runs and side.runs > 0 and all(0 <= wrong.column < n for wrong in side.first)
