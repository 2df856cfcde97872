"""Bytes that a pass moves, the GB/s that follow, and the figures that say so. Pure."""

from dataclasses import dataclass

from lnkernels.launch import DTYPE_BYTES
from lnkernels.timing.rounds import Timing
from lnkernels.values.figures import Direction, Figure, Subject

_STATISTIC_BYTES = 4  # mean and rstd are float32


def gbps(moved_bytes: int, ms: float) -> float:
    """Bytes in milliseconds as GB/s (1e9 bytes a second); infinite for a time of zero, NaN for nothing in no time."""
    if ms == 0:
        return float("inf") if moved_bytes else float("nan")
    return moved_bytes / ms * 1e-6


def tutorial_bytes(direction: Direction, m: int, n: int, dtype: str) -> int:
    """The tutorial's count: x and y forward, x, dy and dx backward; weights, statistics and partial sums are left out."""
    matrices = 2 if direction == "forward" else 3
    return matrices * m * n * DTYPE_BYTES[dtype]


def least_bytes(direction: Direction, m: int, n: int, dtype: str, *, weight_dtype: str) -> int:
    """Bytes that any LayerNorm has to move: each matrix, weight, bias, gradient and statistic once, and no workspace."""
    weights = 2 * n * DTYPE_BYTES[weight_dtype]  # forward: w and b read; backward: dw and db written
    if direction == "backward":
        weights += n * DTYPE_BYTES[weight_dtype]  # w read
    return tutorial_bytes(direction, m, n, dtype) + weights + 2 * m * _STATISTIC_BYTES


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
