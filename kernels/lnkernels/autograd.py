"""The kernels as a differentiable function of PyTorch's, for tensors that `lnkernels.layer_norm` has checked."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

import torch

from lnkernels.launch import LaunchConfig
from lnkernels.passes import repeat, run_backward, run_forward
from lnkernels.replay import Replay
from lnkernels.strategies.registry import Plan

_HERE: AbstractContextManager[None] = nullcontext()


class LayerNorm(torch.autograd.Function):
    """y of x [..., N], weight, bias, N, eps and a launch, which is None where N is 0."""

    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        weight: torch.Tensor | None,
        bias: torch.Tensor | None,
        n: int,
        eps: float,
        launch: LaunchConfig | Plan | None,
    ) -> torch.Tensor:
        """y, of x's shape and dtype, contiguous."""
        y = _empty_like(x)
        m = x.numel() // n if n else 0
        mean = torch.empty(m, dtype=torch.float32, device=x.device)
        rstd = torch.empty_like(mean)
        usual = _usual(x, weight, bias, eps, launch)
        if usual is None or not usual.normalises((x, weight, bias, y, mean, rstd)):
            replay = _statistics(x, weight, bias, n, eps, launch, y, mean, rstd)
            if usual is not None:
                usual.forward = replay
        # x itself rather than its rows: autograd then sees writes to x, and a second derivative reaches it.
        ctx.save_for_backward(x, weight, mean, rstd)
        ctx.launch = launch
        ctx.usual = usual
        ctx.bias_dtype = bias.dtype if bias is not None else None
        ctx.normalized_shape = _normalized_shape(x, weight, bias)
        return y

    @staticmethod
    def backward(ctx: Any, dy: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Gradients of x, weight and bias."""
        x, weight, mean, rstd = ctx.saved_tensors
        usual = ctx.usual
        if usual is not None and usual.fits(ctx.needs_input_grad, x, dy):
            gradients = torch.empty_like(x), torch.empty_like(weight), torch.empty_like(weight)
            if repeat(usual.backward, (x, dy, weight, mean, rstd, *gradients)):
                return (*gradients, None, None, None)
        wanted = _Wanted(ctx)
        arguments = (dy, x, weight, mean, rstd, ctx.launch, wanted)
        apply = _Gradients.apply if torch.is_grad_enabled() else _gradients
        return (*apply(*arguments), None, None, None)


def _statistics(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    n: int,
    eps: float,
    launch: LaunchConfig | Plan | None,
    y: torch.Tensor,
    mean: torch.Tensor,
    rstd: torch.Tensor,
) -> Replay | None:
    """Write y, mean and rstd; what repeats that, if anything does."""
    m = mean.numel()
    if m == 0 or launch is None:
        return None
    with _device_of(x):
        return run_forward(_rows(x, m, n), _row(weight), _row(bias), eps, launch, y=_rows(y, m, n), mean=mean, rstd=rstd)


class _Usual:
    """Both passes of one kind of call as most calls are: everything contiguous and wanted, weight and bias of one dtype.

    Finding out anew what a call is takes longer than its kernels where rows are few.
    """

    __slots__ = ("backward", "forward", "launch")

    def __init__(self, launch: LaunchConfig | Plan) -> None:
        self.launch = launch  # kept, since its id is part of the key
        self.forward: Replay | None = None
        self.backward: Replay | None = None

    def normalises(self, tensors: Sequence[torch.Tensor | None]) -> bool:
        """Write y, mean and rstd of x, weight and bias, if that can be repeated; whether it was done."""
        return self.forward is not None and repeat(self.forward, cast("Sequence[torch.Tensor]", tensors))

    def fits(self, needs: tuple[bool, ...], x: torch.Tensor, dy: torch.Tensor) -> bool:
        """Whether a backward pass is of this kind, and there is something to repeat."""
        every = needs[0] and needs[1] and needs[2]
        return self.backward is not None and every and dy.dtype is x.dtype and dy.is_contiguous() and not torch.is_grad_enabled()


_USUAL: dict[tuple[Any, ...], _Usual] = {}
_MOST_USUAL = 1024


def _usual(
    x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None, eps: float, launch: LaunchConfig | Plan | None
) -> _Usual | None:
    if launch is None or weight is None or bias is None or weight.dtype is not bias.dtype:
        return None
    if not (x.is_cuda and x.numel() and x.is_contiguous() and weight.is_contiguous() and bias.is_contiguous()):
        return None
    key = (id(launch), eps, x.shape, x.dtype, weight.dtype, x.get_device())
    found = _USUAL.get(key)
    if found is None:
        if len(_USUAL) >= _MOST_USUAL:
            _USUAL.clear()
        found = _USUAL[key] = _Usual(launch)
    return found


class _Wanted:
    """Which gradients to compute, and the form of dw and db."""

    __slots__ = ("bias_dtype", "db", "dw", "dx", "normalized_shape", "usual")

    def __init__(self, ctx: Any) -> None:
        self.dx, self.dw, self.db = ctx.needs_input_grad[:3]
        self.usual = ctx.usual
        self.bias_dtype = ctx.bias_dtype
        self.normalized_shape = ctx.normalized_shape


class _Gradients(torch.autograd.Function):
    """The backward pass where somebody asked for a graph of it: computed all the same, and refused once differentiated."""

    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> tuple[torch.Tensor | None, ...]:
        return _gradients(*arguments)

    @staticmethod
    def backward(ctx: Any, *_: torch.Tensor) -> None:
        raise ValueError(
            "x, weight: layer_norm has no second derivative (a backward pass through dx, dw or db, asked for with "
            "create_graph=True); use torch.nn.functional.layer_norm for it"
        )


def _gradients(
    dy: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    launch: LaunchConfig | Plan | None,
    wanted: _Wanted,
) -> tuple[torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
    shape, device, m = wanted.normalized_shape, x.device, mean.numel()
    if m == 0 or launch is None:
        return (
            torch.zeros_like(x) if wanted.dx else None,
            torch.zeros_like(weight) if wanted.dw and weight is not None else None,
            torch.zeros(shape, dtype=wanted.bias_dtype, device=device) if wanted.db else None,
        )
    n = x.numel() // m
    dx = _empty_like(x) if wanted.dx else None
    dw = torch.empty(shape, dtype=weight.dtype, device=device) if wanted.dw and weight is not None else None
    db = torch.empty(shape, dtype=wanted.bias_dtype, device=device) if wanted.db else None
    with _device_of(x):
        replay = run_backward(
            _rows(x, m, n),
            _rows(dy, m, n),
            _row(weight),
            mean,
            rstd,
            launch,
            dx=_rows(dx, m, n) if dx is not None else None,
            dw=_row(dw),
            db=_row(db),
        )
    if wanted.usual is not None and dx is not None and dw is not None and db is not None and dy.is_contiguous():
        wanted.usual.backward = replay
    return dx, dw, db


def _empty_like(x: torch.Tensor) -> torch.Tensor:
    """Contiguous memory of x's shape, whatever its strides."""
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _rows(tensor: torch.Tensor, m: int, n: int) -> torch.Tensor:
    """`tensor` as [m, n] with adjacent columns: itself or a view where its strides allow that, else a copy."""
    rows = tensor if tensor.dim() == 2 else tensor.reshape(m, n)
    return rows if n == 1 or rows.stride(1) == 1 else rows.contiguous()


def _row(tensor: torch.Tensor | None) -> torch.Tensor | None:
    if tensor is None:
        return None
    return (tensor if tensor.dim() == 1 else tensor.reshape(-1)).contiguous()


def _normalized_shape(x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None) -> tuple[int, ...] | torch.Size:
    """Shape of dw and db: known from weight or bias, and of no interest where neither is there."""
    parameter = weight if weight is not None else bias
    return parameter.shape if parameter is not None else ()


def _device_of(x: torch.Tensor) -> AbstractContextManager[None]:
    """Triton launches on the current device, which need not be x's."""
    if x.device.type != "cuda" or x.device.index == torch.cuda.current_device():
        return _HERE
    return torch.cuda.device(x.device)
