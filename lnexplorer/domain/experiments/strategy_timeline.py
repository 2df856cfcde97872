"""A backward pass of any strategy over time, in one grammar: programs compute, wait and add their sums, tiles are summed."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What the programs of stage 1 did with their time, and how long both stages took."""

    compute: float  # of the time of all programs, from a program's start to its sums in memory
    wait: float
    add: float
    stage1_ns: int
    stage2_ns: int  # from the end of stage 1, so with the gap between the two


def of_locked(timeline: ReductionTimeline) -> StrategyTimeline:
    """The timeline of `locked` in the grammar of all."""
    rows = np.arange(timeline.m, dtype=np.int32)
    return StrategyTimeline(
        strategy="locked",
        kind=timeline.kind,
        clock=timeline.clock,
        tick_ns=timeline.tick_ns,
        m=timeline.m,
        n=timeline.n,
        rows=1,
        program=rows,
        first_row=rows,
        start_ns=timeline.start_ns,
        ready_ns=timeline.wanted_ns,
        sm=timeline.sm,
        program_start_ns=timeline.start_ns,
        add_begin_ns=timeline.held_ns,
        add_end_ns=timeline.released_ns,
        tile_sm=timeline.tile_sm,
        tile_setup_ns=timeline.tile_start_ns,
        tile_start_ns=timeline.tile_start_ns,
        tile_end_ns=timeline.tile_end_ns,
        cost=timeline.cost,
    )


def shares(timeline: StrategyTimeline) -> Shares:
    """What a pass amounts to; zeros where there are no programs."""
    last = timeline.last_ready_ns()
    within = float(timeline.waits_ns.sum())
    parts = [
        float((last - timeline.program_start_ns).sum()) - within,
        float((timeline.add_begin_ns - last).sum()) + within,
        float((timeline.add_end_ns - timeline.add_begin_ns).sum()),
    ]
    total = sum(parts) or 1.0
    end = int(timeline.add_end_ns.max(initial=0))
    return Shares(
        compute=parts[0] / total,
        wait=parts[1] / total,
        add=parts[2] / total,
        stage1_ns=end - int(timeline.program_start_ns.min(initial=end)),
        stage2_ns=max(timeline.end_ns - end, 0),
    )


def strategy_violations(timeline: StrategyTimeline) -> list[str]:
    """What is impossible in a timeline, a sentence each; empty for one that can have happened."""
    found = _shape_violations(timeline)
    if found:
        return found  # nothing below can be computed
    return _piece_violations(timeline) + _program_violations(timeline) + _tile_violations(timeline)


def _shape_violations(timeline: StrategyTimeline) -> list[str]:
    groups = (
        ("program", ("first_row", "start_ns", "ready_ns")),
        ("sm", ("program_start_ns", "add_begin_ns", "add_end_ns")),
        ("tile_sm", ("tile_setup_ns", "tile_start_ns", "tile_end_ns")),
    )
    found = []
    for first, others in groups:
        shape = getattr(timeline, first).shape
        found += [f"{name} and {first} differ in size" for name in others if getattr(timeline, name).shape != shape]
        if len(shape) != 1:
            found.append(f"{first} is not a list")
    waits = (timeline.wait_begin_ns, timeline.wait_end_ns)
    if [wait is None for wait in waits] not in ([True, True], [False, False]):
        found.append("waits have a begin and an end, or neither")
    if any(wait is not None and wait.shape != timeline.program.shape for wait in waits):
        found.append("waits and program differ in size")
    if timeline.rows < 1 or timeline.slices < 1 or timeline.tick_ns < 0:
        found.append("a piece has at least one row, a row one slice, and a clock does not step backwards")
    if not found and (pieces := -(-timeline.m // timeline.rows) * timeline.slices) != timeline.program.size:
        found.append(
            f"the pieces do not hold every row exactly once: there are {timeline.program.size}, and of {timeline.m} rows, "
            f"{timeline.rows} a piece and each shared by {timeline.slices}, there are {pieces}"
        )
    if not found and timeline.program.size and not 0 <= timeline.program.min() <= timeline.program.max() < timeline.sm.size:
        found.append("a piece was taken by a program that is not there")
    return found


def _piece_violations(timeline: StrategyTimeline) -> list[str]:
    expected = np.repeat(np.arange(0, timeline.m, timeline.rows), timeline.slices)
    found = []
    if not np.array_equal(np.sort(timeline.first_row), expected):
        found.append("the pieces do not hold every row exactly once")
    if np.unique(timeline.first_row.astype(np.int64) * timeline.sm.size + timeline.program).size < timeline.program.size:
        found.append("a program takes a row twice")
    if timeline.wait_begin_ns is not None and timeline.wait_end_ns is not None:
        events = (timeline.start_ns, timeline.wait_begin_ns, timeline.wait_end_ns, timeline.ready_ns)
        if any((earlier > later).any() for earlier, later in pairwise(events)):
            found.append("a program waits for others outside its piece, or less than no time")
    if (timeline.start_ns > timeline.ready_ns).any():
        piece = int((timeline.start_ns > timeline.ready_ns).argmax())
        times = f"ready_ns is {timeline.ready_ns[piece]}, start_ns {timeline.start_ns[piece]}"
        found.append(f"piece {piece} is ready before it starts: {times}")
    order = np.lexsort((timeline.start_ns, timeline.program))
    same = timeline.program[order][1:] == timeline.program[order][:-1]
    early = same & (timeline.start_ns[order][1:] < timeline.ready_ns[order][:-1])
    if early.any():
        found.append(f"program {int(timeline.program[order][1:][early][0])} works on two pieces at the same time")
    early = timeline.start_ns < timeline.program_start_ns[timeline.program]
    if early.any():
        piece = int(early.argmax())
        times = f"start_ns is {timeline.start_ns[piece]}, program_start_ns {timeline.program_start_ns[timeline.program[piece]]}"
        found.append(f"piece {piece} is taken before its program starts: {times}")
    return found


def _program_violations(timeline: StrategyTimeline) -> list[str]:
    found = []
    if timeline.sm.size and int(timeline.program_start_ns.min()) < 0:
        program = int(timeline.program_start_ns.argmin())
        found.append(f"program {program} starts before time 0: program_start_ns is {timeline.program_start_ns[program]}")
    last = timeline.last_ready_ns()
    early = timeline.add_begin_ns < last
    if early.any():
        program = int(early.argmax())
        times = f"add_begin_ns is {timeline.add_begin_ns[program]}, its last ready_ns {last[program]}"
        found.append(f"program {program} adds sums that it does not have yet: {times}")
    early = timeline.add_end_ns < timeline.add_begin_ns
    if early.any():
        program = int(early.argmax())
        times = f"add_end_ns is {timeline.add_end_ns[program]}, add_begin_ns {timeline.add_begin_ns[program]}"
        found.append(f"program {program} has added before it begins to: {times}")
    return found


def _tile_violations(timeline: StrategyTimeline) -> list[str]:
    if not timeline.tile_sm.size:
        return []
    found = []
    early = (timeline.tile_start_ns < timeline.tile_setup_ns) | (timeline.tile_end_ns < timeline.tile_start_ns)
    if early.any():
        tile = int(early.argmax())
        steps = timeline.tile_setup_ns[tile], timeline.tile_start_ns[tile], timeline.tile_end_ns[tile]
        found.append(f"tile {tile} ends before it starts: it is set up, starts and ends at {', '.join(map(str, steps))} ns")
    if timeline.sm.size and timeline.tile_start_ns.min() + timeline.tick_ns < timeline.add_end_ns.max():
        times = f"tile_start_ns is {timeline.tile_start_ns.min()}, the last add_end_ns {timeline.add_end_ns.max()}"
        found.append(f"stage 2 starts before the last sums are in memory: {times}")
    return found


def places(timeline: StrategyTimeline, sm: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Programs that ran on an SM, and a place for each, so that no two programs of a place run at the same time.

    There are as many places as programs were resident at once.

    Returns:
        Programs in the order of their starts, and their places from 0, as many.
    """
    programs = np.flatnonzero(timeline.sm == sm)
    programs = programs[np.argsort(timeline.program_start_ns[programs], kind="stable")]
    taken_until: list[int] = []
    chosen = []
    starts, ends = timeline.program_start_ns[programs].tolist(), timeline.add_end_ns[programs].tolist()
    for start, end in zip(starts, ends, strict=True):
        place = next((place for place, until in enumerate(taken_until) if until <= start), len(taken_until))
        taken_until[place : place + 1] = [end]
        chosen.append(place)
    return programs.astype(np.int64), np.array(chosen, np.int64)
