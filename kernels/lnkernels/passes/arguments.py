"""Tensors that a forward and a backward pass read and write, all on one device."""

from __future__ import annotations  # compiling must not wait for torch

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from lnkernels.language.groups import held_together, shared_group
from lnkernels.language.launching import empty
from lnkernels.launch import Launch

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardTensors:
    """Tensors of a forward pass. M and N are at least 1, columns of matrices are adjacent, vectors
    are contiguous.
    """

    x: Tensor  # [M, N], any row stride
    weight: Tensor | None  # [N], or None for ones
    bias: Tensor | None  # [N], or None for zeros
    eps: float  # added to the variance
    y: Tensor  # [M, N] written, any row stride
    mean: Tensor | None  # [M] float32, written; None for RMSNorm
    rstd: Tensor  # [M] float32, written: 1 / sqrt(variance + eps)

    @classmethod
    def allocate(
        cls,
        x: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        eps: float,
        norm: str = "layer_norm",
    ) -> ForwardTensors:
        """Allocate the results of a forward pass, not initialised. RMSNorm has no bias."""
        # Apart, so that the alignment of neither depends on M.
        mean, rstd = (empty((x.shape[0],), "float32", x.device) for _ in range(2))
        if norm == "rms_norm":
            mean = bias = None
        y = x.new_empty(x.shape)
        return cls(x=x, weight=weight, bias=bias, eps=eps, y=y, mean=mean, rstd=rstd)

    def gradients(self, dy: Tensor) -> BackwardTensors:
        """Allocate the gradients of x, weight and bias, not initialised."""
        dx = self.x.new_empty(self.x.shape)
        dw, db = (
            None if tensor is None else tensor.new_empty(tensor.shape)
            for tensor in (self.weight, self.bias)
        )
        return BackwardTensors(
            x=self.x,
            dy=dy,
            weight=self.weight,
            mean=self.mean,
            rstd=self.rstd,
            dx=dx,
            dw=dw,
            db=db,
        )

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Return the pointers and strides that every forward kernel takes first."""
        pointers = self.x, self.weight, self.bias, self.y, self.mean, self.rstd
        return *pointers, self.x.stride(0), self.y.stride(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackwardTensors:
    """Tensors of a backward pass, with the same conditions; unwanted gradients are None."""

    x: Tensor  # [M, N], any row stride
    dy: Tensor  # [M, N], any row stride, 0 too
    weight: Tensor | None  # [N], or None for ones
    mean: Tensor | None  # [M] float32, from the forward pass; None for RMSNorm
    rstd: Tensor  # [M] float32, from the forward pass
    dx: Tensor | None  # [M, N] written, any row stride
    dw: Tensor | None  # [N] written
    db: Tensor | None  # [N] written

    @property
    def with_sums(self) -> bool:
        """True if dw or db is wanted."""
        return self.dw is not None or self.db is not None

    @property
    def pointers(self) -> tuple[Tensor | None, ...]:
        """Return the pointers that every kernel of stage 1 takes first."""
        return self.x, self.dy, self.dx, self.weight, self.mean, self.rstd

    @property
    def strides(self) -> tuple[int, int, int]:
        """Return the row strides of x, dy and dx in elements."""
        return self.x.stride(0), self.dy.stride(0), self.dx.stride(0) if self.dx is not None else 0


PassTensors = TypeVar("PassTensors", ForwardTensors, BackwardTensors)
_ALIGNED = 16  # bytes, of which Triton compiles multiples apart


def in_one_form(given: PassTensors, launch: Launch) -> PassTensors:
    """Return the tensors as an invariant launch reads them, itself for any other.

    By strides and alignment Triton chooses which elements a thread has, and so in which order they
    are added: what is not contiguous from a multiple of 16 bytes on is copied.
    """
    if not launch.invariant:
        return given
    read = ((name, getattr(given, name, None)) for name in ("x", "dy", "weight", "bias"))
    formed: dict[str, Any] = {name: _formed(one) for name, one in read if one is not None}
    return replace(given, **formed)


def _formed(tensor: Tensor) -> Tensor:
    usual = (tensor.shape[-1], 1)[-tensor.dim() :]
    if tensor.stride() == usual and tensor.data_ptr() % _ALIGNED == 0:
        return tensor
    return tensor.new_empty(tensor.shape).copy_(tensor)


def groups_of_rows(
    launch: Launch, programs: int, x: Tensor, *others: Tensor | None
) -> tuple[int, int]:
    """Return the GROUP in which programs of stage 1 read rows that they take one by one, and EACH,
    the adjacent elements of a block that a thread sums first. Both are 1 where it has no group.
    """
    if launch.rows != 1 or launch.invariant:
        return 1, 1
    block = launch.block_size_n
    each = held_together(block, launch.num_warps, x.element_size())
    group = shared_group(x.shape[1], programs, block // each, x, *others)
    return group, each if group > 1 else 1


def has_full_tiles(m: int, rows: int, launch: Launch) -> bool:
    """Return True if no tile of rows needs a mask; an invariant launch has one code for every m."""
    return rows == 1 or (m % rows == 0 and not launch.invariant)
