"""The interface of a provider of LayerNorm, for the check and the stopwatch."""

from collections.abc import Callable
from dataclasses import fields
from typing import Protocol, TypeAlias, runtime_checkable

import torch
from torch import Tensor

from lnkernels.check.inputs import Inputs
from lnkernels.launch import Launch
from lnkernels.timing.rounds import least_bytes
from lnkernels.values.figures import Direction
from lnkernels.values.frozen import frozen
from lnkernels.values.sentence import ExplainedError, Sentence

Output: TypeAlias = "Tensor | tuple[Tensor, Tensor]"  # y, or y and x + residual


@frozen(eq=False, kw_only=True)
class Case(Inputs):
    """A problem that every provider is given. Tensors are contiguous, of one type and on one
    device.
    """

    weight: Tensor  # [N]
    bias: Tensor  # [N]; zeros, not given to anybody, where the norm has none
    eps: float
    launch: Launch  # for the project's own strategies; others choose for themselves

    @classmethod
    def of(cls, inputs: Inputs, eps: float, launch: Launch) -> "Case":
        """Return the case of some inputs with weight and bias, without which not every provider
        can do; an RMSNorm has no bias.
        """
        given = {each.name: getattr(inputs, each.name) for each in fields(inputs)}
        if inputs.norm == "rms_norm":
            given["bias"] = torch.zeros_like(given["weight"])
        return cls(**given, eps=eps, launch=launch)

    @property
    def shape(self) -> tuple[int, int]:
        m, n = self.x.shape
        return m, n

    @property
    def dtype(self) -> str:
        return str(self.x.dtype).removeprefix("torch.")


class NoGradientError(ExplainedError):
    """A provider has a forward pass alone."""


@runtime_checkable
class Provider(Protocol):
    """An implementation of a norm. Creating a provider costs nothing: imports and compilation
    wait until a call is asked for.

    `forward`, `backward` and `autograd` prepare a call and may take their time; what they return is
    what is timed. They raise ValueError, with a sentence, when the provider cannot take the case.
    """

    @property
    def name(self) -> str:
        """Return a short and stable name, such as "torch"; the name of the entry point."""

    @property
    def label(self) -> str:
        """Return the name to show, such as "PyTorch"."""

    def unavailable(self) -> Sentence | str | None:
        """Return a sentence that says what is missing here, or None.

        Looks for the functions it needs, and imports none of them.
        """

    def forward(self, case: Case) -> Callable[[], "Output"]:
        """Prepare a call of the forward kernels alone, returning y, of a case with a residual y and
        x + residual; it may be captured in a CUDA graph.
        """

    def backward(self, case: Case) -> Callable[[], "tuple[Tensor | None, ...]"]:
        """Prepare a call of the backward kernels alone, returning dx, dw, db and, of a case with a
        residual, its gradient; it may be captured in a CUDA graph. What it does not give is None.

        Raises:
            NoGradientError: the provider has a forward pass alone.
        """

    def autograd(self, case: Case) -> Callable[..., "Output"]:
        """Return the function that users call: x, weight, bias and, where the case has one, the
        residual to what `forward` returns, with a backward pass for what requires gradients.
        """


def is_unproven(provider: Provider) -> bool:
    """Return True for a user's kernel: its memory is poisoned while it is checked, and a call that
    no CUDA graph can hold is timed by events.
    """
    return getattr(provider, "unproven", False)


def requested_bytes(provider: Provider, case: Case, direction: Direction) -> int:
    """Return the bytes that the kernels of one pass ask for, from L2 or memory: as the provider
    counts them in a method of this name, else the least possible.
    """
    own: Callable[[Case, Direction], int] | None = getattr(provider, "requested_bytes", None)
    if own is not None:
        return own(case, direction)
    return least_bytes(direction, *case.shape, case.dtype, case.named_norm)
