"""A benchmark: several candidates on one problem at several N, and its figures as rows."""

from dataclasses import dataclass

from lnexplorer.domain.measuring import CandidateOutcome, Measured
from lnexplorer.domain.request import RunRequest
from lnkernels.sentence import Sentence
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.figures import Figure

COLUMNS = (
    "m",
    "n",
    "dtype",
    "provider",
    "direction",
    "mode",
    "status",
    "reason",
    "gbps",
    "p20_gbps",
    "p80_gbps",
    "counted_gbps",
    "ceiling_gbps",
    "share_of_ceiling",
    "p20_ms",
    "p50_ms",
    "p80_ms",
    "samples",
    "settled",
    "host_us",
    "warnings",
)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BenchmarkPoint:
    """What became of all candidates at one N, whatever happened to the worker on the way."""

    n: int
    outcomes: tuple[CandidateOutcome, ...]
    ceilings: tuple[Figure, ...]
    before: Environment | None  # None where the worker was lost before it was known
    after: Environment | None
    warnings: tuple[Sentence, ...]
    timing_seconds: float
    total_seconds: float

    def ceiling(self, direction: str, mode: str) -> Figure | None:
        """What the same bytes take; the autograd path is held against cold kernels."""
        wanted = "kernel_cold" if mode == "autograd" else mode
        return next((each for each in self.ceilings if (each.direction, each.mode) == (direction, wanted)), None)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Benchmark:
    """All points so far, on one device."""

    problem: RunRequest  # m, dtype, eps, data and seed count
    directions: tuple[str, ...]
    modes: tuple[str, ...]
    command: str
    kind: Kind
    points: tuple[BenchmarkPoint, ...]
    finished: bool  # all of N were tried

    @property
    def environment(self) -> Environment | None:
        """The newest that is known."""
        return next((point.after for point in reversed(self.points) if point.after is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRow:
    """One figure, or why there is none. GB/s of the tutorial's bytes; a low percentile of GB/s is a long time."""

    m: int
    n: int
    dtype: str
    provider: str
    direction: str
    mode: str
    status: str
    reason: str
    gbps: float | None = None
    p20_gbps: float | None = None
    p80_gbps: float | None = None
    counted_gbps: float | None = None
    ceiling_gbps: float | None = None
    share_of_ceiling: float | None = None
    p20_ms: float | None = None
    p50_ms: float | None = None
    p80_ms: float | None = None
    samples: int = 0
    settled: bool | None = None
    host_us: float | None = None
    warnings: str = ""


def point_of(measured: Measured) -> BenchmarkPoint:
    """The point of one finished measurement."""
    n = measured.problem.n
    assert n is not None, "a measured problem has its shape written out"
    return BenchmarkPoint(
        n=n,
        outcomes=measured.outcomes,
        ceilings=measured.ceilings,
        before=measured.before,
        after=measured.after,
        warnings=measured.warnings,
        timing_seconds=measured.timing_seconds,
        total_seconds=measured.total_seconds,
    )


def rows(benchmark: Benchmark, point: BenchmarkPoint) -> list[BenchmarkRow]:
    """One row for each candidate, pass and mode, the ceilings' first."""
    found = [
        _row(benchmark, point, ceiling.provider, ceiling.direction, ceiling.mode, ceiling, ("ok", ""))
        for ceiling in point.ceilings
    ]
    for outcome in point.outcomes:
        for direction in benchmark.directions:
            for mode in benchmark.modes:
                figure = outcome.figure(direction, mode)
                missing = outcome.status == "ok" and figure is None
                state = ("failed" if missing else outcome.status, "" if figure is not None else str(outcome.reason or ""))
                found.append(_row(benchmark, point, outcome.label, direction, mode, figure, state))
    return found


def _row(
    benchmark: Benchmark,
    point: BenchmarkPoint,
    provider: str,
    direction: str,
    mode: str,
    figure: Figure | None,
    state: tuple[str, str],
) -> BenchmarkRow:
    m = benchmark.problem.m
    assert m is not None, "a benchmark names its M"
    status, reason = state
    known: dict[str, object] = {}
    if figure is not None:
        moved = figure.gbps * figure.p50_ms
        ceiling = point.ceiling(direction, mode)
        known = {
            "gbps": figure.gbps,
            "p20_gbps": moved / figure.p80_ms if figure.p80_ms else None,
            "p80_gbps": moved / figure.p20_ms if figure.p20_ms else None,
            "counted_gbps": figure.counted_gbps,
            "ceiling_gbps": None if ceiling is None else ceiling.gbps,
            "share_of_ceiling": figure.share_of_ceiling,
            "p20_ms": figure.p20_ms,
            "p50_ms": figure.p50_ms,
            "p80_ms": figure.p80_ms,
            "samples": int(figure.samples_ms.size),
            "settled": figure.settled,
            "host_us": figure.host_us,
            "warnings": " ".join(map(str, point.warnings)),
        }
    return BenchmarkRow(
        m=m,
        n=point.n,
        dtype=benchmark.problem.dtype,
        provider=provider,
        direction=direction,
        mode=mode,
        status=status,
        reason=reason,
        **known,  # type: ignore[arg-type]  # of the types that the fields declare
    )
