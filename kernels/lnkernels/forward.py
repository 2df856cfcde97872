"""The forward kernel: one program normalises one row, walking it three times in steps of BLOCK_SIZE columns."""

from __future__ import annotations  # torch is named in annotations only, and compiling must not wait for it

from typing import TYPE_CHECKING

import triton
import triton.language as tl

from lnkernels.interpreter import rounded
from lnkernels.launch import LaunchConfig
from lnkernels.replay import launch_kernel

if TYPE_CHECKING:
    import torch


@triton.jit
def forward_kernel(
    x_ptr,  # [M, N], columns adjacent
    weight_ptr,  # [N], or None for ones
    bias_ptr,  # [N], or None for zeros
    y_ptr,  # [M, N], columns adjacent
    mean_ptr,  # [M] float32
    rstd_ptr,  # [M] float32
    x_stride,  # elements from one row to the next
    y_stride,
    N,  # noqa: N803 - columns of a row
    eps,
    BLOCK_SIZE: tl.constexpr,  # noqa: N803 - columns a step
):
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    lanes = tl.arange(0, BLOCK_SIZE)
    count = tl.full((), N, tl.float32)

    total = tl.full((BLOCK_SIZE,), 0.0, tl.float32)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + lanes
        total += tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
    rough_mean = tl.div_rn(tl.sum(total, axis=0), count)

    # A sum of large values with small spread carries an error of many units in the last place, as large as the spread. The
    # sum of what is left after the rough mean shows that error, so the walk that the variance needs corrects the mean too.
    residue = tl.full((BLOCK_SIZE,), 0.0, tl.float32)
    squares = tl.full((BLOCK_SIZE,), 0.0, tl.float32)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + lanes
        x = tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
        centred = tl.where(columns < N, x - rough_mean, 0.0)
        residue += centred
        squares += centred * centred
    correction = tl.div_rn(tl.sum(residue, axis=0), count)
    mean = rough_mean + correction
    variance = tl.div_rn(tl.sum(squares, axis=0), count) - correction * correction
    variance = tl.where(variance < 0.0, 0.0, variance)  # not tl.maximum, which would hide a NaN
    rstd = tl.div_rn(1.0, tl.sqrt_rn(variance + eps))
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)

    for start in range(0, N, BLOCK_SIZE):
        columns = start + lanes
        mask = columns < N
        y = (tl.load(x_ptr + columns, mask=mask, other=0.0).to(tl.float32) - mean) * rstd
        if weight_ptr is not None:
            y *= tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
        if bias_ptr is not None:
            y += tl.load(bias_ptr + columns, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + columns, rounded(y, y_ptr.dtype.element_ty), mask=mask)


def launch_forward(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: float,
    launch: LaunchConfig,
    *,
    y: torch.Tensor,
    mean: torch.Tensor,
    rstd: torch.Tensor,
) -> None:
    """Normalise the rows of x into y, and keep each row's statistics. Checks nothing, allocates nothing.

    Args:
        x: [M, N], any row stride, column stride 1.
        weight: [N] contiguous, or None.
        bias: [N] contiguous, or None.
        eps: added to the variance.
        launch: block_size, num_warps and num_stages are used.
        y: [M, N] written, any row stride, column stride 1.
        mean: [M] float32, written.
        rstd: [M] float32, written: 1 / sqrt(variance + eps).
    """
    m, n = x.shape
    launch_kernel(
        forward_kernel,
        (m,),
        x,
        weight,
        bias,
        y,
        mean,
        rstd,
        x.stride(0),
        y.stride(0),
        n,
        float(eps),  # an int 1 would be compiled in as a constant
        BLOCK_SIZE=launch.block_size,
        num_warps=launch.num_warps,
        num_stages=launch.num_stages,
    )
