"""Experiments: each is one job of several steps."""

from dataclasses import replace
from typing import Any

import torch

from lnexplorer.domain.experiments.findings import ExperimentResult
from lnexplorer.domain.experiments.request import ExperimentRequest, completed
from lnexplorer.domain.request import resolve
from lnexplorer.worker.connection import Task
from lnexplorer.worker.experiments.barrier import left_out_and_put_back
from lnexplorer.worker.experiments.dropout import dropouts
from lnexplorer.worker.experiments.gpus import STRATEGY as SUMMED
from lnexplorer.worker.experiments.gpus import sums_over_gpus
from lnexplorer.worker.experiments.group_size import group_sizes
from lnexplorer.worker.experiments.order import orders
from lnexplorer.worker.experiments.strategies import strategies
from lnexplorer.worker.measuring import Measurer
from lnkernels.device import environment
from lnkernels.values.environment import Device, Kind, Provenance


def experiment(
    task: Task,
    request: ExperimentRequest,
    measurer: Measurer,
    torch_device: torch.device,
    device: Device,
) -> ExperimentResult:
    """Do one experiment that `check_experiment` passes for this device. Some tell what they have
    found so far.

    Raises:
        JobCancelled: the job was cancelled.
    """
    whole = completed(request, device.backend)
    assert whole.runs is not None, "completed"
    resolved = resolve(whole.problem, device.backend, device.limits)
    task.begin("compile")

    def result(**found: Any) -> ExperimentResult:
        return ExperimentResult(
            request=whole,
            resolved=replace(resolved, repeats=1),
            provenance=Provenance(
                kind=Kind.MEASURED if device.backend == "cuda" else Kind.INTERPRETED,
                environment=environment(torch_device),
            ),
            **found,
        )

    def tell(**found: Any) -> None:
        task.tell(result(**found))

    found: dict[str, Any]
    match whole.name:
        case "group_size":
            found = {"group_size": group_sizes(task, whole.problem, measurer, torch_device, device)}
        case "barrier":
            found = {
                "barrier": left_out_and_put_back(
                    task, resolved, whole.runs, torch_device, lambda part: tell(barrier=part)
                )
            }
        case "order":
            found = {
                "order": orders(
                    task,
                    whole.problem,
                    whole.runs,
                    torch_device,
                    device,
                    lambda part: tell(order=part),
                )
            }
        case "dropout":
            found = {"dropout": dropouts(task, resolved, whole.runs, torch_device)}
        case "gpus":
            resolved = resolve(whole.problem.problem(SUMMED), device.backend, device.limits)
            found = {"gpus": sums_over_gpus(task, whole, torch_device, device)}
        case _:
            found = {
                "strategies": strategies(
                    task, whole.problem, whole.runs, measurer, torch_device, device
                )
            }
    return result(**found)
