"""Recordings: a run, the timeline of its locks, or both, in one file that can be handed on.

See `recorded_file` for the form of the file, `archive` and `validation` for what is refused.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lnexplorer.domain.compact import compact
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.plain import from_plain, to_plain
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.foreign_text import check_environment
from lnexplorer.store.own_file import OwnKind, short
from lnexplorer.store.recorded_file import (
    Manifest,
    heads_in,
    manifest_of,
    read_recorded,
    refused_as_unsaved,
    replayed,
    write_recorded,
)
from lnexplorer.store.timeline_check import check_timeline
from lnexplorer.store.validation import check_possible, check_result
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.timeline import ReductionTimeline

__all__ = ["SUFFIX", "Recording", "RecordingError", "read_recording", "recordings_in", "write_recording"]

SUFFIX = ".lnrec"
FILE = OwnKind(name="recording", format="lnexplorer recording", version=1, suffix=SUFFIX, most_bytes=256 << 20)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Recording:
    """What one file holds. At least one of result and timeline is there; where both are, the timeline is a trace of the run."""

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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Content:
    result: RunResult | None
    timeline: ReductionTimeline | None
    alone: ResolvedRequest | None = None


def write_recording(path: Path, recording: Recording) -> None:
    """Write `recording`, its result compact, whole or not at all.

    Raises:
        RecordingError: the values do not fit together, or the file cannot be written; one sentence.
    """
    with refused_as_unsaved(path, FILE):
        _check(recording)
    result = recording.result
    manifest = manifest_of(FILE, recording.title, recording.date, _kind(recording), recording.environment)
    kept = None if result is None else compact(result)
    content = _Content(result=kept, timeline=recording.timeline, alone=recording.alone if result is None else None)
    write_recorded(path, FILE, manifest, lambda put: to_plain(content, put))


def read_recording(path: Path) -> Recording:
    """The recording in `path`. What was measured comes back as "recorded", with the environment that it was measured in.

    Raises:
        RecordingError: the file cannot be read, is damaged, foreign or from a newer version, or its values are impossible; one
            sentence that names the file and the cause.
    """
    return read_recorded(path, FILE, _decode)


def recordings_in(folder: Path) -> list[tuple[str, Path]]:
    """Title and path of each recording in `folder`, by title; files that are none are left out."""
    return sorted((head["title"], path) for path, head in heads_in(folder, FILE) if isinstance(head.get("title"), str))


def _decode(manifest: Manifest, plain: Any) -> Recording:
    content = from_plain(plain, _Content)
    result, timeline = content.result, content.timeline
    recording = Recording(title=short(manifest.title), date=manifest.date, result=result, timeline=timeline)
    if result is None:
        recording = replace(recording, alone=content.alone, alone_in=manifest.environment)
    _check(recording)
    if result is not None:
        result = replace(result, provenance=replace(result.provenance, kind=replayed(result.provenance.kind)))
    if timeline is not None:
        timeline = replace(timeline, kind=replayed(timeline.kind))
    return replace(recording, result=result, timeline=timeline)


def _check(recording: Recording) -> None:
    result, timeline = recording.result, recording.timeline
    if result is None and timeline is None:
        raise RecordingError("it holds neither a run nor a timeline")
    if result is not None:
        check_result(result)
    elif recording.alone is not None:
        check_possible(recording.alone)
    if result is None and recording.alone_in is not None:
        check_environment(recording.alone_in)
    if timeline is not None:
        check_timeline(timeline, recording.launch)


def _kind(recording: Recording) -> Kind:
    if recording.result is not None:
        return recording.result.provenance.kind
    assert recording.timeline is not None
    return recording.timeline.kind
