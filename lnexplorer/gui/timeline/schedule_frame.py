"""A frame for any shape: the waterfall of its rows, and beside it rows, buffers and results as they
are at the moment.
"""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from lnexplorer.domain.timeline import Moment, RowState, buffers_read, locks_in_use
from lnexplorer.gui.charts.sheet import LEFT, RIGHT
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.timeline.colours import FILL_LEVELS, HUES, PictureColours, draw_indices
from lnexplorer.gui.timeline.frame import Hit, Scene
from lnexplorer.gui.timeline.lanes import HANDLE, Overview, TimeAxis
from lnexplorer.gui.timeline.number_frame import NumberFrame, has_numbers
from lnexplorer.gui.timeline.row_grid import RowGrid
from lnexplorer.gui.timeline.waterfall import Waterfall
from lnexplorer.gui.timeline.wording import number, short_state, states_of, words
from lnkernels.values.timeline import ReductionTimeline

_MOST_COLUMNS = 512  # of the picture; more tiles than that share one


class BufferPicture:
    """Stage 1 fills lines from the side; stage 2 reads them downwards, a tile of columns each
    program.
    """

    def __init__(
        self,
        timeline: ReductionTimeline,
        gauge: QRectF,
        buffers: QRectF,
        results: tuple[QRectF, QRectF],
        colours: PictureColours,
    ) -> None:
        self.gauge = gauge
        self.buffers = buffers
        self.dw, self.db = results
        self._timeline = timeline
        self._colours = colours
        self._locks = locks_in_use(timeline)
        tiles = timeline.tile_start_ns.size
        columns = min(tiles, _MOST_COLUMNS)
        self._first_tile = np.arange(columns) * tiles // max(columns, 1)
        self._rows_of_lock = np.bincount(timeline.lock, minlength=self._locks)
        self._hue = ((np.arange(self._locks) % HUES) * FILL_LEVELS).astype(np.uint8)
        self._line = np.arange(self._locks)[:, None]
        self._step = (np.arange(max(int(gauge.width()), 1)) / max(gauge.width(), 1))[None, :]
        self._tables = {name: colours.result_table(name) for name in ("dw", "db")}

    def paint(self, painter: QPainter, now: Moment) -> None:
        share = now.added / np.maximum(self._rows_of_lock, 1)
        level = np.ceil(share * (FILL_LEVELS - 2)).astype(np.uint8)
        level[now.holder >= 0] = FILL_LEVELS - 1
        index = self._hue + level
        read = buffers_read(self._timeline, now.tile_progress)[self._first_tile]
        already = self._line < read[None, :] if read.any() else np.zeros((self._locks, 1), np.bool_)
        picture = index[:, None] + np.uint8(HUES * FILL_LEVELS) * already
        bars = np.where(
            self._step < share[:, None],
            self._hue[:, None] + np.uint8(FILL_LEVELS - 1),
            self._hue[:, None],
        )
        draw_indices(painter, self.gauge, bars, self._colours.buffer_table)
        draw_indices(painter, self.buffers, picture.astype(np.uint8), self._colours.buffer_table)
        progress = np.floor(now.tile_progress[self._first_tile] * (FILL_LEVELS - 1)).astype(
            np.uint8
        )[None, :]
        draw_indices(painter, self.dw, progress, self._tables["dw"])
        draw_indices(painter, self.db, progress, self._tables["db"])

    def buffer_at(self, position: QPointF) -> int | None:
        if not (self.buffers.contains(position) or self.gauge.contains(position)):
            return None
        share = (position.y() - self.buffers.top()) / self.buffers.height()
        return min(int(share * self._locks), self._locks - 1)

    def tile_at(self, position: QPointF) -> int | None:
        tiles = self._timeline.tile_start_ns.size
        area = self.buffers.united(self.dw).united(self.db)
        if not area.contains(position) or tiles == 0:
            return None
        return min(int((position.x() - area.left()) / area.width() * tiles), tiles - 1)


_SWATCH = 0.62  # of a letter's height
_LOW = 480.0  # px; a lower frame has one line of words above the waterfall, and none below it
_FEW_ROWS = 64  # so few find room for their numbers in the inset
_INSET = (13.0, 22.0)  # letters; a frame that cannot give so many has no inset, and none is wider


class ScheduleFrame:
    """The waterfall has most of the room. What is so now is an inset on its right; the whole time
    lies below.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._plain = QFont(scene.font)
        self._bold = QFont(scene.font)
        self._bold.setBold(True)
        self._metrics = QFontMetricsF(self._plain)
        self._bold_metrics = QFontMetricsF(self._bold)
        line = self._line = self._metrics.height()
        width, height = scene.size.width(), scene.size.height()
        title, letter = line + GRID / 2, self._metrics.averageCharWidth()
        few = scene.timeline.m <= _FEW_ROWS
        most = _INSET[1] * letter * (1.8 if few else 1.0)
        inset = min(width * (0.42 if few else 0.24), max(most, width * 0.16))
        inset = 0.0 if inset < _INSET[0] * letter else round(inset)
        right = width - inset - 2 * GRID if inset else width
        low, overview = height < _LOW, max(min(height * 0.07, 64.0), 16.0)
        below = QRectF(0, round(height - overview), int(right), round(overview) - 1)
        self.overview = Overview(scene.timeline, below, scene.last_ns, scene.colours)
        self._legend = self._legend_places(right if low else width, low=low)
        legend_height = line + GRID / 2
        overview_title = 0.0 if low else title
        locks = {
            state: range(3) if state > RowState.COMPUTING else (0, 0, 0) for state in RowState
        }  # whose colours it has
        self._swatches = {
            state: [scene.colours.state(state, lock) for lock in locks[state]] for state in RowState
        }
        self._title = QRectF(0, legend_height, right, title)
        if low:  # what the colours of a queue mean, beside the legend
            left = max(place.right() for place in self._legend.values())
            self._title = QRectF(left, 0, max(right - left, 0.0), legend_height)
        top = (
            self._title.bottom() + HANDLE - GRID / 2
        )  # the handle may use the space below the letters
        self._room = QRectF(0, top, right, height - top - overview - overview_title - HANDLE)
        self._overview_title = QRectF(0, self._room.bottom(), right, overview_title)
        self._grid: RowGrid | None = None
        self._picture: BufferPicture | None = None
        if inset:
            above = 0.0 if low else legend_height
            self._lay_out_inset(QRectF(right + 2 * GRID, above, inset, height - above))
        self.waterfall = Waterfall(scene, self._room)

    def _lay_out_inset(self, room: QRectF) -> None:
        scene, title = self.scene, self._line + GRID / 2
        strip = round(max(min(self._line, room.height() / 14), 5.0))
        below = 2 * title + 2 * strip + GRID
        rows = max((room.height() - title - below) * 0.62, 24.0)
        if scene.timeline.source:  # nothing is known of buffers and results
            rows = room.height() - title
        self._rows_title = QRectF(room.left(), room.top(), room.width(), title)
        self._grid = RowGrid(
            scene.timeline,
            QRectF(room.left(), room.top() + title, room.width(), rows),
            scene.colours,
        )
        if scene.timeline.source:
            return
        top = room.top() + title + self._grid.area.height() + GRID
        names = self._metrics.horizontalAdvance("dw, db") + GRID
        gauge = round(
            max(
                (room.width() - names) * 0.3,
                self._bold_metrics.horizontalAdvance(words("Counts")) + 2,
                names,
            )
        )
        left = room.left() + gauge + GRID
        results = room.bottom() - 2 * strip - GRID / 2
        buffers = max(results - GRID - top - title, 8.0)
        self._counts_title = QRectF(room.left(), top, gauge, title)
        self._buffers_title = QRectF(left, top, room.right() - left, title)
        self._picture = BufferPicture(
            scene.timeline,
            QRectF(room.left(), top + title, gauge, buffers),
            QRectF(left, top + title, room.right() - left, buffers),
            (
                QRectF(left, results, room.right() - left, strip),
                QRectF(left, results + strip + GRID / 2, room.right() - left, strip),
            ),
            scene.colours,
        )

    @property
    def axis(self) -> TimeAxis:
        return self.waterfall.axis

    def update(self, scene: Scene) -> None:
        """Show another part of time or rows, or mark another row or lock; the overview and the
        inset stay.
        """
        self.scene = scene
        self.waterfall = Waterfall(scene, self._room)

    def paint(self, painter: QPainter, now: Moment) -> None:
        scene = self.scene
        self._paint_legend(painter, now)
        self.waterfall.paint_title(painter, self._title, titled=scene.size.height() >= _LOW)
        self.waterfall.paint(painter, now.time_ns)
        if self._overview_title.height():
            rows, most = number(scene.timeline.m), number(self.overview.most)
            notes = words("full height {0} of {1} rows", most, rows), words("at most {0}", most)
            self._write(painter, self._overview_title, words("Programs at work"), *notes)
        painter.setFont(self._plain)
        self.overview.paint(painter, now.time_ns, self.axis)
        if self._grid is not None:
            self._paint_rows(painter, now, self._grid)
        if self._picture is not None:
            self._paint_buffers(painter, now, self._picture)

    def _paint_rows(self, painter: QPainter, now: Moment, grid: RowGrid) -> None:
        scene = self.scene
        cells: tuple[str, ...] = ()
        if grid.rows_per_cell > 1:
            each = number(grid.rows_per_cell)
            cells = words("a cell: the busiest of {0} rows", each), words("{0} rows a cell", each)
        self._write(painter, self._rows_title, words("Rows now"), *cells)
        painter.setFont(self._plain)
        grid.paint(painter, now, scene.followed, scene.followed_lock)

    def _paint_buffers(self, painter: QPainter, now: Moment, picture: BufferPicture) -> None:
        self._write(painter, self._counts_title, words("Counts"))
        self._write(painter, self._buffers_title, words("Buffers"), *self._buffers_notes(now))
        painter.setFont(self._plain)
        picture.paint(painter, now)
        painter.setFont(self._plain)
        painter.setPen(self.scene.colours.text)
        middle = picture.dw.united(picture.db).center().y()
        painter.drawText(
            QRectF(
                picture.gauge.left(), middle - self._line / 2, picture.gauge.width(), self._line
            ),
            RIGHT,
            "dw, db",
        )

    def hit(self, position: QPointF) -> Hit:
        grid, picture = self._grid, self._picture
        if grid is not None:
            row = grid.row_at(position)
            if row is not None:
                return Hit(row=row, lock=int(self.scene.timeline.lock[row]))
        if picture is not None:
            lock, tile = picture.buffer_at(position), picture.tile_at(position)
            if tile is not None or lock is not None:
                return Hit(lock=lock, tile=tile)
        if self.overview.area.adjusted(0, -HANDLE, 0, GRID).contains(position):
            return Hit(time_ns=self.overview.axis.time(position.x()), whole=True)
        return self.waterfall.hit(position)

    def _write(self, painter: QPainter, room: QRectF, title: str, *notes: str) -> None:
        """A title, and beside it the first of the notes that is not cut; nothing where the title
        would be.
        """
        left = room.width() - self._bold_metrics.horizontalAdvance(title)
        if left < 0:
            return
        painter.setFont(self._bold)
        painter.setPen(self.scene.colours.text)
        painter.drawText(room, LEFT, title)
        left -= GRID
        note = next((note for note in notes if self._metrics.horizontalAdvance(note) <= left), "")
        painter.setFont(self._plain)
        painter.setPen(self.scene.colours.muted)
        painter.drawText(room, RIGHT, note)

    def _buffers_notes(self, now: Moment) -> tuple[str, str]:
        tiles = self.scene.timeline.tile_start_ns
        if tiles.size and now.time_ns >= int(tiles.min()):
            done = number(int((now.tile_progress >= 1).sum())), number(tiles.size)
            return words("tiles summed {0} of {1}", *done), "{} / {}".format(*done)
        written = number(int((now.added > 0).sum())), number(now.added.size)
        return words("buffers written {0} of {1}", *written), "{} / {}".format(*written)

    def _legend_places(self, width: float, *, low: bool) -> dict[RowState, QRectF]:
        """Of each state's swatch and text in a line; the numbers have room to grow.

        Where there is no room for all of them, those of rows that are not on the GPU are left out,
        then the first ones.
        """
        size, gap, phases = (
            self._line * _SWATCH,
            self._metrics.horizontalAdvance("00"),
            self.scene.timeline.phases,
        )
        states = states_of(phases)
        wanted = {}
        for state in states:
            most = (
                self.scene.timeline.m
                if state in (RowState.PENDING, RowState.DONE)
                else self.overview.most
            )
            wanted[state] = (
                size
                + self._metrics.horizontalAdvance(f" {number(most)} {short_state(state, phases)}")
                + gap
            )
        choices = [] if low else [states, states[1:]]
        choices += [states[first:-1] for first in range(1, len(states) - 1)]
        chosen = next(
            (some for some in choices if sum(map(wanted.__getitem__, some)) <= width + gap),
            choices[-1],
        )
        places, left = {}, 0.0
        for state in chosen:
            places[state] = QRectF(left, 0.0, wanted[state], self._line)
            left += wanted[state]
        return places

    def _paint_legend(self, painter: QPainter, now: Moment) -> None:
        colours, counts = (
            self.scene.colours,
            np.bincount(now.state, minlength=len(RowState)).tolist(),
        )
        size = self._line * _SWATCH
        painter.setFont(self._plain)
        for state, place in self._legend.items():
            box = QRectF(place.left(), place.center().y() - size / 2, size, size)
            for part, colour in enumerate(self._swatches[state]):
                painter.fillRect(
                    QRectF(box.left() + part * size / 3, box.top(), size / 3, size), colour
                )
            # Some are nearly as dark as what is behind them.
            painter.setPen(colours.muted)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
            painter.setPen(colours.text)
            text = place.adjusted(size + GRID / 2, 0, 0, 0)
            painter.drawText(
                text,
                LEFT | Qt.TextFlag.TextDontClip,
                f"{number(counts[state])} {short_state(state, self.scene.timeline.phases)}",
            )


Frame = NumberFrame | ScheduleFrame


def frame_of(scene: Scene) -> Frame:
    """Numbers where the shape is small and there is room to read them, else the schedule.

    Args:
        scene: what is shown, with its size and font.
    """
    timeline = scene.timeline
    if has_numbers(timeline):
        numbers = NumberFrame(scene)
        if numbers.legible:
            return numbers
    return ScheduleFrame(scene)
