"""The partial sum buffers [G, N] by tiles of columns, and below them dw and db."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from lnexplorer.domain.moments import Moment, buffers_read, locks_in_use
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.reduction.painter.colours import FILL_LEVELS, HUES, PictureColours
from lnexplorer.gui.reduction.painter.images import draw_indices

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
        """Draw the buffers and the results as they are now."""
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
        """The buffer under a point."""
        if not (self.buffers.contains(position) or self.gauge.contains(position)) or self._locks == 0:
            return None
        share = (position.y() - self.buffers.top()) / self.buffers.height()
        return min(int(share * self._locks), self._locks - 1)

    def tile_at(self, position: QPointF) -> int | None:
        """The tile of columns under a point."""
        tiles = self._timeline.tile_start_ns.size
        area = self.buffers.united(self.dw).united(self.db)
        if not area.contains(position) or tiles == 0:
            return None
        return min(int((position.x() - area.left()) / area.width() * tiles), tiles - 1)
