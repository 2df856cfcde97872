"""What is written in each line of a small shape's sum."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from lnexplorer.domain.moments import Moment, RowState, buffers_read, locks_in_use
from lnexplorer.gui.reduction.painter.colours import mixed
from lnexplorer.gui.reduction.painter.frame import Scene
from lnexplorer.gui.reduction.painter.timeline_index import ADDED, hold_share
from lnexplorer.gui.reduction.painter.wording import short_state, words


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the sum: what is written in its label and cells, and how."""

    label: str
    note: str
    cells: tuple[str, ...]
    background: QColor
    frame: QColor | None = None
    lock: int | None = None  # draws a padlock
    closed: bool = False
    lost: tuple[str, ...] = ()  # what rounding took from each cell, written below it
    short: str | None = None  # in the note's place where it has no room; empty where nothing is missed


def _signed(number: str) -> str:
    return f"− {number[1:]}" if number.startswith("−") else f"+ {number}"


def rounding_losses(exact: NDArray[np.float32], stored: NDArray[np.float32]) -> list[float]:
    """What a store changed: stored less exact, 0 where nothing was lost or where the numbers are not finite."""
    with np.errstate(invalid="ignore"):
        change = stored.astype(np.float64) - exact
    return [float(value) if np.isfinite(value) else 0.0 for value in change]


class NumberLines:
    """The lines of a scene, with numbers where the scene has them."""

    def __init__(self, scene: Scene, digits: int, *, room_for_two: bool, two_in_line: bool, arrow: bool) -> None:
        self._scene, self._digits = scene, digits
        self._room_for_two = room_for_two  # one number above the other in a cell of a buffer
        self._two_in_line = two_in_line  # in that of a result, too
        self._arrow = "→ " if arrow or not room_for_two else ""  # the label of the line has one, too
        self._locks = locks_in_use(scene.timeline)

    def row(self, row: int, now: Moment) -> Line:
        colours, state = self._scene.colours, RowState(int(now.state[row]))
        lock = int(self._scene.timeline.lock[row])
        partial = self._scene.partial_rows
        if partial is None or state < RowState.WAITING:
            cells = ("…" if state is RowState.COMPUTING else "",) * self._scene.timeline.n
        else:
            cells = self.numbers(partial[row])
        background = colours.state(state, lock)
        if state is RowState.COMPUTING:
            background = mixed(colours.surface, background, 0.6)
        return Line(
            words("row {0}", row),
            short_state(state),
            cells,
            background,
            colours.accent if row == self._scene.followed else None,
        )

    def buffer(self, lock: int, now: Moment) -> Line:
        colours, timeline = self._scene.colours, self._scene.timeline
        holder, added = int(now.holder[lock]), int(now.added[lock])
        last = np.flatnonzero((timeline.lock == lock) & (timeline.order == added - 1))
        sums, partial = self._scene.sums_after, self._scene.partial_rows
        cells: tuple[str, ...] = ("",) * timeline.n
        lost: tuple[str, ...] = ()
        if sums is not None and partial is not None:
            if last.size:
                cells = self.numbers(sums[last[0]])
            if holder >= 0 and hold_share(timeline, holder, now.time_ns) < ADDED:
                adding = self.numbers(partial[holder])
                between = "\n" if self._room_for_two else " "
                # The first row of a buffer stores, so there is nothing to add to.
                cells = tuple(f"{old}{between}{_signed(new)}" if old else new for old, new in zip(cells, adding, strict=True))
            elif holder >= 0:
                cells, lost = self._stored(partial[holder], sums[last[0]] if last.size else None, sums[holder])
        elif added or holder >= 0:
            cells = (self._names(lock, added, holder), *cells[1:])
        share = 0.9 if holder >= 0 else 0.42 if added else 0.0
        background = mixed(colours.surface, colours.lock(lock), share) if share else colours.state(RowState.PENDING)
        note = words("count {0}", added)
        short = None
        if holder >= 0:
            adds = words("row {0} adds")
            stores = words("row {0} stores")
            note = (adds if added else stores).format(holder)
            short = words("row {0}", holder)
            if lost:
                note, short = f"→ {self._scene.numbers.buffer_dtype}", None
        framed = colours.accent if lock == self._scene.followed_lock else None
        label = words("buffer {0}", lock)
        return Line(label, note, cells, background, framed, lock, holder >= 0, lost, short)

    def _stored(
        self, partial: NDArray[np.float32], before: NDArray[np.float32] | None, stored: NDArray[np.float32]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The sum as it goes into the buffer, and what rounding to the buffer's type takes from it."""
        exact = partial if before is None else before + partial
        if self._scene.numbers.buffer_dtype == "float32":
            return self.numbers(stored), ()
        lost = rounding_losses(exact, stored)
        pairs = zip(self.numbers(exact), self.numbers(stored), strict=True)
        between = f"\n{self._arrow}" if self._room_for_two else " → "
        cells = tuple(f"{one}{between}{two}" for one, two in pairs)
        return cells, tuple(f"{loss:+.0e}".replace("-", "−") if loss else "" for loss in lost)

    def _names(self, lock: int, added: int, holder: int) -> str:
        """The rows in a buffer, where their numbers are not known."""
        timeline = self._scene.timeline
        rows = np.flatnonzero((timeline.lock == lock) & (timeline.order < added))
        names = [f"{row}" for row in rows[np.argsort(timeline.order[rows])]] + ([f"{holder}"] if holder >= 0 else [])
        return "Σ " + ", ".join(names)

    def results(self, now: Moment) -> list[Line]:
        """The sum of the buffers, and the same as the run gave it."""
        colours, timeline = self._scene.colours, self._scene.timeline
        name = self._scene.result
        progress = np.repeat(now.tile_progress, timeline.tile_block_n)[: timeline.n]
        read = np.repeat(buffers_read(timeline, now.tile_progress), timeline.tile_block_n)[: timeline.n]
        done, running = bool((progress >= 1).all()), bool((progress > 0).any())
        cells = self._being_summed(progress)
        own = ("",) * timeline.n
        rows, sums = self._scene.numbers.rows, self._scene.numbers.sums
        if rows is not None and sums is not None:
            total, run = (sums.dw, rows.dw_total) if name == "dw" else (sums.db, rows.db_total)
            cells = tuple(
                text if share >= 1 else cell for text, share, cell in zip(self.numbers(total), progress, cells, strict=True)
            )
            own = self.numbers(run)
        colour = colours.result(name)
        empty = colours.state(RowState.PENDING)
        note = ""
        if running and not done:
            # Nobody timed the steps of a tile, so how far it is is as if they were equally long.
            note = words("has read about {0} of {1} buffers", int(read.min()), self._locks)
            if timeline.tile_block_m >= self._locks:  # one step, which is over when the tile is
                note = words("adds buffers 0 to {0}", self._locks - 1)
        name_of_run, short = words("{0} of the run", name), None
        note_of_run = words("press Run") if rows is None else ""
        if self._scene.numbers.other_run:
            # Its name says that it is no part of this one.
            name_of_run, note_of_run, short = words("{0}, untraced", name), words("another run"), ""
        return [
            Line(name, note, cells, mixed(empty, colour, 0.85 if done else 0.35 if running else 0.0)),
            Line(name_of_run, note_of_run, own, colours.surface, short=short),
        ]

    def _being_summed(self, progress: NDArray[np.float64]) -> tuple[str, ...]:
        """What stage 2 adds in each column: the buffers themselves where two find room, else a sign."""
        running = ["Σ" if 0 < share < 1 else "" for share in progress]
        sums, timeline = self._scene.sums_after, self._scene.timeline
        if sums is None or self._locks != 2 or not self._two_in_line:
            return tuple(running)
        lasts = [rows[timeline.order[rows].argmax()] for rows in (np.flatnonzero(timeline.lock == lock) for lock in (0, 1))]
        first, second = (self.numbers(sums[row]) for row in lasts)
        pairs = zip(running, first, second, strict=True)
        return tuple(f"{one}\n{_signed(two)}" if sign else "" for sign, one, two in pairs)

    def numbers(self, values: NDArray[np.float32]) -> tuple[str, ...]:
        return tuple(f"{value:.{self._digits}f}".replace("-", "−") for value in values.tolist())
