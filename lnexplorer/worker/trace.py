"""The timeline of both stages of the reduction, recorded on a GPU, or counted in steps by the
interpreter.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import torch

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.timeline import LockWait, summarize
from lnexplorer.worker.checking import (
    SHOWN_ELEMENTS,
    SHOWN_ROWS,
    compile_kernels,
    inputs_of,
    is_readable,
)
from lnexplorer.worker.connection import Task
from lnexplorer.worker.turns import turn
from lnkernels.check.inputs import Inputs
from lnkernels.check.results import kernel_results, total
from lnkernels.interpreter import ieee_arithmetic
from lnkernels.launch import Launch, Problem, split_norm
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.registry import STRATEGY_KERNELS, launch_here, run_backward
from lnkernels.providers.file import FileProvider
from lnkernels.providers.protocol import Case
from lnkernels.trace.capture import carry_out, measure_cost
from lnkernels.trace.memory import measured_tick
from lnkernels.trace.stamp_timeline import stamp_timeline
from lnkernels.values import say, verbatim
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline

STEPS = (say("inputs"), say("kernels"), say("trace"), say("cost"))


class Backward:
    """A backward pass of any strategy that can be repeated; its memory is allocated once.

    Args:
        inputs: x and dy [M, N], weight [N]; a residual is added to x before.
        mean: [M] float32; None for RMSNorm.
        rstd: [M] float32.
        launch: of any strategy.
    """

    def __init__(
        self, inputs: Inputs, mean: torch.Tensor | None, rstd: torch.Tensor, launch: Launch
    ) -> None:
        x = total(inputs)
        self.dx = torch.empty_like(x)
        self._launch = launch_here(launch, x)
        self._kernels = STRATEGY_KERNELS[launch.strategy]
        self._given = BackwardTensors(
            x=x,
            dy=inputs.dy,
            weight=inputs.weight,
            mean=mean,
            rstd=rstd,
            dx=self.dx,
            dw=None,
            db=None,
        )
        self._workspace = self._kernels.allocate_workspace(x, self._launch)

    def allocate_trace(self, **numbers: bool) -> Any:
        """Return memory for the trace of a pass; of `locked` with its numbers where these are
        wanted.
        """
        return self._kernels.allocate_trace(self._given.x, self._launch, **numbers)

    def read_trace(
        self, memory: Any, dw: torch.Tensor, db: torch.Tensor | None
    ) -> ReductionTimeline | StrategyTimeline:
        """Return what a traced pass wrote, with the dw and db that it gave."""
        read: Callable[..., ReductionTimeline | StrategyTimeline] = self._kernels.read_trace
        return read(self._given.x, self._launch, memory, dw=dw, db=db)

    def __call__(self, dw: torch.Tensor, db: torch.Tensor | None, trace: Any = None) -> None:
        """Write dw and db [N], which may be wider than x, and a trace into its memory."""
        with ieee_arithmetic():
            run_backward(replace(self._given, dw=dw, db=db), self._launch, self._workspace, trace)


def trace(
    task: Task, resolved: ResolvedRequest, device: torch.device, *, with_cost: bool = True
) -> ReductionTimeline | list[Problem]:
    """Record one backward pass, with its numbers where the shape is small enough to read them, and
    on a GPU what that costs.

    On the interpreter only such shapes are traced: their numbers and the order of additions are
    true, times there are none. For another strategy than `locked`, the problem says why there is
    nothing to trace.
    """
    numbers = is_readable(resolved) and split_norm(resolved.norm)[0] == "layer_norm"
    problems = _problems(resolved, device)
    if problems:
        return problems
    task.begin("compile")
    task.step(STEPS[0], 0, len(STEPS))
    inputs = inputs_of(resolved, device)
    compile_kernels(inputs, resolved.eps, resolved.launch)
    task.begin("run")
    task.step(STEPS[1], 1, len(STEPS))
    with interruptible(task, device):
        # The forward pass gives the statistics, and an untraced backward pass warms up what a
        # traced one shares with it.
        results = kernel_results(inputs, resolved.eps, resolved.launch)
    assert results.dw is not None, "runs have a weight"
    backward = Backward(inputs, results.mean, results.rstd, resolved.launch)
    sums = results.dw, results.db
    memory = backward.allocate_trace(numbers=numbers)

    def traced() -> None:
        backward(*sums, memory)

    task.step(STEPS[2], 2, len(STEPS))
    with turn(task, device), interruptible(task, device):
        carry_out(traced, device)
    recorded = backward.read_trace(memory, *sums)
    assert isinstance(recorded, ReductionTimeline), "of locked"
    if not with_cost:
        return recorded
    # With the same memory: what is written is written over.
    return _with_cost(task, recorded, lambda: backward(*sums), traced, device)


def trace_stamps(
    task: Task, resolved: ResolvedRequest, provider: FileProvider, device: torch.device
) -> ReductionTimeline:
    """Record the stamps of a kernel of one's own in its backward pass; in its forward pass where
    that alone has some.

    Raises:
        ExplainedError: it has none, or what it raised.
    """
    task.begin("compile")
    task.step(STEPS[0], 0, len(STEPS))
    inputs = inputs_of(resolved, device)
    case, step = Case.of(inputs, resolved.eps, resolved.launch), verbatim(provider.name)
    for direction in ("backward", "forward"):
        task.step(step, 1, len(STEPS))
        with interruptible(task, device), provider.watched(device, resolved.n) as traced:
            assert traced.trace is not None, "it has stamps"
            memory = traced.trace
            call, untraced = (getattr(each, direction)(case) for each in (traced, provider))
            call()  # compiles, and hangs where a call that is not traced would
            if device.type == "cuda":
                torch.cuda.synchronize(device)
                untraced()
            memory[1:].zero_()
            task.begin("run")
            task.step(STEPS[2], 2, len(STEPS))
            carry_out(call, device)
        if bool(memory[1:].any()):
            break
    tick = measured_tick(device)
    recorded = stamp_timeline(
        memory, provider.source.stamps, source=provider.name, n=resolved.n, tick_ns=tick
    )
    return _with_cost(task, recorded, untraced, call, device)


def _with_cost(
    task: Task,
    recorded: ReductionTimeline,
    plain: Callable[[], object],
    traced: Callable[[], object],
    device: torch.device,
) -> ReductionTimeline:
    """Add what recording costs on a GPU."""
    if device.type != "cuda":
        return recorded
    task.step(STEPS[3], 3, len(STEPS))
    with turn(task, device):
        return replace(recorded, cost=measure_cost(plain, traced, device))


def interruptible(task: Task, device: torch.device) -> AbstractContextManager[None]:
    """The interpreter may be left anywhere, by JobCancelled; work that a GPU has been given is
    waited for.
    """
    return nullcontext() if device.type == "cuda" else task.interruptible()


def _problems(resolved: ResolvedRequest, device: torch.device) -> list[Problem]:
    if resolved.launch.strategy != "locked":
        allowed = say("choose locked: it is the strategy that has locks")
        return [Problem("strategy", resolved.launch.strategy, allowed)]
    if device.type != "cuda" and split_norm(resolved.norm)[0] != "layer_norm":
        allowed = say(
            "choose layer_norm: the interpreter traces numbers of dw and db, and RMSNorm has no db"
        )
        return [Problem("norm", resolved.norm, allowed)]
    if device.type != "cuda" and not is_readable(resolved):
        field, value = ("m", resolved.m) if resolved.m > SHOWN_ROWS else ("n", resolved.n)
        allowed = say(
            "on the interpreter a trace has at most {rows} rows and {elements} elements: programs"
            " run one after another there, so nothing but the numbers is worth recording; choose a"
            " GPU for the timing of locks",
            rows=SHOWN_ROWS,
            elements=SHOWN_ELEMENTS,
        )
        return [Problem(field, str(value), allowed)]
    return []


def mean_wait(task: Task, resolved: ResolvedRequest, device: torch.device) -> LockWait | None:
    """Return the mean time that a row tries its lock, and that it queues for it, traced once; None
    on the interpreter, which has no clock, and for strategies without locks.
    """
    if device.type != "cuda":
        return None
    traced = trace(task, resolved, device, with_cost=False)
    if isinstance(traced, ReductionTimeline) and traced.kind is Kind.MEASURED:
        return summarize(traced).wait
    return None
