"""The kept sweeps for whoever hands them on, or brings some: each call opens the database for itself."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.sweep.cells import NotKeptError
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.sweep_store import NAME, SweepStore, SweepStoreError
from lnexplorer.store.sweep_values import RecordedSweep, recorded_sweep

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class WeighedSweep:
    """A sweep as a line of a list, and how much it holds."""

    row: SweepRow
    size: int  # bytes of its rows, as they are kept


def weighed_sweeps(folder: Path, warn: Warn) -> list[WeighedSweep]:
    """All sweeps in the data folder that have a row, newest first. What is wrong with them is told."""
    found: list[WeighedSweep] = []
    with _opened(folder, warn) as store:
        if store is not None:
            sizes = store.sizes()
            found += [WeighedSweep(row, sizes[row.id]) for row in store.sweeps() if row.id in sizes]
    return found


def load_sweeps(folder: Path, numbers: Sequence[int], warn: Warn) -> list[RecordedSweep]:
    """These sweeps with their rows, in this order; one that cannot be read, or has no row, is told of and left out."""
    found: list[RecordedSweep] = []
    with _opened(folder, warn) as store:
        if store is not None:
            kept = {sweep.id: sweep for sweep in store.sweeps()}
            for number in numbers:
                try:
                    request, results = store.load(number)
                    sweep = recorded_sweep(request, results, ended=kept[number].ended)
                except (SweepStoreError, RecordingError, KeyError) as error:
                    warn(str(error) if isinstance(error, SweepStoreError) else f"Sweep {number} is left out: {error}.")
                else:
                    found.append(replace(sweep, date=kept[number].date, note=kept[number].note))
    return found


def keep_sweeps(folder: Path, sweeps: Sequence[RecordedSweep], warn: Warn) -> None:
    """Keep sweeps that come from a file; those that are here already stay as they are. What cannot be kept is told of."""
    if not sweeps:
        return
    with _opened(folder, warn, make=True) as store:
        if store is not None:
            for sweep in sweeps:
                store.take(sweep)


def change_sweeps(folder: Path, work: Callable[[SweepStore], None], warn: Warn) -> None:
    """Annotate, delete or bring back; where that cannot be done, it is told why."""
    with _opened(folder, warn) as store:
        if store is not None:
            work(store)


@contextmanager
def _opened(folder: Path, warn: Warn, *, make: bool = False) -> Iterator[SweepStore | None]:
    """The database, or None where there is none; what goes wrong meanwhile is told."""
    if not make and not (folder / NAME).exists():
        yield None
        return
    try:
        store = SweepStore(folder / NAME, warn)
    except SweepStoreError as error:
        warn(str(error))
        yield None
        return
    try:
        yield store
    except (SweepStoreError, NotKeptError) as error:
        warn(str(error))
    finally:
        store.close()
