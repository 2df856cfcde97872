"""Lines of a sum on paper: rows, buffers and results, with their numbers at a moment."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from lnexplorer.domain.ordered_sums import rounding_losses
from lnexplorer.domain.timeline import (
    ADDED,
    Moment,
    RowState,
    locks_in_use,
)
from lnexplorer.gui.kit.theme import mixed
from lnexplorer.gui.timeline.frame import Scene
from lnexplorer.gui.timeline.wording import Phrase, state_name
from lnkernels.values.sentence import say

Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FrameLine:
    """Line of the sum: texts of its label and cells, and how they are drawn."""

    label: Phrase
    note: Phrase
    cells: tuple[str, ...]
    background: QColor
    frame: QColor | None = None
    lock: int | None = None  # draws a padlock
    closed: bool = False
    lost: tuple[str, ...] = ()  # what rounding took from each cell, written below it


def _signed(number: str) -> str:
    return f"− {number[1:]}" if number.startswith("−") else f"+ {number}"


class NumberLines:
    """Lines of a scene, with numbers if the scene has them."""

    def __init__(self, scene: Scene, digits: int) -> None:
        self._scene = scene
        self._digits = digits
        self._locks = locks_in_use(scene.timeline)

    def row(self, row: int, now: Moment) -> FrameLine:
        colours, state = self._scene.colours, RowState(int(now.state[row]))
        partial = self._scene.partial_rows
        background = colours.state(state, int(self._scene.timeline.lock[row]))
        if partial is not None and state >= RowState.QUEUED:
            cells = self.numbers(partial[row])
        else:
            cells = ("…" if state is RowState.COMPUTING else "",) * self._scene.timeline.n
        if state is RowState.COMPUTING:
            background = mixed(colours.surface, background, 0.6)
        frame = colours.accent if row == self._scene.followed else None
        return FrameLine(say("row {row}", row=row), state_name(state), cells, background, frame)

    def buffer(self, lock: int, now: Moment) -> FrameLine:
        colours, timeline = self._scene.colours, self._scene.timeline
        holder, added = int(now.holder[lock]), int(now.added[lock])
        rows = np.flatnonzero(timeline.lock == lock)
        rows = rows[np.argsort(timeline.order[rows])]  # in their order
        sums, partial = self._scene.sums_after, self._scene.partial_rows
        cells: tuple[str, ...] = ("",) * timeline.n
        lost: tuple[str, ...] = ()
        if sums is not None and partial is not None:
            before = sums[rows[added - 1]] if added else None
            if before is not None:
                cells = self.numbers(before)
            if holder >= 0 and now.hold_share(holder) < ADDED:
                # The first row of a buffer stores, so there is nothing to add to.
                cells = tuple(
                    f"{old}\n{_signed(new)}" if old else new
                    for old, new in zip(cells, self.numbers(partial[holder]), strict=True)
                )
            elif holder >= 0:
                cells, lost = self._stored(partial[holder], before, sums[holder])
        elif added or holder >= 0:  # the numbers are not known: name the rows
            names = ", ".join(map(str, rows[: added + (holder >= 0)]))
            cells = (f"Σ {names}", *cells[1:])
        background = colours.state(RowState.PENDING)
        if added or holder >= 0:
            share = 0.9 if holder >= 0 else 0.42
            background = mixed(colours.surface, colours.lock(lock), share)
        note: Phrase = say("count {count:,}", count=added)
        if lost:
            note = f"→ {self._scene.numbers.buffer_dtype}"
        elif holder >= 0:
            adds = say("row {row} adds", row=holder)
            note = adds if added else say("row {row} stores", row=holder)
        framed = colours.accent if lock == self._scene.followed_lock else None
        label = say("buffer {lock}", lock=lock)
        return FrameLine(label, note, cells, background, framed, lock, holder >= 0, lost)

    def _stored(
        self, partial: Values, before: Values | None, stored: Values
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the sum as it goes into the buffer, and what rounding to the buffer's type takes
        from it.
        """
        if self._scene.numbers.buffer_dtype == "float32":
            return self.numbers(stored), ()
        exact = partial if before is None else before + partial
        # The label of the line has an arrow.
        cells = map("\n".join, zip(self.numbers(exact), self.numbers(stored), strict=True))
        lost = rounding_losses(exact, stored)
        return tuple(cells), tuple(
            f"{loss:+.0e}".replace("-", "−") if loss else "" for loss in lost
        )

    def results(self, now: Moment) -> list[FrameLine]:
        """Return the sum of the buffers, and the result of the run."""
        colours, timeline = self._scene.colours, self._scene.timeline
        name, numbers = self._scene.result, self._scene.numbers
        progress = np.repeat(now.tile_progress, timeline.tile_block_n)[: timeline.n]
        done, running = bool((progress >= 1).all()), bool((progress > 0).any())
        cells = tuple("Σ" if 0 < share < 1 else "" for share in progress)
        own = ("",) * timeline.n
        rows, sums = numbers.rows, numbers.sums
        if rows is not None and sums is not None:
            total, run = (sums.dw, rows.dw_total) if name == "dw" else (sums.db, rows.db_total)
            cells = tuple(
                text if share >= 1 else cell
                for text, share, cell in zip(self.numbers(total), progress, cells, strict=True)
            )
            own = self.numbers(run)
        empty, full = colours.state(RowState.PENDING), colours.result(name)
        note: Phrase = ""
        if running and not done:
            # Nobody timed the steps of a tile: this is right if they are equally long.
            read = int(now.buffers_read.min())
            note = say("has read about {read} of {buffers} buffers", read=read, buffers=self._locks)
            if timeline.tile_block_m >= self._locks:  # one step, which is over when the tile is
                note = say("adds buffers 0 to {last}", last=self._locks - 1)
        name_of_run = say("{result} of the run", result=name)
        note_of_run: Phrase = say("press Run") if rows is None else ""
        if numbers.other_run:
            # Its name says that it is no part of this one.
            name_of_run = say("{result}, untraced", result=name)
            note_of_run = say("another run")
        background = mixed(empty, full, 0.85 if done else 0.35 if running else 0.0)
        return [
            FrameLine(name, note, cells, background),
            FrameLine(name_of_run, note_of_run, own, colours.surface),
        ]

    def numbers(self, values: Values) -> tuple[str, ...]:
        return tuple(f"{value:.{self._digits}f}".replace("-", "−") for value in values.tolist())
