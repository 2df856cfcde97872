"""Files are replaced whole or not at all, and one that cannot be read is kept under another name."""

import os
import tempfile
from datetime import datetime
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Replace `path` by `data`; a reader, and a program that dies on the way, see the old file or the new one.

    Raises:
        OSError: the folder cannot be made, the disk is full, or writing is not allowed. The old file is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        # A device such as /dev/full or a pipe is written, never replaced.
        path.write_bytes(data)
        return
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.chmod(_mode_of(path))
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def keep_aside(path: Path) -> Path:
    """Rename `path` so that a new file can take its place, and return the new name, which carries the date.

    Raises:
        OSError: the folder does not let files be renamed.
    """
    date = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    target = path.with_name(f"{path.name}.{date}")
    count = 1
    while target.exists():
        count += 1
        target = path.with_name(f"{path.name}.{date}-{count}")
    return path.rename(target)


def reason(error: OSError) -> str:
    """Why the system refused, in its own words: "No space left on device"."""
    return error.strerror or str(error)


def _mode_of(path: Path) -> int:
    """Permission bits that a file of this name has, or would get. mkstemp's own are for the owner alone."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
