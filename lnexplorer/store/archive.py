"""The outer form of a recording: a zip archive of a few JSON documents and arrays, read with bounds and without trust."""

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable

import numpy as np

MAX_MEMBERS = 256
MAX_DOCUMENT_BYTES = 16 << 20
MAX_UNPACKED_BYTES = 512 << 20
ARRAY_FOLDER = "arrays/"
# The header that np.save writes for arrays of numbers in C order. No other is read, so nothing has to be evaluated.
ARRAY_MAGIC = b"\x93NUMPY\x01\x00"
ARRAY_HEADER = re.compile(
    r"\{'descr': '(?P<dtype>[<|][biuf][1248])', 'fortran_order': False, 'shape': \((?P<shape>(?:\d{1,12},? ?){0,4})\), \} *\n"
)
_BEGINNING, _END = b"PK\x03\x04", b"PK\x05\x06"
# Everything that the standard library raises on a damaged archive.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError, LookupError, OverflowError, struct.error)


class RecordingError(ValueError):
    """A recording that cannot be written or read, and why, in one sentence."""


def pack(documents: dict[str, bytes], arrays: dict[str, np.ndarray]) -> bytes:
    """An archive of `documents` by name and of `arrays` as arrays/NAME.npy."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in documents.items():
            archive.writestr(name, data)
        for name, array in arrays.items():
            saved = io.BytesIO()
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            np.save(saved, np.ascontiguousarray(little), allow_pickle=False)
            archive.writestr(f"{ARRAY_FOLDER}{name}.npy", saved.getvalue())
    return stream.getvalue()


def unpack(data: bytes, wanted: Iterable[str]) -> tuple[dict[str, bytes], dict[str, np.ndarray]]:
    """The `wanted` documents, and all arrays by name.

    Raises:
        RecordingError: no archive, a damaged or foreign one, or one that unpacks to more than a recording holds.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = _members(archive)
            documents = {}
            for name in wanted:
                if name not in members:
                    raise RecordingError(f"it is not a recording, or not a whole one: it holds no {name}")
                documents[name] = _read(archive, members[name], MAX_DOCUMENT_BYTES)
            arrays = {
                name.removeprefix(ARRAY_FOLDER).removesuffix(".npy"): _array(name, _read(archive, member, MAX_UNPACKED_BYTES))
                for name, member in members.items()
                if name.startswith(ARRAY_FOLDER)
            }
            return documents, arrays
    except RecordingError:
        raise
    except DAMAGE as error:
        raise RecordingError(_what_is_wrong(data)) from error


def _what_is_wrong(data: bytes) -> str:
    """Why data are no archive that can be read: archives have a beginning and an end of their own."""
    if not data:
        return "it is empty"
    if not data.startswith(_BEGINNING):
        return "it is not a recording, or its beginning is damaged"
    return "it is damaged" if _END in data else "it is not whole: its end is missing"


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise RecordingError(f"it holds {len(members)} files, and a recording at most {MAX_MEMBERS}")
    size = sum(member.file_size for member in members)
    if size > MAX_UNPACKED_BYTES:
        raise RecordingError(f"it unpacks to {size >> 20} MiB, and a recording to at most {MAX_UNPACKED_BYTES >> 20} MiB")
    return {member.filename: member for member in members}


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes:
    if member.file_size > limit:
        raise RecordingError(f"{member.filename} is larger than the {limit >> 20} MiB that are allowed")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise RecordingError(f"{member.filename} is compressed in a way that recordings are not")
    with archive.open(member) as stream:
        data = stream.read(member.file_size + 1)
    if len(data) != member.file_size:
        raise RecordingError(f"{member.filename} is not whole")
    return data


def _array(name: str, data: bytes) -> np.ndarray:
    start = len(ARRAY_MAGIC) + 2
    if not data.startswith(ARRAY_MAGIC) or len(data) < start:
        raise RecordingError(f"{name} is no array")
    (length,) = struct.unpack("<H", data[start - 2 : start])
    header = ARRAY_HEADER.fullmatch(data[start : start + length].decode("latin-1"))
    if header is None:
        raise RecordingError(f"{name} is no array of numbers")
    dtype = np.dtype(header["dtype"])
    shape = tuple(int(size) for size in re.findall(r"\d+", header["shape"]))
    if math.prod(shape) * dtype.itemsize != len(data) - start - length:
        raise RecordingError(f"{name} does not have the size that its shape says")
    return np.frombuffer(data, dtype, offset=start + length).reshape(shape)
