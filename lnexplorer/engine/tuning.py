"""Tuning: the cells are candidate launch settings, and the fastest of each width are kept.

Candidates are the entries of `lnkernels.launch.candidates`. Each is checked before it is timed, as
every cell of a sweep.
"""

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.best import fastest_everywhere
from lnexplorer.domain.sweep.cells import Cell, CellResult, setting_cell
from lnexplorer.domain.sweep.request import EffortLevel, SweepRequest
from lnexplorer.engine.sources import Source, anything
from lnkernels.launch import DTYPE_BYTES, DeviceLimits, as_wish
from lnkernels.launch.candidates import candidates, launch_of, untuned
from lnkernels.launch.forward import has_many_rows
from lnkernels.launch.measured import ForwardEntry, RowsEntry
from lnkernels.launch.persistent import holds_rows
from lnkernels.launch.tuned import Entry, Kept, StrategyEntry
from lnkernels.values import frozen, frozen_by_name
from lnkernels.values.environment import Device

TOGETHER = 16  # candidates that are compiled, and then timed in turns
COMPARED = "strategy"  # kind of the task that compares the best of both strategies
_KINDS_COMPARED = ("rows", "split")
_EFFORT = EffortLevel(within=0.0, most=30, seconds=600.0, least_seconds=0.0)

Times: TypeAlias = dict[Entry, float]  # ms, of those that could be timed


@frozen_by_name
class TuneRequest:
    widths: Sequence[int]
    rows: Sequence[int]
    dtypes: Sequence[str]
    kinds: Sequence[str]
    minutes: float


@frozen
class TuningTask:
    kind: str
    n: int
    dtype: str

    def __str__(self) -> str:
        return f"{self.kind}, N = {self.n}, {self.dtype}"


class Trial(NamedTuple):
    """Candidates that are to be timed with M rows."""

    task: TuningTask
    m: int
    entries: list[Entry]


class Tuning(Source):
    """Proposes the candidates of one trial after the other.

    Args:
        request: what is tuned.
        keep: takes the best entry of a task, and its ms for each M.
        tell: takes a line about the progress.
    """

    learns = True
    effort = _EFFORT
    sweep = SweepRequest(strategies=())
    total = 0  # not known before the end
    kept = 0

    def __init__(
        self,
        request: TuneRequest,
        keep: Callable[[Device, TuningTask, Kept, list[float]], None],
        tell: Callable[[str], None],
    ) -> None:
        self._request = request
        self._keep = keep
        self._tell = tell
        self._limits: DeviceLimits | None = None
        self._trials: Generator[Trial, Times, None] | None = None
        self._trial: Trial | None = None
        self._open: dict[int, Entry] = {}  # cells of the trial without a row
        self._waiting: list[Cell] = []
        self._times: Times = {}
        self._numbers = 0

    @property
    def exhausted(self) -> bool:
        return self._trials is not None and self._trial is None

    def begin(self, device: Device) -> None:
        if self._trials is None and device.limits is not None:
            self._limits = device.limits
            self._trials = tune(
                self._request,
                device.limits,
                lambda *found: self._keep(device, *found),
                self._tell,
            )
            self._next_trial(None)

    def ahead(self) -> list[Cell]:
        return self._waiting

    def take(self, most: int, fits: Callable[[Cell], bool] = anything) -> list[Cell]:
        del most, fits
        taken = self._waiting
        self._waiting = []
        return taken

    def put_back(self, cells: Sequence[Cell], *, alone: bool = True) -> None:
        del alone
        self._waiting = [*cells, *self._waiting]

    def tell(self, result: CellResult) -> None:
        assert self._trial is not None, "it has had cells"
        entry = self._open.pop(result.cell.number)
        figure = result.figure(self.sweep.directions[0])
        if result.status == "ok" and figure is not None:
            self._times[entry] = figure.p50_ms
        else:
            self._tell(f"  M = {self._trial.m}, {result.reason}, left out: {entry}")
        if not self._open:
            self._next_trial(self._times)

    def _next_trial(self, times: Times | None) -> None:
        assert self._trials is not None and self._limits is not None, "it has begun"  # noqa: PT018
        try:
            self._trial = next(self._trials) if times is None else self._trials.send(times)
        except StopIteration:
            self._trial = None
            return
        task, m, entries = self._trial
        direction = "forward" if isinstance(entries[0], ForwardEntry) else "backward"
        self.sweep = replace(self.sweep, directions=(direction,))
        self._times = {}
        for entry in entries:
            launch = launch_of(entry, task.n, task.dtype, self._limits, m=m)
            wish = as_wish(launch)
            request = RunRequest(m=m, n=task.n, dtype=task.dtype, data="normal", launch=wish)
            self._open[self._numbers] = entry
            self._waiting.append(setting_cell(self._numbers, request))
            self._numbers += 1


def tuning_tasks(request: TuneRequest, limits: DeviceLimits) -> list[TuningTask]:
    """Return what there is to tune on a device, each once.

    What is found for an element type holds for others of its size, so the first of each will do.
    """
    of_a_size: dict[int, str] = {}
    for dtype in request.dtypes:
        of_a_size.setdefault(DTYPE_BYTES[dtype], dtype)
    tasks = dict.fromkeys(
        TuningTask(kind, n, dtype)
        for n in request.widths
        for dtype in of_a_size.values()
        for kind in request.kinds
    )
    return [task for task in tasks if candidates(task.kind, task.n, task.dtype, limits)]


def tune(
    request: TuneRequest,
    limits: DeviceLimits,
    keep: Callable[[TuningTask, Kept, list[float]], None],
    tell: Callable[[str], None],
    now: Callable[[], float] = time.monotonic,
) -> Generator[Trial, Times, None]:
    """Yield trials, and get their times; keep the best entry of each task.

    The forward pass gets an entry for few rows and one for many. Where settings of both strategies
    of the backward pass were found for a width, they are measured once more, in turns, and the
    faster strategy is kept, too. No task begins after the time of the request; until then each has
    an equal share of what is left.
    """
    until = now() + 60 * request.minutes
    tasks = tuning_tasks(request, limits)
    found: dict[tuple[int, str], dict[str, Entry]] = {}
    for done, task in enumerate(tasks):
        began = now()
        if began >= until:
            return
        tell(f"{done + 1}/{len(tasks)} {task}")
        entries = candidates(task.kind, task.n, task.dtype, limits)
        # The first M compiles; candidates that it has no time for, no other M needs.
        deadline = began + (until - began) / (len(tasks) - done) / len(request.rows)
        late = partial(_is_over, deadline, now)
        timed = yield from _timed(task, request.rows, entries, late, tell)
        bests = found.setdefault((task.n, task.dtype), {})
        for many_rows, together in _classes(task.kind, timed):
            usual = untuned(task.kind, task.n, task.dtype, limits, many_rows=many_rows)
            if (best := fastest_everywhere(usual, together)) is not None:
                kept = (
                    replace(best, many_rows=many_rows) if isinstance(best, ForwardEntry) else best
                )
                keep(task, kept, [times[best] for times in together])
                bests[task.kind] = best
        if task.kind in _KINDS_COMPARED and all(kind in bests for kind in _KINDS_COMPARED):
            both = [bests[kind] for kind in _KINDS_COMPARED]  # persistent first
            compared = TuningTask(COMPARED, task.n, task.dtype)
            tell(str(compared))
            timed = yield from _timed(compared, request.rows, both, lambda: False, tell)
            usual = both[0 if holds_rows(task.n, task.dtype, limits) else 1]
            together = list(timed.values())
            best = fastest_everywhere(usual, together)
            if best is not None and all(len(times) == len(both) for times in together):
                strategy = "persistent" if isinstance(best, RowsEntry) else "split"
                entry = StrategyEntry(
                    element_bytes=best.element_bytes, up_to_n=task.n, strategy=strategy
                )
                keep(compared, entry, [times[best] for times in together])


def _is_over(deadline: float, now: Callable[[], float]) -> bool:
    return now() >= deadline


def _timed(
    task: TuningTask,
    rows: Sequence[int],
    entries: list[Entry],
    late: Callable[[], bool],
    tell: Callable[[str], None],
) -> Generator[Trial, Times, dict[int, Times]]:
    """Time candidates with every M. When it is late, the first M tries no further ones.

    They are timed some at once; where that took several turns, the best of them once more.
    """
    timed: dict[int, Times] = {}
    for m in rows:
        times: Times = {}
        for first in range(0, len(entries), TOGETHER):
            if first and not timed and late():
                tell(f"  M = {m}, time is up, {len(entries) - first} candidates not tried")
                break
            times |= yield Trial(task, m, entries[first : first + TOGETHER])
        if len(times) > TOGETHER:
            usual, *others = times  # what is used untuned comes first
            finalists = sorted(others, key=lambda entry: times[entry])[: TOGETHER - 1]
            times |= yield Trial(task, m, [usual, *finalists])
        timed[m] = times
        entries = list(times)
    return timed


def _classes(kind: str, timed: dict[int, Times]) -> list[tuple[bool, list[Times]]]:
    """Return the times that decide together: those of few and of many rows apart, where they have
    settings of their own.
    """
    if kind != "forward":
        return [(False, list(timed.values()))]
    apart = (
        (many, [times for m, times in timed.items() if has_many_rows(m) == many])
        for many in (False, True)
    )
    return [(many, together) for many, together in apart if together]
