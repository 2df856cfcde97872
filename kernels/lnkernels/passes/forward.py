"""The forward kernels: rows walked three times, held in registers as one block or several, or read
twice.

`forward_kernel` is that of strategy `locked`: one program normalises one row, walking it three
times in steps of BLOCK_SIZE columns. The others read x once where a row fits in registers, and
twice, the second time from L2, where it does not.

Rows held as blocks are in `lnkernels.passes.forward_blocks`, several narrow ones at once in
`lnkernels.passes.forward_tiles`.

Every program reads all of weight and bias, from L1 while they fit. Where they do not, x goes past
L1, and programs take the blocks in turns from the first to the last and from the last to the first:
the end that one has read last is there for the next.
"""

import triton
import triton.language as tl

from lnkernels.interpreter import device_function
from lnkernels.language.device_functions import (
    common_step,
    in_steps,
    inverse_deviation,
    inverse_root,
    load_parameter,
    load_tile,
    of_mean,
    packs,
    row_sums,
    scale_and_shift,
    store_tile,
)
from lnkernels.language.groups import held_together, shared_group
from lnkernels.language.launching import launch_kernel
from lnkernels.launch import Launch, ceil_div
from lnkernels.passes.arguments import ForwardTensors, has_full_tiles
from lnkernels.passes.forward_blocks import row_in_blocks_kernel, walked_rows_kernel
from lnkernels.passes.forward_tiles import SUMS_AT_ONCE, tile_in_blocks_kernel

# A sum of large values with small spread is off by as much as the spread, and what is left after
# the rough mean shows it. In half precision such values have one exponent, or two that are
# neighbours, and 12 bits; the sum of up to 4096 of them is exact in the 24 bits of float32, and so
# is that of 8192 to the last bit. So those rows need no correction. A float32 row does. A value of
# a lower exponent makes sums inexact, but also a spread of half the mean over the root of N, beside
# which they are nothing.
_EXACT_SUMS = 8192
_EARLY_WEIGHTS = 512  # columns up to which a row takes no longer than its weight and bias
_EARLY_BLOCKS = 8  # of a tile; with 9, what waits takes so many registers that an SM holds 12 warps
# Rows up to this wide have their length compiled in: the compiler then unrolls the steps and asks
# for all of a row at once.
_KNOWN_STEPS = 32768
_NARROW_ROW = 4096  # bytes of one that is a tile, even alone
# Columns of a held row: up to there packing took 1 % longer, at 8704 8 % less (H200).
_MOST_AS_FLOAT = 8192


@triton.jit
def forward_kernel(
    x_ptr,  # [M, N], columns adjacent
    weight_ptr,  # [N], or None for ones
    bias_ptr,  # [N], or None for zeros
    y_ptr,  # [M, N], columns adjacent
    mean_ptr,  # [M] float32, or None for RMSNorm
    rstd_ptr,  # [M] float32
    x_stride,  # elements from one row to the next
    y_stride,
    N,  # columns of a row
    eps,
    BLOCK_SIZE: tl.constexpr,  # columns a step
):
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    lanes = tl.arange(0, BLOCK_SIZE)
    count = tl.full((), N, tl.float32)

    total = tl.full((BLOCK_SIZE,), 0.0, tl.float32)
    if mean_ptr is not None:
        for start in range(0, N, BLOCK_SIZE):
            columns = start + lanes
            total += tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
    rough_mean = of_mean(tl.div_rn(tl.sum(total, axis=0), count), mean_ptr)

    # A sum of large values with small spread carries an error of many units in the last place, as
    # large as the spread. The sum of what is left after the rough mean shows that error, so the
    # walk that the variance needs corrects the mean too.
    residue = tl.full((BLOCK_SIZE,), 0.0, tl.float32)
    squares = tl.full((BLOCK_SIZE,), 0.0, tl.float32)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + lanes
        x = tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
        centred = tl.where(columns < N, x - rough_mean, 0.0)
        residue += centred
        squares += centred * centred
    correction = of_mean(tl.div_rn(tl.sum(residue, axis=0), count), mean_ptr)
    mean = rough_mean + correction
    rstd = inverse_deviation(tl.sum(squares, axis=0), correction, count, eps)
    if mean_ptr is not None:
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
        tl.store(y_ptr + columns, y.to(y_ptr.dtype.element_ty), mask=mask)


@device_function
def shared_out(sums, count, columns: tl.constexpr, EVEN: tl.constexpr):
    """Divide sums over rows by the rows' length; where that is `columns`, a power of two, by its
    exact inverse, which is quicker.
    """
    if EVEN:
        return sums * (1.0 / columns)
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.div_rn(sums, count)


@device_function
def normalise_tile(
    x_ptr,
    weight_ptr,
    bias_ptr,
    y_ptr,
    mean_ptr,
    rstd_ptr,
    x_stride,
    y_stride,
    rows,
    columns,
    weight,
    bias,
    M,
    N,
    eps,
    ROWS: tl.constexpr,
    BLOCK_N: tl.constexpr,
    EVEN: tl.constexpr,
    HELD: tl.constexpr,
    EARLY: tl.constexpr,
    CORRECTED: tl.constexpr,
):
    """Normalise some rows.

    HELD says that weight and bias are given; else they are loaded, with EARLY before the
    statistics.
    """
    in_row = columns < N
    mask = (rows < M)[:, None] & in_row[None, :]
    wide = rows[:, None].to(tl.int64)  # a row's address passes 2**31 elements
    count = tl.full((ROWS,), N, tl.float32)
    x = load_tile(x_ptr + wide * x_stride + columns[None, :], mask, EVEN, False).to(tl.float32)
    if EARLY and not HELD:
        if weight_ptr is not None:
            weight = load_parameter(weight_ptr + columns, in_row)
        if bias_ptr is not None:
            bias = load_parameter(bias_ptr + columns, in_row)
    mean = of_mean(shared_out(tl.sum(x, axis=1), count, BLOCK_N, EVEN), mean_ptr)
    centred = x - mean[:, None]
    if not EVEN:
        centred = tl.where(mask, centred, 0.0)
    if CORRECTED:
        squares, residue = row_sums(centred * centred, centred, 1)
        correction = of_mean(shared_out(residue, count, BLOCK_N, EVEN), mean_ptr)
        mean += correction
        centred = x - mean[:, None]
        rstd = inverse_deviation(squares, correction, count, eps)
    else:
        variance = shared_out(tl.sum(centred * centred, axis=1), count, BLOCK_N, EVEN)
        eps = tl.cast(eps, tl.float32)
        rstd = inverse_root(variance + eps)
    if mean_ptr is not None:
        tl.store(mean_ptr + rows, mean, mask=rows < M)
    tl.store(rstd_ptr + rows, rstd, mask=rows < M)
    y = centred * rstd[:, None]
    if weight_ptr is not None:
        if not (HELD or EARLY):
            weight = load_parameter(weight_ptr + columns, in_row)
        y *= weight.to(tl.float32)[None, :]
    if bias_ptr is not None:
        if not (HELD or EARLY):
            bias = load_parameter(bias_ptr + columns, in_row)
        y += bias.to(tl.float32)[None, :]
    store_tile(
        y_ptr + wide * y_stride + columns[None, :], y.to(y_ptr.dtype.element_ty), mask, EVEN, False
    )


@triton.jit
def whole_rows_kernel(
    x_ptr,  # [M, N], columns adjacent
    weight_ptr,  # [N], or None for ones
    bias_ptr,  # [N], or None for zeros
    y_ptr,  # [M, N], columns adjacent
    mean_ptr,  # [M] float32, or None for RMSNorm
    rstd_ptr,  # [M] float32
    x_stride,  # elements from one row to the next
    y_stride,
    M,  # rows
    N,  # columns of a row
    eps,
    ROWS: tl.constexpr,  # rows a tile
    BLOCK_N: tl.constexpr,  # at least N
    EVEN: tl.constexpr,  # BLOCK_N is N, and ROWS divides M
    WALK: tl.constexpr,  # programs take several tiles, and hold weight and bias meanwhile
    STAGES: tl.constexpr,  # tiles in flight
    EARLY: tl.constexpr,  # weight and bias are asked for before the statistics are known
    CORRECTED: tl.constexpr,  # the mean is corrected by what is left after its subtraction
    STEP: tl.constexpr,  # see `in_steps`
):
    x_stride, y_stride, N = in_steps(x_stride, STEP), in_steps(y_stride, STEP), in_steps(N, STEP)
    lanes = tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK_N)
    first = tl.program_id(0) * ROWS
    given = (x_ptr, weight_ptr, bias_ptr, y_ptr, mean_ptr, rstd_ptr, x_stride, y_stride)
    if WALK:
        weight = 0.0
        bias = 0.0
        if weight_ptr is not None:
            weight = load_parameter(weight_ptr + columns, columns < N)
        if bias_ptr is not None:
            bias = load_parameter(bias_ptr + columns, columns < N)
        for start in tl.range(first, M, tl.num_programs(0) * ROWS, num_stages=STAGES):
            rows = start + lanes
            normalise_tile(
                *given,
                rows,
                columns,
                weight,
                bias,
                M,
                N,
                eps,
                ROWS,
                BLOCK_N,
                EVEN,
                True,
                False,
                CORRECTED,
            )
    else:
        rows = first + lanes
        normalise_tile(
            *given, rows, columns, 0.0, 0.0, M, N, eps, ROWS, BLOCK_N, EVEN, False, EARLY, CORRECTED
        )


@triton.jit
def wide_row_kernel(
    x_ptr,  # [M, N], columns adjacent
    weight_ptr,  # [N], or None for ones
    bias_ptr,  # [N], or None for zeros
    y_ptr,  # [M, N], columns adjacent
    mean_ptr,  # [M] float32, or None for RMSNorm
    rstd_ptr,  # [M] float32
    x_stride,  # elements from one row to the next
    y_stride,
    N,  # columns of a row
    eps,
    BLOCK_N: tl.constexpr,  # columns a step
    WHOLE: tl.constexpr,  # BLOCK_N divides N
    COLUMNS: tl.constexpr,  # N, where the compiler is to know the number of steps; else 0
    STEP: tl.constexpr,  # see `in_steps`
):
    x_stride, y_stride, N = in_steps(x_stride, STEP), in_steps(y_stride, STEP), in_steps(N, STEP)
    if COLUMNS > 0:
        N = COLUMNS
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    lanes = tl.arange(0, BLOCK_N)
    count = tl.full((), N, tl.float32)
    # Sums are of x - shift, the shift being the mean of the first step. Its distance d to the row's
    # mean is harmless: with a share f of the row in the first step, the spread between it and the
    # rest alone makes the variance at least d²·f/(1-f), so the squares' sum is at most 1/f times
    # what the variance needs, and loses no more than that factor in rounding.
    first = tl.load(x_ptr + lanes, mask=lanes < N, other=0.0, eviction_policy="evict_last").to(
        tl.float32
    )
    shift = of_mean(tl.sum(first, axis=0) / tl.minimum(N, BLOCK_N), mean_ptr)
    centred = tl.where(lanes < N, first - shift, 0.0)
    residue = centred
    squares = centred * centred
    for start in range(BLOCK_N, N, BLOCK_N):
        columns = start + lanes
        if WHOLE:
            centred = tl.load(x_ptr + columns, eviction_policy="evict_last").to(tl.float32) - shift
        else:
            x = tl.load(
                x_ptr + columns, mask=columns < N, other=0.0, eviction_policy="evict_last"
            ).to(tl.float32)
            centred = tl.where(columns < N, x - shift, 0.0)
        residue += centred
        squares += centred * centred
    total, total_squares = row_sums(residue, squares, 0)
    correction = of_mean(tl.div_rn(total, count), mean_ptr)
    mean = shift + correction
    rstd = inverse_deviation(total_squares, correction, count, eps)
    if mean_ptr is not None:
        tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, N, BLOCK_N):
        columns = start + lanes
        mask = columns < N
        x = load_tile(x_ptr + columns, mask, WHOLE)
        y = (x.to(tl.float32) - mean) * rstd
        y = scale_and_shift(y, weight_ptr, bias_ptr, columns, mask)
        store_tile(y_ptr + columns, y.to(y_ptr.dtype.element_ty), mask, WHOLE)


def launch_three_walks(given: ForwardTensors, launch: Launch) -> None:
    """Launch the forward pass of `locked`. Checks nothing, allocates nothing."""
    m, n = given.x.shape
    launch_kernel(
        forward_kernel,
        (m,),
        *given.arguments,
        n,
        float(given.eps),  # an int 1 would be compiled in as a constant
        BLOCK_SIZE=launch.block_size,
        num_warps=launch.num_warps,
        num_stages=launch.num_stages,
    )


def launch_forward(given: ForwardTensors, launch: Launch) -> None:
    """Launch the forward pass of all other strategies. A row is read once where a block covers it
    or it is held.
    """
    (m, n), rows, block = given.x.shape, launch.forward_rows, launch.block_size
    size, blocks, tiles = given.x.element_size(), ceil_div(n, block), ceil_div(m, rows)
    common = {
        "BLOCK_N": block,
        "STEP": common_step(n, given.x.stride(0), given.y.stride(0)),
        "num_warps": launch.forward_num_warps,
    }
    corrected, known = size > 2 or n > _EXACT_SUMS, n if n <= _KNOWN_STEPS else 0
    numbers: tuple[float, ...] = m, n, float(given.eps)
    if block >= n and not launch.forward_held:
        kernel, programs = whole_rows_kernel, min(tiles, launch.forward_programs or tiles)
        constants = {
            "ROWS": rows,
            "EVEN": block == n and has_full_tiles(m, rows, launch),
            "WALK": launch.forward_programs > 0,
            "STAGES": launch.forward_num_stages,
            "EARLY": n <= _EARLY_WEIGHTS,
            "CORRECTED": corrected,
        }
    elif launch.forward_held and launch.forward_programs:
        kernel, programs = walked_rows_kernel, min(m, launch.forward_programs)
        each = held_together(block, launch.forward_num_warps, size)
        group = 1
        if not launch.invariant:
            group = shared_group(n, programs, block // each, given.x, given.y)
        constants = {
            "BLOCKS": ceil_div(n // group * group, block),
            "FULL": (n - 2 * (group - 1)) // block,
            "CORRECTED": corrected,
            "STAGES": launch.forward_num_stages,
            "GROUP": group,
            "EACH": each if group > 1 else 1,
        }
    elif launch.forward_held and (rows > 1 or block >= n or n * size <= _NARROW_ROW):
        kernel, programs = tile_in_blocks_kernel, tiles
        constants = {
            "ROWS": rows,
            "BLOCKS": blocks,
            "EVEN": has_full_tiles(m, rows, launch),
            "FULL": n // block,
            "EARLY": blocks <= _EARLY_BLOCKS,
            "CORRECTED": corrected,
            "AT_ONCE": rows == 1 and size == 2 and n <= SUMS_AT_ONCE,
            "COLUMNS": known if given.x.stride(0) == given.y.stride(0) == n else 0,
        }
    elif launch.forward_held:
        kernel, programs, numbers = row_in_blocks_kernel, m, numbers[1:]
        constants = {
            "BLOCKS": blocks,
            "FULL": n // block,
            "PACKED": packs(n, _MOST_AS_FLOAT, size),
            "CORRECTED": corrected,
            "TURN_AFTER": launch.turn_after,
        }
    else:
        kernel, programs, numbers = wide_row_kernel, m, numbers[1:]
        constants = {"WHOLE": n % block == 0, "COLUMNS": known}
    launch_kernel(kernel, (programs,), *given.arguments, *numbers, **constants, **common)
