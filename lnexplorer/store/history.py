"""Every run and every experiment, in an SQLite database, or in memory while that fails: nothing there is ever overwritten."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.history import HistoryRow
from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.domain.result import RunResult
from lnexplorer.store.history_experiments import ExperimentShelf
from lnexplorer.store.history_file import HistoryFile, UnreadableError
from lnexplorer.store.history_numbers import Numbers
from lnexplorer.store.history_schema import FIRST_MEMORY_ID, HistoryError
from lnexplorer.store.history_store import Store

__all__ = ["History", "HistoryError", "Listing"]

Ids = NDArray[np.int64]
FACETS = ("strategy", "dtype", "device")


@dataclass(frozen=True, eq=False, slots=True)
class Listing:
    """What matches a query: numbers alone, so that a hundred thousand runs are a short list. `rows` gives their lines."""

    ids: Ids
    total: int  # runs that are kept, whether they match or not
    baseline: HistoryRow | None  # the run that others are compared with


class History:
    """The runs of this user, and their experiments. For one thread.

    Args:
        path: of the database; made, with its folder, where it is missing.
        warn: called with a sentence when something about the file is wrong. Runs, notes and deletions are then kept in memory
            and written by `tend` as soon as the file lets them be; what is in the file is still listed where it can be read,
            and the file is left as it is, or kept under another name if it is damaged.
    """

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        self._path = path
        self._warn = warn
        self._file = HistoryFile(path, warn)
        self._memory = self._file.memory
        self._numbers = Numbers(self._file)
        self._notes: dict[int, str] = {}  # those that wait for the file
        self._file.add_shelf(self)
        self.experiments = ExperimentShelf(self._file)

    def add(self, result: RunResult) -> int:
        """Keep a finished run; its number."""
        date = result.provenance.environment.date
        return self._file.add(lambda store: store.add(date, result))

    def take(self, result: RunResult, note: str) -> int:
        """Keep a run that comes from a file, unless it is here already, perhaps without a note; its number."""
        date = result.provenance.environment.date
        known = self._memory.find_same(date, result)
        if known is None:
            known = self._file.ask(lambda store: store.find_same(date, result), None)
        if known is not None:
            if note and not any(row.note for row in self.rows([known])):
                self.annotate(known, note)
            return known
        id_ = self.add(result)
        if note:
            self.annotate(id_, note)
        return id_

    def find(self, query: HistoryQuery) -> Listing:
        """The runs that match, in order.

        Raises:
            ValueError: the query compares what is no field, or with what is no value of it.
        """
        ids, total, baseline = self._memory.select(query), self._memory.count(), self._memory.baseline()

        def look(store: Store) -> tuple[Ids, int, int | None]:
            return store.select(query), store.count(), store.baseline()

        found = self._file.ask(look, None)
        if found is not None:
            on_disk, count, pinned = found
            hidden = self._numbers.hidden
            if hidden:
                on_disk = on_disk[~np.isin(on_disk, list(hidden))]
            ids = self._merged(on_disk, ids, query) if ids.size else on_disk
            total += count - len(hidden)
            baseline = baseline or pinned
        rows = self.rows([baseline]) if baseline is not None else []
        return Listing(ids, total, rows[0] if rows else None)

    def facets(self) -> dict[str, tuple[str, ...]]:
        """The values of each of FACETS, in order."""
        nothing: list[set[str]] = [set() for _ in FACETS]
        on_disk = self._file.ask(lambda store: store.distinct(FACETS), nothing)
        both = zip(FACETS, self._memory.distinct(FACETS), on_disk, strict=True)
        return {name: tuple(sorted(here | there)) for name, here, there in both}

    def rows(self, ids: Sequence[int]) -> list[HistoryRow]:
        """The lines of these runs, in this order; what is not there, or cannot be understood, is left out."""
        in_memory, on_disk = self._numbers.apart(ids)
        nothing: dict[int, HistoryRow] = {}
        found = self._memory.rows(in_memory) | self._file.ask(lambda store: store.rows(on_disk), nothing)
        now = [self._numbers.now(id_) for id_ in ids]
        rows = [found[id_] for id_ in now if id_ in found and id_ not in self._numbers.hidden]
        return [replace(row, note=self._notes.get(row.id, row.note)) for row in rows]

    def sizes(self, ids: Sequence[int]) -> dict[int, int]:
        """Bytes of these runs as they are kept, by number; what is not there is left out."""
        in_memory = [id_ for id_ in ids if id_ >= FIRST_MEMORY_ID]
        on_disk = [id_ for id_ in ids if id_ < FIRST_MEMORY_ID]
        nothing: dict[int, int] = {}
        return self._memory.sizes(in_memory) | self._file.ask(lambda store: store.sizes(on_disk), nothing)

    def load(self, id: int) -> RunResult:  # noqa: A002
        """The whole run.

        Raises:
            HistoryError: there is no such run, or it cannot be read; one sentence.
        """
        id_ = self._numbers.now(id)
        try:
            found = None if id_ in self._numbers.hidden else self._file.load(id_, lambda store: store.load(id_))
        except UnreadableError as error:
            raise HistoryError(f"Run {id_} cannot be read: {error}.") from error
        if found is None:
            raise HistoryError(f"There is no run {id_}.")
        return found

    def delete(self, ids: Sequence[int]) -> None:
        """Take runs off the list. `undelete` brings them back; a start a day later removes them for good."""
        self._set_deleted(ids, deleted=True)

    def undelete(self, ids: Sequence[int]) -> None:
        """Bring deleted runs back."""
        self._set_deleted(ids, deleted=False)

    def annotate(self, id: int, note: str) -> None:  # noqa: A002
        """Keep what a user has to say about a run."""
        id_ = self._numbers.now(id)
        if not self._file.change(id_, lambda store: store.annotate(id_, note)):
            self._notes[id_] = note

    def pin(self, id: int | None) -> None:  # noqa: A002
        """Compare other runs with this one, or with none."""
        id_ = None if id is None else self._numbers.now(id)
        if id_ is None or id_ < FIRST_MEMORY_ID:
            self._memory.set_baseline(None)
            self._file.change(0, lambda store: store.set_baseline(id_))
        else:
            self._memory.set_baseline(id_)

    def baseline(self) -> int | None:
        """Number of the run that others are compared with."""
        found = self._memory.baseline()
        return self._file.ask(lambda store: store.baseline(), None) if found is None else found

    def tend(self) -> bool:
        """Write what could not be written before; whether what is listed has changed, by this or by another window."""
        return self._file.tend()

    def close(self) -> None:
        """Write what is still to be written, where that is possible, and let go of the file."""
        if self._file.close():
            runs, experiments = self.in_memory, self.experiments.in_memory
            if runs == 1:
                self._warn(f"1 run could not be written to the history in {self._path}.")
            elif runs:
                self._warn(f"{runs} runs could not be written to the history in {self._path}.")
            if experiments == 1:
                self._warn(f"1 experiment could not be written to the history in {self._path}.")
            elif experiments:
                self._warn(f"{experiments} experiments could not be written to the history in {self._path}.")
        self._memory.close()

    @property
    def in_memory(self) -> int:
        """How many runs are in memory alone."""
        return self._memory.count()

    def move(self, disk: Store) -> Iterator[None]:
        """Write the runs that are in memory alone."""
        baseline = self._memory.baseline()
        for id_ in self._memory.select(HistoryQuery(sorted_by="id", descending=False)).tolist():
            (row,) = self._memory.rows([id_]).values()
            result = self._memory.load(id_)
            self._numbers.note_move(id_, disk.add(row.date, result, row.note, baseline=id_ == baseline))
            self._memory.remove(id_)
            yield

    def settle(self) -> None:
        """Deletions and notes are written now."""
        self._numbers.hidden.clear()
        self._notes.clear()

    def _merged(self, on_disk: Ids, in_memory: Ids, query: HistoryQuery) -> Ids:
        """Both as one, in the order of the query."""
        if query.sorted_by in ("date", "id"):
            return np.concatenate([in_memory, on_disk] if query.descending else [on_disk, in_memory])
        lines = {row.id: row for row in self.rows([*on_disk.tolist(), *in_memory.tolist()])}
        with_value = [id_ for id_, line in lines.items() if getattr(line, query.sorted_by) is not None]
        with_value.sort(key=lambda id_: (getattr(lines[id_], query.sorted_by), id_), reverse=query.descending)
        others = sorted(set(lines) - set(with_value), reverse=query.descending)
        return np.array([*with_value, *others], np.int64)

    def _set_deleted(self, ids: Sequence[int], *, deleted: bool) -> None:
        def mark(store: Store, some: Sequence[int]) -> None:
            store.set_deleted(some, deleted=deleted)

        self._numbers.set_deleted(ids, mark, deleted=deleted)
