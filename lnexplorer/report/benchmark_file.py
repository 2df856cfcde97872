"""A benchmark as files: CSV with a row for each figure, and JSON with everything, samples included.

resources/manual/formats.md explains both. Keys may be added within one schema_version; one that
goes, or changes its meaning, needs the next.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.measuring import PROBLEM_NAMES, Measured
from lnexplorer.domain.request import changed_fields
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.protocol.codec import DecodeError, from_plain, to_plain
from lnexplorer.report.documents import finite, kernel_document
from lnexplorer.report.tables import csv_of, table_of
from lnexplorer.store.files import StoreError, read_at_most, short
from lnexplorer.store.packed import cleaned
from lnkernels.values import Sentence, frozen, frozen_by_name
from lnkernels.values.environment import Environment, Kind
from lnkernels.values.figures import Figure

SCHEMA_VERSION = 1
KIND = "lnexplorer benchmark"
# A hundred times the size of the largest shipped benchmark; in memory a file takes five times more.
MAX_BYTES = 1 << 26
MOST_PARTS = 1 << 22  # values, lists and objects, so that reading takes less than 1 GB
MOST_ROWS = 1 << 16
SAMPLE_DIGITS = 6  # of a time in ms: events are good to 0.5 µs


@frozen_by_name
class BenchmarkRow:
    """A figure, or the reason why there is none.

    GB/s count the tutorial's bytes; a low percentile of GB/s is a long time.
    """

    m: int
    n: int
    dtype: str
    norm: str = "layer_norm"
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
    verdict: str | None = None  # one of `Verdict`; None without a time
    host_us: float | None = None
    warnings: str = ""


COLUMNS = tuple(field.name for field in fields(BenchmarkRow))


@frozen_by_name(eq=False)
class Benchmark:
    """A sweep over N whose candidates were timed together at each N, as far as it has come."""

    sweep: SweepRequest
    command: str
    # By N: the rows, by cell, and the measurements that gave them; several where a candidate took
    # its worker along.
    points: Mapping[int, tuple[Sequence[CellResult], Sequence[Measured]]]
    finished: bool

    @property
    def results(self) -> list[CellResult]:
        return [result for results, _ in self.points.values() for result in results]

    @property
    def environment(self) -> Environment | None:
        """Return the newest environment that is known."""
        return next((result.environment for result in reversed(self.results)), None)

    @property
    def timing_seconds(self) -> float:
        return sum(each.timing_seconds for _, parts in self.points.values() for each in parts)

    def ceilings(self, n: int) -> tuple[Figure, ...]:
        """Return the figures of a copy and an addition of the same bytes."""
        return next((each.ceilings for each in self.points[n][1] if each.ceilings), ())

    def warnings(self, n: int) -> list[Sentence]:
        return list(dict.fromkeys(note for result in self.points[n][0] for note in result.notes))

    def rows(self, n: int | None = None) -> list[BenchmarkRow]:
        """Return a row for each candidate, pass and mode, the ceilings' first; of one N or all."""
        wanted = self.points if n is None else (n,)
        return [row for each in wanted for row in self._rows(each)]

    def _rows(self, n: int) -> list[BenchmarkRow]:
        base = self.sweep.base
        ceilings = self.ceilings(n)
        speeds = {figure.subject: figure.gbps for figure in ceilings}
        timed = {"warnings": " ".join(map(str, self.warnings(n)))}

        def row(provider: str, way: tuple[str, str], figure: Figure | None, **more: Any) -> Any:
            if figure is not None:
                ceiling = speeds.get(figure.subject.ceiling)
                more |= {**timed, **figure.flat(), "ceiling_gbps": ceiling}
            more |= {"direction": way[0], "mode": way[1], "provider": provider}
            return BenchmarkRow(m=base.m or 0, n=n, dtype=base.dtype, norm=base.norm, **more)

        found = [
            row(each.provider, (each.direction, each.mode), each, status="ok", reason="")
            for each in ceilings
        ]
        for result in self.points[n][0]:
            for way in product(self.sweep.directions, self.sweep.modes):
                figure = result.figure(*way)
                status = "failed" if result.status == "ok" and figure is None else result.status
                right = figure is not None and figure.verdict == "right"
                reason = "" if right else str(result.reason or "")
                found.append(row(result.cell.provider, way, figure, status=status, reason=reason))
        return found


@frozen
class RecordedBenchmark:
    """A benchmark read from a file, as far as charts show it."""

    environment: Environment | None
    command: str
    rows: tuple[BenchmarkRow, ...]
    # ms, by N, provider, direction and mode
    samples: Mapping[tuple[int, str, str, str], NDArray[np.float64]]


def benchmark_csv(benchmark: Benchmark) -> str:
    return csv_of(table_of([asdict(row) for row in benchmark.rows()], COLUMNS))


def benchmark_document(benchmark: Benchmark) -> dict[str, Any]:
    """Return everything, ready for JSON; a number that is not finite is None."""
    sweep, environment = benchmark.sweep, benchmark.environment
    document: dict[str, Any] = finite(
        {
            "schema_version": SCHEMA_VERSION,
            "kind": KIND,
            "provenance": {"kind": Kind.MEASURED.value, "environment": to_plain(environment)},
            "command": benchmark.command,
            "problem": {name: getattr(sweep.base, name) for name in PROBLEM_NAMES if name != "n"},
            "directions": list(sweep.directions),
            "modes": list(sweep.modes),
            "finished": benchmark.finished,
            "rows": [asdict(row) for row in benchmark.rows()],
            "points": [_point(benchmark, n) for n in benchmark.points],
        }
    )
    return document


def file_text(document: dict[str, Any]) -> str:
    """Return the document as the text of a file, without a line for each sample."""
    return json.dumps(document, allow_nan=False, ensure_ascii=False) + "\n"


def read_benchmark(path: Path) -> RecordedBenchmark:
    """Read the rows of a benchmark's JSON.

    Raises:
        StoreError: the file cannot be read, or holds no benchmark of a version that is known.
    """
    told, data = partial(StoreError, path=path), read_at_most(path, MAX_BYTES)
    if sum(map(data.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise told("{path} cannot be opened: it has more than {most} values.", most=MOST_PARTS)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise told("{path} is not JSON: it is damaged, or no benchmark.") from error
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise told("{path} holds no benchmark.")
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        raise told(
            "{path} is of version {version}; this program reads version {known}.",
            version=short(repr(version)),
            known=SCHEMA_VERSION,
        )
    if isinstance(found := document.get("rows"), list) and len(found) > MOST_ROWS:
        raise told("{path} cannot be opened: it has more than {most} rows.", most=MOST_ROWS)
    try:
        return RecordedBenchmark(
            environment=(
                None
                if (where := document["provenance"]["environment"]) is None
                else cleaned(from_plain(where, Environment))
            ),
            command=str(document["command"]),
            rows=tuple(cleaned(from_plain(row, BenchmarkRow)) for row in document["rows"]),
            samples={
                (point["n"], label, figure["direction"], figure["mode"]): np.array(
                    figure["samples_ms"], np.float64
                )
                for point in document["points"]
                for label, candidate in point["candidates"].items()
                for figure in candidate["figures"]
            },
        )
    except (KeyError, TypeError, ValueError, AttributeError, DecodeError) as error:
        raise told("{path} is damaged ({why}).", why=short(error)) from error


def _point(benchmark: Benchmark, n: int) -> dict[str, Any]:
    results, parts = benchmark.points[n]
    return {
        "n": n,
        "before": to_plain(parts[0].before if parts else None),
        "after": to_plain(parts[-1].after if parts else None),
        "warnings": benchmark.warnings(n),
        "timing_seconds": sum(each.timing_seconds for each in parts),
        "total_seconds": sum(each.total_seconds for each in parts),
        "ceilings": [_samples(figure) for figure in benchmark.ceilings(n)],
        "candidates": {result.cell.provider: _candidate(result) for result in results},
    }


def _candidate(result: CellResult) -> dict[str, Any]:
    request = result.cell.request
    return {
        "status": result.status,
        "verdict": result.verdict,
        "reason": result.reason,
        "setting": (
            None if result.cell.peer else changed_fields(request) | {"strategy": request.strategy}
        ),
        "errors": {
            each.name: {key: value for key, value in asdict(each).items() if key != "name"}
            for each in result.errors
        },
        "compiled": {facts.name: kernel_document(facts) for facts in result.compiled},
        "figures": [_samples(figure) for figure in result.figures],
    }


def _samples(figure: Figure) -> dict[str, Any]:
    return {
        "direction": figure.direction,
        "mode": figure.mode,
        "samples_ms": [round(float(sample), SAMPLE_DIGITS) for sample in figure.samples_ms],
    }
