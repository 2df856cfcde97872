"""Scenes of timelines, and pictures of frames."""

from typing import Any

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont, QImage, QPainter

from lnexplorer.domain.timeline import moment
from lnexplorer.gui.kit.theme import DARK
from lnexplorer.gui.timeline.frame import PictureColours, Scene
from lnexplorer.gui.timeline.schedule_frame import Frame
from lnkernels.values.timeline import ReductionTimeline

COLOURS = PictureColours(DARK)


def scene(
    timeline: ReductionTimeline, width: float = 1000, height: float = 600, **changed: Any
) -> Scene:
    values = {"font": QFont(), "end_ns": timeline.end_ns * 1.01, **changed}
    return Scene(timeline=timeline, colours=COLOURS, size=QSizeF(width, height), **values)


def painted(frame: Frame, time_ns: float) -> QImage:
    """Paint a frame at a time, in its own size."""
    image = QImage(frame.scene.size.toSize(), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    frame.paint(painter, moment(frame.scene.timeline, time_ns))
    painter.end()
    return image
