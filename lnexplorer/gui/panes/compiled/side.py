"""A kernel in one form of the compiler, whose lines are chosen and marked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QTabBar, QWidget

from lnexplorer.domain.wording import share
from lnexplorer.gui.kit.code import NO_LINES, CodeView, Text
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import ElidedLabel, lay_column
from lnkernels.values.counters import KernelCounters
from lnkernels.values.listing import STAGES, Listing
from lnkernels.values.sentence import Sentence, say

HELP = {
    "source": say("Python, with the functions that the kernel calls"),
    "ttir": say("Triton's first form: whole tensors, no threads"),
    "ttgir": say("Triton's second form: which thread holds what"),
    "llir": say("LLVM's form: the program of one thread"),
    "ptx": say("NVIDIA's virtual machine"),
    "sass": say("The GPU's own machine code"),
}


def title_of(form: str) -> Sentence | str:
    return say("Source") if form == "source" else form.upper()


class Side(Retranslated, QWidget):
    """A choice of form above a text. Lines are those of the listing, whatever rows the text has
    between them.
    """

    stageChosen = Signal(str)

    def __init__(self, stage: str, name: Sentence) -> None:
        super().__init__()
        self.stages = QTabBar(drawBase=False, expanding=False)
        self.head = ElidedLabel()
        self.code = CodeView()
        self.write_on(self.code, name=name)
        for _ in STAGES:
            self.stages.addTab("")
        self.choose_stage(stage)
        self.listing: Listing | None = None
        self._rows = np.empty(0, np.int32)  # the line in each row of the text; -1 for none
        self.head.setVisible(False)
        lay_column(self, self.stages, self.head, (self.code, 1), spacing=GRID // 2)
        self.stages.currentChanged.connect(lambda _place: self.stageChosen.emit(self.stage))
        self.retranslate()

    @property
    def stage(self) -> str:
        return STAGES[self.stages.currentIndex()]

    def choose_stage(self, stage: str) -> None:
        """Choose a form without reporting it."""
        with QSignalBlocker(self.stages):
            self.stages.setCurrentIndex(STAGES.index(stage))

    def show_listing(
        self, listing: Listing, counters: KernelCounters | None = None, where: str = ""
    ) -> None:
        """Show the chosen form of a kernel, and bars beside its lines.

        Args:
            listing: of the kernel.
            counters: of its machine code: the bars are then samples; None for live registers.
            where: that was counted.
        """
        rows = np.arange(len(listing.stages[self.stage].lines), dtype=np.int32)
        bars, head = self._bars(listing, None if counters is None else counters.samples, where)
        self._show(listing, rows, head, bars=bars / max(bars.max(initial=0), 1))

    def show_beside(
        self,
        listing: Listing,
        rows: NDArray[np.int32],
        others: NDArray[np.int32],
        head: Sentence | str,
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
        head: Sentence | str,
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
        rows = np.flatnonzero(np.isin(self._rows, lines)) if lines.size else NO_LINES
        if lines.size and self.stage == "source":  # the innermost place first, as it was given
            order = {line: place for place, line in enumerate(lines.tolist())}
            rows = np.array(sorted(rows.tolist(), key=lambda row: order[int(self._rows[row])]), int)
        place = np.flatnonzero(self._rows == chosen) if chosen is not None else NO_LINES
        self.code.choose(int(place[0]) if place.size else None, rows)

    def line_in(self, row: int) -> int:
        return int(self._rows[row]) if 0 <= row < self._rows.size else -1

    def retranslate(self) -> None:
        for place, stage in enumerate(STAGES):
            self.stages.setTabText(place, translate_message(title_of(stage)))
            self.stages.setTabToolTip(place, translate_message(HELP[stage]))

    def _bars(
        self, listing: Listing, samples: NDArray[np.int32] | None, where: str
    ) -> tuple[NDArray[np.float64], Sentence | str]:
        """Return the lengths of the bars beside the lines, and a head that explains them."""
        live = listing.live
        if samples is not None and self.stage == "sass":
            return samples.astype(float), say("Ran on {where} · bars: warps seen", where=where)
        if samples is not None and self.stage == "source":
            counts = at_source(listing, samples)
            nowhere = share(1 - counts.sum() / max(samples.sum(), 1))
            head = say("Bars: warps seen at a line, {share} at none of them", share=nowhere)
            return counts, head
        if samples is None and live is not None and self.stage == "sass":
            head = (
                say("Bars: live registers, at most {peak}", peak=live.peak)
                if live.same
                else say(
                    "Bars: live registers, at most {peak}, by another assembler", peak=live.peak
                )
            )
            return np.maximum(live.at, 0).astype(float), head
        return np.zeros(0), ""


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
