"""Histories with a few small runs, their lines, and changes behind their back."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from lnexplorer.domain.history import HistoryQuery
from lnexplorer.store.history import History, open_history
from lnexplorer.store.recordings import RecordedSweep
from tests.store.examples import small_result

OLDEST_FIRST = HistoryQuery(sorted_by="id", descending=False)


@contextmanager
def open_whole(path: Path, *, reading: bool = False) -> Iterator[History]:
    """A history of which nothing is to be told."""
    with open_history(
        path, lambda sentence: pytest.fail(str(sentence)), reading=reading
    ) as history:
        yield history


def filled(path: Path, count: int = 3) -> list[int]:
    with open_whole(path) as history:
        return [history.runs.add(small_result()) for _ in range(count)]


def ids_of(history: History, query: HistoryQuery = OLDEST_FIRST) -> list[int]:
    return history.runs.find(query)


def keep_sweeps(path: Path, *sweeps: RecordedSweep) -> None:
    with open_whole(path) as history:
        for sweep in sweeps:
            history.sweeps.take(sweep)


def change(path: Path, *statements: str) -> None:
    """Change the file of a history as another program would."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
