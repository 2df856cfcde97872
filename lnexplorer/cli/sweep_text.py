"""A sweep on the terminal: its progress, its rows, and what was found."""

from collections.abc import Callable, Mapping, Sequence

from lnexplorer.cli.terminal import Progress, aligned
from lnexplorer.domain import wording
from lnexplorer.domain.parameters import BY_NAME
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import CellResult
from lnexplorer.domain.sweep.findings import cell_words, findings
from lnexplorer.domain.sweep.request import SweepRequest, open_settings
from lnexplorer.domain.sweep.table import WAITS, Plain, row, speed_column
from lnexplorer.engine.sweep_events import (
    CellFinished,
    DeviceLost,
    DeviceReady,
    SweepEvent,
    SweepPaused,
    SweepStarted,
    TurnAwaited,
    WorkerReplaced,
)
from lnkernels.launch import NORMS

MOST_ROWS = 200


def _wait(ns: float) -> str:
    return f"{wording.significant(ns / 1e3, 3)} µs"


# By the end of a column's name: the end of its head, and how its numbers are written. The longer of
# two ends comes first.
QUANTITIES: dict[str, tuple[str, Callable[[float], str]]] = {
    "_requested_gbps": (" requested", wording.figure),
    "_gbps": (" GB/s", wording.figure),
    "_share_of_ceiling": (" of ceiling", wording.share),
    "_max_abs_error": (" error", wording.error),
    WAITS[0]: ("trying a free lock", _wait),
    WAITS[1]: ("queued for a lock", _wait),
}


def show_event(event: SweepEvent, sweep: SweepRequest, lines: Progress) -> None:
    """Show the progress that an event is; other events are ignored."""
    match event:
        case SweepStarted(total=total, kept=kept):
            lines.line(
                wording.counted(total, "setting") + (f", {kept} with a row already" if kept else "")
            )
        case DeviceReady(facts=facts):
            lines.ready(facts)
            if facts.backend != "cuda":
                lines.line("Rows have errors here, and no speeds: they are left empty.")
        case CellFinished(result, done, total, seconds):
            left = f", about {wording.duration(seconds)} left" if seconds else ""
            words = f"{done}/{total}{left}: {row_words(sweep, result)}"
            if result.status == "ok":
                lines.changing(words)
            else:  # it stays on the terminal, with its reason
                lines.line(f"{words}: {result.reason}")
        case _:
            show_trouble(event, lines)


def show_trouble(event: SweepEvent, lines: Progress) -> None:
    """Show what holds up a sweep; other events are ignored."""
    match event:
        case WorkerReplaced(device=device, sentence=sentence):
            lines.line(f"{device}: {sentence} Another worker goes on.")
        case DeviceLost(device=device, sentence=sentence):
            lines.line(f"{device} takes no more settings: {sentence}")
        case TurnAwaited(device=device, sentence=sentence):
            lines.changing(f"{device}: {sentence}")
        case SweepPaused(why=why) if why:
            lines.line(str(why))


def row_words(sweep: SweepRequest, result: CellResult) -> str:
    status = _status(result.status, result.verdict, timed=bool(result.figures))
    parts = [f"{cell_words(sweep, result.cell)} {status}"]
    for direction in sweep.directions:
        if (figure := result.figure(direction, sweep.modes[0])) is not None:
            share = figure.share_of_ceiling
            of_ceiling = "" if share is None else f" ({wording.share(share)} of ceiling)"
            parts.append(f"{direction} {wording.figure(figure.gbps)} GB/s{of_ceiling}")
    return ", ".join(parts)


def sweep_text(sweep: SweepRequest, results: Sequence[CellResult]) -> str:
    """Return a sweep for people: its rows, by cell, and what was found."""
    if not results:
        return "There are no rows."
    rows = [row(sweep, result) for result in results]
    varied = {axis.name for axis in sweep.axes}
    norm = RunRequest().norm if "norm" in varied else sweep.base.norm
    parts = [] if norm == RunRequest().norm else [NORMS[norm]]
    if len(rows) <= MOST_ROWS:
        names = _shown(sweep, rows)
        parts.append(aligned([tuple(map(_head, names)), *(_line(names, each) for each in rows)]))
    found = findings(sweep, results)
    kinds = dict.fromkeys(each.kind for each in found)
    parts += [
        "\n".join(str(each.sentence) for each in found if each.kind == kind) for kind in kinds
    ]
    return "\n\n".join(parts)


def _shown(sweep: SweepRequest, rows: Sequence[Mapping[str, Plain]]) -> list[str]:
    """Return the columns: what varies, the provider, the device where there are several, and the
    results.
    """
    varied = [axis.name for axis in sweep.axes] if not sweep.search else list(open_settings(sweep))
    names = [*varied, "provider"]
    names += [name for name in ("gpu", "device") if len({row[name] for row in rows}) > 1]
    for direction in sweep.directions:
        for mode in sweep.modes:
            speed = speed_column(direction, mode)
            names += [f"{speed}_gbps", f"{speed}_requested_gbps", f"{speed}_share_of_ceiling"]
    names += WAITS if sweep.waits else ()
    names = [name for name in names if any(row[name] is not None for row in rows)]
    return [*names, "dx_max_abs_error", "dw_max_abs_error", "status"]


def _head(name: str) -> str:
    if name in BY_NAME:
        return str(BY_NAME[name].label)
    for ending, (text, _) in QUANTITIES.items():
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " ") + text
    return name


def _line(names: Sequence[str], row: Mapping[str, Plain]) -> tuple[str, ...]:
    cells = [_cell(name, row[name]) for name in names]
    timed = any(row[name] for name in names if name.endswith("_gbps"))
    status = _status(str(row["status"]), row["verdict"], timed=timed)
    reason = str(row["reason"] or "")
    said = reason.startswith(f"{status}: ")  # as that of inexact results does
    cells[-1] = reason if said else ": ".join(filter(None, (status, reason)))
    return tuple(cells)


def _status(status: str, verdict: Plain, *, timed: bool) -> str:
    """Return the status of a row; the verdict where that says more."""
    if verdict == "wrong" and timed:
        return "WRONG"
    return str(verdict) if verdict in ("inexact", "no kernel") else status.replace("_", " ")


def _cell(name: str, value: Plain) -> str:
    if value is None:
        return wording.ABSENT
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        written = next(
            (write for ending, (_, write) in QUANTITIES.items() if name.endswith(ending)), str
        )
        return written(value)
    return value
