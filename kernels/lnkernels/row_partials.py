"""What each row adds to dw and db, as stage 1 of `locked` computes it."""

from dataclasses import replace

import torch

from lnkernels.launch import Launch
from lnkernels.replay import fill
from lnkernels.strategies.locked import allocate_workspace, launch_stage1


def per_row_partials(
    x: torch.Tensor,
    dy: torch.Tensor,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    weight: torch.Tensor | None,
    launch: Launch,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Every row's own partial dw and db as stage 1 computes them, both [M, N] float32.

    Stage 1 is run with as many float32 buffers as there are rows, so that each buffer holds one row.
    """
    m = x.shape[0]
    apart = replace(launch, group_size_m=max(m, 1), partial_dtype="float32")
    workspace = allocate_workspace(x, apart)
    fill(workspace.locks_and_counts, 0)
    launch_stage1(x, dy, weight, mean, rstd, apart, workspace, dx=None)
    return workspace.partial_dw, workspace.partial_db
