"""`locked` beside the strategies that replace its locks."""

from dataclasses import replace

import torch

from lnexplorer.domain.experiments.findings import Strategies, StrategyRow
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import RunRequest, check, resolve
from lnexplorer.worker.connection import Task
from lnexplorer.worker.experiments.backward import dtype_of, statistics
from lnexplorer.worker.experiments.group_size import dw_error, median_ms
from lnexplorer.worker.experiments.order import repeated, without_locks
from lnexplorer.worker.experiments.strategy_traces import trace_strategy
from lnexplorer.worker.measure import Measurer
from lnexplorer.worker.trace import trace
from lnkernels.inputs import make_inputs
from lnkernels.launch import LAUNCHED, memory_estimate
from lnkernels.sentence import say
from lnkernels.values.environment import Device
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline

OTHERS = tuple(sorted(set(LAUNCHED) - {"locked"}))


def strategies(
    task: Task, problem: RunRequest, runs: int, measurer: Measurer, torch_device: torch.device, device: Device
) -> Strategies:
    """Time, check and repeat each strategy that takes rows of this width; trace those that can be traced."""
    settings = {"locked": problem} | {
        name: request
        for name in OTHERS
        if not check(request := without_locks(problem, name), device.backend, limits=device.limits)
    }
    on_gpu = device.backend == "cuda"
    measured = measurer.measure(
        task,
        MeasureRequest(
            settings=tuple(settings.values()),
            directions=("backward",),
            modes=("kernel_cold",) if on_gpu else (),
            with_ceilings=on_gpu,
        ),
    )
    measurer.forget()
    first = resolve(problem, device.backend, device.limits)
    inputs = make_inputs(first.m, first.n, dtype_of(first), first.data, first.seed, torch_device)
    rows = []
    for number, (outcome, (name, request)) in enumerate(zip(measured.outcomes, settings.items(), strict=True)):
        resolved = resolve(request, device.backend, device.limits)
        distinct = None
        if outcome.status == "ok":
            distinct = repeated(task, inputs, resolved, runs, number, len(settings)).distinct
        figure = outcome.figure("backward", "kernel_cold")
        rows.append(
            StrategyRow(
                strategy=name,
                ms=median_ms(outcome),
                gbps=None if figure is None else figure.gbps,
                workspace_bytes=memory_estimate(resolved.m, resolved.n, resolved.dtype, resolved.launch).partial_buffers,
                runs=runs,
                distinct=distinct,
                error=dw_error(outcome),
                reason=outcome.reason,
                share=None if figure is None else figure.share_of_ceiling,
            )
        )
    mean, rstd = statistics(inputs.x, first.eps)
    others = []
    for number, row in enumerate(rows):
        task.step(say("traces"), number, len(rows))
        if row.strategy == "locked" or row.distinct is None:
            continue
        found = trace_strategy(task, inputs, mean, rstd, resolve(settings[row.strategy], device.backend, device.limits))
        if isinstance(found, StrategyTimeline):
            others.append(found)
        elif found is not None:
            rows[number] = replace(row, reason=found)
    traced = trace(task, problem, device.backend, torch_device)
    timeline = traced if isinstance(traced, ReductionTimeline) else None
    return Strategies(rows=tuple(rows), timeline=timeline, others=tuple(others))
