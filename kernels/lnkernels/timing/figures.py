"""Measured speeds with their names: who, which pass, how it was called. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from lnkernels.timing.samples import L2State, Timing
from lnkernels.timing.traffic import Direction, Throughput, gbps, throughput

Mode = Literal["kernel_cold", "kernel_warm", "autograd"]

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
MODES: tuple[Mode, ...] = get_args(Mode)
# What moves the same bytes as the tutorial counts, and does nothing else.
CEILINGS: Mapping[Direction, str] = {"forward": "copy", "backward": "add"}


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """What a figure is about."""

    provider: str  # a provider's name, or "copy" or "add" for a ceiling
    direction: Direction
    mode: Mode

    @property
    def l2(self) -> L2State:
        """State of the cache at the start of each repetition; the autograd path is flushed too."""
        return "warm" if self.mode == "kernel_warm" else "cold"

    @property
    def ceiling(self) -> "Subject":
        """The ceiling this is compared with. The autograd path has none of its own: it is held against the cold kernel's."""
        mode: Mode = "kernel_cold" if self.mode == "autograd" else self.mode
        return Subject(CEILINGS[self.direction], self.direction, mode)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Figure:
    """One speed, as far as it is known when it is given."""

    subject: Subject
    timing: Timing
    gbps: Throughput  # of the tutorial's bytes
    counted_gbps: float  # of all bytes counted, at the median
    share_of_ceiling: float | None  # ceiling's median time / this median time; None while the ceiling is not measured
    host_us: float | None  # Python's part of one call; None for kernels in a graph


RefusalKind = Literal["unavailable", "invalid", "incorrect", "out_of_resources", "failed"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A provider without a time, and why. Direction and mode are None where it has none at all."""

    provider: str
    reason: str
    direction: Direction | None = None
    mode: Mode | None = None
    kind: RefusalKind = "failed"


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """Everything that was measured of one case."""

    figures: tuple[Figure, ...] = field(default=())
    refusals: tuple[Refusal, ...] = field(default=())
    timing_seconds: float = 0.0  # in which candidates and ceilings were being timed
    preparing_seconds: float = 0.0  # in which they were warmed up and captured


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
        subject=subject,
        timing=timing,
        gbps=throughput(moved.tutorial, timing),
        counted_gbps=gbps(moved.counted, timing.p50_ms),
        share_of_ceiling=share,
        host_us=host_us,
    )
