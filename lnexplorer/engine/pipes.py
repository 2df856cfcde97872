"""The pipes and the environment of a worker process.

Needs the standard library only, so that a worker can be started before anything heavy is imported.
"""

import importlib.util
import os
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from lnexplorer.domain.machines import Machine
from lnkernels.values import Sentence, frozen


class RemoteLine(Protocol):
    """The connection to a worker on another machine."""

    machine: Machine

    @property
    def connected(self) -> bool:
        """True once the worker there has introduced itself."""

    def listen(self, events: BinaryIO, alive: Callable[[], None]) -> BinaryIO:
        """Wait for the worker's introduction; return the stream of its frames.

        Raises:
            ExplainedError: what answers is no worker that this program understands.
        """

    def explain(self, status: int, printed: str, when: Sentence) -> Sentence | None:
        """Return why the client ended; None where the worker's own end says it."""

    def status(self, status: int) -> int:
        """Return the worker's exit status from the client's."""


@frozen
class Spawned:
    """A process that nobody listens to yet, and this side's ends of its pipes."""

    process: subprocess.Popen[bytes]  # its stdout has all that it prints
    commands: int  # file descriptor to write to
    events: int  # file descriptor to read from
    line: RemoteLine | None = None  # to the machine that the worker is on, where it is another one


def between_pipes(
    start: Callable[[int, int], subprocess.Popen[bytes]], line: RemoteLine | None = None
) -> Spawned:
    """Start a process that reads commands from one pipe and writes events to another.

    Args:
        start: starts the process with its two file descriptors.
        line: the connection, where the process is a client of another machine.
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
    """Return an environment in which a child process imports the same packages as this process.

    It imports nothing from the current folder: neither through an empty part of PYTHONPATH nor
    because a library starts Python again.
    """
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    roots = [
        root
        for package in ("lnexplorer", "lnkernels")
        if (root := _source_root(package)) not in installed
    ]
    environment = os.environ | {"PYTHONSAFEPATH": "1"}
    paths = [*roots, *filter(None, environment.pop("PYTHONPATH", "").split(os.pathsep))]
    if paths:
        environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    # A worker decides by itself whether it interprets, and reports it.
    environment.pop("TRITON_INTERPRET", None)
    return environment


def _source_root(package: str) -> str:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"the package {package} is not installed")
    return str(Path(spec.origin).resolve().parent.parent)
