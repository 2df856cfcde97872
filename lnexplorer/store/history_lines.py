"""A HistoryRow as columns of SQLite, and a HistoryQuery as SQL."""

import math
from dataclasses import fields
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from lnexplorer.domain.history import HistoryRow
from lnexplorer.domain.history_query import NUMBERS, SIGNS, WORDS, Comparison, HistoryQuery
from lnkernels.values.environment import Kind

# In the order of the fields of HistoryRow.
COLUMNS = tuple(field.name for field in fields(HistoryRow))
DEFINITIONS = """
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    date TEXT NOT NULL,
    kind TEXT NOT NULL,
    device TEXT NOT NULL,
    m INTEGER NOT NULL,
    n INTEGER NOT NULL,
    dtype TEXT NOT NULL,
    strategy TEXT NOT NULL,
    group_size_m INTEGER,
    passed INTEGER NOT NULL,
    failed TEXT NOT NULL,  -- names, joined by spaces
    y_error REAL, dx_error REAL, dw_error REAL, db_error REAL,
    forward_gbps REAL, backward_gbps REAL, forward_share REAL, backward_share REAL,
    forward_low REAL, forward_high REAL, backward_low REAL, backward_high REAL,
    forward_counted REAL, backward_counted REAL,
    note TEXT NOT NULL DEFAULT '',
    search TEXT NOT NULL,  -- what words are looked for in, lower case
    deleted REAL           -- when it was deleted, seconds since 1970; NULL while it is kept
"""


def to_columns(row: HistoryRow) -> dict[str, Any]:
    """Values by column. A number that is not finite is NULL: SQLite has no NaN, and an infinity has no place in an order."""
    values = {name: _plain(getattr(row, name)) for name in COLUMNS}
    return values | {"kind": str(row.kind), "failed": " ".join(row.failed), "search": search_text(row)}


def from_columns(values: tuple[Any, ...]) -> HistoryRow:
    """The row of `COLUMNS`, in their order.

    Raises:
        ValueError: a newer version of the program has kinds that this one does not know.
    """
    found = dict(zip(COLUMNS, values, strict=True))
    found["kind"] = Kind(found["kind"])
    found["passed"] = bool(found["passed"])
    found["failed"] = tuple(found["failed"].split())
    return HistoryRow(**found)


def search_text(row: HistoryRow) -> str:
    """What the words of a query are looked for in, without the note, which changes."""
    parts = (local_minute(row.date), row.device, row.kind, row.dtype, row.strategy)
    return " ".join([*parts, f"{row.m}×{row.n}", f"{row.m}x{row.n}"]).lower()


def local_minute(iso: str) -> str:
    """A date of the history in local time, as it is shown."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return iso


def where(query: HistoryQuery) -> tuple[str, list[Any]]:
    """The condition of a query, and its arguments.

    Raises:
        ValueError: a comparison is of no known field, or of a day that is none.
    """
    conditions = ["deleted IS NULL"]
    arguments: list[Any] = []
    for word in query.words:
        conditions.append("(instr(search, ?) OR (note <> '' AND instr(folded(note), ?)))")
        arguments += [word, word.casefold()]
    for comparison in query.comparisons:
        condition, values = _condition(comparison)
        conditions.append(condition)
        arguments += values
    if query.passed is not None:
        conditions.append("passed = ?")
        arguments.append(int(query.passed))
    return " AND ".join(conditions), arguments


def order_by(query: HistoryQuery) -> str:
    """The order of a query. Runs without a value come last, whichever way; equal ones in the order of their numbers."""
    key = query.sorted_by
    if key not in (*NUMBERS, *WORDS, "passed"):
        raise ValueError(f"sorted_by = {key} is not possible: take a field of the history")
    way = "DESC" if query.descending else "ASC"
    # Without NULLS LAST for the date, which always has a value, its index gives the order.
    return f"{key} {way}, id {way}" if key == "date" else f"{key} {way} NULLS LAST, id {way}"


def _condition(comparison: Comparison) -> tuple[str, list[Any]]:
    key, sign, value = comparison.key, comparison.sign, comparison.value
    if sign not in SIGNS or key not in (*NUMBERS, *WORDS):
        raise ValueError(f"{key} {sign} {value} is not possible: compare a field of the history")
    if key == "date":
        return _day_condition(sign, str(value))
    if key in WORDS:
        return f"folded({key}) {sign} ?", [str(value).casefold()]
    return f"{key} {sign} ?", [value]


def _day_condition(sign: str, day: str) -> tuple[str, list[Any]]:
    start = date.fromisoformat(day)
    first, after = _utc(start), _utc(start + timedelta(days=1))
    if sign in ("=", "!="):
        inside = "(date >= ? AND date < ?)"
        return inside if sign == "=" else f"NOT {inside}", [first, after]
    return f"date {'<' if sign in ('<', '<=') else '>='} ?", [after if sign in ("<=", ">") else first]


def _utc(day: date) -> str:
    """The begin of a local day as dates are written in the history."""
    return datetime.combine(day, time()).astimezone().astimezone(UTC).isoformat(timespec="seconds")


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
