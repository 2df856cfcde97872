"""Histories with a few small runs, and their lines."""

from pathlib import Path

import pytest

from lnexplorer.domain.history import HistoryRow
from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.store.history import History
from tests.store.examples import small_result

OLDEST_FIRST = HistoryQuery(sorted_by="id", descending=False)


def filled(path: Path, count: int = 3) -> list[int]:
    history = History(path, pytest.fail)
    ids = [history.add(small_result()) for _ in range(count)]
    history.close()
    return ids


def rows(history: History, query: HistoryQuery = OLDEST_FIRST) -> list[HistoryRow]:
    return history.rows(history.find(query).ids.tolist())


def ids_of(history: History, query: HistoryQuery = OLDEST_FIRST) -> list[int]:
    return [row.id for row in rows(history, query)]
