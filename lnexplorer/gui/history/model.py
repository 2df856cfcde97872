"""The history as a table: the numbers of all runs that match, and the lines of those that somebody has looked at.

A hundred thousand runs are a hundred thousand numbers here. A line is asked for when a view wants to paint it, with its
neighbours, and is there a moment later.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.history import HistoryRow, compare, unlike
from lnexplorer.gui.history.columns import COLUMNS, DIFFERENCES, PLACES, difference
from lnexplorer.gui.history.words import explanation, kind_word, title
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.shell.theme import LIGHT, Theme
from lnexplorer.gui.shell.tones import TONES
from lnkernels.values.environment import KIND_HELP

Index = QModelIndex | QPersistentModelIndex
BLOCK = 128  # lines that are asked for at a time
MOST_LINES = 64 * BLOCK  # that are remembered
WAITING = "…"


class HistoryModel(QAbstractTableModel):
    """Runs that match, in the order that was chosen."""

    rowsWanted = Signal(tuple)  # numbers of runs whose lines are missing  # noqa: N815
    sortRequested = Signal(str, bool)  # field, descending  # noqa: N815
    noteEdited = Signal(int, str)  # run, note  # noqa: N815

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids: NDArray[np.int64] = np.empty(0, np.int64)
        self._lines: dict[int, HistoryRow] = {}
        self._old: set[int] = set()  # runs whose line may have changed: it is shown until the new one is there
        self._wanted: set[int] = set()  # blocks that somebody looks at
        self._asked: set[int] = set()  # runs whose lines are under way
        self._asking = QTimer(self)
        self._asking.setSingleShot(True)
        self._asking.timeout.connect(self._ask)
        self._theme = LIGHT
        self.total = 0  # runs in the history, whether they match or not
        self.baseline: HistoryRow | None = None

    @property
    def ids(self) -> NDArray[np.int64]:
        """Numbers of the runs on show, in order."""
        return self._ids

    def row_at(self, place: int) -> HistoryRow | None:
        """The line of a row of the table; None while it is not here, and it is asked for then."""
        run = int(self._ids[place])
        line = self._lines.get(run)
        if line is None or run in self._old:
            self._wanted.add(place // BLOCK)
            if not self._asking.isActive():
                self._asking.start(0)
        return line

    def place_of(self, run: int) -> int | None:
        """The row of the table in which a run is, None where it does not match."""
        places = np.flatnonzero(self._ids == run)
        return int(places[0]) if places.size else None

    def set_listing(self, ids: NDArray[np.int64], total: int, baseline: HistoryRow | None) -> None:
        """Show these runs."""
        new, old, self.total, self.baseline = ids, self._ids, total, baseline
        self._old, self._asked = set(self._lines), set()
        added = _one_more(old, new)
        if added is not None:
            self.beginInsertRows(QModelIndex(), added, added)
            self._ids = new
            self.endInsertRows()
        elif not np.array_equal(old, new):
            self.beginResetModel()
            self._ids = new
            self.endResetModel()
        self._tell_all_changed()

    def set_rows(self, rows: list[HistoryRow]) -> None:
        """Take lines that were asked for."""
        if len(self._lines) > MOST_LINES:
            self._lines.clear()
            self._old.clear()
        for row in rows:
            self._lines[row.id] = row
            self._old.discard(row.id)
            self._asked.discard(row.id)
        self._tell_all_changed()

    def remove(self, runs: set[int]) -> None:
        """Show these no more."""
        kept = self._ids[~np.isin(self._ids, list(runs))]
        self.total -= self._ids.size - kept.size
        self.beginResetModel()
        self._ids = kept
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ask for another order."""
        chosen = COLUMNS[column]
        self.sortRequested.emit(chosen.sorted_by or chosen.key, order == Qt.SortOrder.DescendingOrder)

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self._tell_all_changed()

    def retranslate(self) -> None:
        """Take the words of the language."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Runs on show."""
        return 0 if parent.isValid() else self._ids.size

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Facts of a run."""
        return 0 if parent.isValid() else len(COLUMNS)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Notes can be edited."""
        editable = index.isValid() and COLUMNS[index.column()].key == "note"
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable if editable else super().flags(index)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Take a note."""
        row = self.row_at(index.row()) if index.isValid() else None
        if role != Qt.ItemDataRole.EditRole or row is None or COLUMNS[index.column()].key != "note":
            return False
        note = str(value).strip()
        if note != row.note:
            self._lines[row.id] = replace(row, note=note)
            self.noteEdited.emit(row.id, note)
            self.dataChanged.emit(index, index)
        return True

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text, colour, alignment and tooltip of a cell."""
        if not index.isValid():
            return None
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        row = self.row_at(index.row())
        if row is None:
            return WAITING if role == Qt.ItemDataRole.DisplayRole and index.column() == 0 else None
        result: object = None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                result = self._text(column.key, row)
            case Qt.ItemDataRole.ToolTipRole:
                result = self._tooltip(column.key, row)
            case Qt.ItemDataRole.ForegroundRole:
                result = self._colour(column.key, row)
            case Qt.ItemDataRole.FontRole if self.baseline is not None and row.id == self.baseline.id:
                font = QFont()
                font.setBold(True)
                result = font
        return result

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Names of the columns, and what they mean."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        column = COLUMNS[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title(column.key)
            case Qt.ItemDataRole.ToolTipRole:
                return explanation(column.key)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _ask(self) -> None:
        runs: list[int] = []
        for block in sorted(self._wanted):
            runs += [run for run in self._ids[block * BLOCK : (block + 1) * BLOCK].tolist() if self._lacks(run)]
        self._wanted.clear()
        if runs:
            self._asked.update(runs)
            self.rowsWanted.emit(tuple(runs))

    def _lacks(self, run: int) -> bool:
        return (run not in self._lines or run in self._old) and run not in self._asked

    def _tell_all_changed(self) -> None:
        if self._ids.size:
            self.dataChanged.emit(self.index(0, 0), self.index(self._ids.size - 1, len(COLUMNS) - 1))

    def _comparison(self, key: str, row: HistoryRow) -> Interval | None:
        return None if self.baseline is None else compare(row, self.baseline, key.removesuffix("_difference"))

    def _lacks_samples(self, key: str, row: HistoryRow) -> bool:
        """Whether there are two speeds that could be compared, and only their intervals are missing."""
        return self.baseline is not None and not unlike(row, self.baseline) and self._has_speeds(key, row)

    def _has_speeds(self, key: str, row: HistoryRow) -> bool:
        """Whether both the run and the baseline have a speed."""
        direction = key.removesuffix("_difference")
        return self.baseline is not None and all(getattr(one, f"{direction}_gbps") for one in (row, self.baseline))

    def _unlike(self, row: HistoryRow) -> str:
        """What makes a run incomparable with the baseline, in words; empty where nothing does."""
        difference = "" if self.baseline is None else unlike(row, self.baseline)
        return {"problem": self.tr("another problem"), "device": self.tr("another device")}.get(difference, "")

    def _text(self, key: str, row: HistoryRow) -> str:
        if key in DIFFERENCES:
            return self._difference(key, row)
        if key == "kind":
            return kind_word(row.kind)
        if key == "passed" and not row.passed:
            return "✗ " + ", ".join(row.failed)
        text = COLUMNS[PLACES[key]].text(getattr(row, key))
        counted = getattr(row, key.replace("_gbps", "_counted")) if key.endswith("_gbps") else None
        return text if counted is None else f"{text} ({wording.gbps(counted)})"

    def _difference(self, key: str, row: HistoryRow) -> str:
        if self.baseline is not None and row.id == self.baseline.id:
            return self.tr("baseline")
        interval = self._comparison(key, row)
        if interval is None:
            return (self._unlike(row) if self._has_speeds(key, row) else "") or wording.ABSENT
        if interval.holds_nothing:
            return self.tr("within noise")
        return difference(interval)

    def _tooltip(self, key: str, row: HistoryRow) -> str:
        text = f"{title(key)}: {self._text(key, row)}"
        if key == "kind":
            text = domain_text(KIND_HELP[row.kind])
        elif key in {"forward_share", "backward_share"}:
            text = self.tr("forward {forward}, backward {backward} of the measured ceiling").format(
                forward=wording.share(row.forward_share), backward=wording.share(row.backward_share)
            )
        elif key == "passed" and not row.passed:
            text = self.tr("Beyond tolerance: {names}").format(names=", ".join(row.failed))
        elif key in DIFFERENCES and (interval := self._comparison(key, row)) is not None:
            text = self.tr("{difference} % (95 %: {low} to {high} %)").format(
                difference=f"{100 * (interval.value - 1):+.1f}",
                low=f"{100 * (interval.low - 1):+.1f}",
                high=f"{100 * (interval.high - 1):+.1f}",
            )
        elif key in DIFFERENCES and self._has_speeds(key, row) and self._unlike(row):
            text = self.tr("Speeds are compared for one problem on one device: this run has other M, N, dtype or another GPU.")
        elif key in DIFFERENCES and self._lacks_samples(key, row):
            text = self.tr("Too few times were measured to say how far the speeds are apart.")
        return text

    def _colour(self, key: str, row: HistoryRow) -> QColor | None:
        if key == "passed":
            return QColor(self._theme.good if row.passed else self._theme.bad)
        if key.removesuffix("_error") in row.failed:
            return QColor(self._theme.bad)
        if key == "kind":
            return QColor(getattr(self._theme, TONES[row.kind]))
        if key in DIFFERENCES:
            interval = self._comparison(key, row)
            if interval is not None and not interval.holds_nothing:
                return QColor(self._theme.good if interval.value > 1 else self._theme.bad)
        return QColor(self._theme.muted) if key in {"date", "device", *DIFFERENCES} else None


def _one_more(old: NDArray[np.int64], new: NDArray[np.int64]) -> int | None:
    """Where `new` has one run more than `old`; None where they differ otherwise."""
    if new.size != old.size + 1:
        return None
    differs = np.flatnonzero(old != new[:-1])
    place = int(differs[0]) if differs.size else old.size
    return place if np.array_equal(old[place:], new[place + 1 :]) else None
