"""Device functions that the kernels share: loads and stores, sums of rows, values that wait packed,
and the order of programs.

Loads and stores of elements that a kernel uses once take hints for the caches. On an H200 the hints
cost or gain up to 5 %, with a warm L2 up to 13 %, see `kernels/notes.md`: each caller gives those
that were measured to be best there.

A thread loads as many neighbours at once, up to 16 bytes, as the compiler can prove to lie together
in every row. Of a number of columns Triton knows whether it is a multiple of 16 and nothing else,
so rows of 1000 elements would be loaded one by one. A launcher finds their `common_step`, 8 there,
and the kernel takes the numbers `in_steps` of it.

Values of half precision may wait in registers for their second use, two in each. A kernel that uses
a row twice would keep it as float32, because compilers recognise that both uses need the same
conversion and make it once. That is twice the registers, and where rows are wide they are what runs
out. `anew` hides from the compiler that the second use starts from the same bits, so it converts
them again: one cheap instruction in place of a register.
"""

from math import gcd

import triton.language as tl

from lnkernels.interpreter import INTERPRETED, device_function

_KNOWN_TO_TRITON = 16
_LARGEST_STEP = 8  # elements of half precision in 16 bytes


def common_step(*counts: int) -> int:
    """The largest power of two, up to 8, that divides all of them; 1 where Triton sees by itself
    that 16 does.
    """
    together = gcd(*counts)
    return 1 if together % _KNOWN_TO_TRITON == 0 else gcd(together, _LARGEST_STEP)


@device_function
def in_steps(count, STEP: tl.constexpr):
    """A number that STEP divides, unchanged, in a form that tells the compiler so."""
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
    """Elements that are read once.

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
    """Elements that this kernel does not read again; STREAMED says that L2 need not keep them
    either.
    """
    modifier: tl.constexpr = ".cs" if STREAMED else ""
    if EVEN:
        tl.store(pointers, value, cache_modifier=modifier)
    else:
        tl.store(pointers, value, mask=mask, cache_modifier=modifier)


@device_function
def add_pairs(a, b, other_a, other_b):
    """What `tl.reduce` combines two pairs of summands with."""
    return a + other_a, b + other_b


@device_function
def row_sums(a, b, axis: tl.constexpr):
    """Sums of two blocks along `axis`: threads wait for each other once for both, not once for
    each.
    """
    if INTERPRETED:  # its `tl.reduce` walks elements one by one in Python
        return tl.sum(a, axis=axis), tl.sum(b, axis=axis)
    else:  # the compiler drops the branch not taken only where there is an else
        return tl.reduce((a, b), axis, add_pairs)


@device_function
def inverse_deviation(squares, correction, count, eps):
    """1 / sqrt(variance + eps), from the sum of squares of x - shift and the mean of x - shift."""
    variance = tl.div_rn(squares, count) - correction * correction
    variance = tl.where(variance < 0.0, 0.0, variance)  # not tl.maximum, which would hide a NaN
    return tl.div_rn(1.0, tl.sqrt_rn(variance + eps))


@device_function
def inverse_root(value):
    """1 / sqrt(value) by the GPU's quick instruction, which takes subnormal numbers for 0 and gives
    infinity: they are scaled.
    """
    scaled = value < 2.0**-100
    root = tl.rsqrt(tl.where(scaled, value * 2.0**64, value))
    return tl.where(scaled, root * 2.0**32, root)


@device_function
def let_next_kernel_start(WANTED: tl.constexpr):
    """Allow the kernel behind this one to be set up while this one still runs (compute capability
    9.0 and later).
    """
    if WANTED:
        tl.extra.cuda.gdc_launch_dependents()


@device_function
def wait_for_kernel_before(WANTED: tl.constexpr):
    """Wait until everything that the kernel before this one has written is visible."""
    if WANTED:
        tl.extra.cuda.gdc_wait()


@device_function
def wait_for_all_threads():
    """The one place that names Triton's block-wide barrier."""
    tl.debug_barrier()


def packs(columns: int, most_as_float: int, element_bytes: int) -> bool:
    """Whether a program that holds `columns` of a row should keep them packed; up to
    `most_as_float` that was slower.
    """
    return element_bytes == 2 and columns > most_as_float


@device_function
def hidden_zero(N, later):
    """A 16-bit 0 that no compiler knows, as N is never negative; and not before `later`, a float32,
    is there.
    """
    return tl.where(N < 0, later.to(tl.int32, bitcast=True), 0).to(tl.int16)


@device_function
def anew(values, zero, PACKED: tl.constexpr):
    """The same values of half precision; with PACKED a compiler cannot know that they are the same."""
    if (
        PACKED and not INTERPRETED and values.dtype.primitive_bitwidth == 16
    ):  # a weight may be float32
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
