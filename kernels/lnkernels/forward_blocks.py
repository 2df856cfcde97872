"""A forward kernel that holds a row in registers as BLOCKS blocks of BLOCK_N columns, which need not make a power of two.

A block of Triton has a power of two of elements. One block for 5120 columns would have 8192, and three of eight lanes would be
loaded with nothing, hold nothing and be summed all the same. Five blocks of 1024 are full. All loads of a row are under way
before the first is needed, and x is read once. Wide rows wait there as they came, two elements a register (`lnkernels.packed`).

Every program reads all of weight and bias, from L1 while they fit. Where they do not, x goes past L1, and programs take the
blocks in turns from the first to the last and from the last to the first: the end that one has read last is there for the next.
"""

from __future__ import annotations  # compiling must not wait for torch

import triton
import triton.language as tl

from lnkernels.interpreter import device_function, rounded
from lnkernels.packed import anew, hidden_zero
from lnkernels.reductions import inverse_deviation, inverse_root, row_sums
from lnkernels.tiles import in_steps, load_tile, store_tile


@device_function
def store_blocks(
    weight_ptr,
    bias_ptr,
    y_ptr,
    held,
    mean,
    rstd,
    zero,
    N,  # noqa: N803
    BLOCK_N: tl.constexpr,  # noqa: N803
    BLOCKS: tl.constexpr,  # noqa: N803
    WHOLE: tl.constexpr,  # noqa: N803
    PACKED: tl.constexpr,  # noqa: N803
    FIRST: tl.constexpr,  # noqa: N803
    END: tl.constexpr,  # noqa: N803
    STEP: tl.constexpr,  # noqa: N803
):
    """Normalise the blocks of a held row and store them, from FIRST until END, which is left out."""
    lanes = tl.arange(0, BLOCK_N)
    for block in tl.static_range(FIRST, END, STEP):
        columns = block * BLOCK_N + lanes
        mask = columns < N
        y = (anew(held[block], zero, PACKED).to(tl.float32) - mean) * rstd
        if weight_ptr is not None:
            y *= tl.load(weight_ptr + columns, mask=mask, other=0.0, eviction_policy="evict_last").to(tl.float32)
        if bias_ptr is not None:
            y += tl.load(bias_ptr + columns, mask=mask, other=0.0, eviction_policy="evict_last").to(tl.float32)
        store_tile(y_ptr + columns, rounded(y, y_ptr.dtype.element_ty), mask, WHOLE or block < BLOCKS - 1, False)


@triton.jit
def row_in_blocks_kernel(
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
    BLOCK_N: tl.constexpr,  # noqa: N803
    BLOCKS: tl.constexpr,  # noqa: N803 - the fewest that hold N columns
    WHOLE: tl.constexpr,  # noqa: N803 - BLOCK_N divides N
    PACKED: tl.constexpr,  # noqa: N803 - x is converted anew for each use
    CORRECTED: tl.constexpr,  # noqa: N803 - the mean is corrected by what is left after its subtraction
    TURN_AFTER: tl.constexpr,  # noqa: N803 - programs after which the next ones take the blocks the other way round; 0 for never
    STEP: tl.constexpr,  # noqa: N803 - see `lnkernels.tiles.in_steps`
):
    x_stride, y_stride, N = in_steps(x_stride, STEP), in_steps(y_stride, STEP), in_steps(N, STEP)  # noqa: N806
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    lanes = tl.arange(0, BLOCK_N)
    last = (BLOCKS - 1) * BLOCK_N + lanes < N
    count = tl.full((), N, tl.float32)
    held = ()
    for block in tl.static_range(BLOCKS):
        x = load_tile(x_ptr + block * BLOCK_N + lanes, last, WHOLE or block < BLOCKS - 1, False, TURN_AFTER > 0)
        held = held + (x,)  # type: ignore[assignment]  # noqa: RUF005 - Triton has no unpacking
    total = tl.full((BLOCK_N,), 0.0, tl.float32)
    for block in tl.static_range(BLOCKS):
        total += held[block].to(tl.float32)
    mean = tl.div_rn(tl.sum(total, axis=0), count)
    zero = hidden_zero(N, mean)
    residues = tl.full((BLOCK_N,), 0.0, tl.float32)
    squares = tl.full((BLOCK_N,), 0.0, tl.float32)
    for block in tl.static_range(BLOCKS):
        centred = anew(held[block], zero, PACKED).to(tl.float32) - mean
        if not (WHOLE or block < BLOCKS - 1):
            centred = tl.where(last, centred, 0.0)
        residues += centred
        squares += centred * centred
    if CORRECTED:
        square, residue = row_sums(squares, residues, 0)
        correction = tl.div_rn(residue, count)
        mean += correction
        rstd = inverse_deviation(square, correction, count, eps)
    else:
        rstd = inverse_root(tl.div_rn(tl.sum(squares, axis=0), count) + eps)
    zero = hidden_zero(N, mean)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    given = (weight_ptr, bias_ptr, y_ptr, held, mean, rstd, zero, N)
    if TURN_AFTER > 0:
        if tl.program_id(0) // TURN_AFTER % 2 == 0:
            store_blocks(*given, BLOCK_N, BLOCKS, WHOLE, PACKED, 0, BLOCKS, 1)
        else:
            store_blocks(*given, BLOCK_N, BLOCKS, WHOLE, PACKED, BLOCKS - 1, -1, -1)
    else:
        store_blocks(*given, BLOCK_N, BLOCKS, WHOLE, PACKED, 0, BLOCKS, 1)
