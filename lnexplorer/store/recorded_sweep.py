"""A sweep with its rows as a value, and as a file of its own: to be shown where there is no GPU, or to be handed on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lnexplorer.domain.parameters import BY_NAME, PARAMETERS
from lnexplorer.domain.sweep.cells import CellResult, all_cells
from lnexplorer.domain.sweep.request import SweepRequest
from lnexplorer.store.archive import SWEEP, Manifest, heads_in, open_archive, refused_as_unsaved, replayed, write_archive
from lnexplorer.store.check import check_sweep_result
from lnexplorer.store.files import StoreError
from lnkernels.sentence import say

CONTENT = "content"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecordedSweep:
    """A sweep with its rows so far."""

    sweep: SweepRequest
    results: tuple[CellResult, ...]  # by cell
    title: str = ""
    date: str = ""  # ISO 8601, UTC: of the first row, where there is no other
    ended: str = ""  # finished, cancelled or failed; empty while it runs, and after a crash
    note: str = ""  # what its user wrote about it

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
        StoreError: it has no row, or rows that do not belong to it; why, without a full stop.
    """
    ordered = tuple(sorted(results, key=lambda result: result.cell.number))
    date = min((result.environment.date for result in ordered), default="")
    found = RecordedSweep(sweep=sweep, results=ordered, title=title, date=date, ended=ended)
    _check(found)
    return found


def write_recorded_sweep(path: Path, recorded: RecordedSweep) -> None:
    """Write a sweep with all its samples, whole or not at all.

    Raises:
        StoreError: the values do not fit together, or the file cannot be written; one sentence.
    """
    with refused_as_unsaved(path, SWEEP):
        _check(recorded)
    first, title = recorded.results[0], recorded.title or default_title(recorded)
    head = Manifest(kind=SWEEP.name, title=title, figures=first.kind, environment=first.environment)
    head = replace(head, date=recorded.date or head.date)
    write_archive(path, SWEEP, head, [(CONTENT, replace(recorded, title=title))])


def read_recorded_sweep(path: Path) -> RecordedSweep:
    """The sweep in a file. What was measured comes back as "recorded", each row with the environment that it was
    measured in.

    Raises:
        StoreError: the file cannot be read, is damaged, foreign or from a newer version, or its values are impossible;
            one sentence that names the file and the cause.
    """
    with open_archive(path, SWEEP) as archive:
        return taken_from_file(archive.value(CONTENT, RecordedSweep))


def taken_from_file(recorded: RecordedSweep) -> RecordedSweep:
    """A sweep that was read: looked at, and as a recorded one.

    Raises:
        StoreError: its values are impossible; why, without a full stop.
    """
    _check(recorded)
    return replace(recorded, results=tuple(replace(result, kind=replayed(result.kind)) for result in recorded.results))


def recorded_sweeps_in(folder: Path) -> list[tuple[str, Path]]:
    """Title and path of each recorded sweep in `folder`, by title; files that are none are left out."""
    return sorted((head.title, path) for path, head in heads_in(folder, SWEEP))


def default_title(recorded: RecordedSweep) -> str:
    """A title for a sweep that was given none: what varies, of which problem, which settings somebody took over, on
    what.
    """
    sweep, base = recorded.sweep, recorded.sweep.base
    varied = " × ".join(BY_NAME[axis.name].label for axis in sweep.axes)
    fixed = [f"{name.upper()} = {getattr(base, name)}" for name in ("m", "n") if getattr(base, name) is not None]
    names = [axis.name for axis in sweep.axes]
    dtype = [] if "dtype" in names else [base.dtype]
    held = [
        f"{parameter.name} = {base.value(parameter.name)}"
        for parameter in PARAMETERS
        if parameter.automatic and parameter.name not in (*names, "m", "n") and base.value(parameter.name) is not None
    ]
    parts = [*(["search"] if sweep.search else []), *([varied] if varied else []), *fixed, *dtype, *held]
    return ", ".join([*parts, *recorded.gpus])


def _check(recorded: RecordedSweep) -> None:
    if not recorded.results:
        raise StoreError(say("it has no row"))
    check_sweep_result(recorded.sweep, recorded.results, recorded.total)
