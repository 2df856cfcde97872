"""A part of the last run's error map in full resolution."""

from dataclasses import dataclass

import torch

from lnexplorer.protocol.messages import Inspect
from lnkernels.error_maps import PooledMap
from lnkernels.inputs import Inputs
from lnkernels.launch import Problem
from lnkernels.reference import rows_per_chunk, true_rows
from lnkernels.results import KernelResults
from lnkernels.values.accuracy import ErrorMap

KEPT_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class LastRun:
    """What an inspection needs of a finished run. The truth is computed again, for the rows that are looked at."""

    inputs: Inputs
    results: KernelResults
    eps: float

    @property
    def nbytes(self) -> int:
        """Memory that it holds, in bytes; the four matrices are nearly all of it."""
        return sum(t.nbytes for t in (self.inputs.x, self.inputs.dy, self.results.y, self.results.dx))


def impossible(last: LastRun | None, asked: Inspect) -> list[Problem]:
    """Why there is nothing to inspect; empty when there is."""
    if last is None:
        return [Problem("tensor", asked.tensor, f"run first; of runs beyond {KEPT_BYTES >> 30} GiB nothing is kept")]
    if asked.tensor not in {"y", "dx"}:
        return [Problem("tensor", asked.tensor, "choose y or dx")]
    m, n = last.inputs.x.shape
    problems = []
    for field, start, stop, limit in (
        ("row", asked.row_start, asked.row_stop, m),
        ("column", asked.column_start, asked.column_stop, n),
    ):
        if not 0 <= start < stop <= limit:
            problems.append(Problem(f"{field}_start", f"{start} to {stop}", f"take a part of 0 to {limit}"))
    return problems


def inspect(last: LastRun, asked: Inspect) -> ErrorMap:
    """|kernel − truth| of the part that was asked for, pooled only as far as it is larger than a map."""
    rows, columns = asked.row_stop - asked.row_start, slice(asked.column_start, asked.column_stop)
    pooled = PooledMap(rows, columns.stop - columns.start)
    result: torch.Tensor = getattr(last.results, asked.tensor)
    step = rows_per_chunk(last.inputs.x.shape[1], result.device, pooled.window_rows)
    for start in range(asked.row_start, asked.row_stop, step):
        part = slice(start, min(start + step, asked.row_stop))
        truth = true_rows(last.inputs, last.eps, part)
        pooled.add(part, result[part, columns], getattr(truth, asked.tensor)[:, columns])
    return ErrorMap(
        name=asked.tensor,
        row_start=asked.row_start,
        rows=rows,
        column_start=asked.column_start,
        columns=asked.column_stop - asked.column_start,
        values=pooled.values.cpu().numpy(),
    )
