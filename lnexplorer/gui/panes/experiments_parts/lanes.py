"""Strategies as lanes over time: those of the locks as they were traced, and for the others what they do instead."""

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.domain.experiments.findings import Strategies
from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.painter.colours import PictureColours
from lnexplorer.gui.painter.images import picture_of
from lnexplorer.gui.painter.lanes import lane_indices
from lnexplorer.gui.painter.timeline_index import TimelineIndex, timeline_index
from lnexplorer.gui.painter.wording import time_text
from lnexplorer.gui.style import mixed, with_text
from lnexplorer.gui.theme import BLUE, GRID, LIGHT, PROVIDER_COLOURS, Theme
from lnkernels.launch import CATALOGUE

LABEL_WIDTH = 12 * GRID
LANES_SHARE = 0.55  # of the height, for the strategy that has lanes
MOST_ROWS = 100_000  # of a timeline that is drawn here, in the time of an event


class StrategyLanes(QWidget):
    """One strip a strategy, in the colours of the reduction's picture."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: Strategies | None = None
        self._theme = LIGHT
        self._index: TimelineIndex | None = None
        self._picture: tuple[int, str, QImage] | None = None
        self.setMinimumHeight(16 * GRID)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_findings(self, found: Strategies) -> None:
        """Show other ones."""
        self._found, self._index, self._picture = found, None, None
        if found.timeline is not None and 0 < found.timeline.m <= MOST_ROWS:
            self._index = timeline_index(found.timeline)
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme, self._picture = theme, None
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Some lines of text high."""
        return QSize(80 * GRID, 22 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw a strip for each strategy."""
        del event
        if self._found is None:
            return
        painter = QPainter(self)
        others = [row.strategy for row in self._found.rows if row.strategy != "locked"]
        top = 0.0
        lanes = self.height() * LANES_SHARE if self._index is not None else self.height() / (len(others) + 1)
        self._paint_label(painter, "locked", QRectF(0, top, self.width(), lanes - GRID))
        self._paint_locks(painter, QRectF(with_text(LABEL_WIDTH), top, self.width() - with_text(LABEL_WIDTH), lanes - GRID))
        top += lanes
        height = (self.height() - top) / max(len(others), 1)
        for name in others:
            strip = QRectF(0, top, self.width(), height - GRID / 2)
            self._paint_label(painter, name, strip)
            self._paint_words(painter, name, strip.adjusted(with_text(LABEL_WIDTH), 0, 0, 0))
            top += height

    def _paint_label(self, painter: QPainter, name: str, strip: QRectF) -> None:
        painter.fillRect(QRectF(strip.left(), strip.top(), 4, strip.height()), QColor(PROVIDER_COLOURS.get(name, BLUE)))
        painter.setPen(QColor(self._theme.text))
        box = strip.adjusted(12, 0, 0, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, name)

    def _paint_locks(self, painter: QPainter, area: QRectF) -> None:
        if self._index is None:
            self._paint_words(painter, "locked", area)
            return
        timeline = self._index.timeline
        height = QFontMetricsF(self.font()).height()
        lanes = area.adjusted(0, 0, 0, -height)
        painter.drawImage(lanes, self._lanes(max(int(lanes.width()), 1)))
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, _described(timeline))

    def _lanes(self, width: int) -> QImage:
        if self._picture is None or self._picture[:2] != (width, self._theme.name):
            assert self._index is not None
            end = self._index.end_ns
            table = PictureColours(self._theme).lane_table(future=False)
            self._picture = (width, self._theme.name, picture_of(lane_indices(self._index, 0.0, end, width), table))
        return self._picture[2]

    def _paint_words(self, painter: QPainter, name: str, area: QRectF) -> None:
        painter.fillRect(area, QColor(mixed(self._theme.surface, PROVIDER_COLOURS.get(name, BLUE), 0.16)))
        painter.setPen(QColor(self._theme.text))
        text = domain_text(CATALOGUE[name].summary) if name in CATALOGUE else name
        box = area.adjusted(GRID, 0, -GRID, 0)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        metrics = QFontMetricsF(self.font())
        if box.height() < 2 * metrics.lineSpacing():
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(box, flags, text)
        else:
            painter.drawText(box, flags | Qt.TextFlag.TextWordWrap, text)


def _described(timeline: ReductionTimeline) -> str:
    if timeline.kind is Kind.INTERPRETED:
        return QCoreApplication.translate(
            "experiments", "{locks} locks, one line each: the order of the interpreter, no times"
        ).format(locks=int(timeline.lock.max()) + 1)
    text = QCoreApplication.translate(
        "experiments", "{locks} locks, one line each, over {time}: colour is held, grey is waited for"
    )
    return text.format(locks=int(timeline.lock.max()) + 1, time=time_text(timeline.end_ns))
