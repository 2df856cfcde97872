"""Rules by which the norms' operators take DTensors, as of SequenceParallel and FSDP: any leading
dimension of x may be shared among processes, and dw and db are then partial sums, over the rows of
each process.
"""

from functools import partial
from typing import Any

import torch
from torch.distributed.tensor import Partial, Placement, Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from lnkernels.call.operators import OPERATORS

_Placements = list[Placement | None]
# Placements of the results and of the arguments, for one way in which rows may be shared.
_Sharding = tuple[_Placements, _Placements]


def register() -> None:
    """Register the rules with PyTorch, once, before the first call with a DTensor."""
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
) -> list[_Sharding]:
    others = [None, _whole(weight), _whole(bias), None, None]
    return [([rows, *sums], [rows, *others]) for rows, sums in _ways(norm, x, shape)]


def _backward(
    norm: str, dy: Any, x: Any, shape: Any, weight: Any, bias: Any, *_: Any
) -> list[_Sharding]:
    shardings = list[_Sharding]()
    for rows, sums in _ways(norm, x, shape):
        total: Placement = Replicate() if isinstance(rows, Replicate) else Partial()
        given = [rows, rows, None, _whole(weight), _whole(bias), *sums, None, None, None]
        shardings.append(([rows, total, total], given))
    return shardings
