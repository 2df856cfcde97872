"""A whole sweep as plain values for a file, and back: what was asked, its rows with their environments, and all samples.

The plain form is that of `protocol.plain.to_plain`, with the samples of all figures one after the other in a single array: a
figure has their number in place of them. A number that JSON cannot write is {"float": "nan"}.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lnexplorer.domain.parameters import LAUNCH_NAMES
from lnexplorer.domain.sweep.cells import Cell, CellResult, all_cells
from lnexplorer.domain.sweep.request import SweepRequest, check_sweep
from lnexplorer.protocol.plain import DecodeError, from_plain, to_plain
from lnexplorer.store.archive import RecordingError
from lnexplorer.store.foreign_text import check_environment, check_names
from lnexplorer.store.plain_json import with_special_numbers, without_special_numbers
from lnexplorer.store.validation import check_figure, check_resolved
from lnkernels.launch import check_launch
from lnkernels.values.accuracy import TENSORS
from lnkernels.values.environment import Kind

ENDS = ("finished", "cancelled", "failed", "")  # empty while it runs, and after a crash
MOST_SECONDS = 3.2e9  # no sweep takes a hundred years


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecordedSweep:
    """A sweep with its rows so far, at least one."""

    sweep: SweepRequest
    results: tuple[CellResult, ...]  # by cell
    title: str = ""
    date: str = ""  # ISO 8601, UTC: of the first row, where there is no other
    ended: str = ""  # of ENDS
    note: str = ""  # what its user wrote about it; earlier files have none

    @property
    def gpus(self) -> tuple[str, ...]:
        """The hardware of its rows, each once. Figures of unlike hardware are never one line."""
        return tuple(dict.fromkeys(result.hardware for result in self.results))

    @property
    def total(self) -> int:
        """Number of cells; of a search at most so many."""
        return self.sweep.search or len(all_cells(self.sweep))


def recorded_sweep(sweep: SweepRequest, results: Sequence[CellResult], *, title: str = "", ended: str = "") -> RecordedSweep:
    """A sweep as it stands, its rows by cell.

    Raises:
        RecordingError: it has no row, or rows that do not belong to it.
    """
    ordered = tuple(sorted(results, key=lambda result: result.cell.number))
    date = min((result.environment.date for result in ordered), default="")
    found = RecordedSweep(sweep=sweep, results=ordered, title=title, date=date, ended=ended)
    check_recorded_sweep(found)
    return found


def sweep_to_plain(recorded: RecordedSweep, put_array: Callable[[np.ndarray], Any] | None = None) -> dict[str, Any]:
    """Dicts, lists, strings, finite numbers and None, ready for JSON.

    Args:
        recorded: one that `check_recorded_sweep` passes.
        put_array: what stands for the array of all samples [any number]; None makes it a list.
    """
    samples: list[np.ndarray] = []

    def count(array: np.ndarray) -> int:
        samples.append(array)
        return int(array.size)

    plain: dict[str, Any] = without_special_numbers(to_plain(recorded, count))
    whole = _narrow(np.concatenate(samples) if samples else np.empty(0))
    return plain | {"samples_ms": whole.tolist() if put_array is None else put_array(whole)}


def sweep_from_plain(plain: Any) -> RecordedSweep:
    """The sweep that `sweep_to_plain` took apart. What was measured comes back as "recorded", with its device.

    Args:
        plain: what was read; the samples are a list or, where the caller has put it back, an array.

    Raises:
        RecordingError: this is no sweep, or its values are impossible; why, without a full stop.
    """
    try:
        whole = with_special_numbers(plain)
        samples = np.asarray(whole.pop("samples_ms"), np.float64)
        if samples.ndim != 1:
            raise DecodeError("the samples are no list of numbers")
        taken = _put_samples(whole["results"], samples)
        found = from_plain(whole, RecordedSweep)
    except (DecodeError, ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:
        raise RecordingError(f"its sweep is not complete ({error or type(error).__name__})") from error
    if taken != samples.size:
        raise RecordingError(f"it has {samples.size} samples, and its figures {taken}")
    check_recorded_sweep(found)
    results = tuple(replace(result, kind=Kind.RECORDED) if result.kind is Kind.MEASURED else result for result in found.results)
    return replace(found, results=results)


def check_recorded_sweep(recorded: RecordedSweep) -> None:
    """Raise RecordingError unless `recorded` can be shown."""
    problems = check_sweep(recorded.sweep)
    if problems:
        raise RecordingError(f"its sweep is not possible: {problems[0]}")
    if any(isinstance(value, float) and not math.isfinite(value) for axis in recorded.sweep.axes for value in axis.values):
        raise RecordingError("an axis of its sweep has a value that is not finite")
    check_names("a provider of its sweep", recorded.sweep.providers)
    if not recorded.results:
        raise RecordingError("it has no row")
    if recorded.ended not in ENDS:
        raise RecordingError(f"it ended as {recorded.ended[:40]!r}, which no sweep does")
    numbers = [result.cell.number for result in recorded.results]
    if sorted(set(numbers)) != numbers:
        raise RecordingError("its rows are not in the order of their cells, each once")
    total = recorded.total
    if numbers[0] < 0 or numbers[-1] >= total:
        raise RecordingError(f"it has a row of cell {numbers[0] if numbers[0] < 0 else numbers[-1]}, and {total} cells from 0")
    for result in recorded.results:
        try:
            _check_row(recorded.sweep, result)
        except RecordingError as error:
            raise RecordingError(f"row {result.cell.number}: {error}") from error


def _check_row(sweep: SweepRequest, result: CellResult) -> None:
    cell, resolved = result.cell, result.resolved
    if not sweep.search:
        _check_place(sweep, cell)
    if cell.provider not in (sweep.providers if cell.peer else sweep.strategies):
        raise RecordingError(f"it is of {cell.provider[:40]}, which its sweep has not")
    check_environment(result.environment)
    check_names("its device", (result.device.replace(":", "-"),))
    if resolved is not None:
        check_resolved(resolved)
        problems = check_launch(resolved.n, resolved.dtype, resolved.launch) if result.status == "ok" and not cell.peer else []
        if problems:
            raise RecordingError(f"its run is not possible: {problems[0]}")
    if result.figures and (result.status != "ok" or result.kind is Kind.INTERPRETED):
        raise RecordingError("it has a speed, and no right results that were measured")
    for figure in result.figures:
        check_figure(figure)
    for error in result.errors:
        if error.name not in TENSORS or error.max_abs < 0 or error.torch_max_abs < 0 or error.tolerance < 0:
            raise RecordingError(f"the error of {error.name[:40]} is impossible")
    for seconds in (result.seconds, result.timing_seconds, (result.wait_ns or 0.0) / 1e9):
        if not 0 <= seconds < MOST_SECONDS:
            raise RecordingError("it took an impossible time")


def _check_place(sweep: SweepRequest, cell: Cell) -> None:
    sizes = [len(axis.values) for axis in sweep.axes]
    if len(cell.point) != len(sizes) or not all(0 <= index < size for index, size in zip(cell.point, sizes, strict=True)):
        raise RecordingError(f"it lies at {cell.point}, outside its sweep of {sizes} values")
    for axis, index in zip(sweep.axes, cell.point, strict=True):
        # A strategy, or a peer, that does not have a launch setting has it left open.
        asked, left_open = getattr(cell.request, axis.name), axis.name in LAUNCH_NAMES
        if asked != axis.values[index] and not (left_open and asked is None):
            raise RecordingError(f"{axis.name} is {asked}, and at its place {axis.values[index]}")


def _put_samples(rows: Any, samples: np.ndarray) -> int:
    """Put each figure's samples into its place; how many there were."""
    taken = 0
    for row in rows:
        for figure in row["figures"]:
            count = figure["samples_ms"]
            if type(count) is not int or count < 0:
                raise DecodeError("a figure does not say how many samples it has")
            figure["samples_ms"] = samples[taken : taken + count]
            taken += count
    return taken


def _narrow(samples: np.ndarray) -> np.ndarray:
    """Half as long where nothing is lost, as with the times of a GPU's own events."""
    half = samples.astype(np.float32)
    return half if np.array_equal(half.astype(np.float64), samples) else samples
