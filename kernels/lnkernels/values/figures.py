"""Measured speeds, and refusals of those that got none."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lnkernels.values.environment import DeviceState
from lnkernels.values.frozen import frozen, frozen_by_name
from lnkernels.values.sentence import Sentence, say

Direction = Literal["forward", "backward"]
Mode = Literal["kernel_cold", "kernel_warm", "autograd"]
RefusalKind = Literal["unavailable", "invalid", "incorrect", "out_of_resources", "failed"]
L2State = Literal["cold", "warm"]
Verdict = Literal["right", "inexact", "no kernel", "wrong"]

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
MODES: tuple[Mode, ...] = get_args(Mode)
# What moves the same bytes as the tutorial counts, and does nothing else.
CEILINGS: Mapping[str, str] = {"forward": "copy", "backward": "add"}


# All of 5 samples lie on one side of the true median in 1 of 16 cases: what they span is no 95 %
# interval. That of 6 is one.
LEAST_SAMPLES = 6
_Z_95 = 1.96


def median_bounds(samples: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % interval of a median; 0 and infinity with fewer than LEAST_SAMPLES.

    They come from order statistics alone: however the samples are distributed, the number of them
    below the true median is binomial(n, 1/2), so it lies between the sorted ones of rank n/2 ±
    0.98·sqrt(n) in about 95 of 100 cases.
    """
    ordered = np.sort(samples)
    count = ordered.size
    if count < LEAST_SAMPLES:
        return 0.0, math.inf
    below = max(math.floor((count - _Z_95 * math.sqrt(count)) / 2), 1)  # rank, from 1
    return float(ordered[below - 1]), float(ordered[count - below])


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """Provider, pass and mode of a figure."""

    provider: str  # a provider's name, or "copy" or "add" for a ceiling
    direction: Direction
    mode: Mode

    @property
    def l2(self) -> L2State:
        """State of the cache at the start of each repetition; the autograd path is flushed, too."""
        return "warm" if self.mode == "kernel_warm" else "cold"

    @property
    def ceiling(self) -> "Subject":
        """The ceiling that this is compared with.

        The autograd path has none of its own: it is held against the cold kernel's.
        """
        mode: Mode = "kernel_cold" if self.mode == "autograd" else self.mode
        return Subject(CEILINGS[self.direction], self.direction, mode)


@frozen_by_name(eq=False)
class Figure:
    """A speed, as far as it is known when it is given."""

    provider: str  # "locked", "torch", …, or "copy" and "add" for the ceilings
    direction: str  # one of DIRECTIONS
    mode: str  # one of MODES
    samples_ms: NDArray[np.float64]
    p20_ms: float
    p50_ms: float
    p80_ms: float
    gbps: float  # tutorial bytes over p50_ms
    requested_gbps: float  # all bytes that the kernels ask L2 and memory for, over p50_ms
    # ceiling's median time / this one; None while the ceiling is not measured
    share_of_ceiling: float | None
    # Python's part of one call; None for kernels in a graph, but known for a call that no graph
    # can hold
    host_us: float | None
    settled: bool  # the median stopped moving before time ran out
    verdict: Verdict = "right"  # on the results; a wrong one is timed where somebody insists

    @property
    def subject(self) -> Subject:
        return Subject(self.provider, self.direction, self.mode)  # type: ignore[arg-type]

    def flat(self) -> dict[str, Any]:
        """Return the numbers and the verdict by name, as tables and documents have them."""
        # GB/s is bytes over time, so its 20th percentile is that of the 80th percentile of the
        # times.
        moved = self.gbps * self.p50_ms
        return {
            "gbps": self.gbps,
            "p20_gbps": moved / self.p80_ms if self.p80_ms else None,
            "p80_gbps": moved / self.p20_ms if self.p20_ms else None,
            "p20_ms": self.p20_ms,
            "p50_ms": self.p50_ms,
            "p80_ms": self.p80_ms,
            "requested_gbps": self.requested_gbps,
            "share_of_ceiling": self.share_of_ceiling,
            "samples": int(self.samples_ms.size),
            "host_us": self.host_us,
            "settled": self.settled,
            "verdict": self.verdict,
        }


@frozen
class Refusal:
    """A provider without a time, and why. Direction and mode are None without any time at all."""

    provider: str
    reason: Sentence
    direction: str | None = None
    mode: str | None = None
    kind: RefusalKind = "failed"

    @property
    def sentence(self) -> Sentence:
        if self.mode is None:
            return self.reason
        return say(
            "{direction}, {mode}: {reason}",
            direction=str(self.direction),
            mode=self.mode,
            reason=self.reason,
        )


@frozen_by_name
class Throughput:
    """All figures and refusals of one case, the ceilings among them, and the state of the device
    around it.
    """

    figures: tuple[Figure, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    before: DeviceState | None = None  # when timing began; None where nobody asked
    after: DeviceState | None = None  # when it had ended
    timing_seconds: float = 0.0  # in which candidates and ceilings were being timed

    def is_timed_anyway(self, refusal: Refusal) -> bool:
        """Return True where a refusal is of wrong results that were timed all the same."""
        timed = {figure.provider for figure in self.figures if figure.verdict == "wrong"}
        return refusal.kind == "incorrect" and refusal.provider in timed

    def find(self, provider: str, direction: str, mode: str) -> Figure | None:
        own = [figure for figure in self.figures if figure.provider == provider]
        return find(own, direction, mode)


def find(figures: Iterable[Figure], direction: str, mode: str = "kernel_cold") -> Figure | None:
    """Return the first figure of a pass, called in one way; None where there is none."""
    return next((f for f in figures if (f.direction, f.mode) == (direction, mode)), None)
