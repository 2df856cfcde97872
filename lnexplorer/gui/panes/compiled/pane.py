"""The compiler, seen: two forms of a kernel beside each other, whose lines know each other, and
what became of it.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedWidget, QWidget

from lnexplorer.domain.compiled import CompilerRemark, place_text, source_line, unlike, waits_at
from lnexplorer.domain.jobs import Compiled
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.views import CompiledView
from lnexplorer.gui.kit.code import LESS, MORE
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID, Theme, with_text
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import (
    Choice,
    ElidedLabel,
    Notice,
    Segments,
    WrappedLabel,
    fill_with_stack,
    lay_column,
    lay_row,
)
from lnexplorer.gui.panes.compiled.facts import ArchitectureTable, FactsPanel
from lnexplorer.gui.panes.compiled.pictures import LaunchPicture, LayoutPage, levels_of
from lnexplorer.gui.panes.compiled.side import Side, title_of
from lnkernels.launch import as_wish
from lnkernels.values.counters import KernelCounters
from lnkernels.values.listing import ARCHITECTURES, STAGES, Listing

REST_MS = 250  # parameters rest so long before they are compiled
FACTS_WIDTH = 170  # px at least
KERNELS = ("forward", "backward_stage1", "backward_stage2")
OURS = "lnkernels/"
PAGES = ("code", "layout", "launch", "architectures")


class CompiledPane(Retranslated, QWidget):
    """Texts on the left, facts on the right."""

    compileRequested = Signal(str)  # architecture; empty for the device's own
    otherRequested = Signal(str, str)  # what it is compared with, see `compare`; architecture
    rowsRequested = Signal(
        str, object, object
    )  # a form and two listings, whose lines are to be put beside each other

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kernel = Segments(KERNELS)
        self.architecture = Choice()
        self.compare = Choice()
        self.state = ElidedLabel()
        self.problem = WrappedLabel()
        self.readout = ElidedLabel()
        self.left = Side("source")
        self.right = Side("sass")
        self.facts = FactsPanel()
        self.pages = Segments(PAGES)
        self.layouts = LayoutPage()
        self.launch = LaunchPicture()
        self.architectures = ArchitectureTable()
        self.count = QPushButton()
        self.notice = Notice()
        self._counted: RunResult | None = None  # with counters
        self._counters: KernelCounters | None = None  # of the machine code on show
        self._where = ""  # they were counted
        self.compiled: Compiled | None = None
        self.listing: Listing | None = (
            None  # the kernel on show, with the machine code that was counted if any was
        )
        self._kept: Compiled | None = (
            None  # on show when somebody asked to compare it with what comes
        )
        self._other: Compiled | None = None  # what else it is compared with
        self._pair: tuple[Listing, Listing] | None = (
            None  # the kernel on the left and on the right while two are compared
        )
        self._followed: tuple[str, int, int] | None = (
            None  # a file and lines, which the reduction is at
        )
        self._chosen: tuple[str, int] | None = None  # form and line
        self._wished: CompiledView | None = None  # to be shown once it is compiled
        self._stale = True  # what is wanted is not asked for yet
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._build()
        self._connect()
        self.retranslate()

    @property
    def is_about_to_ask(self) -> bool:
        return self.isVisible() and self._rest.isActive()

    def ask_again(self) -> None:
        """What is on show is of something else; ask as soon as somebody looks."""
        self._rest.start()

    def view(self) -> CompiledView:
        if self._wished is not None:
            return self._wished
        beside = self.compare.currentData()
        return CompiledView(
            kernel=self.kernel.current,
            architecture=self.architecture.currentData(),
            forms=(self.left.stage, self.right.stage),
            line=self._chosen,
            beside="" if beside == "kept" else beside,
            page=self.pages.current,
        )

    def show_view(self, view: CompiledView) -> None:
        """Ask for this, and look at it once it is there, as far as there is such a thing."""
        self._wished = view
        self.architecture.setCurrentIndex(max(self.architecture.findData(view.architecture), 0))
        self.ask_again()

    def set_waiting(self, *, begun: bool = False) -> None:
        """It is asked for, or being compiled; what is on show stays."""
        waits = self.tr("waiting until the worker has done what it is at …")
        self.state.setText(self.tr("compiling …") if begun else waits)
        if self.compiled is None:
            self.notice.set_text(self.tr("Compiled"), self.state.text())

    def show_compiled(self, compiled: Compiled) -> None:
        """Show what was compiled, at the line that was chosen before where it is still there."""
        self._end_wait()
        self.compiled = compiled
        self._other = None
        self._stack.setCurrentIndex(1)
        for name in KERNELS:
            self.kernel.set_available(name, compiled.kernel(name) is not None)
        if compiled.kernel(self.kernel.current) is None and compiled.kernels:
            self.kernel.choose(compiled.kernels[0].facts.name)
        self._fill_compare()
        self._look_as_wished()
        self._want_other()
        self._show_kernel()

    def show_live(self, compiled: Compiled) -> None:
        """Show the same with live registers, unless something else is on show by now."""
        same = replace(compiled.request, live=False)
        sides = (self.compiled, self._other, self._kept)  # one may stand in two of them
        self.compiled, self._other, self._kept = (
            compiled if one is not None and one.request == same else one for one in sides
        )
        if compiled in (self.compiled, self._other, self._kept):
            self._show_kernel()

    def show_other(self, compiled: Compiled) -> None:
        """Show beside it what it is compared with."""
        self._end_wait()
        self._other = compiled
        self._show_kernel()

    def show_rows(self, stage: str, left: Listing, right: Listing, rows: NDArray[np.int32]) -> None:
        """Show a form of two listings beside each other, as `rowsRequested` asked."""
        if stage != self.left.stage or (left, right) != self._pair:
            return  # something else was chosen meanwhile
        changed = int((rows[:, 1] < 0).sum()), int((rows[:, 0] < 0).sum())
        text = self.tr("{form}: {less} lines on the left alone, {more} on the right alone")
        self.readout.setText(text.format(form=title_of(stage), less=changed[0], more=changed[1]))
        first = np.flatnonzero((rows < 0).any(axis=1))
        halves = (self.left, left, rows, LESS), (self.right, right, rows[:, ::-1], MORE)
        for (side, listing, lines, tint), head in zip(
            halves, self._heads(), strict=True
        ):  # 20 ms each for 10,000 lines
            if side.show_beside(listing, lines[:, 0], lines[:, 1], head, tint) and first.size:
                side.code.show_line(int(first[0]))

    def show_counters(self, result: RunResult | None) -> None:
        """Show what the hardware counted in a run of the same problem, beside the machine code that
        ran.
        """
        result = result if result is not None and result.counters else None
        if result is not self._counted:
            self._counted = result
            if self._pair is None:
                self._show_kernel()

    def show_problem(self, sentence: str) -> None:
        """Say why there is nothing new; what is on show stays."""
        self._end_wait()
        if self.compiled is None:
            self.notice.set_text(self.tr("Nothing to show"), sentence)
        else:
            self.problem.setText(sentence)
            self.problem.setVisible(True)

    def follow_lines(self, file: str, lines: tuple[int, int] | None) -> None:
        """Mark the lines that the followed row of the reduction is at."""
        self._followed = None if lines is None else (OURS + file, *lines)
        if self.isVisible():
            self._go_to_followed()

    def choose_line(self, stage: str, line: int, listing: Listing | None = None) -> None:
        """Choose a line of a form, whether it is on show or not: all that belong to it are marked.

        Args:
            stage: the form.
            line: of it.
            listing: one of two that are compared; by default the only one.
        """
        listing = listing or (self.listing if self._pair is None else self._pair[0])
        if listing is None or not 0 <= line < len(listing.stages[stage].lines):
            return
        self._chosen = (stage, line)
        partners = listing.partners(stage, line)
        for side in (self.left, self.right):
            if side.listing is listing:
                side.mark(partners[side.stage], line if side.stage == stage else None)
        number = int(listing.stages[stage].stacks[line])
        also = (
            []
            if self._counters is None
            else list(map(translate_message, waits_at(self._counters, partners["sass"])))
        )
        if stage == "sass" and listing.live is not None and listing.live.at[line] >= 0:
            also = [self.tr("{count} live registers").format(count=int(listing.live.at[line]))]
        if number < 0:
            nowhere = self.tr("The compiler names no place for this line of {form}").format(
                form=title_of(stage)
            )
            self.readout.setText(" · ".join([nowhere, *also]))
            return
        words = (
            self.tr("no line of {form}"),
            self.tr("1 line of {form}"),
            self.tr("{count} lines of {form}"),
        )
        counts = [
            words[min(partners[name].size, 2)].format(
                count=partners[name].size, form=title_of(name)
            )
            for name in dict.fromkeys((self.left.stage, self.right.stage))
            if name != stage
        ]
        self.readout.setText(" · ".join([place_text(listing, number), *counts, *also]))

    def apply_theme(self, theme: Theme) -> None:
        for part in (
            self.left.code,
            self.right.code,
            self.facts,
            self.layouts.picture,
            self.launch,
        ):
            part.apply_theme(theme)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Compiled"))
        self.kernel.set_text(
            "forward", self.tr("forward"), self.tr("The kernel of the forward pass")
        )
        self.kernel.set_text(
            "backward_stage1",
            self.tr("stage 1"),
            self.tr("The kernel that computes dx and partial sums"),
        )
        self.kernel.set_text(
            "backward_stage2",
            self.tr("stage 2"),
            self.tr("The kernel that adds the partial sums up"),
        )
        self.architecture.setItemText(0, self.tr("this device"))
        self.architecture.setAccessibleName(self.tr("Architecture that is compiled for"))
        self.architecture.setToolTip(self.tr("What is compiled for; no such GPU need be here"))
        self.compare.setAccessibleName(self.tr("Compare with"))
        self.compare.setToolTip(self.tr("Another compilation beside this one, line by line"))
        self.left.code.setAccessibleName(self.tr("Code on the left"))
        self.right.code.setAccessibleName(self.tr("Code on the right"))
        for part in (self.left, self.right, self.facts, self.layouts, self.architectures):
            part.retranslate()
        self.pages.set_text("code", self.tr("Code"), self.tr("Two forms beside each other"))
        self.pages.set_text(
            "layout", self.tr("Layouts"), self.tr("Which thread of which warp holds which element")
        )
        self.pages.set_text(
            "launch",
            self.tr("Launch"),
            self.tr("Grid, programs, warps and threads, and what each holds"),
        )
        self.pages.set_text(
            "architectures",
            self.tr("GPUs"),
            self.tr("The kernel for every architecture, in a table"),
        )
        self.launch.setAccessibleName(self.tr("From the grid to a thread"))
        self.count.setText(self.tr("Counters"))
        self.count.setToolTip(
            self.tr(
                "Run once under Nsight Compute: what memory, caches and SMs did, and where warps"
                " waited"
            )
        )
        if self.compiled is None:
            self.notice.set_text(
                self.tr("Compiled"),
                self.tr(
                    "The kernels in every form that the compiler gives them, for any architecture."
                    " No GPU is needed."
                ),
            )
        self._fill_compare()
        self._show_kernel()  # what stands above and below the texts, too

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._rest.start()
        self._go_to_followed()

    def _ask(self) -> None:
        self._stale = not self.isVisible()
        if not self._stale:
            self.problem.setVisible(False)
            self.compileRequested.emit(self.architecture.currentData())

    def _look_as_wished(self) -> None:
        view = self._wished
        self._wished = None
        if view is None:
            return
        if (
            self.compiled is not None
            and view.kernel in KERNELS
            and self.compiled.kernel(view.kernel) is not None
        ):
            self.kernel.choose(view.kernel)
        for side, stage in zip((self.left, self.right), view.forms, strict=True):
            if stage in STAGES:
                side.choose_stage(stage)
        self._chosen = view.line if view.line is not None and view.line[0] in STAGES else None
        self.compare.setCurrentIndex(max(self.compare.findData(view.beside), 0))
        if view.page in PAGES:
            self.show_page(view.page)

    def _want_other(self) -> None:
        self.otherRequested.emit(self.compare.currentData(), self.architecture.currentData())

    def _counters_of(self, kernel: Listing) -> KernelCounters | None:
        if self.compiled is None or self._counted is None:
            return None
        ran, shown = self._counted.resolved, self.compiled.resolved
        capability = self._counted.provenance.environment.compute_capability or ()
        asked = [(one.m, one.n, one.dtype, as_wish(one.launch)) for one in (ran, shown)]
        if (
            asked[0] != asked[1]
            or self.compiled.architecture != f"sm_{''.join(map(str, capability))}"
        ):
            return None
        return next(
            (one for one in self._counted.counters if one.function == kernel.function), None
        )

    @property
    def _sides(self) -> list[Compiled]:
        """What is on show: one, or two that are compared."""
        kept = self._kept if self.compare.currentData() == "kept" else None
        return [one for one in (kept, self.compiled, self._other) if one is not None]

    def _heads(self) -> tuple[str, str]:
        heads = unlike(*self._sides)
        return heads if any(heads) else (self.tr("the same setting"),) * 2

    def _show_kernel(self) -> None:
        kernels = [one.kernel(self.kernel.current) for one in self._sides]
        self.listing = kernel = (
            None if self.compiled is None else self.compiled.kernel(self.kernel.current)
        )
        self._counters = self._pair = None
        if kernel is None:
            return
        match kernels:
            case [Listing() as first, Listing() as second]:
                self._pair = (first, second)
                heads = self._heads()
                self.facts.show_listings((first, heads[0]), (second, heads[1]))
                self.right.choose_stage(self.left.stage)
                self.rowsRequested.emit(self.left.stage, first, second)
                self._show_page()
                return
        self._counters = counters = self._counters_of(kernel)
        if counters is not None and self._counted is not None:
            environment = self._counted.provenance.environment
            self.listing = counters.as_it_ran(kernel)
            self._where = f"{environment.named_gpu}, Triton {environment.triton}"
        self.facts.show_listings((kernel, ""), counters=counters, where=self._where)
        self._show_page()
        for side in (self.left, self.right):
            self._fill(side)
        self.readout.setText(
            self.tr("Click a line, or move to it with the arrow keys: what belongs to it is marked")
        )
        if not self._mark_followed() and self._chosen is not None:
            self.choose_line(*self._chosen)

    def _fill(self, side: Side) -> None:
        if self.listing is not None:
            side.show_listing(self.listing, self._counters, self._where)

    def _followed_in(self, kernel: Listing | None) -> list[int]:
        """Which lines of a kernel's source the reduction is at."""
        if self._followed is None or kernel is None or kernel.facts.name == "forward":
            return []
        file, first, last = self._followed
        return [
            line
            for at in range(first, last + 1)
            if (line := kernel.line_of_source(file, at)) is not None
        ]

    def _go_to_followed(self) -> None:
        """Show the stage that the reduction is at, and mark its lines."""
        if self.compiled is None or self._mark_followed():
            return
        for name in KERNELS:
            if self._pair is None and self._followed_in(self.compiled.kernel(name)):
                self.kernel.choose(name)
                self._show_kernel()
                return

    def _mark_followed(self) -> bool:
        """Mark the lines that the reduction is at, if they are on show."""
        listing = self.listing if self._pair is None else None
        found = self._followed_in(listing)
        if listing is None or not found:
            return False
        partners = [listing.partners("source", line) for line in found]
        for side in (self.left, self.right):
            side.mark(np.unique(np.concatenate([each[side.stage] for each in partners])))
        self.readout.setText(self.tr("Where the followed row of the reduction is"))
        return True

    def _on_row(self, side: Side, row: int) -> None:
        if self._pair is None:
            self.choose_line(side.stage, side.line_in(row))
            return
        for each in (self.left, self.right):
            each.code.choose(row, np.array([row]))
        lines = [each.line_in(row) for each in (self.left, self.right)]
        listing, line = self._pair[side is self.right], side.line_in(row)
        place = (
            place_text(listing, int(listing.stages[side.stage].stacks[line])) if line >= 0 else ""
        )
        missing = self.tr("the other text has no such line") if min(lines) < 0 else ""
        self.readout.setText(" · ".join(filter(None, (place, missing))))

    def _on_stage(self, side: Side) -> None:
        if self._pair is not None:
            (self.right if side is self.left else self.left).choose_stage(side.stage)
            self._show_kernel()
            return
        self._fill(side)
        if self._chosen is not None:
            self.choose_line(*self._chosen)

    def _on_kernel(self) -> None:
        self._chosen = None
        self._show_kernel()

    def _on_compare(self) -> None:
        self._other = None
        self._kept = self.compiled
        self._end_wait()
        if self.compare.currentData() in ("", "kept"):
            if self._pair is not None and len(self._sides) == 1:
                self.right.choose_stage("sass" if self.left.stage != "sass" else "source")
            self._show_kernel()
        self._want_other()

    def show_page(self, page: str) -> None:
        """Show one of PAGES beside the facts."""
        self.pages.choose(page)
        self._pages.setCurrentIndex(PAGES.index(page))
        self.compare.setEnabled(page == "code")
        self.readout.setVisible(page == "code")
        self._show_page()

    def _show_page(self) -> None:
        """Fill the page that is seen; the texts are always kept filled."""
        listing = self.listing
        if listing is not None and self.pages.current == "layout":
            self.layouts.show_kernel(listing)
        if listing is not None and self.pages.current == "launch":
            self.launch.show_drawn(levels_of(listing))
        self.architectures.show_kernel(self.kernel.current)

    def _on_link(self, remark: CompilerRemark) -> None:
        listing, stage, line = remark.listing, remark.stage, remark.line
        self.show_page("code")
        if (
            self._counters is not None and stage == "sass"
        ):  # what the link leads to is other code than that on show
            stage, line = source_line(listing, int(listing.stages[stage].stacks[line]))
        if self._pair is None and stage not in (self.left.stage, self.right.stage):
            self.right.choose_stage(stage)
            self._on_stage(self.right)
        self.choose_line(stage, line, None if self._pair is None else listing)

    def _fill_compare(self) -> None:
        chosen, own = (
            self.compare.currentData() or "",
            "" if self.compiled is None else self.compiled.architecture,
        )
        choices = [("", self.tr("compare with …")), ("kept", self.tr("what is on show now"))]
        compiled = self.compiled
        if (
            compiled is not None
            and compiled.request.source is None
            and compiled.resolved.launch.strategy == "locked"
        ):
            barrier = compiled.resolved.launch.barrier
            choices.append(
                ("barrier", self.tr("barrier off") if barrier else self.tr("barrier on"))
            )
        choices.append(("baseline", self.tr("baseline of the history")))
        choices += [(name, name) for name in ARCHITECTURES if name != own]
        self.compare.clear()  # it tells only of what a person chooses
        for key, text in choices:
            self.compare.addItem(text, key)
        self.compare.setCurrentIndex(max(self.compare.findData(chosen), 0))

    def _end_wait(self) -> None:
        self.problem.setVisible(False)
        self.state.setText("")

    def _build(self) -> None:
        for name in ("", *ARCHITECTURES):
            self.architecture.addItem(name, name)
        for label in (self.readout, self.state):
            label.setProperty("look", "muted")
        self.problem.setProperty("look", "refusal")
        self.problem.setVisible(False)
        self._stack, content = fill_with_stack(self, self.notice)
        self.count.setVisible(False)
        bar = lay_row(
            None, self.kernel, self.architecture, self.pages, (self.state, 1), spacing=GRID
        )
        self._pages = QStackedWidget()
        texts = QSplitter()
        halves = QSplitter()
        for side in (self.left, self.right):
            texts.addWidget(side)
        for page in (texts, self.layouts, self.launch, self.architectures):
            self._pages.addWidget(page)
        halves.addWidget(self._pages)
        halves.addWidget(beside := QWidget())
        lay_column(
            beside,
            lay_row(None, (self.compare, 1), self.count, spacing=GRID),
            (self.facts, 1),
            spacing=GRID // 2,
        )
        self.compare.setMinimumWidth(1)  # whatever its longest text
        beside.setMinimumWidth(with_text(FACTS_WIDTH))
        for splitter, sizes in ((texts, [5000, 5000]), (halves, [7200, 2800])):
            splitter.setSizes(sizes)
            splitter.setChildrenCollapsible(False)
        lay_column(
            content, bar, self.problem, (halves, 1), self.readout, margins=GRID, spacing=GRID
        )

    def _connect(self) -> None:
        self._rest.timeout.connect(self._ask)
        self.kernel.changed.connect(lambda _key: self._on_kernel())
        self.architecture.activated.connect(lambda _place: self._ask())
        self.compare.activated.connect(lambda _place: self._on_compare())
        self.facts.lineWanted.connect(self._on_link)
        self.pages.changed.connect(self.show_page)
        bars = [side.code.verticalScrollBar() for side in (self.left, self.right)]
        for side, (mine, others) in zip((self.left, self.right), (bars, bars[::-1]), strict=True):
            side.code.lineChosen.connect(lambda row, side=side: self._on_row(side, row))
            side.stageChosen.connect(lambda _stage, side=side: self._on_stage(side))
            mine.valueChanged.connect(
                lambda value, others=others: (
                    others.setValue(value) if self._pair is not None else None
                )
            )
