"""An experiment as text: what is seen, and the figures that say so."""

from collections.abc import Iterable

from lnexplorer.domain.experiments.findings import (
    ExperimentResult,
)
from lnexplorer.domain.experiments.words import TITLES, facts, seen, table


def experiment_text(result: ExperimentResult) -> str:
    """Title, what is seen, a table, and what stands beside it."""
    resolved, environment = result.resolved, result.provenance.environment
    where = environment.gpu or "Triton's interpreter"
    head = f"{TITLES[result.request.name]}: {resolved.m}×{resolved.n} {resolved.dtype}, {where}, {result.provenance.kind.value}"
    return "\n".join([head, "", seen(result), "", *_aligned(table(result)), "", *map(str, facts(result))]).rstrip()


def _aligned(lines: list[list[str]]) -> Iterable[str]:
    widths = [max(len(line[place]) for line in lines if place < len(line)) for place in range(max(map(len, lines), default=0))]
    for line in lines:
        cells = [
            f"{cell:<{width}}" if place == 0 else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(line, widths, strict=False))
        ]
        yield "  ".join(cells).rstrip()
