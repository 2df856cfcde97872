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
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.plain import DecodeError, from_plain, to_plain
from lnexplorer.storage.archive import RecordingError
from lnexplorer.storage.own_file import OwnKind
from lnexplorer.storage.plain_json import without_special_numbers
from lnexplorer.storage.recorded_file import replayed
from lnexplorer.storage.validation import check_result

SUFFIX = ".lnsession"
MAX_RUNS = 1000
DTYPES = frozenset(("<f4", "<f8", "<i4", "<i8", "|b1", "|u1", "|i1"))


class SessionError(ValueError):
    """A session that cannot be written or read, and why, in one sentence."""


FILE = OwnKind(name="session", format="lnexplorer session", version=1, suffix=SUFFIX, most_bytes=256 << 20, error=SessionError)


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
    file = _File(
        format=FILE.format, version=FILE.version, written_by=f"lnexplorer {__version__}", session=replace(session, runs=runs)
    )
    plain = without_special_numbers(to_plain(file, _array_to_plain))
    FILE.write(path, json.dumps(plain, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def read_session(path: Path) -> Session:
    """The session in `path`. What was measured comes back as "recorded", with the environment that it was measured in.

    Raises:
        SessionError: the file cannot be read, is damaged, foreign or from a newer version, or its values are impossible; one
            sentence that names the file and the cause.
    """
    return FILE.read(path, _decode)


def _decode(data: bytes) -> Session:
    try:
        plain = FILE.load(data, _array)
        FILE.check_head(plain)
        return _checked(plain)
    except (RecordingError, DecodeError) as error:
        raise SessionError(f"its content is damaged or not complete ({error})") from error


def _checked(plain: Any) -> Session:
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
    return replace(result, provenance=replace(result.provenance, kind=replayed(result.provenance.kind)))


def _array_to_plain(array: np.ndarray) -> dict[str, Any]:
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    data = base64.b64encode(little.tobytes()).decode("ascii")
    return {"array": {"dtype": little.dtype.str, "shape": list(array.shape), "base64": data}}


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
