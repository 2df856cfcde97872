"""Processes of the program: which ones live in a home, what they run, and signals to them."""

import os
import signal
import subprocess
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from lnexplorer.store.paths import HOME_VARIABLE


def processes_of(place: Path) -> list[int]:
    """The processes that live in a home, in whatever session."""
    mark = f"{HOME_VARIABLE}={place / 'home'}\0".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # another's, or gone
                if mark in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
    return sorted(found)


def ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(max(seconds, 0.0))
    except subprocess.TimeoutExpired:
        return False
    return True


def heeds_termination(pid: int) -> bool:
    """Whether a process has chosen what SIGTERM does, as the program does on its first line."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    masks = [int(line.split()[1], 16) for line in lines if line.startswith(("SigCgt", "SigIgn"))]
    return any(mask >> (signal.SIGTERM - 1) & 1 for mask in masks)


def command_of(pid: int) -> str:
    """The module that a process of the program runs."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return "a process"
    return next((after for word, after in pairwise(words) if word == "-m"), words[0])


def send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
