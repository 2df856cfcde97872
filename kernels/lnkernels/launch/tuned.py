"""Launch settings that were measured on this very machine: the file in which they are kept.

They are written by `lnkernels.tune` into one JSON file in the user's cache folder. An entry holds for the device, and
for the versions of torch and triton, that it was measured with. An entry measured at W columns holds for rows of n <= W
columns where

- no other of its kind was measured at a width from n to W, and
- rows of n and of W columns have the same entry untuned: one of the built-in table, or one derived from the device's
limits.

So it is never carried over a width at which the built-in table changes its settings, nor from rows that fill a block to
rows held in several. Elsewhere the untuned settings stay. A file that is damaged, or is no such file, counts as none,
and a warning names it.
"""

import contextlib
import errno
import json
import os
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from lnkernels.launch.limits import DeviceLimits
from lnkernels.launch.measured import ForwardEntry, RowsEntry, SplitEntry
from lnkernels.launch.settings import SETTING
from lnkernels.launch.shapes import is_power_of_two


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyEntry:
    """Which strategy of the backward pass was the faster one where both were measured, each with its best settings."""

    element_bytes: int
    up_to_n: int
    strategy: str  # persistent or split


_FileVersion: TypeAlias = tuple[str, int, int, int] | None
Entry: TypeAlias = RowsEntry | SplitEntry | ForwardEntry
Kept: TypeAlias = Entry | StrategyEntry

HOME_VARIABLE = "LNEXPLORER_HOME"  # holds everything of the user's, where it is set
NAME = "tuned.json"
FORMAT = "lnkernels tuned settings 2"
KINDS: dict[str, type[RowsEntry] | type[SplitEntry] | type[ForwardEntry]] = {
    "rows": RowsEntry,
    "split": SplitEntry,
    "forward": ForwardEntry,
}
LISTS: dict[str, type[Kept]] = {**KINDS, "strategies": StrategyEntry}  # of a device in the file
_MOST_BYTES = 16 << 20  # of the file
# Of the numbers in an entry, from the settings that they become. Where 0 means something else, it is in _OR_NONE.
_BECOMES = {
    "rows": "rows",
    "block_n": "block_size_n",
    "num_warps": "num_warps",
    "num_stages": "num_stages",
    "programs_per_sm": "forward_grid_per_sm",
}
_RANGES = {"element_bytes": (1, 8), "up_to_n": (1, 1 << 20)} | {
    name: (1, SETTING[setting].maximum or 0) for name, setting in _BECOMES.items()
}
_OR_NONE = frozenset({(RowsEntry, "block_n"), (ForwardEntry, "block_n"), (ForwardEntry, "programs_per_sm")})
_POWERS_OF_TWO = frozenset(name for name, setting in _BECOMES.items() if SETTING[setting].power_of_two)
_DEVICE = {"name": str, "compute_capability": list, "sm_count": int, "torch": str, "triton": str}
_LONGEST = 200  # characters of a name or a version
_COMPARED = ("persistent", "split")


class TunedFileError(Exception):
    """The file of tuned settings cannot be used; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was measured on one device."""

    device: dict[str, Any]  # as `device_key`
    date: str
    entries: tuple[Kept, ...]


def tuned_file() -> Path:
    """Where tuned settings are kept: in LNEXPLORER_HOME, else in the user's cache folder as the XDG rules have it."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) / NAME
    cache = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(cache) if cache else Path.home() / ".cache") / "lnexplorer" / NAME


def device_key(limits: DeviceLimits) -> dict[str, Any]:
    """What has to be the same for a measurement to hold."""
    return {
        "name": limits.name,
        "compute_capability": list(limits.compute_capability),
        "sm_count": limits.sm_count,
        "torch": _version("torch"),
        "triton": _version("triton"),
    }


def read_tuned() -> list[Tuned]:
    """Everything that the file holds; nothing where there is no file.

    Raises:
        TunedFileError: the file cannot be read, or holds something else.
    """
    file = tuned_file()
    try:
        document = json.loads(_content(file))
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            found = document.get("format") if isinstance(document, dict) else None
            raise ValueError(f"its format is {_shown(found)}, not {FORMAT!r}")
        return [_tuned(one) for one in _objects(document, "devices")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise TunedFileError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise TunedFileError(f"{file} does not hold tuned launch settings: {error}") from error


def write_tuned(limits: DeviceLimits, date: str, found: Iterable[Kept]) -> Path:
    """Keep `found` for a device, in place of older entries of the same widths; the file.

    Which strategy was the faster one is forgotten where either gets other settings.

    Raises:
        OSError: it cannot be written.
        TunedFileError: there is a file, and it holds something else.
    """
    key = device_key(limits)
    new = tuple(found)
    tuned_file().parent.mkdir(parents=True, exist_ok=True)
    with _only_writer():
        return _merge(key, date, new)


def _merge(key: dict[str, Any], date: str, new: tuple[Kept, ...]) -> Path:
    others, kept = [], []
    for one in read_tuned():
        if one.device == key:
            kept += [entry for entry in one.entries if not any(_replaces(other, entry) for other in new)]
        else:
            others.append(one)
    every = [*others, Tuned(key, date, (*kept, *new))]
    file = tuned_file()
    import tempfile

    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=NAME)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump({"format": FORMAT, "devices": [_document(one) for one in every]}, stream, indent=1)
        os.replace(temporary, file)  # noqa: PTH105 - a reader sees the old file or the new one
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise
    return file


def forget_tuned() -> bool:
    """Remove the file; whether there was one."""
    if not tuned_file().exists():
        return False
    with _only_writer():
        try:
            tuned_file().unlink()
        except FileNotFoundError:
            return False
    return True


@contextlib.contextmanager
def _only_writer() -> Iterator[None]:
    """Let no other process change the file meanwhile: what it had written since we read it would be lost."""
    import fcntl

    # The file itself is replaced, and a lock of the replaced one would keep nobody out.
    with tuned_file().with_suffix(".lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):  # a file system without locks
                raise
        yield


def _content(file: Path) -> bytes:
    """A bounded file; a pipe or a device is not waited for."""
    handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "It is no file", str(file))
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"it is larger than {_MOST_BYTES >> 20} MiB")
    return content


def _objects(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of objects in an object; none where there is none of that name."""
    found = document.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"{name} is {_shown(found)}; it is a list of objects")
    return found


def _tuned(document: dict[str, Any]) -> Tuned:
    device, date = document.get("device"), document.get("date")
    if not isinstance(device, dict) or device.keys() != _DEVICE.keys():
        raise ValueError(f"device is {_shown(device)}; it is an object with {', '.join(_DEVICE)}")
    for name, value in (*device.items(), ("date", date)):
        wanted = _DEVICE.get(name, str)
        plain = not isinstance(value, str) or (value.isprintable() and len(value) <= _LONGEST)
        whole = not isinstance(value, list) or (len(value) == 2 and all(type(part) is int for part in value))
        if type(value) is not wanted or not plain or not whole:
            what = {str: f"one line of at most {_LONGEST} characters", int: "a whole number", list: "two whole numbers"}[wanted]
            raise ValueError(f"{name} of a device is {_shown(value)}; it is {what}")
    entries = [_entry(made, kind, values) for kind, made in LISTS.items() for values in _objects(document, kind)]
    assert isinstance(date, str), "looked at above"
    return Tuned(device, date, tuple(entries))


def _entry(made: type[Kept], kind: str, values: dict[str, Any]) -> Kept:
    try:
        entry = made(**values)
    except TypeError as error:
        names = ", ".join(field.name for field in fields(made))
        raise ValueError(f"an entry of {kind} has {_shown(sorted(values))}; it has {names}") from error
    for field in fields(made):
        name, value = field.name, getattr(entry, field.name)
        if name == "strategy":
            fits, allowed = value in _COMPARED, " or ".join(_COMPARED)
        elif name in ("sums_per_row", "held", "many_rows"):
            fits, allowed = type(value) is bool, "true or false"
        else:
            least, most = _RANGES[name]
            none = value == 0 and (made, name) in _OR_NONE
            power = name in _POWERS_OF_TWO
            fits = type(value) is int and (none or (least <= value <= most and (is_power_of_two(value) or not power)))
            allowed = f"{'a power of two' if power else 'a whole number'} from {least} to {most}"
        if not fits:
            raise ValueError(f"in {kind}, {name} = {_shown(value)} is not possible: take {allowed}")
    return entry


def _shown(value: object) -> str:
    """The beginning of a value, without what commands a terminal."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _document(one: Tuned) -> dict[str, Any]:
    listed = {kind: [asdict(entry) for entry in one.entries if isinstance(entry, made)] for kind, made in LISTS.items()}
    return {"device": one.device, "date": one.date, **listed}


def _replaces(new: Kept, old: Kept) -> bool:
    if isinstance(old, StrategyEntry) and isinstance(new, RowsEntry | SplitEntry):
        return _place(new) == _place(old)  # it compared settings that are no more
    return type(new) is type(old) and _place(new) == _place(old)


def _place(entry: Kept) -> tuple[int, int, bool]:
    return entry.element_bytes, entry.up_to_n, getattr(entry, "many_rows", False)


def _version(package: str) -> str:
    # Importing them would take seconds, and the window may not. What asks for their versions takes 35 ms, which every
    # start of the window and every --help would spend; tempfile takes 6.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def tuned_entry(
    kind: type[Any],
    n: int,
    element_bytes: int,
    limits: DeviceLimits,
    untuned: Callable[[int], object],
    *,
    many_rows: bool = False,
) -> Any | None:
    """The entry for rows of n columns; None where none that was measured holds for them.

    Args:
        kind: the entry's type.
        n: columns of a row.
        element_bytes: of x.
        limits: the device's.
        untuned: from columns to the entry that they have untuned.
        many_rows: whether it is to be one that was measured with many rows.
    """
    for entry in _tuned_entries(limits):
        alike = isinstance(entry, kind) and entry.element_bytes == element_bytes
        if alike and getattr(entry, "many_rows", False) == many_rows and n <= entry.up_to_n:
            return entry if untuned(n) == untuned(entry.up_to_n) else None
    return None


def tuned_file_changed() -> bool:
    """Whether the file is another one than when it was read in this process."""
    return _read_once.cache_info().currsize > 0 and _read_once()[0] != _file_version()


def forget_what_was_read() -> None:
    """Have the file read anew, after it was changed."""
    _read_once.cache_clear()
    _tuned_entries.cache_clear()


@lru_cache(maxsize=64)
def _tuned_entries(limits: DeviceLimits) -> tuple[Kept, ...]:
    """Entries for a device, narrow rows first. The file is read once in a process."""
    found = [one for one in _read_once()[1] if one.device["name"] == limits.name]
    key = device_key(limits) if found else {}
    entries = (entry for one in found if one.device == key for entry in one.entries)
    return tuple(sorted(entries, key=lambda entry: entry.up_to_n))


@lru_cache(maxsize=1)
def _read_once() -> tuple[_FileVersion, tuple[Tuned, ...]]:
    version = _file_version()  # first: what is written while we read is noticed later
    try:
        return version, tuple(read_tuned())
    except TunedFileError as error:
        warnings.warn(f"{error}; it is ignored", stacklevel=2)
        return version, ()


def _file_version() -> _FileVersion:
    """What changes when the file is written; None where there is none."""
    file = str(tuned_file())
    try:
        found = os.stat(file)  # noqa: PTH116 - before every job
    except OSError:
        return None
    return file, found.st_mtime_ns, found.st_size, found.st_ino
