"""A frame for any shape: rows and locks, buffers and results, and time."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QImage, QPainter

from lnexplorer.domain.moments import Moment, RowState, buffers_read, locks_in_use
from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.reduction.painter.colours import FILL_LEVELS, HUES, PictureColours, draw_indices
from lnexplorer.gui.reduction.painter.frame import Frame, Hit, Scene
from lnexplorer.gui.reduction.painter.lanes import TimelineStrip
from lnexplorer.gui.reduction.painter.number_frame import NumberFrame, has_numbers
from lnexplorer.gui.reduction.painter.row_grid import RowGrid
from lnexplorer.gui.reduction.painter.time_axis import HANDLE
from lnexplorer.gui.reduction.painter.wording import (
    fitting,
    lanes_notes,
    number,
    programs_notes,
    queue_notes,
    rows_notes,
    short_state,
    stretch_notes,
    tiles_notes,
    words,
    written_notes,
)
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
_SMALLEST_LEGEND = 9  # px of its letters
_SHORT = 400.0  # px; a frame this low has the legend in the line of the lanes' title
_SWATCH, _SWATCH_OF_LINE = 14.0, 0.62  # px at least, of larger type a share
_BESIDE_OF_LINE = 0.22  # between a swatch and its text
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ScheduleFrame:
    """Above, what is so now: rows on the left, buffers and sums on the right. Below, how it came and goes on."""

    def __init__(self, scene: Scene, ratio: float) -> None:
        self._index = scene.index
        self._scene = scene
        self._line = QFontMetricsF(scene.font).height()
        width, height = scene.size.width(), scene.size.height()
        title, gap = self._line + GRID / 2, 2.0 * GRID
        self._short = height < _SHORT
        programs_height = max(min(height * (0.10 if self._short else 0.13), 140.0), 20.0)
        lanes_height = max(min(height * (0.20 if self._short else 0.23), 300.0), 28.0)
        below = title + HANDLE + lanes_height + GRID / 2 + title + HANDLE + programs_height + self._line + GRID / 2
        above = height - below - title - (0 if self._short else title + GRID) - GRID
        split = round(width * 0.58)
        self._rows_title = QRectF(0, 0, split - gap, title)
        self._grid = RowGrid(scene.timeline, QRectF(0, title, split - gap, above), scene.colours, ratio)
        gauge = QRectF(split, title, round((width - split) * 0.22), 0)
        left = gauge.right() + QFontMetricsF(scene.font).horizontalAdvance("dw") + 1.5 * GRID
        strip = round(max(min(self._line, above / 7), 6.0))
        results_top = title + above - 2 * strip - GRID / 2
        gauge.setBottom(results_top - GRID)
        self._gauge_title = QRectF(split, 0, left - split - GRID / 2, title)
        self._buffers_title = QRectF(left, 0, width - left, title)
        bold = QFont(scene.font)
        bold.setBold(True)
        self._bold = QFontMetricsF(bold)
        self._buffers_note = self._buffers_title.adjusted(self._bold.horizontalAdvance(_buffers_text()) + GRID, 0, 0, 0)
        self._picture = BufferPicture(
            scene.timeline,
            gauge,
            QRectF(left, title, width - left, results_top - GRID - title),
            (
                QRectF(left, results_top, width - left, strip),
                QRectF(left, results_top + strip + GRID / 2, width - left, strip),
            ),
            scene.colours,
        )
        top = height - below
        self._lanes_title = QRectF(0, top, width, title)
        self._legend = QRectF(0, title + above + GRID / 2, width, title)
        if self._short:
            self._legend = QRectF(0, top, width, title)
        self._legend_font = QFont(scene.font)
        self._places, spare = self._legend_places(0.0), 0.0
        if self._short:
            spare = width - self._places[RowState.DONE][1].right()
            self._places = self._legend_places(max(spare, 0.0))
        named = self._bold.horizontalAdvance(_lanes_text())
        # Where the legend leaves no room for the title, the legend is worth more.
        self._lanes_named = not self._short or spare >= named + GRID
        # The playhead's handle has a space of its own below the words.
        lanes = QRectF(0, top + title + HANDLE, width, lanes_height)
        self._programs_title = QRectF(0, lanes.bottom() + GRID / 2, width, title)
        programs = QRectF(0, self._programs_title.bottom() + HANDLE, width, programs_height)
        self._strip = TimelineStrip(scene, lanes, programs)
        self._ratio = ratio
        self._still = self._paint_still()

    def follow(self, row: int | None, lock: int | None) -> None:
        """Mark another row and lock; nothing is laid out again but the lanes and the queue below them."""
        self._scene = replace(self._scene, followed=row, followed_lock=lock)
        self._strip.follow(row, lock)
        self._still = self._paint_still()

    def stretch(self, begin_ns: float, end_ns: float) -> None:
        """Show another stretch in the lanes; nothing else is laid out again."""
        self._scene = replace(self._scene, begin_ns=begin_ns, end_ns=end_ns)
        self._strip.stretch(begin_ns, end_ns)
        self._still = self._paint_still()

    def paint(self, painter: QPainter, time_ns: float) -> None:
        now = self._index.moment(time_ns)
        painter.setFont(self._scene.font)
        painter.drawImage(0, 0, self._still)
        self._grid.paint(painter, now, self._scene.followed, self._scene.followed_lock)
        self._picture.paint(painter, now)
        self._strip.paint(painter, time_ns)
        painter.setPen(self._scene.colours.text)
        note = fitting(QFontMetricsF(self._scene.font), self._buffers_now(now), self._buffers_note.width())
        painter.drawText(self._buffers_note, _RIGHT, note)
        self._paint_legend(painter, time_ns)

    def hit(self, position: QPointF) -> Hit:
        row, lock = self._grid.row_at(position), self._grid.lock_at(position)
        if row is not None:
            return Hit(row=row, lock=int(self._scene.timeline.lock[row]))
        if lock is not None:
            return Hit(lock=lock)
        lock, tile = self._picture.buffer_at(position), self._picture.tile_at(position)
        if tile is not None:
            return Hit(lock=lock, tile=tile)
        return self._strip.hit(position)

    def _paint_still(self) -> QImage:
        scene, ratio = self._scene, self._ratio
        still = QImage((scene.size * ratio).toSize(), QImage.Format.Format_RGB32)
        still.setDevicePixelRatio(ratio)
        still.fill(scene.colours.surface)
        painter = QPainter(still)
        bold = QFont(scene.font)
        bold.setBold(True)
        timeline, locks = scene.timeline, locks_in_use(scene.timeline)
        titles = (
            (self._rows_title, words("Stage 1: rows of x"), rows_notes(timeline, locks, self._grid.rows_per_cell)),
            (self._gauge_title, words("Counts"), ()),
            (self._buffers_title, _buffers_text(), ()),
            (self._lanes_title, _lanes_text() if self._lanes_named else "", self._lanes_notes()),
            (self._programs_title, words("Programs at work"), programs_notes(timeline, self._strip.most)),
        )
        for area, title, notes in titles:
            painter.setFont(bold)
            painter.setPen(scene.colours.text)
            painter.drawText(area, _LEFT, title)
            painter.setFont(scene.font)
            painter.setPen(scene.colours.muted)
            room = area.width() - QFontMetricsF(bold).horizontalAdvance(title) - GRID
            painter.drawText(area, _RIGHT, fitting(QFontMetricsF(scene.font), notes, room))
        for name, area in (("dw", self._picture.dw), ("db", self._picture.db)):
            painter.setPen(scene.colours.text)
            box = QRectF(area.left() - 5 * GRID, area.top(), 5 * GRID - GRID / 2, area.height())
            painter.drawText(box, _RIGHT | Qt.TextFlag.TextDontClip, name)
        self._paint_swatches(painter)
        self._strip.paint_still(painter)
        painter.end()
        return still

    def _lanes_notes(self) -> tuple[str, ...]:
        if self._short:
            return ()
        if self._strip.queue is not None:
            return queue_notes(self._strip.queue.lock, self._strip.queue.most)
        if self._strip.zoomed:
            axis = self._strip.axis
            begin, end = (axis.scale.true(place) for place in (axis.begin_ns, axis.end_ns))
            return stretch_notes(self._scene.timeline, begin, end)
        return lanes_notes()

    def _buffers_now(self, now: Moment) -> tuple[str, ...]:
        timeline = self._scene.timeline
        if timeline.tile_start_ns.size and now.time_ns >= int(timeline.tile_start_ns.min()):
            return tiles_notes(int((now.tile_progress >= 1).sum()), now.tile_progress.size)
        return written_notes(int((now.added > 0).sum()), now.added.size)

    def _legend_places(self, left: float) -> dict[RowState, tuple[QRectF, QRectF, str]]:
        """Swatch, text and word of each state; the number before the word has room to grow.

        All of it fits, closer or smaller.
        """
        metrics, places = QFontMetricsF(self._legend_font), {}
        every, at_once = number(self._scene.timeline.m), number(min(self._index.at_once, self._scene.timeline.m))
        widest = {state: every if state in (RowState.PENDING, RowState.DONE) else at_once for state in RowState}
        swatch, width = min(self._line, max(_SWATCH, _SWATCH_OF_LINE * self._line)), self._legend.width()
        words, between = {state: short_state(state) for state in RowState}, max(GRID / 2, _BESIDE_OF_LINE * self._line)
        spaces = {state: metrics.horizontalAdvance(f"{widest[state]} {word}") for state, word in words.items()}
        parts = sum(swatch + between + space + 1 for space in spaces.values())
        gap = min(2 * GRID, (width - parts) / (len(words) - 1))
        pixels = QFontInfo(self._legend_font).pixelSize()
        if gap < GRID and pixels > _SMALLEST_LEGEND:
            self._legend_font.setPixelSize(pixels - 1)
            return self._legend_places(left)
        for state, word in words.items():
            box = QRectF(left, self._legend.center().y() - swatch / 2, swatch, swatch)
            text = QRectF(box.right() + between, self._legend.top(), spaces[state] + 1, self._legend.height())
            places[state] = (box, text, word)
            left = text.right() + max(gap, GRID / 2)
        return places

    def _paint_swatches(self, painter: QPainter) -> None:
        colours = self._scene.colours
        for state, (box, _, _) in self._places.items():
            if state in (RowState.HOLDING, RowState.DONE):
                for part in range(3):
                    piece = QRectF(box.left() + part * box.width() / 3, box.top(), box.width() / 3, box.height())
                    painter.fillRect(piece, colours.state(state, part))
            else:
                painter.fillRect(box, colours.state(state))
            # Some are nearly as dark as what is behind them.
            painter.setPen(colours.muted)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)

    def _paint_legend(self, painter: QPainter, time_ns: float) -> None:
        counts = self._index.counts(time_ns)
        painter.setFont(self._legend_font)
        for state, (_, text, word) in self._places.items():
            painter.drawText(text, _LEFT, f"{number(counts[state])} {word}")


def _lanes_text() -> str:
    return words("Each lock over time")


def _buffers_text() -> str:
    return words("Buffers")


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
