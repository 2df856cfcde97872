"""The strategies without locks by name: which kernels and settings each means for a row length, and how they are run.

`layer_norm(..., strategy=)` takes these names beside `locked`, whose settings are open and which has its own launch.

A workspace is allocated for every backward pass rather than kept: torch's allocator gives the same memory again in a few
microseconds, under graph capture too, and two backward passes at one time cannot meet in it. A kept one would have to be kept
per device and stream, and would be written by every graph that captured it.
"""

from dataclasses import dataclass
from functools import lru_cache

import torch

from lnkernels import atomic, forward_once, persistent, split
from lnkernels.device import device_limits, host_limits
from lnkernels.launch import DeviceLimits, LaunchConfig, LaunchOverrides, next_power_of_two, resolve_launch
from lnkernels.launch.settings import AtomicSettings, ForwardSettings, RowsSettings, SplitSettings
from lnkernels.launch.settings_choice import atomic_settings, forward_settings, holds_rows, rows_settings, split_settings
from lnkernels.reductions import PartialSums


@dataclass(frozen=True, slots=True)
class Strategy:
    """What a name stands for."""

    summary: str
    deterministic: bool  # the same bits from run to run on one device


STRATEGIES: dict[str, Strategy] = {
    "auto": Strategy("persistent where a row's sums fit a program's registers, split beyond", deterministic=True),
    "persistent": Strategy("sums of dw and db in registers, a grid that fills the GPU once, no locks", deterministic=True),
    "split": Strategy("several programs share a wide row and exchange its sums", deterministic=True),
    "atomic": Strategy("every row adds to dw and db by atomics", deterministic=False),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything decided for one row length, dtype and device; the number of rows is free."""

    strategy: str  # persistent, split or atomic
    forward: ForwardSettings
    backward: RowsSettings | SplitSettings | AtomicSettings

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
        """As `lnkernels.forward_once.launch_forward`."""
        forward_once.launch_forward(x, weight, bias, eps, self.forward, y=y, mean=mean, rstd=rstd)

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
    ) -> None:
        """As `lnkernels.persistent.launch_backward`, with the workspace allocated here."""
        m, n = x.shape
        wanted = {"dw": dw is not None, "db": db is not None}
        written = {"dx": dx, "dw": dw, "db": db}
        match self.backward:
            case RowsSettings() as rows:
                sums = PartialSums.allocate(persistent.programs_for(m, rows), n, x.device, **wanted)
                persistent.launch_backward(x, dy, weight, mean, rstd, rows, sums, **written)
            case SplitSettings() as slices:
                workspace = split.SplitWorkspace.allocate(m, n, slices, x.device, **wanted)
                split.launch_backward(x, dy, weight, mean, rstd, slices, workspace, **written)
            case AtomicSettings() as single:
                sums = PartialSums.allocate(1, n, x.device, **wanted)
                atomic.launch_backward(x, dy, weight, mean, rstd, single, sums, **written)

    def partial_sums(self, m: int) -> int:
        """Rows of the workspace for m rows of x: partial sums of dw, and as many of db."""
        match self.backward:
            case RowsSettings() as rows:
                return persistent.programs_for(m, rows)
            case SplitSettings() as slices:
                return split.groups_for(m, slices)
            case _:
                return 1

    def as_launch(self, m: int, n: int, dtype: str) -> LaunchConfig:
        """The launch of `locked` whose sums are as deep as this plan's: what `lnkernels.accuracy` derives its bounds from."""
        backward_warps = self.backward.num_warps
        if isinstance(self.backward, SplitSettings):
            backward_warps *= next_power_of_two(self.backward.slices)
        wished = LaunchOverrides(
            block_size=self.forward.block_n,
            block_size_n=next_power_of_two(n),
            num_warps=min(self.forward.num_warps, backward_warps),
            group_size_m=max(self.partial_sums(m), 1),
            reduce_block_size_m=self.backward.reduce.block_m,
            partial_dtype="float32",
        )
        return resolve_launch(n, dtype, wished)


@lru_cache(maxsize=1024)
def plan(strategy: str, n: int, dtype: str, device: torch.device) -> Plan:
    """What a strategy launches for rows of n elements.

    Args:
        strategy: a key of STRATEGIES.
        n: columns of a row, at least 1.
        dtype: of x, one of `lnkernels.launch.DTYPES`.
        device: a CUDA device, or the CPU for Triton's interpreter.

    Raises:
        ValueError: the strategy is not known, or cannot take rows this wide. The message names the field.
    """
    limits = _limits(device)
    if strategy == "auto":
        strategy = "persistent" if holds_rows(n, dtype, limits) else "split"
    backward: RowsSettings | SplitSettings | AtomicSettings
    match strategy:
        case "persistent":
            _check_held(strategy, n)
            backward = rows_settings(n, dtype, limits)
        case "split":
            backward = split_settings(n, dtype, limits)
        case "atomic":
            _check_held(strategy, n)
            backward = atomic_settings(n, limits)
        case _:
            raise ValueError(f"strategy = {strategy} is not possible: choose one of {', '.join(STRATEGIES)}")
    return Plan(strategy, forward_settings(n, dtype, limits), backward)


_WIDEST_HELD = 32768  # columns; beyond, registers spill to the point where compiling takes minutes


def _check_held(strategy: str, n: int) -> None:
    if n > _WIDEST_HELD:
        raise ValueError(
            f"n = {n} is not possible: strategy {strategy} holds a row in one program, at most {_WIDEST_HELD} columns; "
            "take split or auto"
        )


def _limits(device: torch.device) -> DeviceLimits:
    return device_limits(device) if device.type == "cuda" else host_limits()
