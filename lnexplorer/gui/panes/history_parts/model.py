"""The history as a table over a pandas DataFrame: filtered and sorted by pandas, a run a row."""

from types import ModuleType
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from lnexplorer.domain import wording
from lnexplorer.domain.history import HistoryRow
from lnexplorer.domain.provenance import KIND_HELP, Kind
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.panes.history_parts.columns import COLUMNS, PLACES
from lnexplorer.gui.panes.history_parts.loader import loaded_pandas
from lnexplorer.gui.panes.history_parts.query import Query
from lnexplorer.gui.theme import LIGHT, Theme

Index = QModelIndex | QPersistentModelIndex


class HistoryModel(QAbstractTableModel):
    """Rows that match the filter, in the order that was chosen. Empty until pandas is there and `rebuild` is called."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: dict[int, HistoryRow] = {}
        self._frame: Any = None
        self._shown: list[HistoryRow] = []
        self._query = Query()
        self._sorted_by, self._order = "date", Qt.SortOrder.DescendingOrder
        self._theme = LIGHT

    @property
    def total(self) -> int:
        """Runs in the history, whether they match or not."""
        return len(self._rows)

    @property
    def ready(self) -> bool:
        """Whether pandas is there."""
        return loaded_pandas() is not None

    def row_at(self, place: int) -> HistoryRow:
        """The run in a row of the table."""
        return self._shown[place]

    def place_of(self, run: int) -> int | None:
        """The row of the table in which a run is, None where it does not match."""
        return next((place for place, row in enumerate(self._shown) if row.id == run), None)

    def set_rows(self, rows: list[HistoryRow]) -> None:
        """Take these in place of all others."""
        self._rows = {row.id: row for row in rows}
        self.rebuild()

    def add_row(self, row: HistoryRow) -> None:
        """Take one more; one with the same number is replaced."""
        known = row.id in self._rows
        self._rows[row.id] = row
        pandas = loaded_pandas()
        if known or pandas is None or self._frame is None or self._frame.empty:
            self.rebuild()
            return
        self._frame = pandas.concat([self._frame, _frame(pandas, [row])], ignore_index=True)
        self._select()

    def remove(self, run: int) -> HistoryRow | None:
        """Forget a run."""
        row = self._rows.pop(run, None)
        if self._frame is not None:
            self._frame = self._frame[self._frame["id"] != run]
            self._select()
        return row

    def set_query(self, query: Query) -> None:
        """Show the rows that match."""
        self._query = query
        self._select()

    def rebuild(self) -> None:
        """Make the DataFrame of the rows."""
        pandas = loaded_pandas()
        if pandas is None:
            return
        self._frame = _frame(pandas, list(self._rows.values()))
        self._select()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order by a column; runs without a value come last."""
        self._sorted_by, self._order = COLUMNS[column].key, order
        self._select()

    def apply_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        if self._shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, len(COLUMNS) - 1))

    def retranslate(self) -> None:
        """Take the words of the language."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Runs on show."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Facts of a run."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text, colour, alignment and tooltip of a cell."""
        if not index.isValid():
            return None
        column, row = COLUMNS[index.column()], self.row_at(index.row())
        result: object = None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                result = self._text(column.key, row)
            case Qt.ItemDataRole.ToolTipRole:
                result = self._tooltip(column.key, row)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
                result = side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.ForegroundRole:
                result = self._colour(column.key, row)
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
                return self._title(column.key)
            case Qt.ItemDataRole.ToolTipRole:
                return self._help(column.key)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _select(self) -> None:
        if self._frame is None:
            return
        frame = self._frame
        ascending = self._order == Qt.SortOrder.AscendingOrder
        chosen = frame[self._query.mask(frame)] if len(frame) else frame
        keys = [self._sorted_by, "id"] if self._sorted_by != "id" else ["id"]
        chosen = chosen.sort_values(keys, ascending=ascending, kind="stable", na_position="last")
        self.beginResetModel()
        self._shown = [self._rows[run] for run in chosen["id"].astype(int).tolist()]
        self.endResetModel()

    def _text(self, key: str, row: HistoryRow) -> str:
        if key == "kind":
            return self._kind_word(row.kind)
        if key == "passed" and not row.passed:
            return "✗ " + ", ".join(row.failed)
        return COLUMNS[PLACES[key]].text(getattr(row, key))

    def _tooltip(self, key: str, row: HistoryRow) -> str:
        match key:
            case "kind":
                return domain_text(KIND_HELP[row.kind])
            case "backward_share":
                text = self.tr("forward {forward}, backward {backward} of the measured ceiling")
                return text.format(forward=wording.share(row.forward_share), backward=wording.share(row.backward_share))
            case "passed" if not row.passed:
                return self.tr("Beyond tolerance: {names}").format(names=", ".join(row.failed))
        return f"{self._title(key)}: {self._text(key, row)}"

    def _colour(self, key: str, row: HistoryRow) -> QColor | None:
        if key == "passed":
            return QColor(self._theme.good if row.passed else self._theme.bad)
        if key.removesuffix("_error") in row.failed:
            return QColor(self._theme.bad)
        if key == "kind":
            tones = {Kind.MEASURED: self._theme.good, Kind.RECORDED: self._theme.accent, Kind.PUBLISHED: self._theme.accent}
            return QColor(tones.get(row.kind, self._theme.warning))
        return QColor(self._theme.muted) if key in {"date", "device"} else None

    def _kind_word(self, kind: Kind) -> str:
        return {
            Kind.MEASURED: self.tr("measured"),
            Kind.INTERPRETED: self.tr("interpreted"),
            Kind.SIMULATED: self.tr("simulated"),
            Kind.RECORDED: self.tr("recorded"),
            Kind.PUBLISHED: self.tr("published"),
        }[kind]

    def _title(self, key: str) -> str:
        return {
            "date": self.tr("time"),
            "device": self.tr("device"),
            "kind": self.tr("kind"),
            "m": "M",
            "n": "N",
            "dtype": "dtype",
            "strategy": self.tr("strategy"),
            "group_size_m": "GROUP_SIZE_M",
            "forward_gbps": self.tr("forward GB/s"),
            "backward_gbps": self.tr("backward GB/s"),
            "backward_share": self.tr("share"),
            "y_error": self.tr("error y"),
            "dx_error": self.tr("error dx"),
            "dw_error": self.tr("error dw"),
            "db_error": self.tr("error db"),
            "passed": self.tr("verdict"),
        }[key]

    def _help(self, key: str) -> str:
        if key.endswith("_error"):
            return self.tr("Largest absolute error of kernel − truth in {name}").format(name=key.removesuffix("_error"))
        return {
            "date": self.tr("When the run ended, in local time"),
            "device": self.tr("What the kernels ran on"),
            "kind": self.tr("Where the figures come from"),
            "m": self.tr("Rows of x"),
            "n": self.tr("Columns of x"),
            "dtype": self.tr("Element type of x"),
            "strategy": self.tr("How the rows' contributions to dw and db were summed"),
            "group_size_m": self.tr("Number of partial sum buffers"),
            "forward_gbps": self.tr("Kernels alone, cold L2, 2·M·N elements counted"),
            "backward_gbps": self.tr("Kernels alone, cold L2, 3·M·N elements counted"),
            "backward_share": self.tr("Share of the measured ceiling, backward"),
            "passed": self.tr("Whether every result was within its tolerance; if not, which were beyond it"),
        }[key]


def _frame(pandas: ModuleType, rows: list[HistoryRow]) -> Any:
    columns: dict[str, Any] = {"id": [row.id for row in rows], "search": [_search_text(row) for row in rows]}
    for column in COLUMNS:
        values = [getattr(row, column.key) for row in rows]
        # Floats even where all are absent, so that frames can be joined.
        columns[column.key] = pandas.array(values, dtype="float64") if _is_float(column.key) else values
    columns["kind"] = [str(row.kind) for row in rows]
    return pandas.DataFrame(columns)


def _is_float(key: str) -> bool:
    return key.endswith(("_error", "_gbps", "_share"))


def _search_text(row: HistoryRow) -> str:
    parts = [column.text(getattr(row, column.key)) for column in COLUMNS if not column.number and column.key != "passed"]
    return " ".join([*parts, f"{row.m}×{row.n}", f"{row.m}x{row.n}"]).lower()
