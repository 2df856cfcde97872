"""What happens while a row holds its lock. Nothing of it is timed, so its parts are a drawing's, not a clock's."""

from lnexplorer.domain.timeline import ReductionTimeline

ADDED = 0.55  # share of the hold after which the sum is there and its store begins


def hold_share(timeline: ReductionTimeline, row: int, time_ns: float) -> float:
    """How much of a row's hold is past, 0 to 1."""
    held, released = int(timeline.held_ns[row]), int(timeline.released_ns[row])
    return min(max((time_ns - held) / max(released - held, 1), 0.0), 1.0)
