"""What workers of these tests have in common: the real worker's pipes and options, and how they
learn of the fault that they are to have.

A file named by LNEXPLORER_TEST_FAULT holds "fault:phase". The first worker that reaches the phase
takes the file away and has the fault; after that everything works.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from lnexplorer.worker.__main__ import die_with_parent
from lnexplorer.worker.connection import Connection

FAULT_FILE = Path(os.environ.get("LNEXPLORER_TEST_FAULT", "/nonexistent"))


def connect(on_cancel: Callable[[int], None] = lambda _: None) -> tuple[Connection, str]:
    """The open connection to the engine, and the device that is wished."""
    parser = argparse.ArgumentParser()
    for option, kind in (
        ("--commands", int),
        ("--events", int),
        ("--device", str),
        ("--parent", int),
    ):
        parser.add_argument(option, type=kind)
    options = parser.parse_args()
    die_with_parent(options.parent)
    connection = Connection(options.commands, options.events, on_cancel)
    connection.open()
    return connection, options.device


def taken_fault(phase: str) -> str | None:
    """The fault for a phase, which then is not there any more."""
    try:
        fault, wanted = FAULT_FILE.read_text().split(":")
    except FileNotFoundError:
        return None
    if wanted != phase:
        return None
    FAULT_FILE.unlink()
    return fault
