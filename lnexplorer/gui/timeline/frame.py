"""Input of a picture of the reduction: its colours, a scene with the numbers of its cells; and what
is under a point.
"""

from dataclasses import replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from lnexplorer.domain.ordered_sums import OrderedSums, ordered_sums, recorded_sums
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import RowState
from lnexplorer.gui.kit import LOCK_COLOURS, RESULT_COLOURS, Theme, mixed
from lnkernels.values import frozen, frozen_by_name
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.timeline import Floats, ReductionTimeline

ColourTable = NDArray[np.uint32]
Pixels = NDArray[np.uint8]  # indices of a colour table


def colour_table(colours: list[QColor], background: QColor) -> ColourTable:
    """Return a table of 256 colours, filled up with the background."""
    return np.array(
        [colour.rgb() for colour in colours] + [background.rgb()] * (256 - len(colours)), np.uint32
    )


def draw_indices(painter: QPainter, area: QRectF, indices: Pixels, table: ColourTable) -> None:
    """Fill an area with a picture of indices, a crisp cell for each."""
    if indices.size and area.width() > 0 and area.height() > 0:
        painter.drawImage(area, picture_of(indices, table))


def picture_of(indices: Pixels, table: ColourTable) -> QImage:
    """Make a picture of indices. The table is applied here, once for each index; a picture drawn
    with its table would have it applied for each pixel.
    """
    indices = np.ascontiguousarray(indices)
    height, width = indices.shape
    image = QImage(indices.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable(table.tolist())
    return image.convertToFormat(QImage.Format.Format_RGB32)


HUES = len(LOCK_COLOURS)
FILL_LEVELS = 16  # of a buffer: 0 nothing written, then the share of its rows, 15 being added to
BACKGROUND = 255  # index of the surface, in the tables that have one
# Indices of the lane table.
COMPUTING, QUEUED, TRYING, HOLDING, TILE = 1, 2, 3, 4, 5
HELD, TRIED, OVER, HEAT = 8, 16, 24, 32
LEVELS = 24  # of heat
GREY = HUES - 1  # the hue of what is no single lock's


def legible_on(background: QColor) -> QColor:
    """Return black or white, whichever stands out more."""
    light = 0.299 * background.redF() + 0.587 * background.greenF() + 0.114 * background.blueF()
    return QColor("#0d0f12") if light > 0.5 else QColor("#ffffff")


class PictureColours:
    """Colours of a theme: a row is grey before it holds its lock, and has the lock's colour from
    then on.
    """

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.surface = QColor(theme.surface)
        self.text = QColor(theme.text)
        self.muted = QColor(theme.muted)
        self.line = QColor(theme.line)  # rules and frames
        self.accent = QColor(theme.accent)  # the playhead, and the row that is followed

    def lock(self, lock: int) -> QColor:
        return QColor(LOCK_COLOURS[lock % HUES])

    def result(self, name: str) -> QColor:
        return QColor(RESULT_COLOURS[name])

    def state(self, state: RowState, lock: int = 0) -> QColor:
        match state:
            case RowState.PENDING:
                return mixed(self.surface, self.line, 0.55)
            case RowState.COMPUTING:
                return mixed(self.surface, self.muted, 0.42)
            case RowState.QUEUED:  # most of a picture: calm, and of its lock's hue
                strong = 0.72 if self.theme.name == "dark" else 0.55
                return mixed(mixed(self.surface, self.text, strong), self.lock(lock), 0.35)
            case RowState.TRYING:
                return mixed(self.text, self.lock(lock), 0.5)
            case RowState.HOLDING:
                return self.lock(lock)
            case RowState.DONE:
                return mixed(self.surface, self.lock(lock), 0.42)

    @cached_property
    def row_table(self) -> ColourTable:
        """Table by state · HUES + hue of the lock; the background last."""
        return colour_table(
            [self.state(state, hue) for state in RowState for hue in range(HUES)], self.surface
        )

    @cached_property
    def buffer_table(self) -> ColourTable:
        """Table by hue · FILL_LEVELS + level, and again for what stage 2 has read; no background,
        all 256 are taken.
        """
        fills = [self._fill(hue, level) for hue in range(HUES) for level in range(FILL_LEVELS)]
        read = [mixed(fill, self.surface, 0.72) for fill in fills]
        return colour_table(fills + read, self.surface)

    def _fill(self, hue: int, level: int) -> QColor:
        if level == 0:
            return self.state(RowState.PENDING)
        if level == FILL_LEVELS - 1:
            return mixed(self.surface, self.lock(hue), 0.8)
        return mixed(self.surface, self.lock(hue), 0.08 + 0.36 * level / (FILL_LEVELS - 2))

    def result_table(self, name: str) -> ColourTable:
        """Return a table of the progress of a sum in FILL_LEVELS steps."""
        empty, full = self.state(RowState.PENDING), self.result(name)
        last = FILL_LEVELS - 1
        table = [mixed(empty, full, 0.6 * level / last) for level in range(last)]
        return colour_table([*table, full], self.surface)

    @cached_property
    def lane_table(self) -> ColourTable:
        """Table of the lanes: 0 nothing, 1 computing, 2 queued, 3 trying, 4 holding, 5 a tile; from
        HELD on held, from TRIED on tried and from OVER on done, by hue; from HEAT on how many rows
        queue, hue · LEVELS + level: 0 none, LEVELS - 1 the most.
        """
        table = [
            self.surface,
            self.state(RowState.COMPUTING),
            self.state(RowState.QUEUED, GREY),
            mixed(self.text, self.accent, 0.5),
            self.accent,
            self.result("dw"),
            self.surface,
            self.surface,
            *(self.lock(hue) for hue in range(HUES)),
            *(self.state(RowState.TRYING, hue) for hue in range(HUES)),
            *(self.over(hue) for hue in range(HUES)),
            *(shade for hue in range(HUES) for shade in self.heats(hue)),
        ]
        return colour_table(table, self.surface)

    def over(self, hue: int) -> QColor:
        """Return the colour behind the rows of a lock that are done."""
        return mixed(self.surface, self.lock(hue), 0.16)

    def heats(self, hue: int) -> list[QColor]:
        """Return the colours by how many rows queue, in LEVELS steps: from the lock's colour,
        faint, to that of queued rows.
        """
        none, most = mixed(self.surface, self.lock(hue), 0.4), self.state(RowState.QUEUED, hue)
        return [mixed(none, most, level / (LEVELS - 1)) for level in range(LEVELS)]


picture_colours = cache(PictureColours)  # of a theme: their tables take a while to make


def draw_padlock(
    painter: QPainter, area: QRectF, closed: bool, colour: QColor, open_colour: QColor
) -> None:
    line, lift = (colour, 0.0) if closed else (open_colour, 0.12)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(area.topLeft())
    painter.scale(area.width(), area.width())
    painter.setPen(QPen(line, 0.11, c=Qt.PenCapStyle.RoundCap))
    painter.drawArc(QRectF(0.3, 0.16 - lift, 0.4, 0.44), 0, 180 * 16)
    painter.drawLine(QPointF(0.3, 0.38 - lift), QPointF(0.3, 0.48))
    painter.drawLine(QPointF(0.7, 0.38 - lift), QPointF(0.7, 0.48 - 2 * lift))
    painter.setBrush(colour if closed else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(0.18, 0.48, 0.64, 0.44), 0.06, 0.06)
    painter.restore()


# The rows of each lock, of each SM, or all together, in the order of their starts.
GROUPINGS = ("lock", "sm", "start")


@frozen
class Hit:
    """Result of a hit test; None where there is nothing of that kind."""

    row: int | None = None
    lock: int | None = None
    tile: int | None = None
    time_ns: float | None = None
    whole: bool = False  # the point is in the picture of the whole time


@frozen_by_name(eq=False)
class CellNumbers:
    """Partial sums of each row, and the buffers after it; None where they are not known."""

    rows: PartialRows | None = None
    sums: OrderedSums | None = None
    buffer_dtype: str = "float32"  # what the buffers round to
    stored: bool = False  # read back from the buffers while the kernel ran
    other_run: bool = False  # the totals of the rows are those of another run, in another order


def cell_numbers(
    timeline: ReductionTimeline, partial_rows: PartialRows | None, request: ResolvedRequest
) -> CellNumbers:
    """Return the numbers for a timeline.

    Args:
        timeline: what is shown.
        partial_rows: of the run on show; left aside where they are not of the timeline's shape.
        request: the launch.
    """
    if partial_rows is not None and partial_rows.dw.shape != (timeline.m, timeline.n):
        partial_rows = None
    traced = timeline.sums
    if traced is not None:
        rows = PartialRows(
            dw=traced.row_dw,
            db=traced.row_db,
            dw_total=traced.dw if partial_rows is None else partial_rows.dw_total,
            db_total=traced.db if partial_rows is None else partial_rows.db_total,
        )
        return CellNumbers(
            rows=rows,
            sums=recorded_sums(timeline),
            buffer_dtype=traced.partial_dtype,
            stored=True,
            other_run=partial_rows is not None,
        )
    dtype = request.buffer_dtype
    sums = None if partial_rows is None else ordered_sums(partial_rows, timeline, dtype)
    return CellNumbers(rows=partial_rows, sums=sums, buffer_dtype=dtype)


_CLOSEST_NS = 200.0  # the shortest stretch of time
_FEWEST_ROWS = 8  # that a picture is zoomed to


@frozen_by_name(eq=False)
class Scene:
    """Input of a picture, except for the time."""

    timeline: ReductionTimeline
    colours: PictureColours
    size: QSizeF
    font: QFont
    begin_ns: float = 0.0  # the stretch that the waterfall shows
    end_ns: float = 1.0
    top: float = 0.0  # the part of the rows that it shows, from 0 to 1
    bottom: float = 1.0
    grouping: str = "lock"  # one of GROUPINGS
    least_ns: float = 0.0  # the time axis is at least so long: for two pictures beside each other
    followed: int | None = None  # a row
    followed_lock: int | None = None
    result: str = "dw"  # whose numbers are in the cells
    numbers: CellNumbers = CellNumbers()
    atomic_count: bool = True  # the launch had it

    @property
    def partial_rows(self) -> Floats | None:
        """Partial sums of each row for the chosen result."""
        return getattr(self.numbers.rows, self.result, None)

    @property
    def sums_after(self) -> Floats | None:
        """Contents of the buffer of each row after it."""
        return getattr(self.numbers.sums, f"{self.result}_after", None)

    @property
    def last_ns(self) -> float:
        """End of the time axis when all of it is shown."""
        return max(self.timeline.end_ns * 1.01, self.least_ns, 1.0)

    @property
    def shown(self) -> tuple[float, float, float, float]:
        """Begin and end of the stretch in ns, and of the part of the rows, from 0 to 1."""
        return self.begin_ns, self.end_ns, self.top, self.bottom

    @property
    def length_ns(self) -> float:
        """Length of the stretch that is shown."""
        return self.end_ns - self.begin_ns

    @property
    def share(self) -> float:
        """Share of the rows that is shown."""
        return self.bottom - self.top

    @property
    def least_share(self) -> float:
        """Smallest share of the rows to zoom to."""
        return min(_FEWEST_ROWS / max(self.timeline.m, 1), 1.0)

    def possible_length(self, length_ns: float) -> float:
        """Return a length of time to show, clipped to what can be."""
        return min(max(length_ns, _CLOSEST_NS), self.last_ns)

    @property
    def zoomed(self) -> bool:
        return self.length_ns < self.last_ns or self.share < 1

    def whole(self) -> "Scene":
        """Return the scene with all of its time and rows."""
        return replace(self, begin_ns=0.0, end_ns=self.last_ns, top=0.0, bottom=1.0)

    def part(
        self,
        begin_ns: float,
        length_ns: float | None = None,
        top: float | None = None,
        share: float | None = None,
    ) -> "Scene":
        """Return the scene at another part of time and rows, clipped to what there is and to how
        close one may look; as long, or as high, as now if that is not given.
        """
        length_ns = self.possible_length(self.length_ns if length_ns is None else length_ns)
        share = min(max(self.share if share is None else share, self.least_share), 1.0)
        begin = min(max(begin_ns, 0.0), self.last_ns - length_ns)
        top = min(max(self.top if top is None else top, 0.0), 1.0 - share)
        return replace(self, begin_ns=begin, end_ns=begin + length_ns, top=top, bottom=top + share)
