"""Recordings: a run, the timeline of its locks, or both; and recorded experiments. One file each, to be handed on."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.residents import Kernel, SeenLaunch, has_times, kernel_of
from lnexplorer.domain.result import RunResult, compact
from lnexplorer.store.archive import (
    EXPERIMENT,
    RECORDING,
    Manifest,
    heads_in,
    open_archive,
    refused_as_unsaved,
    replayed,
    write_archive,
)
from lnexplorer.store.check import check_experiment_result, check_result, check_timeline, check_values
from lnexplorer.store.files import StoreError
from lnkernels.sentence import say
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.timeline import ReductionTimeline

CONTENT = "content"
MOST_READ = 64  # recordings of the same GPU; each takes a few ms


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Recording:
    """What one file holds. At least one of result and timeline is there; where both are, the timeline is a trace of the
    run.
    """

    title: str
    result: RunResult | None
    timeline: ReductionTimeline | None
    date: str = ""  # ISO 8601; writing fills in an empty one
    alone: ResolvedRequest | None = None  # the launch of a timeline without a run, where that is known
    alone_in: Environment | None = None  # where such a timeline was made, the same

    @property
    def launch(self) -> ResolvedRequest | None:
        """What was run or traced; None where it is not known."""
        return self.alone if self.result is None else self.result.resolved

    @property
    def environment(self) -> Environment | None:
        """Where; None where it is not known."""
        return self.alone_in if self.result is None else self.result.provenance.environment

    @property
    def kind(self) -> Kind:
        """Of its figures."""
        if self.result is not None:
            return self.result.provenance.kind
        assert self.timeline is not None
        return self.timeline.kind


@dataclass(frozen=True, slots=True)
class RecordedExperiment:
    """What a file in a folder is, without its content."""

    name: str  # of the experiment
    title: str
    path: Path


def write_recording(path: Path, recording: Recording) -> None:
    """Write `recording`, its result compact, whole or not at all.

    Raises:
        StoreError: the values do not fit together, or the file cannot be written; one sentence.
    """
    with refused_as_unsaved(path, RECORDING):
        _check(recording)
    result = recording.result
    head = Manifest(kind=RECORDING.name, title=recording.title, figures=recording.kind, environment=recording.environment)
    head = replace(head, date=recording.date or head.date)
    kept = replace(recording, date=head.date, result=None if result is None else compact(result))
    write_archive(path, RECORDING, head, [(CONTENT, kept)])


def read_recording(path: Path) -> Recording:
    """The recording in `path`. What was measured comes back as "recorded", with the environment that it was measured
    in.

    Raises:
        StoreError: the file cannot be read, is damaged, foreign or from a newer version, or its values are impossible;
            one sentence that names the file and the cause.
    """
    with open_archive(path, RECORDING) as archive:
        found: Recording = archive.value(CONTENT, Recording)
        _check(found)
    result, timeline = found.result, found.timeline
    if result is not None:
        result = replace(result, provenance=replace(result.provenance, kind=replayed(result.provenance.kind)))
    if timeline is not None:
        timeline = replace(timeline, kind=replayed(timeline.kind))
    return replace(found, result=result, timeline=timeline)


def recordings_in(folder: Path) -> list[tuple[str, Path]]:
    """Title and path of each recording in `folder`, by title; files that are none are left out."""
    return sorted((head.title, path) for path, head in heads_in(folder, RECORDING))


def write_experiment(path: Path, result: ExperimentResult, title: str = "") -> None:
    """Write a finished experiment, whole or not at all.

    Raises:
        StoreError: the values do not fit together, or the file cannot be written; one sentence.
    """
    with refused_as_unsaved(path, EXPERIMENT):
        check_experiment_result(result)
    provenance, resolved = result.provenance, result.resolved
    environment = provenance.environment
    head = Manifest(
        kind=EXPERIMENT.name,
        title=title or f"{resolved.m}×{resolved.n} {resolved.dtype}, {environment.gpu or 'interpreter'}",
        date=environment.date,
        figures=provenance.kind,
        environment=environment,
        name=result.request.name,
    )
    write_archive(path, EXPERIMENT, head, [(CONTENT, result)])


def read_experiment(path: Path) -> ExperimentResult:
    """The experiment in a file. What was measured comes back as "recorded".

    Raises:
        StoreError: as for `read_recording`.
    """
    with open_archive(path, EXPERIMENT) as archive:
        found: ExperimentResult = archive.value(CONTENT, ExperimentResult)
        check_experiment_result(found)
    return replace(found, provenance=replace(found.provenance, kind=replayed(found.provenance.kind)))


def experiments_in(folder: Path) -> list[RecordedExperiment]:
    """The recorded experiments of a folder, in the order of EXPERIMENTS and then by title; other files are left out."""
    heads = [(path, head) for path, head in heads_in(folder, EXPERIMENT) if head.name in EXPERIMENTS]
    found = [RecordedExperiment(head.name, head.title, path) for path, head in heads]
    return sorted(found, key=lambda each: (EXPERIMENTS.index(each.name), each.title))


def seen_launches(folder: Path, kernel: Kernel, between: Callable[[], None] | None = None) -> list[SeenLaunch]:
    """Every recorded trace of a kernel in a folder, by file name; files that cannot be read are passed over.

    Args:
        folder: looked through without its subfolders.
        kernel: of the launches that are looked for, any GROUP_SIZE_M and number of rows.
        between: called before each file, for whoever has other threads to give way to.
    """
    if kernel.gpu is None:
        return []
    named = [path for path, head in heads_in(folder, RECORDING) if head.environment and head.environment.gpu == kernel.gpu]
    found = []
    for path in named[:MOST_READ]:
        if between is not None:
            between()
        try:
            recording = read_recording(path)
        except StoreError:
            continue
        launch, timeline = recording.launch, recording.timeline
        if launch is None or timeline is None or not has_times(timeline):
            continue
        if kernel_of(launch, recording.environment) == kernel:
            found.append(SeenLaunch.of(recording.title or path.name, timeline))
    return found


def _check(recording: Recording) -> None:
    result, timeline = recording.result, recording.timeline
    if result is None and timeline is None:
        raise StoreError(say("it holds neither a run nor a timeline"))
    if result is not None:
        check_result(result)
    check_values(say("its launch"), recording.alone)
    if timeline is not None:
        check_timeline(timeline, recording.launch)
