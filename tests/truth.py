"""The results of LayerNorm and of its gradients in float64, as a whole."""

from dataclasses import dataclass

import torch

from lnkernels.check.inputs import Inputs
from lnkernels.check.results import true_rows


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
    rows = true_rows(inputs, eps, slice(0, len(inputs.x)))
    return Truth(
        y=rows.y,
        mean=rows.mean[:, 0],
        rstd=rows.rstd[:, 0],
        dx=rows.dx,
        dw=(rows.dy * rows.xhat).sum(0),
        db=rows.dy.sum(0),
    )
