"""The task of an experiment's measuring code, and what several of them share."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import torch

from lnexplorer.domain.experiments.experiment import ExperimentRequest, Findings
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.worker.connection import Task
from lnexplorer.worker.measuring import Measurer
from lnkernels.check.inputs import Inputs
from lnkernels.check.results import true_chunks
from lnkernels.interpreter import ieee_arithmetic
from lnkernels.launch import Launch
from lnkernels.passes.arguments import BackwardTensors
from lnkernels.passes.registry import STRATEGIES, launch_here, run_backward
from lnkernels.values.environment import Device
from lnkernels.values.figures import Direction
from lnkernels.values.frozen import frozen


@frozen(kw_only=True)
class Work:
    """An experiment on one device.

    Args:
        tell: shows what was found so far.
    """

    task: Task
    request: ExperimentRequest  # completed
    resolved: ResolvedRequest
    measurer: Measurer
    torch_device: torch.device
    device: Device
    tell: Callable[[Findings], None]

    @property
    def problem(self) -> RunRequest:
        return self.request.problem

    @property
    def runs(self) -> int:
        assert self.request.runs is not None, "completed"
        return self.request.runs

    @property
    def on_gpu(self) -> bool:
        return self.device.backend == "cuda"

    def resolve(self, problem: RunRequest) -> ResolvedRequest:
        """Return another problem as it is run on this device."""
        return resolve(problem, self.device.backend, self.device.limits)

    def measured_backward(
        self,
        problems: Iterable[RunRequest],
        directions: tuple[str, ...] = ("backward",),
        **effort: Any,
    ) -> Measured:
        """Check each problem's backward pass, and time it on a GPU: kernels alone, cold L2.

        All memory is free afterwards.
        """
        modes = ("kernel_cold",) if self.on_gpu else ()
        request = MeasureRequest(
            settings=tuple(problems), directions=directions, modes=modes, **effort
        )
        measured = self.measurer.measure(self.task, request)
        self.measurer.forget()
        return measured


def median_ms(outcome: CandidateOutcome, direction: Direction = "backward") -> float | None:
    """Return the time of a pass, kernels alone, cold L2."""
    figure = outcome.figure(direction, "kernel_cold")
    return None if figure is None else figure.p50_ms


def dw_error(outcome: CandidateOutcome) -> float | None:
    """Return the largest error of dw against the truth."""
    return next((errors.max_abs for errors in outcome.errors if errors.name == "dw"), None)


class Backward:
    """A backward pass of any strategy that can be repeated; its memory is allocated once.

    Args:
        inputs: x and dy [M, N], weight [N].
        mean: [M] float32.
        rstd: [M] float32.
        launch: of any strategy.
    """

    def __init__(
        self, inputs: Inputs, mean: torch.Tensor, rstd: torch.Tensor, launch: Launch
    ) -> None:
        x, dx = inputs.x, torch.empty_like(inputs.x)
        self._launch = launch_here(launch, x)
        self._kernels = STRATEGIES[launch.strategy]
        self._given = BackwardTensors(
            x=x, dy=inputs.dy, weight=inputs.weight, mean=mean, rstd=rstd, dx=dx, dw=None, db=None
        )
        self._workspace = self._kernels.allocate_workspace(x, self._launch)

    def allocate_trace(self) -> Any:
        """Return memory for the trace of a pass."""
        return self._kernels.allocate_trace(self._given.x, self._launch)

    def __call__(self, dw: torch.Tensor, db: torch.Tensor, trace: Any = None) -> None:
        """Write dw and db [N], which may be wider than x, and a trace into its memory."""
        with ieee_arithmetic():
            run_backward(replace(self._given, dw=dw, db=db), self._launch, self._workspace, trace)


def true_sums(inputs: Inputs, eps: float) -> torch.Tensor:
    """Return the exact dw and db in float64, [2, N]."""
    total = inputs.x.new_zeros((2, inputs.x.shape[1]), dtype=torch.float64)
    for chunk in true_chunks(inputs, eps):
        total += torch.stack(((chunk.dy * chunk.xhat).sum(dim=0), chunk.dy.sum(dim=0)))
    return total


def statistics(x: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Return mean and 1 / sqrt(variance + eps) of every row, both [M] float32."""
    wide = x.double()
    mean = wide.mean(dim=1)
    rstd = (wide.var(dim=1, unbiased=False) + eps).rsqrt()
    return mean.float(), rstd.float()
