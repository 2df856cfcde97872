"""Measures GROUP_SIZE_M from 1 to 512."""

from lnexplorer.domain.experiments.group_size import SIZES, GroupSizePoint, GroupSizes
from lnexplorer.worker.experiments.work import Work, dw_error, median_ms
from lnexplorer.worker.trace import mean_wait
from lnkernels.values import say

BUFFERS = ("float32", "same")
TIMING_SECONDS = 3.0  # of GPU time for all settings together


def measure(work: Work) -> GroupSizes:
    """Time and check every size with both types of buffers, interleaved; then trace the waits."""
    settings = {
        (size, buffers): work.problem.changed(group_size_m=size, partial_dtype=buffers)
        for size in SIZES
        for buffers in BUFFERS
    }
    measured = work.measured_backward(
        settings.values(), seconds=TIMING_SECONDS, with_ceilings=False
    )
    outcomes = dict(zip(settings, measured.outcomes, strict=True))
    waits, sizes = {}, {}
    for number, (key, setting) in enumerate(settings.items()):
        work.task.step(say("waits"), number, len(settings))
        resolved = work.resolve(setting)
        waits[key] = mean_wait(work.task, resolved, work.torch_device)
        sizes[key] = resolved.buffer_bytes
    points = []
    for size in SIZES:
        float32, same = ((size, buffers) for buffers in BUFFERS)
        points.append(
            GroupSizePoint(
                group_size_m=size,
                ms_float32=median_ms(outcomes[float32]),
                ms_same=median_ms(outcomes[same]),
                wait=waits[float32],
                wait_same=waits[same],
                error_float32=dw_error(outcomes[float32]),
                error_same=dw_error(outcomes[same]),
                bytes_float32=sizes[float32],
                bytes_same=sizes[same],
                reason=outcomes[float32].reason or outcomes[same].reason,
            )
        )
    torch_errors = (
        errors.torch_max_abs
        for outcome in measured.outcomes
        for errors in outcome.errors
        if errors.name == "dw"
    )
    return GroupSizes(points=tuple(points), torch_error=next(torch_errors, None))
