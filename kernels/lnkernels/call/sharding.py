"""How the operators of the norms take DTensors, as of SequenceParallel and FSDP: rows may be
shared among processes by any leading dimension, and dw and db are then sums of each one's rows.
"""

from functools import partial
from typing import Any

import torch
from torch.distributed.tensor import Partial, Placement, Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from lnkernels.call.operators import OPERATORS

Placements = list[Placement | None]
# What results and arguments have for each way in which rows may be shared.
Strategy = tuple[Placements, Placements]


def register() -> None:
    """Say it to PyTorch, once, before the first call with a DTensor."""
    for norm in OPERATORS:
        forward, backward = (
            register_sharding(getattr(torch.ops.lnkernels, f"{norm}_{name}").default)
            for name in ("forward", "backward")
        )
        forward(partial(_forward, norm))
        backward(partial(_backward, norm))


def _ways(norm: str, x: Any, shape: Any) -> list[tuple[Placement, list[Placement]]]:
    """Return placements of x and of its mean and rstd [M]: whole, or shared by a leading dimension.
    RMSNorm's mean is empty.
    """
    ways: list[tuple[Placement, list[Placement]]] = [(Replicate(), [Replicate(), Replicate()])]
    for place in range(x.ndim - len(shape)):
        mean = Shard(0) if norm == "layer_norm" else Replicate()
        ways.append((Shard(place), [mean, Shard(0)]))
    return ways


def _whole(parameter: Any) -> Placement | None:
    return None if parameter is None else Replicate()


def _forward(
    norm: str, x: Any, shape: Any, weight: Any, bias: Any, eps: Any, launch: Any
) -> list[Strategy]:
    others = [None, _whole(weight), _whole(bias), None, None]
    return [([rows, *sums], [rows, *others]) for rows, sums in _ways(norm, x, shape)]


def _backward(
    norm: str, dy: Any, x: Any, shape: Any, weight: Any, bias: Any, *_: Any
) -> list[Strategy]:
    strategies = list[Strategy]()
    for rows, sums in _ways(norm, x, shape):
        total: Placement = Replicate() if isinstance(rows, Replicate) else Partial()
        given = [rows, rows, None, _whole(weight), _whole(bias), *sums, None, None, None]
        strategies.append(([rows, total, total], given))
    return strategies
