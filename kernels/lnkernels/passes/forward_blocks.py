"""The forward kernels of rows held as blocks, one at once.

`row_in_blocks_kernel` holds a row as BLOCKS blocks of BLOCK_N columns, which need not make a power
of two. A block of Triton has a power of two of elements. One block for 5120 columns would have
8192, and three of eight lanes would be loaded with nothing, hold nothing and be summed all the
same. Five blocks of 1024 are full. All loads of a row are under way before the first is needed, and
x is read once. Wide rows wait there as they came, two elements a register
(`lnkernels.language.device_functions.anew`). `lnkernels.passes.forward_tiles` does the same for
several narrow rows at once.

`walked_rows_kernel` is for rows that begin at any element: a grid that fills the GPU once walks all
rows, with weight and bias in registers. Rows of 4097 half-precision elements begin anywhere within
16 bytes. Loaded and stored one by one, their elements reach half of the memory's bandwidth. All
rows of a program begin at the same element of a line of 128 bytes, so it reads and writes whole
lines (`lnkernels.language.groups.first_group`), and its weight and bias, which are
shifted against them, are loaded once. The elements at both ends of a row are lanes of their own.
"""

import triton
import triton.language as tl

from lnkernels.interpreter import device_function
from lnkernels.language.device_functions import (
    anew,
    hidden_zero,
    in_steps,
    inverse_deviation,
    inverse_root,
    load_tile,
    of_mean,
    row_sums,
    scale_and_shift,
    store_tile,
)
from lnkernels.language.groups import (
    first_group,
    last_element,
    load_ends,
    of_threads,
    outside_groups,
    parameter_ends,
)


@device_function
def store_blocks(
    weight_ptr,
    bias_ptr,
    y_ptr,
    held,
    mean,
    rstd,
    zero,
    N,
    BLOCK_N: tl.constexpr,
    BLOCKS: tl.constexpr,
    FULL: tl.constexpr,
    PACKED: tl.constexpr,
    FIRST: tl.constexpr,
    END: tl.constexpr,
    STEP: tl.constexpr,
):
    """Normalise the blocks of a held row and store them, from FIRST up to but without END."""
    lanes = tl.arange(0, BLOCK_N)
    for block in tl.static_range(FIRST, END, STEP):
        columns = block * BLOCK_N + lanes
        mask = columns < N
        y = (anew(held[block], zero, PACKED).to(tl.float32) - mean) * rstd
        y = scale_and_shift(y, weight_ptr, bias_ptr, columns, mask)
        store_tile(y_ptr + columns, y.to(y_ptr.dtype.element_ty), mask, block < FULL, False)


@triton.jit
def row_in_blocks_kernel(
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
    BLOCK_N: tl.constexpr,
    BLOCKS: tl.constexpr,  # the fewest that hold N columns
    FULL: tl.constexpr,  # blocks that need no mask
    PACKED: tl.constexpr,  # x is converted anew for each use
    CORRECTED: tl.constexpr,  # the mean is corrected by what is left after its subtraction
    # programs after which the next ones take the blocks the other way round; 0 for never
    TURN_AFTER: tl.constexpr,
    STEP: tl.constexpr,  # see `in_steps`
):
    x_stride, y_stride, N = in_steps(x_stride, STEP), in_steps(y_stride, STEP), in_steps(N, STEP)
    row = tl.program_id(0).to(tl.int64)  # a row's address passes 2**31 elements
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    lanes = tl.arange(0, BLOCK_N)
    last = (BLOCKS - 1) * BLOCK_N + lanes < N
    count = tl.full((), N, tl.float32)
    held = ()
    for block in tl.static_range(BLOCKS):
        x = load_tile(
            x_ptr + block * BLOCK_N + lanes,
            last,
            block < FULL,
            False,
            TURN_AFTER > 0,
        )
        held = held + (x,)
    total = tl.full((BLOCK_N,), 0.0, tl.float32)
    for block in tl.static_range(BLOCKS):
        total += held[block].to(tl.float32)
    mean = of_mean(tl.div_rn(tl.sum(total, axis=0), count), mean_ptr)
    zero = hidden_zero(N, mean)
    residues = tl.full((BLOCK_N,), 0.0, tl.float32)
    squares = tl.full((BLOCK_N,), 0.0, tl.float32)
    for block in tl.static_range(BLOCKS):
        centred = anew(held[block], zero, PACKED).to(tl.float32) - mean
        if block >= FULL:
            centred = tl.where(last, centred, 0.0)
        residues += centred
        squares += centred * centred
    if CORRECTED:
        square, residue = row_sums(squares, residues, 0)
        correction = of_mean(tl.div_rn(residue, count), mean_ptr)
        mean += correction
        rstd = inverse_deviation(square, correction, count, eps)
    else:
        eps = tl.cast(eps, tl.float32)
        rstd = inverse_root(tl.div_rn(tl.sum(squares, axis=0), count) + eps)
    zero = hidden_zero(N, mean)
    if mean_ptr is not None:
        tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    given = (weight_ptr, bias_ptr, y_ptr, held, mean, rstd, zero, N)
    if TURN_AFTER > 0:
        if tl.program_id(0) // TURN_AFTER % 2 == 0:
            store_blocks(*given, BLOCK_N, BLOCKS, FULL, PACKED, 0, BLOCKS, 1)
        else:
            store_blocks(*given, BLOCK_N, BLOCKS, FULL, PACKED, BLOCKS - 1, -1, -1)
    else:
        store_blocks(*given, BLOCK_N, BLOCKS, FULL, PACKED, 0, BLOCKS, 1)


@triton.jit
def walked_rows_kernel(
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
    BLOCK_N: tl.constexpr,
    BLOCKS: tl.constexpr,  # the fewest that hold N columns
    FULL: tl.constexpr,  # blocks that need no mask
    CORRECTED: tl.constexpr,  # the mean is corrected by what is left after its subtraction
    STAGES: tl.constexpr,  # rows in flight
    STEP: tl.constexpr,  # see `in_steps`
    GROUP: tl.constexpr,  # see `first_group`; 1, or strides differ by multiples of it
    EACH: tl.constexpr,  # adjacent elements of a block that are summed first; 1 without a GROUP
):
    x_stride, y_stride, N = in_steps(x_stride, STEP), in_steps(y_stride, STEP), in_steps(N, STEP)
    program = tl.program_id(0)
    lanes = tl.arange(0, BLOCK_N)
    walkers = in_steps(tl.num_programs(0), GROUP)
    lead, length = first_group(program, x_stride, N, GROUP)
    one = tl.arange(0, 1)  # see `lnkernels.passes.persistent_blocks`
    count = tl.full((), N, tl.float32)
    masks = ()
    weights = ()
    biases = ()
    for block in tl.static_range(BLOCKS):
        columns = block * BLOCK_N + lanes
        masks = masks + (columns < length,)
        if weight_ptr is not None:
            weights = weights + (tl.load(weight_ptr + lead + columns, masks[block], other=0.0),)
        if bias_ptr is not None:
            biases = biases + (tl.load(bias_ptr + lead + columns, masks[block], other=0.0),)
    first = program
    if GROUP > 1:
        first = tl.where(program < walkers, program, M)  # the programs that are left over take none
        places, ends = outside_groups(lead, length, N, GROUP, BLOCK_N // EACH)
        last_x = last_element(x_ptr, x_stride, M, N)
        weight_ends = parameter_ends(weight_ptr, lead, places, ends, 1.0)
        bias_ends = parameter_ends(bias_ptr, lead, places, ends, 0.0)
    for row in tl.range(first, M, walkers, num_stages=STAGES):
        wide = tl.full((), row, tl.int64)  # a row's address passes 2**31 elements
        held = ()
        total = tl.full((BLOCK_N // EACH,), 0.0, tl.float32)
        x_at = in_steps(wide * x_stride + lead, GROUP)
        for block in tl.static_range(BLOCKS):
            x = load_tile(x_ptr + x_at + block * BLOCK_N + lanes, masks[block], block < FULL)
            held = held + (x,)
            total += of_threads(x.to(tl.float32), EACH)
        if GROUP > 1:
            x_ends = load_ends(x_ptr + x_at, last_x, row, lead, places, ends, M, N)
            for part in tl.static_range(len(places)):
                total += x_ends[part]
        mean = of_mean(tl.div_rn(tl.sum(total, axis=0), count), mean_ptr)
        residues = tl.full((BLOCK_N // EACH,), 0.0, tl.float32)
        squares = tl.full((BLOCK_N // EACH,), 0.0, tl.float32)
        for block in tl.static_range(BLOCKS):
            centred = held[block].to(tl.float32) - mean
            if block >= FULL:
                centred = tl.where(masks[block], centred, 0.0)
            residues += of_threads(centred, EACH)
            squares += of_threads(centred * centred, EACH)
        if GROUP > 1:
            for part in tl.static_range(len(places)):
                centred_end = tl.where(ends[part], x_ends[part] - mean, 0.0)
                residues += centred_end
                squares += centred_end * centred_end
        square, residue = row_sums(squares, residues, 0)
        if CORRECTED:
            correction = of_mean(tl.div_rn(residue, count), mean_ptr)
            mean += correction
            rstd = inverse_deviation(square, correction, count, eps)
        else:
            eps = tl.cast(eps, tl.float32)
            rstd = inverse_root(tl.div_rn(square, count) + eps)
        if mean_ptr is not None:
            tl.store(mean_ptr + row + one, mean)
        tl.store(rstd_ptr + row + one, rstd)
        for block in tl.static_range(BLOCKS):
            y = (held[block].to(tl.float32) - mean) * rstd
            if weight_ptr is not None:
                y *= weights[block].to(tl.float32)
            if bias_ptr is not None:
                y += biases[block].to(tl.float32)
            y_at = in_steps(wide * y_stride + lead, GROUP) + block * BLOCK_N
            y = y.to(y_ptr.dtype.element_ty)
            store_tile(y_ptr + y_at + lanes, y, masks[block], block < FULL, False)
        if GROUP > 1:
            for part in tl.static_range(len(places)):
                y_end = (x_ends[part] - mean) * rstd * weight_ends[part] + bias_ends[part]
                y_end = y_end.to(y_ptr.dtype.element_ty)
                tl.store(y_ptr + (wide * y_stride + lead) + places[part], y_end, mask=ends[part])
