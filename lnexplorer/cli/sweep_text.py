"""A sweep as text: its rows, what is best, and what the curve shows."""

from collections.abc import Mapping, Sequence

from lnexplorer.cli.table import aligned
from lnexplorer.cli.wording import harmless
from lnexplorer.domain import wording
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.findings import findings
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.domain.sweep.space import open_settings
from lnexplorer.domain.sweep.table import WAIT, Plain, speed_column

MOST_ROWS = 200
MOST_DOUBTS = 3
ENDINGS = {  # of columns' names, the longer one of two first
    "_counted_gbps": " counted",
    "_gbps": " GB/s",
    "_share_of_ceiling": " of ceiling",
    "_max_abs_error": " error",
}
MOST_BESTS = 8  # that are told in full


def sweep_text(sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]], results: Sequence[CellResult]) -> str:
    """A sweep for people.

    Args:
        sweep: what was asked.
        rows: its rows, by cell.
        results: those of them whose samples are at hand.
    """
    if not rows:
        return "There are no rows."
    parts = []
    if len(rows) <= MOST_ROWS:
        parts.append(aligned([_heads(sweep, rows), *(_line(sweep, rows, row) for row in rows)]))
    found = findings(sweep, results, [str(row["status"]) for row in rows])
    kinds = dict.fromkeys(each.kind for each in found)
    parts += ["\n".join(harmless(str(each.sentence)) for each in found if each.kind == kind) for kind in kinds]
    return "\n\n".join(parts)


def _shown(sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]]) -> list[str]:
    """Columns: what varies, the provider, the kind of GPU where there are several, and what came of it."""
    varied = [axis.name for axis in sweep.axes] if not sweep.search else list(open_settings(sweep))
    names = [*varied, "provider"]
    names += [name for name in ("gpu", "device") if len({row[name] for row in rows}) > 1]
    for direction in sweep.directions:
        for mode in sweep.modes:
            speed = speed_column(direction, mode)
            names += [f"{speed}_gbps", f"{speed}_counted_gbps", f"{speed}_share_of_ceiling"]
    names += [WAIT] if sweep.waits else []
    names = [name for name in names if any(row[name] is not None for row in rows)]
    return [*names, "dx_max_abs_error", "dw_max_abs_error", "status"]


def _heads(sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]]) -> tuple[str, ...]:
    return tuple(_head(name) for name in _shown(sweep, rows))


def _head(name: str) -> str:
    if name in BY_NAME:
        return BY_NAME[name].label
    if name == WAIT:
        return "lock wait"
    for ending, text in ENDINGS.items():
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " ") + text
    return name


def _line(sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]], row: Mapping[str, Plain]) -> tuple[str, ...]:
    cells = [_cell(name, row[name]) for name in _shown(sweep, rows)]
    if row["reason"]:
        cells[-1] += f": {row['reason']}"
    return tuple(map(harmless, cells))


def _cell(name: str, value: Plain) -> str:
    if value is None:
        return wording.ABSENT
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return _number(name, value)
    return str(value).replace("_", " ") if name == "status" else str(value)


def _number(name: str, value: float) -> str:
    if name.endswith("_gbps"):
        return wording.gbps(value)
    if name.endswith("_share_of_ceiling"):
        return wording.share(value)
    if name.endswith("_max_abs_error"):
        return wording.error(value)
    return f"{wording.significant(value / 1e3, 3)} µs" if name == WAIT else str(value)
