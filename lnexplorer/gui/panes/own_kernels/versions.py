"""The versions of a kernel in a table, beside the text, the errors and the prints of one."""

from io import StringIO

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSplitter,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
)

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import notes_on_events
from lnexplorer.domain.history import local_minute
from lnexplorer.domain.kernel_versions import KernelVersion, compare_versions, line_in
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.gui.charts.errors_view import ErrorsView
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, LIGHT, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import Segments, in_order
from lnexplorer.gui.timeline.source import SourceView
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.environment import Kind
from lnkernels.values.figures import DIRECTIONS
from lnkernels.values.sentence import Sentence, join_sentences, say, verbatim

HEADS = (say("version"), say("forward"), say("backward"), say("result"), say("checked"))
NUMBERS, RESULT = (0, 1, 2), 3  # columns of the table
LEAST_COLUMN = 9 * GRID  # px wide at usual text
LONGEST = 160  # letters of why a version is refused, in the table
ROOM_FOR_BOTH = 840  # px at usual text; in less the versions have a view of their own
NEWEST_FIRST = say("Versions of the kernel, newest first")
TEXT, PRINTED = say("Text of the chosen version"), say("What the newest version printed")


class VersionsTable(Retranslated, QTableWidget):
    """A row for each version, newest first."""

    def __init__(self) -> None:
        super().__init__(0, len(HEADS))
        self._versions: list[KernelVersion] = []  # oldest first
        self.write_on(self, name=NEWEST_FIRST)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().setVisible(False)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.setTabKeyNavigation(False)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        # Only the rows in view decide how wide the columns are.
        header.setResizeContentsPrecision(0)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(RESULT, QHeaderView.ResizeMode.Stretch)
        self.retranslate()

    @property
    def newest(self) -> KernelVersion | None:
        return self._versions[-1] if self._versions else None

    @property
    def chosen(self) -> int:
        """The version that is looked at; the newest where none is chosen, 0 where there is none."""
        rows = self.selectionModel().selectedRows()
        place = rows[0].row() if rows else 0
        return self._versions[-1 - place].version if place < len(self._versions) else 0

    def refused(self, version: int) -> Sentence | None:
        """Return why a version is refused."""
        return next((each.refused for each in self._versions if each.version == version), None)

    def show_versions(self, versions: list[KernelVersion]) -> None:
        """Show all versions. The one that is chosen stays, unless it was the newest."""
        newer, row = len(versions) - len(self._versions), self.currentRow()
        self._versions = versions
        self.retranslate()
        if versions:
            self.selectRow(row + newer if row > 0 else 0)

    def retranslate(self) -> None:
        self.blockSignals(True)
        row = max(self.currentRow(), 0)
        self.setRowCount(0)  # each head is fitted to all rows that there are
        for column, head in enumerate(HEADS):
            self.setHorizontalHeaderItem(column, _item(translate_message(head), column))
        self.setRowCount(len(self._versions))
        timed: dict[object, KernelVersion] = {}  # the newest so far, by problem
        for place, version in enumerate(self._versions):
            result = translate_message(_result(version, timed.get(version.problem)))
            tip = f"{wording.shape(version.m, version.n, version.dtype)}\n{result}"
            if version.refused is not None and len(result) > LONGEST:
                result = f"{result[:LONGEST]} …"  # the whole of the newest stands above
            figures = [version.figure(direction) for direction in DIRECTIONS]
            speeds = [
                "–" if figure is None else f"{wording.figure(figure.gbps)} GB/s"
                for figure in figures
            ]
            cells = (str(version.version), *speeds, result, local_minute(version.date))
            for column, text in enumerate(cells):
                self.setItem(self.rowCount() - 1 - place, column, _item(text, column, tip))
            if version.figures:
                timed[version.problem] = version
        if self._versions:
            self.selectRow(min(row, len(self._versions) - 1))
        self.blockSignals(False)


class VersionsView(Retranslated, QSplitter):
    """The table on the left; the text of the chosen version, or the errors or prints of the newest,
    on the right. One of these where it is narrow.
    """

    # Of an error map: result, row, row stop, column, column stop.
    inspectRequested = Signal(str, int, int, int, int)

    def __init__(self) -> None:
        super().__init__()
        self.table = VersionsTable()
        self.text = SourceView()
        self.printed = SourceView()
        self.errors: ErrorsView | None = None  # made when it is first looked at
        self.choice = Segments(
            {
                "versions": (say("Versions"), NEWEST_FIRST),
                "text": (say("Text"), TEXT),
                "errors": (say("Errors"), say("Errors of the newest version, down to the element")),
                "printed": (say("Printed"), PRINTED),
            }
        )
        self._errors: tuple[Correctness, ResolvedRequest, Kind] | None = None
        self._narrow = False
        self._theme = LIGHT
        self._right = QStackedWidget()
        self.write_on(self.text, name=TEXT)
        self.write_on(self.printed, name=PRINTED)
        self._right.addWidget(self.text)
        self._right.addWidget(self.printed)
        self.choice.set_available("printed", available=False)
        self.choice.changed.connect(lambda _view: self._show())
        self.setChildrenCollapsible(False)
        self.addWidget(self.table)
        self.addWidget(self._right)
        self.setSizes([70 * GRID, 60 * GRID])

    def clear(self) -> None:
        """Forget the file that was watched."""
        self.table.show_versions([])
        self.text.show_file("", list)
        self._errors = None
        self.show_printed("")

    def show_errors(self, errors: tuple[Correctness, ResolvedRequest, Kind] | None) -> None:
        """Show the errors of the newest version, or None where it gave no results."""
        self._errors = errors
        self._show()

    def show_map(self, part: ErrorMap) -> None:
        if self.errors is not None:
            self.errors.show_map(part)

    def show_printed(self, text: str) -> None:
        """Show what the newest version printed in its last job."""
        self.printed.show_file(text, lambda: _numbered(text))
        self.choice.set_available("printed", bool(text.strip()))
        if not text.strip() and self.choice.current == "printed":
            self.choice.choose("text")
        self._show()

    def show_text(self, file: str, text: str, about: Sentence | None) -> None:
        """Show a text, with the line marked that a sentence about it names."""
        line = None if about is None else line_in(about)
        self.text.show_file(file, lambda: _numbered(text))
        self.text.mark(None if line is None else (line, line))

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.table.horizontalHeader().setMinimumSectionSize(with_text(LEAST_COLUMN))
        for part in (self.text, self.printed, self.errors):
            if part is not None:
                part.apply_theme(theme)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put both halves beside each other where there is room."""
        self._narrow = self.width() < with_text(ROOM_FOR_BOTH)
        self.choice.set_available("versions", self._narrow)
        if not self._narrow and self.choice.current == "versions":
            self.choice.choose("text")
        self._show()

    def _show(self) -> None:
        view = self.choice.current
        alone = self._narrow and view == "versions"
        self._right.setVisible(not alone)
        self.table.setVisible(alone or not self._narrow)
        shown: QSplitter | SourceView | ErrorsView = self.text
        if view == "errors" and self._errors is not None:
            if self.errors is None:
                self.errors = ErrorsView()
                self.errors.apply_theme(self._theme)
                self.errors.inspectRequested.connect(self.inspectRequested)
                self._right.addWidget(self.errors)
            self.errors.show_correctness(*self._errors)
            shown = self.errors
        elif view == "printed":
            shown = self.printed
        self._right.setCurrentWidget(shown)


def _result(version: KernelVersion, before: KernelVersion | None) -> Sentence:
    if version.refused is not None:
        return version.refused
    compared = compare_versions(version, before) if before is not None else []
    lines = [*(compared or [say("right")]), *notes_on_events(version.figures)]
    return join_sentences(lines, verbatim("\n"))


def _numbered(text: str) -> list[tuple[int, str]]:
    """Number lines as Python counts them."""
    lines = StringIO(text, newline=None)
    return [(number, line.rstrip("\n")) for number, line in enumerate(lines, 1)]


def _item(text: str, column: int, tip: str = "") -> QTableWidgetItem:
    item = QTableWidgetItem(in_order(text))
    item.setToolTip(in_order(tip))
    side = Qt.AlignmentFlag.AlignRight if column in NUMBERS else Qt.AlignmentFlag.AlignLeft
    item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    return item
