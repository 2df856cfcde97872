"""Draws programs over one time axis: a strip for each strategy, a lane for each place on an SM."""

from collections.abc import Iterator
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from lnexplorer.domain import wording
from lnexplorer.domain.experiments.experiment import ProgramLanes
from lnexplorer.domain.timeline import RowState, shares
from lnexplorer.gui.charts.chart import Drawing, LegendEntry
from lnexplorer.gui.kit import (
    BLUE,
    GRID,
    LEFT,
    PROVIDER_COLOURS,
    VERMILION,
    Theme,
    mixed,
    translate_message,
    with_text,
)
from lnexplorer.gui.timeline.frame import GREY, Pixels, colour_table, draw_indices, picture_colours
from lnexplorer.gui.timeline.lanes import Places, TimeAxis, draw_axis
from lnkernels.values import Words, frozen, join_sentences, say
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import StrategyTimeline, Times, places

NOTHING, COMPUTING, NEXT_PIECE, WAITING, ADDING, STAGE2, TRYING = range(7)
MOST_SMS = 6
LANE = 3  # least pixels of a lane


@frozen(eq=False)
class StrategyLanes:
    """The lanes of a strategy's programs."""

    timeline: StrategyTimeline
    programs: Places
    lanes: Places  # of each of the programs
    count: int  # of lanes


def common_sms(timelines: tuple[StrategyTimeline, ...], most: int) -> Places:
    """Return some SMs that every strategy has used, evenly chosen."""
    common = reduce(np.intersect1d, (np.unique(timeline.sm) for timeline in timelines))
    at = np.unique(np.linspace(0, common.size - 1, min(most, common.size)).astype(np.int64))
    return common[at].astype(np.int64)


def chosen_lanes(timelines: tuple[StrategyTimeline, ...], height: int) -> tuple[StrategyLanes, ...]:
    """Return the lanes of each strategy, of as many SMs as have room in a strip's pixels.

    On the interpreter programs run one after another in one place, so each has a lane of its own,
    which shows their order.
    """
    if any(timeline.kind is Kind.INTERPRETED for timeline in timelines):
        programs = [np.arange(timeline.sm.size) for timeline in timelines]
        return tuple(
            StrategyLanes(each, own, own, own.size)
            for each, own in zip(timelines, programs, strict=True)
        )
    chosen: tuple[StrategyLanes, ...] = ()
    for most in range(MOST_SMS, 0, -1):
        sms = common_sms(timelines, most)
        chosen = tuple(_together(timeline, sms.tolist()) for timeline in timelines)
        if max(lanes.count for lanes in chosen) * LANE <= height:
            break
    return chosen


def _stretches(
    lanes: StrategyLanes,
) -> Iterator[tuple[int, NDArray[np.signedinteger], Times, Times]]:
    """Yield states of programs: the state, its programs, and when each begins and ends it.

    Later ones are more exact, and drawn over earlier ones.
    """
    timeline, own = lanes.timeline, lanes.programs
    timed, last, add_begin = (
        timeline.kind is not Kind.INTERPRETED,
        timeline.last_ready_ns(),
        timeline.add_begin_ns,
    )
    yield COMPUTING, own, timeline.program_start_ns[own], last[own]
    pieces = np.flatnonzero(np.isin(timeline.program, own))
    second = pieces[_turns(timeline)[pieces] % 2 == 1]
    yield NEXT_PIECE, timeline.program[second], timeline.start_ns[second], timeline.ready_ns[second]
    waits = own[add_begin[own] > last[own]]
    # Between two events of the interpreter's there is nothing to wait for.
    yield WAITING if timed else COMPUTING, waits, last[waits], add_begin[waits]
    if timed and timeline.free_ns is not None:
        tries = own[add_begin[own] > timeline.free_ns[own]]
        yield TRYING, tries, timeline.free_ns[tries], add_begin[tries]
    yield ADDING, own, add_begin[own], timeline.add_end_ns[own]


def lane_indices(lanes: StrategyLanes, end_ns: float, width: int) -> Pixels:
    """Return the state at each pixel of a time axis from 0 to end_ns, [lanes, width]."""
    timeline, axis = lanes.timeline, TimeAxis(0, width, 0.0, end_ns)
    lane_of = np.full(timeline.sm.size, -1, np.int64)
    lane_of[lanes.programs] = lanes.lanes
    picture = np.zeros((lanes.count, width), np.uint8)
    for state, program, begin_ns, end in _stretches(lanes):
        marked = _covered(axis, begin_ns, end, lane_of[program], lanes.count)
        picture[marked & (picture == COMPUTING) if state == NEXT_PIECE else marked] = state
    if (
        timeline.kind is not Kind.INTERPRETED
        and timeline.wait_begin_ns is not None
        and timeline.wait_end_ns is not None
    ):
        # Waits within a piece are many and short: none has more than its share of pixels.
        lane = lane_of[timeline.program]
        begins, ends = (
            axis.past(times[lane >= 0], lane[lane >= 0], lanes.count)[:, 1:]
            for times in (timeline.wait_begin_ns, timeline.wait_end_ns)
        )
        picture[(begins > ends) & ((picture == COMPUTING) | (picture == NEXT_PIECE))] = WAITING
    return picture


def stage2_indices(timeline: StrategyTimeline, end_ns: float, width: int) -> Pixels:
    """Return when any tile of stage 2 runs, or is set up and waits, [1, width]."""
    early, axis = timeline.tile_start_ns > timeline.tile_setup_ns, TimeAxis(0, width, 0.0, end_ns)
    picture = np.zeros((1, width), np.uint8)
    early_on = _covered(axis, timeline.tile_setup_ns[early], timeline.tile_start_ns[early])
    picture[early_on] = STAGE2 if timeline.kind is Kind.INTERPRETED else WAITING
    picture[_covered(axis, timeline.tile_start_ns, timeline.tile_end_ns)] = STAGE2
    return picture


def _turns(timeline: StrategyTimeline) -> Places:
    """Return the number of each piece within its program, from 0."""
    order = np.lexsort((timeline.start_ns, timeline.program))
    sizes = np.bincount(timeline.program, minlength=timeline.sm.size)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    turns = np.empty(order.size, np.int64)
    turns[order] = np.arange(order.size) - first
    return turns


def _together(timeline: StrategyTimeline, sms: list[int]) -> StrategyLanes:
    """Return the lanes of some SMs below each other; an SM that ran nothing keeps one."""
    programs, lanes, base = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for sm in sms:
        programs.append(own := np.flatnonzero(timeline.sm == sm))
        lanes.append(
            base + (placed := places(timeline.program_start_ns[own], timeline.add_end_ns[own]))
        )
        base += int(placed.max(initial=0)) + 1
    return StrategyLanes(timeline, np.concatenate(programs), np.concatenate(lanes), max(base, 1))


def _covered(
    axis: TimeAxis,
    begin: Times,
    end: Times,
    lane: Places | None = None,
    lanes: int = 1,
) -> NDArray[np.bool_]:
    """Return which pixels of which lanes lie in any stretch of time, each of a pixel at least."""
    begun = axis.past(begin, lane, lanes)[:, 1:]
    return begun > axis.past(np.maximum(end - 1, begin), lane, lanes)[:, :-1]


def shades(theme: Theme) -> list[QColor]:
    """Return the colours of states, by their index in the pictures."""
    own = picture_colours(theme)
    computing, waiting = own.state(RowState.COMPUTING), own.state(RowState.QUEUED, GREY)
    trying = QColor(VERMILION)  # no lock has a colour here
    return [
        own.surface,
        computing,
        mixed(own.surface, computing, 0.72),
        waiting,
        own.accent,
        own.result("dw"),
        trying,
    ]


STAGE2_HEIGHT = GRID
STATE_NAMES = {
    COMPUTING: say("computing"),
    NEXT_PIECE: say("the next piece"),
    WAITING: say("queued, or waiting for others"),
    TRYING: say("trying a free lock"),
    ADDING: say("adding into memory"),
    STAGE2: say("stage 2"),
}


class ProgramLanesView(Drawing):
    """A strip for each strategy that was traced; its legend stands elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.timelines: tuple[StrategyTimeline, ...] = ()  # from the top
        self.setMinimumHeight(with_text(16 * GRID))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def set_lanes(self, lanes: ProgramLanes) -> None:
        """Show other lanes."""
        self.timelines = lanes.timelines
        told = join_sentences(list(map(_summary, self.timelines)))
        self.setAccessibleDescription(translate_message(told))
        self.update()

    def entries(self) -> tuple[LegendEntry, ...]:
        """Return what the colours mean; nothing where no strip is drawn."""
        colours = shades(Theme.current)
        return tuple(
            LegendEntry(translate_message(text), colours[state].name(), symbol="s")
            for state, text in STATE_NAMES.items()
            if self.timelines
        )

    def sizeHint(self) -> QSize:
        return QSize(80 * GRID, with_text(34 * GRID))

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        if not self.timelines:
            return
        painter, metrics, theme = QPainter(self), QFontMetricsF(self.font()), Theme.current
        interpreted = self.timelines[0].kind is Kind.INTERPRETED
        ends = [timeline.end_ns for timeline in self.timelines]
        names = [timeline.strategy for timeline in self.timelines]
        lengths = ["" if interpreted else wording.nanoseconds(end_ns) for end_ns in ends]
        left = max(map(metrics.horizontalAdvance, names + lengths)) + 3 * GRID
        area = QRectF(left, 1, self.width() - left - 1, self.height() - metrics.height() - 6)
        step = area.height() / len(names)
        height = max(int(step) - GRID - STAGE2_HEIGHT - 1, STAGE2_HEIGHT)
        axis = TimeAxis(area.left(), area.right(), 0.0, max(max(ends) * 1.01, 1.0), interpreted)
        colours = shades(theme)
        table = colour_table(colours, colours[NOTHING])
        for place, lanes in enumerate(chosen_lanes(self.timelines, height)):
            strip = QRectF(area.left(), area.top() + place * step, area.width(), height)
            stage2 = QRectF(area.left(), strip.bottom() + 1, area.width(), STAGE2_HEIGHT)
            stages = (
                (strip, lane_indices(lanes, axis.end_ns, axis.width)),
                (stage2, stage2_indices(lanes.timeline, axis.end_ns, axis.width)),
            )
            for part, indices in stages:
                draw_indices(painter, part, indices, table)
            painter.setPen(QColor(theme.line))
            painter.drawRect(strip.adjusted(0, 0, -1, STAGE2_HEIGHT + 1))
            name, length = names[place], lengths[place]
            mark = QRectF(0, strip.top(), GRID / 2, height + STAGE2_HEIGHT)
            painter.fillRect(mark, QColor(PROVIDER_COLOURS.get(name, BLUE)))
            painter.setPen(QColor(theme.text))
            text = f"{name}\n{length}" if length and height >= 2 * metrics.height() else name
            painter.drawText(QRectF(1.5 * GRID, strip.top(), left, height), LEFT, text)
        draw_axis(painter, axis, area.bottom(), picture_colours(theme))


def _summary(timeline: StrategyTimeline) -> Words:
    if timeline.kind is Kind.INTERPRETED:
        return timeline.strategy
    spent = shares(timeline)
    parts = " / ".join(
        wording.share(part) for part in (spent.compute, spent.waiting, spent.trying, spent.add)
    )
    spoken = f"{timeline.strategy} {wording.nanoseconds(timeline.end_ns)}"
    return join_sentences((spoken, parts), ", ")
