"""The frame for any shape: the waterfall of the rows, and beside it the present state of rows,
buffers and results.
"""

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from lnexplorer.domain.timeline import Moment, RowState, locks_in_use
from lnexplorer.gui.kit import CENTRE, GRID, LEFT, RIGHT, translate_message
from lnexplorer.gui.timeline.frame import (
    BACKGROUND,
    FILL_LEVELS,
    HUES,
    Hit,
    PictureColours,
    Pixels,
    Scene,
    draw_indices,
    legible_on,
)
from lnexplorer.gui.timeline.lanes import HANDLE, Overview
from lnexplorer.gui.timeline.number_frame import NumberFrame, has_numbers
from lnexplorer.gui.timeline.waterfall import Waterfall
from lnexplorer.gui.timeline.wording import (
    bold,
    state_name,
    states_of,
    text_width,
    write_text,
    write_title,
)
from lnkernels.values import Sentence, Words, join_sentences, say
from lnkernels.values.timeline import ReductionTimeline

SUMS = join_sentences(("dw", "db"), ", ")
_ASPECT = 1.5  # width over height of a cell that pleases
_LARGEST = 44.0  # px; cells of few rows grow no further
_MOST_NUMBERED = 512  # rows whose numbers are written
_LEAST_AREA = 4.0  # px²; smaller cells are joined
_LEAST_SPACED = 5.0  # px; smaller cells have no line between them


class RowGrid:
    """A picture of the rows at a moment, with a cell for each row.

    Cells go from left to right, the rows of one lock after those of another. Either a line holds
    whole locks, or a lock whole lines. If there are too many rows, a cell stands for several
    consecutive rows of one lock, and shows the busiest of them.
    """

    def __init__(self, timeline: ReductionTimeline, area: QRectF, colours: PictureColours) -> None:
        self._timeline = timeline
        self._colours = colours
        locks = self._locks = locks_in_use(timeline)
        rows_per_lock = -(-timeline.m // locks)
        room = max(area.width() * area.height() / _LEAST_AREA, 1.0)
        self.rows_per_cell = min(-(-timeline.m // int(room)), rows_per_lock)
        cells = self._cells_per_lock = -(-rows_per_lock // self.rows_per_cell)
        pleasing = math.sqrt(
            locks * cells * max(area.width(), 1.0) / max(area.height(), 1.0) / _ASPECT
        )
        if pleasing >= cells:
            self._columns = cells * min(round(pleasing / cells), locks)
            self._stride = cells
        else:
            folds = round(cells / pleasing)  # lines of a lock
            self._columns = -(-cells // folds)
            self._stride = self._columns * folds
        lines = -(-locks * self._stride // self._columns)
        width = self.cell_width = _snapped(min(area.width() / self._columns, _LARGEST * _ASPECT))
        height = self.cell_height = _snapped(min(area.height() / lines, _LARGEST))
        self.area = QRectF(area.left(), area.top(), width * self._columns, height * lines)
        self._indices = np.full((lines, self._columns), BACKGROUND, np.uint8)
        lock, place = np.arange(locks), np.arange(cells)[:, None]
        self._hue = (lock % HUES).astype(np.uint8)
        # A view of the picture [cells of a lock, lock], and where in it no row is.
        whole = self._indices.reshape(-1)[: locks * self._stride]
        self._cells = whole.reshape(locks, self._stride)[:, :cells].T
        self._nothing = np.nonzero(place * self.rows_per_cell * locks + lock >= timeline.m)
        upright = QLineF(self.area.topLeft(), self.area.bottomLeft())
        level = QLineF(self.area.topLeft(), self.area.topRight())
        self._gaps = [upright.translated(place * width, 0) for place in range(self._columns)]
        self._gaps += [level.translated(0, place * height) for place in range(lines)]
        self._numbered = timeline.m <= _MOST_NUMBERED and self.rows_per_cell == 1

    def paint(
        self, painter: QPainter, now: Moment, followed: int | None, followed_lock: int | None = None
    ) -> None:
        self._cells[:] = self._states(now) * np.uint8(HUES) + self._hue
        self._cells[self._nothing] = BACKGROUND
        draw_indices(painter, self.area, self._indices, self._colours.row_table)
        size, metrics = min(self.cell_width, self.cell_height), painter.fontMetrics()
        if size >= _LEAST_SPACED:
            painter.setPen(QPen(self._colours.surface, 1))
            painter.drawLines(self._gaps)
        if size >= 4 and self.rows_per_cell == 1:
            self._outline(painter, now.holder[now.holder >= 0], self._colours.text, 1.0)
        wide = metrics.horizontalAdvance("00") <= self.cell_width - GRID
        if self._numbered and wide and 0.9 * metrics.height() <= self.cell_height:
            self._write_numbers(painter, now)
        if followed_lock is not None:
            columns, lines = min(self._stride, self._columns), self._stride // self._columns or 1
            box = self._box(followed_lock * self._stride, columns, lines)
            painter.setPen(QPen(self._colours.accent, 2.0))
            painter.drawRect(box.adjusted(-2, -2, 2, 2))
        if followed is not None:
            self._outline(painter, np.array([followed]), self._colours.accent, 3.0)

    def row_at(self, position: QPointF) -> int | None:
        """Return the first row of the cell at a point; None if there is none."""
        if not self.area.contains(position):
            return None
        column = min(int((position.x() - self.area.left()) / self.cell_width), self._columns - 1)
        line = min(int((position.y() - self.area.top()) / self.cell_height), len(self._indices) - 1)
        lock, cell = divmod(line * self._columns + column, self._stride)
        row = cell * self.rows_per_cell * self._locks + lock
        there = lock < self._locks and cell < self._cells_per_lock and row < self._timeline.m
        return row if there else None

    def _states(self, now: Moment) -> Pixels:
        """Return the state of each cell [cells of a lock, lock].

        It is that of a row that holds, or else of one that tries, queues, computes, or is done.
        """
        shape = (self._cells_per_lock, self.rows_per_cell, self._locks)
        state = np.zeros(math.prod(shape), np.uint8)
        state[: now.state.size] = now.state
        groups = state.reshape(shape)
        if self.rows_per_cell == 1:
            return groups[:, 0]
        busy = (groups * (groups < RowState.DONE)).max(axis=1)  # 0 where all are pending or done
        states: Pixels = np.where(busy > 0, busy, groups.max(axis=1))
        return states

    def _box(self, cell: int, columns: int = 1, lines: int = 1) -> QRectF:
        """Return the area of cells from one on; cells are counted line by line."""
        line, column = divmod(cell, self._columns)
        width, height = self.cell_width, self.cell_height
        left, top = self.area.left() + column * width, self.area.top() + line * height
        return QRectF(left, top, columns * width, lines * height)

    def _cells_of(self, rows: NDArray[np.signedinteger]) -> list[int]:
        place, lock = np.divmod(rows, self._locks)
        cells: list[int] = (lock * self._stride + place // self.rows_per_cell).tolist()
        return cells

    def _outline(
        self, painter: QPainter, rows: NDArray[np.signedinteger], colour: QColor, width: float
    ) -> None:
        painter.setPen(QPen(colour, width))
        grow = width / 2 if width > 1 else -0.5
        painter.drawRects(
            [self._box(cell).adjusted(-grow, -grow, grow, grow) for cell in self._cells_of(rows)]
        )

    def _write_numbers(self, painter: QPainter, now: Moment) -> None:
        for row, cell in enumerate(self._cells_of(np.arange(now.state.size))):
            ground = self._colours.state(RowState(int(now.state[row])), row % self._locks % HUES)
            write_text(painter, self._box(cell), CENTRE, str(row), legible_on(ground))


def _snapped(size: float) -> float:
    """Return a size in whole pixels, if that costs little room."""
    whole = float(int(size))
    return whole if whole > 0.9 * size else size


_MOST_COLUMNS = 512  # of the picture; with more tiles, several share a column


class BufferPicture:
    """A picture of the buffers with its titles.

    Stage 1 fills the lines of buffers; in stage 2 each program reads a tile of columns downwards.
    """

    def __init__(self, scene: Scene, room: QRectF, line: float, strip: float) -> None:
        """Lay the picture out; a text is `line` px high, a result `strip` px."""
        timeline = scene.timeline
        self._scene = scene
        title, counts = line + GRID / 2, text_width(say("Counts"), bold(scene.font)) + 2
        names = text_width(translate_message(SUMS), scene.font) + GRID
        width = round(max((room.width() - names) * 0.3, counts, names))
        results = room.bottom() - 2 * strip - GRID / 2
        height = max(results - GRID - room.top() - title, 8.0)
        self.gauge = QRectF(room.left(), room.top() + title, width, height)
        self.buffers = QRectF(self.gauge)
        self.buffers.setLeft(self.gauge.right() + GRID)
        self.buffers.setRight(room.right())
        self.dw = QRectF(self.buffers.left(), results, self.buffers.width(), strip)
        self.db = self.dw.translated(0, strip + GRID / 2)
        self._title = title
        self._locks = locks_in_use(timeline)
        tiles = timeline.tile_start_ns.size
        columns = min(tiles, _MOST_COLUMNS)
        self._first_tile = np.arange(columns) * tiles // max(columns, 1)
        self._rows_of_lock = np.bincount(timeline.lock, minlength=self._locks)
        self._hue = ((np.arange(self._locks) % HUES) * FILL_LEVELS).astype(np.uint8)
        self._line = np.arange(self._locks)[:, None]
        self._step = (np.arange(max(width, 1)) / max(width, 1))[None, :]
        self._tables = [scene.colours.result_table(name) for name in ("dw", "db")]

    def paint(self, painter: QPainter, now: Moment) -> None:
        scene, gauge, buffers = self._scene, self.gauge, self.buffers
        titles = (gauge, say("Counts"), ""), (buffers, say("Buffers"), self._note(now))
        for area, title, note in titles:
            room = QRectF(area.left(), area.top() - self._title, area.width(), self._title)
            write_title(painter, room, title, note, scene)
        share, full = now.added / np.maximum(self._rows_of_lock, 1), np.uint8(FILL_LEVELS - 1)
        level = np.ceil(share * (FILL_LEVELS - 2)).astype(np.uint8)
        level[now.holder >= 0] = full
        read = now.buffers_read[self._first_tile]
        already = self._line < read[None, :] if read.any() else np.zeros((self._locks, 1), np.bool_)
        picture = (self._hue + level)[:, None] + np.uint8(HUES * FILL_LEVELS) * already
        bars = self._hue[:, None] + full * (self._step < share[:, None])
        progress = np.floor(now.tile_progress[self._first_tile] * int(full))[None, :]
        table = scene.colours.buffer_table
        draw_indices(painter, gauge, bars.astype(np.uint8), table)
        draw_indices(painter, buffers, picture.astype(np.uint8), table)
        for area, table in zip((self.dw, self.db), self._tables, strict=True):
            draw_indices(painter, area, progress.astype(np.uint8), table)
        names = QRectF(gauge.left(), self.dw.top(), gauge.width(), self.db.bottom() - self.dw.top())
        write_text(painter, names, RIGHT, translate_message(SUMS), scene.colours.text, scene.font)

    def _note(self, now: Moment) -> Words:
        """Return how many buffers are written, or in stage 2 how many tiles are summed."""
        tiles = self._scene.timeline.tile_start_ns
        if tiles.size and now.time_ns >= int(tiles.min()):
            done = int((now.tile_progress >= 1).sum())
            return say("tiles {done:,} / {tiles:,}", done=done, tiles=tiles.size)
        return f"{int((now.added > 0).sum()):,} / {now.added.size:,}"

    def hit(self, position: QPointF) -> Hit | None:
        """Return the buffer and the tile at a point; None outside the picture."""
        results, tiles = self.buffers.united(self.db), self._scene.timeline.tile_start_ns.size
        lock = tile = None
        if self.buffers.contains(position) or self.gauge.contains(position):
            share = (position.y() - self.buffers.top()) / self.buffers.height()
            lock = min(int(share * self._locks), self._locks - 1)
        if tiles and results.contains(position):
            share = (position.x() - results.left()) / results.width()
            tile = min(int(share * tiles), tiles - 1)
        return None if lock is None and tile is None else Hit(lock=lock, tile=tile)


_SWATCH = 0.62  # of a letter's height
_LOW = 480.0  # px; a lower frame has one line of text above the waterfall, and none below it
_FEW_ROWS = 64  # so few rows have room for their numbers in the inset
_INSET = (13.0, 22.0)  # least and most width, in letters; with less room there is no inset


class ScheduleFrame:
    """The waterfall; at its right an inset about the moment, below it the whole time."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        metrics = QFontMetricsF(scene.font)
        line = self._line = metrics.height()
        width, height = scene.size.width(), scene.size.height()
        title, letter = line + GRID / 2, metrics.averageCharWidth()
        few = scene.timeline.m <= _FEW_ROWS
        most = _INSET[1] * letter * (1.8 if few else 1.0)
        inset = min(width * (0.42 if few else 0.24), max(most, width * 0.16))
        inset = 0.0 if inset < _INSET[0] * letter else round(inset)
        right = width - inset - 2 * GRID if inset else width
        low, overview = height < _LOW, max(min(height * 0.07, 64.0), 16.0)
        below = QRectF(0, round(height - overview), int(right), round(overview) - 1)
        self.overview = Overview(scene.timeline, below, scene.last_ns, scene.colours)
        self._legend = StateLegend(scene, right if low else width, self.overview.most, low=low)
        self._title = QRectF(0, title, right, title)
        if low:  # the scale of queues stands beside the legend
            left = self._legend.right
            self._title = QRectF(left, 0, max(right - left, 0.0), title)
        top = self._title.bottom() + HANDLE - GRID / 2  # the handle may reach below the letters
        overview_title = 0.0 if low else title
        room = QRectF(0, top, right, height - top - overview - overview_title - HANDLE)
        self._overview_title = QRectF(0, room.bottom(), right, overview_title)
        self._grid: RowGrid | None = None
        self._picture: BufferPicture | None = None
        if inset:
            above = 0.0 if low else title
            self._lay_out_inset(QRectF(right + 2 * GRID, above, inset, height - above))
        self.waterfall = Waterfall(scene, room)

    def _lay_out_inset(self, room: QRectF) -> None:
        scene, line, title = self.scene, self._line, self._line + GRID / 2
        strip = round(max(min(line, room.height() / 14), 5.0))
        self._rows_title = QRectF(room.left(), room.top(), room.width(), title)
        area = room.adjusted(0, title, 0, 0)
        if not scene.timeline.source:  # of a user's kernel buffers and results are not known
            others = 2 * title + 2 * strip + GRID
            area.setHeight(max((area.height() - others) * 0.62, 24.0))
        self._grid = RowGrid(scene.timeline, area, scene.colours)
        if not scene.timeline.source:
            below = room.adjusted(0, title + self._grid.area.height() + GRID, 0, 0)
            self._picture = BufferPicture(scene, below, line, strip)

    def paint(self, painter: QPainter, now: Moment) -> None:
        scene = self.scene
        self._legend.paint(painter, now)
        self.waterfall.paint_title(painter, self._title, titled=scene.size.height() >= _LOW)
        self.waterfall.paint(painter, now.time_ns)
        if self._overview_title.height():
            most = say("at most {most:,}", most=self.overview.most)
            write_title(painter, self._overview_title, say("Programs at work"), most, scene)
        painter.setFont(scene.font)
        self.overview.paint(painter, now.time_ns, self.waterfall.axis)
        if (grid := self._grid) is not None:
            rows = grid.rows_per_cell
            note = say("{rows:,} rows a cell", rows=rows) if rows > 1 else ""
            write_title(painter, self._rows_title, say("Rows now"), note, scene)
            painter.setFont(scene.font)
            grid.paint(painter, now, scene.followed, scene.followed_lock)
        if self._picture is not None:
            self._picture.paint(painter, now)

    def hit(self, position: QPointF) -> Hit:
        grid, picture = self._grid, self._picture
        if grid is not None:
            row = grid.row_at(position)
            if row is not None:
                return Hit(row=row, lock=int(self.scene.timeline.lock[row]))
        if picture is not None and (hit := picture.hit(position)) is not None:
            return hit
        if self.overview.area.adjusted(0, -HANDLE, 0, GRID).contains(position):
            return Hit(time_ns=self.overview.axis.time(position.x()), whole=True)
        return self.waterfall.hit(position)


class StateLegend:
    """A legend of the states of rows, with the number of rows in each; numbers have room to grow.

    Without room for all, states of rows that are not on the GPU are left out, then the first ones.
    """

    def __init__(self, scene: Scene, width: float, most: int, *, low: bool) -> None:
        self._scene = scene
        line = QFontMetricsF(scene.font).height()
        gap, size = text_width("00", scene.font), line * _SWATCH
        self._size = size
        states, wanted = states_of(scene.timeline.phases), {}
        for state in states:
            off_gpu = state in (RowState.PENDING, RowState.DONE)
            text = translate_message(self._text(scene.timeline.m if off_gpu else most, state))
            wanted[state] = size + text_width(f" {text}", scene.font) + gap
        choices = [] if low else [states, states[1:]]
        choices += [states[first:-1] for first in range(1, len(states) - 1)]
        chosen = next(
            (some for some in choices if sum(wanted[state] for state in some) <= width + gap),
            choices[-1],
        )
        self.right = 0.0
        self._places: list[tuple[RowState, QRectF]] = []
        for state in chosen:
            self._places.append((state, QRectF(self.right, 0.0, wanted[state], line)))
            self.right += wanted[state]

    def _text(self, count: int, state: RowState) -> Sentence:
        phases = self._scene.timeline.phases
        return say("{count:,} {state}", count=count, state=state_name(state, phases))

    def paint(self, painter: QPainter, now: Moment) -> None:
        colours, font = self._scene.colours, self._scene.font
        size, counts = self._size, np.bincount(now.state, minlength=len(RowState)).tolist()
        for state, place in self._places:
            box = QRectF(place.left(), place.center().y() - size / 2, size, size)
            for lock in range(3):  # thirds, as a state may have the colours of the locks
                part = QRectF(box.left() + lock * size / 3, box.top(), size / 3, size)
                painter.fillRect(part, colours.state(state, lock))
            # Some colours are nearly as dark as the ground.
            painter.setPen(colours.muted)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
            room, flags = place.adjusted(size + GRID / 2, 0, 0, 0), LEFT | Qt.TextFlag.TextDontClip
            text = self._text(counts[state], state)
            write_text(painter, room, flags, text, colours.text, font)


Frame = NumberFrame | ScheduleFrame


def frame_of(scene: Scene) -> Frame:
    """Return a frame: with numbers if there are few and they are legible, else the schedule."""
    if has_numbers(scene.timeline):
        numbers = NumberFrame(scene)
        if numbers.layout.legible:
            return numbers
    return ScheduleFrame(scene)
