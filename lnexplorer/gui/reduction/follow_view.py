"""What the followed row has done and will do, or who waits for the followed lock, with numbers."""

from functools import partial
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from lnexplorer.domain.moments import Moment, RowState
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.reduction.painter.timeline_index import TimelineIndex
from lnexplorer.gui.reduction.painter.wording import number, state_text, time_text
from lnexplorer.gui.shell.theme import GRID

MOST_LINES = 8  # of the table
_COLUMNS = 3
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FollowView(QWidget):
    """A title and a table. A click on a waiting row wishes to follow it."""

    rowClicked = Signal(object)  # noqa: N815  # int

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(self)
        self.title.setWordWrap(True)
        self.title.setProperty("look", "strong")
        self.table = QTableWidget(MOST_LINES, _COLUMNS, self)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setShowGrid(False)
        self.table.cellClicked.connect(self._click)
        self._most = MOST_LINES  # that may be shown
        self._lines = 0  # that the table is high
        self._items: dict[tuple[int, int], QTableWidgetItem] = {}
        self._heads = [QTableWidgetItem() for _ in range(_COLUMNS)]
        for column, head in enumerate(self._heads):
            if column:
                head.setTextAlignment(_RIGHT)
            self.table.setHorizontalHeaderItem(column, head)
        self._rows: list[int] = []  # that the table's lines are about
        for line in range(MOST_LINES):
            for column in range(_COLUMNS):
                item = QTableWidgetItem()
                if column:
                    item.setTextAlignment(_RIGHT)
                self.table.setItem(line, column, item)
                self._items[line, column] = item
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.title)
        layout.addWidget(self.table)

    def apply_theme(self) -> None:
        """Take the size of the text."""
        metrics, lines = self.fontMetrics(), self.table.verticalHeader()
        for column in range(1, _COLUMNS):
            self.table.setColumnWidth(column, metrics.horizontalAdvance("000.0 µs") + 2 * GRID)
        lines.setDefaultSectionSize(metrics.height() + 4)
        self._lines = 0
        self._fit_height(self._most)

    def set_lines(self, most: int) -> None:
        """How many lines of a queue may be shown."""
        self._most = most

    def _fit_height(self, lines: int) -> None:
        """Room for so many lines."""
        if lines != self._lines and lines:
            self._lines = lines
            line, head = self.table.verticalHeader().defaultSectionSize(), self.table.horizontalHeader().sizeHint().height()
            self.table.setFixedHeight(head + lines * line + 4)

    def show_row(self, timeline: ReductionTimeline, now: Moment, row: int) -> None:
        """The phases of a row."""
        text = QCoreApplication.translate("reduction", "Row {0} · lock {1} · rows before it: {2} · SM {3}")
        title = text.format(number(row), timeline.lock[row], number(int(timeline.order[row])), timeline.sm[row])
        if (tries := timeline.tries) is not None:
            title += " · " + QCoreApplication.translate("reduction", "tries {0}").format(number(int(tries[row])))
        heads = (
            QCoreApplication.translate("reduction", "phase"),
            QCoreApplication.translate("reduction", "from"),
            QCoreApplication.translate("reduction", "takes"),
        )
        times = (timeline.start_ns, timeline.wanted_ns, timeline.held_ns, timeline.released_ns)
        lines, times_of = [], partial(time_text, counted=timeline.counted)
        for state, (begin, end) in enumerate(pairwise(times), RowState.COMPUTING):
            mark = "▸ " if state == now.state[row] else ""
            lines.append((mark + state_text(RowState(state)), times_of(int(begin[row])), times_of(int(end[row] - begin[row]))))
        mark = "▸ " if now.state[row] == RowState.DONE else ""
        lines.append((mark + state_text(RowState.DONE), times_of(int(timeline.released_ns[row])), ""))
        self._show(title, heads, lines, [])

    def show_lock(self, index: TimelineIndex, now: Moment, lock: int, *, barrier: bool = True) -> None:
        """Holder, count and queue of a lock; `barrier` says whether the launch had it."""
        timeline, holder, queue = index.timeline, int(now.holder[lock]), index.queue(now, lock)
        parts = [QCoreApplication.translate("reduction", "Lock {0}").format(lock)]
        if holder >= 0:
            parts.append(QCoreApplication.translate("reduction", "held by row {0}").format(number(holder)))
        else:
            parts.append(QCoreApplication.translate("reduction", "nobody holds it"))
        parts.append(QCoreApplication.translate("reduction", "count {0}").format(number(int(now.counts(barrier=barrier)[lock]))))
        parts.append(QCoreApplication.translate("reduction", "rows waiting: {0}").format(number(len(queue))))
        heads = (
            QCoreApplication.translate("reduction", "waiting, the longest first"),
            QCoreApplication.translate("reduction", "since"),
            QCoreApplication.translate("reduction", "for"),
        )
        shown = queue if len(queue) <= self._most else queue[: self._most - 1]
        lines, times_of = [], partial(time_text, counted=timeline.counted)
        for place, row in enumerate(shown, 1):
            since = int(timeline.wanted_ns[row])
            name = QCoreApplication.translate("reduction", "row {0}").format(number(row))
            lines.append((f"{place}. {name}", times_of(since), times_of(now.time_ns - since)))
        if len(shown) < len(queue):
            more = QCoreApplication.translate("reduction", "… and {0} more").format(number(len(queue) - len(shown)))
            lines.append((more, "", ""))
        self._show(" · ".join(parts), heads, lines, shown)

    def show_nothing(self) -> None:
        """Say how to follow something."""
        self._show(QCoreApplication.translate("reduction", "Click a row or a lock to follow it."), ("", "", ""), [], [])

    def _show(self, title: str, heads: tuple[str, str, str], lines: list[tuple[str, str, str]], rows: list[int]) -> None:
        self._rows = rows
        self.title.setText(title)
        for head, text in zip(self._heads, heads, strict=True):
            if head.text() != text:
                head.setText(text)
        self.table.setVisible(any(heads))
        self._fit_height(self._most if rows else len(lines))
        for line in range(MOST_LINES):
            for column in range(_COLUMNS):
                text = lines[line][column] if line < len(lines) else ""
                item = self._items[line, column]
                if item.text() != text:  # most stay, and a change is painted
                    item.setText(text)

    def _click(self, line: int, _column: int) -> None:
        if line < len(self._rows):
            self.rowClicked.emit(self._rows[line])
