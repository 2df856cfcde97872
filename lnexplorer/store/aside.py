"""Files are replaced whole or not at all, and one that cannot be read is kept under another name."""

import errno
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

# What writing fails with where the place is right; anything else is the fault of who named it.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def write_whole(path: Path, data: bytes) -> None:
    """Replace `path` by `data`; a reader, and a program that dies on the way, see the old file or the new one.

    Raises:
        OSError: the folder cannot be made, the disk is full, or writing is not allowed. The old file is as it was.
    """
    write_parts(path, (data,))


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Replace `path` by `parts`, one after the other. They are made while they are written, so that they need not fit in memory.

    Raises:
        OSError: as for `write_whole`.
        Exception: what making a part raises. The old file is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        # A device such as /dev/full or a pipe is written, never replaced.
        with path.open("wb") as stream:
            stream.writelines(parts)
        return
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    part = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    # A new file gets the permissions that the process gives to all its files: the system takes its umask away from these.
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            if mode is not None:
                os.fchmod(stream.fileno(), mode)
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def keep_aside(path: Path) -> Path:
    """Rename `path` so that a new file can take its place, and return the new name, which carries the date.

    Raises:
        OSError: the folder does not let files be renamed.
    """
    return path.rename(name_aside(path))


def name_aside(path: Path) -> Path:
    """A name beside `path` that no file has, and that carries the date."""
    date = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    target = path.with_name(f"{path.name}.{date}")
    count = 1
    while target.exists():
        count += 1
        target = path.with_name(f"{path.name}.{date}-{count}")
    return target


def reason(error: OSError) -> str:
    """Why the system refused, in its own words: "No space left on device"."""
    return error.strerror or str(error)
