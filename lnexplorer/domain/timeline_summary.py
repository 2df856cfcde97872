"""What a timeline amounts to: waiting, holding, computing, and the share of each."""

from dataclasses import dataclass

import numpy as np

from lnkernels.values.timeline import ReductionTimeline


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineSummary:
    """Figures of both stages. Times in ns; a row's time runs from its start to giving its lock back."""

    stage1_ns: int
    gap_ns: int  # from the last release to the first tile; of older traces of a tiny problem, the host's time
    stage2_ns: int  # from the first tile's start to the last one's end
    wait_mean_ns: float
    wait_p95_ns: float
    wait_max_ns: int
    hold_mean_ns: float
    compute_mean_ns: float
    share_waiting: float  # of all rows' time
    busiest_lock: int  # held for the longest time in all
    busiest_lock_share: float  # of stage 1 during which that lock was held
    tries_mean: float | None  # of a row, until it held its lock; None where nobody counted

    @property
    def pass_ns(self) -> int:
        """From the first start to the end of the last tile."""
        return self.stage1_ns + self.gap_ns + self.stage2_ns


def summarize(timeline: ReductionTimeline) -> TimelineSummary:
    """Figures of a timeline; zeros where there are no rows."""
    if timeline.m == 0:
        return TimelineSummary(
            stage1_ns=0,
            gap_ns=0,
            stage2_ns=_stage2_ns(timeline),
            wait_mean_ns=0.0,
            wait_p95_ns=0.0,
            wait_max_ns=0,
            hold_mean_ns=0.0,
            compute_mean_ns=0.0,
            share_waiting=0.0,
            busiest_lock=0,
            busiest_lock_share=0.0,
            tries_mean=None,
        )
    wait = timeline.held_ns - timeline.wanted_ns
    hold = timeline.released_ns - timeline.held_ns
    stage1_ns = int(timeline.released_ns.max() - timeline.start_ns.min())
    held_by_lock = np.bincount(timeline.lock, weights=hold)
    busiest = int(held_by_lock.argmax())
    in_flight = float((timeline.released_ns - timeline.start_ns).sum())
    return TimelineSummary(
        stage1_ns=stage1_ns,
        gap_ns=_gap_ns(timeline),
        stage2_ns=_stage2_ns(timeline),
        wait_mean_ns=float(wait.mean()),
        wait_p95_ns=float(np.percentile(wait, 95)),
        wait_max_ns=int(wait.max()),
        hold_mean_ns=float(hold.mean()),
        compute_mean_ns=float((timeline.wanted_ns - timeline.start_ns).mean()),
        share_waiting=float(wait.sum()) / in_flight if in_flight else 0.0,
        busiest_lock=busiest,
        busiest_lock_share=float(held_by_lock[busiest]) / stage1_ns if stage1_ns else 0.0,
        tries_mean=None if timeline.tries is None else float(timeline.tries.mean()),
    )


def _gap_ns(timeline: ReductionTimeline) -> int:
    if timeline.tile_start_ns.size == 0:
        return 0
    return int(timeline.tile_start_ns.min() - timeline.released_ns.max())


def _stage2_ns(timeline: ReductionTimeline) -> int:
    if timeline.tile_end_ns.size == 0:
        return 0
    return int(timeline.tile_end_ns.max() - timeline.tile_start_ns.min())
