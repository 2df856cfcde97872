"""The results of LayerNorm and of its gradients in float64, as a whole."""

from dataclasses import dataclass

import torch

from lnkernels.check.inputs import Inputs
from lnkernels.check.results import true_chunks


@dataclass(frozen=True, slots=True)
class Truth:
    """All in float64."""

    y: torch.Tensor  # [M, N]
    mean: torch.Tensor  # [M]
    rstd: torch.Tensor  # [M]
    dx: torch.Tensor  # [M, N]
    dw: torch.Tensor  # [N]
    db: torch.Tensor  # [N]


def truth(inputs: Inputs, eps: float) -> Truth:
    """The truth of a problem that is known to fit."""
    n = inputs.x.shape[1]
    chunks = list(true_chunks(inputs, eps))
    none = inputs.x.new_zeros((0, n), dtype=torch.float64)
    y, dx = (torch.cat([none, *(getattr(chunk, name) for chunk in chunks)]) for name in ("y", "dx"))
    mean, rstd = (
        torch.cat([none[:, 0], *(getattr(chunk, name)[:, 0] for chunk in chunks)])
        for name in ("mean", "rstd")
    )
    dw = sum((chunk.dy * chunk.xhat).sum(0) for chunk in chunks) + none.sum(0)
    return Truth(y, mean, rstd, dx, dw, inputs.dy.double().sum(0))
