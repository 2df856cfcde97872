"""The forward and the backward pass of any strategy with its workspace; from the second time on, past Triton's own overhead."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from lnkernels.forward import launch_three_walks
from lnkernels.launch import LaunchConfig
from lnkernels.replay import ALIGNMENT, CannotReplayError, Replay, can_replay, noted
from lnkernels.strategies.locked import LockedWorkspace, launch_backward
from lnkernels.strategies.registry import Plan

Tensors = tuple[torch.Tensor | None, ...]

# By everything that decides what is launched. The launch is kept with its replay, since its id is part of the key.
_REPLAYS: dict[tuple[Any, ...], tuple[Replay, LaunchConfig | Plan]] = {}
_MOST_REPLAYS = 1024
_raw_stream: Callable[[int], int] | None = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # as Triton asks for it


def run_forward(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: float,
    launch: LaunchConfig | Plan,
    *,
    y: torch.Tensor,
    mean: torch.Tensor,
    rstd: torch.Tensor,
) -> Replay | None:
    """Normalise the rows of x into y, and keep each row's statistics, on the current stream of the current device.

    Args:
        x: [M, N], any row stride, column stride 1, M and N at least 1.
        weight: [N] contiguous, or None.
        bias: [N] contiguous, or None.
        eps: added to the variance.
        launch: of N and x's dtype and device.
        y: [M, N] contiguous, written.
        mean: [M] float32 contiguous, written.
        rstd: [M] float32 contiguous, written: 1 / sqrt(variance + eps).

    Returns:
        What repeats this call for other x, weight, bias, y, mean and rstd of the same kind; None where nothing does.
    """

    def call() -> None:
        if isinstance(launch, Plan):
            launch.run_forward(x, weight, bias, eps, y=y, mean=mean, rstd=rstd)
        else:
            launch_three_walks(x, weight, bias, eps, launch, y=y, mean=mean, rstd=rstd)

    key = (id(launch), eps, x.shape, x.stride(), x.dtype, _dtype(weight), _dtype(bias), x.device)
    return _run(key, (x, weight, bias, y, mean, rstd), launch, call)


def run_backward(
    x: torch.Tensor,
    dy: torch.Tensor,
    weight: torch.Tensor | None,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    launch: LaunchConfig | Plan,
    *,
    dx: torch.Tensor | None,
    dw: torch.Tensor | None,
    db: torch.Tensor | None,
) -> Replay | None:
    """Write the gradients that are wanted, on the current stream of the current device. Workspace is allocated for each call.

    Args:
        x: [M, N], any row stride, column stride 1, M and N at least 1.
        dy: [M, N], any row stride (0 too), column stride 1.
        weight: [N] contiguous, or None.
        mean: [M] float32 contiguous, from the forward pass.
        rstd: [M] float32 contiguous, from the forward pass.
        launch: of N and x's dtype and device.
        dx: [M, N] contiguous, written; None where it is not wanted.
        dw: [N] contiguous, written; None where it is not wanted.
        db: [N] contiguous, written; None where it is not wanted.

    Returns:
        What repeats this call for other x, dy, weight, mean, rstd, dx, dw and db of the same kind; None where nothing does.
    """

    def call() -> None:
        if isinstance(launch, Plan):
            launch.run_backward(x, dy, weight, mean, rstd, dx=dx, dw=dw, db=db)
            return
        workspace = None
        if dw is not None or db is not None:
            m, n = x.shape
            workspace = LockedWorkspace.allocate(m, n, x.dtype, launch, x.device)
        launch_backward(x, dy, weight, mean, rstd, launch, workspace, dx=dx, dw=dw, db=db)

    key = (
        id(launch),
        x.shape,
        x.stride(),
        dy.stride(),
        x.dtype,
        dy.dtype,
        _dtype(weight),
        _dtype(dx),
        _dtype(dw),
        _dtype(db),
        x.device,
    )
    return _run(key, (x, dy, weight, mean, rstd, dx, dw, db), launch, call)


def repeat(replay: Replay, tensors: Sequence[torch.Tensor]) -> bool:
    """Repeat a call for tensors of the same kind, if they are aligned and on the current device; whether that was done.

    Args:
        replay: of a call that was given as many tensors, and no None.
        tensors: all on one device.
    """
    first = tensors[0]
    device = first.get_device()
    if _raw_stream is None or not can_replay() or device != torch._C._cuda_getDevice():
        return False
    addresses, together = [], 0
    for tensor in tensors:
        address = tensor.data_ptr()
        together |= address
        addresses.append(address)
    if together % ALIGNMENT:
        return False
    replay(addresses, _raw_stream(device), first)
    return True


def _run(key: tuple[Any, ...], given: Tensors, launch: LaunchConfig | Plan, call: Callable[[], None]) -> Replay | None:
    """Make a call, or repeat one that differed in addresses alone."""
    addresses = [0 if tensor is None else tensor.data_ptr() for tensor in given]
    if _raw_stream is None or not can_replay() or any(address % ALIGNMENT for address in addresses):
        call()
        return None
    found = _REPLAYS.get(key)
    if found is not None:
        x = given[0]
        assert x is not None, "there is always an x"
        found[0](addresses, _raw_stream(x.get_device()), x)
        return found[0]
    there = [id(tensor) for tensor in given if tensor is not None]
    if len(set(there)) < len(there):
        # One tensor in two places, such as the same weight and bias: of another call nobody could tell which goes where.
        call()
        return None
    with noted() as steps:
        call()
    if len(_REPLAYS) >= _MOST_REPLAYS:
        _REPLAYS.clear()
    try:
        replay = Replay(steps, given)
    except CannotReplayError:
        return None
    _REPLAYS[key] = replay, launch
    return replay


def _dtype(tensor: torch.Tensor | None) -> torch.dtype | None:
    return None if tensor is None else tensor.dtype
