"""The inner form of what is recorded: an archive with a manifest, and values whose arrays lie beside them.

- manifest.json: format, version, title, date, kind and environment, for whoever wants to know what a file is;
- content.json: the values, in the form of `protocol.plain.to_plain`; {"array": "NAME"} stands for an array, {"float": "nan"} for
  a number that JSON cannot write;
- arrays/NAME.npy: the arrays.
Nothing of it is executed when it is read.
"""

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lnexplorer.protocol.plain import DecodeError, from_plain, to_plain
from lnexplorer.store.archive import DAMAGE, RecordingError, pack, unpack
from lnexplorer.store.own_file import OwnKind, short
from lnexplorer.store.plain_json import without_special_numbers
from lnkernels.values.environment import Environment, Kind

MANIFEST, CONTENT = "manifest.json", "content.json"
MAX_MANIFEST_BYTES = 64 << 10

T = TypeVar("T")
PutArray = Callable[[np.ndarray], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a file is."""

    format: str
    version: int
    title: str
    date: str  # ISO 8601
    kind: Kind
    environment: Environment | None
    name: str = ""  # of an experiment


def manifest_of(file: OwnKind, title: str, date: str, kind: Kind, environment: Environment | None, name: str = "") -> Manifest:
    """The manifest of a new file; an empty date is now."""
    return Manifest(
        format=file.format,
        version=file.version,
        title=title,
        date=date or datetime.now(UTC).isoformat(timespec="seconds"),
        kind=kind,
        environment=environment,
        name=name,
    )


@contextmanager
def refused_as_unsaved(path: Path, file: OwnKind) -> Iterator[None]:
    """Values that do not fit together are refused in a sentence that names the file which they were to be saved as.

    Raises:
        RecordingError: in place of the one with the reason alone.
    """
    try:
        yield
    except RecordingError as error:
        raise RecordingError(f"The {file.name} cannot be saved as {path}: {short(error)}.") from error


def write_recorded(path: Path, file: OwnKind, manifest: Manifest, content: Callable[[PutArray], Any]) -> None:
    """Write a file, whole or not at all.

    Args:
        path: of the file.
        file: its kind.
        manifest: what it is.
        content: its values as dicts, lists, strings, numbers and None, given what takes an array and returns what stands for it.

    Raises:
        RecordingError: it cannot be written; one sentence.
    """
    arrays: dict[str, np.ndarray] = {}

    def put(array: np.ndarray) -> dict[str, str]:
        name = str(len(arrays))
        arrays[name] = array
        return {"array": name}

    plain = without_special_numbers(content(put))
    documents = {
        MANIFEST: json.dumps(to_plain(manifest), indent=2, allow_nan=False).encode(),
        CONTENT: json.dumps(plain, allow_nan=False).encode(),
    }
    file.write(path, pack(documents, arrays))


def read_recorded(path: Path, file: OwnKind, decode: Callable[[Manifest, Any], T]) -> T:
    """What `decode` makes of a file's manifest and values. It raises RecordingError with a reason alone, or DecodeError.

    Raises:
        RecordingError: the file cannot be read, is damaged, foreign or from a newer version, or is refused; one sentence that
            names the file and the cause.
    """

    def whole(data: bytes) -> T:
        documents, arrays = unpack(data, (MANIFEST, CONTENT))

        def array(name: Any) -> np.ndarray:
            if not isinstance(name, str) or name not in arrays:
                raise RecordingError(f"array {str(name)[:40]} is missing")
            return arrays[name]

        head = file.load(documents[MANIFEST], array)
        file.check_head(head)
        try:
            return decode(from_plain(head, Manifest), file.load(documents[CONTENT], array))
        except DecodeError as error:
            raise RecordingError(f"its content is not complete ({error})") from error

    return file.read(path, whole)


def heads_in(folder: Path, file: OwnKind) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Path and manifest of each file of this kind in a folder; what is none is left out, and contents are not looked at."""
    for path in folder.glob(f"*{file.suffix}"):
        if not path.is_file():  # a pipe would be waited for
            continue
        try:
            with zipfile.ZipFile(path) as archive, archive.open(MANIFEST) as stream:
                head = json.loads(stream.read(MAX_MANIFEST_BYTES))
        except DAMAGE:
            continue
        if isinstance(head, dict) and head.get("format") == file.format:
            yield path, head


def replayed(kind: Kind) -> Kind:
    """The kind of a figure that is read from a file: what was measured is recorded now."""
    return Kind.RECORDED if kind is Kind.MEASURED else kind
