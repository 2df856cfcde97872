"""The tables of the history: one model for all kinds of rows, which are held here or come as they are looked at."""

from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont

from lnexplorer.domain import wording
from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.experiments.words import QUESTIONS, TITLES
from lnexplorer.domain.history import ExperimentRow, HistoryRow, SweepRow, compare, unlike
from lnexplorer.gui.charts.theme import LIGHT, TONES, Theme
from lnexplorer.gui.history.columns import DIFFERENCES, EXPERIMENTS, RUNS, SWEEPS, WRITTEN, Column, difference, written_date
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.values.environment import KIND_HELP

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row", HistoryRow, SweepRow, ExperimentRow)
BLOCK = 128  # lines that are asked for at a time
MOST_LINES = 64 * BLOCK  # that are remembered
WAITING = "…"


class HistoryModel(QAbstractTableModel, Generic[Row]):
    """Rows of one kind by their numbers, in the order that was chosen. What a cell says of its row, each kind knows."""

    noteEdited = Signal(int, str)  # row, note

    def __init__(self, columns: tuple[Column, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns
        self.ids: NDArray[np.int64] = np.empty(0, np.int64)  # of the rows on show, in order
        self.total = 0  # rows that there are, whether they match or not
        self._theme = LIGHT

    def row_at(self, place: int) -> Row | None:
        raise NotImplementedError

    def text(self, key: str, row: Row) -> str:
        raise NotImplementedError

    def tooltip(self, key: str, row: Row) -> str:
        raise NotImplementedError

    def colour(self, _key: str, _row: Row) -> str | None:
        return None

    def keep_note(self, row: Row, note: str) -> None:
        raise NotImplementedError

    def place_of(self, number: int) -> int | None:
        """The row of the table in which a number is, None where it does not match."""
        places = np.flatnonzero(self.ids == number)
        return int(places[0]) if places.size else None

    def remove(self, numbers: set[int]) -> None:
        kept = self.ids[~np.isin(self.ids, list(numbers))]
        self.total -= self.ids.size - kept.size
        self.set_ids(kept)

    def set_ids(self, new: NDArray[np.int64]) -> None:
        """Show other rows. One more is put in its place, and the others stay where they are."""
        old = self.ids
        added = _one_more(old, new)
        if added is not None:
            self.beginInsertRows(QModelIndex(), added, added)
            self.ids = new
            self.endInsertRows()
        elif not np.array_equal(old, new):
            self.beginResetModel()
            self.ids = new
            self.endResetModel()
        self.tell_all_changed()

    def tell_all_changed(self) -> None:
        if self.ids.size:
            self.dataChanged.emit(self.index(0, 0), self.index(self.ids.size - 1, len(self.columns) - 1))

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.tell_all_changed()

    def retranslate(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        self.tell_all_changed()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self.ids.size

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        editable = index.isValid() and self.columns[index.column()].key == "note"
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable if editable else super().flags(index)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row_at(index.row()) if index.isValid() else None
        if role != Qt.ItemDataRole.EditRole or row is None or isinstance(row, ExperimentRow):
            return False
        note = str(value).strip()
        if note != row.note:
            self.keep_note(row, note)
            self.noteEdited.emit(row.id, note)
            self.dataChanged.emit(index, index)
        return True

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
        row = self.row_at(index.row())
        if row is None:
            return WAITING if role == Qt.ItemDataRole.DisplayRole and index.column() == 0 else None
        result: object = None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                result = self.text(column.key, row)
            case Qt.ItemDataRole.ToolTipRole:
                result = self.tooltip(column.key, row)
            case Qt.ItemDataRole.ForegroundRole:
                colour = self.colour(column.key, row)
                result = QColor(colour) if colour is not None else None
            case Qt.ItemDataRole.FontRole if self.is_baseline(row):
                font = QFont()
                font.setBold(True)
                result = font
        return result

    def is_baseline(self, _row: Row) -> bool:
        return False

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title_text
            case Qt.ItemDataRole.ToolTipRole:
                return column.help_text
            case Qt.ItemDataRole.TextAlignmentRole:
                return column.alignment
            case Qt.ItemDataRole.InitialSortOrderRole if column.falls:
                return Qt.SortOrder.DescendingOrder.value
        return None


class RunModel(HistoryModel[HistoryRow]):
    """The numbers of all runs that match, and the lines of those that somebody has looked at.

    A hundred thousand runs are a hundred thousand numbers here. A line is asked for when a view wants to paint it, with
    its neighbours, and is there a moment later.
    """

    rowsWanted = Signal(tuple)  # numbers of runs whose lines are missing
    sortRequested = Signal(str, bool)  # field, descending

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(RUNS, parent)
        self.baseline: HistoryRow | None = None
        self._lines: dict[int, HistoryRow] = {}
        self._old: set[int] = set()  # runs whose line may have changed: it is shown until the new one is there
        self._wanted: set[int] = set()  # blocks that somebody looks at
        self._asked: set[int] = set()  # runs whose lines are under way
        self._asking = QTimer(self)
        self._asking.setSingleShot(True)
        self._asking.timeout.connect(self._ask)

    def row_at(self, place: int) -> HistoryRow | None:
        run = int(self.ids[place])
        line = self._lines.get(run)
        if line is None or run in self._old:
            self._wanted.add(place // BLOCK)
            if not self._asking.isActive():
                self._asking.start(0)
        return line

    def set_listing(self, ids: NDArray[np.int64], total: int, baseline: HistoryRow | None) -> None:
        self.total, self.baseline = total, baseline
        self._old, self._asked = set(self._lines), set()
        self.set_ids(ids)

    def set_rows(self, rows: list[HistoryRow]) -> None:
        if len(self._lines) > MOST_LINES:
            self._lines.clear()
            self._old.clear()
        for row in rows:
            self._lines[row.id] = row
            self._old.discard(row.id)
            self._asked.discard(row.id)
        self.tell_all_changed()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        chosen = self.columns[column]
        self.sortRequested.emit(chosen.sorted_by or chosen.key, order == Qt.SortOrder.DescendingOrder)

    def keep_note(self, row: HistoryRow, note: str) -> None:
        self._lines[row.id] = replace(row, note=note)

    def is_baseline(self, row: HistoryRow) -> bool:
        return self.baseline is not None and row.id == self.baseline.id

    def _ask(self) -> None:
        runs: list[int] = []
        for block in sorted(self._wanted):
            near = self.ids[block * BLOCK : (block + 1) * BLOCK].tolist()
            runs += [run for run in near if (run not in self._lines or run in self._old) and run not in self._asked]
        self._wanted.clear()
        if runs:
            self._asked.update(runs)
            self.rowsWanted.emit(tuple(runs))

    def text(self, key: str, row: HistoryRow) -> str:
        if key in DIFFERENCES:
            return self._difference(key, row)
        if key == "kind":
            return domain_text(row.kind.value)
        if key == "passed" and not row.passed:
            return "✗ " + ", ".join(row.failed)
        text = WRITTEN.get(key, str)(getattr(row, key))
        counted = getattr(row, key.replace("_gbps", "_counted")) if key.endswith("_gbps") else None
        return text if counted is None else f"{text} ({wording.gbps(counted)})"

    def tooltip(self, key: str, row: HistoryRow) -> str:
        if key == "kind":
            return domain_text(KIND_HELP[row.kind])
        if key in {"forward_share", "backward_share"}:
            return self.tr("forward {forward}, backward {backward} of the measured ceiling").format(
                forward=wording.share(row.forward_share), backward=wording.share(row.backward_share)
            )
        if key == "passed" and not row.passed:
            return self.tr("Beyond tolerance: {names}").format(names=", ".join(row.failed))
        if key in DIFFERENCES:
            return self._about_difference(key, row)
        title = next(column for column in self.columns if column.key == key).title_text
        return f"{title}: {self.text(key, row)}"

    def colour(self, key: str, row: HistoryRow) -> str | None:
        theme = self._theme
        if key == "passed":
            return theme.good if row.passed else theme.bad
        if key.removesuffix("_error") in row.failed:
            return theme.bad
        if key == "kind":
            return str(getattr(theme, TONES[row.kind]))
        if key in DIFFERENCES:
            interval = self._comparison(key, row)
            if interval is not None and not interval.holds_nothing:
                return theme.good if interval.value > 1 else theme.bad
        return theme.muted if key in {"date", "device", *DIFFERENCES} else None

    def _comparison(self, key: str, row: HistoryRow) -> Interval | None:
        return None if self.baseline is None else compare(row, self.baseline, key.removesuffix("_difference"))

    def _has_speeds(self, key: str, row: HistoryRow) -> bool:
        direction = key.removesuffix("_difference")
        return self.baseline is not None and all(getattr(one, f"{direction}_gbps") for one in (row, self.baseline))

    def _difference(self, key: str, row: HistoryRow) -> str:
        if self.is_baseline(row):
            return self.tr("baseline")
        interval = self._comparison(key, row)
        if interval is not None:
            return self.tr("within noise") if interval.holds_nothing else difference(interval)
        if self.baseline is None or not self._has_speeds(key, row):
            return wording.ABSENT
        words = {"problem": self.tr("another problem"), "device": self.tr("another device")}
        return words.get(unlike(row, self.baseline), wording.ABSENT)

    def _about_difference(self, key: str, row: HistoryRow) -> str:
        interval = self._comparison(key, row)
        if interval is not None:
            return self.tr("{difference} % (95 %: {low} to {high} %)").format(
                difference=f"{100 * (interval.value - 1):+.1f}",
                low=f"{100 * (interval.low - 1):+.1f}",
                high=f"{100 * (interval.high - 1):+.1f}",
            )
        if self.baseline is None or not self._has_speeds(key, row):
            return ""
        if unlike(row, self.baseline):
            return self.tr("Speeds are compared for one problem on one device: this run has other M, N, dtype or another GPU.")
        return self.tr("Too few times were measured to say how far the speeds are apart.")


class KeptModel(HistoryModel[Row]):
    """Rows of which there are few enough to be held here: filtered by words, and sorted, without asking anybody."""

    def __init__(self, columns: tuple[Column, ...], parent: QObject | None = None) -> None:
        super().__init__(columns, parent)
        self._all: dict[int, Row] = {}
        self._words: tuple[str, ...] = ()
        self._sorted_by, self._descending = "date", True

    def set_rows(self, rows: list[Row]) -> None:
        self._all, self.total = {row.id: row for row in rows}, len(rows)
        self._show()

    def set_filter(self, text: str) -> None:
        """Show only rows of whose text every word is a part."""
        self._words = tuple(text.casefold().split())
        self._show()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by, self._descending = self.columns[column].key, order == Qt.SortOrder.DescendingOrder
        self._show()

    def row_at(self, place: int) -> Row | None:
        return self._all[int(self.ids[place])]

    def remove(self, numbers: set[int]) -> None:
        self.set_rows([row for row in self._all.values() if row.id not in numbers])

    def sort_value(self, key: str, row: Row) -> Any:
        return row.date if key == "date" else self.text(key, row).casefold()

    def _show(self) -> None:
        found = [row for row in self._all.values() if self._matches(row)]
        found.sort(key=lambda row: (self.sort_value(self._sorted_by, row), row.id), reverse=self._descending)
        self.set_ids(np.array([row.id for row in found], np.int64))

    def _matches(self, row: Row) -> bool:
        text = " ".join(self.text(column.key, row) for column in self.columns).casefold() if self._words else ""
        return all(word in text for word in self._words)


class SweepModel(KeptModel[SweepRow]):
    """The sweeps that are kept: what each asked, how far it came, and what its user says about it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(SWEEPS, parent)

    def text(self, key: str, row: SweepRow) -> str:
        if key == "date":
            return written_date(row.date)
        return self._state(row) if key == "state" else str(getattr(row, key))

    def tooltip(self, key: str, row: SweepRow) -> str:
        return row.command.replace(" --", "\n--") if key == "command" else row.note if key == "note" else ""

    def keep_note(self, row: SweepRow, note: str) -> None:
        self._all[row.id] = replace(row, note=note)

    def sort_value(self, key: str, row: SweepRow) -> Any:
        return row.done if key == "state" else super().sort_value(key, row)

    def _state(self, row: SweepRow) -> str:
        text = self.tr("{done} of {total}").format(done=f"{row.done:,}", total=f"{row.total:,}")
        if row.done >= row.total and not row.running:
            return text
        words = {"cancelled": self.tr("cancelled"), "failed": self.tr("failed"), "finished": self.tr("finished")}
        return f"{text} · {self.tr('running') if row.running else words.get(row.ended, self.tr('not finished'))}"


class ExperimentModel(KeptModel[ExperimentRow]):
    """The experiments that are kept: which, on what, and whether they came to their end."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(EXPERIMENTS, parent)

    def text(self, key: str, row: ExperimentRow) -> str:
        match key:
            case "date":
                return written_date(row.date)
            case "kind":
                return domain_text(row.kind.value)
            case "name":
                return translate_message(TITLES[row.name]) if row.name in TITLES else row.name
            case "shape":
                return wording.shape(row.m, row.n, row.dtype)
            case "device":
                return row.device
        return self._state(row)

    def tooltip(self, key: str, row: ExperimentRow) -> str:
        if key == "name" and row.name in QUESTIONS:
            return translate_message(QUESTIONS[row.name])
        return self.text(key, row) if key == "state" else ""

    def colour(self, key: str, row: ExperimentRow) -> str | None:
        theme = self._theme
        if key == "kind":
            return str(getattr(theme, TONES[row.kind]))
        if key == "state":
            return theme.bad if row.ended == "failed" else theme.muted
        return theme.muted if key in ("date", "device") else None

    def _state(self, row: ExperimentRow) -> str:
        """Whether an experiment came to its end, and if not, how far it came and why."""
        if row.ended == "finished":
            return self.tr("finished")
        word = self.tr("stopped") if row.ended == "stopped" else self.tr("failed")
        if row.total > 1:
            word = self.tr("{state} after {done} of {total} steps").format(state=word, done=row.done, total=row.total)
        return f"{word} · {translate_message(row.reason)}" if row.reason else word


def _one_more(old: NDArray[np.int64], new: NDArray[np.int64]) -> int | None:
    """Where `new` has one row more than `old`; None where they differ otherwise."""
    if new.size != old.size + 1:
        return None
    differs = np.flatnonzero(old != new[:-1])
    place = int(differs[0]) if differs.size else old.size
    return place if np.array_equal(old[place:], new[place + 1 :]) else None
