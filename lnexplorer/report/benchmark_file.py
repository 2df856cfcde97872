"""A benchmark as files: CSV with a row for each figure, and JSON with everything, samples included.
README explains both.

Keys may be added within one schema_version; one that goes, or changes its meaning, needs the next.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lnexplorer.domain.benchmark import COLUMNS, Benchmark, BenchmarkRow, rows
from lnexplorer.domain.measuring import CandidateOutcome, Measured
from lnexplorer.domain.request import changed_fields
from lnexplorer.protocol.codec import DecodeError, from_plain
from lnexplorer.report.documents import finite, kernel_document
from lnexplorer.report.tables import csv_of, table_of
from lnexplorer.store.files import StoreError, read_at_most, short
from lnexplorer.store.packed import cleaned
from lnkernels.values.environment import Environment
from lnkernels.values.figures import Figure
from lnkernels.values.sentence import say

SCHEMA_VERSION = 1
KIND = "lnexplorer benchmark"
MAX_BYTES = (
    1 << 26
)  # a hundred times what the largest that is shipped has; in memory it is five times as much
MOST_PARTS = 1 << 22  # values, lists and objects, so that reading takes less than 1 GB
MOST_ROWS = 1 << 16
SAMPLE_DIGITS = 6  # of a time in ms: events are good to 0.5 µs


@dataclass(frozen=True, slots=True)
class RecordedBenchmark:
    """A benchmark read from a file, as much of it as a chart shows."""

    environment: Environment | None
    command: str
    rows: tuple[BenchmarkRow, ...]
    samples: Mapping[
        tuple[int, str, str, str], NDArray[np.float64]
    ]  # ms, by N, provider, direction and mode


def benchmark_csv(benchmark: Benchmark) -> str:
    return csv_of(
        table_of(
            [asdict(row) for point in benchmark.points for row in rows(benchmark, point)], COLUMNS
        )
    )


def benchmark_document(benchmark: Benchmark) -> dict[str, Any]:
    """Everything, ready for JSON; a number that is not finite is None."""
    problem = benchmark.problem
    document: dict[str, Any] = finite(
        {
            "schema_version": SCHEMA_VERSION,
            "kind": KIND,
            "provenance": {
                "kind": benchmark.kind.value,
                "environment": (
                    None if benchmark.environment is None else asdict(benchmark.environment)
                ),
            },
            "command": benchmark.command,
            "problem": {
                name: getattr(problem, name) for name in ("m", "dtype", "eps", "data", "seed")
            },
            "directions": list(benchmark.directions),
            "modes": list(benchmark.modes),
            "finished": benchmark.finished,
            "rows": [asdict(row) for point in benchmark.points for row in rows(benchmark, point)],
            "points": [_point(point) for point in benchmark.points],
        }
    )
    return document


def file_text(document: dict[str, Any]) -> str:
    """The document as the text of a file, without the line breaks that would make thousands of
    samples thousands of lines.
    """
    return json.dumps(document, allow_nan=False, ensure_ascii=False) + "\n"


def read_benchmark(path: Path) -> RecordedBenchmark:
    """The rows of a benchmark's JSON.

    Raises:
        StoreError: the file cannot be read, or holds no benchmark of a version that is known.
    """
    data = read_at_most(path, MAX_BYTES)
    if sum(map(data.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise StoreError(
            say(
                "{path} cannot be opened: it has more than {most} values.",
                path=str(path),
                most=MOST_PARTS,
            )
        )
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise StoreError(
            say("{path} is not JSON: it is damaged, or no benchmark.", path=str(path))
        ) from error
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise StoreError(say("{path} holds no benchmark.", path=str(path)))
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        raise StoreError(
            say(
                "{path} is of version {version}; this program reads version {known}.",
                path=str(path),
                version=short(repr(version)),
                known=SCHEMA_VERSION,
            )
        )
    if isinstance(found := document.get("rows"), list) and len(found) > MOST_ROWS:
        raise StoreError(
            say(
                "{path} cannot be opened: it has more than {most} rows.",
                path=str(path),
                most=MOST_ROWS,
            )
        )
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
        raise StoreError(
            say("{path} is damaged ({why}).", path=str(path), why=short(error))
        ) from error


def _point(point: Measured) -> dict[str, Any]:
    return {
        "n": point.problem.n,
        "before": None if point.before is None else asdict(point.before),
        "after": None if point.after is None else asdict(point.after),
        "warnings": list(point.warnings),
        "timing_seconds": point.timing_seconds,
        "total_seconds": point.total_seconds,
        "ceilings": [_samples(figure) for figure in point.ceilings],
        "candidates": {outcome.label: _candidate(outcome) for outcome in point.outcomes},
    }


def _candidate(outcome: CandidateOutcome) -> dict[str, Any]:
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "setting": (
            None
            if outcome.setting is None
            else changed_fields(outcome.setting) | {"strategy": outcome.setting.strategy}
        ),
        "errors": {
            each.name: {key: value for key, value in asdict(each).items() if key != "name"}
            for each in outcome.errors
        },
        "compiled": {facts.name: kernel_document(facts) for facts in outcome.compiled},
        "figures": [_samples(figure) for figure in outcome.figures],
    }


def _samples(figure: Figure) -> dict[str, Any]:
    return {
        "direction": figure.direction,
        "mode": figure.mode,
        "samples_ms": [round(float(sample), SAMPLE_DIGITS) for sample in figure.samples_ms],
    }
