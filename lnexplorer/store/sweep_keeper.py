"""The place of one running sweep in the history, for the window and the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.store.database import Warn
from lnexplorer.store.files import StoreError
from lnexplorer.store.history import History, open_history
from lnexplorer.store.paths import Paths
from lnexplorer.store.sweep_csv import rows_of_file
from lnexplorer.store.sweeps import SweepInUseError
from lnkernels.values import frozen, verbatim


@frozen(eq=False)
class KeptSweep:
    """A sweep that is to be run, with its rows from before."""

    number: int | None  # in the history; None for a new one
    sweep: SweepRequest
    results: tuple[CellResult, ...]  # its rows so far


class SweepKeeper:
    """Begins or resumes one sweep in the history, adds its rows, and ends it.

    Args:
        use: calls a function with the opened history, on a thread that may use it.
        on_lost: called with the error because of which the sweep is not kept, or no longer.
    """

    def __init__(
        self,
        use: Callable[[Callable[[History], Any]], Any],
        on_lost: Callable[[StoreError], object],
    ) -> None:
        self.number: int | None = None  # None while the sweep is not kept
        self._use = use
        self._on_lost = on_lost

    def load(self, number: int) -> KeptSweep:
        """Read a sweep that is to be resumed.

        Raises:
            StoreError: there is no such sweep, or it cannot be read.
        """
        recorded = self._use(lambda history: history.sweeps.load(number))
        return KeptSweep(number, recorded.sweep, recorded.results)

    def begin(self, sweep: SweepRequest, kept: int | None = None) -> None:
        """Begin a sweep, or resume the kept one.

        Raises:
            SweepInUseError: another program is running the kept one: both would measure, and keep,
                the same rows.
        """
        try:
            self.number = self._use(lambda history: history.sweeps.begin(sweep, kept))
        except SweepInUseError:
            raise
        except StoreError as error:
            self.lose(error)

    def add(self, result: CellResult) -> None:
        """Write a row.

        Raises:
            StoreError: it cannot be written.
        """
        if (number := self.number) is not None:
            self._use(lambda history: history.sweeps.add(number, result))

    def end(self, how: str) -> None:
        if (number := self.number) is not None:
            try:
                self._use(lambda history: history.sweeps.end(number, how))
            except StoreError as error:
                self.lose(error)
        self.number = None

    def lose(self, error: StoreError) -> None:
        """Go on without the history."""
        self.number = None
        self._on_lost(error)


def kept_sweep(path: Path, paths: Paths, warn: Warn) -> KeptSweep:
    """Return the sweep of the history that has a CSV file's rows, with those rows alone.

    Raises:
        StoreError: the file or the history cannot be read, or the history does not have them.
    """
    found = rows_of_file(path)
    cell, stamp = next(iter(found.stamps.items()))
    where = "go on where the sweep was begun, or begin another with --csv"
    elsewhere = verbatim(f"The rows of {path} are not in {paths.history}: {where}.")
    if not paths.has_history:
        raise StoreError(elsewhere)
    with open_history(paths.history, warn, reading=True) as history:
        number = history.sweeps.with_row(found.command, cell, stamp)
        if number is None:
            raise StoreError(elsewhere)
        recorded = history.sweeps.load(number)
    results = tuple(result for result in recorded.results if result.cell.number in found.stamps)
    return KeptSweep(number, recorded.sweep, results)
