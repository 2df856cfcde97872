"""Launch kernels and fill memory, so that both can be recorded and replayed."""

from __future__ import annotations  # compiling must not wait for torch

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from lnkernels.interpreter import ieee_arithmetic
from lnkernels.triton_internals import FUSED

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Launched:
    compiled: Any  # triton's CompiledKernel
    names: Sequence[str]  # of the kernel's parameters
    grid: tuple[int, ...]
    args: tuple[Any, ...]
    constants: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Filled:
    tensor: torch.Tensor
    value: int


class CannotTraceError(ValueError):
    """A kernel that cannot be a node of a graph; the message says why."""


class _Notes(threading.local):
    steps: list[Launched | Filled] | None = None
    traced: bool = False


_NOTES = _Notes()


def launch_kernel(kernel: Any, grid: tuple[int, ...], *args: Any, **constants: Any) -> None:
    """Launch a kernel.

    Args:
        kernel: a function decorated with triton.jit.
        grid: number of programs along each axis.
        args: what is not constant to the compiler, in the kernel's order.
        constants: the kernel's constants and the launch's options, by name.
    """
    if _NOTES.traced:
        if constants.get("PACKED"):  # by an instruction that torch takes to write every tensor
            raise CannotTraceError(f"torch cannot tell what {kernel.__name__} writes")
        from torch.library import wrap_triton  # only a compiler comes here, and it has torch

        given = dict(zip(kernel.arg_names, args, strict=False)) | constants
        left_out = {each.name: each.default for each in kernel.params if each.name not in given}
        wrap_triton(kernel)[grid](**given, **left_out)
        return
    with ieee_arithmetic():
        compiled = kernel[grid](*args, **constants, **FUSED)
    if _NOTES.steps is not None:
        _NOTES.steps.append(Launched(compiled, kernel.arg_names, grid, args, constants))


def fill(tensor: torch.Tensor, value: int) -> None:
    """Fill a contiguous tensor with a value: 0, every bit of which is zero, or in one of integers
    -1, every bit of which is one.
    """
    if value == 0:
        tensor.zero_()
    else:
        tensor.fill_(value)
    if _NOTES.steps is not None:
        _NOTES.steps.append(Filled(tensor, value))


def empty(shape: tuple[int, ...], dtype: str, device: torch.device | str) -> torch.Tensor:
    """Allocate a tensor, not initialised."""
    import torch  # takes two seconds, for which processes that only compile must not wait

    return torch.empty(shape, dtype=getattr(torch, dtype), device=device)


@contextmanager
def noted() -> Iterator[list[Launched | Filled]]:
    """Yield a list in which everything is noted, in its order, that this thread launches or fills
    inside; it is carried out, too.
    """
    steps: list[Launched | Filled] = []
    with patch.object(_NOTES, "steps", steps):
        yield steps


def traced_launches() -> AbstractContextManager[object]:
    """Return a context in which launches of this thread are not carried out: they become nodes of
    the graph that torch traces, from which its compiler launches them. A launch that cannot be a
    node raises CannotTraceError.
    """
    return patch.object(_NOTES, "traced", True)
