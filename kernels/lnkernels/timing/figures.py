"""Figures from timings. Pure."""

from dataclasses import dataclass

from lnkernels.timing.samples import Timing
from lnkernels.timing.traffic import gbps
from lnkernels.values.figures import Figure, Subject


@dataclass(frozen=True, slots=True)
class Bytes:
    """What one repetition moves."""

    tutorial: int
    counted: int


def make_figure(subject: Subject, timing: Timing, moved: Bytes, ceiling: Timing | None, host_us: float | None) -> Figure:
    """The figure behind a timing."""
    share = None
    if ceiling is not None and timing.p50_ms > 0:
        share = ceiling.p50_ms / timing.p50_ms
    return Figure(
        provider=subject.provider,
        direction=subject.direction,
        mode=subject.mode,
        samples_ms=timing.samples_ms,
        p20_ms=timing.p20_ms,
        p50_ms=timing.p50_ms,
        p80_ms=timing.p80_ms,
        gbps=gbps(moved.tutorial, timing.p50_ms),
        counted_gbps=gbps(moved.counted, timing.p50_ms),
        share_of_ceiling=share,
        host_us=host_us,
        settled=timing.settled,
    )
