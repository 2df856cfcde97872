"""Made-up walks of a few programs over pieces of rows, for what checks, stores and shows such
timelines.
"""

from dataclasses import replace

import numpy as np

from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, StrategyTimeline, TraceCost


def walking_timeline(strategy: str = "persistent", m: int = 7) -> StrategyTimeline:
    """Seven or eight rows, two a piece; both programs work from 0 to 400, write sums until 420,
    then two tiles are summed.
    """
    return StrategyTimeline(
        strategy=strategy,
        kind=Kind.MEASURED,
        clock=Clock.TIMER,
        tick_ns=32.0,
        m=m,
        n=16,
        rows=2,
        program=np.array([0, 1, 0, 1], np.int32),
        first_row=np.array([0, 2, 4, 6], np.int32),
        start_ns=np.array([0, 10, 200, 200], np.int64),
        ready_ns=np.array([190, 200, 400, 390], np.int64),
        sm=np.array([0, 1], np.int32),
        program_start_ns=np.array([0, 0], np.int64),
        add_begin_ns=np.array([400, 400], np.int64),
        add_end_ns=np.array([420, 420], np.int64),
        tile_sm=np.array([0, 1], np.int32),
        tile_setup_ns=np.array([380, 410], np.int64),
        tile_start_ns=np.array([430, 435], np.int64),
        tile_end_ns=np.array([490, 500], np.int64),
        cost=TraceCost(plain_ns=1000.0, traced_ns=1010.0, repetitions=80),
    )


def sharing_timeline(m: int = 7) -> StrategyTimeline:
    """Four programs, of which two share each of seven or eight rows: 100 ns a row, of which one
    waits 20 ns and the other 10.
    """
    first = np.repeat(np.arange(m, dtype=np.int32), 2)
    part = np.tile(np.arange(2, dtype=np.int32), m)
    start = (first // 2 * 100).astype(np.int64)
    return replace(
        walking_timeline("split", m),
        rows=1,
        slices=2,
        program=(first % 2 * 2 + part).astype(np.int32),
        first_row=first,
        start_ns=start,
        ready_ns=start + 100,
        wait_begin_ns=start + 60 + 10 * part,
        wait_end_ns=start + 80,
        sm=np.array([0, 0, 1, 1], np.int32),
        program_start_ns=np.zeros(4, np.int64),
        add_begin_ns=np.full(4, 400, np.int64),
        add_end_ns=np.full(4, 420, np.int64),
    )
