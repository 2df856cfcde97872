"""A strip for each strategy over one time axis: what programs of the same SMs do, a lane for each place of a program."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.domain.experiments.findings import Strategies
from lnexplorer.domain.experiments.words import share_text
from lnexplorer.domain.timeline import RowState, places, shares
from lnexplorer.gui.charts.axes import linear_ticks
from lnexplorer.gui.charts.chart import Drawing
from lnexplorer.gui.charts.theme import BLUE, GRID, PROVIDER_COLOURS, with_text
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.reduction.painter.colours import GREY, ColourTable, PictureColours, colour_table, mixed, picture_of
from lnexplorer.gui.reduction.painter.wording import tick_text, time_text
from lnkernels.launch import CATALOGUE
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import StrategyTimeline

NOTHING, COMPUTING, NEXT_PIECE, WAITING, ADDING, STAGE2, TRYING = range(7)
MOST_SMS = 6
LANE = 3  # least pixels of a lane


@dataclass(frozen=True, eq=False, slots=True)
class StrategyLanes:
    """Which program is drawn in which lane."""

    timeline: StrategyTimeline
    programs: NDArray[np.int64]
    lanes: NDArray[np.int64]  # of each of the programs
    count: int  # of lanes


def common_sms(timelines: tuple[StrategyTimeline, ...], most: int) -> NDArray[np.int64]:
    """Some SMs that every strategy has used, evenly chosen, so that the same ones stand beside each other."""
    used = [np.unique(timeline.sm) for timeline in timelines]
    common = used[0]
    for others in used[1:]:
        common = np.intersect1d(common, others)
    if not common.size:
        return common.astype(np.int64)
    at = np.unique(np.linspace(0, common.size - 1, min(most, common.size)).astype(np.int64))
    return common[at].astype(np.int64)


def chosen_lanes(timelines: tuple[StrategyTimeline, ...], height: int) -> tuple[tuple[StrategyLanes, ...], int]:
    """The lanes of each strategy for strips of so many pixels, and of how many SMs they are; 0 on the interpreter.

    There programs run one after another in one place, so each has a lane of its own, which shows their order.
    """
    if any(timeline.kind is Kind.INTERPRETED for timeline in timelines):
        programs = [np.arange(timeline.sm.size) for timeline in timelines]
        return tuple(StrategyLanes(each, own, own, own.size) for each, own in zip(timelines, programs, strict=True)), 0
    found: tuple[StrategyLanes, ...] = ()
    sms = np.zeros(0, np.int64)
    for most in range(MOST_SMS, 0, -1):
        sms = common_sms(timelines, most)
        found = tuple(_together(timeline, [places(timeline, sm) for sm in sms.tolist()]) for timeline in timelines)
        if max(lanes.count for lanes in found) * LANE <= height:
            break
    return found, sms.size


@dataclass(frozen=True, eq=False, slots=True)
class _Stretches:
    """When programs do one thing."""

    state: int
    program: NDArray[np.signedinteger]
    begin_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    piece: NDArray[np.int64] | None = None  # of the rows that it is done to

    @property
    def least(self) -> int:
        """Pixels that each takes at least: waits within a piece are many and short."""
        return 0 if self.state == WAITING and self.piece is not None else 1


def _stretches(lanes: StrategyLanes) -> Iterator[_Stretches]:
    """What the programs of some lanes do; what comes later is more exact."""
    timeline, own = lanes.timeline, lanes.programs
    timed, last, add_begin = timeline.kind is not Kind.INTERPRETED, timeline.last_ready_ns(), timeline.add_begin_ns
    yield _Stretches(COMPUTING, own, timeline.program_start_ns[own], last[own])
    pieces = np.flatnonzero(np.isin(timeline.program, own))
    second = _turns(timeline)[pieces] % 2 == 1
    for state, some in ((COMPUTING, pieces[~second]), (NEXT_PIECE, pieces[second])):
        yield _Stretches(state, timeline.program[some], timeline.start_ns[some], timeline.ready_ns[some], some)
    if timed and timeline.wait_begin_ns is not None and timeline.wait_end_ns is not None:
        begin, end = timeline.wait_begin_ns[pieces], timeline.wait_end_ns[pieces]
        yield _Stretches(WAITING, timeline.program[pieces], begin, end, pieces)
    waits = own[add_begin[own] > last[own]]
    # Between two events of the interpreter's there is nothing to wait for.
    yield _Stretches(WAITING if timed else COMPUTING, waits, last[waits], add_begin[waits])
    if timed and timeline.free_ns is not None:
        tries = own[add_begin[own] > timeline.free_ns[own]]
        yield _Stretches(TRYING, tries, timeline.free_ns[tries], add_begin[tries])
    yield _Stretches(ADDING, own, add_begin[own], timeline.add_end_ns[own])


def lane_indices(lanes: StrategyLanes, end_ns: float, width: int) -> NDArray[np.uint8]:
    """What is done at each pixel of a time axis from 0 to end_ns, [lanes, width]."""
    lane_of = np.full(lanes.timeline.sm.size, -1, np.int64)
    lane_of[lanes.programs] = lanes.lanes
    picture = np.zeros((lanes.count, width), np.uint8)
    for some in _stretches(lanes):
        marked = _covered(lane_of[some.program], some.begin_ns, some.end_ns, lanes.count, end_ns, width, least=some.least)
        picture[marked & (picture == COMPUTING) if some.state == NEXT_PIECE else marked] = some.state
    return picture


def stage2_indices(timeline: StrategyTimeline, end_ns: float, width: int) -> NDArray[np.uint8]:
    """When any tile of stage 2 runs, or is set up and waits, [1, width]."""
    one = np.zeros(timeline.tile_sm.size, np.int64)
    early = timeline.tile_start_ns > timeline.tile_setup_ns
    picture = np.zeros((1, width), np.uint8)
    early_on = _covered(one[early], timeline.tile_setup_ns[early], timeline.tile_start_ns[early], 1, end_ns, width)
    picture[early_on] = STAGE2 if timeline.kind is Kind.INTERPRETED else WAITING
    picture[_covered(one, timeline.tile_start_ns, timeline.tile_end_ns, 1, end_ns, width)] = STAGE2
    return picture


@dataclass(frozen=True, slots=True)
class Doing:
    """What a program does at a time."""

    program: int
    sm: int
    state: int  # COMPUTING, WAITING, TRYING or ADDING
    begin_ns: int  # of this state, or of the piece that is computed
    end_ns: int
    rows: tuple[int, int] | None  # first and last row of the piece, while one is computed or others are waited for in it


def doing(lanes: StrategyLanes, lane: int, time_ns: float) -> Doing | None:
    """What the program of a lane does at a time; None where none is there."""
    timeline, in_lane, found = lanes.timeline, lanes.programs[lanes.lanes == lane], None
    for some in _stretches(lanes):
        here = np.flatnonzero(np.isin(some.program, in_lane) & (some.begin_ns <= time_ns) & (time_ns <= some.end_ns))
        if here.size:
            place, rows = int(here[0]), None
            if some.piece is not None:
                first = int(timeline.first_row[some.piece[place]])
                rows = (first, min(first + timeline.rows, timeline.m) - 1)
            program, state = int(some.program[place]), COMPUTING if some.state == NEXT_PIECE else some.state
            times = int(some.begin_ns[place]), int(some.end_ns[place])
            found = Doing(program, int(timeline.sm[program]), state, *times, rows)
    return found


def _turns(timeline: StrategyTimeline) -> NDArray[np.int64]:
    """Which piece of its program each piece is, from 0."""
    order = np.lexsort((timeline.start_ns, timeline.program))
    sizes = np.bincount(timeline.program, minlength=timeline.sm.size)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    turns = np.empty(order.size, np.int64)
    turns[order] = np.arange(order.size) - first
    return turns


def _together(timeline: StrategyTimeline, placed: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> StrategyLanes:
    """The lanes of some SMs below each other; an SM that ran nothing keeps one."""
    programs, lanes, base = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for own, places_of_own in placed:
        programs.append(own)
        lanes.append(base + places_of_own)
        base += int(places_of_own.max(initial=0)) + 1
    return StrategyLanes(timeline, np.concatenate(programs), np.concatenate(lanes), max(base, 1))


def _covered(
    lane: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    lanes: int,
    end_ns: float,
    width: int,
    *,
    least: int = 1,
) -> NDArray[np.bool_]:
    """Which pixels of which lanes lie in any of some stretches of time.

    With `least` 1 each covers a pixel at least; with 0 only those whose middle lies in it, so that many short ones look
    no longer than they are.
    """
    scale = width / end_ns
    early, late = (np.floor(begin * scale), np.ceil(end * scale)) if least else (np.rint(begin * scale), np.rint(end * scale))
    first = lane * (width + 1) + np.clip(early, 0, width - least).astype(np.int64)
    last = lane * (width + 1) + np.clip(late, least, width).astype(np.int64)
    size = lanes * (width + 1)
    change = np.bincount(first, minlength=size) - np.bincount(np.maximum(last, first), minlength=size)
    count: NDArray[np.int64] = change.reshape(lanes, width + 1)[:, :width].cumsum(axis=1)
    return count > 0


STAGE2_HEIGHT = GRID
TICKS = 6
MOST_ROWS = 100_000  # or slices of rows, of a timeline that is drawn here, in the time of an event
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

translate = QCoreApplication.translate


class LanesOfStrategies(Drawing):
    """A strip for each strategy that was traced, below them what is to be said of them and of those that were not.

    Left of a strip is the time as it was recorded, right of it without recording. Tells what is under the cursor.
    """

    hovered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: Strategies | None = None
        self._timelines: tuple[StrategyTimeline, ...] = ()
        self._pictures: tuple[tuple[int, int, str], list[tuple[QImage, QImage]]] | None = None
        self._lanes: tuple[StrategyLanes, ...] = ()
        self._sms = 0
        self.setMouseTracking(True)
        self.setMinimumHeight(with_text(16 * GRID))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def timelines(self) -> tuple[StrategyTimeline, ...]:
        """What is drawn, from the top."""
        return self._timelines

    def set_findings(self, found: Strategies) -> None:
        """Show other ones."""
        if found is self._found:
            return
        self._found, self._pictures, self._lanes = found, None, ()
        self._timelines = tuple(each for each in found.timelines() if 0 < each.m * each.slices <= MOST_ROWS)
        self.setAccessibleDescription("; ".join(map(_summary, self._timelines)))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80 * GRID, with_text(34 * GRID))

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        if self._found is None:
            return
        painter = QPainter(self)
        line, below = self._line(), float(self.height())
        if self._timelines:
            strips = self._strips()
            self._paint_strips(painter, strips)
            self._paint_legend(painter, QRectF(0, 0, self.width(), line))
            self._paint_axis(painter, strips)
        texts = self._texts()
        metrics = QFontMetricsF(self.font())
        painter.setPen(QColor(self.theme.muted))
        for place, text in enumerate(texts):
            box = QRectF(0, below - (len(texts) - place) * line, self.width(), line)
            painter.drawText(box, LEFT, metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self.words_at(event.position()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit("")
        super().leaveEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip("\n".join(self._texts()))
        return super().event(event)

    def words_at(self, point: QPointF) -> str:
        """What the program at a point does, with its times; empty where there is none."""
        if not self._lanes or not (strips := self._strips()).contains(point):
            return ""
        step, height = self._strip_height(strips)
        place = int((point.y() - strips.top()) // step)
        within = (point.y() - strips.top() - place * step) / height
        if place >= len(self._lanes) or not 0 <= within < 1:
            return ""
        lanes = self._lanes[place]
        time_ns = (point.x() - strips.left()) / strips.width() * self._end_ns()
        found = doing(lanes, int(within * lanes.count), time_ns)
        return "" if found is None else _doing_text(lanes.timeline, found)

    def _line(self) -> float:
        return QFontMetricsF(self.font()).lineSpacing() + 2

    def _texts(self) -> tuple[str, ...]:
        """What stands below the strips."""
        texts = []
        if self._timelines:
            texts.append(_caption(self._timelines[0].kind is Kind.INTERPRETED, self._sms))
        if any(timeline.slices > 1 for timeline in self._timelines):
            shared = translate(
                "experiments", "split: programs share a row, each has a slice of it and waits for the sums of the others"
            )
            texts.append(shared)
        drawn = {timeline.strategy for timeline in self._timelines}
        missing = [row.strategy for row in self._found.rows if row.strategy not in drawn] if self._found else []
        return (*texts, *(f"{name}: {domain_text(CATALOGUE[name].summary) if name in CATALOGUE else ''}" for name in missing))

    def _strips(self) -> QRectF:
        """Where the lanes of all strategies are, between legend and axis."""
        line, metrics = self._line(), QFontMetricsF(self.font())
        words = [text for timeline in self._timelines for text in (timeline.strategy, time_text(timeline.end_ns))]
        left = max(map(metrics.horizontalAdvance, words), default=0) + 3 * GRID
        costs = [time_text(timeline.cost.plain_ns) for timeline in self._timelines if timeline.cost is not None]
        right = max(map(metrics.horizontalAdvance, (_unrecorded(), *costs))) + GRID if costs else 0
        return QRectF(left, line + 2, self.width() - left - right, self.height() - line * (2 + len(self._texts())) - 6)

    def _strip_height(self, strips: QRectF) -> tuple[float, int]:
        """From one strip to the next, and of one without its line of stage 2."""
        step = strips.height() / len(self._timelines)
        return step, max(int(step) - GRID - STAGE2_HEIGHT - 1, STAGE2_HEIGHT)

    def _paint_strips(self, painter: QPainter, area: QRectF) -> None:
        step, height = self._strip_height(area)
        for place, (timeline, (stage1, stage2)) in enumerate(zip(self._timelines, self._drawn(area), strict=True)):
            strip = QRectF(area.left(), area.top() + place * step, area.width(), height)
            painter.drawImage(strip, stage1)
            painter.drawImage(QRectF(strip.left(), strip.bottom() + 1, strip.width(), STAGE2_HEIGHT), stage2)
            painter.setPen(QColor(self.theme.line))
            painter.drawRect(strip.adjusted(0, 0, -1, STAGE2_HEIGHT + 1))
            colour = QColor(PROVIDER_COLOURS.get(timeline.strategy, BLUE))
            painter.fillRect(QRectF(0, strip.top(), GRID / 2, strip.height() + STAGE2_HEIGHT), colour)
            beside = QRectF(1.5 * GRID, strip.top(), strip.left() - 2.5 * GRID, strip.height())
            time = "" if timeline.kind is Kind.INTERPRETED else time_text(timeline.end_ns)
            self._paint_pair(painter, beside, timeline.strategy, time, LEFT)
            if timeline.cost is not None:
                beside = QRectF(strip.right(), strip.top(), self.width() - strip.right(), strip.height())
                self._paint_pair(painter, beside, time_text(timeline.cost.plain_ns), share_text(timeline.cost.share), RIGHT)

    def _paint_pair(self, painter: QPainter, box: QRectF, first: str, second: str, align: Qt.AlignmentFlag) -> None:
        """Two lines, or the first alone where there is no room for both."""
        line = QFontMetricsF(self.font()).lineSpacing()
        both = box.height() >= 2 * line
        painter.setPen(QColor(self.theme.text))
        painter.drawText(box.adjusted(0, 0, 0, -line) if both else box, align, first)
        if both:
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(box.adjusted(0, line, 0, 0), align, second)

    def _paint_legend(self, painter: QPainter, area: QRectF) -> None:
        colours, metrics = self._colours(), QFontMetricsF(self.font())
        size, x = 0.6 * metrics.height(), area.left()
        for shades, text in (
            ((COMPUTING, NEXT_PIECE), translate("experiments", "computing, piece by piece")),
            ((WAITING,), translate("experiments", "queued, or waiting for others")),
            ((TRYING,), translate("experiments", "trying a free lock")),
            ((ADDING,), translate("experiments", "adding into memory")),
            ((STAGE2,), translate("experiments", "stage 2")),
        ):
            for shade in shades:
                painter.fillRect(QRectF(x, area.center().y() - size / 2, size, size), QColor.fromRgb(int(colours[shade])))
                x += size
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(QRectF(x + GRID, area.top(), area.width(), area.height()), LEFT, text)
            x += metrics.horizontalAdvance(text) + 3 * GRID
        if any(timeline.cost is not None for timeline in self._timelines):
            painter.drawText(area, RIGHT, _unrecorded())

    def _paint_axis(self, painter: QPainter, strips: QRectF) -> None:
        interpreted = self._timelines[0].kind is Kind.INTERPRETED
        painter.setPen(QColor(self.theme.muted))
        for tick in linear_ticks(0.0, self._end_ns(), TICKS):
            text = f"{tick:g}" if interpreted else tick_text(tick)
            half = QFontMetricsF(self.font()).horizontalAdvance(text) / 2
            x = strips.left() + tick / self._end_ns() * strips.width()
            if x + half < strips.right():
                painter.drawText(QRectF(x - half, strips.bottom(), 2 * half + 1, self._line()), LEFT, text)

    def _drawn(self, area: QRectF) -> list[tuple[QImage, QImage]]:
        height, width = self._strip_height(area)[1], max(int(area.width()), 1)
        key = (width, height, self.theme.name)
        if self._pictures is None or self._pictures[0] != key:
            self._lanes, self._sms = chosen_lanes(self._timelines, height)
            end, colours = self._end_ns(), self._colours()
            pictures = [
                (
                    picture_of(lane_indices(lanes, end, width), colours),
                    picture_of(stage2_indices(lanes.timeline, end, width), colours),
                )
                for lanes in self._lanes
            ]
            self._pictures = (key, pictures)
        return self._pictures[1]

    def _colours(self) -> ColourTable:
        """By the indices of lane_picture."""
        own = PictureColours(self.theme)
        computing = own.state(RowState.COMPUTING)
        lighter = mixed(own.surface, computing, 0.72)
        waiting, stage2, trying = own.state(RowState.QUEUED, GREY), own.result("dw"), own.trying
        return colour_table([own.surface, computing, lighter, waiting, own.accent, stage2, trying], own.surface)

    def _end_ns(self) -> float:
        return max(max(timeline.end_ns for timeline in self._timelines) * 1.01, 1.0)


def _unrecorded() -> str:
    return translate("experiments", "unrecorded")


def _doing_text(timeline: StrategyTimeline, found: Doing) -> str:
    states = {
        COMPUTING: translate("experiments", "computes"),
        WAITING: translate("experiments", "waits"),
        TRYING: translate("experiments", "tries its free lock"),
        ADDING: translate("experiments", "adds into memory"),
    }
    parts = [timeline.strategy]
    if timeline.kind is not Kind.INTERPRETED:
        parts.append(f"SM {found.sm}")
    parts.append(translate("experiments", "program {number}").format(number=found.program))
    if found.rows is not None:
        first, last = found.rows
        rows = f"{first}" if first == last else f"{first} – {last}"
        parts.append(translate("experiments", "rows {rows}").format(rows=rows))
    if timeline.slices > 1:
        number = found.program % timeline.slices + 1
        part = translate("experiments", "slice {number} of {count}")
        parts.append(part.format(number=number, count=timeline.slices))
    parts.append(states[found.state])
    if timeline.kind is not Kind.INTERPRETED:
        length = time_text(found.end_ns - found.begin_ns)
        parts.append(f"{time_text(found.begin_ns)} – {time_text(found.end_ns)} ({length})")
    return " · ".join(parts)


def _caption(interpreted: bool, sms: int) -> str:
    if interpreted:
        return translate(
            "experiments",
            "No clock here: a line is a program, the axis counts events. Waiting and contention are missing.",
        )
    if sms == 1:
        return translate("experiments", "The same SM in each strip; a line is a place for a program on it; below it stage 2")
    return translate(
        "experiments", "The same {count} SMs in each strip; a line is a place for a program on an SM; below them stage 2"
    ).format(count=sms)


def _summary(timeline: StrategyTimeline) -> str:
    if timeline.kind is Kind.INTERPRETED:
        return timeline.strategy
    found = shares(timeline)
    parts = " / ".join(f"{part:.0%}" for part in (found.compute, found.waiting, found.trying, found.add))
    return f"{timeline.strategy} {time_text(timeline.end_ns)}, {parts}"
