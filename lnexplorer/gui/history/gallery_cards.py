"""What a card of the gallery says and shows: words in the language of the window, and a small picture."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF

from lnexplorer.domain.experiments.words import TITLES
from lnexplorer.domain.sweep.curves import Curve
from lnexplorer.gui.charts.colour_bar import NOT_FINITE, STEPS, colour_table
from lnexplorer.gui.charts.theme import LOCK_COLOURS, TONES, Theme
from lnexplorer.gui.charts.throughput_chart import provider_colour
from lnexplorer.gui.history.gallery_files import Exhibit
from lnexplorer.gui.i18n.texts import domain_text, recording_title
from lnexplorer.gui.i18n.translate import translate_message
from lnexplorer.gui.reduction.painter.colours import PictureColours, draw_indices, mixed
from lnexplorer.gui.reduction.painter.lanes import lanes_picture
from lnexplorer.gui.reduction.painter.timeline_index import timeline_index
from lnkernels.values.environment import KIND_HELP, Kind
from lnkernels.values.timeline import ReductionTimeline

Lanes = NDArray[np.uint8]

SIZE = QSize(272, 104)  # of a picture at usual text
_MARGIN = 8
_BARS = {"group_size": (9, 6, 4, 2.6, 1.7, 1.2, 1), "order": (1, 2, 4, 7, 8, 6, 3, 1), "strategies": (9, 3, 5, 2)}


@dataclass(frozen=True, slots=True)
class Shown:
    """The words of one card."""

    title: str
    source: str  # GPU and date
    badge: str
    tone: str
    tip: str
    trouble: str = ""

    def holds(self, words: list[str]) -> bool:
        text = f"{self.title} {self.source} {self.badge} {self.tip} {self.trouble}".casefold()
        return all(word.casefold() in text for word in words)


def shown(exhibit: Exhibit) -> Shown:
    if exhibit.trouble:
        trouble = translate_message(exhibit.trouble)
        tip = f"{exhibit.path.name}\n{trouble}"
        badge = QCoreApplication.translate("gallery", "cannot be opened")
        return Shown(exhibit.title, "", badge, "bad", tip, trouble)
    title, source = exhibit.title, " · ".join(filter(None, (exhibit.gpu, exhibit.date[:10])))
    # The GPU has its own line.
    title = title.removesuffix(f", {exhibit.gpu}") if exhibit.gpu else title
    if exhibit.timeline is not None:
        # The heading says already which ones have all numbers.
        title = recording_title(title.replace(" with all numbers", "") if exhibit.group == "numbers" else title)
    if exhibit.experiment:
        title = QCoreApplication.translate("gallery", "{0}: {1}").format(translate_message(TITLES[exhibit.experiment]), title)
    elif exhibit.kind is Kind.PUBLISHED:
        title = QCoreApplication.translate("gallery", "Triton's documentation, backward: {0}").format(title)
        source = QCoreApplication.translate("gallery", "its GPU is not named")
    elif exhibit.sweep:
        title = QCoreApplication.translate("gallery", "Sweep: {0}").format(title)
    elif exhibit.group == "speeds":
        title = QCoreApplication.translate("gallery", "Benchmark over N: {0}").format(title)
    badge, tip = "", exhibit.path.name
    if exhibit.kind is not None:
        badge = domain_text(exhibit.kind.value)
        tip += f"\n{domain_text(KIND_HELP[exhibit.kind])}"
    return Shown(title, source, badge, TONES[exhibit.kind] if exhibit.kind else "accent", tip)


def group_title(group: str) -> str:
    texts = {
        "traces": QCoreApplication.translate("gallery", "Locks, recorded: by GROUP_SIZE_M"),
        "numbers": QCoreApplication.translate("gallery", "Small problems, with every number"),
        "speeds": QCoreApplication.translate("gallery", "Benchmarks and sweeps"),
        "experiments": QCoreApplication.translate("gallery", "Experiments"),
        "damaged": QCoreApplication.translate("gallery", "Files that cannot be opened"),
    }
    return texts[group]


def lanes_of(timeline: ReductionTimeline, size: QSize = SIZE) -> Lanes:
    """Who holds each lock when, then the tiles of stage 2: indices of the lane table [height, width].

    For any thread.
    """
    index = timeline_index(timeline)
    # The end on the scale of the drawing, which leaves out a pause between the stages.
    return lanes_picture(index, 0.0, max(index.end_ns, 1.0), size.width(), size.height())


def picture(theme: Theme, size: QSize, ratio: float, exhibit: Exhibit, lanes: Lanes | None) -> QPixmap:
    """A card's picture of what there is; that of a file which cannot be opened is a ring with a stroke through it."""
    found = QPixmap(size * ratio)
    found.setDevicePixelRatio(ratio)
    colours = PictureColours(theme)
    found.fill(colours.surface)
    painter = QPainter(found)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    area = QRectF(0, 0, size.width(), size.height())
    if lanes is not None:
        draw_indices(painter, area, lanes, colours.lane_table(future=False))
    elif exhibit.curves:
        _draw_curves(painter, area, exhibit.curves, colours)
    elif exhibit.grid is not None:
        _draw_grid(painter, area, exhibit.grid, colours)
    elif exhibit.experiment == "barrier":
        _draw_barrier(painter, area, colours)
    elif exhibit.experiment:
        _draw_bars(painter, area, _BARS[exhibit.experiment], colours)
    else:
        painter.setPen(QPen(QColor(theme.bad), 2))
        middle, reach = area.center(), area.height() / 4
        painter.drawEllipse(middle, reach, reach)
        painter.drawLine(middle + QPointF(-reach, reach) * 0.7, middle + QPointF(reach, -reach) * 0.7)
    painter.end()
    return found


def _draw_curves(painter: QPainter, area: QRectF, curves: Sequence[Curve], colours: PictureColours) -> None:
    inside = area.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    low, high = min(min(curve.x) for curve in curves), max(max(curve.x) for curve in curves)
    top = max(max(curve.y) for curve in curves) or 1.0
    painter.setPen(QPen(colours.line, 1))
    painter.drawLine(inside.bottomLeft(), inside.bottomRight())
    for curve in curves:
        colour = QColor(provider_colour(curve.provider))
        points = [
            QPointF(
                inside.left() + (x - low) / max(high - low, 1.0) * inside.width(), inside.bottom() - y / top * inside.height()
            )
            for x, y in zip(curve.x, curve.y, strict=True)
        ]
        painter.setPen(QPen(colour, 2))
        painter.drawPolyline(QPolygonF(points))
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        for point in points if len(points) < SIZE.width() // 16 else ():
            painter.drawEllipse(point, 2.5, 2.5)


def _draw_grid(painter: QPainter, area: QRectF, grid: NDArray[np.float64], colours: PictureColours) -> None:
    """A cell for each value, the first row at the bottom; what has none is as a line is."""
    steps = np.where(np.isfinite(grid), np.round(np.nan_to_num(grid) * (STEPS - 1)), NOT_FINITE).astype(np.uint8)
    table = [QColor(*colour) for colour in colour_table(colours.line.name()).tolist()]
    argb = np.array([colour.rgb() for colour in table], np.uint32)
    draw_indices(painter, area.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN), steps[::-1], argb)


def _draw_bars(painter: QPainter, area: QRectF, heights: Sequence[float], colours: PictureColours) -> None:
    """A sign, not a chart: paler than figures are."""
    inside = area.adjusted(area.width() / 4, 2 * _MARGIN, -area.width() / 4, -2 * _MARGIN)
    step = inside.width() / len(heights)
    painter.setPen(Qt.PenStyle.NoPen)
    for number, height in enumerate(heights):
        painter.setBrush(mixed(colours.surface, colours.accent, 0.6))
        tall = inside.height() * height / max(heights)
        painter.drawRoundedRect(QRectF(inside.left() + number * step, inside.bottom() - tall, step * 0.7, tall), 2, 2)


def _draw_barrier(painter: QPainter, area: QRectF, colours: PictureColours) -> None:
    """Threads that arrive at a line: with a gap in it two of them run through."""
    middle, step = area.center().x(), area.height() / 8
    for number in range(6):
        y, through = area.top() + (number + 1.5) * step, number in (2, 3)
        painter.setPen(QPen(mixed(colours.surface, QColor(LOCK_COLOURS[number]), 0.7), 3))
        painter.drawLine(QPointF(area.width() * 0.25, y), QPointF(area.width() * 0.75 if through else middle - 6, y))
        if not through:
            painter.setPen(QPen(colours.text, 3))
            painter.drawLine(QPointF(middle, y - step / 2), QPointF(middle, y + step / 2))
