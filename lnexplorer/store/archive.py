"""The one form of files that are handed on: a zip archive of a manifest and of values.

- manifest.json: format, version, kind, title, date, kind of figures and environment, so that
  anybody sees what a file is;
- NAME.msgpack: a value of the domain; an array of it is its element type, its shape and its bytes.

Nothing of it is executed when it is read. What an archive unpacks to is counted before it is
unpacked, and each member has a checksum.
"""

import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from lnexplorer.domain.experiments.experiment import ExperimentResult
from lnexplorer.protocol.codec import DecodeError, encode, from_plain, to_plain
from lnexplorer.store.files import StoreError, opened, reason, short, short_cause, write_whole
from lnexplorer.store.packed import check_packed, cleaned, unpack, upgraded
from lnkernels.values import Sentence, frozen_by_name, say
from lnkernels.values.environment import Environment, Kind

FORMAT, VERSION = "lnexplorer", 1
MANIFEST, SUFFIX = "manifest.json", ".msgpack"
MAX_FILE_BYTES = 256 << 20
MAX_UNPACKED_BYTES = 128 << 20
MAX_MANIFEST_BYTES = 64 << 10
MAX_PLAIN_BYTES = 16 << 20
MAX_DIRECTORY_BYTES = 4 << 20
# The last record, and what stands before it in an archive of more than 4 GB.
_END, _END_OF_LARGE = struct.Struct("<4s4H2LH"), struct.Struct("<4sLQL")
# Everything that the standard library raises on a damaged archive.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    RuntimeError,
    OSError,
    ValueError,
    LookupError,
    ArithmeticError,
    struct.error,
)


@frozen_by_name
class FileKind:
    name: str  # in the manifest
    suffix: str
    title: Sentence  # for sentences


RECORDING = FileKind(name="recording", suffix=".lnrec", title=say("recording"))
SWEEP = FileKind(name="sweep", suffix=".lnsweep", title=say("recorded sweep"))
EXPERIMENT = FileKind(name="experiment", suffix=".lnexperiment", title=say("recorded experiment"))
SESSION = FileKind(name="session", suffix=".lnsession", title=say("session"))


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@frozen_by_name
class Manifest:
    format: str = FORMAT
    version: int = VERSION
    kind: str
    title: str = ""
    date: str = field(default_factory=now)  # ISO 8601
    figures: Kind | None = None
    environment: Environment | None = None
    name: str = ""  # of an experiment


class Archive:
    """An open archive. Its methods raise StoreError with a reason alone, without a full stop."""

    def __init__(self, stream: BinaryIO, kind: FileKind) -> None:
        self._kind = kind
        self._zip, self._members = _opened(stream, kind)
        self.manifest = self._read_manifest()

    @property
    def names(self) -> list[str]:
        """Names of the values, in the order in which they were written."""
        return [name.removesuffix(SUFFIX) for name in self._members if name.endswith(SUFFIX)]

    def value(self, name: str, kind: Any) -> Any:
        """Return a value, its texts cleaned and what was measured as recorded."""
        member = self._members.get(name + SUFFIX)
        if member is None:
            raise StoreError("it is not whole: it holds no {name}", name=name + SUFFIX)
        # These are decoded as a plain dict, in which nothing bounds the memory.
        if kind in (dict, ExperimentResult) and member.file_size > MAX_PLAIN_BYTES:
            raise StoreError("it is larger than a {kind} can be", kind=self._kind.title)
        data = upgraded(self._read(member), kind)
        check_packed(data, kind)
        return cleaned(unpack(data, kind))

    def _read_manifest(self) -> Manifest:
        member = self._members.get(MANIFEST)
        head = (
            None
            if member is None or member.file_size > MAX_MANIFEST_BYTES
            else _head(self._read(member))
        )
        if head is None or head.get("format") != FORMAT or head.get("kind") != self._kind.name:
            raise StoreError("it is not a {kind} of this program", kind=self._kind.title)
        version = short(repr(head.get("version")))
        if version != str(VERSION):
            raise StoreError(
                "it has version {version}, and this program reads version {known}",
                version=version,
                known=VERSION,
            )
        try:
            return cleaned(from_plain(head, Manifest))
        except DecodeError as error:
            raise StoreError(
                "its manifest is not complete ({why})", why=short_cause(error)
            ) from error

    def _read(self, member: zipfile.ZipInfo) -> bytes:
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise StoreError("{name} is compressed in another way", name=short(member.filename))
        with _damage_refused(), self._zip.open(member) as stream:
            data = stream.read(member.file_size + 1)
            if len(data) != member.file_size:
                raise EOFError
        return data


@contextmanager
def open_archive(path: Path, kind: FileKind) -> Iterator[Archive]:
    """Open an archive for reading.

    Raises:
        StoreError: the file cannot be read, is damaged, foreign, too large or of a newer version,
            or what is done with it raises one with a reason alone; one sentence that names the file
            and the cause.
    """
    with opened(path) as stream:
        try:
            yield Archive(stream, kind)
        except StoreError as error:
            raise StoreError(
                "{path} cannot be opened: {why}.", path=path, why=error.sentence
            ) from error


def write_archive(
    path: Path, kind: FileKind, manifest: Manifest, values: Iterable[tuple[str, Any]]
) -> None:
    """Write a file, whole or not at all.

    Raises:
        StoreError: it cannot be written, or would be larger than what is read; one sentence.
    """
    stream = io.BytesIO()
    unpacked = 0
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(
            _info(MANIFEST),
            json.dumps(to_plain(manifest), indent=2, allow_nan=False),
            compresslevel=6,
        )
        for name, value in values:
            data = encode(value)
            unpacked += len(data)
            if unpacked > MAX_UNPACKED_BYTES:
                raise StoreError(
                    "The {kind} would be too large: choose fewer runs or sweeps.",
                    kind=kind.title,
                )
            archive.writestr(_info(name + SUFFIX), data, compresslevel=6)
    with refused_as_unsaved(path, kind):
        try:
            write_whole(path, stream.getvalue())
        except OSError as error:
            raise StoreError(reason(error)) from error


@contextmanager
def refused_as_unsaved(path: Path, kind: FileKind) -> Iterator[None]:
    """Put the name of the file that was to be saved into a StoreError with a reason alone."""
    try:
        yield
    except StoreError as error:
        raise StoreError(
            "The {kind} cannot be saved as {path}: {why}.",
            kind=kind.title,
            path=path,
            why=error.sentence,
        ) from error


def heads_in(folder: Path, kind: FileKind) -> Iterator[tuple[Path, Manifest]]:
    """Yield path and manifest of each file of a kind in a folder, by name."""
    for path in sorted(folder.glob(f"*{kind.suffix}")):
        try:
            with open_archive(path, kind) as archive:
                yield path, archive.manifest
        except StoreError:
            continue


def _opened(stream: BinaryIO, kind: FileKind) -> tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]:
    """Open the archive and list its members, whose number and sizes are checked before."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(size - _END.size - _END_OF_LARGE.size, 0))
    tail = stream.read()
    end = tail[-_END.size :].rjust(_END.size, b"\0")
    mark, *_, count, directory, _, comment = _END.unpack(end)
    if mark != b"PK\x05\x06" or comment or tail.startswith(b"PK\x06\x07"):
        raise StoreError("it is not a {kind}, or not whole: its end is missing", kind=kind.title)
    if size > MAX_FILE_BYTES or directory > MAX_DIRECTORY_BYTES:
        raise StoreError("it is larger than a {kind} can be", kind=kind.title)
    with _damage_refused():
        archive = zipfile.ZipFile(stream)
        members = archive.infolist()
        if len(members) != count or not all(
            member.filename == MANIFEST or member.filename.endswith(SUFFIX) for member in members
        ):
            raise EOFError
    unpacked = sum(member.file_size for member in members)
    if unpacked > MAX_UNPACKED_BYTES:
        raise StoreError("it unpacks to more than {most} MiB", most=MAX_UNPACKED_BYTES >> 20)
    return archive, {member.filename: member for member in members}


@contextmanager
def _damage_refused() -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        raise StoreError("it is damaged") from error


def _head(data: bytes) -> dict[str, Any] | None:
    try:
        head = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return head if isinstance(head, dict) else None


def _info(name: str) -> zipfile.ZipInfo:
    """Without the time, so that equal values give equal files."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info
