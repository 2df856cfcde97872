"""The strategies without locks by name: which kernels and settings each means for a row length, and how they are run.

`layer_norm(..., strategy=)` takes these names beside `locked`, whose settings are open and which has its own launch.

A workspace is allocated for every backward pass rather than kept: torch's allocator gives the same memory again in a
few microseconds, under graph capture too, and two backward passes at one time cannot meet in it. A kept one would have
to be kept per device and stream, and would be written by every graph that captured it.
"""

from dataclasses import replace
from functools import lru_cache
from types import ModuleType
from typing import Any

import torch

from lnkernels import forward
from lnkernels.device import device_limits, host_limits
from lnkernels.launch import CATALOGUE, DeviceLimits, LaunchConfig, LaunchOverrides, check_launch, foreign_settings
from lnkernels.launch.choice import Chosen, as_launch, choose, chosen_again, look_again
from lnkernels.launch.settings import AtomicSettings, RowsSettings, SplitSettings
from lnkernels.strategies import atomic, persistent, split
from lnkernels.tracing import ProgramTrace
from lnkernels.values.timeline import StrategyTimeline

_MODULES: dict[type, ModuleType] = {RowsSettings: persistent, SplitSettings: split, AtomicSettings: atomic}
STRATEGIES = {name: strategy for name, strategy in CATALOGUE.items() if name != "locked"}
_NO_WISHES = LaunchOverrides()


class Plan(Chosen):
    """Everything decided for one row length, dtype and device; the number of rows is free."""

    __slots__ = ()

    def run_forward(
        self,
        x: torch.Tensor,
        weight: torch.Tensor | None,
        bias: torch.Tensor | None,
        eps: float,
        *,
        y: torch.Tensor,
        mean: torch.Tensor,
        rstd: torch.Tensor,
    ) -> None:
        """As `lnkernels.forward.launch_forward`."""
        forward.launch_forward(x, weight, bias, eps, self.forward, y=y, mean=mean, rstd=rstd)

    def run_backward(
        self,
        x: torch.Tensor,
        dy: torch.Tensor,
        weight: torch.Tensor | None,
        mean: torch.Tensor,
        rstd: torch.Tensor,
        *,
        dx: torch.Tensor | None,
        dw: torch.Tensor | None,
        db: torch.Tensor | None,
        workspace: Any = None,
        trace: ProgramTrace | None = None,
    ) -> None:
        """As `lnkernels.strategies.persistent.launch_backward`; the workspace is allocated here where it is not
        given.
        """
        if workspace is None:
            workspace = self.allocate_workspace(x, dw=dw is not None, db=db is not None)
        written = {"dx": dx, "dw": dw, "db": db}
        _MODULES[type(self.backward)].launch_backward(x, dy, weight, mean, rstd, self.backward, workspace, **written, trace=trace)

    def allocate_workspace(self, x: torch.Tensor, *, dw: bool = True, db: bool = True) -> Any:
        """Memory that the stages of the backward pass of x [M, N] share, not initialised."""
        return _MODULES[type(self.backward)].allocate_workspace(x, self.backward, dw=dw, db=db)

    def allocate_trace(self, x: torch.Tensor) -> ProgramTrace:
        """Memory for the trace of a backward pass of x [M, N]."""
        memory: ProgramTrace = _MODULES[type(self.backward)].allocate_trace(*x.shape, self.backward, x.device)
        return memory

    def read_trace(self, m: int, n: int, trace: ProgramTrace) -> StrategyTimeline:
        """What a traced pass over m rows wrote, on the host."""
        recorded: StrategyTimeline = _MODULES[type(self.backward)].read_trace(m, n, self.backward, trace)
        return recorded

    def as_launch(self, m: int, n: int, dtype: str) -> LaunchConfig:
        """The settings as one flat value, from which `lnkernels.accuracy` derives its bounds, and for nothing else.

        A plan does not know its device's number of SMs, without which programs an SM cannot be told.
        """
        del m, n, dtype
        return as_launch(self, sm_count=1)


@lru_cache(maxsize=1024)
def plan(
    strategy: str, n: int, dtype: str, device: torch.device, wished: LaunchOverrides = _NO_WISHES, *, m: int | None = None
) -> Plan:
    """What a strategy launches for rows of n elements.

    Args:
        strategy: a key of STRATEGIES.
        n: columns of a row, at least 1.
        dtype: of x, one of `lnkernels.launch.DTYPES`.
        device: a CUDA device, or the CPU for Triton's interpreter.
        wished: settings that somebody took over, of those that belong to the strategy.
        m: rows; None where their number is open, which gives settings of few.

    Raises:
        ValueError: the strategy is not known, cannot take rows this wide, or not these settings. The message names the
            field.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy = {strategy} is not possible: choose one of {', '.join(STRATEGIES)}")
    limits = _limits(device)
    chosen = choose(strategy, n, dtype, limits, wished, m=m)
    known_limits = limits if device.type == "cuda" else None
    problems = foreign_settings(replace(wished, strategy=strategy))
    problems = problems or check_launch(n, dtype, as_launch(chosen, limits.sm_count), known_limits)
    if problems:
        raise ValueError("; ".join(map(str, problems)))
    return Plan(chosen.strategy, chosen.forward, chosen.backward)


@lru_cache(maxsize=1024)
def plan_of(launch: LaunchConfig, n: int, dtype: str, device: torch.device) -> Plan:
    """What a launch that was decided before means: the same grids, and for the rest what `device` has.

    Args:
        launch: of a strategy in STRATEGIES, as `lnkernels.launch.resolve_launch` gives it and `check_launch` passes it.
        n: columns of a row, at least 1.
        dtype: of x.
        device: a CUDA device, or the CPU for Triton's interpreter.
    """
    chosen = chosen_again(launch, n, dtype, _limits(device))
    return Plan(chosen.strategy, chosen.forward, chosen.backward)


def use_what_was_tuned() -> None:
    """Have settings that were tuned in another process since the last look used from now on.

    Not while a launch is decided.
    """
    if look_again():
        plan.cache_clear()
        plan_of.cache_clear()


def _limits(device: torch.device) -> DeviceLimits:
    return device_limits(device) if device.type == "cuda" else host_limits()
