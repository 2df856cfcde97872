"""The table of experiments in the history's database. Errors of SQLite come out as they are."""

import sqlite3
import time
from collections.abc import Sequence

from lnexplorer.domain.experiments.findings import ExperimentRecord
from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.domain.history import ExperimentRow
from lnexplorer.protocol.plain import DecodeError
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.deflated import DAMAGE, deflate, inflate
from lnexplorer.store.experiment_file import check_findings
from lnexplorer.store.history_schema import HistoryError
from lnkernels.values.environment import Kind

COLUMNS = ("date", "name", "kind", "device", "m", "n", "dtype", "ended", "reason", "done", "total")
WHOLE = ("m", "n", "done", "total")  # numbers; the others are words


class ExperimentTable:
    """Experiments in an open database, whose tables are there.

    Args:
        connection: in autocommit mode.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, record: ExperimentRecord) -> int:
        """Write an experiment; its number."""
        sql = f"INSERT INTO experiments ({', '.join(COLUMNS)}, record) VALUES ({', '.join('?' * len(COLUMNS))}, ?)"
        id_ = self._connection.execute(sql, (*_columns(record), deflate(record))).lastrowid
        assert id_ is not None
        return id_

    def find_same(self, record: ExperimentRecord) -> int | None:
        """Number of one that ended at the same time, on the same device; None where there is none. Its kind may be another."""
        names = [name for name in COLUMNS if name != "kind"]
        values = [value for name, value in zip(COLUMNS, _columns(record), strict=True) if name != "kind"]
        condition = " AND ".join(f"{name} = ?" for name in names)
        sql = f"SELECT id FROM experiments WHERE deleted IS NULL AND {condition} LIMIT 1"
        found = self._connection.execute(sql, values).fetchone()
        return None if found is None else int(found[0])

    def rows(self) -> list[ExperimentRow]:
        """Their lines, newest first; one that this version does not understand is left out."""
        sql = f"SELECT id, {', '.join(COLUMNS)} FROM experiments WHERE deleted IS NULL ORDER BY date DESC, id DESC"
        found = (_row(*values) for values in self._connection.execute(sql).fetchall())
        return [row for row in found if row is not None]

    def ids(self) -> list[int]:
        """Their numbers, in order."""
        sql = "SELECT id FROM experiments WHERE deleted IS NULL ORDER BY id"
        return [int(id_) for (id_,) in self._connection.execute(sql).fetchall()]

    def load(self, id_: int) -> ExperimentRecord:
        """The whole experiment.

        Raises:
            HistoryError: there is no such experiment, it is damaged, or another version of the program wrote it.
        """
        sql = "SELECT record FROM experiments WHERE id = ? AND deleted IS NULL"
        found = self._connection.execute(sql, (id_,)).fetchone()
        if found is None:
            raise HistoryError(f"There is no experiment {id_}.")
        try:
            record = inflate(found[0], ExperimentRecord)
            if record.request.name not in EXPERIMENTS:
                raise RecordingError("its experiment is not known")
            if record.result is not None:
                check_findings(record.result)
        except (DecodeError, RecordingError, *DAMAGE) as error:
            raise HistoryError(f"Experiment {id_} is damaged, or another version of this program wrote it: {error}.") from error
        return record

    def set_deleted(self, ids: Sequence[int], *, deleted: bool) -> None:
        """Mark or unmark experiments as deleted, all or none of them."""
        when = time.time() if deleted else None
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("UPDATE experiments SET deleted = ? WHERE id = ?", [(when, id_) for id_ in ids])

    def forget_deleted(self, before: float) -> None:
        """Forget those for good that were deleted before a time, in seconds since 1970."""
        if self._connection.execute("SELECT 1 FROM experiments WHERE deleted < ? LIMIT 1", (before,)).fetchone():
            self._connection.execute("DELETE FROM experiments WHERE deleted < ?", (before,))

    def remove(self, id_: int) -> None:
        """Forget an experiment for good."""
        self._connection.execute("DELETE FROM experiments WHERE id = ?", (id_,))

    def count(self) -> int:
        """Experiments that are kept."""
        found: int = self._connection.execute("SELECT count(*) FROM experiments WHERE deleted IS NULL").fetchone()[0]
        return found


def _columns(record: ExperimentRecord) -> tuple[str | int, ...]:
    resolved = record.resolved
    shape = (resolved.m, resolved.n, resolved.dtype)
    ended = (record.ended, record.reason, record.done, record.total)
    return (record.date, record.request.name, str(record.kind), record.device, *shape, *ended)


def _row(id_: int, *values: object) -> ExperimentRow | None:
    """A line; None for what is none: a damaged one may hold anything."""
    found = dict(zip(COLUMNS, values, strict=True))
    if not all(isinstance(value, int if name in WHOLE else str) for name, value in found.items()):
        return None
    try:
        found["kind"] = Kind(str(found["kind"]))
    except ValueError:  # of a newer version
        return None
    return ExperimentRow(id=id_, **found)  # type: ignore[arg-type]  # looked at above
