"""What a row's programs touch, asked of the kernels in the interpreter."""

import torch

from lnexplorer.domain.jobs import Touched, TouchRequest
from lnexplorer.domain.request import resolve
from lnexplorer.worker.task import Task
from lnkernels import touched as kernels
from lnkernels.interpreter import ieee_arithmetic
from lnkernels.launch import Problem
from lnkernels.sentence import say


def touch(task: Task, request: TouchRequest) -> Touched | list[Problem]:
    """Run the programs of one row and one column, and tell what they load and store, or why that cannot be done."""
    resolved = resolve(request.problem, "interpreter")
    task.begin("run")
    task.step(say("kernels"), 0, 1)
    dtype = getattr(torch, resolved.dtype)
    try:
        with task.interruptible(), ieee_arithmetic():
            found = kernels.touched(resolved.m, resolved.n, dtype, resolved.launch, request.row, request.column, resolved.eps)
    except OSError as error:
        return [
            Problem(
                "m", str(resolved.m), say("take fewer rows: there is no room for their addresses ({error})", error=str(error))
            )
        ]
    problems = [one for one in found if isinstance(one, Problem)]
    if problems:
        return problems
    accesses = tuple(one for one in found if not isinstance(one, Problem))
    return Touched(request=request, resolved=resolved, accesses=accesses)
