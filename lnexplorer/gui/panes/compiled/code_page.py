"""A kernel in two forms, whose lines know each other, or two kernels in one form."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSplitter

from lnexplorer.domain.compiled import CompilerRemark, place_text, source_line, waits_at
from lnexplorer.gui.kit.code import LESS, MORE
from lnexplorer.gui.panes.compiled.side import Side, title_of
from lnkernels.values.counters import KernelCounters
from lnkernels.values.listing import STAGES, Listing
from lnkernels.values.sentence import Sentence, join_sentences, say, verbatim

OURS = "lnkernels/"
DOT = verbatim(" · ")


class CodePage(QSplitter):
    """Texts on the left and on the right. A line that is chosen marks all that belongs to it."""

    said = Signal(object)  # a sentence about the lines that are marked
    # A form and two listings, whose lines are to be put beside each other; see `show_rows`.
    rowsRequested = Signal(str, object, object)

    def __init__(self) -> None:
        super().__init__()
        self.left = Side("source", say("Code on the left"))
        self.right = Side("sass", say("Code on the right"))
        self.sides = (self.left, self.right)
        # The kernel on show, with the machine code that was counted if any was.
        self.listing: Listing | None = None
        self.pair: tuple[Listing, Listing] | None = None  # while two kernels are compared
        self.chosen: tuple[str, int] | None = None  # form and line
        self._heads: tuple[Sentence | str, ...] = ()
        self._counters: KernelCounters | None = None  # of the machine code on show
        self._where = ""  # they were counted
        self._followed: tuple[str, int, int] | None = None  # file and lines of the followed row
        bars = [side.code.verticalScrollBar() for side in self.sides]
        for side, mine, other in zip(self.sides, bars, bars[::-1], strict=True):
            self.addWidget(side)
            side.code.lineChosen.connect(lambda row, side=side: self._on_row(side, row))
            side.stageChosen.connect(lambda _stage, side=side: self._on_stage(side))
            mine.valueChanged.connect(
                lambda value, other=other: other.setValue(value) if self.pair is not None else None
            )
        self.setSizes([5000, 5000])
        self.setChildrenCollapsible(False)

    @property
    def forms(self) -> tuple[str, str]:
        return self.left.stage, self.right.stage

    def choose_forms(self, *forms: str) -> None:
        for side, form in zip(self.sides, forms, strict=True):
            if form in STAGES:
                side.choose_stage(form)

    def forget_line(self) -> None:
        self.chosen = None

    def show_kernel(
        self, listing: Listing, counters: KernelCounters | None = None, where: str = ""
    ) -> None:
        """Show a kernel in two forms, with what the hardware counted of its machine code."""
        self.listing = listing
        self.pair = None
        self._counters = counters
        self._where = where
        for side in self.sides:
            side.show_listing(listing, counters, where)
        self.said.emit(
            say("Click a line, or move to it with the arrow keys: what belongs to it is marked")
        )
        if not self.mark_followed() and self.chosen is not None:
            self.choose_line(*self.chosen)

    def choose_other_form(self) -> None:
        """Choose another form on the right, where one kernel takes the place of two."""
        if self.pair is not None:
            self.right.choose_stage("sass" if self.left.stage != "sass" else "source")

    def show_pair(self, first: Listing, second: Listing, heads: tuple[Sentence | str, ...]) -> None:
        """Show one form of two kernels, under their heads, once `show_rows` is called."""
        self.listing = first
        self.pair = first, second
        self._heads = heads
        self._counters = None
        self.right.choose_stage(self.left.stage)
        self.rowsRequested.emit(self.left.stage, first, second)

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
            parts = [say("The compiler names no place for this line of {form}", form=form)]
        else:
            others = dict.fromkeys(form for form in self.forms if form != stage)
            counts = [_count(partners[form].size, form) for form in others]
            parts = [verbatim(place_text(listing, number)), *counts]
        if stage == "sass" and listing.live is not None and listing.live.at[line] >= 0:
            parts.append(say("{count} live registers", count=int(listing.live.at[line])))
        elif self._counters is not None:
            parts += waits_at(self._counters, partners["sass"])
        self.said.emit(join_sentences(parts, DOT))

    def show_remark(self, remark: CompilerRemark) -> None:
        """Go to the line that a remark is about, in a form that shows it."""
        listing, stage, line = remark.listing, remark.stage, remark.line
        if self._counters is not None and stage == "sass":  # the code on show is what was counted
            stage, line = source_line(listing, int(listing.stages[stage].stacks[line]))
        if self.pair is None and stage not in self.forms:
            self.right.choose_stage(stage)
            self._on_stage(self.right)
        self.choose_line(stage, line, None if self.pair is None else listing)

    def follow_lines(self, file: str, lines: tuple[int, int] | None) -> None:
        """Take the lines that the followed row of the reduction is at."""
        self._followed = None if lines is None else (OURS + file, *lines)

    def followed_in(self, kernel: Listing | None) -> list[int]:
        """Return the lines of a kernel's source that the reduction is at."""
        if self._followed is None or kernel is None or kernel.facts.name == "forward":
            return []
        file, first, last = self._followed
        lines = (kernel.line_of_source(file, number) for number in range(first, last + 1))
        return [line for line in lines if line is not None]

    def mark_followed(self) -> bool:
        """Mark the lines that the reduction is at; False where they are not on show."""
        listing = self.listing if self.pair is None else None
        lines = self.followed_in(listing)
        if listing is None or not lines:
            return False
        partners = [listing.partners("source", line) for line in lines]
        for side in self.sides:
            side.mark(np.unique(np.concatenate([each[side.stage] for each in partners])))
        self.said.emit(say("Where the followed row of the reduction is"))
        return True

    def _on_row(self, side: Side, row: int) -> None:
        if self.pair is None:
            self.choose_line(side.stage, side.line_in(row))
            return
        for each in self.sides:
            each.code.choose(row, np.array([row]))
        listing, line = self.pair[side is self.right], side.line_in(row)
        parts = []
        if line >= 0:
            parts.append(
                verbatim(place_text(listing, int(listing.stages[side.stage].stacks[line])))
            )
        if min(each.line_in(row) for each in self.sides) < 0:
            parts.append(say("the other text has no such line"))
        self.said.emit(join_sentences(parts, DOT))

    def _on_stage(self, side: Side) -> None:
        if self.pair is not None:
            other = self.right if side is self.left else self.left
            other.choose_stage(side.stage)
            self.rowsRequested.emit(side.stage, *self.pair)
        elif self.listing is not None:
            side.show_listing(self.listing, self._counters, self._where)
            if self.chosen is not None:
                self.choose_line(*self.chosen)


def _count(lines: int, form: str) -> Sentence:
    title = title_of(form)
    if lines == 0:
        return say("no line of {form}", form=title)
    if lines == 1:
        return say("1 line of {form}", form=title)
    return say("{count} lines of {form}", count=lines, form=title)
