"""Starts a worker process.

Needs the standard library only, so that a program can do it before it imports anything heavy.
"""

import importlib.util
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lnexplorer.domain.machines import is_remote

if TYPE_CHECKING:
    from lnexplorer.engine.ssh import SshLine

# -P: a file torch.py in the folder where somebody works is not what the worker imports. -u: what
#   somebody's kernel prints
# is heard, whatever becomes of it then.
WORKER_COMMAND = (sys.executable, "-P", "-u", "-m", "lnexplorer.worker")


@dataclass(frozen=True, slots=True)
class Spawned:
    """A process that nobody listens to yet, and this side's ends of its pipes."""

    process: subprocess.Popen[bytes]  # its stdout has all that it prints
    commands: int  # file descriptor to write to
    events: int  # file descriptor to read from
    line: "SshLine | None" = None  # to the machine that the worker is on, where that is another one


def spawn_worker(device: str = "auto", command: Sequence[str] | None = None) -> Spawned:
    """Start a worker, for a `Supervisor` to take over.

    The worker ends when the thread that called this ends, so call it from the main thread or a
    lasting one.

    Args:
        device: "auto", "cuda:N", "interpreter", "interpreter:sm_80", or one of these of another
            machine: "ssh://host/cuda:1".
        command: the program and its first arguments; the worker of this package if not given.

    Raises:
        OSError: the process cannot be started.
    """
    if is_remote(device):
        from lnexplorer.engine.ssh import spawn_over_ssh

        if command is not None:
            raise OSError(f"a worker of its own runs on this machine alone, not on {device}")
        return spawn_over_ssh(device)
    program = (*(command or WORKER_COMMAND), "--device", device, "--parent", str(os.getpid()))
    return between_pipes(
        lambda commands, events: subprocess.Popen(
            [*program, "--commands", str(commands), "--events", str(events)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(commands, events),
            env=child_environment(),
            # A session of its own: Ctrl-C in a terminal is this side's affair, and what the worker
            # starts can be ended with it.
            start_new_session=True,
        )
    )


def between_pipes(
    start: Callable[[int, int], "subprocess.Popen[bytes]"], line: "SshLine | None" = None
) -> Spawned:
    """A process that `start` starts with its ends of two pipes, to read commands from and to write
    events to.
    """
    command_read, command_write = os.pipe()
    event_read, event_write = os.pipe()
    try:
        return Spawned(start(command_read, event_write), command_write, event_read, line)
    except BaseException:
        os.close(command_write)
        os.close(event_read)
        raise
    finally:
        os.close(command_read)
        os.close(event_write)


def child_environment() -> dict[str, str]:
    """This process's environment, in which a child of it finds the packages where this process
    found them, and nothing in the folder where somebody works: neither by an empty part of
    PYTHONPATH nor because a library starts Python again.
    """
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    roots = [
        root
        for package in ("lnexplorer", "lnkernels")
        if (root := _source_root(package)) not in installed
    ]
    paths = [*roots, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = os.environ | {"PYTHONSAFEPATH": "1"}
    environment.pop("PYTHONPATH", None)
    if paths:
        environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    # Which of the two a worker is, it decides by itself, and says so.
    environment.pop("TRITON_INTERPRET", None)
    return environment


def _source_root(package: str) -> str:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"the package {package} is not installed")
    return str(Path(spec.origin).resolve().parent.parent)
