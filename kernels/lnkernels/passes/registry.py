"""Strategies' kernels by name, and the launch that a wish gives on a device.

A workspace is allocated for every backward pass rather than kept: torch's allocator gives the same
memory again in a few microseconds, under graph capture too, and two backward passes at one time
cannot meet in it. A kept one would have to be kept per device and stream, and would be written by
every graph that captured it.
"""

from dataclasses import replace
from importlib import import_module
from typing import Any

import torch

from lnkernels.device import device_limits
from lnkernels.language.launching import fill
from lnkernels.launch import (
    LAUNCHED,
    Launch,
    LaunchWish,
    check_launch,
    foreign_settings,
    launch_on,
    resolve_launch,
)
from lnkernels.passes import forward
from lnkernels.passes.arguments import BackwardTensors, ForwardTensors, in_one_form

STRATEGY_KERNELS = {name: import_module(f"lnkernels.passes.{name}") for name in LAUNCHED}


def run_forward(given: ForwardTensors, launch: Launch) -> None:
    """Normalise rows on the current stream of the current device. The launch is one for N and for
    x's dtype and device.
    """
    launched = getattr(STRATEGY_KERNELS[launch.strategy], "launch_forward", forward.launch_forward)
    launched(in_one_form(given, launch), launch)


def run_backward(
    given: BackwardTensors, launch: Launch, workspace: Any = None, trace: Any = None
) -> None:
    """Write the gradients that are wanted, on the current stream of the current device.

    The workspace is allocated where it is not given; where a trace is given, by the strategy's
    `allocate_trace`, it is written.
    """
    if given.dx is None and not given.with_sums:
        return
    given = in_one_form(given, launch)
    kernels, x = STRATEGY_KERNELS[launch.strategy], given.x
    if x.shape[1] == 1 and given.mean is not None:
        # A row of one column is its own mean: 0 for rstd makes x̂ and dx 0 exactly, where products
        # would leave what rounding does. NaN and infinity stay NaN.
        given = replace(given, rstd=torch.empty_like(given.rstd))
        fill(given.rstd, 0)
    if workspace is None:
        workspace = kernels.allocate_workspace(
            x, launch, dw=given.dw is not None, db=given.db is not None
        )
    kernels.launch_backward(given, launch, workspace, trace)


def decide_launch(
    wish: LaunchWish,
    n: int,
    dtype: str,
    device: torch.device,
    m: int | None = None,
    name_of_n: str = "n",
) -> Launch:
    """Resolve a wish on a device.

    Args:
        wish: a strategy, and settings of it.
        n: columns of a row, at least 1.
        dtype: of x, one of `lnkernels.launch.DTYPES`.
        device: a CUDA device, or the CPU for Triton's interpreter.
        m: rows; None where their number is open, which gives settings of few.
        name_of_n: what a message calls n.

    Raises:
        ValueError: the strategy is not known, cannot take rows this wide, or not these settings.
            The message names the field.
    """
    limits = device_limits(device)
    launch = resolve_launch(n, dtype, wish, limits, m=m)
    problems = foreign_settings(wish) or check_launch(
        n, dtype, launch, limits if device.type == "cuda" else None
    )
    if problems:
        raise ValueError(
            "; ".join(
                str(replace(one, field=name_of_n) if one.field == "n" else one) for one in problems
            )
        )
    return launch


def launch_here(launch: Launch, x: torch.Tensor) -> Launch:
    """Return a launch that was decided before, maybe on another device, adapted to the device of x
    [M, N].
    """
    return launch_on(
        launch, x.shape[1], str(x.dtype).removeprefix("torch."), device_limits(x.device)
    )
