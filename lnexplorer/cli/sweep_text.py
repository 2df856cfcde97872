"""A sweep as text: its rows, what is best, and what the curve shows."""

from collections import Counter
from collections.abc import Mapping, Sequence

from lnexplorer.cli.sweep_progress import cell_words
from lnexplorer.cli.table import aligned
from lnexplorer.cli.wording import harmless
from lnexplorer.domain import wording
from lnexplorer.domain.comparison import LEAST_SAMPLES
from lnexplorer.domain.measuring import PROBLEM_NAMES, STATUSES
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.ranges import write_values
from lnexplorer.domain.sweep.best import Best, BestRun, best, best_runs, measures, strategy_of
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.curves import crossings_between, setting_changes
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
    counted = Counter(str(row["status"]) for row in rows)
    counts = ", ".join(f"{counted[status]} {status.replace('_', ' ')}" for status in STATUSES if counted[status])
    parts.append(f"{wording.counted(len(rows), 'setting')}: {counts}.")
    ordered = sorted(results, key=lambda result: result.cell.number)
    parts += _bests(sweep, ordered) if _has_rivals(sweep) else []
    parts += _doubts(rows)
    parts += _changes(sweep) + _crossings(sweep, ordered)
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


def _has_rivals(sweep: SweepRequest) -> bool:
    """Whether several settings were tried on one problem, so that one of them is best."""
    problem = ("m", "n", "dtype", "data", "seed", "eps")
    return bool(sweep.search) or len(sweep.strategies) > 1 or any(axis.name not in problem for axis in sweep.axes)


def _bests(sweep: SweepRequest, results: Sequence[CellResult]) -> list[str]:
    """What is best by each way of timing: in full where the problems are few, else from where to where along the axis it is."""
    found = {measure: best(results, *measure) for measure in measures(sweep)}
    if sum(map(len, found.values())) <= MOST_BESTS * len(sweep.modes):
        lines = [_best(sweep, _timed(sweep, *measure), each) for measure, bests in found.items() for each in bests]
    else:
        lines = [line for measure, bests in found.items() for line in _along(sweep, _timed(sweep, *measure), bests)]
    return ["\n".join(lines)] if lines else []


def _timed(sweep: SweepRequest, directions: Sequence[str], mode: str) -> str:
    """What is timed, and how where that is done in several ways."""
    passes = " and ".join(directions)
    return passes if len(sweep.modes) == 1 else f"{passes} ({wording.WAYS[mode]})"


def _along(sweep: SweepRequest, timed: str, bests: Sequence[Best]) -> list[str]:
    runs = best_runs(sweep, bests)
    axis = next((axis for axis in sweep.axes if axis.name in PROBLEM_NAMES), None)
    if axis is None:
        return []
    lines = []
    for hardware in dict.fromkeys(run.hardware for run in runs):
        parts = [_run_words(sweep, run) for run in runs if run.hardware == hardware]
        what = f"{timed}, {hardware}, along {BY_NAME[axis.name].label}"
        lines.append(f"Best {what}: {'; '.join(parts)}.")
    return lines


def _run_words(sweep: SweepRequest, run: BestRun) -> str:
    others = [
        f"{axis.name} = {write_values((axis.values[index],))}"
        for axis, index in zip(sweep.axes, run.result.cell.point, strict=True)
        if axis.name not in PROBLEM_NAMES
    ]
    name = ", ".join([strategy_of(run.result), *others]) if run.sure else "within noise"
    return f"{name} {run.first}" if run.first == run.last else f"{name} {run.first} to {run.last}"


def _best(sweep: SweepRequest, timed: str, found: Best) -> str:
    resolved = found.result.resolved
    assert resolved is not None, "it has a time"
    what = f"{timed}, M = {resolved.m}, N = {resolved.n}, {resolved.dtype}, {found.result.hardware}"
    words = f"Best {what}: {cell_words(sweep, found.result.cell)}, {wording.milliseconds(found.time_ms.value)}"
    if found.next is None or found.advantage is None:
        return f"{words}; nothing else was correct there."
    advantage = found.advantage
    if found.sure:
        least, most = _per_cent(advantage.low), _per_cent(advantage.high)
        ahead = (
            f"faster than the next by {most} at most" if least == _per_cent(1.0) else f"faster than the next by {least} to {most}"
        )
    elif not advantage.is_known:
        ahead = f"not surely: fewer than {LEAST_SAMPLES} times say nothing about how far it is from the next"
    else:
        ahead = "not surely: how far it is from the next is within noise"
    return f"{words}; {ahead}, {cell_words(sweep, found.next.cell)}."


def _doubts(rows: Sequence[Mapping[str, Plain]]) -> list[str]:
    """What makes figures doubtful, and of how many rows."""
    counted = Counter(str(row["notes"]) for row in rows if row["notes"])
    every = wording.counted(len(rows), "row")
    lines = [f"Doubtful, {count} of {every}: {notes}" for notes, count in counted.most_common(MOST_DOUBTS)]
    rest = sum(count for _, count in counted.most_common()[MOST_DOUBTS:])
    lines += [f"Doubtful for other reasons, which the notes of the rows say: {rest} of {every}."] if rest else []
    return ["\n".join(lines)] if lines else []


def _per_cent(ratio: float) -> str:
    return f"{100 * (ratio - 1):.1f} %"


def _changes(sweep: SweepRequest) -> list[str]:
    if [axis.name for axis in sweep.axes] != ["n"] or "locked" not in sweep.strategies:
        return []
    ns = [value for value in sweep.axes[0].values if isinstance(value, int) and value > 0]
    lines = [
        f"{BY_NAME[change.name].label} {change.before} → {change.after} from N = {change.at}"
        for change in setting_changes(sweep.base, ns)
    ]
    return ["The heuristics of locked change: " + "; ".join(lines) + "."] if lines else []


def _crossings(sweep: SweepRequest, results: Sequence[CellResult]) -> list[str]:
    lines = [
        f"{_timed(sweep, (direction,), mode)}: {crossing.ahead_after} overtakes {crossing.ahead_before} "
        f"at {BY_NAME[axis.name].label} = {crossing.x:.0f}"
        for axis in sweep.axes
        for direction in sweep.directions
        for mode in sweep.modes
        for crossing in crossings_between(sweep, results, direction, mode)
    ]
    return ["\n".join(lines)] if lines else []
