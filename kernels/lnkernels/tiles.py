"""Loads and stores of elements that a kernel uses once, with what the caches are told about them.

On an H200 the hints cost or gain up to 5 %, with a warm L2 up to 13 %, see `kernels/notes.md`: each caller gives those that were
measured to be best there.
"""

import triton.language as tl

from lnkernels.interpreter import device_function


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
