"""What every kind of frame offers to the widget that shows it."""

from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QPointF, QSizeF
from PySide6.QtGui import QFont, QPainter

from lnexplorer.domain.ordered_sums import OrderedSums
from lnexplorer.gui.reduction.painter.colours import PictureColours
from lnexplorer.gui.reduction.painter.timeline_index import TimelineIndex, timeline_index
from lnkernels.values.accuracy import PartialRows
from lnkernels.values.timeline import ReductionTimeline


@dataclass(frozen=True, slots=True)
class Hit:
    """What is under a point; None where it is nothing of that kind."""

    row: int | None = None
    lock: int | None = None
    tile: int | None = None
    time_ns: float | None = None
    whole: bool = False  # the point is in the picture of the whole time


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Scene:
    """All that a frame is made from, but for the time."""

    timeline: ReductionTimeline
    colours: PictureColours
    size: QSizeF
    font: QFont
    begin_ns: float = 0.0  # the stretch that the lanes show, on the scale of the drawing
    end_ns: float = 1.0
    least_ns: float = 0.0  # the whole of the drawing is at least so long: for two beside each other
    followed: int | None = None  # a row
    followed_lock: int | None = None
    result: str = "dw"  # whose numbers are in the cells
    partial_rows: PartialRows | None = None
    sums: OrderedSums | None = None
    stored: bool = False  # the sums were read back from the buffers, not computed
    other_run: bool = False  # the totals of the partial rows are those of another run
    barrier: bool = True  # the launch had it
    buffer_dtype: str = "float32"  # what the buffers round to
    index: TimelineIndex | None = None  # of the timeline; made where it is not given

    @property
    def last_ns(self) -> float:
        """The end of the whole drawing, on its own scale."""
        return max(self.indexed().end_ns, self.least_ns)

    def indexed(self) -> TimelineIndex:
        return self.index if self.index is not None else timeline_index(self.timeline)


class Frame(Protocol):
    """A laid out scene."""

    def paint(self, painter: QPainter, time_ns: float) -> None:
        """Draw it at a time."""

    def follow(self, row: int | None, lock: int | None) -> None:
        """Mark another row and lock, or none."""

    def stretch(self, begin_ns: float, end_ns: float) -> None:
        """Show another stretch of the drawing's scale in the lanes."""

    def hit(self, position: QPointF) -> Hit:
        """What is at a point."""
