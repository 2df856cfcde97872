"""Results of a forward and a backward pass: of the kernels, into poisoned outputs, of PyTorch, and
the truth in float64.

The truth is computed on the tensors' device in chunks of rows, so that it never needs float64
copies of whole matrices.
"""

from collections.abc import Iterator
from dataclasses import field, fields, is_dataclass, replace
from typing import Any

import torch
from torch import Tensor

from lnkernels.check.inputs import Inputs
from lnkernels.language.launching import fill
from lnkernels.launch import CHECK_CHUNK_BYTES, Launch
from lnkernels.passes.arguments import BackwardTensors, ForwardTensors
from lnkernels.passes.locked import allocate_workspace, launch_stage1
from lnkernels.passes.registry import STRATEGY_KERNELS, launch_here, run_backward, run_forward
from lnkernels.values.frozen import frozen


@frozen
class Results:
    """Results of one implementation, in the dtypes that it gives them in."""

    y: Tensor  # [M, N]
    dx: Tensor | None = None  # [M, N]; None without a backward pass
    dw: Tensor | None = None  # [N]; None without a weight
    db: Tensor | None = None  # [N]; None without a bias
    residual_out: Tensor | None = None  # [M, N], x + residual; None without an addition
    dresidual: Tensor | None = None  # [M, N]


@frozen
class KernelResults(Results):
    """The kernels' results, with the statistics that went from the forward to the backward pass."""

    dx: Tensor  # [M, N]
    mean: Tensor | None = field(kw_only=True)  # [M] float32; None for RMSNorm
    rstd: Tensor = field(kw_only=True)  # [M] float32


def kernel_results(
    inputs: Inputs, eps: float, launch: Launch, stamps: Tensor | None = None
) -> KernelResults:
    """Run both passes once.

    Outputs are filled with NaN first, as is the workspace, so an element that no program writes, or
    a buffer that is summed without having been written, cannot pass for a result.

    Args:
        inputs: x and dy [M, N] with adjacent columns, weight and bias [N] contiguous or None.
        eps: added to the variance.
        launch: as `lnkernels.launch.resolve_launch` gives it and `check_launch` passes it.
        stamps: memory of `stamps.allocate`, which rows of `locked` stamp.
    """
    given = ForwardTensors.allocate(total(inputs), inputs.weight, inputs.bias, eps, inputs.norm)
    _poison(given.y, given.mean, given.rstd)
    run_forward(given, launch_here(launch, inputs.x))
    return backward_results(
        inputs, launch, y=given.y, mean=given.mean, rstd=given.rstd, stamps=stamps
    )


def backward_results(
    inputs: Inputs,
    launch: Launch,
    *,
    y: Tensor,
    mean: Tensor | None,
    rstd: Tensor,
    stamps: Tensor | None = None,
) -> KernelResults:
    """Run the backward pass once, after a forward pass that returned y, mean and rstd; else as
    `kernel_results`.
    """
    x = total(inputs)
    forward = ForwardTensors(
        x=x, weight=inputs.weight, bias=inputs.bias, eps=0.0, y=y, mean=mean, rstd=rstd
    )
    given = forward.gradients(inputs.dy)
    launch = launch_here(launch, inputs.x)
    workspace = STRATEGY_KERNELS[launch.strategy].allocate_workspace(
        inputs.x, launch, dw=given.dw is not None, db=given.db is not None
    )
    _poison(given.dx, given.dw, given.db, workspace)
    run_backward(given, launch, workspace, stamps)
    assert given.dx is not None, "`gradients` gave it"
    if inputs.dresidual_out is not None:
        given.dx.add_(inputs.dresidual_out)
    return KernelResults(y=y, dx=given.dx, dw=given.dw, db=given.db, mean=mean, rstd=rstd)


def total(inputs: Inputs, rows: slice = slice(None), *, wide: bool = False) -> Tensor:
    """Return what is normalised: x, or x + residual rounded to their type; in float32 as a kernel
    holds it, where that is asked for.
    """
    x, residual = inputs.x[rows], inputs.residual
    if wide:
        x = x.float()
    return x if residual is None else x + residual[rows]


def _poison(*memories: Any) -> None:
    """Fill tensors, also those of a workspace, with values that nobody takes for a sum, or for a
    lock or word that has been cleared.
    """
    for memory in memories:
        if is_dataclass(memory):
            _poison(*(getattr(memory, field.name) for field in fields(memory)))
        elif memory is not None:
            memory.fill_(torch.nan if memory.is_floating_point() else 0x5A5A5A5A)


def per_row_partials(
    x: Tensor,
    dy: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    launch: Launch,
) -> tuple[Tensor, Tensor]:
    """Return every row's own partial dw and db as stage 1 computes them, both [M, N] float32.

    Stage 1 is run with as many float32 buffers as there are rows, so that each buffer holds one
    row.
    """
    m = x.shape[0]
    apart = replace(launch, group_size_m=max(m, 1), partial_dtype="float32")
    workspace = allocate_workspace(x, apart)
    fill(workspace.locks_and_counts, 0)
    dw, db = workspace.partial_dw, workspace.partial_db  # stage 1 asks only whether they are wanted
    launch_stage1(
        BackwardTensors(x=x, dy=dy, weight=weight, mean=mean, rstd=rstd, dx=None, dw=dw, db=db),
        apart,
        workspace,
    )
    return dw, db


_TEMPORARIES = 4  # a chunk's share: several float64 matrices of a chunk are alive at once
# On a CPU a chunk is to stay in the cache.
_CPU_CHUNK_BYTES = 4 << 20


@frozen
class TrueRows:
    """Truth of some rows in float64, with what an error bound depends on."""

    rows: slice
    dy: Tensor  # [rows, N]
    mean: Tensor  # [rows, 1]
    variance: Tensor  # [rows, 1]
    rstd: Tensor  # [rows, 1]
    xhat: Tensor  # [rows, N]
    wdy: Tensor  # [rows, N]
    c1: Tensor  # [rows, 1], mean of xhat·wdy
    c2: Tensor  # [rows, 1], mean of wdy
    y: Tensor  # [rows, N]
    norm_dx: Tensor  # [rows, N], without the gradient of x + residual
    dx: Tensor  # [rows, N]


def rows_per_chunk(n: int, device: torch.device, multiple_of: int = 1) -> int:
    """Return rows whose float64 temporaries take at most a few times CHECK_CHUNK_BYTES; a multiple
    of `multiple_of`.
    """
    chunk_bytes = (
        min(CHECK_CHUNK_BYTES, _CPU_CHUNK_BYTES) if device.type == "cpu" else CHECK_CHUNK_BYTES
    )
    fitting = chunk_bytes // (_TEMPORARIES * 8 * max(n, 1))
    return max(fitting // multiple_of, 1) * multiple_of


def true_rows(inputs: Inputs, eps: float, rows: slice, *, wide: bool = False) -> TrueRows:
    """Return the truth of x[rows], by the definition of the norm and of its gradients; of a sum
    that is not rounded where `wide`.

    RMSNorm is LayerNorm with a mean of 0, on which no gradient depends.
    """
    x, dy = total(inputs, rows, wide=wide).double(), inputs.dy[rows].double()
    mean = x.mean(1, keepdim=True)
    if inputs.norm == "rms_norm":
        mean = torch.zeros_like(mean)
    centred = x - mean
    variance = centred.square().mean(1, keepdim=True)
    rstd = 1 / torch.sqrt(variance + eps)
    xhat = centred * rstd
    weight = 1.0 if inputs.weight is None else inputs.weight.double()
    wdy = dy * weight
    c1 = (xhat * wdy).mean(1, keepdim=True)
    c2 = wdy.mean(1, keepdim=True)
    if inputs.norm == "rms_norm":
        c2 = torch.zeros_like(c2)
    y = xhat * weight
    y = y if inputs.bias is None else y + inputs.bias.double()
    dx = norm_dx = (wdy - xhat * c1 - c2) * rstd
    if inputs.dresidual_out is not None:
        dx = norm_dx + inputs.dresidual_out[rows].double()
    return TrueRows(rows, dy, mean, variance, rstd, xhat, wdy, c1, c2, y, norm_dx, dx)


def true_chunks(inputs: Inputs, eps: float, multiple_of: int = 1) -> Iterator[TrueRows]:
    """Yield the truth of all rows in chunks, which start at multiples of `multiple_of` rows."""
    m, n = inputs.x.shape
    step = rows_per_chunk(n, inputs.x.device, multiple_of)
    for start in range(0, m, step):
        yield true_rows(inputs, eps, slice(start, min(start + step, m)))


def torch_results(inputs: Inputs, eps: float) -> Results:
    """Return PyTorch's F.layer_norm or F.rms_norm, of x + residual where there is one, and its
    gradients, in the dtypes of the inputs.

    PyTorch takes a weight or bias of another dtype than x's only in some cases; then x goes through
    float32.
    """
    x = inputs.x.detach().requires_grad_()
    parameters = [
        None if tensor is None else tensor.detach().requires_grad_()
        for tensor in (inputs.weight, inputs.bias if inputs.norm == "layer_norm" else None)
    ]
    leaves = [x, *(leaf for leaf in parameters if leaf is not None)]
    wide = x.dtype if {leaf.dtype for leaf in leaves} == {x.dtype} else torch.float32
    weight, bias = (None if leaf is None else leaf.to(wide) for leaf in parameters)
    shape, summed = x.shape[1:], x if inputs.residual is None else x + inputs.residual
    if inputs.norm == "rms_norm":
        y = torch.nn.functional.rms_norm(summed.to(wide), shape, weight, eps)
    else:
        y = torch.nn.functional.layer_norm(summed.to(wide), shape, weight, bias, eps)
    y = y.to(x.dtype)
    # The gradient of this sum by y is dy, bit by bit. Given dy as a tensor, autograd would first
    # load torch's symbolic shapes for 0.4 s.
    loss = (y * inputs.dy).sum()
    if inputs.dresidual_out is not None:
        loss = loss + (summed * inputs.dresidual_out).sum()
    dx, *others = torch.autograd.grad(loss, leaves)
    dw, db = (None if leaf is None else others.pop(0) for leaf in parameters)
    return Results(y=y.detach(), dx=dx, dw=dw, db=db)
