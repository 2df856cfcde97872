"""Device functions that the kernels share: loads, stores, row sums, packed values, kernel overlap.

Loads and stores of elements that a kernel uses once take hints for the caches. On an H200 the hints
cost or gain up to 5 %, with a warm L2 up to 13 %, see `kernels/notes.md`: each caller gives those
that were measured to be best there.

A thread loads up to 16 bytes at once, as far as the compiler can prove that elements lie together
in every row. Triton only knows whether a number of columns is a multiple of 16, so rows of 1000
elements would be loaded one by one. A launcher finds their `common_step`, 8 there, and the kernel
takes the numbers `in_steps` of it.

Values of half precision can be kept for their second use packed, two in a register. A compiler
would keep them as float32, because both uses need the same conversion and it converts only once.
That takes twice the registers, which run out where rows are wide. `anew` hides from the compiler
that the second use starts from the same bits, so it converts them again: one cheap instruction in
place of a register.
"""

from math import gcd

import triton.language as tl

from lnkernels.interpreter import INTERPRETED, device_function

_KNOWN_TO_TRITON = 16
_LARGEST_STEP = 8  # elements of half precision in 16 bytes


def common_step(*counts: int) -> int:
    """Return the largest power of two, up to 8, that divides all counts.

    Returns 1 where 16 divides all of them, which Triton finds out by itself.
    """
    together = gcd(*counts)
    return 1 if together % _KNOWN_TO_TRITON == 0 else gcd(together, _LARGEST_STEP)


@device_function
def in_steps(count, STEP: tl.constexpr):
    """Return `count`, which STEP divides, in a form that tells the compiler so."""
    if STEP > 1:
        return count // STEP * STEP
    else:  # the compiler drops the branch not taken only where there is an else
        return count


@device_function
def load_tile(
    pointers,
    mask,
    EVEN: tl.constexpr,
    LEAVES_FIRST: tl.constexpr = True,
    PAST_L1: tl.constexpr = False,
):
    """Load elements that are read once.

    EVEN says that no lane needs a mask, LEAVES_FIRST that L2 should evict them before others,
    PAST_L1 that L1 is for others.
    """
    policy: tl.constexpr = "evict_first" if LEAVES_FIRST else ""
    modifier: tl.constexpr = ".cg" if PAST_L1 else ""
    if EVEN:
        return tl.load(pointers, eviction_policy=policy, cache_modifier=modifier)
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.load(
            pointers, mask=mask, other=0.0, eviction_policy=policy, cache_modifier=modifier
        )


@device_function
def store_tile(pointers, value, mask, EVEN: tl.constexpr, STREAMED: tl.constexpr = True):
    """Store elements that this kernel does not read again; with STREAMED L2 need not keep them."""
    modifier: tl.constexpr = ".cs" if STREAMED else ""
    if EVEN:
        tl.store(pointers, value, cache_modifier=modifier)
    else:
        tl.store(pointers, value, mask=mask, cache_modifier=modifier)


@device_function
def load_parameter(pointers, mask, EVEN: tl.constexpr = False):
    """Load a block of weight or bias, which all programs read."""
    if EVEN:
        return tl.load(pointers, eviction_policy="evict_last")
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.load(pointers, mask=mask, other=0.0, eviction_policy="evict_last")


@device_function
def scale_and_shift(values, weight_ptr, bias_ptr, columns, mask):
    """Multiply a block by weight and add bias, each where it is given."""
    if weight_ptr is not None:
        values *= load_parameter(weight_ptr + columns, mask).to(tl.float32)
    if bias_ptr is not None:
        values += load_parameter(bias_ptr + columns, mask).to(tl.float32)
    return values


@device_function
def add_pairs(a, b, other_a, other_b):
    """Add two pairs, for `tl.reduce`."""
    return a + other_a, b + other_b


@device_function
def row_sums(a, b, axis: tl.constexpr):
    """Sum two blocks along `axis`, with one barrier for both instead of one each."""
    if INTERPRETED:  # its `tl.reduce` walks elements one by one in Python
        return tl.sum(a, axis=axis), tl.sum(b, axis=axis)
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.reduce((a, b), axis, add_pairs)


@device_function
def of_mean(value, mean_ptr):
    """Return a part of the mean or of its gradient; 0 for RMSNorm, which has no mean."""
    if mean_ptr is not None:
        return value
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.zeros_like(value)


@device_function
def inverse_deviation(squares, correction, count, eps):
    """Return 1 / sqrt(variance + eps) from the sum of squares of x - shift and its mean."""
    variance = tl.div_rn(squares, count) - correction * correction
    variance = tl.where(variance < 0.0, 0.0, variance)  # not tl.maximum, which would hide a NaN
    eps = tl.cast(eps, tl.float32)  # which torch.compile's code passes as a double
    return tl.div_rn(1.0, tl.sqrt_rn(variance + eps))


@device_function
def inverse_root(value):
    """Return 1 / sqrt(value) by the GPU's approximate instruction.

    It takes subnormal numbers for 0 and gives infinity, so they are scaled.
    """
    scaled = value < 2.0**-100
    root = tl.rsqrt(tl.where(scaled, value * 2.0**64, value))
    return tl.where(scaled, root * 2.0**32, root)


@device_function
def let_next_kernel_start(WANTED: tl.constexpr):
    """Let the next kernel be set up while this one runs (compute capability 9.0 and later)."""
    if WANTED:
        tl.extra.cuda.gdc_launch_dependents()


@device_function
def wait_for_kernel_before(WANTED: tl.constexpr):
    """Wait until everything that the previous kernel wrote is visible."""
    if WANTED:
        tl.extra.cuda.gdc_wait()


@device_function
def wait_for_all_threads():
    """Wait at a barrier of the whole program."""
    tl.debug_barrier()


def packs(columns: int, most_as_float: int, element_bytes: int) -> bool:
    """Return True if a program should keep `columns` of a row packed.

    Up to `most_as_float` columns packing was measured to be slower.
    """
    return element_bytes == 2 and columns > most_as_float


@device_function
def hidden_zero(N, later):
    """Return a 16-bit 0 that the compiler cannot know, as N is never negative.

    It depends on `later`, a float32, so it is not available earlier.
    """
    return tl.where(N < 0, later.to(tl.int32, bitcast=True), 0).to(tl.int16)


@device_function
def anew(values, zero, PACKED: tl.constexpr):
    """Return the same values; with PACKED the compiler cannot know that they are the same."""
    # A weight may be float32.
    if PACKED and not INTERPRETED and values.dtype.primitive_bitwidth == 16:
        return tl.inline_asm_elementwise(
            "or.b32 $0, $1, $2;",
            "=r,r,r",
            [values, zero],
            dtype=values.dtype,
            is_pure=False,
            pack=2,
        )
    else:  # the compiler drops the branch not taken only where there is an else
        return values
