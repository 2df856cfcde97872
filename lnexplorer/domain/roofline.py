"""The roofline: arithmetic of a pass per byte, below what memory and arithmetic allow."""

from lnexplorer.domain.result import RunResult
from lnexplorer.domain.wording import significant
from lnkernels.launch import KNOWN_DEVICES, DeviceLimits
from lnkernels.values import Sentence, frozen, say
from lnkernels.values.figures import CEILINGS, Figure

# Additions and multiplications of an element of x, counted in the kernels: the sum, the rough mean
# subtracted, what is left summed, squared and summed, then mean, rstd, weight and bias. Backward:
# x̂, w · dy, both means, dx, the partial sum of dw, and two additions to the buffers.
OPERATIONS = {"forward": 9, "backward": 13}
# Multiply-adds of float32 that an SM does in a clock, by compute capability, and of others: CUDA
# C++ Programming Guide, throughput of native arithmetic instructions.
MULTIPLY_ADDS = {(7, 0): 64, (7, 5): 64, (8, 0): 64}
USUAL_MULTIPLY_ADDS = 128


@frozen(eq=False)
class RooflinePoint:
    """A measured pass."""

    name: Sentence
    intensity: float  # operations a byte
    gflops: float
    l2: Sentence | None = None  # how often L2 had what was asked for, where that was counted


@frozen
class Peak:
    """The peak of arithmetic."""

    sm_count: int
    multiply_adds: int  # of an SM in a clock
    clock_mhz: int

    @property
    def gflops(self) -> float:
        return self.sm_count * self.multiply_adds * 2 * self.clock_mhz / 1e3

    def sentence(self) -> Sentence:
        return say(
            "{sms} SMs · {operations} operations · {clock} MHz = {peak} TFLOP/s of float32",
            sms=self.sm_count,
            operations=2 * self.multiply_adds,
            clock=f"{self.clock_mhz:,}",
            peak=significant(self.gflops / 1e3, 3),
        )


@frozen(eq=False)
class Roofline:
    """Measured passes below what memory and arithmetic allow."""

    ceiling_gbps: float
    peak: Peak
    points: tuple[RooflinePoint, ...]

    def sentence(self) -> Sentence:
        """Say what sets the limit of the passes."""
        return say(
            "{intensity} operations a byte: memory sets the limit, at {gbps} GB/s. From {ridge} on"
            " it would be arithmetic.",
            intensity=significant(max(point.intensity for point in self.points), 2),
            gbps=significant(self.ceiling_gbps, 3),
            ridge=significant(self.peak.gflops / self.ceiling_gbps, 2),
        )


def operations(direction: str, m: int, n: int, buffers: int) -> int:
    """Count additions and multiplications of a pass; of the backward one with those of stage 2."""
    return OPERATIONS[direction] * m * n + (2 * buffers * n if direction == "backward" else 0)


def cold_figure(result: RunResult, provider: str, direction: str) -> Figure | None:
    """Return the figure of the kernels alone, with a cold L2."""
    figure = result.candidate(provider).figure(direction)
    return figure if figure is not None and figure.gbps > 0 else None


def measured_pass(
    result: RunResult, direction: str, l2: Sentence | None = None
) -> RooflinePoint | None:
    """Return the point of a run's pass; None where it has no time, or a wrong result."""
    resolved = result.resolved
    figure = cold_figure(result, resolved.launch.strategy, direction)
    if figure is None or not result.correctness.passed:
        return None
    buffers = resolved.buffers
    name = say("forward, N = {n}", n=resolved.n)
    if direction == "backward":
        name = say("backward, N = {n}, {buffers} buffers", n=resolved.n, buffers=buffers)
        name = name if buffers > 1 else say("backward, N = {n}, 1 buffer", n=resolved.n)
    done = operations(direction, resolved.m, resolved.n, buffers)
    return RooflinePoint(
        name, done / (figure.gbps * figure.p50_ms * 1e6), done / figure.p50_ms / 1e6, l2
    )


def roofline(result: RunResult, here: DeviceLimits | None = None) -> Roofline | None:
    """Return both passes of a run below its roof: the faster of a copy and of a + b → c, and the
    arithmetic of its GPU.

    None where it has no times, no ceiling, or a GPU whose SMs or clock are not known, and that is
    not the one here.
    """
    points = [
        point
        for point in (measured_pass(result, direction) for direction in OPERATIONS)
        if point is not None
    ]
    ceilings = [
        figure.gbps
        for direction, name in CEILINGS.items()
        if (figure := cold_figure(result, name, direction))
    ]
    environment, known = (
        result.provenance.environment,
        KNOWN_DEVICES if here is None else (here, *KNOWN_DEVICES),
    )
    limits = next((limits for limits in known if limits.name == environment.gpu), None)
    if not points or not ceilings or limits is None or environment.sm_clock_mhz is None:
        return None
    each = MULTIPLY_ADDS.get(limits.compute_capability, USUAL_MULTIPLY_ADDS)
    return Roofline(
        max(ceilings), Peak(limits.sm_count, each, environment.sm_clock_mhz), tuple(points)
    )
