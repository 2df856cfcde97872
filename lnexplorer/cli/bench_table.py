"""A benchmark as a table, point by point."""

from collections.abc import Sequence

from lnexplorer.domain import wording
from lnexplorer.domain.benchmark import Benchmark, BenchmarkPoint, BenchmarkRow, rows
from lnkernels.values.figures import CEILINGS

HEADS = ("N", "pass", "mode", "provider", "GB/s", "counted", "p20–p80", "of ceiling", "median", "host")
WIDTHS = (6, 8, 12, 15, 7, 7, 11, 10, 8, 8)
RIGHT = frozenset((0, 4, 5, 7, 8, 9))


def head_line() -> str:
    """Names of the columns."""
    return _line(HEADS)


def point_text(benchmark: Benchmark, point: BenchmarkPoint, *, quiet: frozenset[str]) -> str:
    """The lines of one N: speeds, the fastest of each pass and mode first, then who has none and why, then what makes one doubt.

    Args:
        benchmark: what the point is of.
        point: the point.
        quiet: labels whose refusal has been told before.
    """
    found = rows(benchmark, point)
    lines = [
        _line(_cells(row))
        for mode in benchmark.modes
        for direction in benchmark.directions
        for row in sorted(_timed(found, direction, mode), key=_order)
    ]
    for outcome in point.outcomes:
        if outcome.reason and outcome.label not in quiet:
            status = "" if outcome.status == "ok" else f"{outcome.status.replace('_', ' ')}: "
            lines.append(f"{point.n:>6}  {outcome.label}: {status}{outcome.reason}")
    lines += [f"{point.n:>6}  note: {warning}" for warning in point.warnings]
    return "\n".join(lines)


def end_text(benchmark: Benchmark, seconds: float) -> str:
    """Where and how long."""
    timing = sum(point.timing_seconds for point in benchmark.points)
    share = wording.share(timing / seconds) if seconds > 0 else wording.ABSENT
    values = wording.counted(len(benchmark.points), "value")
    lines = [f"{values} of N in {seconds:.1f} s; the GPU was timing for {timing:.1f} s, {share}."]
    if (environment := benchmark.environment) is not None:
        software = f"torch {environment.torch}, triton {environment.triton}"
        lines.append(f"{environment.gpu}, driver {environment.driver}, {software}, {environment.date}")
    return "\n".join(lines)


def _timed(found: Sequence[BenchmarkRow], direction: str, mode: str) -> list[BenchmarkRow]:
    return [row for row in found if (row.direction, row.mode) == (direction, mode) and row.gbps is not None]


def _order(row: BenchmarkRow) -> tuple[bool, float]:
    return row.provider not in CEILINGS.values(), -(row.gbps or 0.0)


def _cells(row: BenchmarkRow) -> tuple[str, ...]:
    spread = wording.ABSENT
    if row.p20_gbps is not None and row.p80_gbps is not None:
        spread = f"{wording.gbps(row.p20_gbps)}–{wording.gbps(row.p80_gbps)}"
    ceiling = row.provider in CEILINGS.values()
    return (
        str(row.n),
        row.direction,
        row.mode.replace("_", ", "),
        f"({row.provider})" if ceiling else row.provider,
        wording.gbps(row.gbps),
        wording.gbps(row.counted_gbps),  # of all bytes that the kernels move, beside those that the tutorial counts
        spread,
        "" if ceiling else wording.share(row.share_of_ceiling),
        wording.milliseconds(row.p50_ms or 0.0),
        "" if row.host_us is None else wording.microseconds(row.host_us),
    )


def _line(cells: Sequence[str]) -> str:
    placed = [
        cell.rjust(width) if column in RIGHT else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
    ]
    return "  ".join(placed).rstrip()
