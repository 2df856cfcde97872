"""A frame for any shape: rows and locks, buffers and results, and time."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from lnexplorer.domain.timeline import Moment, RowState, buffers_read, locks_in_use
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.reduction.painter.colours import FILL_LEVELS, HUES, PictureColours, draw_indices
from lnexplorer.gui.reduction.painter.frame import Hit, Scene
from lnexplorer.gui.reduction.painter.lanes import HANDLE, TimelineStrip
from lnexplorer.gui.reduction.painter.number_frame import NumberFrame, has_numbers
from lnexplorer.gui.reduction.painter.row_grid import RowGrid
from lnexplorer.gui.reduction.painter.wording import number, short_state, time_text, words
from lnkernels.values.timeline import ReductionTimeline

_MOST_COLUMNS = 512  # of the picture; more tiles than that share one


class BufferPicture:
    """Stage 1 fills lines from the side; stage 2 reads them downwards, a tile of columns each program."""

    def __init__(
        self, timeline: ReductionTimeline, gauge: QRectF, buffers: QRectF, results: tuple[QRectF, QRectF], colours: PictureColours
    ) -> None:
        self.gauge, self.buffers = gauge, buffers
        self.dw, self.db = results
        self._timeline, self._colours = timeline, colours
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
        bars = np.where(self._step < share[:, None], self._hue[:, None] + np.uint8(FILL_LEVELS - 1), self._hue[:, None])
        draw_indices(painter, self.gauge, bars, self._colours.buffer_table)
        draw_indices(painter, self.buffers, picture.astype(np.uint8), self._colours.buffer_table)
        progress = np.floor(now.tile_progress[self._first_tile] * (FILL_LEVELS - 1)).astype(np.uint8)[None, :]
        draw_indices(painter, self.dw, progress, self._tables["dw"])
        draw_indices(painter, self.db, progress, self._tables["db"])

    def buffer_at(self, position: QPointF) -> int | None:
        if not (self.buffers.contains(position) or self.gauge.contains(position)) or self._locks == 0:
            return None
        share = (position.y() - self.buffers.top()) / self.buffers.height()
        return min(int(share * self._locks), self._locks - 1)

    def tile_at(self, position: QPointF) -> int | None:
        tiles = self._timeline.tile_start_ns.size
        area = self.buffers.united(self.dw).united(self.db)
        if not area.contains(position) or tiles == 0:
            return None
        return min(int((position.x() - area.left()) / area.width() * tiles), tiles - 1)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_SWATCH = 14.0  # px at least
_LOW = 320.0  # px; a lower frame needs the room of the programs' title for the rows


class ScheduleFrame:
    """Above, what is so now: rows on the left, buffers and sums on the right. Below, how it came and goes on."""

    def __init__(self, scene: Scene, ratio: float) -> None:
        self.scene = scene
        self._plain, self._bold = QFont(scene.font), QFont(scene.font)
        self._bold.setBold(True)
        line = self._line = QFontMetricsF(scene.font).height()
        width, height = scene.size.width(), scene.size.height()
        title, gap = line + GRID / 2, 2.0 * GRID
        programs_height = max(min(height * 0.13, 140.0), 20.0)
        lanes_height = max(min(height * 0.23, 300.0), 28.0)
        programs_title = title if height >= _LOW else 0.0
        below = title + programs_title + 2 * HANDLE + lanes_height + GRID / 2 + programs_height + line + GRID / 2
        above = height - below - title - GRID
        split = round(width * 0.58)
        self._rows_title = QRectF(0, 0, split - gap, title)
        self._grid = RowGrid(scene.timeline, QRectF(0, title, split - gap, above), scene.colours, ratio)
        gauge_width = round((width - split) * 0.22)
        left = split + gauge_width + QFontMetricsF(scene.font).horizontalAdvance("dw") + 1.5 * GRID
        strip = round(max(min(line, above / 7), 6.0))
        results_top = title + above - 2 * strip - GRID / 2
        self._gauge_title = QRectF(split, 0, left - split - GRID / 2, title)
        self._buffers_title = QRectF(left, 0, width - left, title)
        self._picture = BufferPicture(
            scene.timeline,
            QRectF(split, title, gauge_width, results_top - GRID - title),
            QRectF(left, title, width - left, results_top - GRID - title),
            (
                QRectF(left, results_top, width - left, strip),
                QRectF(left, results_top + strip + GRID / 2, width - left, strip),
            ),
            scene.colours,
        )
        top = height - below
        # The playhead's handle has a space of its own below the words.
        lanes = QRectF(0, top + title + HANDLE, width, lanes_height)
        self._programs_title = QRectF(0, lanes.bottom() + GRID / 2, width, programs_title)
        programs = QRectF(0, self._programs_title.bottom() + HANDLE, width, programs_height)
        self._strip = TimelineStrip(scene, lanes, programs)
        self._legend = self._legend_places(QRectF(0, top, width, title))
        legend_end = self._legend[RowState.DONE].right() + 2 * GRID
        self._lanes_title = QRectF(legend_end, top, max(width - legend_end, 0.0), title)

    def update(self, scene: Scene) -> None:
        """Show another stretch, or mark another row or lock; nothing is laid out again but the lanes."""
        self.scene = scene
        self._strip.update(scene)

    def paint(self, painter: QPainter, now: Moment) -> None:
        scene = self.scene
        painter.fillRect(QRectF(QPointF(0, 0), scene.size), scene.colours.surface)
        self._write_titles(painter, now)
        self._paint_legend(painter, now)
        painter.setFont(self._plain)
        self._grid.paint(painter, now, scene.followed, scene.followed_lock)
        self._picture.paint(painter, now)
        self._strip.paint(painter, now.time_ns)

    def hit(self, position: QPointF) -> Hit:
        row, lock = self._grid.row_at(position), self._grid.lock_at(position)
        if row is not None:
            return Hit(row=row, lock=int(self.scene.timeline.lock[row]))
        if lock is not None:
            return Hit(lock=lock)
        lock, tile = self._picture.buffer_at(position), self._picture.tile_at(position)
        if tile is not None:
            return Hit(lock=lock, tile=tile)
        return self._strip.hit(position)

    def _write_titles(self, painter: QPainter, now: Moment) -> None:
        colours, timeline = self.scene.colours, self.scene.timeline
        locks, rows, most = locks_in_use(timeline), number(timeline.m), number(self._strip.most)
        cells = words("a lock, then its rows · locks {0}, rows {1}", number(locks), rows)
        if self._grid.rows_per_cell > 1:
            cells = words("a cell: the busiest of {2} rows", locks, rows, number(self._grid.rows_per_cell))
        programs = words("full height {2} at once · rows {0} · tiles {1}", rows, number(timeline.tile_start_ns.size), most)
        titles = (
            (self._rows_title, words("Stage 1: rows of x"), cells),
            (self._gauge_title, words("Counts"), ""),
            (self._buffers_title, words("Buffers"), self._buffers_note(now)),
            (self._lanes_title, "", self._lanes_note()),
            (self._programs_title, words("Programs at work"), programs),
        )
        for area, title, note in titles:
            if area.isEmpty():
                continue
            painter.setFont(self._bold)
            painter.setPen(colours.text)
            painter.drawText(area, _LEFT, title)
            room = area.width() - QFontMetricsF(self._bold).horizontalAdvance(title) - GRID
            painter.setFont(self._plain)
            painter.setPen(colours.muted)
            painter.drawText(area, _RIGHT, QFontMetricsF(self._plain).elidedText(note, Qt.TextElideMode.ElideRight, room))
        painter.setPen(colours.text)
        for name, area in (("dw", self._picture.dw), ("db", self._picture.db)):
            box = QRectF(area.left() - 5 * GRID, area.top(), 5 * GRID - GRID / 2, area.height())
            painter.drawText(box, _RIGHT | Qt.TextFlag.TextDontClip, name)

    def _lanes_note(self) -> str:
        strip, timeline = self._strip, self.scene.timeline
        if strip.queue_lock is not None:
            return words("below: lock {0} and its queue, at most {1} rows", strip.queue_lock, number(strip.longest_queue))
        if strip.zoomed:
            times = (strip.axis.end_ns - strip.axis.begin_ns, strip.axis.begin_ns)
            return words("{0} of it, from {1} on", *(time_text(time_ns, counted=timeline.counted) for time_ns in times))
        return words("coloured: held; pale: tried; grey: rows queue; then stage 2")

    def _buffers_note(self, now: Moment) -> str:
        tiles = self.scene.timeline.tile_start_ns
        if tiles.size and now.time_ns >= int(tiles.min()):
            return words("tiles summed {0} of {1}", number(int((now.tile_progress >= 1).sum())), number(tiles.size))
        return words("buffers written {0} of {1}", number(int((now.added > 0).sum())), number(now.added.size))

    def _legend_places(self, line: QRectF) -> dict[RowState, QRectF]:
        """Of each state's swatch and text; the number in it has room to grow."""
        metrics, rows = QFontMetricsF(self._plain), number(self.scene.timeline.m)
        most, places, left = line.width() / len(RowState), {}, line.left()
        for state in RowState:
            wanted = max(_SWATCH, self._line) + GRID / 2 + metrics.horizontalAdvance(f"{rows} {short_state(state)}") + GRID
            places[state] = QRectF(left, line.top(), min(wanted, most), line.height())
            left = places[state].right()
        return places

    def _paint_legend(self, painter: QPainter, now: Moment) -> None:
        colours, counts = self.scene.colours, np.bincount(now.state, minlength=len(RowState)).tolist()
        size = max(_SWATCH, 0.62 * self._line)
        painter.setFont(self._plain)
        for state, place in self._legend.items():
            box = QRectF(place.left(), place.center().y() - size / 2, size, size)
            own = state in (RowState.TRYING, RowState.HOLDING, RowState.DONE)  # colours of its locks
            for part in range(3):
                piece = QRectF(box.left() + part * size / 3, box.top(), size / 3, size)
                painter.fillRect(piece, colours.state(state, part if own else 0))
            # Some are nearly as dark as what is behind them.
            painter.setPen(colours.muted)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
            text = place.adjusted(size + GRID / 2, 0, 0, 0)
            shown = f"{number(counts[state])} {short_state(state)}"
            painter.setPen(colours.text)
            painter.drawText(
                text, _LEFT, QFontMetricsF(self._plain).elidedText(shown, Qt.TextElideMode.ElideRight, text.width() - GRID / 2)
            )


Frame = NumberFrame | ScheduleFrame


def frame_of(scene: Scene, ratio: float) -> Frame:
    """Numbers where the shape is small and there is room to read them, else the schedule.

    Args:
        scene: what is shown, with its size and font.
        ratio: device pixels a pixel.
    """
    timeline = scene.timeline
    if has_numbers(timeline.m, timeline.n, timeline.group_size_m):
        numbers = NumberFrame(scene)
        if numbers.legible:
            return numbers
    return ScheduleFrame(scene, ratio)
