"""The runs of the history for a command that only reads: the file stays as it is, and what cannot be read costs nothing else."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lnexplorer.domain.history import HistoryRow, history_row
from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.domain.result import RunResult
from lnexplorer.store.aside import reason
from lnexplorer.store.database import DAMAGED, Connection, code, other_tables_are_damage
from lnexplorer.store.history_file import WHY
from lnexplorer.store.history_lines import COLUMNS, from_columns
from lnexplorer.store.history_schema import VERSION, HistoryError, NewerHistoryError, insert_line, prepare, version_of
from lnexplorer.store.history_store import BUSY_SECONDS, Store, line_of

MOST = 1_000_000  # numbers that are looked for in a damaged file, in which a number may be anything
MAY_BE_DELETED = "its line in the list is damaged, so that it may be a deleted one"


@dataclass(eq=False, slots=True)
class ReadRuns:
    """What there is of the runs that were asked for, in their order."""

    runs: list[tuple[int, str, RunResult]] = field(default_factory=list)  # number, note, run
    unread: dict[int, str] = field(default_factory=dict)  # why a run cannot be read, in a few words
    without_note: list[int] = field(default_factory=list)  # runs that can be read, and whose notes cannot
    baseline: int | None = None
    no_baseline: str | None = None  # why it is not known which run is the baseline
    broken: str | None = None  # why nothing can be read, in one sentence
    damaged: bool = False  # whether SQLite found the file damaged


def read_runs(path: Path, query: HistoryQuery, count: int | None) -> ReadRuns:
    """Runs of the history. Nothing is written: a missing file is not made, an old one is read in memory, a damaged one stays.

    Args:
        path: of the database.
        query: which runs, in which order.
        count: how many of them at most, from the first on; None for all.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ReadRuns()
    except OSError as error:
        return ReadRuns(broken=f"The history in {path} cannot be read: {reason(error)}.")
    try:
        with closing(_opened(path)) as connection:
            try:
                with other_tables_are_damage():
                    return _as_listed(connection, query, count)
            except sqlite3.Error as error:
                if code(error) not in DAMAGED:
                    raise
                return _one_by_one(connection, query, count)
    except NewerHistoryError as error:
        return ReadRuns(broken=str(error))
    except sqlite3.Error as error:
        return ReadRuns(broken=f"The history in {path} cannot be read: {_why(error)}.", damaged=code(error) in DAMAGED)


def _opened(path: Path) -> Connection:
    # Not mode=ro: that leaves its -wal and -shm behind.
    connection = _connected(f"{path.absolute().as_uri()}?mode=rw")
    try:
        connection.execute("PRAGMA query_only = ON")
        if version_of(connection, str(path)) == VERSION:
            return connection
        copy = _connected(":memory:")
        try:
            connection.backup(copy)
            _prepare(copy, str(path))
        except BaseException:
            copy.close()
            raise
    except BaseException:
        connection.close()
        raise
    connection.close()
    return copy


def _connected(name: str) -> Connection:
    return sqlite3.connect(name, uri=True, timeout=BUSY_SECONDS, isolation_level=None, factory=Connection)


def _prepare(connection: Connection, path: str) -> None:
    try:
        prepare(connection, path, line_of)
    except sqlite3.Error as error:
        # With tables of this version, what is damaged in them is met where it is read.
        if code(error) not in DAMAGED or version_of(connection, path) != VERSION:
            raise


def _as_listed(connection: Connection, query: HistoryQuery, count: int | None) -> ReadRuns:
    store = Store.of(connection)
    found = ReadRuns(baseline=store.baseline())
    numbers = store.select(query)[:count].tolist()
    lines = store.rows(numbers)
    for number in numbers:
        # A line that is not understood costs its note.
        _load(store, number, lines[number].note if number in lines else None, found)
    return found


def _one_by_one(connection: Connection, query: HistoryQuery, count: int | None) -> ReadRuns:
    """Look at each number by itself, and ask the query of what can be read."""
    store, found = Store.of(connection), ReadRuns(damaged=True)
    with closing(_connected(":memory:")) as memory:
        prepare(memory, ":memory:", line_of)
        lost = _copy_lines(connection, memory, found)
        lines = Store.of(memory)
        numbers = lines.select(query)[:count].tolist()
        kept = lines.rows(numbers)
    for number in numbers:
        _load(store, number, None if number in lost else kept[number].note, found, listed=False)
    try:
        found.baseline = store.baseline()
    except sqlite3.Error as error:
        found.no_baseline = _why(error)
    return found


def _copy_lines(connection: Connection, memory: Connection, found: ReadRuns) -> set[int]:
    """Write the lines that can be read into `memory`, and those that their runs tell; the numbers of these."""
    store = Store.of(connection)
    dates, all_dates = _dates(connection)
    lost = set()
    for number in range(1, min(_highest(connection, dates), MOST) + 1):
        try:
            line = _line(connection, number)
            if line is not None:
                insert_line(memory, line, with_id=True)
            continue
        except (sqlite3.Error, ValueError, TypeError, AttributeError) as error:
            why = _why(error) if isinstance(error, sqlite3.Error) else f"its line in the list is damaged: {error}"
        if number not in dates and all_dates:
            continue  # it is deleted, or forgotten
        try:
            result = store.load(number, listed=False)
        except HistoryError as error:
            if error.__cause__ is not None:  # else there is none
                found.unread[number] = _unreadable(error)
        except sqlite3.Error as error:
            found.unread[number] = _why(error)
        else:
            if number in dates:
                insert_line(memory, history_row(number, dates[number], result), with_id=True)
                lost.add(number)
            else:
                found.unread[number] = f"{MAY_BE_DELETED} ({why})"
    return lost


def _line(connection: Connection, number: int) -> HistoryRow | None:
    """The line of a run; None where there is none, or it is deleted."""
    sql = f"SELECT deleted, {', '.join(COLUMNS)} FROM lines WHERE id = ?"
    values = connection.execute(sql, (number,)).fetchone()
    return None if values is None or values[0] is not None else from_columns(values[1:])


def _dates(connection: Connection) -> tuple[dict[int, str], bool]:
    """Dates of runs that are not deleted, by number, from the index, which lies apart from the lines; whether these are all."""
    dates: dict[int, str] = {}
    whole = True
    for way in ("ASC", "DESC"):  # from both ends to where it is damaged
        sql = f"SELECT id, date FROM lines INDEXED BY lines_by_date WHERE deleted IS NULL ORDER BY date {way}, id {way}"
        try:
            dates.update(line for line in connection.execute(sql) if isinstance(line[0], int) and isinstance(line[1], str))
        except sqlite3.Error:
            whole = False
    return dates, whole


def _highest(connection: Connection, dates: dict[int, str]) -> int:
    """The highest number that a run may have."""

    def numbers() -> Iterator[int]:
        yield from dates
        for sql in (
            "SELECT seq FROM sqlite_sequence WHERE name = 'lines'",
            *(f"SELECT id FROM {table} ORDER BY id {way}" for table in ("lines", "results") for way in ("DESC", "ASC")),
        ):
            with suppress(sqlite3.Error):
                yield from (number for (number,) in connection.execute(sql) if isinstance(number, int))

    return max((number for number in numbers() if number <= MOST), default=0)


def _load(store: Store, number: int, note: str | None, found: ReadRuns, *, listed: bool = True) -> None:
    try:
        result = store.load(number, listed=listed)
    except HistoryError as error:
        if error.__cause__ is not None:  # else another program has deleted it by now
            found.unread[number] = _unreadable(error)
    except sqlite3.Error as error:
        found.unread[number] = _why(error)
        found.damaged = found.damaged or code(error) in DAMAGED
    else:
        found.runs.append((number, note or "", result))
        if note is None:
            found.without_note.append(number)


def _unreadable(error: HistoryError) -> str:
    return f"it is damaged, or another version of this program wrote it ({error.__cause__})"


def _why(error: sqlite3.Error) -> str:
    return WHY.get(code(error), str(error))
