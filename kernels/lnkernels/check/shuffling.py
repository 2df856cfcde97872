"""Give a kernel that is timed other inputs in each repetition, at next to no cost."""

import torch
from torch import Tensor

PLACES = 128  # elements that change theirs in a step
STEPS = 1024  # after which the same places come again; more than a figure has repetitions


class Shuffle:
    """Moves some elements of a tensor to each other's places with each call, none twice in a call.

    A call leaves the sum of all elements as it is, and nearly all of the tensor's memory, and with
    it the caches, alone. Whoever does not read the tensor anew, or asks only for its address, its
    sum or some samples, has a wrong result by the next call. Two shuffles of equal tensors, on the
    same kind of device and of the same seed, do the same.
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
        self._flat.index_copy_(0, self._to[step], self._flat.index_select(0, self._from[step]))
        self.calls += 1
