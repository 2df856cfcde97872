"""How a worker of these tests learns of the fault that it is to have.

A file named by LNEXPLORER_TEST_FAULT holds "fault:phase". The first worker that reaches the phase
takes the file away and has the fault; after that everything works.
"""

import os
from pathlib import Path

FAULT_FILE = Path(os.environ.get("LNEXPLORER_TEST_FAULT", "/nonexistent"))


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
