"""Strategies over one time axis in one grammar: what programs of the same SMs do, strip by strip, and when stage 2
runs.
"""

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.domain.experiments.findings import Strategies
from lnexplorer.domain.moments import RowState
from lnexplorer.domain.timeline import shares
from lnexplorer.gui.charts.axes import linear_ticks
from lnexplorer.gui.charts.chart import Drawing
from lnexplorer.gui.charts.theme import BLUE, GRID, PROVIDER_COLOURS, Theme, mixed, with_text
from lnexplorer.gui.experiments.lane_picture import (
    ADDING,
    COMPUTING,
    NEXT_PIECE,
    STAGE2,
    WAITING,
    Doing,
    StrategyLanes,
    chosen_lanes,
    doing,
    lane_indices,
    stage2_indices,
)
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.reduction.painter.colours import ColourTable, PictureColours, colour_table, picture_of
from lnexplorer.gui.reduction.painter.wording import tick_text, time_text
from lnkernels.launch import CATALOGUE
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import StrategyTimeline

LABEL_WIDTH = 13 * GRID
BAND = 12  # px, of a strategy's colour with the gap to its name
STAGE2_HEIGHT = GRID
LOWEST_STRIP = 1.9  # lines of text, with the gap to the next
SWATCH = 12
MOST_ROWS = 100_000  # or slices of rows, of a timeline that is drawn here, in the time of an event


class LanesOfStrategies(Drawing):
    """A strip for each strategy that was traced, and a line of words for each that was not.

    Tells what is under the cursor.
    """

    hovered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: Strategies | None = None
        self._timelines: tuple[StrategyTimeline, ...] = ()
        self._pictures: tuple[tuple[int, int, str], list[tuple[QImage, QImage]]] | None = None
        self._lanes: tuple[StrategyLanes, ...] = ()
        self._sms = 0
        self._about: tuple[str, ...] = ()
        self.setMouseTracking(True)
        self.setMinimumHeight(with_text(16 * GRID))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def timelines(self) -> tuple[StrategyTimeline, ...]:
        """What is drawn, from the top."""
        return self._timelines

    def set_findings(self, found: Strategies) -> None:
        """Show other ones."""
        self._found, self._pictures, self._lanes = found, None, ()
        self._timelines = tuple(each for each in found.timelines() if 0 < each.m * each.slices <= MOST_ROWS)
        self.setAccessibleDescription("; ".join(map(_summary, self._timelines)))
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        self.theme, self._pictures = theme, None
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80 * GRID, with_text(34 * GRID))

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        if self._found is None:
            return
        painter = QPainter(self)
        line, words = self._line(), self._in_words()
        bottom = self.height() - line * len(words)
        if self._timelines:
            strips = self._strips()
            self._paint_legend(painter, QRectF(strips.left(), 0, strips.width(), line))
            self._paint_strips(painter, strips)
            self._paint_axis(painter, strips, line)
        else:
            bottom, line = 0.0, self.height() / max(len(words), 1)
        for place, name in enumerate(words):
            self._paint_words(painter, name, QRectF(0, bottom + place * line, self.width(), line - 2))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self.words_at(event.position()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit("")
        super().leaveEvent(event)

    def words_at(self, point: QPointF) -> str:
        """What the program at a point does, with its times; empty where there is none."""
        strips = self._strips()
        if not self._lanes or not strips.contains(point):
            return ""
        step, height = self._strip_height(strips)
        place = int((point.y() - strips.top()) // step)
        within = (point.y() - strips.top() - place * step) / (height - STAGE2_HEIGHT - 1)
        if place >= len(self._lanes) or not 0 <= within < 1:
            return ""
        lanes = self._lanes[place]
        time_ns = (point.x() - strips.left()) / strips.width() * self._end_ns()
        found = doing(lanes, int(within * lanes.count), time_ns)
        return "" if found is None else _doing_text(lanes.timeline, found)

    def _in_words(self) -> list[str]:
        """The strategies of which there are no lanes."""
        drawn = {timeline.strategy for timeline in self._timelines}
        return [row.strategy for row in self._found.rows if row.strategy not in drawn] if self._found else []

    def _line(self) -> float:
        return QFontMetricsF(self.font()).lineSpacing() + 2

    def legible_height(self) -> int:
        """Height in which every strip has a line of words; the caption has its lines above that."""
        strips = LOWEST_STRIP * len(self._timelines) + 2 if self._timelines else 0.0
        return round(self._line() * (strips + len(self._in_words()))) + 6

    def set_about(self, lines: tuple[str, ...]) -> None:
        """What the tooltip says beside the caption."""
        self._about = lines

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip("\n".join((*self._about, *self._captions())))
        return super().event(event)

    def _captions(self) -> tuple[str, ...]:
        if not self._timelines:
            return ()
        said = (_caption(self._timelines[0].kind is Kind.INTERPRETED, self._sms),)
        return (*said, _sharing()) if self._shares_rows() else said

    def _most_captions(self) -> int:
        return 1 + self._shares_rows()

    def _strips(self) -> QRectF:
        """Where the lanes of all strategies are, below the legend and above axis, caption and words."""
        line = self._line()
        high = self.height() - line * (2 + self._caption_rows() + len(self._in_words())) - 6
        left = self._label_width(high)
        return QRectF(left, line + 2, self.width() - left, high)

    def _caption_rows(self) -> int:
        """Lines of the caption that have room; where none has, it is in the tooltip."""
        spare = int((self.height() - self.legible_height() + 1) // self._line())
        return min(max(spare, 0), self._most_captions())

    def _label_width(self, high: float) -> float:
        """Room left of strips that are so high together: names above times, or both on one line where strips are low."""
        if not self._timelines or self._two_lines(high / len(self._timelines) - GRID):
            return with_text(LABEL_WIDTH)
        metrics = QFontMetricsF(self.font())
        names = max(metrics.horizontalAdvance(timeline.strategy) for timeline in self._timelines)
        times = max(metrics.horizontalAdvance(time_text(timeline.end_ns)) for timeline in self._timelines)
        return BAND + names + 2 * GRID + times + 1.5 * GRID

    def _two_lines(self, height: float) -> bool:
        return height >= 2 * QFontMetricsF(self.font()).lineSpacing()

    def _shares_rows(self) -> bool:
        """Whether programs of any strategy share rows, which a line of the caption says."""
        return any(timeline.slices > 1 for timeline in self._timelines)

    def _strip_height(self, strips: QRectF) -> tuple[float, int]:
        """From one strip to the next, and what of it is drawn on, line of stage 2 included."""
        step = strips.height() / len(self._timelines)
        return step, max(int(step) - GRID, 2 * STAGE2_HEIGHT)

    def _paint_strips(self, painter: QPainter, area: QRectF) -> None:
        step, height = self._strip_height(area)
        pictures = self._drawn(max(int(area.width()), 1), height - STAGE2_HEIGHT - 1)
        for place, (timeline, (stage1, stage2)) in enumerate(zip(self._timelines, pictures, strict=True)):
            top = area.top() + place * step
            self._paint_label(painter, timeline, QRectF(0, top, area.left() - GRID, height))
            painter.drawImage(QRectF(area.left(), top, area.width(), height - STAGE2_HEIGHT - 1), stage1)
            painter.drawImage(QRectF(area.left(), top + height - STAGE2_HEIGHT, area.width(), STAGE2_HEIGHT), stage2)
            painter.setPen(QColor(self.theme.line))
            painter.drawRect(QRectF(area.left(), top, area.width() - 1, height))

    def _paint_label(self, painter: QPainter, timeline: StrategyTimeline, strip: QRectF) -> None:
        name = timeline.strategy
        painter.fillRect(QRectF(strip.left(), strip.top(), 4, strip.height()), QColor(PROVIDER_COLOURS.get(name, BLUE)))
        line, above = QFontMetricsF(self.font()).lineSpacing(), self._two_lines(strip.height())
        high = 2 * line if above else line
        box = QRectF(strip.left() + BAND, strip.center().y() - high / 2, strip.width() - BAND, line)
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        painter.setPen(QColor(self.theme.text))
        painter.drawText(box, left | Qt.AlignmentFlag.AlignVCenter, name)
        if timeline.kind is not Kind.INTERPRETED:
            painter.setPen(QColor(self.theme.muted))
            time = box.translated(0, line) if above else box
            painter.drawText(time, (left if above else right) | Qt.AlignmentFlag.AlignVCenter, time_text(timeline.end_ns))

    def _paint_legend(self, painter: QPainter, area: QRectF) -> None:
        colours, metrics = self._colours(), QFontMetricsF(self.font())
        entries = (
            ((COMPUTING, NEXT_PIECE), QCoreApplication.translate("experiments", "computing, piece by piece")),
            ((WAITING,), QCoreApplication.translate("experiments", "waiting")),
            ((ADDING,), QCoreApplication.translate("experiments", "adding into memory")),
            ((STAGE2,), QCoreApplication.translate("experiments", "stage 2")),
        )
        wide = sum(SWATCH * len(shades) + metrics.horizontalAdvance(text) + 3 * GRID for shades, text in entries) - 2 * GRID
        x = max(min(area.left(), area.right() - wide), 0.0)  # above the strips, or from further left where it is long
        for shades, text in entries:
            for shade in shades:
                square = QRectF(x, area.center().y() - SWATCH / 2, SWATCH, SWATCH)
                painter.fillRect(square, QColor.fromRgb(int(colours[shade])))
                x += SWATCH
            painter.setPen(QColor(self.theme.muted))
            box = QRectF(x + GRID, area.top(), area.width(), area.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
            x += metrics.horizontalAdvance(text) + 3 * GRID

    def _paint_axis(self, painter: QPainter, strips: QRectF, line: float) -> None:
        interpreted = self._timelines[0].kind is Kind.INTERPRETED
        end = self._end_ns()
        painter.setPen(QPen(QColor(self.theme.muted)))
        for tick in linear_ticks(0.0, end, 8):
            x = strips.left() + tick / end * strips.width()
            text = f"{tick:g}" if interpreted else tick_text(tick)
            flags = Qt.AlignmentFlag.AlignTop | (Qt.AlignmentFlag.AlignLeft if tick == 0 else Qt.AlignmentFlag.AlignHCenter)
            box = QRectF(x if tick == 0 else x - 60, strips.bottom(), 120, line)
            if box.center().x() + 30 < strips.right() or tick == 0:
                painter.drawText(box, flags, text)
        metrics = QFontMetricsF(self.font())
        for place, text in enumerate(self._captions()[: self._caption_rows()], 1):
            box = QRectF(0, strips.bottom() + place * line, self.width(), line)
            words = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_words(self, painter: QPainter, name: str, strip: QRectF) -> None:
        colour = PROVIDER_COLOURS.get(name, BLUE)
        painter.fillRect(QRectF(0, strip.top(), 4, strip.height()), QColor(colour))
        painter.setPen(QColor(self.theme.text))
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(strip.adjusted(12, 0, 0, 0), flags, name)
        area = strip.adjusted(with_text(LABEL_WIDTH), 0, 0, 0)
        painter.fillRect(area, QColor(mixed(self.theme.surface, colour, 0.16)))
        text = domain_text(CATALOGUE[name].summary) if name in CATALOGUE else name
        box = area.adjusted(GRID, 0, -GRID, 0)
        metrics = QFontMetricsF(self.font())
        if box.height() < 2 * metrics.lineSpacing():
            painter.drawText(box, flags, metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width()))
        else:
            painter.drawText(box, flags | Qt.TextFlag.TextWordWrap, text)

    def _drawn(self, width: int, height: int) -> list[tuple[QImage, QImage]]:
        key = (width, height, self.theme.name)
        if self._pictures is None or self._pictures[0] != key:
            self._lanes, self._sms = chosen_lanes(self._timelines, height)
            self._pictures = (key, [self._picture(lanes, width) for lanes in self._lanes])
        return self._pictures[1]

    def _picture(self, lanes: StrategyLanes, width: int) -> tuple[QImage, QImage]:
        end, colours = self._end_ns(), self._colours()
        stage2 = stage2_indices(lanes.timeline, end, width)
        return picture_of(lane_indices(lanes, end, width), colours), picture_of(stage2, colours)

    def _colours(self) -> ColourTable:
        """By the indices of lane_picture."""
        own = PictureColours(self.theme)
        computing = own.state(RowState.COMPUTING)
        lighter = QColor(mixed(self.theme.surface, computing.name(), 0.72))
        waiting, stage2 = own.state(RowState.WAITING), own.result("dw")
        return colour_table([own.surface, computing, lighter, waiting, own.accent, stage2], own.surface)

    def _end_ns(self) -> float:
        return max(max(timeline.end_ns for timeline in self._timelines) * 1.01, 1.0)


def _doing_text(timeline: StrategyTimeline, found: Doing) -> str:
    states = {
        COMPUTING: QCoreApplication.translate("experiments", "computes"),
        WAITING: QCoreApplication.translate("experiments", "waits"),
        ADDING: QCoreApplication.translate("experiments", "adds into memory"),
    }
    parts = [timeline.strategy]
    if timeline.kind is not Kind.INTERPRETED:
        parts.append(f"SM {found.sm}")
    parts.append(QCoreApplication.translate("experiments", "program {number}").format(number=found.program))
    if found.rows is not None:
        first, last = found.rows
        rows = f"{first}" if first == last else f"{first} – {last}"
        parts.append(QCoreApplication.translate("experiments", "rows {rows}").format(rows=rows))
    if timeline.slices > 1:
        number = found.program % timeline.slices + 1
        part = QCoreApplication.translate("experiments", "slice {number} of {count}")
        parts.append(part.format(number=number, count=timeline.slices))
    parts.append(states[found.state])
    if timeline.kind is not Kind.INTERPRETED:
        length = time_text(found.end_ns - found.begin_ns)
        parts.append(f"{time_text(found.begin_ns)} – {time_text(found.end_ns)} ({length})")
    return " · ".join(parts)


def _caption(interpreted: bool, sms: int) -> str:
    if interpreted:
        return QCoreApplication.translate(
            "experiments",
            "No clock here: a line is a program, the axis counts events. Waiting and contention are missing.",
        )
    if sms == 1:
        return QCoreApplication.translate(
            "experiments", "The same SM in each strip; a line is a place for a program on it; below it stage 2"
        )
    return QCoreApplication.translate(
        "experiments", "The same {count} SMs in each strip; a line is a place for a program on an SM; below them stage 2"
    ).format(count=sms)


def _sharing() -> str:
    return QCoreApplication.translate(
        "experiments", "split: programs share a row, each has a slice of it and waits for the sums of the others"
    )


def _summary(timeline: StrategyTimeline) -> str:
    if timeline.kind is Kind.INTERPRETED:
        return timeline.strategy
    found = shares(timeline)
    return f"{timeline.strategy} {time_text(timeline.end_ns)}, {found.compute:.0%} / {found.wait:.0%} / {found.add:.0%}"
