"""What programs of some SMs do over time, as indices of colours: a lane for each place of a program on an SM.

No Qt in it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.timeline import places
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
        return tuple(_in_order(timeline) for timeline in timelines), 0
    found: tuple[StrategyLanes, ...] = ()
    sms = np.zeros(0, np.int64)
    for most in range(MOST_SMS, 0, -1):
        sms = common_sms(timelines, most)
        found = tuple(_together(timeline, [places(timeline, sm) for sm in sms.tolist()]) for timeline in timelines)
        if max(lanes.count for lanes in found) * LANE <= height:
            break
    return found, sms.size


def lane_indices(lanes: StrategyLanes, end_ns: float, width: int) -> NDArray[np.uint8]:
    """What is done at each pixel of a time axis from 0 to end_ns, [lanes, width]."""
    timeline, programs = lanes.timeline, lanes.programs
    lane_of = np.full(timeline.sm.size, -1, np.int64)
    lane_of[programs] = lanes.lanes
    last = timeline.last_ready_ns()

    def covered(lane: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.bool_]:
        return _covered(lane, begin, end, lanes.count, end_ns, width)

    picture = np.zeros((lanes.count, width), np.uint8)
    own = lane_of[programs]
    picture[covered(own, timeline.program_start_ns[programs], last[programs])] = COMPUTING
    second = _turns(timeline) % 2 == 1
    pieces = second & (lane_of[timeline.program] >= 0)
    marked = covered(lane_of[timeline.program][pieces], timeline.start_ns[pieces], timeline.ready_ns[pieces])
    picture[marked & (picture == COMPUTING)] = NEXT_PIECE
    if timeline.wait_begin_ns is not None and timeline.wait_end_ns is not None and timeline.kind is not Kind.INTERPRETED:
        pieces = lane_of[timeline.program] >= 0
        own_lanes, stretches = lane_of[timeline.program][pieces], (timeline.wait_begin_ns[pieces], timeline.wait_end_ns[pieces])
        picture[_covered(own_lanes, *stretches, lanes.count, end_ns, width, least=0)] = WAITING
    waits = programs[timeline.add_begin_ns[programs] > last[programs]]
    # Between two events of the interpreter's there is nothing to wait for.
    picture[covered(lane_of[waits], last[waits], timeline.add_begin_ns[waits])] = _waiting(timeline)
    if timeline.free_ns is not None and timeline.kind is not Kind.INTERPRETED:
        tries = programs[timeline.add_begin_ns[programs] > timeline.free_ns[programs]]
        picture[covered(lane_of[tries], timeline.free_ns[tries], timeline.add_begin_ns[tries])] = TRYING
    picture[covered(own, timeline.add_begin_ns[programs], timeline.add_end_ns[programs])] = ADDING
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


def _waiting(timeline: StrategyTimeline) -> int:
    return COMPUTING if timeline.kind is Kind.INTERPRETED else WAITING


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
    timeline = lanes.timeline
    programs = lanes.programs[lanes.lanes == lane]
    there = (timeline.program_start_ns[programs] <= time_ns) & (time_ns <= timeline.add_end_ns[programs])
    if not there.any():
        return None
    program = int(programs[there][0])
    begin, end = int(timeline.add_begin_ns[program]), int(timeline.add_end_ns[program])
    sm = int(timeline.sm[program])
    if time_ns >= begin:
        return Doing(program, sm, ADDING, begin, end, None)
    pieces = np.flatnonzero(timeline.program == program)
    running = pieces[(timeline.start_ns[pieces] <= time_ns) & (time_ns <= timeline.ready_ns[pieces])]
    if running.size:
        piece = int(running[0])
        first = int(timeline.first_row[piece])
        last = min(first + timeline.rows, timeline.m) - 1
        state, times = COMPUTING, (int(timeline.start_ns[piece]), int(timeline.ready_ns[piece]))
        if timeline.wait_begin_ns is not None and timeline.wait_end_ns is not None and timeline.kind is not Kind.INTERPRETED:
            wait = int(timeline.wait_begin_ns[piece]), int(timeline.wait_end_ns[piece])
            if wait[0] <= time_ns < wait[1]:
                state, times = WAITING, wait
        return Doing(program, sm, state, *times, (first, last))
    ready = int(timeline.ready_ns[pieces].max(initial=int(timeline.program_start_ns[program])))
    if time_ns < ready:
        return Doing(program, sm, COMPUTING, int(timeline.program_start_ns[program]), ready, None)
    if timeline.free_ns is None or timeline.kind is Kind.INTERPRETED:
        return Doing(program, sm, _waiting(timeline), ready, begin, None)
    free = int(timeline.free_ns[program])
    state, times = (TRYING, (free, begin)) if time_ns >= free else (WAITING, (ready, free))
    return Doing(program, sm, state, *times, None)


def _turns(timeline: StrategyTimeline) -> NDArray[np.int64]:
    """Which piece of its program each piece is, from 0."""
    order = np.lexsort((timeline.start_ns, timeline.program))
    sizes = np.bincount(timeline.program, minlength=timeline.sm.size)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    turns = np.empty(order.size, np.int64)
    turns[order] = np.arange(order.size) - first
    return turns


def _in_order(timeline: StrategyTimeline) -> StrategyLanes:
    programs = np.arange(timeline.sm.size)
    return StrategyLanes(timeline, programs, programs, programs.size)


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
