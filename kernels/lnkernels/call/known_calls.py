"""Calls of `layer_norm` by kind: each kind is checked, decided and recorded once.

Later calls that differ in nothing but addresses are repeated without Triton's own overhead: where
rows are few, deciding what to launch takes longer than the kernels.
"""

import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any

import torch
from torch import Tensor

from lnkernels.call.checks import (
    DTYPE_NAMES,
    Wished,
    check_tensors,
    check_types,
    checked_shape,
    checked_wish,
    under_autocast,
)
from lnkernels.call.replay import ALIGNMENT, CannotReplayError, Replay, can_replay
from lnkernels.language.launching import noted
from lnkernels.launch import LAUNCHED, Launch
from lnkernels.launch import reload_tuned_settings as reload
from lnkernels.passes.arguments import BackwardTensors, ForwardTensors, in_one_form
from lnkernels.passes.registry import decide_launch, run_backward, run_forward

_Tensors = Sequence[Tensor | None]
Gradients = tuple[Tensor | None, Tensor | None, Tensor | None]
_HERE: AbstractContextManager[None] = nullcontext()
empty_like = partial(torch.empty_like, memory_format=torch.contiguous_format)


@dataclass(slots=True, eq=False)
class Call:
    """Calls of one kind: the same shapes, strides, dtypes and device of all tensors, eps and
    launch.
    """

    shape: tuple[int, ...]
    n: int  # elements of a row
    m: int  # rows
    eps: float
    launch: Launch | None
    bias_dtype: torch.dtype | None
    plain: bool  # kernels may be given the tensors as they are
    behind: int  # bytes from a row's mean to its rstd where one tensor has both, 0 for RMSNorm
    norm: str = "layer_norm"  # or "rms_norm", which has neither mean nor bias
    forward: Replay | None = None
    # by what is asked for, and the form of dy
    backward: dict[tuple[Any, ...], Replay] = field(default_factory=dict)


def normalise(
    call: Call, x: Tensor, weight: Tensor | None, bias: Tensor | None, *, apart: bool = False
) -> tuple[Tensor, Tensor | None, Tensor]:
    """Return y of x's shape, and mean and rstd [M], float32; RMSNorm has no mean.

    Unless mean and rstd are wanted `apart`, one tensor that has both is given twice, for `parted`.
    """
    y, launch, replay = empty_like(x), call.launch, call.forward
    behind = 0 if apart else call.behind
    rstd = x.new_empty(behind // 4 + call.m, dtype=torch.float32)
    mean = None
    if call.norm == "layer_norm":
        mean = torch.empty_like(rstd) if apart else rstd
    results = y, mean, rstd
    if call.plain and replay is not None and replay((x, weight, bias, *results), behind):
        return results
    if call.m == 0 or launch is None:
        return results
    mean, rstd = parted(mean, rstd, call.m)
    rows, y_rows = _rows(x, call.m, call.n), _rows(y, call.m, call.n)
    given = ForwardTensors(
        x=rows, weight=_row(weight), bias=_row(bias), eps=call.eps, y=y_rows, mean=mean, rstd=rstd
    )
    given = in_one_form(given, launch)  # here: a replay copies nothing
    tensors = (given.x, given.weight, given.bias, y_rows, mean, rstd)

    with _device_of(x):
        if replay is None or not replay(tensors):
            call.forward = _recorded(lambda: run_forward(given, launch), tensors) or replay
    return results


def parted(mean: Tensor | None, rstd: Tensor, m: int) -> tuple[Tensor | None, Tensor]:
    """Return mean and rstd [M], of which one tensor may hold both."""
    return (rstd[:m], rstd[rstd.numel() - m :]) if mean is rstd else (mean, rstd)


def _alert_where_not_deterministic(launch: Launch | None, norm: str) -> None:
    """Refuse, or warn, in torch's words, where a strategy adds rows in any order."""
    if launch is None or LAUNCHED[launch.strategy].deterministic:
        return
    words = (
        f"lnkernels.{norm} backward with the strategy {launch.strategy} does not have a"
        " deterministic implementation, but you set 'torch.use_deterministic_algorithms(True)'. You"
        " can turn off determinism just for this operation, use the warn_only=True option, or take"
        " the strategy persistent or auto."
    )
    if not torch.is_deterministic_algorithms_warn_only_enabled():
        raise RuntimeError(words)
    warnings.warn(words, stacklevel=3)


def gradients(
    dy: Tensor,
    x: Tensor,
    weight: Tensor | None,
    mean: Tensor | None,
    rstd: Tensor,
    call: Call,
    needs: tuple[bool, ...],
) -> Gradients:
    launch, m, n = call.launch, call.m, call.n
    if torch.are_deterministic_algorithms_enabled() and (needs[1] or needs[2]):
        _alert_where_not_deterministic(launch, call.norm)
    if dy.is_neg():
        dy = dy.resolve_neg()
    dx = empty_like(x) if needs[0] else None
    dw = empty_like(weight) if needs[1] and weight is not None else None
    db = x.new_empty(*call.shape, dtype=call.bias_dtype) if needs[2] else None
    if m == 0 or launch is None:
        for tensor in (dx, dw, db):
            if tensor is not None:
                tensor.zero_()
        return dx, dw, db
    contiguous = dy.is_contiguous()
    kind = (needs, dy.dtype, None if contiguous else dy.stride())
    replay = call.backward.get(kind)
    pointers = x, dy, dx, weight, dw, db, mean, rstd
    plain = call.plain and contiguous
    if plain and replay is not None and replay(pointers, 4 * (rstd.numel() - m)):
        return dx, dw, db
    mean, rstd = parted(mean, rstd, m)
    given = BackwardTensors(
        x=_rows(x, m, n),
        dy=_rows(dy, m, n),
        weight=_row(weight),
        mean=mean,
        rstd=rstd,
        dx=_rows(dx, m, n) if dx is not None else None,
        dw=_row(dw),
        db=_row(db),
    )
    given = in_one_form(given, launch)
    tensors = (given.x, given.dy, given.dx, given.weight, given.dw, given.db, mean, rstd)

    with _device_of(x):
        if replay is None or not replay(tensors):
            replay = _recorded(lambda: run_backward(given, launch), tensors)
            if replay is not None:
                call.backward[kind] = replay
    return dx, dw, db


def _recorded(run: Callable[[], None], tensors: _Tensors) -> Replay | None:
    """Make a call; return what repeats it for other tensors of the same kind, None where nothing
    does.
    """
    given = [tensor for tensor in tensors if tensor is not None]
    # One tensor in two places, such as the same weight and bias: of another call nobody could tell
    # which goes where.
    twice = len({id(tensor) for tensor in given}) < len(given)
    if twice or not can_replay() or any(tensor.data_ptr() % ALIGNMENT for tensor in given):
        run()
        return None
    with noted() as steps:
        run()
    try:
        return Replay(steps, tensors)
    except CannotReplayError:
        return None


def _rows(tensor: Tensor, m: int, n: int) -> Tensor:
    """Return a tensor as [m, n] with adjacent columns: itself or a view where its strides allow
    that, else a copy.
    """
    # both dimensions of a matrix may be one row
    rows = tensor if tensor.shape == (m, n) else tensor.reshape(m, n)
    return rows if n == 1 or rows.stride(1) == 1 else rows.contiguous()


def _row(tensor: Tensor | None) -> Tensor | None:
    if tensor is None:
        return None
    return (tensor if tensor.dim() == 1 else tensor.reshape(-1)).contiguous()


def _device_of(x: Tensor) -> AbstractContextManager[None]:
    """Return a context in which x's device is the current one, on which Triton launches."""
    if x.device.type != "cuda" or x.device.index == torch.cuda.current_device():
        return _HERE
    return torch.cuda.device(x.device)


# Calls that were checked before, by everything that the checks and the launch look at.
CALLS: dict[tuple[Any, ...], Call] = {}
_MOST_CALLS = 1024


def reload_tuned_settings() -> None:
    """Use settings that another process has tuned since the last look.

    Not while a launch is decided.
    """
    if reload():
        CALLS.clear()


def kind_of_call(
    x: Tensor,
    shape: int | Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    launch: Wished,
    norm: str,
) -> tuple[Any, ...]:
    """Return the cache key of a call: all that its checks and its launch depend on. Checking takes
    longer than looking this up.
    """
    # Written out: a call for each parameter would take as long as what it looks at.
    return (
        x.shape,
        x.stride(),
        x.dtype,
        x.device,
        x.is_neg(),
        shape,
        weight
        if weight is None
        else (
            weight.shape,
            weight.dtype,
            weight.device,
            weight.is_contiguous(),
            weight.is_neg(),
        ),
        bias
        if bias is None
        else (bias.shape, bias.dtype, bias.device, bias.is_contiguous(), bias.is_neg()),
        eps,
        launch,
        norm,
        torch.is_autocast_enabled("cuda"),
    )


def known_call(
    x: Tensor,
    shape: int | Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    launch: Wished,
    norm: str,
) -> tuple[Tensor, Tensor | None, Tensor | None, Call]:
    """Return what `checked_call` does, without checking a kind of call again."""
    try:
        call = CALLS.get(kind_of_call(x, shape, weight, bias, eps, launch, norm))
    except (AttributeError, TypeError):  # no tensors, say: the checks find the words
        call = None
    if call is None:
        return checked_call(x, shape, weight, bias, eps, launch, norm)
    return x, weight, bias, call


def checked_call(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    launch: Wished,
    norm: str,
) -> tuple[Tensor, Tensor | None, Tensor | None, Call]:
    """Return the tensors as they are computed with, and the kind of call that they make, which is
    known from then on.

    Raises:
        TypeError, ValueError: an argument is not possible. The message names it.
    """
    wish = checked_wish(launch)
    check_types(x, weight, bias, eps)
    shape = checked_shape(x, normalized_shape)
    x, weight, bias = under_autocast(x, weight, bias)
    check_tensors(x, shape, weight, bias)
    # Memory that holds -x, as of an imaginary part, is no kind that kernels can be given.
    x = x.resolve_neg()
    weight, bias = (one if one is None else one.resolve_neg() for one in (weight, bias))
    kind = kind_of_call(x, shape, weight, bias, float(eps), launch, norm)
    call = CALLS.get(kind)
    if call is None:
        n = prod(shape)
        # The row's length is no argument of its own; it comes from the normalized shape.
        decided = (
            decide_launch(
                wish, n, DTYPE_NAMES[x.dtype], x.device, x.numel() // n, "normalized_shape: n"
            )
            if n
            else None
        )
        if len(CALLS) >= _MOST_CALLS:
            CALLS.clear()
        plain = all(tensor is None or tensor.is_contiguous() for tensor in (x, weight, bias))
        bias_dtype = bias.dtype if bias is not None else None
        m = x.numel() // n if n else 0
        # So that the alignment of neither depends on M.
        behind = -(-4 * m // ALIGNMENT) * ALIGNMENT if norm == "layer_norm" else 0
        call = CALLS[kind] = Call(shape, n, m, float(eps), decided, bias_dtype, plain, behind, norm)
    return x, weight, bias, call
