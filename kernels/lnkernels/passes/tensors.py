"""What a forward and a backward pass are given: the tensors that they read and write, all on one
device.
"""

from __future__ import (
    annotations,
)  # torch is named in annotations only, and compiling must not wait for it

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardTensors:
    """M and N are at least 1, columns of matrices are adjacent, and what has one dimension is
    contiguous.
    """

    x: torch.Tensor  # [M, N], any row stride
    weight: torch.Tensor | None  # [N], or None for ones
    bias: torch.Tensor | None  # [N], or None for zeros
    eps: float  # added to the variance
    y: torch.Tensor  # [M, N] written, any row stride
    mean: torch.Tensor  # [M] float32, written
    rstd: torch.Tensor  # [M] float32, written: 1 / sqrt(variance + eps)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What every kernel takes first: pointers and strides."""
        return (
            self.x,
            self.weight,
            self.bias,
            self.y,
            self.mean,
            self.rstd,
            self.x.stride(0),
            self.y.stride(0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackwardTensors:
    """Likewise; what is not wanted is None."""

    x: torch.Tensor  # [M, N], any row stride
    dy: torch.Tensor  # [M, N], any row stride, 0 too
    weight: torch.Tensor | None  # [N], or None for ones
    mean: torch.Tensor  # [M] float32, from the forward pass
    rstd: torch.Tensor  # [M] float32, from the forward pass
    dx: torch.Tensor | None  # [M, N] written, any row stride
    dw: torch.Tensor | None  # [N] written
    db: torch.Tensor | None  # [N] written

    @property
    def with_sums(self) -> bool:
        """Whether dw or db is wanted."""
        return self.dw is not None or self.db is not None

    @property
    def pointers(self) -> tuple[torch.Tensor | None, ...]:
        """What every kernel of stage 1 takes first."""
        return self.x, self.dy, self.dx, self.weight, self.mean, self.rstd

    @property
    def strides(self) -> tuple[int, int, int]:
        """Of x, dy and dx, in elements from one row to the next."""
        return self.x.stride(0), self.dy.stride(0), self.dx.stride(0) if self.dx is not None else 0
