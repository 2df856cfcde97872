"""Keeps what was done without a window in the history, where the window and `lnexplorer export` find it."""

import sys
from collections.abc import Callable

from lnexplorer.domain.experiments.findings import ExperimentRecord
from lnexplorer.domain.result import RunResult
from lnexplorer.store.history import History
from lnexplorer.store.history_schema import FIRST_MEMORY_ID
from lnexplorer.store.paths import find_paths


def keep(command: str, result: RunResult) -> None:
    """Add a finished run to the history. Where that cannot be, stderr says why: a run is no worse for it.

    Args:
        command: of `lnexplorer`, which messages begin with.
        result: as the engine gave it.
    """
    _keep(command, "run", lambda history: history.add(result))


def keep_experiment(command: str, record: ExperimentRecord) -> None:
    """The same with an experiment, however it ended."""
    _keep(command, "experiment", lambda history: history.experiments.add(record))


def _keep(command: str, what: str, add: Callable[[History], int]) -> None:
    def warn(sentence: str) -> None:
        print(f"lnexplorer {command}: {sentence}", file=sys.stderr)

    paths = find_paths()
    if paths.warning is not None:
        warn(paths.warning)
    history = History(paths.history, warn)
    try:
        kept = add(history) < FIRST_MEMORY_ID
    finally:
        history.close()
    if not kept:
        warn(f"This {what} is not in the history.")
