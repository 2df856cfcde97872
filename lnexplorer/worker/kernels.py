"""Runs the kernels for a job: compiles them first where there is a compiler, and can be left in the interpreter."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import torch

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.task import Task
from lnkernels.compiled.recording import recorded_launches
from lnkernels.inputs import Inputs
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import LaunchConfig, grids
from lnkernels.results import KernelResults, backward_results, kernel_results
from lnkernels.row_partials import per_row_partials
from lnkernels.values.accuracy import PartialRows

STEP = "kernels"
# Beyond this nobody reads numbers in cells.
SHOWN_ROWS, SHOWN_ELEMENTS = 64, 4096


def compile_kernels(inputs: Inputs, eps: float, launch: LaunchConfig) -> None:
    """Compile what `kernel_results` will launch, and launch nothing. Without a compiler, nothing is done."""
    if IS_INTERPRETED:
        return
    with recorded_launches() as launches:
        kernel_results(inputs, eps, launch)
    for noted in launches:
        noted.kernel.warmup(*noted.args, grid=noted.grid, **noted.kwargs)


def run_kernels(task: Task, inputs: Inputs, resolved: ResolvedRequest) -> Iterator[KernelResults]:
    """Both passes once, then the backward pass again for each further repeat; every time into poisoned outputs."""
    with _left_anywhere(task, resolved):
        results = kernel_results(inputs, resolved.eps, resolved.launch)
        _synchronize(inputs.x.device)
    yield results
    for _ in range(1, resolved.repeats):
        task.check()
        with _left_anywhere(task, resolved):
            results = backward_results(inputs, resolved.launch, y=results.y, mean=results.mean, rstd=results.rstd)
            _synchronize(inputs.x.device)
        yield results


def partial_rows(task: Task, inputs: Inputs, results: KernelResults, resolved: ResolvedRequest) -> PartialRows | None:
    """What each row adds to dw and db; None where there are too many to show, and no buffers to show them in."""
    if resolved.launch.strategy != "locked" or resolved.m > SHOWN_ROWS or resolved.m * resolved.n > SHOWN_ELEMENTS:
        return None
    with _left_anywhere(task, resolved):
        dw, db = per_row_partials(inputs.x, inputs.dy, results.mean, results.rstd, inputs.weight, resolved.launch)
    if results.dw is None or results.db is None:
        return None
    arrays = (tensor.float().cpu().numpy() for tensor in (dw, db, results.dw, results.db))
    return PartialRows(dw=next(arrays), db=next(arrays), dw_total=next(arrays), db_total=next(arrays))


@contextmanager
def _left_anywhere(task: Task, resolved: ResolvedRequest) -> Iterator[None]:
    if not IS_INTERPRETED:
        yield
        return
    total = sum(prod(grid) for grid in grids(resolved.m, resolved.n, resolved.launch).values())

    def begun(programs: int) -> None:
        task.check()
        task.count(STEP, min(programs, total), total)

    with task.interruptible(), _counted_programs(begun):
        yield


@contextmanager
def _counted_programs(tell: Callable[[int], None]) -> Iterator[None]:
    """Have the interpreter tell how many programs it has begun, before each."""
    from triton.runtime import interpreter  # noqa: PLC0415 - only there is one

    builder: Any = interpreter.interpreter_builder
    set_grid_idx = builder.set_grid_idx
    begun = 0

    def counting(*index: int) -> None:
        nonlocal begun
        begun += 1
        tell(begun)
        set_grid_idx(*index)

    builder.set_grid_idx = counting
    try:
        yield
    finally:
        del builder.set_grid_idx


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
