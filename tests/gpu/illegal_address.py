"""A kernel that writes where nothing is. Imports triton, so only for a process that has chosen its
device.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def store_far_away(pointer):
    tl.store(pointer + (tl.program_id(0).to(tl.int64) + 1) * (1 << 44), 1.0)


def use_an_illegal_address() -> None:
    """Lose the current GPU for this process."""
    store_far_away[(1,)](torch.zeros(16, device="cuda"))
    torch.cuda.synchronize()
