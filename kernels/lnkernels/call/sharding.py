"""How the operators of the norms take DTensors, as of SequenceParallel and FSDP: rows may be
shared among processes by any leading dimension, and dw and db are then sums of each one's rows.
"""

from typing import Any

import torch
from torch.distributed.tensor import Partial, Placement, Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

Placements = list[Placement | None]
# What results and arguments have for each way in which rows may be shared.
Strategy = tuple[Placements, Placements]


def register() -> None:
    """Say it to PyTorch, once, before the first call with a DTensor."""
    operators = torch.ops.lnkernels
    register_sharding(operators.layer_norm_forward.default)(_forward)
    register_sharding(operators.layer_norm_backward.default)(_backward)
    register_sharding(operators.rms_norm_forward.default)(_rms_forward)
    register_sharding(operators.rms_norm_backward.default)(_rms_backward)


def _ways(x: Any, shape: Any) -> list[tuple[Placement, Placement]]:
    """Return placements of x and of its statistics [M]: whole, or shared by a leading dimension."""
    whole: tuple[Placement, Placement] = Replicate(), Replicate()
    return [whole, *((Shard(place), Shard(0)) for place in range(x.ndim - len(shape)))]


def _whole(parameter: Any) -> Placement | None:
    return None if parameter is None else Replicate()


def _forward(x: Any, shape: Any, weight: Any, bias: Any, eps: Any, launch: Any) -> list[Strategy]:
    others = [None, _whole(weight), _whole(bias), None, None]
    return [([rows, sums, sums], [rows, *others]) for rows, sums in _ways(x, shape)]


def _backward(
    dy: Any, x: Any, shape: Any, weight: Any, bias: Any, mean: Any, rstd: Any, *_: Any
) -> list[Strategy]:
    strategies = list[Strategy]()
    for rows, sums in _ways(x, shape):
        total: Placement = Replicate() if isinstance(rows, Replicate) else Partial()
        given = [rows, rows, None, _whole(weight), _whole(bias), sums, sums, None, None, None]
        strategies.append(([rows, total, total], given))
    return strategies


def _rms_forward(x: Any, shape: Any, weight: Any, eps: Any, launch: Any) -> list[Strategy]:
    given = [None, _whole(weight), None, None]
    return [([rows, sums], [rows, *given]) for rows, sums in _ways(x, shape)]


def _rms_backward(dy: Any, x: Any, shape: Any, weight: Any, rstd: Any, *_: Any) -> list[Strategy]:
    strategies = list[Strategy]()
    for results, given in _backward(dy, x, shape, weight, None, None, rstd):
        del given[4:6]  # of bias and mean
        strategies.append((results[:2], given))
    return strategies
