"""Files are read with a bound and replaced whole or not at all; one that cannot be used is kept
under another name.

Everything in this package fails in one way: with a StoreError, whose sentence names the file and
the cause.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

from lnkernels.launch.source import open_now
from lnkernels.values import ExplainedError, Sentence, one_line, say, verbatim

# Errors of a disk; any other error of writing is the fault of the path that was given.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
SYSTEM_WORDS = {
    errno.ENOSPC: say("No space left on device"),
    errno.EDQUOT: say("Disk quota exceeded"),
    errno.EFBIG: say("File too large"),
    errno.EIO: say("Input/output error"),
    errno.EACCES: say("Permission denied"),
    errno.EROFS: say("Read-only file system"),
    errno.ENOENT: say("No such file or directory"),
    errno.EISDIR: say("Is a directory"),
    errno.ENOTDIR: say("Not a directory"),
    errno.ENAMETOOLONG: say("File name too long"),
}
LONGEST = 300  # characters of a reason: it may name what a foreign file holds


class StoreError(ExplainedError, ValueError):
    """A file, or something in it, that cannot be read, written or understood, and why."""


class NoRoomError(StoreError):
    """A file that nothing is wrong with, on a disk that has no room, or fails."""


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading; a pipe or a device, which may have no end, is refused.

    Raises:
        StoreError: it cannot be read, then or later, or is a folder, a device or a pipe.
    """
    try:
        with open_now(path) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise OSError(errno.EINVAL, "It is a device or a pipe, not a file", str(path))
            yield stream
    except OSError as error:
        raise StoreError("{path} cannot be read ({why}).", path=path, why=reason(error)) from error


def read_at_most(path: Path, limit: int) -> bytes:
    """Read a file of at most `limit` bytes.

    Raises:
        StoreError: it holds more, or cannot be read.
    """
    with opened(path) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise StoreError(
            "{path} cannot be opened: it is larger than {most} MiB.",
            path=path,
            most=limit >> 20,
        )
    return data


def write_whole(path: Path, data: bytes) -> None:
    """Replace `path` by `data`; a reader, and a program that dies on the way, see the old file or
    the new one.

    Raises:
        OSError: the folder cannot be made, the disk is full, or writing is not allowed. The old
            file is as it was.
    """
    write_parts(path, (data,))


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Replace `path` by `parts`, which are made while they are written and need not fit in memory.

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
    # A new file gets the permissions that the process gives to all its files: the system takes its
    # umask away from these.
    opener = partial(os.open, mode=0o666 if mode is None else 0o600)
    try:
        with open(part, "xb", opener=opener) as stream:
            if mode is not None and sys.platform != "win32":  # which has no such permissions
                os.fchmod(stream.fileno(), mode)
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def keep_aside(path: Path) -> Path:
    """Rename `path` so that a new file can take its place, and return the new name, which carries
    the date.

    Raises:
        OSError: the folder does not let files be renamed.
    """
    return path.rename(name_aside(path))


def name_aside(path: Path) -> Path:
    """Return a name beside `path` that no file has, and that carries the date."""
    date = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    target = path.with_name(f"{path.name}.{date}")
    count = 1
    while target.exists():
        count += 1
        target = path.with_name(f"{path.name}.{date}-{count}")
    return target


def unwritable(path: Path, error: OSError, after: str = "") -> StoreError:
    """Return the error of a file that cannot be written. `after` is one more sentence."""
    kind = NoRoomError if error.errno in NO_ROOM else StoreError
    return kind(
        say(
            "{path} cannot be written ({why}).{after}",
            path=path,
            why=reason(error),
            after=after and f" {after}",
        )
    )


def reason(error: OSError) -> Sentence:
    """Return the system's reason for an error, in its own words."""
    return SYSTEM_WORDS.get(error.errno or 0, verbatim(error.strerror or str(error)))


def short(value: object) -> str:
    """Return the text of something on one short line."""
    text = one_line(str(value)[: LONGEST + 1])
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def short_cause(error: BaseException) -> Sentence:
    """Return why something failed: a sentence of ours, or another library's words, shortened."""
    return (
        error.sentence
        if isinstance(error, ExplainedError)
        else verbatim(short(error) or type(error).__name__)
    )
