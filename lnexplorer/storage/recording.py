"""Recordings: a run, the timeline of its locks, or both, in one file that can be handed on.

A recording is a zip archive of
- manifest.json: format, version, title, date, kind and environment, for whoever wants to know what this is;
- content.json: the values, in the form of `protocol.plain.to_plain`; {"array": "NAME"} stands for an array, {"float": "nan"} for
  a number that JSON cannot write;
- arrays/NAME.npy: the arrays.
Nothing in it is executed when it is read. See `archive` and `validation` for what is refused.
"""

import json
import zipfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from lnexplorer.domain.compact import compact
from lnexplorer.domain.provenance import Environment, Kind
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.protocol.plain import DecodeError, from_plain, to_plain
from lnexplorer.storage.archive import DAMAGE, RecordingError, pack, unpack
from lnexplorer.storage.aside import reason, write_whole
from lnexplorer.storage.plain_json import special_number, without_special_numbers
from lnexplorer.storage.reading import TooLargeError, read_at_most
from lnexplorer.storage.validation import check_result, check_timeline

__all__ = ["SUFFIX", "Recording", "RecordingError", "read_recording", "recordings_in", "write_recording"]

FORMAT = "lnexplorer recording"
VERSION = 1
SUFFIX = ".lnrec"
MANIFEST = "manifest.json"
CONTENT = "content.json"
MAX_FILE_BYTES = 256 << 20
MAX_MANIFEST_BYTES = 64 << 10


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Recording:
    """What one file holds. At least one of result and timeline is there."""

    title: str
    result: RunResult | None
    timeline: ReductionTimeline | None
    date: str = ""  # ISO 8601; writing fills in an empty one


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manifest:
    format: str
    version: int
    title: str
    date: str
    kind: Kind
    environment: Environment | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Content:
    result: RunResult | None
    timeline: ReductionTimeline | None


def write_recording(path: Path, recording: Recording) -> None:
    """Write `recording`, its result compact, whole or not at all.

    Raises:
        RecordingError: the values do not fit together, or the file cannot be written; one sentence.
    """
    _check(recording.result, recording.timeline)
    result = None if recording.result is None else compact(recording.result)
    arrays: dict[str, np.ndarray] = {}

    def put(array: np.ndarray) -> dict[str, str]:
        name = str(len(arrays))
        arrays[name] = array
        return {"array": name}

    content = to_plain(_Content(result=result, timeline=recording.timeline), put)
    manifest = _Manifest(
        format=FORMAT,
        version=VERSION,
        title=recording.title,
        date=recording.date or datetime.now(UTC).isoformat(timespec="seconds"),
        kind=_kind(recording),
        environment=recording.result.provenance.environment if recording.result else None,
    )
    documents = {
        MANIFEST: json.dumps(to_plain(manifest), indent=2, allow_nan=False).encode(),
        CONTENT: json.dumps(without_special_numbers(content), allow_nan=False).encode(),
    }
    try:
        write_whole(path, pack(documents, arrays))
    except OSError as error:
        raise RecordingError(f"The recording cannot be saved as {path} ({reason(error)}).") from error


def read_recording(path: Path) -> Recording:
    """The recording in `path`. What was measured comes back as "recorded", with the environment that it was measured in.

    Raises:
        RecordingError: the file cannot be read, is damaged, foreign or from a newer version, or its values are impossible; one
            sentence that names the file and the cause.
    """
    try:
        data = read_at_most(path, MAX_FILE_BYTES)
    except OSError as error:
        raise RecordingError(f"{path} cannot be read ({reason(error)}).") from error
    except TooLargeError as error:
        raise RecordingError(f"{path} cannot be opened: a recording is at most {MAX_FILE_BYTES >> 20} MiB.") from error
    try:
        return _decode(data)
    except RecordingError as error:
        raise RecordingError(f"{path} cannot be opened: {error}.") from error


def recordings_in(folder: Path) -> list[tuple[str, Path]]:
    """Title and path of each recording in `folder`, by title; files that are none are left out."""
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        try:
            with zipfile.ZipFile(path) as archive, archive.open(MANIFEST) as file:
                head = json.loads(file.read(MAX_MANIFEST_BYTES))
        except DAMAGE:
            continue
        if isinstance(head, dict) and head.get("format") == FORMAT and isinstance(head.get("title"), str):
            found.append((head["title"], path))
    return sorted(found)


def _decode(data: bytes) -> Recording:
    documents, arrays = unpack(data, (MANIFEST, CONTENT))
    head = _json(documents[MANIFEST], {})
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise RecordingError("it is not a recording of this program")
    version = head.get("version")
    if isinstance(version, int) and version > VERSION:
        raise RecordingError(f"it has version {version} of the format, and this program reads version {VERSION}")
    if version != VERSION:
        raise RecordingError("its version is not known")
    try:
        manifest = from_plain(head, _Manifest)
        content = from_plain(_json(documents[CONTENT], arrays), _Content)
    except DecodeError as error:
        raise RecordingError(f"its content is not complete ({error})") from error
    _check(content.result, content.timeline)
    result, timeline = content.result, content.timeline
    if result is not None:
        result = replace(result, provenance=replace(result.provenance, kind=_replayed(result.provenance.kind)))
    if timeline is not None:
        timeline = replace(timeline, kind=_replayed(timeline.kind))
    return Recording(title=manifest.title, date=manifest.date, result=result, timeline=timeline)


def _check(result: RunResult | None, timeline: ReductionTimeline | None) -> None:
    if result is None and timeline is None:
        raise RecordingError("it holds neither a run nor a timeline")
    if result is not None:
        check_result(result)
    if timeline is not None:
        check_timeline(timeline)


def _replayed(kind: Kind) -> Kind:
    return Kind.RECORDED if kind is Kind.MEASURED else kind


def _kind(recording: Recording) -> Kind:
    if recording.result is not None:
        return recording.result.provenance.kind
    assert recording.timeline is not None
    return recording.timeline.kind


def _json(data: bytes, arrays: dict[str, np.ndarray]) -> Any:
    def hook(found: dict[str, Any]) -> Any:
        if found.keys() == {"array"}:
            name = found["array"]
            if not isinstance(name, str) or name not in arrays:
                raise RecordingError(f"array {str(name)[:40]} is missing")
            return arrays[name]
        number = special_number(found)
        return found if number is None else number

    try:
        return json.loads(data, object_hook=hook)
    except (ValueError, RecursionError) as error:
        if isinstance(error, RecordingError):
            raise
        raise RecordingError("its text is damaged") from error
