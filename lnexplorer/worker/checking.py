"""Run the kernels of one request and compare their results with the truth; look closer at the
errors afterwards.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path

import torch

from lnexplorer.domain.jobs import InspectJob
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.connection import Task
from lnkernels import triton_internals
from lnkernels.check.accuracy import PooledMap, check_all, worse
from lnkernels.check.inputs import Inputs, make_inputs
from lnkernels.check.results import (
    KernelResults,
    Results,
    backward_results,
    kernel_results,
    per_row_partials,
    torch_results,
    true_chunks,
)
from lnkernels.compiled.launches import recorded
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import Launch, Problem, grids
from lnkernels.passes import locked
from lnkernels.trace.flight_recorder import watching
from lnkernels.values import frozen, say
from lnkernels.values.accuracy import Correctness, ErrorMap, PartialRows

KERNELS = say("kernels")
# Beyond this nobody reads numbers in cells.
SHOWN_ROWS, SHOWN_ELEMENTS = 64, 4096
KEPT_BYTES = 4 << 30  # of a finished run, for inspections


@frozen
class LastRun:
    """The tensors of a finished run that an inspection needs. The truth is computed again, for the
    rows that are looked at.
    """

    inputs: Inputs
    results: Results
    eps: float

    @property
    def nbytes(self) -> int:
        """Memory that it holds, in bytes; the four matrices are nearly all of it."""
        matrices = (self.inputs.x, self.inputs.dy, self.results.y, self.results.dx)
        return sum(matrix.nbytes for matrix in matrices if matrix is not None)


def inputs_of(resolved: ResolvedRequest, device: torch.device) -> Inputs:
    """Make the tensors of a request; RMSNorm takes no bias."""
    shape, dtype = (resolved.m, resolved.n), getattr(torch, resolved.dtype)
    return make_inputs(*shape, dtype, resolved.data, resolved.seed, device, resolved.norm)


def compile_kernels(inputs: Inputs, eps: float, launch: Launch) -> None:
    """Compile what `kernel_results` will launch, and launch nothing. Without a compiler, nothing is
    done.
    """
    if IS_INTERPRETED:
        return
    for launched in recorded(lambda: kernel_results(inputs, eps, launch)):
        launched.compile()


def check_kernels(
    task: Task,
    inputs: Inputs,
    resolved: ResolvedRequest,
    theirs: Results,
    on_results: Callable[[], None],
    *,
    watched: bool = False,
) -> tuple[Correctness, LastRun]:
    """Run the kernels as often as asked, and return their largest errors, and the last results.

    Args:
        task: the job, which may be left between two repeats.
        inputs: the problem.
        resolved: its launch, and how often the backward pass is repeated.
        theirs: PyTorch's results.
        on_results: called once there are results to compare.
        watched: whether rows of `locked` stamp what they do, for who asks where they stand.
    """
    worst = last = partial = None
    for repeat, results in enumerate(_run_kernels(task, inputs, resolved, watched)):
        if last is None:
            partial = _partial_rows(task, inputs, results, resolved)
            on_results()
        elif resolved.repeats > 1:
            task.count(say("repeats"), repeat, resolved.repeats)
        accuracy = check_all(inputs, resolved.eps, resolved.launch, results, theirs)
        worst = accuracy if worst is None else worse(worst, accuracy)
        last = LastRun(inputs, results, resolved.eps)
    assert worst is not None and last is not None, "there is at least one repeat"  # noqa: PT018
    task.check()
    return replace(worst, partial_rows=partial), last


def _run_kernels(
    task: Task, inputs: Inputs, resolved: ResolvedRequest, watched: bool
) -> Iterator[KernelResults]:
    """Run both passes once, then the backward pass again for each further repeat; every time into
    poisoned outputs.
    """
    device = inputs.x.device
    file = locked.__file__
    watch: Callable[[], AbstractContextManager[torch.Tensor | None]] = nullcontext
    if watched and resolved.launch.strategy == "locked":
        watch = partial(watching, device, Path(file).name, file, resolved.n)
    launch, results = resolved.launch, None
    for _ in range(resolved.repeats):
        task.check()
        with _counted(task, resolved), watch() as stamps:
            if results is None:
                results = kernel_results(inputs, resolved.eps, launch, stamps)
            else:
                y, mean, rstd = results.y, results.mean, results.rstd
                results = backward_results(inputs, launch, y=y, mean=mean, rstd=rstd, stamps=stamps)
            if device.type == "cuda":
                torch.cuda.synchronize(device)
        yield results


def _partial_rows(
    task: Task, inputs: Inputs, results: KernelResults, resolved: ResolvedRequest
) -> PartialRows | None:
    """Return the addends of each row to dw and db; None where there are too many to show, or no
    buffers to show them in, or where the norm has no db.
    """
    if resolved.launch.strategy != "locked" or not is_readable(resolved):
        return None
    if results.mean is None or results.dw is None or results.db is None:
        return None
    with _counted(task, resolved):
        sums = per_row_partials(
            inputs.x, inputs.dy, results.mean, results.rstd, inputs.weight, resolved.launch
        )
    dw, db, dw_total, db_total = (
        tensor.float().cpu().numpy() for tensor in (*sums, results.dw, results.db)
    )
    return PartialRows(dw=dw, db=db, dw_total=dw_total, db_total=db_total)


def is_readable(resolved: ResolvedRequest) -> bool:
    """Return whether the shape is so small that its numbers are shown in cells."""
    return resolved.m <= SHOWN_ROWS and resolved.m * resolved.n <= SHOWN_ELEMENTS


@contextmanager
def _counted(task: Task, resolved: ResolvedRequest) -> Iterator[None]:
    """Inside, the interpreter reports each program that it begins, and may be left anywhere."""
    if not IS_INTERPRETED:
        yield
        return
    total = sum(prod(grid) for grid in grids(resolved.m, resolved.n, resolved.launch).values())
    builder = triton_internals.builder()
    set_grid_idx = builder.set_grid_idx
    started = 0

    def counting(*index: int) -> None:
        nonlocal started
        started += 1
        task.check()
        task.count(KERNELS, min(started, total), total)
        set_grid_idx(*index)

    builder.set_grid_idx = counting
    try:
        with task.interruptible():
            yield
    finally:
        del builder.set_grid_idx


def inspect(last: LastRun | None, asked: InspectJob) -> ErrorMap | list[Problem]:
    """Return |kernel − truth| of a part of y or dx of the last run, pooled only as far as it is
    larger than a map; or what is wrong with the question.
    """
    if last is None:
        allowed = say("run first; of runs beyond {size} GiB nothing is kept", size=KEPT_BYTES >> 30)
        return [Problem("tensor", asked.tensor, allowed)]
    if asked.tensor not in {"y", "dx"}:
        return [Problem("tensor", asked.tensor, say("choose y or dx"))]
    if getattr(last.results, asked.tensor) is None:
        return [Problem("tensor", asked.tensor, say("choose y: the kernel gives no dx"))]
    m, n = last.inputs.x.shape
    parts = {
        "row": (asked.row_start, asked.row_stop, m),
        "column": (asked.column_start, asked.column_stop, n),
    }
    problems = [
        Problem(
            f"{name}_start", f"{start} to {stop}", say("take a part of 0 to {limit}", limit=end)
        )
        for name, (start, stop, end) in parts.items()
        if not 0 <= start < stop <= end
    ]
    return problems or _inspected(last, asked)


def _inspected(last: LastRun, asked: InspectJob) -> ErrorMap:
    rows, columns = (
        slice(asked.row_start, asked.row_stop),
        slice(asked.column_start, asked.column_stop),
    )
    result: torch.Tensor = getattr(last.results, asked.tensor)[rows, columns]
    pooled = PooledMap(*result.shape)
    alone = last.inputs.mapped(lambda given: given[rows])
    for chunk in true_chunks(alone, last.eps, pooled.window_rows):
        truth = getattr(chunk, asked.tensor)[:, columns]
        pooled.add(result[chunk.rows], truth)
    found = pooled.error_map(asked.tensor, asked.row_start, asked.column_start)
    if result.numel() > 1:
        return found
    theirs = getattr(torch_results(alone, last.eps), asked.tensor)[:, columns]
    return replace(found, element=(float(result), float(theirs), float(truth)))
