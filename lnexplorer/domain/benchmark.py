"""A benchmark: several candidates on one problem at several N, and its figures as rows."""

from dataclasses import dataclass, fields
from typing import Any

from lnexplorer.domain.measuring import Measured
from lnexplorer.domain.request import RunRequest
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.figures import Figure


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Benchmark:
    """All points so far, on one device."""

    problem: RunRequest  # m, dtype, eps, data and seed count
    directions: tuple[str, ...]
    modes: tuple[str, ...]
    command: str
    kind: Kind
    points: tuple[
        Measured, ...
    ]  # what became of all candidates at each N, whatever happened to the worker on the way
    finished: bool  # all of N were tried

    @property
    def environment(self) -> Environment | None:
        """The newest that is known."""
        return next(
            (point.after for point in reversed(self.points) if point.after is not None), None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRow:
    """One figure, or why there is none. GB/s of the tutorial's bytes; a low percentile of GB/s is a
    long time.
    """

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
    requested_gbps: float | None = None
    ceiling_gbps: float | None = None
    share_of_ceiling: float | None = None
    p20_ms: float | None = None
    p50_ms: float | None = None
    p80_ms: float | None = None
    samples: int = 0
    settled: bool | None = None
    host_us: float | None = None
    warnings: str = ""


COLUMNS = tuple(field.name for field in fields(BenchmarkRow))


def rows(benchmark: Benchmark, point: Measured) -> list[BenchmarkRow]:
    """One row for each candidate, pass and mode, the ceilings' first."""
    ceilings = {figure.subject: figure for figure in point.ceilings}
    common = {"m": benchmark.problem.m, "n": point.problem.n, "dtype": benchmark.problem.dtype}

    def row(
        provider: str, direction: str, mode: str, figure: Figure | None, status: str, reason: str
    ) -> BenchmarkRow:
        known: dict[str, Any] = {
            **common,
            "provider": provider,
            "direction": direction,
            "mode": mode,
        }
        if figure is not None:
            ceiling = ceilings.get(figure.subject.ceiling)
            known |= {**figure.flat(), "warnings": " ".join(map(str, point.warnings))}
            known["ceiling_gbps"] = None if ceiling is None else ceiling.gbps
        return BenchmarkRow(status=status, reason=reason, **known)

    found = [
        row(each.provider, each.direction, each.mode, each, "ok", "") for each in point.ceilings
    ]
    for outcome in point.outcomes:
        for direction in benchmark.directions:
            for mode in benchmark.modes:
                figure = outcome.figure(direction, mode)
                status = "failed" if outcome.status == "ok" and figure is None else outcome.status
                reason = "" if figure is not None else str(outcome.reason or "")
                found.append(row(outcome.label, direction, mode, figure, status, reason))
    return found
