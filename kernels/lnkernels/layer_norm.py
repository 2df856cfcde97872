"""`layer_norm`, the public function: torch.nn.functional.layer_norm on the kernels of this package, every launch setting open."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from math import prod
from numbers import Real
from typing import Any

import torch

from lnkernels.autograd import LayerNorm
from lnkernels.interpreter import IS_INTERPRETED
from lnkernels.launch import DTYPES, LaunchConfig, LaunchOverrides, check_launch, foreign_settings, resolve_launch
from lnkernels.strategies.registry import STRATEGIES, Plan, plan

_NONE = (None,) * 19  # settings, all of them left open
_DTYPE_NAMES = {getattr(torch, name): name for name in DTYPES}
_SETTINGS = (
    "block_size",
    "block_size_n",
    "group_size_m",
    "reduce_block_size_m",
    "reduce_block_size_n",
    "num_warps",
    "reduce_num_warps",
    "num_stages",
    "partial_dtype",
    "barrier",
    "rows",
    "programs_per_sm",
    "forward_rows",
    "forward_num_warps",
    "forward_held",
    "forward_num_stages",
    "forward_grid_per_sm",
    "sums_per_row",
    "slices",
)


def layer_norm(
    x: torch.Tensor,
    normalized_shape: int | Sequence[int],
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
    *,
    strategy: str | None = None,
    block_size: int | None = None,
    block_size_n: int | None = None,
    group_size_m: int | None = None,
    reduce_block_size_m: int | None = None,
    reduce_block_size_n: int | None = None,
    num_warps: int | None = None,
    reduce_num_warps: int | None = None,
    num_stages: int | None = None,
    partial_dtype: str | None = None,
    barrier: bool | None = None,
    rows: int | None = None,
    programs_per_sm: int | None = None,
    forward_rows: int | None = None,
    forward_num_warps: int | None = None,
    forward_held: bool | None = None,
    forward_num_stages: int | None = None,
    forward_grid_per_sm: int | None = None,
    sums_per_row: bool | None = None,
    slices: int | None = None,
) -> torch.Tensor:
    """Layer normalization over the last dimensions of x, as torch.nn.functional.layer_norm, differentiable once.

    Args:
        x: float16, bfloat16 or float32, any leading dimensions, any strides.
        normalized_shape: the last dimension of x, or its last dimensions, which make one row of N elements.
        weight: of normalized_shape, in x's dtype or float32; None for ones.
        bias: of normalized_shape, in x's dtype or float32; None for zeros.
        eps: added to the variance.
        strategy: how dw and db are reduced, one of `lnkernels.launch.STRATEGIES`; "locked" if not given. Not every setting
            below belongs to every strategy; `lnkernels.launch.CATALOGUE` says which do.
        block_size: forward pass, columns of a row a program takes per step.
        block_size_n: stage 1, columns a program holds, at least N; with "split" its slice of a row, with "persistent" one of
            the blocks that it holds a row in.
        group_size_m: number of buffers of partial sums.
        reduce_block_size_m: stage 2, partial sums added per step.
        reduce_block_size_n: stage 2, columns per program.
        num_warps: stage 1, and with "locked" the forward pass.
        reduce_num_warps: stage 2.
        num_stages: depth of the compiler's pipelining.
        partial_dtype: dtype of the partial sums, "float32" or "same" as x.
        barrier: wait for all threads' stores before a lock is released. Without it sums may be lost.
        rows: stage 1, rows that a program takes at once.
        programs_per_sm: stage 1, programs on each SM at most.
        forward_rows: forward pass, rows that a program takes at once.
        forward_num_warps: forward pass, where it has its own.
        forward_held: forward pass, a row of several steps stays in registers, so that x is read once.
        forward_num_stages: forward pass, tiles in flight in a program that takes several.
        forward_grid_per_sm: forward pass, programs on each SM that take several tiles; 0 for one program a tile.
        sums_per_row: stage 1, sums are kept apart for each row of a tile until the end.
        slices: stage 1, programs that share a row.

    What is not given comes from `lnkernels.launch.resolve_launch`.

    Returns:
        y of x's shape and dtype, contiguous. Under autocast on a GPU everything is float32, as PyTorch has it.

    Raises:
        TypeError: an argument is of a type or dtype that is not supported. The message names it.
        ValueError: an argument has a shape, device or value that is not possible. The message names it. A second derivative
            is refused in the same way, when it is asked for.
    """
    settings = (
        block_size,
        block_size_n,
        group_size_m,
        reduce_block_size_m,
        reduce_block_size_n,
        num_warps,
        reduce_num_warps,
        num_stages,
        partial_dtype,
        barrier,
        rows,
        programs_per_sm,
        forward_rows,
        forward_num_warps,
        forward_held,
        forward_num_stages,
        forward_grid_per_sm,
        sums_per_row,
        slices,
    )
    if settings == _NONE:
        found = _known(x, normalized_shape, weight, bias, eps, strategy)
        if found is not None:
            known: torch.Tensor = LayerNorm.apply(x, weight, bias, found[0], eps, found[1])  # type: ignore[no-untyped-call]
            return known
        wished = _only(strategy)
    else:
        named: dict[str, Any] = dict(zip(_SETTINGS, settings, strict=True))
        wished = LaunchOverrides(strategy=strategy, **named)
        _check_types(wished)
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x is a {type(x).__name__}: give a tensor")
    if isinstance(eps, bool) or not isinstance(eps, Real):
        raise TypeError(f"eps is a {type(eps).__name__}: give a number")
    shape = _checked_shape(x, normalized_shape)
    x, weight, bias = _autocast(x, weight, bias)
    _check_tensors(x, shape, weight, bias)
    n = prod(shape)
    launch: LaunchConfig | Plan | None = None
    if n and strategy in STRATEGIES:
        launch = plan(strategy, n, _DTYPE_NAMES[x.dtype], x.device, wished, m=x.numel() // n)
    elif n:
        launch = _plan(n, _DTYPE_NAMES[x.dtype], wished)
    y: torch.Tensor = LayerNorm.apply(x, weight, bias, n, float(eps), launch)
    if settings == _NONE and launch is not None:
        _remember(x, normalized_shape, weight, bias, eps, strategy, launch)
    return y


# Calls that were found right before, by everything that the checks look at: n, and what is launched.
_KNOWN: dict[tuple[Any, ...], tuple[int, LaunchConfig | Plan]] = {}
_MOST_KNOWN = 1024


def _known(
    x: Any, normalized_shape: Any, weight: Any, bias: Any, eps: Any, strategy: Any
) -> tuple[int, LaunchConfig | Plan] | None:
    """What an earlier call of the same kind came to; None where there was none. Checking takes longer than looking that up."""
    if type(eps) is not float or type(normalized_shape) is not tuple or weight is None or bias is None:
        return None
    try:
        return _KNOWN.get(_kind(x, normalized_shape, weight, bias, strategy))
    except (AttributeError, TypeError):  # no tensors, say: the checks find the words
        return None


def _remember(
    x: torch.Tensor,
    normalized_shape: Any,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: Any,
    strategy: str | None,
    launch: LaunchConfig | Plan,
) -> None:
    if type(eps) is float and type(normalized_shape) is tuple and weight is not None and bias is not None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[_kind(x, normalized_shape, weight, bias, strategy)] = prod(normalized_shape), launch


def _kind(x: Any, normalized_shape: Any, weight: Any, bias: Any, strategy: Any) -> tuple[Any, ...]:
    return (
        x.shape,
        x.dtype,
        x.device,
        normalized_shape,
        weight.shape,
        weight.dtype,
        weight.device,
        bias.shape,
        bias.dtype,
        bias.device,
        strategy,
        torch.is_autocast_enabled("cuda"),
    )


@lru_cache(maxsize=1024)
def _plan(n: int, dtype: str, wished: LaunchOverrides) -> LaunchConfig:
    launch = resolve_launch(n, dtype, wished)
    problems = foreign_settings(wished) or check_launch(n, dtype, launch)
    if problems:
        # The row's length is no argument of its own; it comes from the normalized shape.
        raise ValueError("; ".join(f"normalized_shape: {p}" if p.field == "n" else str(p) for p in problems))
    return launch


def _only(strategy: str | None) -> LaunchOverrides:
    """Every setting but the strategy left open: what most calls wish."""
    if strategy is not None and type(strategy) is not str:
        raise TypeError(f"strategy is a {type(strategy).__name__}: give str or None")
    return _with_strategy(strategy)


@lru_cache(maxsize=64)
def _with_strategy(strategy: str | None) -> LaunchOverrides:
    return LaunchOverrides(strategy=strategy)


def _check_types(wished: LaunchOverrides) -> None:
    expected: dict[str, type] = {
        "strategy": str,
        "partial_dtype": str,
        "barrier": bool,
        "forward_held": bool,
        "sums_per_row": bool,
    }
    for name, value in asdict(wished).items():
        wanted = expected.get(name, int)
        if value is not None and type(value) is not wanted:
            raise TypeError(f"{name} is a {type(value).__name__}: give {wanted.__name__} or None")


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
