"""Launch settings that were measured on this very machine, and the file in which they are kept.

They are written by `lnexplorer tune` into one JSON file in the user's cache folder. An
entry holds for the device, and for the versions of torch and triton, that it was measured with. An
entry measured at W columns holds for rows of n <= W columns where

- no other of its kind was measured at a width from n to W, and
- rows of n and of W columns have the same entry untuned: one of the built-in table, or one derived
  from the device's limits.

So it is never carried over a width at which the built-in table changes its settings, nor from rows
that fill a block to rows held in several. Elsewhere the untuned settings stay. A file that is
damaged, or is no such file, counts as none, and a warning names it.
"""

import contextlib
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from lnkernels.launch.limits import DeviceLimits
from lnkernels.launch.measured import ForwardEntry, RowsEntry, SplitEntry
from lnkernels.launch.settings import SETTING
from lnkernels.launch.strategy import Asked
from lnkernels.values.frozen import frozen, frozen_by_name

if sys.platform == "linux":  # kernels run there alone
    import fcntl


@frozen_by_name
class StrategyEntry:
    """The faster strategy of the backward pass, where both were measured at their best."""

    element_bytes: int
    up_to_n: int
    strategy: str  # persistent or split


Entry: TypeAlias = RowsEntry | SplitEntry | ForwardEntry
Kept: TypeAlias = Entry | StrategyEntry
Made = TypeVar("Made")

HOME_VARIABLE = "LNEXPLORER_HOME"  # holds everything of the user's, where it is set
NAME = "tuned.json"
FORMAT = "lnkernels tuned settings 3"
KINDS: dict[str, type[RowsEntry] | type[SplitEntry] | type[ForwardEntry]] = {
    "rows": RowsEntry,
    "split": SplitEntry,
    "forward": ForwardEntry,
}
LISTS: dict[str, type[Kept]] = {**KINDS, "strategies": StrategyEntry}  # of a device in the file
COMPARED = ("persistent", "split")
# The settings that numbers of an entry become. Where an entry may have 0, it means something else.
_BECOMES = {
    "rows": "rows",
    "block_n": "block_size_n",
    "num_warps": "num_warps",
    "num_stages": "num_stages",
    "programs_per_sm": "forward_grid_per_sm",
}


class TunedFileError(Exception):
    """The file of tuned settings cannot be used; the message names it and says why."""


@frozen_by_name
class TunedDevice:
    """Properties that have to be the same for a measurement to hold."""

    name: str
    compute_capability: str  # such as 9.0
    sm_count: int
    torch: str  # version, as the next
    triton: str


@frozen
class Tuned:
    device: TunedDevice
    date: str
    entries: tuple[Kept, ...]


def tuned_file() -> Path:
    """Return the path of the tuned settings: in LNEXPLORER_HOME, else in the user's cache folder as
    XDG has it.
    """
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) / NAME
    cache = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(cache) if cache else Path.home() / ".cache") / "lnexplorer" / NAME


def tuned_device(limits: DeviceLimits) -> TunedDevice:
    major, minor = limits.compute_capability
    return TunedDevice(
        name=limits.name,
        compute_capability=f"{major}.{minor}",
        sm_count=limits.sm_count,
        torch=_version("torch"),
        triton=_version("triton"),
    )


def read_tuned() -> list[Tuned]:
    """Return everything that the file holds; nothing where there is no file.

    Raises:
        TunedFileError: the file cannot be read, or holds something else.
    """
    file = tuned_file()
    try:
        document = json.loads(file.read_bytes())
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r}, not {FORMAT!r}")
        return [_tuned(one) for one in document["devices"]]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise TunedFileError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise TunedFileError(f"{file} does not hold tuned launch settings: {error}") from error


def write_tuned(limits: DeviceLimits, date: str, found: Iterable[Kept]) -> Path:
    """Keep entries for a device, in place of older ones of the same widths; return the file.

    Which strategy was the faster one is forgotten where either gets other settings.

    Raises:
        OSError: it cannot be written.
        TunedFileError: there is a file, and it holds something else.
    """
    device, new, file = tuned_device(limits), tuple(found), tuned_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    with _only_writer():
        before = read_tuned()
        kept = [entry for one in before if one.device == device for entry in one.entries]
        kept = [entry for entry in kept if not any(_replaces(other, entry) for other in new)]
        every = [
            *(one for one in before if one.device != device),
            Tuned(device, date, (*kept, *new)),
        ]
        written = file.with_suffix(".new")
        written.write_text(
            json.dumps({"format": FORMAT, "devices": [_document(one) for one in every]}, indent=1),
            encoding="utf-8",
        )
        written.replace(file)  # a reader sees the old file or the new one
    return file


def forget_tuned() -> bool:
    if not tuned_file().exists():
        return False
    with _only_writer():
        tuned_file().unlink(missing_ok=True)
    return True


@contextlib.contextmanager
def _only_writer() -> Iterator[None]:
    """Keep other processes from changing the file, as what they write now would be lost."""
    # The file itself is replaced, and a lock of the replaced one would keep nobody out.
    with tuned_file().with_suffix(".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _tuned(document: dict[str, Any]) -> Tuned:
    entries = tuple(
        _checked(made, values) for kind, made in LISTS.items() for values in document.get(kind, ())
    )
    return Tuned(_checked(TunedDevice, document["device"]), str(document["date"]), entries)


def _checked(made: type[Made], values: dict[str, Any]) -> Made:
    """Return a value of a type if every field is what the type and the table of settings allow."""
    found = made(**values)
    for field in fields(made):  # type: ignore[arg-type]
        value = getattr(found, field.name)
        setting = SETTING.get(_BECOMES.get(field.name, ""))
        if type(value) is not field.type or (isinstance(value, str) and not value.isprintable()):
            expected = getattr(field.type, "__name__", field.type)
            raise ValueError(
                f"{field.name} = {value!r} is not possible: take a value of type {expected}"
            )
        if setting is not None and value != 0 and not setting.takes(value):
            raise ValueError(
                f"{field.name} = {value!r} is not possible: {setting.allowed(automatic=False)}"
            )
        if field.name == "strategy" and value not in COMPARED:
            raise ValueError(
                f"strategy = {value!r} is not possible: take one of {', '.join(COMPARED)}"
            )
    return found


def _document(one: Tuned) -> dict[str, Any]:
    listed = {
        kind: [asdict(entry) for entry in one.entries if isinstance(entry, made)]
        for kind, made in LISTS.items()
    }
    return {"device": asdict(one.device), "date": one.date, **listed}


def _replaces(new: Kept, old: Kept) -> bool:
    # What compared two strategies holds no more where either has other settings.
    compared = isinstance(old, StrategyEntry) and isinstance(new, RowsEntry | SplitEntry)
    return (compared or type(new) is type(old)) and _place(new) == _place(old)


def _place(entry: Kept) -> tuple[int, int, bool]:
    return entry.element_bytes, entry.up_to_n, getattr(entry, "many_rows", False)


def _version(package: str) -> str:
    # Importing them would take seconds, and the window may not. What asks for their versions takes
    # 35 ms, which every start of the window and every --help would spend.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def tuned_entry(
    kind: type[Any],
    asked: Asked,
    untuned: Callable[[Asked], object],
    *,
    many_rows: bool = False,
) -> Any | None:
    """Return the entry for rows of n columns, or None. `untuned` gives what is used untuned."""
    for entry in _tuned_entries(asked.limits):
        alike = isinstance(entry, kind) and entry.element_bytes == asked.size
        if alike and getattr(entry, "many_rows", False) == many_rows and asked.n <= entry.up_to_n:
            widest = replace(asked, n=entry.up_to_n)
            return entry if untuned(asked) == untuned(widest) else None
    return None


def forget_what_was_read(*, if_changed: bool = False) -> bool:
    """Read the file again at the next use; with `if_changed` only where it has changed. Return True
    if it will be read.
    """
    if if_changed and (_read_once.cache_info().currsize == 0 or _read_once()[0] == _file_version()):
        return False
    _read_once.cache_clear()
    _tuned_entries.cache_clear()
    return True


@lru_cache(maxsize=64)
def _tuned_entries(limits: DeviceLimits) -> tuple[Kept, ...]:
    """Return the entries for a device, narrow rows first. The file is read once in a process."""
    found = [one for one in _read_once()[1] if one.device.name == limits.name]
    device = tuned_device(limits) if found else None
    entries = (entry for one in found if one.device == device for entry in one.entries)
    return tuple(sorted(entries, key=lambda entry: entry.up_to_n))


@lru_cache(maxsize=1)
def _read_once() -> tuple[object, tuple[Tuned, ...]]:
    version = _file_version()  # first: what is written while we read is noticed later
    try:
        return version, tuple(read_tuned())
    except TunedFileError as error:
        warnings.warn(f"{error}; it is ignored", stacklevel=2)
        return version, ()


def _file_version() -> object:
    """Return a value that changes when the file is written; None where there is none."""
    try:
        found = tuned_file().stat()
    except OSError:
        return None
    return tuned_file(), found.st_mtime_ns, found.st_size, found.st_ino
