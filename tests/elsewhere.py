"""Run lnexplorer as on a system that Triton is not made for: `python -m tests.elsewhere win32 run`.

This interpreter stays one of Linux. It says that it is another one, and lacks what that one lacks:
triton and torch, modules, and functions of the standard library's modules. Libraries are loaded
before, because those that are installed here choose their own parts by the system.
"""

import asyncio.subprocess  # noqa: F401
import ctypes
import importlib.abc
import importlib.metadata
import io
import json
import multiprocessing.context  # noqa: F401
import os
import platform
import select
import signal
import sqlite3  # noqa: F401
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import ModuleSpec
from types import ModuleType

import jinja2  # noqa: F401
import msgspec  # noqa: F401
import numpy as np  # noqa: F401
import pandas as pd  # noqa: F401
import platformdirs  # noqa: F401
import pyqtgraph.exporters  # noqa: F401
from PySide6 import QtPrintSupport, QtSvg, QtWidgets  # noqa: F401

MODULES = frozenset({"fcntl", "grp", "pwd", "resource", "termios", "torch", "triton", "tty"})
NAMES = {"darwin": "Darwin", "win32": "Windows"}
# What Python's documentation names as absent there, in the oldest version that we support.
LACKS: dict[str, dict[ModuleType, str]] = {
    "darwin": {os: "waitid sched_getaffinity memfd_create pipe2", select: "epoll"},
    "win32": {
        os: (
            "waitid sched_getaffinity memfd_create pipe2 fork killpg getpgid setsid getuid geteuid"
            " getgid fchmod pread pwrite sysconf statvfs set_blocking O_CLOEXEC O_NONBLOCK"
            " O_NOFOLLOW mkfifo getloadavg"
        ),
        select: "epoll poll",
        signal: "SIGHUP SIGKILL SIGUSR1 SIGUSR2 SIGALRM SIGBUS pthread_kill setitimer alarm",
    },
}


class Absent(importlib.abc.MetaPathFinder):
    """Finds nothing for what is not there, before anybody else looks."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def move_to(system: str) -> None:
    """Make this interpreter one of another system, for good."""
    loaded = [name for name in sys.modules if name.partition(".")[0] in MODULES]
    for name in loaded:
        del sys.modules[name]
    sys.meta_path.insert(0, Absent())
    version = importlib.metadata.version

    def installed(name: str) -> str:
        if name in MODULES:
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    importlib.metadata.version = installed
    for module, names in LACKS[system].items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    load = ctypes.CDLL

    def library(name: str | None, *arguments: object, **named: object) -> ctypes.CDLL:
        if name and ".so" in name:
            raise OSError(f"{name}: cannot open shared object file")
        return load(name, *arguments, **named)  # type: ignore[arg-type]

    ctypes.CDLL = library  # type: ignore[assignment,misc]
    platform.system = lambda: NAMES[system]
    sys.platform = system


def main(arguments: list[str]) -> int:
    move_to(arguments[0])
    from lnexplorer.__main__ import main as run

    if arguments[1:]:
        return run(arguments[1:])
    for line in sys.stdin:  # a command each, as JSON; so is the answer
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = _status_of(run, json.loads(line))
        print(json.dumps([status, out.getvalue(), err.getvalue()]), flush=True)
    return 0


def _status_of(run: Callable[[list[str]], int], arguments: list[str]) -> object:
    try:
        return run(arguments)
    except SystemExit as end:  # of --help
        return end.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
