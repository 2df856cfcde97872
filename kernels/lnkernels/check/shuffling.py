"""Give a kernel that is timed other inputs in each repetition, at next to no cost."""

import torch
import triton
import triton.language as tl
from torch import Tensor

from lnkernels.language.launching import launch_kernel

PLACES = 128  # elements that change theirs in a step
STEPS = 1024  # after which the same places come again; more than a figure has repetitions


@triton.jit
def move_kernel(flat_ptr, to_ptr, from_ptr, COUNT: tl.constexpr, PLACES: tl.constexpr):
    """Move COUNT elements, each from its own place to its own place, in one program."""
    lanes = tl.arange(0, PLACES)
    inside = lanes < COUNT
    value = tl.load(flat_ptr + tl.load(from_ptr + lanes, mask=inside, other=0), mask=inside)
    tl.debug_barrier()  # all are read before the first is written
    tl.store(flat_ptr + tl.load(to_ptr + lanes, mask=inside, other=0), value, mask=inside)


class Shuffle:
    """Moves some elements of a tensor to each other's places with each call, none twice in a call.

    A call keeps the sum of all elements, and changes so little of the tensor's memory that the
    caches stay as they are. A kernel that does not read the tensor anew, or looks only at its
    address, its sum or some samples, has a wrong result by the next call. Two shuffles of equal
    tensors, on the same kind of device and of the same seed, do the same.
    """

    def __init__(self, tensor: Tensor, seed: int) -> None:
        """Shuffle a contiguous tensor; one of fewer than two elements stays as it is."""
        self.calls = 0
        self._flat = tensor.detach().view(-1)
        count = min(PLACES, tensor.numel() // 2)
        if count < 2:
            count = min(tensor.numel(), 2)
        segment = max(tensor.numel() // max(count, 1), 1)
        generator = torch.Generator(tensor.device).manual_seed(seed)
        offsets = torch.randint(segment, (STEPS, count), device=tensor.device, generator=generator)
        starts = torch.arange(count, device=tensor.device) * segment
        # Unbound here, as a repetition has no time for it.
        self._to = (starts + offsets).unbind()
        self._from = (starts + offsets).roll(1, 1).unbind()

    def __call__(self) -> None:
        step = self.calls % STEPS
        to, source = self._to[step], self._from[step]
        if self._flat.is_cuda:
            # PyTorch's kernels for it are large: in an SM's cache they take the place of those that
            # are timed, which then begin later (H200, a backward pass of three kernels: 0.9 µs).
            with torch.cuda.device(self._flat.device):
                move_elements(self._flat, to, source)
        else:
            self._flat.index_copy_(0, to, self._flat.index_select(0, source))
        self.calls += 1


def move_elements(flat: Tensor, to: Tensor, source: Tensor) -> None:
    """Move at most PLACES elements, from places in `source` to those in `to`, all int64."""
    sizes = {"COUNT": len(to), "PLACES": PLACES}
    launch_kernel(move_kernel, (1,), flat, to, source, num_warps=1, **sizes)
