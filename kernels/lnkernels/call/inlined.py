"""The operators' kernels as nodes of the graph that torch.compile compiles.

An opaque operator costs a compiled program two trips through Python for every call. Where each
launch can be a node of the graph (`torch.library.wrap_triton`), the code that Inductor writes
launches the kernels itself, as it does its own. That is so for kernels that are compiled and not
interpreted, for rows that lie one behind the other, whose number is fixed and whose length is a
multiple of 16 bytes, and in the backward pass for the strategy `persistent`. The kernels of other
strategies exchange values between programs, and those for wide rows of half precision hold them
packed, both by instructions of which torch cannot tell that they write no tensor. Everywhere else
the operator stays opaque.

Inductor passes on no option by which a kernel begins while the one before it ends, so these
launches do without `overlap`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

import torch
from torch import Tensor

from lnkernels.call.checks import DTYPE_NAMES, checked_shape, checked_wish, wish_of
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.language.launching import CannotTraceError, traced_launches
from lnkernels.launch import Launch
from lnkernels.passes import (
    forward,
    forward_blocks,
    forward_tiles,
    partial_sums,
    persistent,
    persistent_blocks,
)
from lnkernels.passes.arguments import BackwardTensors, ForwardTensors
from lnkernels.passes.registry import STRATEGY_KERNELS, decide_launch, run_backward, run_forward
from lnkernels.triton_internals import Kernel

_GROUP = 16  # bytes that a thread loads at once
_MODULES = (forward, forward_blocks, forward_tiles, partial_sums, persistent, persistent_blocks)
_DEVICES = ("cuda",)
_Results = tuple[Tensor, ...] | None


def name_sources(operator: str) -> None:
    """Let what torch keeps of compiled programs on disk hold for the sources of these kernels only.
    The launch settings kept there are those of when a program was compiled.
    """
    if not IS_INTERPRETED:
        sources = getattr(torch._library.triton, "triton_ops_to_kernels", {})
        made = (each for module in _MODULES for each in vars(module).values())
        sources[operator] = [each for each in made if isinstance(each, Kernel)]


def inlined_forward(
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    wish: str,
) -> _Results:
    """Return what the forward operator does, traced; None where it stays opaque."""
    launch = _launch(wish, shape, x, weight, bias)
    if launch is None or hasattr(STRATEGY_KERNELS[launch.strategy], "launch_forward"):
        return None
    y = torch.empty_like(x)
    mean = x.new_empty(x.numel() // prod(shape), dtype=torch.float32)
    rstd = torch.empty_like(mean)
    given = ForwardTensors(
        x=_rows(x, shape),
        weight=_row(weight),
        bias=_row(bias),
        eps=eps,
        y=_rows(y, shape),
        mean=mean,
        rstd=rstd,
    )
    return (y, mean, rstd) if _traced(lambda: run_forward(given, launch)) else None


def inlined_backward(
    dy: Tensor,
    x: Tensor,
    shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    rstd: Tensor,
    eps: float,
    wish: str,
    needs: Sequence[bool],
) -> _Results:
    """Return what the backward operator does, traced; None where it stays opaque."""
    launch = _launch(wish, shape, x, weight, bias, mean, rstd)
    if launch is None or launch.strategy != "persistent":
        return None
    dx, dw, db = (
        torch.empty_like(like) if like is not None and needed else None
        for like, needed in zip((x, weight, bias), needs, strict=True)
    )
    given = BackwardTensors(
        x=_rows(x, shape),
        dy=_rows(dy.contiguous(), shape),
        weight=_row(weight),
        mean=mean,
        rstd=rstd,
        dx=None if dx is None else _rows(dx, shape),
        dw=_row(dw),
        db=_row(db),
    )
    if not _traced(lambda: run_backward(given, launch)):
        return None
    return tuple(x.new_empty(0) if one is None else one for one in (dx, dw, db))


def _launch(wish: str, shape: Sequence[int], x: Tensor, *others: Tensor | None) -> Launch | None:
    """Return the launch for x and tensors beside it; None where its kernels cannot be traced."""
    n = prod(checked_shape(x, shape))
    if (
        IS_INTERPRETED
        or x.device.type not in _DEVICES
        or not all(type(size) is int for size in x.shape)
        or x.numel() == 0
        or n == 1  # whose rstd is replaced
        or n * x.element_size() % _GROUP
        or not all(one is None or one.is_contiguous() for one in (x, *others))
        or torch.are_deterministic_algorithms_enabled()  # the operator knows what to refuse
    ):
        return None
    dtype, m = DTYPE_NAMES[x.dtype], x.numel() // n
    decided = decide_launch(checked_wish(wish_of(wish)), n, dtype, x.device, m)
    # Which tensors an invariant launch has to copy is known when it is called.
    return None if decided.invariant else replace(decided, overlap=False)


def _traced(run: Callable[[], None]) -> bool:
    """Run what launches kernels, and have torch trace them; return False where it cannot."""
    try:
        with traced_launches():
            run()
    except CannotTraceError:
        return False
    return True


def _rows(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    return tensor.view(-1, prod(shape))


def _row(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else tensor.view(-1)
