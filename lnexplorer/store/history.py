"""Every run, experiment and sweep of a user, in one database: nothing there is ever overwritten."""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS, ExperimentRecord
from lnexplorer.domain.history import (
    NUMBERS,
    SIGNS,
    WORDS,
    ExperimentRow,
    HistoryQuery,
    HistoryRow,
    RunComparison,
    history_row,
    local_time,
)
from lnexplorer.domain.pinned import PinnedRun
from lnexplorer.domain.result import RunResult, compact
from lnexplorer.protocol.codec import encode, from_plain
from lnexplorer.store.check import check_timeline
from lnexplorer.store.database import Database, Table, Warn
from lnexplorer.store.files import StoreError
from lnexplorer.store.kernels import Kernels
from lnexplorer.store.packed import deflate, inflate, unpack
from lnexplorer.store.sweeps import Sweeps
from lnkernels.launch import SETTING
from lnkernels.values import Sentence, say
from lnkernels.values.timeline import ReductionTimeline

# Numbers as JSON, because SQLite takes some thousand arguments at most.
AMONG = "IN (SELECT value FROM json_each(?))"
COLUMNS = tuple(field.name for field in fields(HistoryRow))
MAPPINGS = ("verdicts", "launch", "peers")  # kept as JSON
# In which a run from a file may differ from the same one here, which may be of an older version.
TRANSIENT = {
    "id",
    "kind",
    "note",
    "norm",
    "verdicts",
    "launch",
    "setting",
    "peers",
    "forward_us",
    "backward_us",
}


class History:
    """The database of runs, experiments, sweeps and kernels, for one thread at a time; several
    programs may have it open.

    Args:
        path: of the database; made, with its folder, where it is missing.
        warn: called with a sentence when a file was kept under another name, and where a damaged
            row is left out.
        reading: nothing is made, changed or moved; the file has to be there.

    Raises:
        StoreError: the file cannot be used; it is left as it is. So does everything below.
    """

    def __init__(self, path: Path, warn: Warn, *, reading: bool = False) -> None:
        self._database = Database(path, TABLES, {"runs": Runs.columns}, warn, reading=reading)
        self.runs = Runs(self._database, warn)
        self.experiments = Experiments(self._database, warn)
        self.sweeps = Sweeps(self._database, warn)
        self.kernels = Kernels(self._database, warn)

    def has_changed(self) -> bool:
        return self._database.has_changed()

    def close(self) -> None:
        """Let go of the file, and of the sweeps that this program is at."""
        self.sweeps.release_all()
        self._database.close()


@contextmanager
def open_history(path: Path, warn: Warn, *, reading: bool = False) -> Iterator[History]:
    history = History(path, warn, reading=reading)
    try:
        yield history
    finally:
        history.close()


class Runs(Table):
    name = "runs"
    columns = (*COLUMNS[1:], "search")
    parts = ("results",)
    missing = say("There is no run {id}.")
    unreadable = say("Run {id} cannot be read: {why}.")

    def add(self, result: RunResult, note: str = "") -> int:
        """Keep a finished run, compact; return its number."""
        values = _to_columns(result) | {"note": note.encode(errors="replace").decode()}
        blob = deflate(compact(result))
        with self._database.change() as connection:
            id_ = self._insert(connection, values)
            connection.execute("INSERT INTO results (id, result) VALUES (?, ?)", (id_, blob))
        return id_

    def take(self, result: RunResult, note: str) -> int:
        """Keep a run of a file, unless it is here already, perhaps without a note.

        Returns:
            Its number here.
        """
        row = _to_columns(result)
        same = self._find_same({name: row[name] for name in COLUMNS if name not in TRANSIENT})
        if same is None:
            return self.add(result, note)
        if note and not self.rows([same])[0].note:
            self.annotate(same, note)
        return same

    def find(self, query: HistoryQuery) -> list[int]:
        """Return the numbers of the runs that match, in order.

        Raises:
            ValueError: the query compares what is no field, or with what is no value of it.
        """
        condition, arguments = _where(query)
        found = self._database.rows(
            f"SELECT id FROM runs WHERE {condition} ORDER BY {_order_by(query)}", arguments
        )
        return [id_ for (id_,) in found]

    def count(self) -> int:
        return int(self._database.rows("SELECT count(*) FROM runs WHERE deleted IS NULL")[0][0])

    def rows(self, ids: Sequence[int]) -> list[HistoryRow]:
        """Return the rows of these runs, in this order, without those that are damaged or gone."""
        rows = self._read_rows(
            COLUMNS[1:], _from_columns, f"AND id {AMONG}", [json.dumps(list(ids))]
        )
        by_id = {row.id: row for row in rows}
        return [by_id[id_] for id_ in ids if id_ in by_id]

    def load(self, id_: int) -> RunResult:
        """Return the whole run.

        Raises:
            StoreError: there is no such run, it is damaged, or another version of the program wrote
                it.
        """
        sql = "SELECT result FROM results JOIN runs USING (id) WHERE id = ? AND deleted IS NULL"
        return self._load(id_, sql, lambda blob: inflate(blob, RunResult))

    def pin(self, id_: int | None, trace: ReductionTimeline | None = None) -> None:
        """Compare other runs with this one and its trace, or with none."""
        with self._database.change() as connection:
            connection.execute("DELETE FROM settings WHERE name IN ('baseline', 'trace')")
            if id_ is not None:
                connection.execute("INSERT INTO settings VALUES ('baseline', ?)", (id_,))
            if trace is not None:
                connection.execute("INSERT INTO settings VALUES ('trace', ?)", (deflate(trace),))

    def pinned(self) -> PinnedRun | None:
        """Return the run that others are compared with, and its trace; None without one.

        Raises:
            StoreError: one of them is damaged.
        """
        number = self.baseline()
        if number is None:
            return None
        result = self.load(number)
        found = self._database.rows("SELECT value FROM settings WHERE name = 'trace'")
        trace = inflate(found[0][0], ReductionTimeline) if found else None
        if trace is not None:
            check_timeline(trace, result.resolved)
        return PinnedRun(result, trace)

    def baseline(self) -> int | None:
        """Return the number of the run that others are compared with."""
        sql = (
            "SELECT value FROM settings JOIN runs ON runs.id = value WHERE name = 'baseline' AND"
            " deleted IS NULL"
        )
        found = self._database.rows(sql)
        return int(found[0][0]) if found else None


class Experiments(Table):
    """Finished experiments with their findings, and those that ended before."""

    name = "experiments"
    columns = tuple(field.name for field in fields(ExperimentRow))[1:]
    blobs = ("record",)  # an ExperimentRecord, msgpack, deflated
    missing = say("There is no experiment {id}.")
    unreadable = say("Experiment {id} cannot be read: {why}.")

    def add(self, record: ExperimentRecord) -> int:
        """Keep an experiment; return its number."""
        with self._database.change() as connection:
            return self._insert(
                connection, _experiment_columns(record) | {"record": deflate(record)}
            )

    def take(self, record: ExperimentRecord) -> int:
        """Keep an experiment of a file, unless it is here already; return its number."""
        values = _experiment_columns(record)
        del values["kind"]
        same = self._find_same(values)
        return self.add(record) if same is None else same

    def rows(self) -> list[ExperimentRow]:
        """Return the rows of all, newest first, without those that are damaged."""

        def parse(values: dict[str, Any]) -> ExperimentRow:
            row = from_plain(values | {"reason": None}, ExperimentRow)
            return replace(row, reason=unpack(values["reason"], Sentence | None))

        return list(self._read_rows(self.columns, parse, "ORDER BY date DESC, id DESC"))

    def load(self, id_: int) -> ExperimentRecord:
        """Return the whole experiment.

        Raises:
            StoreError: there is no such experiment, it is damaged, or another version of the
                program wrote it.
        """

        def parse(blob: bytes) -> ExperimentRecord:
            record = inflate(blob, ExperimentRecord)
            if record.request.name not in EXPERIMENTS:
                raise StoreError("its experiment is not known")
            return record

        sql = "SELECT record FROM experiments WHERE id = ? AND deleted IS NULL"
        return self._load(id_, sql, parse)


# Lines and whole runs are apart, so that a filter reads no run.
TABLES = {
    "runs": (
        Runs.definition(),
        "CREATE INDEX runs_by_date ON runs (date, id) WHERE deleted IS NULL",
        "CREATE INDEX runs_deleted ON runs (deleted) WHERE deleted IS NOT NULL",
    ),
    # A RunResult, msgpack, deflated.
    "results": ("CREATE TABLE results (id INTEGER PRIMARY KEY, result)",),
    "experiments": (Experiments.definition(),),
    "sweeps": (Sweeps.definition(),),
    "kernels": (Kernels.definition(), "CREATE INDEX kernels_by_place ON kernels (place, version)"),
    "cells": (
        """
        CREATE TABLE cells (
            sweep REFERENCES sweeps (id) ON DELETE CASCADE,
            cell,
            stamp,   -- as `stamp_of` makes it
            result,  -- a CellResult, msgpack, deflated
            PRIMARY KEY (sweep, cell)
        )
        """,
    ),
    "settings": ("CREATE TABLE settings (name PRIMARY KEY, value)",),
}


def _experiment_columns(record: ExperimentRecord) -> dict[str, Any]:
    return {
        "date": record.date,
        "name": record.request.name,
        "kind": str(record.kind),
        "device": record.device,
        "m": record.resolved.m,
        "n": record.resolved.n,
        "dtype": record.resolved.dtype,
        "ended": record.ended,
        "reason": encode(record.reason),
        "done": record.done,
        "total": record.total,
    }


def _to_columns(result: RunResult) -> dict[str, Any]:
    """Return the values by column. A number that is not finite is NULL: SQLite has no NaN, and
    infinity no place in an order.
    """
    row = history_row(0, result.provenance.environment.date, result)
    values = {name: _plain(getattr(row, name)) for name in COLUMNS[1:]}
    parts = (
        local_time(row.date),
        row.device,
        row.kind,
        row.dtype,
        row.norm,
        row.strategy,
        f"{row.m}×{row.n}",
        f"{row.m}x{row.n}",
        row.setting,
    )
    return values | {
        **{name: json.dumps(getattr(row, name)) for name in MAPPINGS},
        "kind": str(row.kind),
        "failed": " ".join(row.failed),
        "search": " ".join(parts).lower(),
    }


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _from_columns(values: dict[str, Any]) -> HistoryRow:
    changed = {
        "passed": bool(values["passed"]),
        "failed": str(values["failed"]).split(),
        # of an older version there is none
        **{name: json.loads(values[name] or "{}") for name in MAPPINGS},
        "setting": values["setting"] or "",
        "norm": values["norm"] or "layer_norm",
    }
    return from_plain(values | changed, HistoryRow)


def _where(query: HistoryQuery) -> tuple[str, list[Any]]:
    """Return the condition of a query, and its arguments.

    Raises:
        ValueError: a comparison is of no known field, or of a day that is none.
    """
    conditions = ["deleted IS NULL"]
    arguments: list[Any] = []
    for word in query.words:
        # The note changes, and is not part of what is looked through first.
        conditions.append(
            "(instr(search, ?) OR (note <> '' AND instr(folded(CAST(note AS BLOB)), ?)))"
        )
        arguments += [word, word.casefold()]
    for comparison in query.comparisons:
        condition, values = _condition(comparison)
        conditions.append(condition)
        arguments += values
    if query.passed is not None:
        conditions.append("passed = ?")
        arguments.append(int(query.passed))
    return " AND ".join(conditions), arguments


def _order_by(query: HistoryQuery) -> str:
    """Return the order of a query. Runs without a value come last, whichever way; equal ones in the
    order of their numbers.
    """
    key = query.sorted_by
    if key not in (*NUMBERS, *WORDS, "passed"):
        raise ValueError(f"sorted_by = {key} is not possible: take a field of the history")
    way = "DESC" if query.descending else "ASC"
    # Without NULLS LAST for the date, which always has a value, its index gives the order.
    if key == "date":
        return f"date {way}, id {way}"
    return f"{_column(key)} {way} NULLS LAST, id {way}"


def _column(key: str) -> str:
    if key == "norm":
        return "coalesce(norm, 'layer_norm')"
    is_setting = key in SETTING and key not in COLUMNS
    return f"json_extract(launch, '$.{key}')" if is_setting else key


def _condition(comparison: RunComparison) -> tuple[str, list[Any]]:
    key, sign, value = comparison.key, comparison.sign, comparison.value
    if sign not in SIGNS or key not in (*NUMBERS, *WORDS):
        raise ValueError(f"{key} {sign} {value} is not possible: compare a field of the history")
    if key == "date":
        return _day_condition(sign, str(value))
    if key in WORDS:
        return f"folded(CAST({_column(key)} AS BLOB)) {sign} ?", [str(value).casefold()]
    return f"{_column(key)} {sign} ?", [value]


def _day_condition(sign: str, day: str) -> tuple[str, list[Any]]:
    start = date.fromisoformat(day)
    first, after = _utc(start), _utc(start + timedelta(days=1))
    if sign in ("=", "!="):
        inside = "(date >= ? AND date < ?)"
        return inside if sign == "=" else f"NOT {inside}", [first, after]
    return f"date {'<' if sign in ('<', '<=') else '>='} ?", [
        after if sign in ("<=", ">") else first
    ]


def _utc(day: date) -> str:
    """Return the start of a local day as dates are written in the history."""
    return datetime.combine(day, time()).astimezone().astimezone(UTC).isoformat(timespec="seconds")
