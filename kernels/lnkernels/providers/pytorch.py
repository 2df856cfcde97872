"""PyTorch as it comes, and as torch.compile has Inductor write it."""

from collections.abc import Callable, Hashable

import torch
from torch import Tensor

from lnkernels.providers.protocol import Case
from lnkernels.sentence import Sentence, say


class Eager:
    """PyTorch's own kernels."""

    name = "torch"
    label = "PyTorch"

    def unavailable(self) -> str | None:
        """Always there: the project needs torch."""
        return None

    def forward(self, case: Case) -> Callable[[], Tensor]:
        """The operator that `layer_norm` dispatches to, without autograd."""
        shape = case.shape[1:]

        def call() -> Tensor:
            y: Tensor = torch.ops.aten.native_layer_norm(case.x, shape, case.weight, case.bias, case.eps)[0]
            return y

        return call

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """The backward operator alone, on statistics computed once."""
        shape = case.shape[1:]
        _, mean, rstd = torch.ops.aten.native_layer_norm(case.x, shape, case.weight, case.bias, case.eps)

        def call() -> tuple[Tensor, Tensor, Tensor]:
            dx, dw, db = torch.ops.aten.native_layer_norm_backward(
                case.dy, case.x, shape, mean, rstd, case.weight, case.bias, [True, True, True]
            )
            return dx, dw, db

        return call

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """`torch.nn.functional.layer_norm`."""

        def call(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            return torch.nn.functional.layer_norm(x, case.shape[1:], weight, bias, case.eps)

        return call


class Inductor:
    """torch.compile. The first call of a shape compiles for seconds."""

    name = "torch.compile"
    label = "torch.compile"

    def __init__(self) -> None:
        self._compiled_for: Hashable = None
        self._compiled: Callable[[Tensor, Tensor, Tensor], Tensor] | None = None

    def unavailable(self) -> Sentence | None:
        """Whether Inductor can write kernels here."""
        if not torch.cuda.is_available():
            return say("torch.compile is timed on a CUDA device only")
        return None

    def forward(self, case: Case) -> Callable[[], Tensor]:
        """The compiled forward pass without gradients."""
        compiled = self.autograd(case)

        def call() -> Tensor:
            with torch.no_grad():
                return compiled(case.x, case.weight, case.bias)

        return call

    def backward(self, case: Case) -> Callable[[], tuple[Tensor, Tensor, Tensor]]:
        """The compiled backward pass, through autograd, since Inductor decides itself what to keep for it."""
        leaves = tuple(tensor.detach().requires_grad_() for tensor in (case.x, case.weight, case.bias))
        y = self.autograd(case)(*leaves)

        def call() -> tuple[Tensor, Tensor, Tensor]:
            dx, dw, db = torch.autograd.grad(y, leaves, case.dy, retain_graph=True)
            return dx, dw, db

        return call

    def autograd(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """The compiled function, compiled for the very shapes of `case`."""
        key = (case.shape, case.x.dtype, case.weight.dtype, case.x.device, case.eps)
        if self._compiled is None or self._compiled_for != key:
            self._compiled = self._compile(case)
            self._compiled_for = key
        return self._compiled

    def _compile(self, case: Case) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        # Dynamo keeps only a few versions of one function and then runs it uncompiled. With fullgraph it would raise; a
        # reset makes room, so that neither happens on the way through many shapes.
        torch.compiler.reset()
        shape, eps = case.shape[1:], case.eps

        def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
            return torch.nn.functional.layer_norm(x, shape, weight, bias, eps)

        # A backward pass that is run again and again must not give its saved tensors away. The setting is read when
        # compiling and once more in every backward pass, so it holds from here on.
        torch._functorch.config.donated_buffer = False
        compiled: Callable[[Tensor, Tensor, Tensor], Tensor] = torch.compile(layer_norm, fullgraph=True, dynamic=False)
        return compiled
