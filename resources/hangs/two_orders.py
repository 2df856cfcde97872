"""Two locks that two rows take in two orders.

It hangs, as an example for `lnexplorer experiment hang`. To see where its programs stand:

    lnexplorer trace --provider two_orders.py --m 1024 --n 64
"""

import torch
import triton
import triton.language as tl

from lnkernels.language.stamps import stamp


@triton.jit
def take_both(words_ptr, trace_ptr=None):
    """Rows 4 and 9 take two locks; each waits a while, until the other has its first one, too."""
    row = tl.program_id(0)
    stamp(trace_ptr, "start")
    if (row == 4) | (row == 9):
        first = tl.where(row == 4, 0, 1)
        second = 1 - first
        stamp(trace_ptr, "wanted", row, first)
        while tl.atomic_cas(words_ptr + first, 0, 1) == 1:
            pass
        stamp(trace_ptr, "held", row, first)
        tries = 0
        while (tl.load(words_ptr + second, volatile=True) == 0) & (tries < 200):
            tries += 1
        stamp(trace_ptr, "wanted", row, second)
        while tl.atomic_cas(words_ptr + second, 0, 1) == 1:
            pass
        stamp(trace_ptr, "held", row, second)
        tl.atomic_xchg(words_ptr + second, 0)
        tl.atomic_xchg(words_ptr + first, 0)
    stamp(trace_ptr, "released", row)


def forward(x, weight, bias, eps):
    wide = x.float()
    mean, rstd = wide.mean(1), (wide.var(1, unbiased=False) + eps).rsqrt()
    y = (wide - mean[:, None]) * rstd[:, None] * weight.float() + bias.float()
    return y.to(x.dtype), mean, rstd


def backward(dy, x, weight, mean, rstd, trace=None):
    words = torch.zeros(2, dtype=torch.int32, device=x.device)
    results = [torch.zeros_like(each) for each in (x, weight, weight)]  # before it hangs
    take_both[(x.shape[0],)](words, trace_ptr=trace, num_warps=32)
    return results
