"""Keeps what ran without a window in the history, where the window and `lnexplorer export` find it."""

import sys

from lnexplorer.domain.result import RunResult
from lnexplorer.storage.history import History
from lnexplorer.storage.history_schema import FIRST_MEMORY_ID
from lnexplorer.storage.paths import find_paths


def keep(command: str, result: RunResult) -> None:
    """Add a finished run to the history. Where that cannot be, stderr says why: a run is no worse for it.

    Args:
        command: of `lnexplorer`, which messages begin with.
        result: as the engine gave it.
    """

    def warn(sentence: str) -> None:
        print(f"lnexplorer {command}: {sentence}", file=sys.stderr)

    paths = find_paths()
    if paths.warning is not None:
        warn(paths.warning)
    history = History(paths.history, warn)
    try:
        kept = history.add(result) < FIRST_MEMORY_ID
    finally:
        history.close()
    if not kept:
        warn("This run is not in the history.")
