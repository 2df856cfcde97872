"""A kernel in two forms, whose lines know each other, or two kernels in one form."""

from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QSplitter, QTabBar, QWidget

from lnexplorer.domain.compiled import CompilerRemark, Words, place_text, source_line, waits_at
from lnexplorer.domain.wording import share
from lnexplorer.gui.kit import GRID, ElidedLabel, Retranslated, lay_column
from lnexplorer.gui.kit.code import LESS, MORE, NO_LINES, CodeView, Text
from lnexplorer.gui.kit.search import SearchBar
from lnkernels.values import Sentence, join_sentences, say
from lnkernels.values.counters import KernelCounters
from lnkernels.values.listing import STAGES, Listing

# The numbers that the hardware counted of a kernel, and where.
Counted: TypeAlias = tuple[KernelCounters, str]
HELP = {
    "source": say("Python, with the functions that the kernel calls"),
    "ttir": say("Triton's first form: whole tensors, no threads"),
    "ttgir": say("Triton's second form: which thread holds what"),
    "llir": say("LLVM's form: the program of one thread"),
    "ptx": say("NVIDIA's virtual machine"),
    "sass": say("The GPU's own machine code"),
}


def title_of(form: str) -> Words:
    return say("Source") if form == "source" else form.upper()


class Side(Retranslated, QWidget):
    """A choice of form above a text. Lines are those of the listing, whatever rows the text has
    between them.
    """

    stageChosen = Signal(str)

    def __init__(self, stage: str, name: Sentence) -> None:
        super().__init__()
        self.stages = QTabBar(drawBase=False, expanding=False)
        self.head = ElidedLabel(visible=False)
        self.code = CodeView()
        self.write_on(self.code, name=name)
        for place, form in enumerate(STAGES):
            self.stages.addTab("")
            self.write(partial(self.stages.setTabText, place), title_of(form))
            self.write(partial(self.stages.setTabToolTip, place), HELP[form])
        self.choose_stage(stage)
        self.listing: Listing | None = None
        self._rows = np.empty(0, np.int32)  # the line in each row of the text; -1 for none
        self.search = SearchBar(self.code, self)
        parts = (self.stages, self.head, (self.code, 1), self.search)
        lay_column(self, *parts, spacing=GRID // 2)
        self.stages.currentChanged.connect(lambda _place: self.stageChosen.emit(self.stage))

    @property
    def stage(self) -> str:
        return STAGES[self.stages.currentIndex()]

    def choose_stage(self, stage: str) -> None:
        """Choose a form without reporting it."""
        with QSignalBlocker(self.stages):
            self.stages.setCurrentIndex(STAGES.index(stage))

    def show_listing(self, listing: Listing, counted: Counted | None) -> None:
        """Show the chosen form of a kernel, and bars beside its lines: samples of its machine code
        if it was counted, else live registers.
        """
        rows = np.arange(len(listing.stages[self.stage].lines), dtype=np.int32)
        bars, head = self._bars(listing, counted)
        self._show(listing, rows, head, bars=bars / max(bars.max(initial=0), 1))

    def show_beside(
        self,
        listing: Listing,
        rows: NDArray[np.int32],
        others: NDArray[np.int32],
        head: Words,
        tint: int,
    ) -> bool:
        """Show the chosen form with empty rows where another text has lines that this one lacks.

        Args:
            listing: of the kernel.
            rows: the line in each row, -1 for none.
            others: the same of the other text.
            head: which of the two this is.
            tint: LESS or MORE, of lines that the other text lacks.

        Returns:
            Whether the text is new.
        """
        tints = np.where((rows >= 0) & (others < 0), tint, 0).astype(np.int8)
        return self._show(listing, rows, head, tints=tints)

    def _show(
        self,
        listing: Listing,
        rows: NDArray[np.int32],
        head: Words,
        **beside: NDArray[Any],
    ) -> bool:
        self.listing = listing
        self._rows = rows
        self.write_on(self.head, head)
        self.head.setVisible(bool(head))
        lines = (*listing.stages[self.stage].lines, "")
        numbers = np.append(_numbers(listing, self.stage), 0)
        text = tuple(lines[row] for row in rows.tolist())
        return self.code.show_text(Text(self.stage, text, numbers[rows], **beside))

    def mark(self, lines: NDArray[np.intp], chosen: int | None = None) -> None:
        """Mark lines of the listing, one as that which was chosen."""
        rows = np.flatnonzero(np.isin(self._rows, lines))
        if self.stage == "source":  # the innermost place first, as it was given
            order = {line: place for place, line in enumerate(lines.tolist())}
            rows = np.array(sorted(rows, key=lambda row: order[self._rows[row]]), int)
        place = np.flatnonzero(self._rows == chosen) if chosen is not None else NO_LINES
        self.code.choose(int(place[0]) if place.size else None, rows)

    def line_in(self, row: int) -> int:
        return int(self._rows[row]) if 0 <= row < self._rows.size else -1

    def _bars(self, listing: Listing, counted: Counted | None) -> tuple[NDArray[np.float64], Words]:
        """Return the lengths of the bars beside the lines, and a head that explains them."""
        match self.stage, counted:
            case "sass", (counters, where):
                head = say("Ran on {where} · bars: warps seen", where=where)
                return counters.samples.astype(float), head
            case "source", (counters, _):
                counts = at_source(listing, counters.samples)
                nowhere = share(1 - counts.sum() / max(counters.samples.sum(), 1))
                return counts, say(
                    "Bars: warps seen at a line, {share} at none of them", share=nowhere
                )
            case "sass", None if listing.live is not None:
                head = say("Bars: live registers, at most {peak}", peak=listing.live.peak)
                if not listing.live.same:
                    head = say(
                        "Bars: live registers, at most {peak}, by another assembler",
                        peak=listing.live.peak,
                    )
                return np.maximum(listing.live.at, 0).astype(float), head
        return np.zeros(0), ""


class CodePage(QSplitter):
    """Texts on the left and on the right. A line that is chosen marks all that belongs to it."""

    said = Signal(object)  # a sentence about the lines that are marked
    # A form and two listings, whose lines are to be put beside each other; see `show_rows`.
    rowsRequested = Signal(str, object, object)

    def __init__(self) -> None:
        super().__init__(childrenCollapsible=False)
        self.left = Side("source", say("Code on the left"))
        self.right = Side("sass", say("Code on the right"))
        self.sides = (self.left, self.right)
        # The kernel on show, with the machine code that was counted if any was.
        self.listing: Listing | None = None
        self.pair: tuple[Listing, Listing] | None = None  # while two kernels are compared
        self.chosen: tuple[str, int] | None = None  # form and line
        self._heads: tuple[Words, ...] = ()
        self._counted: Counted | None = None  # of the machine code on show
        bars = [side.code.verticalScrollBar() for side in self.sides]
        for side, mine, other in zip(self.sides, bars, bars[::-1], strict=True):
            self.addWidget(side)
            side.code.lineChosen.connect(lambda row, side=side: self._on_row(side, row))
            side.stageChosen.connect(lambda _stage, side=side: self._on_stage(side))
            mine.valueChanged.connect(
                lambda value, other=other: other.setValue(value) if self.pair is not None else None
            )
        self.setSizes([5000, 5000])

    @property
    def forms(self) -> tuple[str, str]:
        return self.left.stage, self.right.stage

    def forget_line(self) -> None:
        self.chosen = None

    def show_kernel(self, listing: Listing, counted: Counted | None) -> None:
        """Show a kernel in two forms, with what the hardware counted of its machine code."""
        self.listing = listing
        self.pair = None
        self._counted = counted
        for side in self.sides:
            side.show_listing(listing, counted)
        self.said.emit(
            say("Click a line, or move to it with the arrow keys: what belongs to it is marked")
        )
        if self.chosen is not None:
            self.choose_line(*self.chosen)

    def choose_other_form(self) -> None:
        """Choose another form on the right, where one kernel takes the place of two."""
        if self.pair is not None:
            self.right.choose_stage("sass" if self.left.stage != "sass" else "source")

    def show_pair(self, pair: tuple[Listing, Listing], heads: tuple[Words, ...]) -> None:
        """Show one form of two kernels, under their heads, once `show_rows` is called."""
        self.listing = pair[0]
        self.pair = pair
        self._heads = heads
        self._counted = None
        self.right.choose_stage(self.left.stage)
        self.rowsRequested.emit(self.left.stage, *pair)

    def show_rows(self, stage: str, left: Listing, right: Listing, rows: NDArray[np.int32]) -> None:
        """Show a form of two listings beside each other, as `rowsRequested` asked."""
        if stage != self.left.stage or (left, right) != self.pair:
            return  # something else was chosen meanwhile
        self.said.emit(
            say(
                "{form}: {less} lines on the left alone, {more} on the right alone",
                form=title_of(stage),
                less=int((rows[:, 1] < 0).sum()),
                more=int((rows[:, 0] < 0).sum()),
            )
        )
        changed = np.flatnonzero((rows < 0).any(axis=1))
        halves = (self.left, left, rows, LESS), (self.right, right, rows[:, ::-1], MORE)
        # 20 ms each for 10,000 lines
        for (side, listing, lines, tint), head in zip(halves, self._heads, strict=True):
            if side.show_beside(listing, lines[:, 0], lines[:, 1], head, tint) and changed.size:
                side.code.show_line(int(changed[0]))

    def choose_line(self, stage: str, line: int, listing: Listing | None = None) -> None:
        """Choose a line of a form, whether it is on show or not, and mark all that belong to it.

        Args:
            stage: the form.
            line: of it.
            listing: one of two that are compared; by default the left or only one.
        """
        listing = listing or self.listing
        if listing is None or not 0 <= line < len(listing.stages[stage].lines):
            return
        self.chosen = (stage, line)
        partners = listing.partners(stage, line)
        for side in self.sides:
            if side.listing is listing:
                side.mark(partners[side.stage], line if side.stage == stage else None)
        number = int(listing.stages[stage].stacks[line])
        if number < 0:
            form = title_of(stage)
            parts: list[Words] = [
                say("The compiler names no place for this line of {form}", form=form)
            ]
        else:
            others = dict.fromkeys(form for form in self.forms if form != stage)
            counts = [_count(partners[form].size, form) for form in others]
            parts = [place_text(listing, number), *counts]
        if stage == "sass" and listing.live is not None and listing.live.at[line] >= 0:
            parts.append(say("{count} live registers", count=int(listing.live.at[line])))
        elif self._counted is not None:
            parts += waits_at(self._counted[0], partners["sass"])
        self.said.emit(join_sentences(parts, " · "))

    def show_remark(self, remark: CompilerRemark) -> None:
        """Go to the line that a remark is about, in a form that shows it."""
        listing, stage, line = remark.listing, remark.stage, remark.line
        if self._counted is not None and stage == "sass":  # the code on show is what was counted
            stage, line = source_line(listing, int(listing.stages[stage].stacks[line]))
        if self.pair is None and stage not in self.forms:
            self.right.choose_stage(stage)
            self._on_stage(self.right)
        self.choose_line(stage, line, None if self.pair is None else listing)

    def _on_row(self, side: Side, row: int) -> None:
        if self.pair is None:
            self.choose_line(side.stage, side.line_in(row))
            return
        for each in self.sides:
            each.code.choose(row, np.array([row]))
        listing, line = self.pair[side is self.right], side.line_in(row)
        parts: list[Words] = []
        if line >= 0:
            parts.append(place_text(listing, int(listing.stages[side.stage].stacks[line])))
        if min(each.line_in(row) for each in self.sides) < 0:
            parts.append(say("the other text has no such line"))
        self.said.emit(join_sentences(parts, " · "))

    def _on_stage(self, side: Side) -> None:
        if self.pair is not None:
            other = self.right if side is self.left else self.left
            other.choose_stage(side.stage)
            self.rowsRequested.emit(side.stage, *self.pair)
        elif self.listing is not None:
            side.show_listing(self.listing, self._counted)
            if self.chosen is not None:
                self.choose_line(*self.chosen)


def _numbers(listing: Listing, stage: str) -> NDArray[np.int32]:
    """Numbers of the lines: those of its file for source."""
    text = listing.stages[stage]
    if stage != "source":
        return np.arange(1, len(text.lines) + 1, dtype=np.int32)
    lines = np.append(listing.places[listing.stacks[:, 0], 1], 0).astype(np.int32)
    return lines[text.stacks]


def at_source(listing: Listing, samples: NDArray[np.int32]) -> NDArray[np.float64]:
    """Count how often a warp was seen at each line of source, by how often it was at each line of
    machine code.
    """
    place = np.append(listing.stacks[:, 0], -1)
    totals = np.zeros(len(listing.places) + 1)
    np.add.at(totals, place[listing.stages["sass"].stacks], samples)
    totals[-1] = 0  # of instructions without a place
    counts: NDArray[np.float64] = totals[place[listing.stages["source"].stacks]]
    return counts


def _count(lines: int, form: str) -> Sentence:
    title = title_of(form)
    if lines == 0:
        return say("no line of {form}", form=title)
    if lines == 1:
        return say("1 line of {form}", form=title)
    return say("{count} lines of {form}", count=lines, form=title)
