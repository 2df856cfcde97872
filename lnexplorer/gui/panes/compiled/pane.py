"""The Compiled pane: a kernel in the forms of the compiler, and what became of it."""

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from lnexplorer.domain.compiled import Words, unlike
from lnexplorer.domain.jobs import Compiled
from lnexplorer.domain.result import RunResult
from lnexplorer.domain.views import CompiledView
from lnexplorer.gui.kit import (
    GRID,
    Choice,
    ElidedLabel,
    Notice,
    Retranslated,
    Segments,
    Veil,
    WrappedLabel,
    fill_with_stack,
    lay_column,
    lay_row,
)
from lnexplorer.gui.kit.responsive import AskWhenSeen
from lnexplorer.gui.panes.compiled.code_page import CodePage, Counted
from lnexplorer.gui.panes.compiled.facts import ArchitectureTable, FactsSide
from lnexplorer.gui.panes.compiled.layouts import LaunchPicture, LayoutPage, levels_of
from lnkernels.launch import as_wish
from lnkernels.values import say
from lnkernels.values.listing import ARCHITECTURES, STAGES, Listing

REST_MS = 250  # parameters rest so long before they are compiled
KERNELS = {
    "forward": (say("forward"), say("The kernel of the forward pass")),
    "backward_stage1": (say("stage 1"), say("The kernel that computes dx and partial sums")),
    "backward_stage2": (say("stage 2"), say("The kernel that adds the partial sums up")),
}
PAGES = {
    "code": (say("Code"), say("Two forms beside each other")),
    "layout": (say("Layouts"), say("Which thread of which warp holds which element")),
    "launch": (say("Launch"), say("Grid, programs, warps and threads, and what each holds")),
    "architectures": (say("GPUs"), say("The kernel for every architecture, in a table")),
}
TITLE = say("Compiled")
ABOUT = say(
    "The kernels in every form that the compiler gives them, for any architecture. No GPU is"
    " needed."
)


class CompiledPane(Retranslated, QWidget):
    """Texts on the left, facts on the right."""

    compileRequested = Signal()  # for the architecture that is chosen
    otherRequested = Signal()  # the choice of what it is compared with

    def __init__(self) -> None:
        super().__init__()
        self.kernel = Segments(KERNELS)
        self.others = self.write_on(
            Choice(),
            tip=say("Kernels that are none of these, such as those of a library of CUDA"),
            name=say("Other kernels"),
        )
        self.others.setVisible(False)
        self.architecture = self.write_on(
            Choice(),
            tip=say("What is compiled for; no such GPU need be here"),
            name=say("Architecture that is compiled for"),
        )
        self.state = ElidedLabel(look="muted")
        self.problem = WrappedLabel(look="refusal", visible=False)
        self.readout = ElidedLabel(look="muted")
        self.code = CodePage()
        self.beside = FactsSide()
        self.pages = Segments(PAGES)
        self.layouts = LayoutPage()
        self.launch = self.write_on(LaunchPicture(), name=say("From the grid to a thread"))
        self.architectures = ArchitectureTable()
        self.notice = Notice()
        self.compiled: Compiled | None = None
        self._other: Compiled | None = None  # compared with it; before it where it was kept
        # The run with counters, and the version of Triton that compiles here.
        self._counted: tuple[RunResult | None, str] = (None, "")
        self._wished: CompiledView | None = None  # to be shown once it is compiled
        self.asking = AskWhenSeen(self, REST_MS)
        self.notice.set_text(TITLE, ABOUT)
        self._build()
        self._connect()

    View = CompiledView

    @property
    def kernel_name(self) -> str:
        """The kernel that is chosen: one of KERNELS, or another one's own name."""
        return self.others.currentData() or self.kernel.current

    def view(self) -> CompiledView:
        if self._wished is not None:
            return self._wished
        beside = self.beside.chosen
        return CompiledView(
            kernel=self.kernel_name,
            architecture=self.architecture.currentData(),
            forms=self.code.forms,
            line=self.code.chosen,
            beside="" if beside == "kept" else beside,
            page=self.pages.current,
        )

    def show_view(self, view: CompiledView) -> None:
        """Ask for this, and look at it once it is there; names that do not exist change nothing."""
        self._wished = view
        self.architecture.choose(view.architecture)
        self.asking.start()

    def offer_peers(self, names: tuple[str, ...]) -> None:
        """Offer the peers of a machine to compare with."""
        self.beside.peers = names
        self.beside.offer(self.compiled)

    def compare_with(self, choice: str) -> None:
        """Put another compilation beside this one, by a value of the choice; empty for none."""
        self.beside.compare.choose(choice)
        self._on_compare()

    def set_waiting(self, *, started: bool = False) -> None:
        """Say that a compilation is asked for, or has begun; the one on show stays."""
        waits = say("waiting until the worker has done what it is at …")
        state = say("compiling …") if started else waits
        self.write_on(self.state, state)
        if self.compiled is None:
            self.notice.set_text(TITLE, state)

    def show_compiled(self, compiled: Compiled) -> None:
        """Show a compilation, at the line that was chosen before where it is still there."""
        self._end_wait()
        self.compiled = compiled
        self._stack.setCurrentIndex(1)
        chosen, names = self.kernel_name, [each.facts.name for each in compiled.kernels]
        for name in KERNELS:
            self.kernel.set_available(name, name in names)
        self.others.clear()
        self.others.offer("", say("other kernels …"))
        for name in names:
            if name not in KERNELS:
                self.others.offer(name, name)
        self.others.setVisible(self.others.count() > 1)
        self._choose_kernel(chosen if chosen in names or not names else names[0])
        self.beside.offer(compiled)
        self._look_as_wished()
        if self.beside.chosen != "kept":
            self._other = None
        self.otherRequested.emit()
        self._show_kernel()

    def show_live(self, compiled: Compiled) -> None:
        """Show the same with live registers, unless something else is on show by now."""
        same = replace(compiled.request, live=False)
        before = (self.compiled, self._other)  # one may stand in both
        self.compiled, self._other = (
            compiled if each is not None and each.request == same else each for each in before
        )
        if compiled in (self.compiled, self._other):
            self._show_kernel()

    def show_other(self, compiled: Compiled) -> None:
        """Show the compilation that this one is compared with."""
        self._end_wait()
        self._other = compiled
        self._show_kernel()

    def show_counters(self, result: RunResult | None, triton: str = "") -> None:
        """Show what the hardware counted in a run of the same problem, beside the machine code that
        ran; `triton` is the version that compiles here.
        """
        result = result if result is not None and result.counters else None
        if result is not self._counted[0] or triton != self._counted[1]:
            self._counted = (result, triton)
            if self.code.pair is None:
                self._show_kernel()

    def leave_machine(self) -> None:
        """Forget what went wrong on a machine that is left."""
        self._end_wait()
        if self.compiled is None:
            self.notice.set_text(TITLE, ABOUT)

    def show_problem(self, sentence: Words) -> None:
        """Say why there is nothing new; what is on show stays."""
        self._end_wait()
        if self.compiled is None:
            self.notice.set_text(say("Nothing to show"), sentence)
        else:
            self.write_on(self.problem, sentence)
            self.problem.setVisible(True)

    def show_page(self, page: str) -> None:
        """Show one of PAGES beside the facts."""
        self.pages.choose(page)
        self._pages.setCurrentIndex(list(PAGES).index(page))
        self.beside.compare.setEnabled(page == "code")
        self.readout.setVisible(page == "code")
        self._show_page()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.asking.look()

    def _ask(self) -> None:
        self.problem.setVisible(False)
        self.compileRequested.emit()

    def _look_as_wished(self) -> None:
        view = self._wished
        self._wished = None
        if view is None or self.compiled is None:
            return
        if self.compiled.kernel(view.kernel) is not None:
            self._choose_kernel(view.kernel)
        for side, form in zip(self.code.sides, view.forms, strict=True):
            if form in STAGES:
                side.choose_stage(form)
        self.code.chosen = view.line if view.line is not None and view.line[0] in STAGES else None
        self.beside.compare.choose(view.beside)
        if view.page in PAGES:
            self.show_page(view.page)

    def _choose_kernel(self, name: str) -> None:
        self.others.choose("" if name in KERNELS else name)
        if name in KERNELS:
            self.kernel.choose(name)

    def _show_kernel(self) -> None:
        name, compiled, other = self.kernel_name, self.compiled, self._other
        if compiled is None or (kernel := compiled.kernel(name)) is None:
            return
        if other is not None and (beside := _pendant(name, compiled, other)) is not None:
            pair = [(kernel, compiled), (beside, other)]
            if self.beside.chosen == "kept":
                pair.reverse()
            listings, compilations = zip(*pair, strict=True)
            heads: tuple[Words, ...] = unlike(*compilations)
            heads = heads if any(heads) else (say("the same setting"),) * 2
            self.beside.facts.show_listings(*zip(listings, heads, strict=True))
            self.code.show_pair(listings, heads)
        else:
            result, triton = self._counted
            counted = _counted(kernel, compiled, result)
            facts = self.beside.facts
            facts.show_listings((kernel, ""), counted=counted, triton=triton)
            self.code.show_kernel(counted[0].as_it_ran(kernel) if counted else kernel, counted)
        self._show_page()

    def keep(self) -> None:
        """Compare what comes with what is on show now."""
        self.beside.compare.choose("kept")
        self._on_compare()

    def _on_compare(self) -> None:
        kept = self.beside.chosen == "kept"
        self._other = self.compiled if kept else None
        self._end_wait()
        if not self.beside.chosen:
            self.code.choose_other_form()
        if kept or not self.beside.chosen:
            self._show_kernel()
        self.otherRequested.emit()

    def _show_page(self) -> None:
        """Fill the page that is seen; the texts are always kept filled."""
        listing = self.code.listing
        if listing is not None and self.pages.current == "layout":
            self.layouts.show_kernel(listing)
        if listing is not None and self.pages.current == "launch":
            self.launch.show_drawn(levels_of(listing))
        self.architectures.show_kernel(self.kernel_name)

    def _end_wait(self) -> None:
        self.problem.setVisible(False)
        self.write_on(self.state, "")

    def _build(self) -> None:
        self.architecture.offer("", say("this device"))
        for name in ARCHITECTURES:
            self.architecture.offer(name, name)
        self._stack, content = fill_with_stack(self, self.notice)
        bar = lay_row(
            None,
            self.kernel,
            self.others,
            self.architecture,
            self.pages,
            (self.state, 1),
            spacing=GRID,
        )
        self._pages = QStackedWidget()
        for page in (self.code, self.layouts, self.launch, self.architectures):
            self._pages.addWidget(page)
        halves = QSplitter(childrenCollapsible=False)
        halves.addWidget(self._pages)
        halves.addWidget(self.beside)
        halves.setSizes([7200, 2800])
        self.veil = Veil(halves)
        lay_column(
            content, bar, self.problem, (halves, 1), self.readout, margins=GRID, spacing=GRID
        )

    def _connect(self) -> None:
        self.asking.asked.connect(self._ask)
        self.kernel.changed.connect(self._choose_kernel)
        self.others.activated.connect(self.code.forget_line)
        self.others.activated.connect(self._show_kernel)
        self.kernel.changed.connect(self.code.forget_line)
        self.kernel.changed.connect(self._show_kernel)
        self.architecture.activated.connect(self.asking.ask)
        self.beside.compare.activated.connect(self._on_compare)
        self.beside.facts.lineWanted.connect(lambda _remark: self.show_page("code"))
        self.beside.facts.lineWanted.connect(self.code.show_remark)
        self.pages.changed.connect(self.show_page)
        self.code.said.connect(lambda sentence: self.write_on(self.readout, sentence))


def _pendant(name: str, compiled: Compiled, other: Compiled) -> Listing | None:
    """Return the kernel of another compilation that goes beside one: of the same name, or of the
    same place where the other one's names are all its own, as torch.compile's are.
    """
    if any(each.facts.name in KERNELS for each in other.kernels):
        return other.kernel(name)
    names = [each.facts.name for each in compiled.kernels]
    return dict(zip(names, other.kernels, strict=False)).get(name)


def _counted(kernel: Listing, compiled: Compiled, run: RunResult | None) -> Counted | None:
    """Return the counters of a kernel, if a run launched what is compiled here."""
    if run is None:
        return None
    ran, shown = (
        (each.m, each.n, each.dtype, as_wish(each.launch))
        for each in (run.resolved, compiled.resolved)
    )
    environment = run.provenance.environment
    if ran != shown or compiled.architecture != environment.architecture:
        return None
    where = f"{environment.named_gpu}, Triton {environment.triton}"
    return next(((each, where) for each in run.counters if each.function == kernel.function), None)
