"""The kernels of every strategy by its name, and what decides a launch on a device.

A workspace is allocated for every backward pass rather than kept: torch's allocator gives the same memory again in a
few microseconds, under graph capture too, and two backward passes at one time cannot meet in it. A kept one would have
to be kept per device and stream, and would be written by every graph that captured it.
"""

from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Any

import torch

from lnkernels import forward
from lnkernels.device import device_limits, host_limits
from lnkernels.launch import (
    LAUNCHED,
    DeviceLimits,
    Launch,
    LaunchWish,
    check_launch,
    foreign_settings,
    launch_on,
    resolve_launch,
)
from lnkernels.passes import Backward, Forward
from lnkernels.replay import fill
from lnkernels.values.timeline import ReductionTimeline, StrategyTimeline


@dataclass(frozen=True, slots=True)
class Kernels:
    """Both passes of a strategy: the functions of its module, in one form."""

    module: ModuleType

    def run_forward(
        self,
        x: torch.Tensor,
        weight: torch.Tensor | None,
        bias: torch.Tensor | None,
        eps: float,
        launch: Launch,
        *,
        y: torch.Tensor,
        mean: torch.Tensor,
        rstd: torch.Tensor,
    ) -> None:
        """Normalise the rows of x into y, and keep each row's statistics, on the current stream of the current device.

        The tensors are those of `lnkernels.passes.Forward`; the launch is of N and of x's dtype and device.
        """
        given = Forward(x=x, weight=weight, bias=bias, eps=eps, y=y, mean=mean, rstd=rstd)
        getattr(self.module, "launch_forward", forward.launch_forward)(given, launch)

    def run_backward(
        self,
        x: torch.Tensor,
        dy: torch.Tensor,
        weight: torch.Tensor | None,
        mean: torch.Tensor,
        rstd: torch.Tensor,
        launch: Launch,
        *,
        dx: torch.Tensor | None,
        dw: torch.Tensor | None,
        db: torch.Tensor | None,
        workspace: Any = None,
        trace: Any = None,
    ) -> None:
        """Write the gradients that are wanted, on the current stream of the current device.

        The tensors are those of `lnkernels.passes.Backward`, the launch is as above. The workspace is allocated where it is
        not given; where a trace is given, by `allocate_trace`, it is written.
        """
        if dx is None and dw is None and db is None:
            return
        if x.shape[1] == 1:
            # A row of one column is its own mean: 0 for rstd makes x̂ and dx 0 exactly, where products would leave what
            # rounding does. NaN and infinity stay NaN.
            rstd = torch.empty_like(rstd)
            fill(rstd, 0)
        if workspace is None:
            workspace = self.allocate_workspace(x, launch, dw=dw is not None, db=db is not None)
        given = Backward(x=x, dy=dy, weight=weight, mean=mean, rstd=rstd, dx=dx, dw=dw, db=db)
        self.module.launch_backward(given, launch, workspace, trace)

    def allocate_workspace(self, x: torch.Tensor, launch: Launch, *, dw: bool = True, db: bool = True) -> Any:
        """Memory that the stages of the backward pass of x [M, N] share, not initialised."""
        return self.module.allocate_workspace(x, launch, dw=dw, db=db)

    def allocate_trace(self, x: torch.Tensor, launch: Launch, **kept: bool) -> Any:
        """Memory for the trace of a backward pass of x [M, N]; what is kept beside times is the strategy's to say."""
        return self.module.allocate_trace(x, launch, **kept)

    def read_trace(
        self, x: torch.Tensor, launch: Launch, trace: Any, *, dw: torch.Tensor, db: torch.Tensor
    ) -> ReductionTimeline | StrategyTimeline:
        """What a traced pass over x [M, N] wrote, as a timeline, and the dw and db [N] that it gave."""
        timeline: ReductionTimeline | StrategyTimeline = self.module.read_trace(x, launch, trace, dw=dw, db=db)
        return timeline


STRATEGIES = {name: Kernels(import_module(f"lnkernels.strategies.{name}")) for name in LAUNCHED}


def decide_launch(
    wish: LaunchWish, n: int, dtype: str, device: torch.device, m: int | None = None, name_of_n: str = "n"
) -> Launch:
    """What a wish comes to on a device.

    Args:
        wish: a strategy, and settings of it.
        n: columns of a row, at least 1.
        dtype: of x, one of `lnkernels.launch.DTYPES`.
        device: a CUDA device, or the CPU for Triton's interpreter.
        m: rows; None where their number is open, which gives settings of few.
        name_of_n: what a message calls n.

    Raises:
        ValueError: the strategy is not known, cannot take rows this wide, or not these settings. The message names the
            field.
    """
    limits = limits_of(device)
    launch = resolve_launch(n, dtype, wish, limits, m=m)
    problems = foreign_settings(wish) or check_launch(n, dtype, launch, limits if device.type == "cuda" else None)
    if problems:
        raise ValueError("; ".join(str(replace(one, field=name_of_n) if one.field == "n" else one) for one in problems))
    return launch


def launch_here(launch: Launch, x: torch.Tensor) -> Launch:
    """A launch for tensors like x [M, N] that was decided before, maybe on another device, as it is launched on x's."""
    return launch_on(launch, x.shape[1], str(x.dtype).removeprefix("torch."), limits_of(x.device))


def limits_of(device: torch.device) -> DeviceLimits:
    """Of a CUDA device, or of the CPU for Triton's interpreter."""
    return device_limits(device) if device.type == "cuda" else host_limits()
