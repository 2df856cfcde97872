"""A frame for a shape so small that its numbers can be read: a sum on paper, its columns one below
the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter, QPen

from lnexplorer.domain.ordered_sums import rounding_losses
from lnexplorer.domain.timeline import (
    ADDED,
    Moment,
    RowState,
    buffers_read,
    hold_share,
    locks_in_use,
)
from lnexplorer.gui.charts.sheet import CENTRE, LEFT, RIGHT
from lnexplorer.gui.kit.theme import GRID, mixed
from lnexplorer.gui.timeline.colours import draw_padlock, legible_on
from lnexplorer.gui.timeline.frame import Hit, Scene
from lnexplorer.gui.timeline.waterfall import Waterfall
from lnexplorer.gui.timeline.wording import order_text, short_state, words
from lnkernels.values.timeline import ReductionTimeline

_LEAST_PIXELS = 11  # of a letter
_OF_TEXT = (
    0.85  # of the other text's size; smaller are no numbers, so that large type has large numbers
)
_DIGITS, _ROUNDED_DIGITS = 3, 5  # behind the point; where stores round, fewer would hide it
_LINE_WITH_HEADINGS = 22.0  # px
_HIGHEST = 120.0  # px of a line
_PAD = 0.6  # of a letter's height, between numbers of two columns
_OF_LINE = {
    2: 0.75,
    3: 0.57,
}  # height of a line in a buffer that has so many, over that of a row's line
_LABEL = (150.0, 420.0)  # px; least and most
MOST_ROWS, MOST_COLUMNS, MOST_BUFFERS = 16, 16, 8


def has_numbers(timeline: ReductionTimeline) -> bool:
    if timeline.source:
        return False
    return (
        0 < timeline.m <= MOST_ROWS
        and timeline.n <= MOST_COLUMNS
        and locks_in_use(timeline) <= MOST_BUFFERS
    )


@dataclass(frozen=True, slots=True)
class FrameLine:
    """One line of the sum: what is written in its label and cells, and how."""

    label: str
    note: str
    cells: tuple[str, ...]
    background: QColor
    frame: QColor | None = None
    lock: int | None = None  # draws a padlock
    closed: bool = False
    lost: tuple[str, ...] = ()  # what rounding took from each cell, written below it


def _signed(number: str) -> str:
    return f"− {number[1:]}" if number.startswith("−") else f"+ {number}"


class NumberLines:
    """The lines of a scene, with numbers where the scene has them."""

    def __init__(self, scene: Scene, digits: int) -> None:
        self._scene = scene
        self._digits = digits
        self._locks = locks_in_use(scene.timeline)

    def row(self, row: int, now: Moment) -> FrameLine:
        colours, state = self._scene.colours, RowState(int(now.state[row]))
        lock = int(self._scene.timeline.lock[row])
        partial = self._scene.partial_rows
        if partial is None or state < RowState.QUEUED:
            cells = ("…" if state is RowState.COMPUTING else "",) * self._scene.timeline.n
        else:
            cells = self.numbers(partial[row])
        background = colours.state(state, lock)
        if state is RowState.COMPUTING:
            background = mixed(colours.surface, background, 0.6)
        return FrameLine(
            words("row {0}", row),
            short_state(state),
            cells,
            background,
            colours.accent if row == self._scene.followed else None,
        )

    def buffer(self, lock: int, now: Moment) -> FrameLine:
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
                # The first row of a buffer stores, so there is nothing to add to.
                cells = tuple(
                    f"{old}\n{_signed(new)}" if old else new
                    for old, new in zip(cells, adding, strict=True)
                )
            elif holder >= 0:
                cells, lost = self._stored(
                    partial[holder], sums[last[0]] if last.size else None, sums[holder]
                )
        elif added or holder >= 0:
            cells = (self._names(lock, added, holder), *cells[1:])
        share = 0.9 if holder >= 0 else 0.42 if added else 0.0
        background = (
            mixed(colours.surface, colours.lock(lock), share)
            if share
            else colours.state(RowState.PENDING)
        )
        note = words("count {0}", added)
        if lost:
            note = f"→ {self._scene.numbers.buffer_dtype}"
        elif holder >= 0:
            note = words("row {0} adds", holder) if added else words("row {0} stores", holder)
        framed = colours.accent if lock == self._scene.followed_lock else None
        return FrameLine(
            words("buffer {0}", lock), note, cells, background, framed, lock, holder >= 0, lost
        )

    def _stored(
        self,
        partial: NDArray[np.float32],
        before: NDArray[np.float32] | None,
        stored: NDArray[np.float32],
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The sum as it goes into the buffer, and what rounding to the buffer's type takes from it."""
        exact = partial if before is None else before + partial
        if self._scene.numbers.buffer_dtype == "float32":
            return self.numbers(stored), ()
        lost = rounding_losses(exact, stored)
        pairs = zip(self.numbers(exact), self.numbers(stored), strict=True)
        cells = tuple(f"{one}\n{two}" for one, two in pairs)  # the label of the line has an arrow
        return cells, tuple(f"{loss:+.0e}".replace("-", "−") if loss else "" for loss in lost)

    def _names(self, lock: int, added: int, holder: int) -> str:
        """The rows in a buffer, where their numbers are not known."""
        timeline = self._scene.timeline
        rows = np.flatnonzero((timeline.lock == lock) & (timeline.order < added))
        names = [f"{row}" for row in rows[np.argsort(timeline.order[rows])]] + (
            [f"{holder}"] if holder >= 0 else []
        )
        return "Σ " + ", ".join(names)

    def results(self, now: Moment) -> list[FrameLine]:
        """The sum of the buffers, and the same as the run gave it."""
        colours, timeline = self._scene.colours, self._scene.timeline
        name = self._scene.result
        progress = np.repeat(now.tile_progress, timeline.tile_block_n)[: timeline.n]
        read = np.repeat(buffers_read(timeline, now.tile_progress), timeline.tile_block_n)[
            : timeline.n
        ]
        done, running = bool((progress >= 1).all()), bool((progress > 0).any())
        cells = tuple("Σ" if 0 < share < 1 else "" for share in progress)
        own = ("",) * timeline.n
        rows, sums = self._scene.numbers.rows, self._scene.numbers.sums
        if rows is not None and sums is not None:
            total, run = (sums.dw, rows.dw_total) if name == "dw" else (sums.db, rows.db_total)
            cells = tuple(
                text if share >= 1 else cell
                for text, share, cell in zip(self.numbers(total), progress, cells, strict=True)
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
        name_of_run = words("{0} of the run", name)
        note_of_run = words("press Run") if rows is None else ""
        if self._scene.numbers.other_run:
            # Its name says that it is no part of this one.
            name_of_run, note_of_run = words("{0}, untraced", name), words("another run")
        return [
            FrameLine(
                name, note, cells, mixed(empty, colour, 0.85 if done else 0.35 if running else 0.0)
            ),
            FrameLine(name_of_run, note_of_run, own, colours.surface),
        ]

    def numbers(self, values: NDArray[np.float32]) -> tuple[str, ...]:
        return tuple(f"{value:.{self._digits}f}".replace("-", "−") for value in values.tolist())


class NumberFrame:
    """Rows on top, the buffers that they are added to below, the sums of the buffers at the bottom.

    In a buffer one number stands above another, and a third line says what rounding takes where it
    takes something.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        timeline, font = scene.timeline, scene.font
        width, height = scene.size.width(), scene.size.height()
        locks = self._locks = locks_in_use(timeline)
        text = QFontMetricsF(font).height()
        self._least = max(_LEAST_PIXELS, round(QFontInfo(font).pixelSize() * _OF_TEXT))
        metrics = QFontMetricsF(_sized(font, self._least))
        least_line = metrics.height() + 1
        rounds = scene.numbers.buffer_dtype != "float32" and scene.numbers.sums is not None

        self.label_width = min(max(width * 0.25, _LABEL[0]), _LABEL[1])
        self.digits = _ROUNDED_DIGITS if rounds else _DIGITS
        needed = metrics.horizontalAdvance(_longest(scene, self.digits)) + self._least * _PAD
        self.columns, self.cell_width = _columns(
            width - self.label_width, timeline.n, needed, 2.0 * self._least
        )

        lanes = max(min(height * 0.24, timeline.m * text * 1.3), 40.0) + text + 4
        parts, others = 2 + rounds, timeline.m + 2
        for heading in (text + GRID / 2, 0.0):  # where it is low the numbers need the room
            rest = height - lanes - 3 * GRID - 3 * heading
            line = rest / (others + locks * parts * _OF_LINE[parts])
            if (
                line * _OF_LINE[parts] < metrics.height()
            ):  # the buffers need all that the least type needs
                line = (rest - locks * parts * metrics.height()) / others
            if line >= max(_LINE_WITH_HEADINGS, least_line):
                break
        line = min(line, _HIGHEST)
        part = max(line * _OF_LINE[parts], metrics.height())
        self.line = line
        self.heading = heading
        self.buffer = parts * part
        self._lost = part if rounds else 0.0
        self.legible = line >= least_line and self.columns > 0

        wide = self._least * self.cell_width / max(needed, 1.0)
        self._number_font = _sized(font, int(max(min(line * 0.6, wide, 64.0), self._least)))
        label = max(min(line * 0.52, self.label_width / 13, 36.0), self._least)
        self._label_font = _sized(font, int(label))
        self._note_font = _sized(font, int(max(label * 0.8, self._least)))
        self._rows_top = heading
        self._buffers_top = self._rows_top + timeline.m * line + heading + GRID
        self._result_top = self._buffers_top + locks * self.buffer + heading + GRID
        self._rows_area = QRectF(0, height - lanes, width, lanes)
        self.update(scene)

    def update(self, scene: Scene) -> None:
        """Show another stretch, or mark another row or lock."""
        self.scene = scene
        self.lines = NumberLines(scene, self.digits)
        self.waterfall = Waterfall(
            replace(scene, grouping="start", top=0.0, bottom=1.0), self._rows_area, self.label_width
        )

    def paint(self, painter: QPainter, now: Moment) -> None:
        scene = self.scene
        formula = "dw: dy · xhat" if scene.result == "dw" else "db: dy"
        has_sums, group_size_m = scene.numbers.sums is not None, scene.timeline.group_size_m
        decimals = words("rounded to {0} decimals", self.digits) if has_sums else ""
        self._write_heading(
            painter, 0, words("Stage 1: partial sums of each row ({0})", formula), decimals
        )
        for row in range(scene.timeline.m):
            self._write_line(
                painter, self._rows_top + row * self.line, self.lines.row(row, now), self.line
            )
        order = order_text(scene.timeline.kind, stored=scene.numbers.stored) if has_sums else ""
        self._write_heading(
            painter,
            self._buffers_top - self.heading,
            words("added to buffer row mod {0}", group_size_m),
            order,
        )
        for lock in range(self._locks):
            self._write_line(
                painter,
                self._buffers_top + lock * self.buffer,
                self.lines.buffer(lock, now),
                self.buffer,
            )
        self._write_heading(
            painter,
            self._result_top - self.heading,
            words("Stage 2: the buffers are added, column by column"),
        )
        for place, line in enumerate(self.lines.results(now)):
            self._write_line(painter, self._result_top + place * self.line, line, self.line)
        self.waterfall.paint(painter, now.time_ns)

    def hit(self, position: QPointF) -> Hit:
        row = int((position.y() - self._rows_top) // self.line)
        if 0 <= row < self.scene.timeline.m:
            return Hit(row=row, lock=int(self.scene.timeline.lock[row]))
        lock = int((position.y() - self._buffers_top) // self.buffer)
        if 0 <= lock < self._locks:
            return Hit(lock=lock)
        if (
            self._result_top <= position.y() < self._result_top + 2 * self.line
            and position.x() > self.label_width
        ):
            column = int((position.x() - self.label_width) / self.cell_width)
            return (
                Hit(tile=column // self.scene.timeline.tile_block_n)
                if column < self.columns
                else Hit()
            )
        return self.waterfall.hit(position)

    def _write_heading(self, painter: QPainter, top: float, title: str, note: str = "") -> None:
        if self.heading == 0:
            return
        plain, bold = self.scene.font, QFont(self.scene.font)
        bold.setBold(True)
        room = QRectF(0, top, self.scene.size.width(), self.heading)
        painter.setFont(bold)
        painter.setPen(self.scene.colours.text)
        painter.drawText(room, LEFT, title)
        painter.setFont(plain)
        painter.setPen(self.scene.colours.muted)
        room.setLeft(QFontMetricsF(bold).horizontalAdvance(title) + 2 * GRID)
        painter.drawText(
            room,
            RIGHT,
            QFontMetricsF(plain).elidedText(note, Qt.TextElideMode.ElideRight, room.width()),
        )

    def _write_line(self, painter: QPainter, top: float, line: FrameLine, height: float) -> None:
        colours, height = self.scene.colours, height - 2
        label = QRectF(0, top, self.label_width - GRID, height)
        if line.lock is not None:
            size = min(height * 0.8, 40.0, self.label_width * 0.2)
            draw_padlock(
                painter,
                QRectF(0, top + (height - size) / 2, size, size),
                line.closed,
                colours.lock(line.lock),
                colours.muted,
            )
            label.setLeft(size + GRID / 2)
        painter.setFont(self._label_font)
        painter.setPen(line.frame or colours.text)
        painter.drawText(label, LEFT, line.label)
        label.setLeft(
            label.left() + QFontMetricsF(self._label_font).horizontalAdvance(line.label) + GRID
        )
        painter.setPen(colours.muted)
        painter.setFont(self._note_font)
        note = QFontMetricsF(self._note_font).elidedText(
            line.note, Qt.TextElideMode.ElideRight, label.width()
        )
        painter.drawText(label, RIGHT, note)
        strip = QRectF(self.label_width, top, self.scene.size.width() - self.label_width, height)
        painter.fillRect(strip, line.background)
        if line.frame is not None:
            painter.setPen(QPen(line.frame, 3))
            painter.drawRect(strip)
        self._write_cells(painter, strip, line)

    def _write_cells(self, painter: QPainter, strip: QRectF, line: FrameLine) -> None:
        painter.setPen(legible_on(line.background))
        if len(line.cells) > 1 and line.cells[0].startswith("Σ ") and not line.cells[1]:
            painter.setFont(self._number_font)
            painter.drawText(strip, CENTRE, line.cells[0])
            return
        lost = self._lost if line.lost else 0.0
        shown, height = line.cells[: self.columns], strip.height() - lost
        font, lost_font = self._fitting(shown, height), self._fitting(line.lost, lost)
        for column, text in enumerate(shown):
            box = QRectF(
                strip.left() + column * self.cell_width, strip.top(), self.cell_width, height
            )
            painter.setPen(legible_on(line.background))
            self._write_number(painter, box, text, font)
            if line.lost:
                below = QRectF(box.left(), box.bottom(), box.width(), lost)
                painter.fillRect(below.adjusted(1, 0, -1, 0), self.scene.colours.surface)
                painter.setPen(QColor(self.scene.colours.theme.bad))
                self._write_number(painter, below, line.lost[column], lost_font)
        if self.columns < len(line.cells) and any(line.cells):
            painter.setPen(legible_on(line.background))
            self._write_number(
                painter, strip.adjusted(self.columns * self.cell_width, 0, 0, -lost), "…", font
            )

    @staticmethod
    def _write_number(painter: QPainter, box: QRectF, text: str, font: QFont) -> None:
        metrics = QFontMetricsF(font)
        text = "\n".join(
            metrics.elidedText(line, Qt.TextElideMode.ElideRight, box.width())
            for line in text.split("\n")
        )
        painter.setFont(font)
        painter.drawText(box, CENTRE | Qt.TextFlag.TextDontClip, text)

    def _fitting(self, texts: Sequence[str], height: float) -> QFont:
        """The font of a line's numbers: smaller where a cell has more than one, but never so small
        that nobody can read it.
        """
        lines = [text.split("\n") for text in texts]
        metrics = QFontMetricsF(self._number_font)
        widest = max(
            (metrics.horizontalAdvance(part) for parts in lines for part in parts), default=1.0
        )
        room = self.cell_width - self._least
        share = min(
            room / max(widest, 1.0),
            height / (max(map(len, lines), default=1) * metrics.height() * 0.94),
        )
        if share >= 1.0:
            return self._number_font
        return _sized(
            self._number_font, max(int(self._number_font.pixelSize() * share), self._least)
        )


def _sized(font: QFont, pixels: int) -> QFont:
    other = QFont(font)
    other.setPixelSize(pixels)
    return other


def _longest(scene: Scene, digits: int) -> str:
    """A term that is as long as any that can be in a cell: its sign stands apart."""
    rows, largest = scene.numbers.rows, 9.0
    if rows is not None:  # NaN and infinities have a word of their own, and take no room for digits
        largest = (
            max(
                float(np.abs(sums[np.isfinite(sums)]).max(initial=1)) for sums in (rows.dw, rows.db)
            )
            * scene.timeline.m
        )
    return f"− {min(largest, 1e9):.{digits}f}"


def _columns(room: float, columns: int, needed: float, sign: float) -> tuple[int, float]:
    """How many columns are shown, and how wide each is; `sign` stands for the others, if there are
    any.
    """
    if columns <= 0 or room / columns >= needed:
        return columns, room / max(columns, 1)
    shown = max(int((room - sign) / needed), 0)
    return shown, (room - sign) / max(shown, 1)
