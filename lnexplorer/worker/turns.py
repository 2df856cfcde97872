"""Workers of one machine that time on one GPU take turns: of different windows, and of different
people.

A lock on a file of the host is the turn. The system gives it back when its process ends, however
that ends.
"""

import fcntl
import os
import pwd
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lnexplorer.domain.measuring import WAITING
from lnkernels.values import say

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import torch

    from lnexplorer.worker.connection import Task

# The same for everybody, whatever TMPDIR says.
FOLDER = Path("/tmp")  # where links are not followed, and nothing that is written is believed
TRY_SECONDS = 0.02
TELL_SECONDS = 1.0
MOST_NAME = 80  # characters of a name that somebody else wrote

_held: set[str] = set()  # by this process, whose work within a turn needs no other


def turn(task: "Task", device: "torch.device") -> "AbstractContextManager[None]":
    """Hold the lock of a GPU, so that nobody else times on it; nothing on the interpreter."""
    if device.type != "cuda":
        return nullcontext()
    import torch  # who holds a lock by its identifier needs none

    return turn_of(task, str(torch.cuda.get_device_properties(device).uuid))


@contextmanager
def turn_of(task: "Task", gpu: str, folder: Path = FOLDER) -> Iterator[None]:
    """Hold the lock of a GPU by its identifier. Where no file can be locked, go on without.

    Raises:
        JobCancelled: by the task, while it waits.
    """
    queue, lock = (_opened(folder / f"lnexplorer-{gpu}.{name}") for name in ("queue", "turn"))
    taken = gpu not in _held and queue is not None and lock is not None
    try:
        if taken and queue is not None and lock is not None:
            # Who has just had the turn waits behind whoever waits already.
            _wait(task, queue, lock)
            _wait(task, lock, lock)
            _held.add(gpu)
            fcntl.flock(queue, fcntl.LOCK_UN)
            with suppress(OSError):
                os.ftruncate(lock, 0)
                os.pwrite(lock, _own_name().encode(), 0)
        yield
    finally:
        if taken:
            _held.discard(gpu)
        for each in (queue, lock):
            if each is not None:
                os.close(each)


def _opened(path: Path) -> int | None:
    """Open a file that everybody may lock; None where there is none, and none can be made."""
    common = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    for flags in (os.O_RDWR, os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_RDWR, os.O_RDONLY):
        with suppress(OSError):
            file = os.open(path, flags | common, 0o666)
            if not stat.S_ISREG(os.fstat(file).st_mode):
                os.close(file)
                return None
            if flags & os.O_CREAT:
                os.fchmod(file, 0o666)  # whatever the umask says
            return file
    return None


def _wait(task: "Task", wanted: int, holder: int) -> None:
    reported_at = 0.0
    while True:
        try:
            fcntl.flock(wanted, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            task.check()
            if time.monotonic() - reported_at >= TELL_SECONDS:
                reported_at = time.monotonic()
                task.tell_step(say(WAITING.template, who=_name_in(holder)), 0, 0)
            time.sleep(TRY_SECONDS)
        except OSError:  # a file system without locks
            return
        else:
            return


def _own_name() -> str:
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        user = f"user {os.getuid()}"
    return f"{user} (process {os.getpid()})"


def _name_in(file: int) -> str:
    with suppress(OSError):
        written = os.pread(file, 4 * MOST_NAME, 0).decode(errors="replace")
        if name := "".join(character for character in written if character.isprintable())[
            :MOST_NAME
        ]:
            return name
    return "somebody"
