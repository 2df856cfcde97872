"""GROUP_SIZE_M from 1 to 512: what more buffers buy and what they cost."""

from collections.abc import Iterable
from typing import Any

import torch

from lnexplorer.domain.experiments.findings import GroupSizePoint, GroupSizes
from lnexplorer.domain.experiments.request import GROUP_SIZES
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.worker.connection import Task
from lnexplorer.worker.measuring import Measurer
from lnexplorer.worker.trace import mean_wait
from lnkernels.launch import partial_buffer_bytes
from lnkernels.values.environment import Device
from lnkernels.values.sentence import say

BUFFERS = ("float32", "same")
TIMING_SECONDS = 3.0  # of GPU time for all settings together


def group_sizes(
    task: Task, problem: RunRequest, measurer: Measurer, torch_device: torch.device, device: Device
) -> GroupSizes:
    """Time and check every size with both types of buffers, interleaved; then trace each for its
    waits.
    """
    settings = {
        (size, buffers): problem.changed(group_size_m=size, partial_dtype=buffers)
        for size in GROUP_SIZES
        for buffers in BUFFERS
    }
    measured = measured_backward(
        task, settings.values(), measurer, device, seconds=TIMING_SECONDS, with_ceilings=False
    )
    waits = {}
    for number, (key, setting) in enumerate(settings.items()):
        task.step(say("waits"), number, len(settings))
        resolved = resolve(setting, device.backend, device.limits)
        waits[key] = mean_wait(task, resolved, torch_device)
    outcomes = dict(zip(settings, measured.outcomes, strict=True))
    points = []
    for size in GROUP_SIZES:
        wide, same = outcomes[size, "float32"], outcomes[size, "same"]
        sizes = {}
        for buffers in BUFFERS:
            resolved = resolve(settings[size, buffers], device.backend, device.limits)
            sizes[buffers] = partial_buffer_bytes(
                resolved.m, resolved.n, resolved.dtype, resolved.launch
            )
        points.append(
            GroupSizePoint(
                group_size_m=size,
                ms_float32=median_ms(wide),
                ms_same=median_ms(same),
                wait=waits[size, "float32"],
                error_float32=dw_error(wide),
                error_same=dw_error(same),
                bytes_float32=sizes["float32"],
                bytes_same=sizes["same"],
                reason=wide.reason or same.reason,
                wait_same=waits[size, "same"],
            )
        )
    return GroupSizes(points=tuple(points), torch_error=_torch_error(measured))


def measured_backward(
    task: Task, settings: Iterable[RunRequest], measurer: Measurer, device: Device, **effort: Any
) -> Measured:
    """Each setting's backward pass, checked, and on a GPU timed: kernels alone, cold L2. What
    follows has all memory.
    """
    modes: tuple[str, ...] = ("kernel_cold",) if device.backend == "cuda" else ()
    request = MeasureRequest(
        settings=tuple(settings), directions=("backward",), modes=modes, **effort
    )
    measured = measurer.measure(task, request)
    measurer.forget()
    return measured


def median_ms(outcome: CandidateOutcome) -> float | None:
    """The backward pass, kernels alone, cold L2."""
    figure = outcome.figure("backward", "kernel_cold")
    return None if figure is None else figure.p50_ms


def dw_error(outcome: CandidateOutcome) -> float | None:
    """Largest error of dw against the truth."""
    return next((errors.max_abs for errors in outcome.errors if errors.name == "dw"), None)


def _torch_error(measured: Measured) -> float | None:
    found = (
        errors.torch_max_abs
        for outcome in measured.outcomes
        for errors in outcome.errors
        if errors.name == "dw"
    )
    return next(found, None)
