"""A lock that row 17 takes and never gives back: every seventh row wants it.

It hangs, as an example for `lnexplorer experiment hang`. To see where its programs stand:

    lnexplorer trace --provider release_left_out.py --m 1024 --n 64
"""

import torch
import triton
import triton.language as tl

from lnkernels.language.stamps import stamp

LOCKS = 7


@triton.jit
def add_row(words_ptr, locks: tl.constexpr, trace_ptr=None):
    """Add 1 to a word, each row under one of several locks."""
    row = tl.program_id(0)
    lock = row % locks
    stamp(trace_ptr, "start")
    stamp(trace_ptr, "wanted", row, lock)
    while tl.atomic_cas(words_ptr + lock, 0, 1) == 1:
        pass
    stamp(trace_ptr, "held", row, lock)
    total_ptr = words_ptr + locks + lock
    tl.store(total_ptr, tl.load(total_ptr) + 1)
    tl.debug_barrier()
    if row != 17:  # the path on which it is forgotten
        tl.atomic_xchg(words_ptr + lock, 0)
        stamp(trace_ptr, "released", row)


def forward(x, weight, bias, eps):
    wide = x.float()
    mean, rstd = wide.mean(1), (wide.var(1, unbiased=False) + eps).rsqrt()
    y = (wide - mean[:, None]) * rstd[:, None] * weight.float() + bias.float()
    return y.to(x.dtype), mean, rstd


def backward(dy, x, weight, mean, rstd, trace=None):
    words = torch.zeros(2 * LOCKS, dtype=torch.int32, device=x.device)
    results = [torch.zeros_like(each) for each in (x, weight, weight)]  # before it hangs
    add_row[(x.shape[0],)](words, LOCKS, trace_ptr=trace, num_warps=32)
    return results
