"""Recorded experiments: one file each, to be shown where there is no GPU, or to be handed on.

A file is an archive like a recording: manifest.json for whoever wants to know what this is, content.json with the values, and
arrays/NAME.npy. Nothing in it is executed when it is read.
"""

import json
import zipfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from lnexplorer.domain.experiments.findings import BarrierSide, ExperimentResult
from lnexplorer.domain.experiments.request import EXPERIMENTS, check_experiment
from lnexplorer.domain.provenance import Environment, Kind
from lnexplorer.protocol.plain import DecodeError, from_plain, to_plain
from lnexplorer.storage.archive import DAMAGE, RecordingError, pack, unpack
from lnexplorer.storage.aside import reason, write_whole
from lnexplorer.storage.plain_json import special_number, without_special_numbers
from lnexplorer.storage.reading import TooLargeError, read_at_most
from lnexplorer.storage.validation import check_resolved, check_timeline
from lnkernels.launch import check_launch

FORMAT = "lnexplorer experiment"
VERSION = 1
SUFFIX = ".lnexperiment"
MANIFEST, CONTENT = "manifest.json", "content.json"
MAX_FILE_BYTES = 64 << 20
MAX_MANIFEST_BYTES = 64 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manifest:
    format: str
    version: int
    name: str
    title: str
    date: str
    kind: Kind
    environment: Environment


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
    _check(result)
    arrays: dict[str, np.ndarray] = {}

    def put(array: np.ndarray) -> dict[str, str]:
        name = str(len(arrays))
        arrays[name] = array
        return {"array": name}

    content = to_plain(result, put)
    environment = result.provenance.environment
    resolved = result.resolved
    manifest = _Manifest(
        format=FORMAT,
        version=VERSION,
        name=result.request.name,
        title=title or f"{resolved.m}×{resolved.n} {resolved.dtype}, {environment.gpu or 'interpreter'}",
        date=environment.date or datetime.now(UTC).isoformat(timespec="seconds"),
        kind=result.provenance.kind,
        environment=environment,
    )
    documents = {
        MANIFEST: json.dumps(to_plain(manifest), indent=2, allow_nan=False).encode(),
        CONTENT: json.dumps(without_special_numbers(content), allow_nan=False).encode(),
    }
    try:
        write_whole(path, pack(documents, arrays))
    except OSError as error:
        raise RecordingError(f"The experiment cannot be saved as {path} ({reason(error)}).") from error


def read_experiment(path: Path) -> ExperimentResult:
    """The experiment in a file. What was measured comes back as "recorded".

    Raises:
        RecordingError: the file cannot be read, is damaged, foreign or from a newer version, or its values are impossible; one
            sentence that names the file and the cause.
    """
    try:
        data = read_at_most(path, MAX_FILE_BYTES)
    except OSError as error:
        raise RecordingError(f"{path} cannot be read ({reason(error)}).") from error
    except TooLargeError as error:
        raise RecordingError(f"{path} cannot be opened: a recorded experiment is at most {MAX_FILE_BYTES >> 20} MiB.") from error
    try:
        return _decode(data)
    except RecordingError as error:
        raise RecordingError(f"{path} cannot be opened: {error}.") from error


def experiments_in(folder: Path) -> list[RecordedExperiment]:
    """The recorded experiments of a folder, in the order of EXPERIMENTS and then by title; other files are left out."""
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        try:
            with zipfile.ZipFile(path) as archive, archive.open(MANIFEST) as file:
                head = json.loads(file.read(MAX_MANIFEST_BYTES))
        except DAMAGE:
            continue
        if isinstance(head, dict) and head.get("format") == FORMAT and head.get("name") in EXPERIMENTS:
            found.append(RecordedExperiment(head["name"], str(head.get("title", "")), path))
    return sorted(found, key=lambda each: (EXPERIMENTS.index(each.name), each.title))


def _decode(data: bytes) -> ExperimentResult:
    documents, arrays = unpack(data, (MANIFEST, CONTENT))
    head = _json(documents[MANIFEST], {})
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise RecordingError("it is not a recorded experiment of this program")
    version = head.get("version")
    if isinstance(version, int) and version > VERSION:
        raise RecordingError(f"it has version {version} of the format, and this program reads version {VERSION}")
    if version != VERSION:
        raise RecordingError("its version is not known")
    try:
        result = from_plain(_json(documents[CONTENT], arrays), ExperimentResult)
    except DecodeError as error:
        raise RecordingError(f"its content is not complete ({error})") from error
    _check(result)
    kind = Kind.RECORDED if result.provenance.kind is Kind.MEASURED else result.provenance.kind
    return replace(result, provenance=replace(result.provenance, kind=kind))


def _check(result: ExperimentResult) -> None:
    """Raise RecordingError unless `result` can be shown."""
    name = result.request.name
    problems = check_experiment(result.request, "cuda") and check_experiment(result.request, "interpreter")
    check_resolved(result.resolved)
    problems = problems or check_launch(result.resolved.n, result.resolved.dtype, result.resolved.launch)
    if problems:
        raise RecordingError(f"its experiment is not possible: {problems[0]}")
    if [each for each in EXPERIMENTS if getattr(result, each) is not None] != [name]:
        raise RecordingError(f"it does not hold the findings of {name} alone")
    sides = () if result.barrier is None else (result.barrier.left_out, result.barrier.put_back)
    if any(not _possible(side, result.resolved.n) for side in sides):
        raise RecordingError("it counts more wrong runs than there were, or in other columns")
    if result.order is not None:
        for repeated in result.order.sides:
            if repeated.spread.shape != (result.resolved.n,) or not 1 <= repeated.distinct <= repeated.runs:
                raise RecordingError("its spread is not one value a column, or its runs are fewer than their results")
    if result.group_size is not None and len(result.group_size.points) < 2:
        raise RecordingError("it holds fewer than two sizes")
    if result.strategies is not None and result.strategies.timeline is not None:
        check_timeline(result.strategies.timeline)


def _possible(side: BarrierSide, n: int) -> bool:
    counts = (side.wrong_dw, side.wrong_db)
    fits = all(count.shape == (n,) and count.min() >= 0 and count.max() <= side.wrong_runs for count in counts)
    return fits and 0 <= side.wrong_runs <= side.runs and all(0 <= wrong.column < n for wrong in side.first)


def _json(data: bytes, arrays: dict[str, np.ndarray]) -> Any:
    def hook(found: dict[str, Any]) -> Any:
        if found.keys() == {"array"}:
            if found["array"] not in arrays:
                raise RecordingError("an array is missing")
            return arrays[found["array"]]
        number = special_number(found)
        return found if number is None else number

    try:
        return json.loads(data, object_hook=hook)
    except (ValueError, TypeError, RecursionError) as error:
        if isinstance(error, RecordingError):
            raise
        raise RecordingError("its text is damaged") from error
