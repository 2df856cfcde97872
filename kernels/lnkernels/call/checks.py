"""Checks of the arguments of `layer_norm`, and conversions that autocast and operators need."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, TypeAlias

import torch
from torch import Tensor

from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import DTYPES, SETTING, LaunchWish

DTYPE_NAMES = {getattr(torch, name): name for name in DTYPES}
_WHOLE = (Integral, torch.SymInt)
Wished: TypeAlias = LaunchWish | str | None


def wish_text(launch: Wished) -> str:
    """Return a wish as an operator takes it: a strategy's name, and settings behind it."""
    if launch is None or type(launch) is str:
        return launch or "auto"
    wish = checked_wish(launch)
    return " ".join((wish.strategy, *(f"{name}={value}" for name, value in wish.given().items())))


@lru_cache(maxsize=256)
def wish_of(text: str) -> LaunchWish | str:
    """Return the wish that `wish_text` has written."""
    strategy, *settings = text.split(" ")
    if not all("=" in setting for setting in settings):
        return text  # a name that is refused
    given = dict(setting.split("=", 1) for setting in settings)
    read: dict[type, Callable[[str], Any]] = {bool: "True".__eq__, int: int, str: str}
    values = {name: read[SETTING[name].type](value) for name, value in given.items()}
    return LaunchWish(strategy=strategy, **values) if values else strategy


def checked_wish(launch: object) -> LaunchWish:
    if launch is None:
        return LaunchWish(strategy="auto")
    if type(launch) is str:
        return LaunchWish(strategy=launch)
    if not isinstance(launch, LaunchWish):
        raise TypeError(
            f"launch is a {type(launch).__name__}: give the name of a strategy, a LaunchWish or"
            " None"
        )
    for name in ("strategy", *SETTING):
        wanted = SETTING[name].type if name in SETTING else str
        value = getattr(launch, name)
        if value is not None and type(value) is not wanted:
            raise TypeError(f"{name} is a {type(value).__name__}: give {wanted.__name__} or None")
    if launch.invariant and launch.strategy == LaunchWish().strategy:
        # Behind locks rows add in any order: who names no other strategy leaves it open.
        return replace(launch, strategy="auto")
    return launch


def checked_shape(x: Tensor, normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(normalized_shape, _WHOLE):
        shape: tuple[int, ...] = (_whole(normalized_shape),)
    elif isinstance(normalized_shape, Sequence) and all(
        isinstance(size, _WHOLE) for size in normalized_shape
    ):
        shape = tuple(map(_whole, normalized_shape))
    else:
        raise TypeError(
            f"normalized_shape = {normalized_shape!r}: give an int or a sequence of ints"
        )
    if not shape or tuple(x.shape[-len(shape) :]) != shape:
        raise ValueError(
            f"normalized_shape = {list(shape)} is not possible: "
            f"give one or more of the last dimensions of x, whose shape is {list(x.shape)}"
        )
    return shape


def _whole(size: Any) -> Any:
    """Return a size as torch's operators take it, which refuse the whole numbers of numpy."""
    return size if isinstance(size, torch.SymInt) else int(size)


def is_widened(x: Tensor) -> bool:
    """Return True where autocast computes layer_norm in float32: on a GPU, not on a CPU."""
    return x.device.type == "cuda" and torch.is_autocast_enabled("cuda")


def under_autocast(
    x: Tensor, weight: Tensor | None, bias: Tensor | None
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    if not is_widened(x):
        return x, weight, bias
    return (
        _widened(x),
        _widened(weight) if weight is not None else None,
        _widened(bias) if bias is not None else None,
    )


def _widened(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def check_types(x: object, weight: object, bias: object, eps: object) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"x is a {type(x).__name__}: give a tensor")
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and not isinstance(parameter, Tensor):
            raise TypeError(f"{name} is a {type(parameter).__name__}: give a tensor or None")
    for name, tensor in (("x", x), ("weight", weight), ("bias", bias)):
        if isinstance(tensor, Tensor) and tensor.layout != torch.strided:
            raise TypeError(f"{name} is {tensor.layout}: give a dense tensor")
    if isinstance(eps, bool) or not isinstance(eps, Real | torch.SymFloat):
        raise TypeError(f"eps is a {type(eps).__name__}: give a number")


def check_tensors(
    x: Tensor,
    shape: tuple[int, ...],
    weight: Tensor | None,
    bias: Tensor | None,
    *,
    traced: bool = False,
) -> None:
    """Refuse what the kernels cannot take; traced tensors may be on any device, as nothing is
    computed for them.
    """
    if x.dtype not in DTYPE_NAMES:
        raise TypeError(f"x is {x.dtype}: give one of {', '.join(DTYPES)}")
    if not traced and x.device.type != "cuda" and not (IS_INTERPRETED and x.device.type == "cpu"):
        raise ValueError(
            f"x is on device {x.device}: give a tensor on a GPU, or set TRITON_INTERPRET=1 before"
            " triton is imported"
        )
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is None:
            continue
        if parameter.dtype not in (x.dtype, torch.float32):
            wider = "" if x.dtype == torch.float32 else ", or torch.float32"
            raise TypeError(f"{name} is {parameter.dtype}: give {x.dtype}, as x has it{wider}")
        if tuple(parameter.shape) != shape:
            raise ValueError(
                f"{name} has shape {list(parameter.shape)}: give normalized_shape, {list(shape)}"
            )
        if parameter.device != x.device:
            raise ValueError(f"{name} is on device {parameter.device}: give it on x's, {x.device}")
