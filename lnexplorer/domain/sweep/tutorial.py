"""A sweep over N as the tutorial's benchmark writes it. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lnexplorer.domain.benchmark import BenchmarkRow
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.table import Plain, speed_column
from lnkernels.values.figures import CEILINGS

# As in the tutorial's `line_names`; Triton's perf_report adds the unit.
LINE_NAMES = {"locked": "Triton", "torch": "Torch", "apex": "Apex"}
UNIT = "GB/s"

Rows = Sequence[Mapping[str, Plain]]


def of_one_kind(rows: Rows) -> tuple[Rows, str]:
    """The rows of the GPU that has most of them, and a sentence about the others: unlike GPUs never make one line."""
    counted = Counter(str(row["gpu"]) for row in rows)
    (first, _), *others = counted.most_common()
    if not others:
        return rows, ""
    left_out = ", ".join(f"{count} of {name}" for name, count in others)
    return [
        row for row in rows if str(row["gpu"]) == first
    ], f"the files show {first}; rows of another GPU are left out: {left_out}"


def tutorial_csv(sweep: SweepRequest, rows: Rows, direction: str) -> str:
    """The text of `layer-norm-DIRECTION.csv`: N, then GB/s of each line, six digits behind the point, empty where there is none.

    Source of the form: triton.testing.perf_report of Triton 3.6 and 3.7.
    """
    column = speed_column(direction, sweep.modes[0]) + "_gbps"
    providers = [*sweep.strategies, *sweep.providers]
    lines = [",".join(["N", *(f"{LINE_NAMES.get(name, name)} ({UNIT})" for name in providers)])]
    speeds = {(row["n"], row["provider"]): row[column] for row in rows}
    for n in sorted({row["n"] for row in rows if isinstance(row["n"], int)}):
        values = [speeds.get((n, provider)) for provider in providers]
        lines.append(",".join([f"{n:.6f}", *("" if value is None else f"{value:.6f}" for value in values)]))
    return "\n".join(lines) + "\n"


def chart_rows(sweep: SweepRequest, rows: Rows, direction: str) -> list[BenchmarkRow]:
    """The same figures for a chart, with the ceiling that follows from the first share of it at each N."""
    mode = sweep.modes[0]
    start = speed_column(direction, mode)
    ceilings: dict[int, BenchmarkRow] = {}
    found = [
        BenchmarkRow(
            m=_whole(row["m"]),
            n=_whole(row["n"]),
            dtype=str(row["dtype"]),
            provider=str(row["provider"]),
            direction=direction,
            mode=mode,
            status=str(row["status"]),
            reason=str(row["reason"]),
            gbps=_number(row[f"{start}_gbps"]),
            p20_gbps=_number(row[f"{start}_p20_gbps"]),
            p80_gbps=_number(row[f"{start}_p80_gbps"]),
        )
        for row in rows
    ]
    for row, shown in zip(rows, found, strict=True):
        share = _number(row[f"{start}_share_of_ceiling"])
        if share and shown.gbps and shown.n not in ceilings:
            ceilings[shown.n] = replace(
                shown, provider=CEILINGS[direction], gbps=shown.gbps / share, p20_gbps=None, p80_gbps=None
            )
    return [*ceilings.values(), *found]


def _whole(value: Plain) -> int:
    return value if isinstance(value, int) else 0


def _number(value: Plain) -> float | None:
    return float(value) if isinstance(value, int | float) else None
