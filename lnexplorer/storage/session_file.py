"""A session in one file: the parameters, runs with their results, the baseline and the arrangement of the window.

The file is JSON: `format`, `version`, then the values in the form of `protocol.plain.to_plain`. An array is an object with its
element type, its shape and its bytes in base64; a number that JSON cannot write is {"float": "nan"}. It holds data alone, and
nothing of it is executed.
"""

import base64
import binascii
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lnexplorer import __version__
from lnexplorer.domain.compact import compact
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.plain import DecodeError, from_plain, to_plain
from lnexplorer.storage.archive import RecordingError
from lnexplorer.storage.aside import reason, write_whole
from lnexplorer.storage.plain_json import special_number, without_special_numbers
from lnexplorer.storage.reading import TooLargeError, read_at_most
from lnexplorer.storage.validation import check_result

FORMAT = "lnexplorer session"
VERSION = 1
SUFFIX = ".lnsession"
MAX_FILE_BYTES = 256 << 20
MAX_RUNS = 1000
DTYPES = frozenset(("<f4", "<f8", "<i4", "<i8", "|b1", "|u1", "|i1"))


class SessionError(ValueError):
    """A session that cannot be written or read, and why, in one sentence."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SessionRun:
    """A run of the session, with what its user wrote about it."""

    result: RunResult
    note: str = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Session:
    """What one file holds. `baseline` and `shown` are places in `runs`."""

    request: RunRequest
    runs: tuple[SessionRun, ...]
    baseline: int | None = None
    shown: int | None = None  # the run on the screen
    layout: str = ""  # where the panes are, as Qt keeps it, in base64


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _File:
    format: str
    version: int
    written_by: str
    session: Session


def write_session(path: Path, session: Session) -> None:
    """Write `session`, its results compact, whole or not at all.

    Raises:
        SessionError: there are too many runs, or the file cannot be written; one sentence.
    """
    if len(session.runs) > MAX_RUNS:
        raise SessionError(f"A session holds at most {MAX_RUNS} runs, not {len(session.runs)}: filter or select fewer.")
    runs = tuple(replace(run, result=compact(run.result)) for run in session.runs)
    file = _File(format=FORMAT, version=VERSION, written_by=f"lnexplorer {__version__}", session=replace(session, runs=runs))
    plain = without_special_numbers(to_plain(file, _array_to_plain))
    try:
        write_whole(path, json.dumps(plain, ensure_ascii=False, allow_nan=False).encode() + b"\n")
    except OSError as error:
        raise SessionError(f"The session cannot be saved as {path} ({reason(error)}).") from error


def read_session(path: Path) -> Session:
    """The session in `path`. What was measured comes back as "recorded", with the environment that it was measured in.

    Raises:
        SessionError: the file cannot be read, is damaged, foreign or from a newer version, or its values are impossible; one
            sentence that names the file and the cause.
    """
    try:
        data = read_at_most(path, MAX_FILE_BYTES)
    except OSError as error:
        raise SessionError(f"{path} cannot be read ({reason(error)}).") from error
    except TooLargeError as error:
        raise SessionError(f"{path} cannot be opened: a session is at most {MAX_FILE_BYTES >> 20} MiB.") from error
    try:
        return _decode(data)
    except (RecordingError, DecodeError) as error:
        raise SessionError(f"{path} cannot be opened: its content is damaged or not complete ({error}).") from error
    except SessionError as error:
        raise SessionError(f"{path} cannot be opened: {error}.") from error


def _decode(data: bytes) -> Session:
    try:
        plain = json.loads(data, object_hook=_from_object)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        if isinstance(error, SessionError):
            raise
        raise SessionError("it is not a session, or it is damaged") from error
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise SessionError("it is not a session of this program")
    version = plain.get("version")
    if isinstance(version, int) and version > VERSION:
        raise SessionError(f"it has version {version} of the format, and this program reads version {VERSION}")
    if version != VERSION:
        raise SessionError("its version is not known")
    session = from_plain(plain, _File).session
    if len(session.runs) > MAX_RUNS:
        raise SessionError(f"it holds {len(session.runs)} runs, and a session at most {MAX_RUNS}")
    for run in session.runs:
        check_result(run.result)
    for name in ("baseline", "shown"):
        place = getattr(session, name)
        if place is not None and not 0 <= place < len(session.runs):
            raise SessionError(f"its {name} is run {place} of {len(session.runs)}")
    return replace(session, runs=tuple(replace(run, result=_replayed(run.result)) for run in session.runs))


def _replayed(result: RunResult) -> RunResult:
    if result.provenance.kind is not Kind.MEASURED:
        return result
    return replace(result, provenance=replace(result.provenance, kind=Kind.RECORDED))


def _array_to_plain(array: np.ndarray) -> dict[str, Any]:
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    data = base64.b64encode(little.tobytes()).decode("ascii")
    return {"array": {"dtype": little.dtype.str, "shape": list(array.shape), "base64": data}}


def _from_object(found: dict[str, Any]) -> Any:
    if found.keys() == {"array"}:
        return _array(found["array"])
    number = special_number(found)
    return found if number is None else number


def _array(plain: Any) -> np.ndarray:
    if not isinstance(plain, dict) or plain.keys() != {"dtype", "shape", "base64"} or plain["dtype"] not in DTYPES:
        raise SessionError("it holds an array that is none")
    dtype, shape = np.dtype(plain["dtype"]), plain["shape"]
    if not isinstance(shape, list) or len(shape) > 4 or not all(isinstance(size, int) and size >= 0 for size in shape):
        raise SessionError("it holds an array without a shape")
    try:
        data = base64.b64decode(plain["base64"], validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise SessionError("it holds an array that is damaged") from error
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise SessionError("it holds an array that is not as large as its shape says")
    return np.frombuffer(data, dtype).reshape(shape)
