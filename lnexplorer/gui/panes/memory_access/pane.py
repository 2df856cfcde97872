"""The Memory access pane: the loads and stores of one row, forward and backward, as the kernels
themselves made them, and the roofline of both passes.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSpinBox, QSplitter, QStackedWidget, QWidget

from lnexplorer.domain.jobs import Touched
from lnexplorer.domain.request import ResolvedRequest, RunPlan, other_setting
from lnexplorer.domain.roofline import Roofline
from lnexplorer.domain.views import TouchView
from lnexplorer.gui.charts.diagrams import RooflineView
from lnexplorer.gui.kit import (
    GRID,
    Badge,
    FoldedRow,
    Label,
    Notice,
    Retranslated,
    Segments,
    Veil,
    WrappedLabel,
    lay_column,
    lay_row,
)
from lnexplorer.gui.kit.responsive import AskWhenSeen
from lnexplorer.gui.panes.memory_access.derivation import DerivationView, lines_of
from lnexplorer.gui.panes.memory_access.strips import AccessPage
from lnexplorer.gui.timeline.source import SourceView, kernel_text
from lnkernels.values import Words, join_sentences, say
from lnkernels.values.environment import Kind

REST_MS = 200  # a spin box rests so long before it is asked for
ROOFLINE = "roofline"  # beside the kernels, both passes
PAGES = {
    "forward": (say("forward"), say("The program of the forward pass: three walks over the row")),
    "stage1": (
        say("stage 1"),
        say("The program that computes dx and adds to the buffers of its lock"),
    ),
    "stage2": (say("stage 2"), say("The program that adds the buffers of some columns up")),
    ROOFLINE: (
        say("Roofline"),
        say("Both passes of the run on show, below what memory and arithmetic allow"),
    ),
}
TITLE = say("Memory access")


class TouchPane(Retranslated, QWidget):
    """Accesses or roofline on the left; source and derivation on the right."""

    View = TouchView
    touchRequested = Signal(int, int)  # row, column

    def __init__(self) -> None:
        super().__init__()
        self.row = self.write_on(
            QSpinBox(),
            tip=say(
                "The row whose forward and stage-1 program is shown; the one that is followed in"
                " the reduction"
            ),
            name=say("Row of x whose programs are shown"),
        )
        self.column = self.write_on(
            QSpinBox(),
            tip=say("The column whose stage-2 program is shown"),
            name=say("Column whose stage-2 program is shown"),
        )
        self.badge = Badge()
        self.kernel = Segments(PAGES)
        self.accesses = AccessPage()
        self.source = self.write_on(SourceView(), name=say("The kernel's source"))
        self.derivation = DerivationView()
        self.roofline = self.write_on(
            RooflineView(),
            tip=say(
                "The slope is the faster of a copy and a + b → c in the same run, the level float32"
                " arithmetic at its clock"
            ),
            name=say("Roofline"),
        )
        self.limit = WrappedLabel()
        self.notice = Notice()
        self.untimed = Notice()
        self._touched: Touched | None = None
        self._run: tuple[Roofline | None, Kind, str] = (None, Kind.MEASURED, "")
        self.asking = AskWhenSeen(self, REST_MS)
        self.asking.asked.connect(self._ask)
        self._build()
        self.kernel.changed.connect(self._show_kernel)
        self.accesses.lineChosen.connect(lambda file, line: self._show_lines(file, line, line))
        self.derivation.termChosen.connect(
            lambda term: self._show_lines(term.where[0], *lines_of(term))
        )
        self._show_kernel()

    def set_shape(self, m: int, n: int) -> None:
        for spin, count in ((self.row, m), (self.column, n)):
            spin.setMaximum(max(count - 1, 0))

    def view(self) -> TouchView:
        return TouchView(
            row=self.row.value(), column=self.column.value(), kernel=self.kernel.current
        )

    def show_view(self, view: TouchView) -> None:
        """Look at this, as far as there are such rows and columns, and ask for it."""
        for spin, place in ((self.row, view.row), (self.column, view.column)):
            # Qt refuses what is no number of 32 bits.
            spin.setValue(min(max(place, 0), spin.maximum()))
        if view.kernel in PAGES:
            self.kernel.choose(view.kernel)
            self._show_kernel()
        self.asking.start()

    def choose_row(self, row: int) -> None:
        """Choose a row, as a click on it does, and ask for it."""
        self.row.setValue(row)
        self.asking.start()

    def set_waiting(self) -> None:
        if self._touched is None:
            self.notice.set_text(TITLE, say("The kernels run in Triton's interpreter …"))

    def show_touched(self, touched: Touched) -> None:
        self._touched = touched
        self._show_kernel()

    def show_run(
        self, roofline: Roofline | None, kind: Kind = Kind.MEASURED, where: str = ""
    ) -> None:
        """Show the roofline of the run on show; None where the run has no times."""
        self._run = (roofline, kind, where)
        self.roofline.show_drawn(roofline)
        if roofline is not None:
            limits = roofline.sentence(), roofline.peak.sentence()
            self.write_on(self.limit, join_sentences(limits, " "))
        self._show_kernel()

    def compare(self, plan: RunPlan, ran: ResolvedRequest | None, machine: str = "") -> None:
        """Dim what is not of a plan; `ran` and `machine` are of the run on show."""
        of = None if self._touched is None else self._touched.resolved
        accesses, below = self.veils
        accesses.show_other(other_setting(of, plan, renews=True))
        below.show_other(other_setting(ran, plan, machine))

    def show_problem(self, sentence: Words) -> None:
        self._touched = None
        self.notice.set_text(say("Nothing to show"), sentence)
        self._show_kernel()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.asking.look()

    def _ask(self) -> None:
        self.touchRequested.emit(self.row.value(), self.column.value())

    def _show_kernel(self) -> None:
        """Show the accesses of a kernel, or the roofline; a notice where there are none."""
        touched, kernel = self._touched, self.kernel.current
        if kernel == ROOFLINE:
            roofline, kind, where = self._run
            self._stack.setCurrentWidget(self.untimed if roofline is None else self._below)
            self.badge.show_kind(None if roofline is None else kind, where)
            return
        self._stack.setCurrentWidget(self.notice if touched is None else self.accesses)
        self.badge.show_kind(None if touched is None else Kind.INTERPRETED)
        if touched is not None:
            self.accesses.show_kernel(touched, kernel)

    def _show_lines(self, file: str, first: int, last: int) -> None:
        self.source.show_file(file, lambda: list(enumerate(kernel_text(file).splitlines(), 1)))
        self.source.mark((first, last))

    def _build(self) -> None:
        self.untimed.set_text(
            say("No times of a GPU"),
            say("A roofline needs a run that was timed, on a GPU whose clock and SMs are known."),
            say("Watch a recorded run"),
            say("4096 × 1024 with GROUP_SIZE_M 16 on an H200"),
        )
        self.notice.set_text(
            TITLE,
            say(
                "Choose a row: its programs run in Triton's interpreter, and each load and store is"
                " shown with its line."
            ),
        )

        parts = []
        for spin, name in ((self.row, say("row")), (self.column, say("column"))):
            label = self.write_on(Label(look="muted"), name)
            spin.setKeyboardTracking(False)
            spin.setMinimumWidth(10 * GRID)
            spin.valueChanged.connect(lambda _value: self.asking.start())
            parts += [label, spin]
        chosen, bar = QWidget(), FoldedRow()
        lay_row(chosen, *parts, 1)
        pages = QWidget()
        lay_row(pages, self.kernel, 1, self.badge)
        bar.lay_pieces(chosen, pages)
        self._below = QWidget()
        lay_column(self._below, (self.roofline, 1), self.limit, margins=None)
        self.veils = Veil(self.accesses), Veil(self._below)
        self._stack = QStackedWidget()
        for page in (self.notice, self.accesses, self.untimed, self._below):
            self._stack.addWidget(page)
        right = QSplitter(Qt.Orientation.Vertical)
        right.addWidget(self.source)
        right.addWidget(self.derivation)
        right.setSizes([55, 45])
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.addWidget(self._stack)
        halves.addWidget(right)
        halves.setSizes([58, 42])
        lay_column(self, bar, (halves, 1), margins=GRID)
