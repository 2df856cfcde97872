"""Launch settings that were measured on this very machine: where they are kept, and those of a device.

They are written by `lnkernels.tune` into one JSON file in the user's cache folder. An entry holds for the device, and for the
versions of torch and triton, that it was measured with. A file that is damaged, or is not such a file, counts as none, and a
warning names it.
"""

import contextlib
import errno
import json
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from lnkernels.launch.limits import DeviceLimits
from lnkernels.launch.settings_table import ForwardEntry, RowsEntry, SplitEntry
from lnkernels.launch.shapes import is_power_of_two, next_power_of_two

Entry = RowsEntry | SplitEntry | ForwardEntry

HOME_VARIABLE = "LNEXPLORER_HOME"  # holds everything of the user's, where it is set
NAME = "tuned.json"
FORMAT = "lnkernels tuned settings 1"
KINDS: dict[str, type[RowsEntry] | type[SplitEntry] | type[ForwardEntry]] = {
    "rows": RowsEntry,
    "split": SplitEntry,
    "forward": ForwardEntry,
}
_LARGEST = 1 << 20  # of any number in an entry
_POWERS_OF_TWO = ("rows", "block_n", "num_warps")


class TunedFileError(Exception):
    """The file of tuned settings cannot be used; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was measured on one device."""

    device: dict[str, Any]  # as `device_key`
    date: str
    entries: tuple[Entry, ...]


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
        document = json.loads(file.read_bytes())
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r}, not {FORMAT!r}")
        return [_tuned(one) for one in document["devices"]]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise TunedFileError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise TunedFileError(f"{file} does not hold tuned launch settings: {error or type(error).__name__}") from error


def write_tuned(limits: DeviceLimits, date: str, found: Iterable[Entry]) -> Path:
    """Keep `found` for a device, in place of older entries of the same widths; the file.

    Raises:
        OSError: it cannot be written.
        TunedFileError: there is a file, and it holds something else.
    """
    key = device_key(limits)
    new = tuple(found)
    tuned_file().parent.mkdir(parents=True, exist_ok=True)
    with _only_writer():
        return _merge(key, date, new)


def _merge(key: dict[str, Any], date: str, new: tuple[Entry, ...]) -> Path:
    others, kept = [], []
    for one in read_tuned():
        if one.device == key:
            kept += [entry for entry in one.entries if not any(_same_place(entry, other) for other in new)]
        else:
            others.append(one)
    every = [*others, Tuned(key, date, (*kept, *new))]
    file = tuned_file()
    import tempfile  # noqa: PLC0415 - see _version

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
    import fcntl  # noqa: PLC0415 - see _version

    # The file itself is replaced, and a lock of the replaced one would keep nobody out.
    with tuned_file().with_suffix(".lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):  # a file system without locks
                raise
        yield


@lru_cache(maxsize=64)
def tuned_entries(limits: DeviceLimits) -> tuple[Entry, ...]:
    """Entries for a device, narrow rows first. The file is read once in a process."""
    found = [one for one in _read_once() if one.device["name"] == limits.name]
    key = device_key(limits) if found else {}
    entries = (entry for one in found if one.device == key for entry in one.entries)
    return tuple(sorted(entries, key=lambda entry: entry.up_to_n))


def tuned_entry(kind: type[Any], n: int, element_bytes: int, limits: DeviceLimits, *, many_rows: bool = False) -> Any | None:
    """The entry for rows of n columns; None where nothing near was measured.

    A measurement at one width holds for narrower rows as long as they fill the same block; one with few rows holds for many
    where there is none with many.
    """
    block = next_power_of_two(n)
    near = (entry for entry in tuned_entries(limits) if n <= entry.up_to_n and next_power_of_two(entry.up_to_n) == block)
    return first_for([one for one in near if isinstance(one, kind) and one.element_bytes == element_bytes], many_rows=many_rows)


def first_for(entries: list[Any], *, many_rows: bool) -> Any | None:
    """The first entry for many rows, or for few; where there is none for many, the first for few."""
    matching = (entry for entry in entries if getattr(entry, "many_rows", False) == many_rows)
    found = next(matching, None)
    return first_for(entries, many_rows=False) if found is None and many_rows else found


def read_again() -> None:
    """Have the file read anew, after it was changed."""
    _read_once.cache_clear()
    tuned_entries.cache_clear()


@lru_cache(maxsize=1)
def _read_once() -> tuple[Tuned, ...]:
    try:
        return tuple(read_tuned())
    except TunedFileError as error:
        warnings.warn(f"{error}; it is ignored", stacklevel=2)
        return ()


def _tuned(document: dict[str, Any]) -> Tuned:
    device, date = document["device"], document["date"]
    wanted = {"name": str, "compute_capability": list, "sm_count": int, "torch": str, "triton": str}
    if {name: type(value) for name, value in device.items()} != wanted or not isinstance(date, str):
        raise ValueError(f"a device has a date, and {', '.join(wanted)}")
    entries = [_entry(made, values) for kind, made in KINDS.items() for values in document.get(kind, ())]
    return Tuned(device, date, tuple(entries))


def _entry(made: type[RowsEntry] | type[SplitEntry] | type[ForwardEntry], values: dict[str, Any]) -> Entry:
    entry = made(**values)
    for field in fields(made):
        value = getattr(entry, field.name)
        wanted = bool if field.name in ("sums_per_row", "held", "many_rows") else int
        if type(value) is not wanted or not 0 <= value <= _LARGEST:
            raise ValueError(f"{field.name} = {value!r} is not possible")
        whole_row = field.name == "block_n" and value == 0 and made is not SplitEntry
        if field.name in _POWERS_OF_TWO and not is_power_of_two(value) and not whole_row:
            raise ValueError(f"{field.name} = {value!r} is no power of two")
    return entry


def _document(one: Tuned) -> dict[str, Any]:
    listed = {kind: [asdict(entry) for entry in one.entries if isinstance(entry, made)] for kind, made in KINDS.items()}
    return {"device": one.device, "date": one.date, **listed}


def _same_place(one: Entry, other: Entry) -> bool:
    return type(one) is type(other) and _place(one) == _place(other)


def _place(entry: Entry) -> tuple[int, int, bool]:
    return entry.element_bytes, entry.up_to_n, getattr(entry, "many_rows", False)


def _version(package: str) -> str:
    # Importing them would take seconds, and the window may not. What asks for their versions takes 35 ms, which every start of
    # the window and every --help would spend; tempfile takes 6.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
