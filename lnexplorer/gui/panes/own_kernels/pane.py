"""A kernel of one's own: what its newest version is worth, and every version before."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from lnexplorer.domain import wording
from lnexplorer.domain.doubts import notes_on_events
from lnexplorer.domain.history import local_minute
from lnexplorer.domain.kernel_versions import KernelVersion, compare_versions, line_in
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.views import OwnKernelView
from lnexplorer.gui.charts.errors_view import ErrorsView
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, LIGHT, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import (
    Badge,
    ElidedLabel,
    Label,
    Notice,
    Segments,
    WrappedLabel,
    fill_with_stack,
    in_order,
    lay_column,
    lay_row,
    restyle,
)
from lnexplorer.gui.timeline.source import SourceView
from lnkernels.launch.source import KernelSource
from lnkernels.values.accuracy import Correctness, ErrorMap
from lnkernels.values.environment import Kind
from lnkernels.values.figures import DIRECTIONS
from lnkernels.values.sentence import Sentence, say

NUMBERS, RESULT = (0, 1, 2), 3  # columns of the table
LEAST_COLUMN = 9 * GRID  # px wide at usual text
LONGEST = 160  # letters of why a version is refused, in the table
ROOM_FOR_BOTH = 860  # px at usual text; in less the versions have a view of their own


class OwnKernelsPane(Retranslated, QWidget):
    """Versions on the left, newest first; the text of the chosen one, or the errors of the newest
    or what it printed, on the right. One of these where it is narrow.
    """

    inspectRequested = Signal(str, int, int, int, int)  # as of the errors' pane

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.notice = Notice()
        self.open, self.new, self.save, self.code, self.phases, self.hard = (
            QPushButton() for _ in range(6)
        )
        self.path = ElidedLabel()
        self.badge = Badge()
        self.state = Label()
        self.verdict = WrappedLabel()
        self.hard_inputs = WrappedLabel()
        self.versions = QTableWidget(0, RESULT + 2)
        self.text = SourceView()
        self.printed = SourceView()
        self.views = Segments(("versions", "text", "errors", "printed"))
        self.errors: ErrorsView | None = None  # made when it is first looked at
        self.offered: OwnKernelView | None = (
            None  # a kernel of a session, none of whose code runs before somebody agrees
        )
        self.busy = False
        self._errors: tuple[Correctness, ResolvedRequest, Kind] | None = None
        self._hard: Sentence | None = None
        self._place = ""
        self._source: KernelSource | None = None
        self._versions: list[KernelVersion] = []
        self._problem: Sentence | None = None
        self._theme = LIGHT
        self._narrow = False
        self._build()
        self.views.changed.connect(lambda _view: self._show_view())
        self.retranslate()

    @property
    def chosen(self) -> int:
        """The version that is looked at; the newest where none is chosen, 0 where there is none."""
        rows = self.versions.selectionModel().selectedRows()
        place = rows[0].row() if rows else 0
        return self._versions[-1 - place].version if place < len(self._versions) else 0

    View = OwnKernelView

    def view(self) -> OwnKernelView | None:
        source = self._source  # where nobody has agreed to one, it is offered again
        return (
            self.offered
            if source is None
            else OwnKernelView(place=source.place, sha256=source.sha256)
        )

    def show_view(self, view: OwnKernelView) -> None:
        """Ask whether the kernel of a session is to be watched again."""
        # The path says what would be run, wherever the session is from.
        self.offered = replace(view, place=str(Path(view.place).absolute()))
        self._place = ""
        self._source = None
        self.retranslate()

    def show_file(self, place: str) -> None:
        """Which file is watched from now on."""
        self.offered = None
        self._place = place
        self._source = None
        self._problem = None
        self._versions = []
        self._errors = None
        self._hard = None
        self.busy = False
        self.text.show_file("", list)
        self.show_printed("")
        self.retranslate()

    def show_source(self, source: KernelSource) -> None:
        """What the file is now."""
        self._source = source
        self._problem = None
        self._refresh()

    def show_errors(self, errors: tuple[Correctness, ResolvedRequest, Kind] | None) -> None:
        """How far the results of the newest version are from the truth, down to the element; None
        where it gave none.
        """
        self._errors = errors
        self._show_view()

    def show_map(self, part: ErrorMap) -> None:
        if self.errors is not None:
            self.errors.show_map(part)

    def show_printed(self, text: str) -> None:
        """What the newest version printed when it was last asked for something."""
        self.printed.show_file(text, lambda: _numbered(text))
        self.views.set_available("printed", bool(text.strip()))
        if not text.strip() and self.views.current == "printed":
            self.views.choose("text")
        self._show_view()

    def show_hard_inputs(self, said: Sentence | None) -> None:
        """What became of them."""
        self._hard = said
        self._refresh()

    def set_busy(self, *, busy: bool) -> None:
        """Whether a version is being checked; what was found before stays on show."""
        self.busy = busy
        self._refresh()

    def show_problem(self, problem: Sentence | None, text: str = "") -> None:
        """Why what was saved last is no version; its text, where the problem is in a line of it."""
        self._problem = problem
        if problem is not None and text:
            self._show_lines(text, text, problem)
        self._refresh()

    def show_versions(self, versions: list[KernelVersion]) -> None:
        """All of the file, oldest first."""
        newer = len(versions) - len(self._versions)
        looked_at = self.versions.currentRow()
        self._versions = versions
        self._fill()
        if versions:  # who looks at the newest goes on with the newest
            self.versions.selectRow(looked_at + newer if looked_at > 0 else 0)
        self._refresh()

    def show_text(self, version: int, text: str) -> None:
        refused = next((one.refused for one in self._versions if one.version == version), None)
        self._show_lines(str(version), text, refused)

    def _show_lines(self, key: str, text: str, why: Sentence | None) -> None:
        """A text, with the line marked that a sentence about it names."""
        line = None if why is None else line_in(why)
        self.text.show_file(f"{self._place} {key}", lambda: _numbered(text))
        self.text.mark(None if line is None else (line, line))

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.versions.horizontalHeader().setMinimumSectionSize(with_text(LEAST_COLUMN))
        self.text.apply_theme(theme)
        self.printed.apply_theme(theme)
        if self.errors is not None:
            self.errors.apply_theme(theme)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Your kernel"))
        self._show_notice()
        stamps = self.tr(
            "Trace one pass, and show what the kernel stamps in Reduction:"
            " lnkernels.language.stamps.stamp"
        )
        hard = self.tr(
            "Check it on every kind of data, NaN and infinity among them, and on odd shapes"
        )
        for button, text, tip in (
            (self.open, self.tr("Open …"), self.tr("A file that you trust: its code is run")),
            (
                self.new,
                self.tr("New …"),
                self.tr("Write a file with a plain Triton LayerNorm to begin from"),
            ),
            (
                self.code,
                self.tr("Machine code"),
                self.tr("Its Triton kernels in every form of the compiler, in Compiled"),
            ),
            (self.phases, self.tr("Phases"), stamps),
            (self.hard, self.tr("Hard inputs"), hard),
            (
                self.save,
                self.tr("Save this version …"),
                self.tr("The text of the chosen version, as it was run"),
            ),
        ):
            button.setText(text)
            button.setToolTip(tip)
        self.views.set_text(
            "versions", self.tr("Versions"), self.tr("Versions of the kernel, newest first")
        )
        self.views.set_text("text", self.tr("Text"), self.tr("Text of the chosen version"))
        self.views.set_text(
            "errors",
            self.tr("Errors"),
            self.tr("Errors of the newest version, down to the element"),
        )
        self.views.set_text(
            "printed", self.tr("Printed"), self.tr("What the newest version printed")
        )
        self.printed.setAccessibleName(self.tr("What the newest version printed"))
        self.versions.setAccessibleName(self.tr("Versions of the kernel, newest first"))
        self.text.setAccessibleName(self.tr("Text of the chosen version"))
        self._fill()
        self._refresh()

    def _show_notice(self) -> None:
        title, action = self.tr("A kernel of your own"), ""
        text = self.tr(
            "Open a Python file with a LayerNorm, drop one here, or write a new one to begin from."
            " It is checked as every kernel is, timed where there is a GPU, and again each time"
            " that you save it."
        )
        if self.offered is not None:
            title, action = (
                self.tr("The session had a kernel of somebody's own"),
                self.tr("Open it, and run its code"),
            )
            asked = self.tr(
                "{path}\nsha256 {sha256}\n\nTo check it is to run its code. Open it only if you"
                " trust it."
            )
            text = asked.format(path=self.offered.place, sha256=self.offered.sha256)
        self.notice.set_text(title, text, action, self.tr("A file that you trust: its code is run"))

    def _build(self) -> None:
        bar = lay_row(
            None, self.open, self.new, (self.path, 1), self.state, self.badge, spacing=GRID
        )
        table = self.versions
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.verticalHeader().setVisible(False)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.setTabKeyNavigation(False)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setResizeContentsPrecision(
            0
        )  # only the rows in view decide how wide the columns are
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(RESULT, QHeaderView.ResizeMode.Stretch)
        self._right = QStackedWidget()
        self._right.addWidget(self.text)
        self._right.addWidget(self.printed)
        self.views.set_available("printed", available=False)
        buttons = lay_row(None, 1, self.views, self.hard, self.phases, self.code, self.save)
        split = QSplitter()
        split.setChildrenCollapsible(False)
        split.addWidget(table)
        split.addWidget(self._right)
        split.setSizes([70 * GRID, 60 * GRID])
        below = QWidget()
        self._stack, page = fill_with_stack(below, self.notice)
        lay_column(page, self.verdict, buttons, self.hard_inputs, (split, 1), spacing=GRID)
        lay_column(self, bar, (below, 1), margins=GRID, spacing=GRID)

    def _arrange(self) -> None:
        """Both halves beside each other, where there is room for them."""
        self._narrow = self.width() < with_text(ROOM_FOR_BOTH)
        self.views.set_available("versions", self._narrow)
        if not self._narrow and self.views.current == "versions":
            self.views.choose("text")
        self._show_view()

    def _show_view(self) -> None:
        alone = self._narrow and self.views.current == "versions"
        self._right.setVisible(not alone)
        self.versions.setVisible(alone or not self._narrow)
        if self.views.current == "errors" and self._errors is not None:
            if self.errors is None:
                self.errors = ErrorsView()
                self.errors.apply_theme(self._theme)
                self.errors.inspectRequested.connect(self.inspectRequested)
                self._right.addWidget(self.errors)
            self.errors.show_correctness(*self._errors)
            self._right.setCurrentWidget(self.errors)
        else:
            self._right.setCurrentWidget(
                self.printed if self.views.current == "printed" else self.text
            )

    def _fill(self) -> None:
        heads = (
            self.tr("version"),
            self.tr("forward"),
            self.tr("backward"),
            self.tr("result"),
            self.tr("checked"),
        )
        table = self.versions
        table.blockSignals(True)
        row = max(table.currentRow(), 0)
        table.setRowCount(0)  # each head is fitted to all rows that there are
        for column, text in enumerate(heads):
            table.setHorizontalHeaderItem(column, _item(text, column))
        table.setRowCount(len(self._versions))
        timed: dict[object, KernelVersion] = {}  # the newest so far, by problem
        for place, version in zip(
            reversed(range(len(self._versions))), self._versions, strict=True
        ):
            result = self._result(version, timed.get(version.problem))
            tip = f"{wording.shape(version.m, version.n, version.dtype)}\n{result}"
            if (
                version.refused is not None and len(result) > LONGEST
            ):  # the whole of the newest stands above
                result = f"{result[:LONGEST]} …"
            for column, text in enumerate(
                (str(version.version), *_speeds(version), result, local_minute(version.date))
            ):
                table.setItem(place, column, _item(text, column, tip))
            if version.figures:
                timed[version.problem] = version
        if self._versions:
            table.selectRow(min(row, len(self._versions) - 1))
        table.blockSignals(False)

    def _result(self, version: KernelVersion, before: KernelVersion | None) -> str:
        if version.refused is not None:
            return translate_message(version.refused)
        said = compare_versions(version, before) if before is not None else []
        found = "\n".join(map(translate_message, said)) or self.tr("right")
        return "\n".join([found, *map(translate_message, notes_on_events(version.figures))])

    def _refresh(self) -> None:
        self._stack.setCurrentIndex(1 if self._place else 0)
        self.state.setVisible(bool(self._place))
        newest = self._versions[-1] if self._versions else None
        self.path.setText(self._place)
        self.state.setText(self.tr("checking …") if self.busy else self.tr("checked at every save"))
        self.badge.show_kind(
            None if newest is None else Kind.MEASURED if newest.device else Kind.INTERPRETED
        )
        wrong = self._problem is not None or (newest is not None and newest.refused is not None)
        restyle(
            self.verdict, "look", "refusal" if wrong else "muted" if newest is None else "strong"
        )
        self.verdict.setText(translate_message(self._problem or _verdict(newest)))
        self.hard_inputs.setText("" if self._hard is None else translate_message(self._hard))
        self.hard_inputs.setVisible(self._hard is not None)
        ready = not self.busy and newest is not None
        for button in (self.hard, self.code):
            button.setEnabled(ready and self._source is not None)
        self.phases.setEnabled(ready and self._source is not None and bool(self._source.stamps))
        self.save.setEnabled(newest is not None)


def _numbered(text: str) -> list[tuple[int, str]]:
    return [
        (number, line.rstrip("\n")) for number, line in enumerate(StringIO(text, newline=None), 1)
    ]  # as Python counts


def _speeds(version: KernelVersion) -> list[str]:
    figures = [version.figure(direction) for direction in DIRECTIONS]
    return [
        f"{wording.figure(figure.gbps)} GB/s" if figure is not None else "–" for figure in figures
    ]


def _verdict(newest: KernelVersion | None) -> Sentence:
    if newest is None:
        return say("not checked yet")
    if newest.refused is None:
        return say(
            "{name}, version {version}: all results are within tolerance",
            name=newest.name,
            version=newest.version,
        )
    return say(
        "{name}, version {version}: {why}",
        name=newest.name,
        version=newest.version,
        why=newest.refused,
    )


def _item(text: str, column: int, tip: str = "") -> QTableWidgetItem:
    item = QTableWidgetItem(in_order(text))
    item.setToolTip(in_order(tip))
    side = Qt.AlignmentFlag.AlignRight if column in NUMBERS else Qt.AlignmentFlag.AlignLeft
    item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    return item
