"""Rows of the history, and what answers its pane."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex

from lnexplorer.domain.history import ExperimentRow, HistoryRow, SweepRow
from lnexplorer.domain.history_query import HistoryQuery
from lnexplorer.gui.history.columns import place
from lnexplorer.gui.history.pane import HistoryPane
from lnexplorer.gui.history.table import HistoryTable
from lnkernels.sentence import verbatim
from lnkernels.values.environment import Kind

ROW = HistoryRow(
    id=1,
    date="2025-11-20T09:30:00+00:00",
    kind=Kind.MEASURED,
    device="NVIDIA H200",
    m=4096,
    n=8192,
    dtype="float16",
    strategy="locked",
    group_size_m=96,
    passed=True,
    failed=(),
    y_error=9.5e-4,
    dx_error=2.4e-4,
    dw_error=2.1e-6,
    db_error=1.1e-6,
    forward_gbps=2765.0,
    backward_gbps=1689.0,
    forward_share=0.76,
    backward_share=0.445,
)
INTERPRETED = replace(
    ROW,
    id=2,
    date="2025-11-20T09:31:00+00:00",
    kind=Kind.INTERPRETED,
    device="CPU",
    m=64,
    n=512,
    forward_gbps=None,
    backward_gbps=None,
    forward_share=None,
    backward_share=None,
)
WRONG = replace(ROW, id=3, date="2025-11-20T09:32:00+00:00", n=1024, passed=False, failed=("dw",), dw_error=float("nan"))
ROWS = [ROW, INTERPRETED, WRONG]
SWEEP = SweepRow(id=4, date=ROW.date, command="--m 4096 --n 1024,2048", total=2, done=2, ended="finished")
EXPERIMENT = ExperimentRow(
    id=7,
    date=ROW.date,
    name="order",
    kind=Kind.MEASURED,
    device="NVIDIA H200",
    m=4096,
    n=2048,
    dtype="float16",
    ended="finished",
    reason=None,
    done=0,
    total=0,
)
STOPPED = replace(EXPERIMENT, id=8, name="barrier", ended="stopped", done=120, total=2000)
FAILED = replace(EXPERIMENT, id=9, ended="failed", reason=verbatim("The worker crashed."), kind=Kind.INTERPRETED)


def numbers(*runs: int) -> NDArray[np.int64]:
    return np.array(runs, np.int64)


class Runs:
    """What the history would answer, from a list."""

    def __init__(self, pane: HistoryPane, rows: list[HistoryRow]) -> None:
        self.pane, self.rows = pane, {row.id: row for row in rows}
        self.deleted: set[int] = set()
        self.baseline: int | None = None
        self.queries: list[HistoryQuery] = []
        self.pages: list[tuple[int, ...]] = []
        pane.queryChanged.connect(self.find)
        pane.rowsWanted.connect(self.read)
        pane.deleteRequested.connect(lambda kind, ids: self.deleted.update(ids) if kind == "runs" else None)
        pane.undoDeleteRequested.connect(self.undelete)
        pane.pinRequested.connect(self.pin)
        pane.bar.set_facets({"strategy": ("locked",), "dtype": ("float16",), "device": ("CPU", "NVIDIA H200")})
        pane.refresh()

    def find(self, query: HistoryQuery) -> None:
        self.queries.append(query)
        rows = [row for row in self.rows.values() if row.id not in self.deleted and query.passed in (None, row.passed)]
        rows = [row for row in rows if all(word in row.device.lower() for word in query.words)]
        rows.sort(key=lambda row: (getattr(row, query.sorted_by), row.id), reverse=query.descending)
        baseline = None if self.baseline is None else self.rows[self.baseline]
        self.pane.set_listing(numbers(*(row.id for row in rows)), len(self.rows) - len(self.deleted), baseline)

    def read(self, ids: tuple[int, ...]) -> None:
        self.pages.append(ids)
        self.pane.set_rows([self.rows[id_] for id_ in ids])

    def undelete(self, kind: str, ids: tuple[int, ...]) -> None:
        if kind == "runs":
            self.deleted -= set(ids)
            self.pane.refresh()

    def pin(self, run: int | None) -> None:
        self.baseline = run
        self.pane.refresh()


def runs(pane: HistoryPane) -> list[int]:
    return [int(run) for run in pane.model.ids]


def text(pane: HistoryPane, row: int, key: str) -> str:
    return str(pane.model.data(cell(pane.table, row, key)))


def cell(table: HistoryTable, row: int, key: str) -> QModelIndex:
    return table.rows.index(row, place(table.rows.columns, key))


def kept_text(table: HistoryTable, row: int, key: str) -> str:
    return str(table.rows.data(cell(table, row, key)))


def shown(table: HistoryTable) -> list[int]:
    return [int(number) for number in table.rows.ids]
