"""Recordings: a run, the timeline of its locks, or both, in one file that can be handed on.

See `recorded_file` for the form of the file, `archive` and `validation` for what is refused.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lnexplorer.domain.compact import compact
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.protocol.plain import from_plain, to_plain
from lnexplorer.storage.archive import RecordingError
from lnexplorer.storage.own_file import OwnKind, short
from lnexplorer.storage.recorded_file import (
    Manifest,
    heads_in,
    manifest_of,
    read_recorded,
    refused_as_unsaved,
    replayed,
    write_recorded,
)
from lnexplorer.storage.timeline_check import check_timeline
from lnexplorer.storage.validation import check_result

__all__ = ["SUFFIX", "Recording", "RecordingError", "read_recording", "recordings_in", "write_recording"]

SUFFIX = ".lnrec"
FILE = OwnKind(name="recording", format="lnexplorer recording", version=1, suffix=SUFFIX, most_bytes=256 << 20)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Recording:
    """What one file holds. At least one of result and timeline is there."""

    title: str
    result: RunResult | None
    timeline: ReductionTimeline | None
    date: str = ""  # ISO 8601; writing fills in an empty one


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Content:
    result: RunResult | None
    timeline: ReductionTimeline | None


def write_recording(path: Path, recording: Recording) -> None:
    """Write `recording`, its result compact, whole or not at all.

    Raises:
        RecordingError: the values do not fit together, or the file cannot be written; one sentence.
    """
    with refused_as_unsaved(path, FILE):
        _check(recording.result, recording.timeline)
    result = recording.result
    environment = None if result is None else result.provenance.environment
    manifest = manifest_of(FILE, recording.title, recording.date, _kind(recording), environment)
    content = _Content(result=None if result is None else compact(result), timeline=recording.timeline)
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
    _check(content.result, content.timeline)
    result, timeline = content.result, content.timeline
    if result is not None:
        result = replace(result, provenance=replace(result.provenance, kind=replayed(result.provenance.kind)))
    if timeline is not None:
        timeline = replace(timeline, kind=replayed(timeline.kind))
    return Recording(title=short(manifest.title), date=manifest.date, result=result, timeline=timeline)


def _check(result: RunResult | None, timeline: ReductionTimeline | None) -> None:
    if result is None and timeline is None:
        raise RecordingError("it holds neither a run nor a timeline")
    if result is not None:
        check_result(result)
    if timeline is not None:
        check_timeline(timeline, None if result is None else result.resolved)


def _kind(recording: Recording) -> Kind:
    if recording.result is not None:
        return recording.result.provenance.kind
    assert recording.timeline is not None
    return recording.timeline.kind
