"""Loads and stores of elements that a kernel uses once: how many of them at once, and what the caches are told about them.

On an H200 the hints cost or gain up to 5 %, with a warm L2 up to 13 %, see `kernels/notes.md`: each caller gives those that were
measured to be best there.

A thread loads as many neighbours at once, up to 16 bytes, as the compiler can prove to lie together in every row. Of a number of
columns Triton knows whether it is a multiple of 16 and nothing else, so rows of 1000 elements would be loaded one by one. A
launcher finds their `common_step`, 8 there, and the kernel takes the numbers `in_steps` of it.
"""

from math import gcd

import triton.language as tl

from lnkernels.interpreter import device_function

_KNOWN_TO_TRITON = 16
_LARGEST_STEP = 8  # elements of half precision in 16 bytes


def common_step(*counts: int) -> int:
    """The largest power of two, up to 8, that divides all of them; 1 where Triton sees by itself that 16 does."""
    together = gcd(*counts)
    return 1 if together % _KNOWN_TO_TRITON == 0 else gcd(together, _LARGEST_STEP)


@device_function
def in_steps(count, STEP: tl.constexpr):  # noqa: N803
    """A number that STEP divides, unchanged, in a form that tells the compiler so."""
    if STEP > 1:
        return count // STEP * STEP
    else:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return count


@device_function
def load_tile(
    pointers,
    mask,
    EVEN: tl.constexpr,  # noqa: N803
    LEAVES_FIRST: tl.constexpr = True,  # noqa: N803
    PAST_L1: tl.constexpr = False,  # noqa: N803
):
    """Elements that are read once.

    EVEN says that no lane needs a mask, LEAVES_FIRST that L2 should evict them before others, PAST_L1 that L1 is for others.
    """
    policy: tl.constexpr = "evict_first" if LEAVES_FIRST else ""
    modifier: tl.constexpr = ".cg" if PAST_L1 else ""
    if EVEN:
        return tl.load(pointers, eviction_policy=policy, cache_modifier=modifier)
    else:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return tl.load(pointers, mask=mask, other=0.0, eviction_policy=policy, cache_modifier=modifier)


@device_function
def store_tile(pointers, value, mask, EVEN: tl.constexpr, STREAMED: tl.constexpr = True):  # noqa: N803
    """Elements that this kernel does not read again; STREAMED says that L2 need not keep them either."""
    modifier: tl.constexpr = ".cs" if STREAMED else ""
    if EVEN:
        tl.store(pointers, value, cache_modifier=modifier)
    else:
        tl.store(pointers, value, mask=mask, cache_modifier=modifier)
