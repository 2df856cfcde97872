"""A session in one file: everything that a window has open, and how it is shown.

The file is JSON: `format`, `version`, then the values in the form of `protocol.plain.to_plain`. An array is an object with its
element type, its shape and its bytes in base64; a number that JSON cannot write is {"float": "nan"}. It holds data alone, and
nothing of it is executed. Sweeps are in the form of `sweep_values`. A file of version 1 holds parameters, runs, baseline and
arrangement, in the places where they are now.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from lnexplorer import __version__
from lnexplorer.domain.compact import compact
from lnexplorer.protocol.plain import to_plain
from lnexplorer.store.own_file import OwnKind
from lnexplorer.store.plain_json import without_special_numbers
from lnexplorer.store.session_arrays import array_to_plain
from lnexplorer.store.session_lines import by_lines
from lnexplorer.store.session_parts import session_of
from lnexplorer.store.session_values import (
    Session,
    SessionCurves,
    SessionError,
    SessionLaunch,
    SessionRun,
    SessionTimeline,
    SessionViews,
)
from lnexplorer.store.sweep_values import sweep_to_plain

__all__ = [
    "FILE",
    "SUFFIX",
    "Session",
    "SessionCurves",
    "SessionError",
    "SessionLaunch",
    "SessionRun",
    "SessionTimeline",
    "SessionViews",
    "read_session",
    "write_session",
]

SUFFIX = ".lnsession"
FILE = OwnKind(name="session", format="lnexplorer session", version=2, suffix=SUFFIX, most_bytes=512 << 20, error=SessionError)
LISTS = ("runs", "launches", "sweeps", "experiments", "beside")
WORTH_WRITING = 64 << 10  # characters
READ_BACK = "left_out"  # the one field that is not written


def write_session(path: Path, session: Session) -> None:
    """Write `session`, its results compact, whole or not at all.

    It is written part by part: a thread that wrote all of it in one call would hold up all others meanwhile.

    Raises:
        SessionError: it is larger than a session can be, or the file cannot be written; one sentence.
    """
    FILE.write(path, _bounded(_text(session)))


def read_session(path: Path) -> Session:
    """The session in `path`. What was measured comes back as "recorded", with the environment that it was measured in.

    A part that is damaged or impossible is named in `left_out`, and takes no other with it.

    Raises:
        SessionError: the file cannot be read, is not whole, foreign or from a newer version, or nothing of it can be shown; one
            sentence that names the file and the cause.
    """
    return FILE.read(path, _decode)


def _decode(data: bytes) -> Session:
    plain = by_lines(data, _load)
    plain = _load(data) if plain is None else plain
    if isinstance(plain, dict) and plain.get("version") == 1:
        plain = plain | {"version": FILE.version}
    FILE.check_head(plain)
    if not isinstance(plain.get("session"), dict):
        raise SessionError("it holds no session")
    session = session_of(plain["session"])
    if session.left_out and not (session.runs or session.sweeps or session.experiments or session.timeline):
        raise SessionError(f"nothing of it can be shown: {session.left_out[0]}")
    return session


def _load(data: bytes) -> Any:
    """JSON with its arrays as they stand: each is looked at with its part."""
    return FILE.load(data, lambda array: {"array": array})


def _text(session: Session) -> Iterator[str]:
    head = {"format": FILE.format, "version": FILE.version, "written_by": f"lnexplorer {__version__}"}
    yield f'{json.dumps(head)[:-1]}, "session": {{'
    separator = ""
    for field in fields(session):
        if field.name == READ_BACK:
            continue
        yield f'{separator}\n"{field.name}": '
        separator = ","
        if field.name in LISTS:
            yield from _listed(_items(session, field.name))
        else:
            yield from _pieces(_plain(getattr(session, field.name)), 2)
    yield "\n}}\n"


def _items(session: Session, name: str) -> Iterator[Any]:
    match name:
        case "runs":
            return (_plain(replace(run, result=compact(run.result))) for run in session.runs)
        case "sweeps":
            return (sweep_to_plain(each, array_to_plain) for each in session.sweeps)
        case _:
            return (_plain(each) for each in getattr(session, name))


def _plain(value: Any) -> Any:
    return without_special_numbers(to_plain(value, array_to_plain))


def _listed(items: Iterable[Any]) -> Iterator[str]:
    yield "["
    for place, item in enumerate(items):
        yield ",\n" if place else "\n"
        yield from _pieces(item, 3)
    yield "]"


def _pieces(plain: Any, depth: int) -> Iterator[str]:
    """JSON in pieces, none of which holds more than what lies `depth` levels down."""
    if depth == 0 or not plain or not isinstance(plain, dict | list):
        yield json.dumps(plain, allow_nan=False)
    elif isinstance(plain, dict):
        for place, (key, value) in enumerate(plain.items()):
            yield f"{', ' if place else '{'}{json.dumps(key)}: "
            yield from _pieces(value, depth - 1)
        yield "}"
    else:
        for place, value in enumerate(plain):
            yield ", " if place else "["
            yield from _pieces(value, depth - 1)
        yield "]"


def _bounded(parts: Iterable[str]) -> Iterator[bytes]:
    """The file in pieces that are worth a call of the system: with one for each number, other threads wait 0.1 s at times."""
    size = 0
    for data in _gathered(parts):
        size += len(data)
        if size > FILE.most_bytes:
            raise SessionError(f"The session would be larger than {FILE.most_bytes >> 20} MiB: choose fewer runs or sweeps.")
        yield data


def _gathered(parts: Iterable[str]) -> Iterator[bytes]:
    waiting: list[str] = []
    length = 0
    for part in parts:
        waiting.append(part)
        length += len(part)
        if length >= WORTH_WRITING:
            yield "".join(waiting).encode()
            waiting, length = [], 0
    yield "".join(waiting).encode()
