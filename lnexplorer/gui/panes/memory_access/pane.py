"""What a program touches: the loads and stores of one row, forward and backward, as the kernels
themselves made them.
"""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QSizePolicy,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QTextBrowser,
    QWidget,
)

from lnexplorer.domain.jobs import Touched
from lnexplorer.domain.roofline import Roofline
from lnexplorer.domain.views import TouchView
from lnexplorer.domain.wording import bytes_text
from lnexplorer.gui.charts.roofline import RooflineView
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, LIGHT, Theme
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import (
    Badge,
    Label,
    Notice,
    Segments,
    WrappedLabel,
    lay_column,
    lay_row,
)
from lnexplorer.gui.panes.memory_access.derivation import TERMS, derivation_html, lines_of
from lnexplorer.gui.panes.memory_access.strips import Strips, detail_text
from lnexplorer.gui.timeline.source import SourceView, kernel_text
from lnkernels.values.environment import Kind
from lnkernels.values.touched import KERNELS

ROOFLINE = "roofline"  # beside the kernels, what is known of both passes
REST_MS = 200  # a spin box rests so long before it is asked for


class TouchPane(Retranslated, QWidget):
    """Strips on the left; source and derivation on the right."""

    touchRequested = Signal(int, int)  # row, column

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = QSpinBox()
        self.column = QSpinBox()
        self.row_label = Label()
        self.column_label = Label()
        self.badge = Badge()
        self.kernel = Segments((*KERNELS, ROOFLINE))
        self.strips = Strips()
        self.source = SourceView()
        self.derivation = QTextBrowser()
        # offsets and masks are what is looked for: nothing is left out
        self.about = WrappedLabel()
        self.detail = WrappedLabel()
        self.bytes = WrappedLabel()
        self.roofline = RooflineView()
        self.limit = WrappedLabel()
        self.notice = Notice()
        self.untimed = Notice()
        self._touched: Touched | None = None
        self._run: tuple[Roofline | None, Kind, str] = (None, Kind.MEASURED, "")
        self._term: int | None = None
        self._stale = True  # what is wanted is not asked for yet
        self._theme = LIGHT
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._ask)
        self._build()
        self._connect()
        self.retranslate()

    def set_shape(self, m: int, n: int) -> None:
        for spin, count in ((self.row, m), (self.column, n)):
            spin.setMaximum(max(count - 1, 0))

    View = TouchView

    def view(self) -> TouchView:
        return TouchView(
            row=self.row.value(), column=self.column.value(), kernel=self.kernel.current
        )

    def show_view(self, view: TouchView) -> None:
        """Look at this, as far as there are such rows and columns, and ask for it."""
        for spin, place in ((self.row, view.row), (self.column, view.column)):
            spin.setValue(
                min(max(place, 0), spin.maximum())
            )  # Qt refuses what is no number of 32 bits
        if view.kernel in self.kernel.keys:
            self.kernel.choose(view.kernel)
            self._show_kernel()
        self.ask_again()

    def choose_row(self, row: int) -> None:
        """Choose a row, as a click on it does, and ask for it."""
        self.row.setValue(row)
        self.ask_again()

    def ask_again(self) -> None:
        """What is on show is of something else; ask as soon as somebody looks."""
        self._rest.start()

    def set_waiting(self) -> None:
        if self._touched is None:
            self.notice.set_text(
                self.tr("Memory access"), self.tr("The kernels run in Triton's interpreter …")
            )

    def show_touched(self, touched: Touched) -> None:
        self._touched = touched
        self._show_kernel()

    def show_run(
        self, roofline: Roofline | None, kind: Kind = Kind.MEASURED, where: str = ""
    ) -> None:
        """Where the passes of the run on show are below the roofline; None where it has no times."""
        self._run = (roofline, kind, where)
        self.roofline.show_drawn(roofline)
        self._show_kernel()

    def show_problem(self, sentence: str) -> None:
        self._touched = None
        self.notice.set_text(self.tr("Nothing to show"), sentence)
        self._show_kernel()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        for part in (self.strips, self.source, self.roofline):
            part.apply_theme(theme)
        self._show_derivation()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Memory access"))
        self.row_label.setText(self.tr("row"))
        self.column_label.setText(self.tr("column"))
        self.row.setAccessibleName(self.tr("Row of x whose programs are shown"))
        self.row.setToolTip(
            self.tr(
                "The row whose forward and stage-1 program is shown; the one that is followed in"
                " the reduction"
            )
        )
        self.column.setAccessibleName(self.tr("Column whose stage-2 program is shown"))
        self.column.setToolTip(self.tr("The column whose stage-2 program is shown"))
        self.kernel.set_text(
            "forward",
            self.tr("forward"),
            self.tr("The program of the forward pass: three walks over the row"),
        )
        self.kernel.set_text(
            "stage1",
            self.tr("stage 1"),
            self.tr("The program that computes dx and adds to the buffers of its lock"),
        )
        self.kernel.set_text(
            "stage2",
            self.tr("stage 2"),
            self.tr("The program that adds the buffers of some columns up"),
        )
        about = self.tr("Both passes of the run on show, below what memory and arithmetic allow")
        self.kernel.set_text(ROOFLINE, self.tr("Roofline"), about)
        self.roofline.setAccessibleName(self.tr("Roofline"))
        self.roofline.setToolTip(
            self.tr(
                "The slope is the faster of a copy and a + b → c in the same run, the level float32"
                " arithmetic at its clock"
            )
        )
        self.untimed.set_text(
            self.tr("No times of a GPU"),
            self.tr(
                "A roofline needs a run that was timed, on a GPU whose clock and SMs are known."
            ),
            self.tr("Watch a recorded run"),
            self.tr("4096 × 1024 with GROUP_SIZE_M 16 on an H200"),
        )
        self.strips.setAccessibleName(self.tr("Loads and stores in their order"))
        self.strips.setToolTip(
            self.tr(
                "Filled is written, framed is read, grey is masked. Click, or use the arrow keys,"
                " to see the line of code."
            )
        )
        self.source.setAccessibleName(self.tr("The kernel's source"))
        self.derivation.setAccessibleName(self.tr("How dx, dw and db follow, step by step"))
        if self._touched is None:
            self.notice.set_text(
                self.tr("Memory access"),
                self.tr(
                    "Choose a row: its programs run in Triton's interpreter, and each load and"
                    " store is shown with its line."
                ),
            )
        self._show_derivation()
        self._show_kernel()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._rest.start()

    def _ask(self) -> None:
        self._stale = not self.isVisible()
        if self._stale:
            return
        self.touchRequested.emit(self.row.value(), self.column.value())

    def _show_kernel(self) -> None:
        """The accesses of a kernel, or the roofline; in the place of what is not there, why."""
        touched, kernel = self._touched, self.kernel.current
        roofline, kind, where = self._run
        if kernel == ROOFLINE:
            self._stack.setCurrentWidget(self.untimed if roofline is None else self._below)
            self.badge.show_kind(None if roofline is None else kind, where)
            if roofline is not None:
                self.limit.setText(
                    " ".join(
                        map(translate_message, (roofline.sentence(), roofline.peak.sentence()))
                    )
                )
            return
        self._stack.setCurrentWidget(self.notice if touched is None else self._accesses)
        self.badge.show_kind(None if touched is None else Kind.INTERPRETED)
        if touched is None:
            return
        self.strips.show_accesses(touched, kernel)
        launch, n, row = touched.resolved.launch, touched.resolved.n, touched.request.row
        match kernel:
            case "forward":
                steps = -(-n // launch.block_size)
                text = self.tr(
                    "program {row}: three walks, each of {steps} × BLOCK_SIZE = {block} lanes"
                )
                text = text.format(row=row, steps=steps, block=launch.block_size)
            case "stage1":
                text = self.tr(
                    "program {row}: lock and buffer {row} mod {group} = {lock}, BLOCK_SIZE_N ="
                    " {block} lanes"
                )
                group = launch.group_size_m
                text = text.format(
                    row=row, group=group, lock=row % group, block=launch.block_size_n
                )
            case _:
                text = self.tr(
                    "program {tile}: columns {first} … {last}, buffers: {buffers}, BLOCK_SIZE_M ×"
                    " BLOCK_SIZE_N = {block}"
                )
                tile, width = (
                    touched.request.column // launch.reduce_block_size_n,
                    launch.reduce_block_size_n,
                )
                last = min((tile + 1) * width, n) - 1
                block = f"{launch.reduce_block_size_m} × {width}"
                text = text.format(
                    tile=tile, first=tile * width, last=last, buffers=touched.buffers, block=block
                )
        self.about.setText(text)
        self.about.setToolTip(text)
        asked, least = touched.bytes_of_pass(kernel)
        text = {
            "forward": self.tr(
                "A row asks for {own}, the forward pass for {all}; the least is {least}: x and y"
                " once."
            ),
            "stage1": self.tr(
                "A row asks for {own}, both stages for {all}; the least is {least}: x, dy and dx"
                " once."
            ),
            "stage2": self.tr(
                "These columns ask for {own}, both stages for {all}; the least is {least}: x, dy"
                " and dx once."
            ),
        }[kernel]
        sizes = {"own": touched.bytes_of(kernel), "all": asked, "least": least}
        self.bytes.setText(text.format(**{name: bytes_text(size) for name, size in sizes.items()}))

    def _on_chosen(self, place: int) -> None:
        if self._touched is None:
            return
        access = self.strips.accesses[place]
        self._show_lines(access.file, access.line, access.line)
        self.detail.setText(detail_text(access, self._touched))
        self.detail.setToolTip(self.detail.text())

    def choose_term(self, number: int) -> None:
        self._term = number
        self._show_lines(TERMS[number].where[0], *lines_of(TERMS[number]))
        self._show_derivation()

    def _show_lines(self, file: str, first: int, last: int) -> None:
        self.source.show_file(file, lambda: list(enumerate(kernel_text(file).splitlines(), 1)))
        self.source.mark((first, last))

    def _show_derivation(self) -> None:
        bar = self.derivation.verticalScrollBar()
        place = bar.value()
        self.derivation.setHtml(derivation_html(self._theme.accent, self._theme.muted, self._term))
        bar.setValue(place)

    def _build(self) -> None:
        self.derivation.setOpenLinks(False)
        for label in (self.row_label, self.column_label, self.about, self.detail):
            label.setProperty("look", "muted")
        for wrapped in (self.about, self.detail):  # as high as its lines, and no higher
            wrapped.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        for spin in (self.row, self.column):
            spin.setKeyboardTracking(False)
            spin.setMinimumWidth(10 * GRID)
        bar = lay_row(
            None,
            self.row_label,
            self.row,
            self.column_label,
            self.column,
            self.kernel,
            1,
            self.badge,
        )
        self._accesses = QWidget()
        self._below = QWidget()
        lay_column(self._accesses, self.about, (self.strips, 1), self.detail, self.bytes)
        lay_column(self._below, (self.roofline, 1), self.limit, margins=None)
        self._stack = QStackedWidget()
        for page in (self.notice, self._accesses, self.untimed, self._below):
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

    def _connect(self) -> None:
        for spin in (self.row, self.column):
            spin.valueChanged.connect(lambda _value: self._rest.start())
        self.kernel.changed.connect(lambda _key: self._show_kernel())
        self.strips.chosen.connect(self._on_chosen)
        self.derivation.anchorClicked.connect(
            lambda url: self.choose_term(int(url.toString().removeprefix("term:")))
        )
