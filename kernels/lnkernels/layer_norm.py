"""`layer_norm`, the public function: torch.nn.functional.layer_norm on the kernels of this package, every launch
setting open.
"""

from collections.abc import Sequence
from dataclasses import fields
from math import prod
from numbers import Real
from typing import Any

import torch

from lnkernels.autograd import Call, LayerNorm
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import DTYPES, SETTING, LaunchWish
from lnkernels.launch import reload_tuned_settings as reload
from lnkernels.strategies.registry import decide_launch

_DTYPE_NAMES = {getattr(torch, name): name for name in DTYPES}
# Calls that were found right before, by everything that the checks and the launch look at.
_CALLS: dict[tuple[Any, ...], Call] = {}
_MOST_CALLS = 1024


def layer_norm(
    x: torch.Tensor,
    normalized_shape: int | Sequence[int],
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
    *,
    launch: LaunchWish | str | None = None,
) -> torch.Tensor:
    """Layer normalization over the last dimensions of x, as torch.nn.functional.layer_norm, differentiable once.

    Args:
        x: float16, bfloat16 or float32, any leading dimensions, any strides.
        normalized_shape: the last dimension of x, or its last dimensions, which make one row of N elements.
        weight: of normalized_shape, in x's dtype or float32; None for ones.
        bias: of normalized_shape, in x's dtype or float32; None for zeros.
        eps: added to the variance.
        launch: how dw and db are reduced: the name of one of `lnkernels.launch.STRATEGIES`, or a wish for one and for
            its settings; "locked" if not given. `lnkernels.launch.SETTINGS` says what each setting is, and
            `lnkernels.launch.CATALOGUE` which strategy has it. What is not wished `lnkernels.launch.resolve_launch`
            decides.

    Returns:
        y of x's shape and dtype, contiguous. Under autocast on a GPU everything is float32, as PyTorch has it.

    Raises:
        TypeError: an argument is of a type or dtype that is not supported. The message names it.
        ValueError: an argument has a shape, device or value that is not possible. The message names it. A second
            derivative is refused in the same way, when it is asked for.
    """
    call = None
    if type(eps) is float and type(normalized_shape) is tuple:
        try:
            call = _CALLS.get(_kind(x, normalized_shape, weight, bias, eps, launch))
        except (AttributeError, TypeError):  # no tensors, say: the checks find the words
            call = None
    if call is None:
        x, weight, bias, call = _checked(x, normalized_shape, weight, bias, eps, launch)
    y: torch.Tensor = LayerNorm.apply(x, weight, bias, call)  # type: ignore[no-untyped-call]
    return y


def reload_tuned_settings() -> None:
    """Have settings that were tuned in another process since the last look used from now on.

    Not while a launch is decided.
    """
    if reload():
        _CALLS.clear()


def _kind(
    x: torch.Tensor,
    shape: tuple[int, ...],
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: float,
    launch: LaunchWish | str | None,
) -> tuple[Any, ...]:
    """Everything that the checks and the launch look at. Checking takes longer than looking that up."""
    return (
        x.shape,
        x.stride(),
        x.dtype,
        x.device,
        shape,
        None if weight is None else (weight.shape, weight.dtype, weight.device, weight.is_contiguous()),
        None if bias is None else (bias.shape, bias.dtype, bias.device, bias.is_contiguous()),
        eps,
        launch,
        torch.is_autocast_enabled("cuda"),
    )


def _checked(
    x: torch.Tensor,
    normalized_shape: int | Sequence[int],
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: float,
    launch: LaunchWish | str | None,
) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None, Call]:
    """The tensors as they are computed with, and the kind of call that they make, which is known from then on."""
    wish = _wish(launch)
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x is a {type(x).__name__}: give a tensor")
    if isinstance(eps, bool) or not isinstance(eps, Real):
        raise TypeError(f"eps is a {type(eps).__name__}: give a number")
    shape = _checked_shape(x, normalized_shape)
    x, weight, bias = _autocast(x, weight, bias)
    _check_tensors(x, shape, weight, bias)
    kind = _kind(x, shape, weight, bias, float(eps), launch)
    call = _CALLS.get(kind)
    if call is None:
        n = prod(shape)
        # The row's length is no argument of its own; it comes from the normalized shape.
        decided = decide_launch(wish, n, _DTYPE_NAMES[x.dtype], x.device, x.numel() // n, "normalized_shape: n") if n else None
        if len(_CALLS) >= _MOST_CALLS:
            _CALLS.clear()
        call = _CALLS[kind] = Call(x, weight, bias, shape, float(eps), decided)
    return x, weight, bias, call


def _wish(launch: object) -> LaunchWish:
    if launch is None:
        return LaunchWish()
    if type(launch) is str:
        return LaunchWish(strategy=launch)
    if not isinstance(launch, LaunchWish):
        raise TypeError(f"launch is a {type(launch).__name__}: give the name of a strategy, a LaunchWish or None")
    for field in fields(LaunchWish):
        wanted = SETTING[field.name].type if field.name in SETTING else str
        value = getattr(launch, field.name)
        if value is not None and type(value) is not wanted:
            raise TypeError(f"{field.name} is a {type(value).__name__}: give {wanted.__name__} or None")
    return launch


def _checked_shape(x: torch.Tensor, normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(normalized_shape, int):
        shape: tuple[int, ...] = (normalized_shape,)
    elif isinstance(normalized_shape, Sequence) and all(isinstance(size, int) for size in normalized_shape):
        shape = tuple(normalized_shape)
    else:
        raise TypeError(f"normalized_shape = {normalized_shape!r}: give an int or a sequence of ints")
    if not shape or tuple(x.shape[-len(shape) :]) != shape:
        raise ValueError(
            f"normalized_shape = {list(shape)} is not possible: "
            f"give one or more of the last dimensions of x, whose shape is {list(x.shape)}"
        )
    return shape


def _autocast(
    x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
    """PyTorch's autocast computes layer_norm in float32 on a GPU, and leaves it alone on a CPU."""
    if x.device.type != "cuda" or not torch.is_autocast_enabled("cuda"):
        return x, weight, bias
    return _widened(x), _widened(weight) if weight is not None else None, _widened(bias) if bias is not None else None


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def _check_tensors(x: torch.Tensor, shape: tuple[int, ...], weight: torch.Tensor | None, bias: torch.Tensor | None) -> None:
    if x.dtype not in _DTYPE_NAMES:
        raise TypeError(f"x is {x.dtype}: give one of {', '.join(DTYPES)}")
    if x.device.type != "cuda" and not (IS_INTERPRETED and x.device.type == "cpu"):
        raise ValueError(
            f"x is on device {x.device}: give a tensor on a GPU, or set TRITON_INTERPRET=1 before triton is imported"
        )
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is None:
            continue
        if not isinstance(parameter, torch.Tensor):
            raise TypeError(f"{name} is a {type(parameter).__name__}: give a tensor or None")
        if parameter.dtype not in (x.dtype, torch.float32):
            raise TypeError(f"{name} is {parameter.dtype}: give {x.dtype}, as x has it, or torch.float32")
        if tuple(parameter.shape) != shape:
            raise ValueError(f"{name} has shape {list(parameter.shape)}: give normalized_shape, {list(shape)}")
        if parameter.device != x.device:
            raise ValueError(f"{name} is on device {parameter.device}: give it on x's, {x.device}")
