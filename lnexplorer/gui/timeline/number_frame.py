"""Frame for a shape so small that its numbers can be read: a sum on paper, its columns below each
other.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QPainter, QPen

from lnexplorer.domain.ordered_sums import rounding_losses
from lnexplorer.domain.timeline import (
    ADDED,
    Moment,
    RowState,
    locks_in_use,
)
from lnexplorer.gui.kit import CENTRE, GRID, LEFT, RIGHT, mixed, translate_message
from lnexplorer.gui.timeline.frame import Hit, Scene, draw_padlock, legible_on
from lnexplorer.gui.timeline.waterfall import Waterfall
from lnexplorer.gui.timeline.wording import (
    elided,
    order_text,
    sized,
    state_name,
    text_width,
    write_text,
    write_title,
)
from lnkernels.values import Sentence, Words, frozen, join_sentences, say
from lnkernels.values.timeline import Floats, ReductionTimeline


@frozen
class FrameLine:
    """Line of the sum: texts of its label and cells, and how they are drawn."""

    label: Words
    note: Words
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
            names = list(map(str, rows[: added + (holder >= 0)]))
            cells = (f"Σ {translate_message(join_sentences(names, ', '))}", *cells[1:])
        background = colours.state(RowState.PENDING)
        if added or holder >= 0:
            share = 0.9 if holder >= 0 else 0.42
            background = mixed(colours.surface, colours.lock(lock), share)
        note: Words = say("count {count:,}", count=added)
        if lost:
            note = f"→ {self._scene.numbers.buffer_dtype}"
        elif holder >= 0:
            adds = say("row {row} adds", row=holder)
            note = adds if added else say("row {row} stores", row=holder)
        framed = colours.accent if lock == self._scene.followed_lock else None
        label = say("buffer {lock}", lock=lock)
        return FrameLine(label, note, cells, background, framed, lock, holder >= 0, lost)

    def _stored(
        self, partial: Floats, before: Floats | None, stored: Floats
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
        note: Words = ""
        if running and not done:
            # Nobody timed the steps of a tile: this is right if they are equally long.
            read = int(now.buffers_read.min())
            note = say("has read about {read} of {buffers} buffers", read=read, buffers=self._locks)
            if timeline.tile_block_m >= self._locks:  # one step, which is over when the tile is
                note = say("adds buffers 0 to {last}", last=self._locks - 1)
        name_of_run = say("{result} of the run", result=name)
        note_of_run: Words = say("press Run") if rows is None else ""
        if numbers.other_run:
            # Its name says that it is no part of this one.
            name_of_run = say("{result}, untraced", result=name)
            note_of_run = say("another run")
        background = mixed(empty, full, 0.85 if done else 0.35 if running else 0.0)
        return [
            FrameLine(name, note, cells, background),
            FrameLine(name_of_run, note_of_run, own, colours.surface),
        ]

    def numbers(self, values: Floats) -> tuple[str, ...]:
        return tuple(f"{value:.{self._digits}f}".replace("-", "−") for value in values.tolist())


_LEAST_PIXELS = 11  # of a letter
_OF_TEXT = 0.85  # of the other text's size; numbers are never smaller, so they grow with large type
_DIGITS, _ROUNDED_DIGITS = 3, 5  # behind the point; where stores round, fewer would hide it
_LINE_WITH_HEADINGS = 22.0  # px
_HIGHEST = 120.0  # px of a line
_PAD = 0.6  # of a letter's height, between numbers of two columns
# Height of a line in a buffer that has so many, over that of a row's line.
_OF_LINE = {2: 0.75, 3: 0.57}
_LABEL = (150.0, 420.0)  # px; least and most
MOST_ROWS, MOST_COLUMNS, MOST_BUFFERS = 16, 16, 8


def has_numbers(timeline: ReductionTimeline) -> bool:
    """Return whether a timeline is small enough to show numbers."""
    return (
        not timeline.source
        and 0 < timeline.m <= MOST_ROWS
        and timeline.n <= MOST_COLUMNS
        and locks_in_use(timeline) <= MOST_BUFFERS
    )


class NumberLayout:
    """Sizes of a scene's lines, columns and letters, in px."""

    def __init__(self, scene: Scene) -> None:
        timeline, font = scene.timeline, scene.font
        width, height = scene.size.width(), scene.size.height()
        locks = locks_in_use(timeline)
        text = QFontMetricsF(font).height()
        self.least = max(_LEAST_PIXELS, round(QFontInfo(font).pixelSize() * _OF_TEXT))
        metrics = QFontMetricsF(sized(font, self.least))
        least_line = metrics.height() + 1
        rounds = scene.numbers.buffer_dtype != "float32" and scene.numbers.sums is not None

        self.label_width = min(max(width * 0.25, _LABEL[0]), _LABEL[1])
        self.digits = _ROUNDED_DIGITS if rounds else _DIGITS
        needed = metrics.horizontalAdvance(_longest(scene, self.digits)) + self.least * _PAD
        self.columns, self.cell_width = _columns(
            width - self.label_width, timeline.n, needed, 2.0 * self.least
        )

        lanes = max(min(height * 0.24, timeline.m * text * 1.3), 40.0) + text + 4
        parts, others = 2 + rounds, timeline.m + 2
        for heading in (text + GRID / 2, 0.0):  # a low frame needs the room for numbers
            rest = height - lanes - 3 * GRID - 3 * heading
            line = rest / (others + locks * parts * _OF_LINE[parts])
            if line * _OF_LINE[parts] < metrics.height():
                # The buffers need all that the least type needs.
                line = (rest - locks * parts * metrics.height()) / others
            if line >= max(_LINE_WITH_HEADINGS, least_line):
                break
        line = min(line, _HIGHEST)
        part = max(line * _OF_LINE[parts], metrics.height())
        self.line = line
        self.heading = heading
        self.buffer = parts * part
        self.lost = part if rounds else 0.0
        self.legible = line >= least_line and self.columns > 0

        wide = self.least * self.cell_width / max(needed, 1.0)
        label = max(min(line * 0.52, self.label_width / 13, 36.0), self.least)
        self.number_font = sized(font, int(max(min(line * 0.6, wide, 64.0), self.least)))
        self.label_font = sized(font, int(label))
        self.note_font = sized(font, int(max(label * 0.8, self.least)))
        self.rows_top = heading
        self.buffers_top = self.rows_top + timeline.m * line + heading + GRID
        self.result_top = self.buffers_top + locks * self.buffer + heading + GRID
        self.waterfall = QRectF(0, height - lanes, width, lanes)

    def fitting(self, texts: Sequence[str], height: float) -> QFont:
        """Return the font of a line's numbers: smaller if a cell has more than one, but never so
        small that nobody can read it.
        """
        lines = [text.split("\n") for text in texts]
        metrics = QFontMetricsF(self.number_font)
        widest = max(
            (metrics.horizontalAdvance(part) for line in lines for part in line), default=1
        )
        most = max(map(len, lines), default=1)
        share = min(
            (self.cell_width - self.least) / max(widest, 1.0),
            height / (most * metrics.height() * 0.94),
        )
        if share >= 1.0:
            return self.number_font
        size = int(self.number_font.pixelSize() * share)
        return sized(self.number_font, max(size, self.least))


class NumberFrame:
    """Rows on top, the buffers that they are added to below, the sums of the buffers at the bottom.

    In a buffer one number stands above another, and a third line says what rounding takes where it
    takes something.
    """

    def __init__(self, scene: Scene) -> None:
        self.layout = NumberLayout(scene)
        self.scene = scene
        self.lines = NumberLines(scene, self.layout.digits)
        rows = replace(scene, grouping="start", top=0.0, bottom=1.0)
        self.waterfall = Waterfall(rows, self.layout.waterfall, self.layout.label_width)

    def paint(self, painter: QPainter, now: Moment) -> None:
        scene, layout = self.scene, self.layout
        decimals: Words = ""
        order: Words = ""
        if scene.numbers.sums is not None:
            decimals = say("rounded to {digits} decimals", digits=layout.digits)
            order = order_text(scene.timeline.kind, stored=scene.numbers.stored)
        formula = "dw: dy · xhat" if scene.result == "dw" else "db: dy"
        title = say("Stage 1: partial sums of each row ({formula})", formula=formula)
        self._write_heading(painter, layout.rows_top, title, decimals)
        for row in range(scene.timeline.m):
            line = self.lines.row(row, now)
            self._write_line(painter, layout.rows_top + row * layout.line, line, layout.line)
        group_size_m = scene.timeline.group_size_m
        title = say("added to buffer row mod {group_size_m}", group_size_m=group_size_m)
        self._write_heading(painter, layout.buffers_top, title, order)
        for lock in range(locks_in_use(scene.timeline)):
            line = self.lines.buffer(lock, now)
            self._write_line(
                painter, layout.buffers_top + lock * layout.buffer, line, layout.buffer
            )
        title = say("Stage 2: the buffers are added, column by column")
        self._write_heading(painter, layout.result_top, title)
        for place, line in enumerate(self.lines.results(now)):
            self._write_line(painter, layout.result_top + place * layout.line, line, layout.line)
        self.waterfall.paint(painter, now.time_ns)

    def hit(self, position: QPointF) -> Hit:
        layout, timeline, y = self.layout, self.scene.timeline, position.y()
        row = int((y - layout.rows_top) // layout.line)
        if 0 <= row < timeline.m:
            return Hit(row=row, lock=int(timeline.lock[row]))
        lock = int((y - layout.buffers_top) // layout.buffer)
        if 0 <= lock < locks_in_use(timeline):
            return Hit(lock=lock)
        x = position.x() - layout.label_width
        if 0 <= y - layout.result_top < 2 * layout.line and x > 0:
            column = int(x / layout.cell_width)
            return Hit(tile=column // timeline.tile_block_n) if column < layout.columns else Hit()
        return self.waterfall.hit(position)

    def _write_heading(
        self, painter: QPainter, bottom: float, title: Sentence, note: Words = ""
    ) -> None:
        if height := self.layout.heading:
            room = QRectF(0, bottom - height, self.scene.size.width(), height)
            write_title(painter, room, title, note, self.scene)

    def _write_line(self, painter: QPainter, top: float, line: FrameLine, height: float) -> None:
        colours, layout, height = self.scene.colours, self.layout, height - 2
        label = QRectF(0, top, layout.label_width - GRID, height)
        if line.lock is not None:
            size = min(height * 0.8, 40.0, layout.label_width * 0.2)
            place = QRectF(0, top + (height - size) / 2, size, size)
            draw_padlock(painter, place, line.closed, colours.lock(line.lock), colours.muted)
            label.setLeft(size + GRID / 2)
        text, font = line.frame or colours.text, layout.label_font
        write_text(painter, label, LEFT, line.label, text, font)
        label.setLeft(label.left() + text_width(line.label, font) + GRID)
        note = elided(line.note, layout.note_font, label.width())
        write_text(painter, label, RIGHT, note, colours.muted, layout.note_font)
        width = self.scene.size.width() - layout.label_width
        strip = QRectF(layout.label_width, top, width, height)
        painter.fillRect(strip, line.background)
        if line.frame is not None:
            painter.setPen(QPen(line.frame, 3))
            painter.drawRect(strip)
        self._write_cells(painter, strip, line)

    def _write_cells(self, painter: QPainter, strip: QRectF, line: FrameLine) -> None:
        layout, text_colour = self.layout, legible_on(line.background)
        if len(line.cells) > 1 and line.cells[0].startswith("Σ ") and not line.cells[1]:
            write_text(painter, strip, CENTRE, line.cells[0], text_colour, layout.number_font)
            return
        lost, width = layout.lost if line.lost else 0.0, layout.cell_width
        shown, height = line.cells[: layout.columns], strip.height() - lost
        font, lost_font = layout.fitting(shown, height), layout.fitting(line.lost, lost)
        for column, text in enumerate(shown):
            box = QRectF(strip.left() + column * width, strip.top(), width, height)
            _write_number(painter, box, text, text_colour, font)
            if line.lost:
                below = QRectF(box.left(), box.bottom(), width, lost)
                painter.fillRect(below.adjusted(1, 0, -1, 0), self.scene.colours.surface)
                bad = QColor(self.scene.colours.theme.bad)
                _write_number(painter, below, line.lost[column], bad, lost_font)
        if layout.columns < len(line.cells) and any(line.cells):
            rest = strip.adjusted(layout.columns * width, 0, 0, -lost)
            _write_number(painter, rest, "…", text_colour, font)


def _write_number(painter: QPainter, box: QRectF, text: str, colour: QColor, font: QFont) -> None:
    text = "\n".join(elided(line, font, box.width()) for line in text.split("\n"))
    write_text(painter, box, CENTRE | Qt.TextFlag.TextDontClip, text, colour, font)


def _longest(scene: Scene, digits: int) -> str:
    """Return a term as long as any that can be in a cell; its sign stands apart."""
    rows, largest = scene.numbers.rows, 9.0
    if rows is not None:  # NaN and infinities have a word of their own, and take no room for digits
        finite = (sums[np.isfinite(sums)] for sums in (rows.dw, rows.db))
        largest = max(float(np.abs(sums).max(initial=1)) for sums in finite) * scene.timeline.m
    return f"− {min(largest, 1e9):.{digits}f}"


def _columns(room: float, columns: int, needed: float, sign: float) -> tuple[int, float]:
    """Return how many columns are shown, and how wide each is. `sign` is the room for an ellipsis
    that stands for the others.
    """
    if columns <= 0 or room / columns >= needed:
        return columns, room / max(columns, 1)
    shown = max(int((room - sign) / needed), 0)
    return shown, (room - sign) / max(shown, 1)
