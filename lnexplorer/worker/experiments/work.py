"""The task of an experiment's measuring code, and what several of them share."""

from collections.abc import Callable, Iterable
from typing import Any

import torch

from lnexplorer.domain.experiments.experiment import ExperimentRequest, Findings
from lnexplorer.domain.measuring import CandidateOutcome, Measured, MeasureRequest
from lnexplorer.domain.request import ResolvedRequest, RunRequest, resolve
from lnexplorer.worker.connection import Task
from lnexplorer.worker.measuring import Measurer
from lnkernels.check.inputs import Inputs
from lnkernels.check.results import true_chunks
from lnkernels.values import frozen_by_name
from lnkernels.values.environment import Device
from lnkernels.values.figures import Direction


@frozen_by_name
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

    @property
    def modes(self) -> tuple[str, ...]:
        """Return what is timed: kernels alone, cold L2, on a GPU."""
        return ("kernel_cold",) if self.on_gpu else ()

    def resolve(self, problem: RunRequest) -> ResolvedRequest:
        """Return another problem as it is run on this device."""
        return resolve(problem, self.device.backend, self.device.limits)

    def measured_backward(self, problems: Iterable[RunRequest], **effort: Any) -> Measured:
        """Check each problem's backward pass, and time it on a GPU: kernels alone, cold L2.

        All memory is free afterwards.
        """
        request = MeasureRequest(
            settings=tuple(problems), directions=("backward",), modes=self.modes, **effort
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
