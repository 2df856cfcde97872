"""`layer_norm`, `LayerNorm` and `rms_norm` for models: as torch has them, on the kernels of this
package, with every launch setting open.

Eager calls have an autograd function in Python, which costs the least that torch allows. Whatever
traces or transforms calls (torch.compile, torch.export, fake tensors, functorch, dispatch modes)
is given the operators of `lnkernels.call.operators` instead.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.overrides import handle_torch_function, has_torch_function

from lnkernels.call.checks import Wished, check_types, checked_wish, under_autocast, wish_text
from lnkernels.call.known_calls import (
    CALLS,
    Call,
    checked_call,
    gradients,
    kind_of_call,
    normalise,
    parted,
)
from lnkernels.call.operators import (
    OPERATORS,
    in_transform,
    is_dynamo_compiling,
    refuse,
)
from lnkernels.launch import as_wish

dispatch_modes = torch._C._len_torch_dispatch_stack
is_batched = torch._C._functorch.is_legacy_batchedtensor
unwrap_if_dead: Callable[[Tensor], Tensor] = torch._C._functorch.unwrap_if_dead
is_recorded = torch._C._get_tracing_state  # by torch.jit.trace
_EPS = torch.finfo(torch.float32).eps
# Other types are tensors of somebody who wants to see operators.
_PLAIN = frozenset((Tensor, torch.nn.Parameter, type(None)))


def is_traced(x: object, weight: object) -> bool:
    """Return True if a compiler, tracer or dispatch mode wants to see operators."""
    return bool(
        is_dynamo_compiling()
        or type(x) not in _PLAIN
        or type(weight) not in _PLAIN
        or dispatch_modes()
    )


class _Norm(torch.autograd.Function):
    """y of x [..., N], weight, bias and the kind of call that they make."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        call: Call,
    ) -> Tensor:
        y, _, statistics = normalise(call, x, weight, bias)
        # x itself rather than its rows: autograd then sees writes to x, and a second derivative
        # reaches it.
        ctx.save_for_backward(x, weight, statistics)
        ctx.call = call
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, rstd = ctx.saved_tensors
        call, needs = ctx.call, ctx.needs_input_grad
        mean = rstd if call.norm == "layer_norm" else None
        # Traced by compiled autograd, or of several gradients at once, which torch asks an operator
        # for in turn.
        if is_dynamo_compiling() or is_batched(dy):
            needs = needs[:3]
            mean, rstd = parted(mean, rstd, x.numel() // max(call.n, 1))
            wish = wish_text(None if call.launch is None else as_wish(call.launch))
            # Nothing of the bias counts but its form.
            bias = x.new_empty(call.shape, dtype=call.bias_dtype) if needs[2] else None
            rows = (call.shape, weight, bias, mean, rstd, call.eps, wish, needs)
            _, backward = OPERATORS[call.norm]
            found = backward(dy, x, *rows)
            return (
                *(one if wanted else None for one, wanted in zip(found, needs, strict=True)),
                None,
            )
        apply = _Gradients.apply if torch.is_grad_enabled() else gradients
        return (*apply(dy, x, weight, mean, rstd, call, needs), None)


# Without what torch's `apply` in Python does in front of it, 3 µs, which `_norm` does.
_apply: Callable[..., Tensor] = super(torch.autograd.Function, _Norm).apply


class _Gradients(torch.autograd.Function):
    """The backward pass where a graph of it is asked for (create_graph=True): it is computed, but
    differentiating it is refused.
    """

    forward = staticmethod(lambda _ctx, *arguments: gradients(*arguments))
    backward = staticmethod(refuse)


def layer_norm(
    input: Tensor,  # noqa: A002  torch's name
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *,
    launch: Wished = None,
) -> Tensor:
    """Return the layer normalization over the last dimensions of input, as
    torch.nn.functional.layer_norm does; differentiable once.

    Args:
        input: called x here and in messages; float16, bfloat16 or float32, any leading dimensions,
            any strides.
        normalized_shape: the last dimension of x, or its last dimensions, which make one row of N
            elements.
        weight: of normalized_shape, in x's dtype or float32; None for ones.
        bias: of normalized_shape, in x's dtype or float32; None for zeros.
        eps: added to the variance.
        launch: how dw and db are reduced: the name of one of `lnkernels.launch.STRATEGIES`, or a
            wish for one and for its settings; "auto", the fastest for the device and the shape, if
            not given. `lnkernels.launch.SETTINGS` says what each setting is, and
            `lnkernels.launch.CATALOGUE` which strategy has it. What is not wished
            `lnkernels.launch.resolve_launch` decides.

    Returns:
        y of x's shape and dtype, contiguous. Under autocast on a GPU everything is float32, as
        PyTorch has it.

    Raises:
        TypeError: an argument is of a type or dtype that is not supported. The message names it.
        ValueError: an argument has a shape, device or value that is not possible. The message names
            it. A second derivative is refused in the same way, when it is asked for.
    """
    return _norm(input, normalized_shape, weight, bias, eps, launch, "layer_norm")


def rms_norm(
    input: Tensor,  # noqa: A002  torch's name
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
    *,
    launch: Wished = None,
) -> Tensor:
    """Return the root mean square normalization over the last dimensions of input, as
    torch.nn.functional.rms_norm does; differentiable once.

    Sums and products are float32, and y is rounded once.

    Args:
        input: called x here and in messages; float16, bfloat16 or float32, any leading dimensions,
            any strides.
        normalized_shape: the last dimension of x, or its last dimensions, which make one row of N
            elements.
        weight: of normalized_shape, in x's dtype or float32; None for ones.
        eps: added to the mean of the squares; that of float32, as PyTorch has it, if None.
        launch: how dw is reduced, as of `layer_norm`.

    Returns:
        y of x's shape and dtype, contiguous. Under autocast on a GPU everything is float32.

    Raises:
        TypeError: an argument is of a type or dtype that is not supported. The message names it.
        ValueError: an argument has a shape, device or value that is not possible. The message names
            it. A second derivative is refused in the same way, when it is asked for.
    """
    eps = _EPS if eps is None else eps
    return _norm(input, normalized_shape, weight, None, eps, launch, "rms_norm")


def _norm(
    x: Tensor,
    shape: int | Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    launch: Wished,
    norm: str,
) -> Tensor:
    # `is_traced`, written out: a call of it would be a part of what the fastest calls take.
    if (
        is_dynamo_compiling()
        or type(x) not in _PLAIN
        or type(weight) not in _PLAIN
        or dispatch_modes()
        or in_transform()
    ):
        return _traced(x, shape, weight, bias, eps, launch, norm)
    call = None
    if type(eps) is float:
        try:
            call = CALLS.get(kind_of_call(x, shape, weight, bias, eps, launch, norm))
        except (AttributeError, TypeError):  # no tensors, say: the checks find the words
            call = None
    if call is None:
        # While torch.jit.trace records, shapes hold tensors: no call is known.
        if isinstance(x, Tensor) and (x.is_meta or is_recorded()):
            return _traced(x, shape, weight, bias, eps, launch, norm)
        x, weight, bias, call = checked_call(x, shape, weight, bias, eps, launch, norm)
    x = unwrap_if_dead(x)  # of a transform of functorch that has ended
    weight = weight if weight is None else unwrap_if_dead(weight)
    bias = bias if bias is None else unwrap_if_dead(bias)
    if torch.is_grad_enabled() or forward_ad._current_level >= 0:
        return _apply(x, weight, bias, call)
    return normalise(call, x, weight, bias)[0]  # autograd's function would take as long again


def _traced(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    launch: Wished,
    norm: str,
) -> Tensor:
    """Call the operator, which refuses impossible arguments when it is traced."""
    shape = list(normalized_shape) if isinstance(normalized_shape, Sequence) else [normalized_shape]
    if not is_dynamo_compiling():
        # torch.fx takes the call as a whole, as torch's own
        if has_torch_function((x, weight, bias)):
            function: Any = layer_norm if norm == "layer_norm" else rms_norm
            given = (x, shape, weight, bias)[: 3 if norm == "rms_norm" else 4]
            taken: Tensor = handle_torch_function(
                function, (x, weight, bias), *given, eps=eps, launch=launch
            )
            return taken
    elif in_transform():  # of what is compiled: no operator can be differentiated there
        if norm == "rms_norm":
            return torch.rms_norm(x, shape, weight, eps)
        return torch.layer_norm(x, shape, weight, bias, eps)  # `functional` may have been made ours
    if type(x).__name__ == "DTensor":
        _let_be_sharded()
    check_types(x, weight, bias, eps)
    x, weight, bias = under_autocast(x, weight, bias)
    forward, _ = OPERATORS[norm]
    y: Tensor = forward(x, shape, weight, bias, float(eps), wish_text(launch))[0]
    return y


@cache
def _let_be_sharded() -> None:
    from lnkernels.call import sharding  # imports torch.distributed, which few need

    sharding.register()


class LayerNorm(torch.nn.LayerNorm):
    """torch.nn.LayerNorm on these kernels: the same arguments, parameters and state dict."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
        *,
        launch: Wished = None,
    ) -> None:
        """Take the arguments of torch.nn.LayerNorm; `launch` is that of `layer_norm`.

        Raises:
            TypeError: launch is of a type that is no wish. The message names it.
        """
        super().__init__(normalized_shape, eps, elementwise_affine, bias, device, dtype)
        checked_wish(launch)
        # numpy's numbers are tensors to torch.compile
        self.normalized_shape = tuple(map(int, self.normalized_shape))
        self.launch = launch

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002  torch's name
        return layer_norm(
            input,
            self.normalized_shape,
            self.weight,
            self.bias,
            self.eps,
            launch=getattr(self, "launch", None),  # a module of torch that is given this method
        )
