"""Loads and stores of elements that a kernel uses once."""

import triton.language as tl

from lnkernels.interpreter import device_function


@device_function
def load_tile(pointers, mask, EVEN: tl.constexpr):  # noqa: N803
    """Elements that are read once; EVEN says that no lane needs a mask."""
    if EVEN:
        return tl.load(pointers, eviction_policy="evict_first")
    else:  # noqa: RET505 - the compiler drops the branch not taken only where there is an else
        return tl.load(pointers, mask=mask, other=0.0, eviction_policy="evict_first")


@device_function
def store_tile(pointers, value, mask, EVEN: tl.constexpr):  # noqa: N803
    """Elements that this kernel does not read again."""
    if EVEN:
        tl.store(pointers, value, cache_modifier=".cs")
    else:
        tl.store(pointers, value, mask=mask, cache_modifier=".cs")
