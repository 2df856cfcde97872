"""What experiments share: one backward pass of any strategy, into dw and db that may be wider than x, and telling so far."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Generic, TypeVar

import torch

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.task import Task
from lnkernels.inputs import Inputs
from lnkernels.interpreter import ieee_arithmetic
from lnkernels.launch import LaunchConfig
from lnkernels.strategies.locked import LockedWorkspace, launch_backward
from lnkernels.strategies.registry import plan_of

T = TypeVar("T")
PART_SECONDS = 1.0  # between two findings that are told, so that telling takes no time that could be measured


class Backward:
    """A backward pass that can be repeated: what it needs besides its results is allocated once.

    Args:
        inputs: x and dy [M, N], weight [N].
        mean: [M] float32.
        rstd: [M] float32.
        launch: of any strategy.
    """

    def __init__(self, inputs: Inputs, mean: torch.Tensor, rstd: torch.Tensor, launch: LaunchConfig) -> None:
        self._inputs, self._mean, self._rstd, self._launch = inputs, mean, rstd, launch
        self._dx = torch.empty_like(inputs.x)
        m, n = inputs.x.shape
        self._workspace = None
        if launch.strategy == "locked":
            self._workspace = LockedWorkspace.allocate(m, n, inputs.x.dtype, launch, inputs.x.device)

    def __call__(self, dw: torch.Tensor, db: torch.Tensor) -> None:
        """Write dw and db [N]."""
        inputs, launch = self._inputs, self._launch
        x, dy, weight = inputs.x, inputs.dy, inputs.weight
        with ieee_arithmetic():
            if self._workspace is not None:
                workspace = self._workspace
                launch_backward(x, dy, weight, self._mean, self._rstd, launch, workspace, dx=self._dx, dw=dw, db=db)
            else:
                plan = plan_of(launch, x.shape[1], str(x.dtype).removeprefix("torch."), x.device)
                plan.run_backward(x, dy, weight, self._mean, self._rstd, dx=self._dx, dw=dw, db=db)


def interruptible(task: Task, device: torch.device) -> AbstractContextManager[None]:
    """The interpreter may be left anywhere, by JobCancelled; work that a GPU has been given is waited for."""
    return nullcontext() if device.type == "cuda" else task.interruptible()


def statistics(x: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and 1 / sqrt(variance + eps) of every row, both [M] float32."""
    wide = x.double()
    mean = wide.mean(dim=1)
    rstd = (wide.var(dim=1, unbiased=False) + eps).rsqrt()
    return mean.float(), rstd.float()


def dtype_of(resolved: ResolvedRequest) -> torch.dtype:
    """The element type of x."""
    dtype: torch.dtype = getattr(torch, resolved.dtype)
    return dtype


class SoFar(Generic[T]):
    """Tells findings now and then.

    Args:
        tell: is given them.
        seconds: at least between two.
    """

    def __init__(self, tell: Callable[[T], None], seconds: float = PART_SECONDS) -> None:
        self._tell, self._seconds = tell, seconds
        self._told = time.monotonic()

    def __call__(self, findings: Callable[[], T]) -> None:
        """Tell what a function gives, which is called only if it is time for that."""
        now = time.monotonic()
        if now - self._told >= self._seconds:
            self._told = now
            self._tell(findings())
