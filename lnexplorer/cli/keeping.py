"""Keeps what was done without a window in the history, where the window and `lnexplorer export` find it."""

import sys
from collections.abc import Callable

from lnexplorer.domain.experiments.findings import ExperimentRecord
from lnexplorer.domain.result import RunResult
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import find_paths
from lnkernels.sentence import Sentence


def keep(command: str, result: RunResult) -> None:
    """Add a finished run to the history. Where that cannot be, stderr says why: a run is no worse for it.

    Args:
        command: of `lnexplorer`, which messages begin with.
        result: as the engine gave it.
    """
    _keep(command, "run", lambda history: history.runs.add(result))


def keep_experiment(command: str, record: ExperimentRecord) -> None:
    """The same with an experiment, however it ended."""
    _keep(command, "experiment", lambda history: history.experiments.add(record))


def _keep(command: str, what: str, add: Callable[[History], int]) -> None:
    def warn(sentence: Sentence) -> None:
        print(f"lnexplorer {command}: {sentence}", file=sys.stderr)

    paths = find_paths()
    if paths.warning is not None:
        warn(paths.warning)
    try:
        with open_history(paths.history, warn) as history:
            add(history)
    except StoreError as error:
        print(f"lnexplorer {command}: {error} This {what} is not in the history.", file=sys.stderr)
