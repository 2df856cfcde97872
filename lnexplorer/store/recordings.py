"""Recordings, a file each: a run, the timeline of its locks, or both; a sweep; an experiment. And
published figures.
"""

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.domain.parameters import label_of
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult, compact
from lnexplorer.domain.simulation.prediction import Kernel, has_times, kernel_of
from lnexplorer.domain.sweep.cells import CellResult, all_cells
from lnexplorer.domain.sweep.curves import Curve
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.timeline import Prepared, prepare
from lnexplorer.protocol.codec import encode
from lnexplorer.store.archive import (
    EXPERIMENT,
    RECORDING,
    SWEEP,
    FileKind,
    Manifest,
    heads_in,
    now,
    open_archive,
    refused_as_unsaved,
    write_archive,
)
from lnexplorer.store.check import (
    check_experiment_result,
    check_result,
    check_sweep_form,
    check_sweep_result,
    check_timeline,
)
from lnexplorer.store.files import StoreError
from lnexplorer.store.packed import check_packed
from lnexplorer.store.resources import resource
from lnkernels.values import Sentence, Words, frozen_by_name, join_sentences, say
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.timeline import ReductionTimeline

CONTENT = "content"
MOST_READ = 64  # recordings of the same GPU; each takes a few ms
T = TypeVar("T")


@frozen_by_name(eq=False)
class Recording:
    """A run, the timeline of its locks, or both; where both are there, the timeline is a trace of
    the run.
    """

    title: str
    result: RunResult | None
    timeline: ReductionTimeline | None
    date: str = ""  # ISO 8601; writing fills in an empty one
    alone: ResolvedRequest | None = None  # the launch of a timeline without a run, where known
    alone_in: Environment | None = None  # where such a timeline was made, the same

    @property
    def launch(self) -> ResolvedRequest | None:
        """The run or trace with its launch; None where it is not known."""
        return self.alone if self.result is None else self.result.resolved

    @property
    def environment(self) -> Environment | None:
        return self.alone_in if self.result is None else self.result.provenance.environment

    @property
    def kind(self) -> Kind:
        if self.result is not None:
            return self.result.provenance.kind
        assert self.timeline is not None
        return self.timeline.kind


@frozen_by_name(eq=False)
class RecordedSweep:
    sweep: SweepRequest
    results: tuple[CellResult, ...]  # by cell
    title: str = ""
    date: str = ""  # ISO 8601, UTC: of the first row, where there is no other
    ended: str = ""  # finished, cancelled or failed; empty while it runs, and after a crash
    note: str = ""  # what its user wrote about it

    @property
    def gpus(self) -> tuple[str, ...]:
        """The hardware of its rows, each once. Figures of unlike hardware are never one line."""
        return tuple(dict.fromkeys(result.hardware for result in self.results))

    @property
    def total(self) -> int:
        """Number of cells; of a search at most so many."""
        return self.sweep.search or len(all_cells(self.sweep))


def recorded_sweep(
    sweep: SweepRequest, results: Sequence[CellResult], *, title: str = "", ended: str = ""
) -> RecordedSweep:
    """Make the record of a sweep as it stands, its rows by cell.

    Raises:
        StoreError: it has no row, or rows that do not belong to it; why, without a full stop.
    """
    ordered = tuple(sorted(results, key=lambda result: result.cell.number))
    date = min((result.environment.date for result in ordered), default="")
    found = RecordedSweep(sweep=sweep, results=ordered, title=title, date=date, ended=ended)
    check_recorded_sweep(found)
    return found


def write_recording(path: Path, recording: Recording) -> None:
    """Write `recording`, its result compact, whole or not at all.

    Raises:
        StoreError: the values do not fit together, or the file cannot be written; one sentence. So
            do the others.
    """
    _check_before(path, RECORDING, recording, _check_recording)
    result = recording.result
    head = Manifest(
        kind=RECORDING.name,
        title=recording.title,
        date=recording.date or now(),
        figures=recording.kind,
        environment=recording.environment,
    )
    kept = replace(recording, date=head.date, result=result and compact(result))
    write_archive(path, RECORDING, head, [(CONTENT, kept)])


def read_recording(path: Path) -> Recording:
    """Read a recording. What was measured comes back as "recorded", with the environment that it
    was measured in.

    Raises:
        StoreError: the file cannot be read, is damaged, foreign or from a newer version, or its
            values are impossible; one sentence that names the file and the cause. So do the others.
    """
    return _read(path, RECORDING, Recording, _check_recording)


def write_recorded_sweep(path: Path, recorded: RecordedSweep) -> None:
    _check_before(path, SWEEP, recorded, check_recorded_sweep)
    first, title = recorded.results[0], recorded.title or str(default_title(recorded))
    head = Manifest(
        kind=SWEEP.name,
        title=title,
        date=recorded.date or now(),
        figures=first.kind,
        environment=first.environment,
    )
    write_archive(path, SWEEP, head, [(CONTENT, replace(recorded, title=title))])


def read_recorded_sweep(path: Path) -> RecordedSweep:
    """Read a sweep, each row with the environment that it was measured in."""
    return _read(path, SWEEP, RecordedSweep, check_recorded_sweep)


def write_experiment(path: Path, result: ExperimentResult, title: str = "") -> None:
    _check_before(path, EXPERIMENT, result, check_experiment_result)
    provenance, resolved = result.provenance, result.resolved
    environment = provenance.environment
    head = Manifest(
        kind=EXPERIMENT.name,
        title=title or f"{resolved.shape_text}, {environment.named_gpu or 'interpreter'}",
        date=environment.date,
        figures=provenance.kind,
        environment=environment,
        name=result.request.name,
    )
    write_archive(path, EXPERIMENT, head, [(CONTENT, result)])


def read_experiment(path: Path) -> ExperimentResult:
    return _read(path, EXPERIMENT, ExperimentResult, check_experiment_result)


def _check_before(path: Path, kind: FileKind, content: T, check: Callable[[T], None]) -> None:
    """Raise StoreError where what is to be written could not be read again."""
    with refused_as_unsaved(path, kind):
        check_packed(encode(content), type(content))
        check(content)


def _read(path: Path, kind: FileKind, content: type[T], check: Callable[[T], None]) -> T:
    with open_archive(path, kind) as archive:
        found: T = archive.value(CONTENT, content)
        check(found)
    return found


def title_of(recorded: RecordedSweep) -> Words:
    """Return the title of a sweep: the one that it was given, else the program's own."""
    own = default_title(recorded)
    return own if recorded.title in ("", str(own)) else recorded.title


def default_title(recorded: RecordedSweep) -> Sentence:
    """Make a title for a sweep that was given none: what varies, of which problem, on what."""
    sweep, base = recorded.sweep, recorded.sweep.base
    varied = join_sentences([label_of(axis.name) for axis in sweep.axes], " × ")
    fixed = [
        f"{name.upper()} = {getattr(base, name)}"
        for name in ("m", "n")
        if getattr(base, name) is not None
    ]
    names = [axis.name for axis in sweep.axes]
    dtype = [] if "dtype" in names else [base.dtype]
    searched = [say("search")] if sweep.search else []
    parts: list[Words] = [
        *searched,
        *([varied] if sweep.axes else []),
        *fixed,
        *dtype,
        *recorded.gpus,
    ]
    return join_sentences(parts, ", ")


def seen_launches(folder: Path, kernel: Kernel) -> list[Prepared]:
    """Return every recorded trace of a kernel in a folder, by file name, without files that cannot
    be read.

    Args:
        folder: looked through without its subfolders.
        kernel: of the launches that are looked for, any GROUP_SIZE_M and number of rows.
    """
    if kernel.gpu is None:
        return []
    named = [
        path
        for path, head in heads_in(folder, RECORDING)
        if head.environment and head.environment.gpu == kernel.gpu
    ]
    found = []
    for path in named[:MOST_READ]:
        try:
            recording = read_recording(path)
        except StoreError:
            continue
        launch, timeline = recording.launch, recording.timeline
        if launch is None or timeline is None or not has_times(timeline):
            continue
        if kernel_of(launch, recording.environment) == kernel:
            found.append(prepare(timeline, recording.title or path.name))
    return found


def check_recorded_sweep(recorded: RecordedSweep) -> None:
    """Raise StoreError unless there can be such a sweep; why, without a full stop."""
    if not recorded.results:
        raise StoreError("it has no row")
    # Before its cells are counted: an axis may have any name, and a million values.
    check_sweep_form(recorded.sweep)
    check_sweep_result(recorded.sweep, recorded.results, recorded.total)


def _check_recording(recording: Recording) -> None:
    result, timeline = recording.result, recording.timeline
    if result is None and timeline is None:
        raise StoreError("it holds neither a run nor a timeline")
    if result is not None:
        check_result(result)
    if timeline is not None:
        check_timeline(timeline, recording.launch)


PUBLISHED_NAME = "recordings/tutorial_published.csv"
# The columns of the file, and whose speed each is, by the names that providers have here.
PUBLISHED_PROVIDERS = {"triton_gbps": "locked", "torch_gbps": "torch", "apex_gbps": "apex"}
# The tables name no GPU. The page's name stands where a curve has its hardware, so that it is never
# one line with another.
PUBLISHED_SOURCES = {
    "english-docs": say("Triton's tutorial, English edition"),
    "chinese-docs": say("Triton's tutorial, Chinese edition"),
}


@cache
def published_curves() -> dict[Sentence, tuple[Curve, ...]]:
    """Return GB/s against N of the backward pass at M = 4096, float16, as documentation prints
    them; of kind "published".

    Source: `resources/recordings/tutorial_published.csv`, a table for each page in
    PUBLISHED_SOURCES; its last column names where a figure is from.

    Raises:
        OSError: the file is missing.
    """
    with resource(PUBLISHED_NAME).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    found: dict[Sentence, tuple[Curve, ...]] = {}
    for page, source in PUBLISHED_SOURCES.items():
        own = [row for row in rows if row["published_in"] == page]
        for column, provider in PUBLISHED_PROVIDERS.items():
            points = sorted((float(row["n"]), float(row[column])) for row in own if row[column])
            if points:
                x, y = zip(*points, strict=True)
                found[source] = (*found.get(source, ()), Curve(provider, str(source), x, y))
    return found
