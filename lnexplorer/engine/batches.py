"""Cells that are measured together, the request for them, and the rows that the answer makes. Pure."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest, Status
from lnexplorer.domain.request import RunRequest, check, resolve
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.request import EFFORTS, SweepRequest
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.pool import Work
from lnexplorer.protocol.messages import Broken
from lnkernels.launch.settings import problems_sentence
from lnkernels.sentence import Sentence
from lnkernels.values.environment import Device, Environment, Kind

# On a GPU no step takes long: the compilation of one kernel is the slowest, some seconds for the widest blocks.
STEP_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Cells of one problem, which one measurement interleaves."""

    cells: tuple[Cell, ...]
    began: float  # by the monotonic clock

    @property
    def in_order(self) -> tuple[Cell, ...]:
        """As the labels of the request: settings first."""
        return tuple(sorted(self.cells, key=lambda cell: cell.peer))


def batch_of(cells: Sequence[Cell]) -> Batch:
    """Cells that are handed out now."""
    return Batch(cells=tuple(cells), began=time.monotonic())


def measure_request(sweep: SweepRequest, batch: Batch, backend: str, step_seconds: float | None) -> MeasureRequest:
    """What the worker is asked. On the interpreter, whose times mean nothing, results are checked and not timed."""
    effort = EFFORTS[sweep.effort]
    first = batch.cells[0].request
    return MeasureRequest(
        settings=tuple(cell.request for cell in batch.cells if not cell.peer),
        providers=tuple(cell.provider for cell in batch.cells if cell.peer),
        problem=first,
        directions=sweep.directions,
        waits=sweep.waits and backend == "cuda",
        modes=sweep.modes if backend == "cuda" else (),
        seconds=effort.seconds,
        within=effort.within,
        most=effort.most,
        least_seconds=effort.least_seconds,
        limit_seconds=step_seconds or _step_seconds(first, backend),
    )


def why_not(cell: Cell, device: Device) -> Sentence | None:
    """Why a setting is not possible; None where it is."""
    return problems_sentence(check(cell.request, device.backend, device.free_memory_bytes, device.limits))


def invalid_row(cell: Cell, reason: Sentence | None, name: str, device: Device) -> CellResult:
    """The row of a setting that no worker is asked for."""
    return _row(cell, "invalid", reason, name, device, device.environment)


def rows_of_answer(batch: Batch, measured: Measured, name: str, device: Device) -> list[CellResult]:
    """One row for every cell."""
    assert measured.before is not None, "an answer says where it was measured"
    assert measured.after is not None
    share = (time.monotonic() - batch.began) / len(batch.cells)
    rows = []
    for cell, outcome in zip(batch.in_order, measured.outcomes, strict=True):
        row = _row_of_outcome(cell, outcome, name, device, measured.after)
        timing = measured.timing_seconds / len(batch.cells)
        before = measured.before.state if outcome.figures else None
        rows.append(
            replace(row, kind=measured.kind, before=before, notes=measured.warnings, seconds=share, timing_seconds=timing)
        )
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """What is left of a batch whose measurement broke."""

    rows: tuple[CellResult, ...]  # of the cells that were done, and of the one that broke it
    again: tuple[Cell, ...]  # to be measured again
    alone: bool  # each by itself, because it is not known which of them it was


def damage(batch: Batch, work: Work, outcome: Broken, name: str, device: Device) -> Damage:
    """Find the cell whose fault it was; the others keep their rows, or are measured again."""
    share = (time.monotonic() - batch.began) / len(batch.cells)
    cells = dict(zip(work.request.labels, batch.in_order, strict=True))
    rows = [
        replace(_row_that_survived(cells[label], done, name, device), seconds=share)
        for label, done in work.outcomes.items()
        if label in cells
    ]
    open_ = {label: cell for label, cell in cells.items() if label not in work.outcomes}
    guilty = work.at if work.at in open_ else None
    if guilty is None and len(open_) == 1:
        guilty = next(iter(open_))
    if guilty is not None:
        status: Status = "timed_out" if outcome.timed_out else "failed"
        row = _row(open_.pop(guilty), status, outcome.sentence, name, device, device.environment)
        rows.append(replace(row, seconds=share))
    return Damage(rows=tuple(rows), again=tuple(open_.values()), alone=guilty is None)


def refused_rows(batch: Batch, reason: Sentence | None, name: str, device: Device) -> list[CellResult]:
    """Rows of a request that the worker did not take."""
    return [invalid_row(cell, reason, name, device) for cell in batch.cells]


def _row_that_survived(cell: Cell, outcome: CandidateOutcome, name: str, device: Device) -> CellResult:
    """The row of an outcome whose measurement broke later, with the state of the device around its timing."""
    if outcome.around is None:
        return _row_of_outcome(cell, outcome, name, device, device.environment)
    before, after = outcome.around
    row = _row_of_outcome(cell, outcome, name, device, after)
    return replace(row, before=before.state, notes=doubts(before, after, outcome.figures))


def _row_of_outcome(cell: Cell, outcome: CandidateOutcome, name: str, device: Device, environment: Environment) -> CellResult:
    row = _row(cell, outcome.status, outcome.reason, name, device, environment)
    return replace(row, figures=outcome.figures, errors=outcome.errors, compiled=outcome.compiled, wait_ns=outcome.wait_ns)


def _row(cell: Cell, status: Status, reason: Sentence | None, name: str, device: Device, environment: Environment) -> CellResult:
    possible = not check(cell.request, device.backend, limits=device.limits)
    return CellResult(
        cell=cell,
        status=status,
        reason=reason,
        device=name,
        kind=Kind.MEASURED if device.backend == "cuda" else Kind.INTERPRETED,
        environment=environment,
        resolved=resolve(cell.request, device.backend, device.limits) if possible else None,
    )


def _step_seconds(request: RunRequest, backend: str) -> float:
    if backend == "cuda" or check(request, backend):
        return STEP_SECONDS
    return Deadlines().run_seconds(request, backend)
