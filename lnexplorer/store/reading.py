"""Files that somebody names are read with a bound: a pipe or a device such as /dev/zero has no size, and no end."""

import errno
import os
import stat
from pathlib import Path


class TooLargeError(Exception):
    """A file holds more than one of its kind can."""


def read_at_most(path: Path, limit: int) -> bytes:
    """The content of a regular file.

    Args:
        path: the file; it is not waited for, as opening a pipe would.
        limit: how many bytes it may hold.

    Raises:
        TooLargeError: it holds more.
        OSError: it cannot be read, or is a folder, a device or a pipe.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as stream:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "It is a device or a pipe, not a file", str(path))
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise TooLargeError(f"{path} holds more than {limit} bytes")
    return data
