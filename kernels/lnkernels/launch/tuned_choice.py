"""For which rows the settings hold that were measured on this machine, and which those are.

An entry measured at W columns holds for rows of n <= W columns where

- no other of its kind was measured at a width from n to W, and
- rows of n and of W columns have the same entry untuned: one of the built-in table, or one derived from the device's limits.

So it is never carried over a width at which the built-in table changes its settings, nor from rows that fill a block to rows held
in several. Elsewhere the untuned settings stay. A file that is damaged, or is no such file, counts as none, and a warning names
it.
"""

import os
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from lnkernels.launch.limits import DeviceLimits
from lnkernels.launch.tuned import Kept, Tuned, TunedFileError, device_key, read_tuned, tuned_file

_Version = tuple[str, int, int, int] | None


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
    return _read_once.cache_info().currsize > 0 and _read_once()[0] != _version()


def read_again() -> None:
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
def _read_once() -> tuple[_Version, tuple[Tuned, ...]]:
    version = _version()  # first: what is written while we read is noticed later
    try:
        return version, tuple(read_tuned())
    except TunedFileError as error:
        warnings.warn(f"{error}; it is ignored", stacklevel=2)
        return version, ()


def _version() -> _Version:
    """What changes when the file is written; None where there is none."""
    file = str(tuned_file())
    try:
        found = os.stat(file)  # noqa: PTH116 - before every job
    except OSError:
        return None
    return file, found.st_mtime_ns, found.st_size, found.st_ino
