"""The JSON of a sweep: what `lnexplorer sweep --json` prints. Its rows have the columns of the CSV file.

Keys may be added within one schema_version; one that goes, or changes its meaning, needs the next.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lnexplorer.domain.comparison import Interval
from lnexplorer.domain.measuring import STATUSES
from lnexplorer.domain.sweep.best import best, measures
from lnexplorer.domain.sweep.cells import VERSION, CellResult
from lnexplorer.domain.sweep.curves import crossings_between, setting_changes
from lnexplorer.domain.sweep.request import SweepRequest, sweep_command
from lnexplorer.domain.sweep.table import Plain


def sweep_document(
    sweep: SweepRequest,
    rows: Sequence[Mapping[str, Plain]],
    results: Iterable[CellResult],
    ended: tuple[str, str],
    times: Mapping[str, float],
) -> dict[str, Any]:
    """A sweep as dicts, lists, strings, numbers and None, ready for JSON.

    Args:
        sweep: what was asked.
        rows: its rows as `lnexplorer.domain.sweep.table` makes them, by cell.
        results: those of them whose samples are at hand: for what is best, and for curves.
        ended: "finished", "cancelled" or "failed", and why, where that needs words.
        times: seconds of the sweep, by name.
    """
    known = list(results)
    counted = Counter(str(row["status"]) for row in rows)
    return {
        "schema_version": VERSION,
        "sweep": {
            "command": sweep_command(sweep),
            "axes": {axis.name: list(axis.values) for axis in sweep.axes},
            "strategies": list(sweep.strategies),
            "providers": list(sweep.providers),
            "modes": list(sweep.directions),
            "timing": list(sweep.modes),
            "effort": sweep.effort,
        },
        "ended": ended[0],
        "because": ended[1],
        "counts": {status: counted[status] for status in STATUSES},
        "times": dict(times),
        "best": [entry for directions, mode in measures(sweep) for entry in _best(known, directions, mode)],
        "changes": _changes(sweep),
        "crossings": [
            entry for direction in sweep.directions for mode in sweep.modes for entry in _crossings(sweep, known, direction, mode)
        ],
        "rows": [{name: value for name, value in row.items() if name not in ("schema_version", "sweep")} for row in rows],
    }


def _best(results: list[CellResult], directions: tuple[str, ...], mode: str) -> list[dict[str, Any]]:
    return [
        {
            "mode": ",".join(directions),  # of a search all that it times together, written as --mode takes them
            "timing": mode,
            "cell": found.result.cell.number,
            "provider": found.result.cell.provider,
            "gpu": found.result.environment.gpu,
            "p50_ms": found.time_ms.value,
            "p50_ms_interval": _ends(found.time_ms),
            "sure": found.sure,
            "next_cell": None if found.next is None else found.next.cell.number,
            "advantage": None if found.advantage is None else found.advantage.value,
            "advantage_interval": _ends(found.advantage),
        }
        for found in best(results, directions, mode)
    ]


def _ends(interval: Interval | None) -> list[float] | None:
    return [interval.low, interval.high] if interval is not None and interval.is_known else None


def _changes(sweep: SweepRequest) -> list[dict[str, Any]]:
    if [axis.name for axis in sweep.axes] != ["n"] or "locked" not in sweep.strategies:
        return []
    ns = [value for value in sweep.axes[0].values if isinstance(value, int) and value > 0]
    return [
        {"n": change.at, "name": change.name, "before": change.before, "after": change.after}
        for change in setting_changes(sweep.base, ns)
    ]


def _crossings(sweep: SweepRequest, results: list[CellResult], direction: str, mode: str) -> list[dict[str, Any]]:
    return [
        {
            "mode": direction,
            "timing": mode,
            sweep.axes[0].name: crossing.x,
            "ahead_before": crossing.ahead_before,
            "ahead_after": crossing.ahead_after,
        }
        for crossing in crossings_between(sweep, results, direction, mode)
    ]
