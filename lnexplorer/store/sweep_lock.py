"""Which process is at which sweep: a locked file for each, which the system lets go of however the process ends."""

import contextlib
import fcntl
import os
from pathlib import Path

FOLDER = "running-sweeps"  # beside the database


class SweepLock:
    """A sweep that belongs to this process until `release`."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path, self._handle = path, handle

    def release(self) -> None:
        """Let others go on with the sweep."""
        # Before the lock goes: afterwards the file may be another process's.
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._handle)


def lock(folder: Path, sweep: int) -> SweepLock | None:
    """Take a sweep; None where somebody is at it, in this process or in another.

    Args:
        folder: of the database.
        sweep: its number.

    Raises:
        OSError: the folder cannot be written, or its file system has no locks.
    """
    path = _path(folder, sweep)
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            same = os.path.samestat(os.fstat(handle), path.stat())
        except BlockingIOError:
            os.close(handle)
            return None
        except FileNotFoundError:
            same = False
        except OSError:
            os.close(handle)
            raise
        if same:
            return SweepLock(path, handle)
        os.close(handle)  # whoever had it took the file away in between


def is_locked(folder: Path, sweep: int) -> bool:
    """Whether somebody is at a sweep, in this process or in another; False where that cannot be known."""
    try:
        handle = os.open(_path(folder, sweep), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def any_locked(folder: Path) -> bool:
    """Whether somebody is at any sweep of a folder, as far as that can be known."""
    return any(is_locked(folder, int(path.stem)) for path in (folder / FOLDER).glob("*.lock") if path.stem.isdecimal())


def _path(folder: Path, sweep: int) -> Path:
    return folder / FOLDER / f"{sweep}.lock"
