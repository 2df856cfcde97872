"""The practical ceiling of a memory-bound kernel: a copy, and an elementwise a + b -> c, of the same bytes, on this very device.

A copy reads and writes one matrix, as LayerNorm's forward pass does; a + b -> c reads two and writes one, as its backward pass
does. Small shapes are bound by latency, large ones by memory, and the datasheet's bandwidth says neither.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from lnkernels.timing.samples import SETTLED_WITHIN, Timing
from lnkernels.values.figures import Direction


@dataclass(frozen=True, slots=True)
class CeilingKey:
    """What a ceiling depends on."""

    device: int
    direction: Direction
    mode: str  # "kernel_cold" or "kernel_warm"
    elements: int
    dtype: torch.dtype


class Ceilings:
    """Ceilings that were measured in this process. A settled one is not measured again."""

    def __init__(self) -> None:
        self._settled: dict[CeilingKey, tuple[float, Timing]] = {}  # how well each is known

    def known(self, key: CeilingKey, within: float = SETTLED_WITHIN) -> Timing | None:
        """The timing of an earlier measurement, if its median had settled at least as well as `within` asks."""
        kept_within, timing = self._settled.get(key, (math.inf, None))
        return timing if kept_within <= within else None

    def keep(self, key: CeilingKey, timing: Timing, within: float = SETTLED_WITHIN) -> None:
        """Remember a timing whose median has settled; any other is let go, and so is one that is known less well than before."""
        kept_within, _ = self._settled.get(key, (math.inf, None))
        if timing.settled and within <= kept_within:
            self._settled[key] = within, timing


# One for the process: a slider that moves GROUP_SIZE_M changes no ceiling.
MEASURED = Ceilings()


def ceiling_calls(direction: Direction, like: Tensor) -> tuple[Callable[[], Tensor], ...]:
    """Calls that move as many bytes as a pass over `like` [M, N], 2·M·N or 3·M·N elements; the fastest is the ceiling.

    Their memory is allocated here. `Tensor.copy_` is a copy by the driver, which falls behind at some large sizes (on an H200 at
    32768 × 8192 in half precision, 2740 GB/s); an elementwise kernel that reads and writes the same bytes does not.
    """
    out = torch.empty_like(like)
    if direction == "forward":
        return (lambda: out.copy_(like), lambda: torch.neg(like, out=out))
    other = like.clone()
    return (lambda: torch.add(like, other, out=out),)
