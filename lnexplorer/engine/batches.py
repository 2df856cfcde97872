"""Batches: cells that are measured together, the request for them, and the rows of the answer."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lnexplorer.domain.doubts import doubts
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest, Status
from lnexplorer.domain.request import RunRequest, check, plan_run
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.request import EFFORTS
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.sources import Source
from lnexplorer.protocol.messages import Broken, EngineEvent, JobPart, JobProgress
from lnkernels.launch.settings import problems_sentence
from lnkernels.values import Sentence
from lnkernels.values.environment import Device, Environment, Kind

# On a GPU no step takes long: the compilation of one kernel is the slowest, some seconds for the
# widest blocks.
STEP_SECONDS = 30.0


@dataclass(slots=True)
class Batch:
    """Cells of one problem that a worker measures together, and its progress so far."""

    request: MeasureRequest
    cells: tuple[Cell, ...]  # settings first, as the labels of the request
    began: float = field(default_factory=time.monotonic)
    at: str | None = None  # label of the candidate at work, where that is known
    outcomes: dict[str, CandidateOutcome] = field(default_factory=dict)  # final ones, by label

    def hear(self, event: EngineEvent) -> None:
        """Take what a worker says of it; other events are ignored."""
        match event:
            case JobProgress(step=step) if str(step) in self.request.labels:
                self.at = str(step)
            case JobPart(part=CandidateOutcome() as part):
                self.outcomes[part.label] = part

    @property
    def at_fault(self) -> str | None:
        """The label of the candidate that took the worker, where that is known."""
        left = [label for label in self.request.labels if label not in self.outcomes]
        return left[0] if len(left) == 1 else self.at if self.at in left else None


def batch_of(
    cells: Sequence[Cell], source: Source, backend: str, step_seconds: float | None = None
) -> Batch:
    """Make a batch of cells that are handed out now.

    On the interpreter, whose times mean nothing, results are checked and not timed.
    """
    sweep = source.sweep
    effort = source.effort or EFFORTS[sweep.effort]
    first = cells[0].request
    providers = tuple(cell.candidate for cell in cells if cell.peer)
    timed = backend == "cuda"
    request = MeasureRequest(
        settings=tuple(cell.request for cell in cells if not cell.peer),
        providers=providers,
        kernels=tuple(kernel for kernel in source.kernels if kernel.name in providers),
        problem=first,
        directions=sweep.directions,
        waits=sweep.waits and timed,
        time_anyway=sweep.time_anyway,
        modes=sweep.modes if timed else (),
        seconds=effort.seconds,
        within=effort.within,
        most=effort.most,
        least_seconds=effort.least_seconds,
        limit_seconds=step_seconds or _step_seconds(first, backend),
    )
    return Batch(request, tuple(sorted(cells, key=lambda cell: cell.peer)))


def why_not(cell: Cell, device: Device) -> Sentence | None:
    """Return why a device cannot take a cell; None where it can."""
    plan = plan_run(cell.request, device.backend, device.limits, device.free_memory_bytes)
    return problems_sentence(plan.problems)


def row_without(
    cell: Cell, status: Status, reason: Sentence | None, name: str, device: Device
) -> CellResult:
    """Make the row of a cell that no worker took, or that gave nothing."""
    plan = plan_run(cell.request, device.backend, device.limits)
    return CellResult(
        cell=cell,
        status=status,
        reason=reason,
        device=name,
        kind=Kind.MEASURED if device.backend == "cuda" else Kind.INTERPRETED,
        environment=device.environment,
        resolved=None if plan.problems else plan.resolved,
    )


def rows_of_answer(batch: Batch, measured: Measured, name: str, device: Device) -> list[CellResult]:
    """Make the rows of a batch from the answer to it."""
    assert measured.before is not None, "a worker has answered"
    assert measured.after is not None, "a worker has answered"
    count = len(batch.cells)
    return [
        replace(
            _row_of(cell, outcome, name, device, (measured.before, measured.after)),
            notes=measured.warnings,
            seconds=(time.monotonic() - batch.began) / count,
            timing_seconds=measured.timing_seconds / count,
        )
        for cell, outcome in zip(batch.cells, measured.outcomes, strict=True)
    ]


def damage(
    batch: Batch, outcome: Broken, name: str, device: Device
) -> tuple[list[CellResult], list[Cell]]:
    """Return the rows and the cells that are left of a batch whose measurement broke.

    Cells that were done have a row, and so has the one at fault where that is known; the others are
    to be measured again.
    """
    cells = dict(zip(batch.request.labels, batch.cells, strict=True))
    rows = []
    for label, done in batch.outcomes.items():
        if label in cells:
            row = _row_of(cells.pop(label), done, name, device, done.around)
            noted = doubts(*done.around, done.figures) if done.around is not None else ()
            rows.append(replace(row, notes=noted))
    if batch.at_fault is not None and not outcome.line_dropped:
        status: Status = "timed_out" if outcome.timed_out else "failed"
        rows.append(row_without(cells.pop(batch.at_fault), status, outcome.sentence, name, device))
    share = (time.monotonic() - batch.began) / len(batch.cells)
    return [replace(row, seconds=share) for row in rows], list(cells.values())


def _row_of(
    cell: Cell,
    outcome: CandidateOutcome,
    name: str,
    device: Device,
    around: tuple[Environment, Environment] | None,
) -> CellResult:
    """Make the row of an outcome, with the state of the device around its timing."""
    before, after = around or (None, device.environment)
    return replace(
        row_without(cell, outcome.status, outcome.reason, name, device),
        environment=after,
        before=before.state if before is not None and outcome.figures else None,
        **outcome.part(),
    )


def _step_seconds(request: RunRequest, backend: str) -> float:
    if backend == "cuda" or check(request, backend):
        return STEP_SECONDS
    return Deadlines().step_seconds("run", request, backend)
