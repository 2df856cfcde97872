"""The versions of a kernel in a table, beside the text, changes, errors or prints of one."""

from functools import partial
from io import StringIO

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import notes_on_events
from lnexplorer.domain.history import local_time
from lnexplorer.domain.kernel_versions import KernelVersion, compare_versions, line_in
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.gui.charts.errors_view import ErrorsView
from lnexplorer.gui.kit import (
    GRID,
    Arranged,
    Retranslated,
    Segments,
    Veil,
    apply_theme,
    translate_message,
    with_text,
)
from lnexplorer.gui.kit.code import LESS, MORE, CodeView, Text
from lnexplorer.gui.kit.search import searchable
from lnexplorer.gui.kit.table import Column, Index, RowsModel, RowsTable, place
from lnexplorer.gui.timeline.source import SourceView
from lnkernels.values import Sentence, frozen, join_sentences, say
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.environment import Kind
from lnkernels.values.listing_diff import aligned

LEAST_COLUMN = 9 * GRID  # px wide at usual text
LONGEST = 160  # letters of why a version is refused, in the table
ROOM_FOR_BOTH = 840  # px at usual text; in less the table stands above
NEWEST_FIRST = say("Versions of the kernel, newest first")
TEXT, PRINTED = say("Text of the chosen version"), say("What the newest version printed")
CHANGES = say("What the chosen version changed in the text of the one before")


@frozen
class VersionRow:
    """A version in the table."""

    id: int  # its number
    version: KernelVersion
    result: Sentence  # why it is refused, or how fast it is beside the one before


def _speed(direction: str, row: VersionRow) -> str:
    figure = row.version.figure(direction)
    if figure is None:
        return "–"
    text = f"{wording.figure(figure.gbps)} GB/s"
    return translate_message(wording.with_verdict(text, figure.verdict))


def _short_result(row: VersionRow) -> str:
    text = translate_message(row.result)
    if row.version.refused is None or len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} …"  # the whole of the newest stands above


def _tip(row: VersionRow) -> Sentence:
    shape = wording.shape(*row.version.problem[:4])
    return join_sentences([shape, row.result], "\n")


COLUMNS = (
    Column("id", say("version"), tip=_tip, number=True),
    Column("forward", say("forward"), text=partial(_speed, "forward"), tip=_tip, number=True),
    Column("backward", say("backward"), text=partial(_speed, "backward"), tip=_tip, number=True),
    Column("result", say("result"), text=_short_result, tip=_tip),
    Column("date", say("checked"), text=lambda row: local_time(row.version.date), tip=_tip),
)


class WrappingDelegate(QStyledItemDelegate):
    """Counts the lines of a cell in the room that the padding of the style sheet leaves."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        option.rect = option.rect.adjusted(0, 0, -GRID, 0)
        return super().sizeHint(option, index)


class VersionsTable(RowsTable):
    """A row for each version, newest first."""

    def __init__(self) -> None:
        super().__init__(RowsModel(COLUMNS), NEWEST_FIRST, sorts=False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setWordWrap(True)
        self.setItemDelegate(WrappingDelegate(self))
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        stretch = QHeaderView.ResizeMode.Stretch
        self.horizontalHeader().setStretchLastSection(False)
        self.horizontalHeader().setSectionResizeMode(place(COLUMNS, "result"), stretch)

    @property
    def newest(self) -> KernelVersion | None:
        return self.rows.rows[0].version if self.rows.rows else None

    @property
    def chosen(self) -> int:
        """The version that is looked at; the newest where none is chosen, 0 where there is none."""
        return (*self.selected(), *self.rows.ids, 0)[0]

    @property
    def before(self) -> int:
        """The version before the one that is looked at; 0 where there is none."""
        return max((each for each in self.rows.ids if each < self.chosen), default=0)

    def refused(self, version: int) -> Sentence | None:
        """Return why a version is refused."""
        row = self.rows.place_of(version)
        refused: Sentence | None = None if row is None else self.rows.rows[row].version.refused
        return refused

    def show_versions(self, versions: list[KernelVersion]) -> None:
        """Show all versions. The one that is chosen stays, unless it was the newest."""
        timed: dict[object, KernelVersion] = {}  # the newest so far, by problem
        rows = []
        for version in versions:
            result = _result(version, timed.get(version.problem))
            rows.append(VersionRow(version.version, version, result))
            if version.figures:
                timed[version.problem] = version
        follows = self.currentIndex().row() <= 0
        self.rows.set_rows(rows[::-1], len(rows))
        if rows and follows:
            self.select_place(0)


class VersionsView(Retranslated, Arranged, QSplitter):
    """The table, and beside it the text of the chosen version, or the errors or prints of the
    newest.
    """

    # Of an error map: result, row, row stop, column, column stop.
    inspectRequested = Signal(str, int, int, int, int)

    def __init__(self) -> None:
        super().__init__(childrenCollapsible=False)
        self.table = VersionsTable()
        self.text = self.write_on(SourceView(), name=TEXT)
        self.printed = self.write_on(SourceView(), name=PRINTED)
        self.changes = self.write_on(CodeView(), name=CHANGES)
        # Made when they are first looked at: at the window's start that takes 65 ms.
        self.errors: ErrorsView | None = None
        self.veil: Veil | None = None
        self._other: Sentence | None = None
        self.choice = Segments(
            {
                "text": (say("Text"), TEXT),
                "changes": (say("Changes"), CHANGES),
                "errors": (say("Errors"), say("Errors of the newest version, down to the element")),
                "printed": (say("Printed"), PRINTED),
            }
        )
        self._errors: tuple[Correctness, ResolvedRequest, Kind] | None = None
        self._pages = QStackedWidget()
        for part in (self.text, self.printed, self.changes):
            self._pages.addWidget(searchable(part))
        for view in ("printed", "changes"):
            self.choice.set_available(view, available=False)
        self.choice.changed.connect(lambda _view: self._show())
        self.addWidget(self.table)
        self.addWidget(self._pages)
        self.setSizes([70 * GRID, 60 * GRID])

    def clear(self) -> None:
        """Forget the file that was watched."""
        self.table.show_versions([])
        self.text.show_file("", list)
        self._errors = None
        self.show_changes(None)
        self.show_printed("")

    def show_errors(self, errors: tuple[Correctness, ResolvedRequest, Kind] | None) -> None:
        """Show the errors of the newest version, or None where it gave no results."""
        self._errors = errors
        self._show()

    def show_other(self, other: Sentence | None) -> None:
        """Dim the errors, and say of what they are; None where they are of what is in force."""
        self._other = other
        if self.veil is not None:
            self.veil.show_other(other)

    def show_map(self, part: ErrorMap) -> None:
        """Show a part of a map in full resolution."""
        if self.errors is not None:
            self.errors.show_map(part)

    def show_printed(self, text: str) -> None:
        """Show what the newest version printed in its last job."""
        self.printed.show_file(text, lambda: _numbered(text))
        self._offer("printed", offered=bool(text.strip()))

    def show_changes(self, changes: Text | None) -> None:
        """Show what the chosen version changed; None where none was before it."""
        if changes is not None:
            self.changes.show_text(changes)
            self.changes.show_line(int(np.argmax(np.asarray(changes.tints) > 0)))
        self._offer("changes", offered=changes is not None)

    def _offer(self, view: str, *, offered: bool) -> None:
        self.choice.set_available(view, offered)
        if not offered and self.choice.current == view:
            self.choice.choose("text")
        self._show()

    def show_text(self, file: str, text: str, about: Sentence | None) -> None:
        """Show a text, with the line marked that a sentence about it names."""
        line = None if about is None else line_in(about)
        self.text.show_file(file, lambda: _numbered(text))
        self.text.mark(None if line is None else (line, line))

    def apply_theme(self) -> None:
        self.table.horizontalHeader().setMinimumSectionSize(with_text(LEAST_COLUMN))
        self.arrange()

    def arrange(self) -> None:
        """Put both halves beside each other where there is room, else above each other."""
        beside = self.width() >= with_text(ROOM_FOR_BOTH)
        self.setOrientation(Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical)

    def _show(self) -> None:
        view = self.choice.current
        if view == "errors" and self._errors is not None:
            if self.errors is None:
                self.errors = ErrorsView()
                apply_theme(self.errors)
                self.errors.map_card.partWanted.connect(self.inspectRequested)
                self._pages.addWidget(self.errors)
                self.veil = Veil(self.errors)
                self.veil.show_other(self._other)
            self.errors.show_correctness(*self._errors)
            self._pages.setCurrentWidget(self.errors)
        else:
            others = {"printed": self.printed, "changes": self.changes}
            page = others.get(view, self.text).parentWidget()
            assert page is not None, "it is searchable"
            self._pages.setCurrentWidget(page)


def _result(version: KernelVersion, before: KernelVersion | None) -> Sentence:
    hard = [version.hard.sentence(brief=True)] if version.hard else []
    if version.refused is not None:
        return join_sentences([version.refused, *hard], "\n")
    compared = compare_versions(version, before) if before is not None else []
    remarks = [version.remark] if version.remark else []
    lines = [*remarks, *compared] or [say("right")]
    lines += hard
    lines += notes_on_events(version.figures)
    return join_sentences(lines, "\n")


def changed_text(before: str, after: str) -> Text:
    """Return the lines of both, those tinted that went or came."""
    old, new = before.splitlines(), after.splitlines()
    gone, come = aligned(old, new).T
    lines = (new[b] if b >= 0 else old[a] for a, b in zip(gone, come, strict=True))
    tints = np.select([come < 0, gone < 0], [LESS, MORE]).astype(np.int8)
    return Text("source", tuple(lines), come + 1, tints)


def _numbered(text: str) -> list[tuple[int, str]]:
    """Number lines as Python counts them."""
    lines = StringIO(text, newline=None)
    return [(number, line.rstrip("\n")) for number, line in enumerate(lines, 1)]
