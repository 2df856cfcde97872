"""What every kind of frame offers to the widget that shows it."""

from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QPointF, QSizeF
from PySide6.QtGui import QFont, QPainter

from lnexplorer.domain.ordered_sums import OrderedSums
from lnexplorer.domain.result import PartialRows
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.painter.colours import PictureColours


@dataclass(frozen=True, slots=True)
class Hit:
    """What is under a point; None where it is nothing of that kind."""

    row: int | None = None
    lock: int | None = None
    tile: int | None = None
    time_ns: float | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Scene:
    """All that a frame is made from, but for the time."""

    timeline: ReductionTimeline
    colours: PictureColours
    size: QSizeF
    font: QFont
    begin_ns: float = 0.0  # the stretch of time that the lanes show
    end_ns: float = 1.0
    followed: int | None = None
    result: str = "dw"  # whose numbers are in the cells
    partial_rows: PartialRows | None = None
    sums: OrderedSums | None = None


class Frame(Protocol):
    """A laid out scene."""

    def paint(self, painter: QPainter, time_ns: float) -> None:
        """Draw it at a time."""

    def hit(self, position: QPointF) -> Hit:
        """What is at a point."""
