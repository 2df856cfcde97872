"""The experiments of the history: finished ones with their findings, and those that ended before."""

from collections.abc import Iterator, Sequence

from lnexplorer.domain.experiments.findings import ExperimentRecord
from lnexplorer.domain.history import ExperimentRow
from lnexplorer.store.history_file import HistoryFile, UnreadableError
from lnexplorer.store.history_numbers import Numbers
from lnexplorer.store.history_schema import HistoryError
from lnexplorer.store.history_store import Store


class ExperimentShelf:
    """Experiments in a file that others share. For one thread."""

    def __init__(self, file: HistoryFile) -> None:
        self._file = file
        self._numbers = Numbers(file)
        file.add_shelf(self)

    def add(self, record: ExperimentRecord) -> int:
        """Keep an experiment; its number."""
        return self._file.add(lambda store: store.experiments.add(record))

    def take(self, record: ExperimentRecord) -> int:
        """Keep one that comes from a file, unless it is here already; its number."""
        known = self._file.memory.experiments.find_same(record)
        if known is None:
            known = self._file.ask(lambda store: store.experiments.find_same(record), None)
        return self.add(record) if known is None else known

    def rows(self) -> list[ExperimentRow]:
        """Their lines, newest first; what cannot be understood is left out."""
        nothing: list[ExperimentRow] = []
        found = self._file.ask(lambda store: store.experiments.rows(), nothing)
        found = [*self._file.memory.experiments.rows(), *(row for row in found if row.id not in self._numbers.hidden)]
        return sorted(found, key=lambda row: (row.date, row.id), reverse=True)

    def load(self, id: int) -> ExperimentRecord:  # noqa: A002
        """The whole experiment.

        Raises:
            HistoryError: there is no such experiment, or it cannot be read; one sentence.
        """
        id_ = self._numbers.now(id)
        try:
            hidden = id_ in self._numbers.hidden
            found = None if hidden else self._file.load(id_, lambda store: store.experiments.load(id_))
        except UnreadableError as error:
            raise HistoryError(f"Experiment {id_} cannot be read: {error}.") from error
        if found is None:
            raise HistoryError(f"There is no experiment {id_}.")
        return found

    def delete(self, ids: Sequence[int]) -> None:
        """Take experiments off the list. `undelete` brings them back; a start a day later removes them for good."""
        self._set_deleted(ids, deleted=True)

    def undelete(self, ids: Sequence[int]) -> None:
        """Bring deleted experiments back."""
        self._set_deleted(ids, deleted=False)

    @property
    def in_memory(self) -> int:
        """How many are in memory alone."""
        return self._file.memory.experiments.count()

    def move(self, disk: Store) -> Iterator[None]:
        """Write what is in memory alone."""
        memory = self._file.memory.experiments
        for id_ in memory.ids():
            self._numbers.note_move(id_, disk.experiments.add(memory.load(id_)))
            memory.remove(id_)
            yield

    def settle(self) -> None:
        """Deletions are written now."""
        self._numbers.hidden.clear()

    def _set_deleted(self, ids: Sequence[int], *, deleted: bool) -> None:
        def mark(store: Store, some: Sequence[int]) -> None:
            store.experiments.set_deleted(some, deleted=deleted)

        self._numbers.set_deleted(ids, mark, deleted=deleted)
