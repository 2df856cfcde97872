"""The measuring code of experiments: a module of the experiment's name with `measure(work)`."""

from dataclasses import replace
from importlib import import_module

import torch

from lnexplorer.domain.experiments.catalogue import EXPERIMENTS
from lnexplorer.domain.experiments.experiment import (
    ExperimentRequest,
    ExperimentResult,
    Findings,
)
from lnexplorer.worker.connection import Task
from lnexplorer.worker.experiments.work import Work
from lnexplorer.worker.measuring import Measurer
from lnkernels.device import environment
from lnkernels.values.environment import Device, Kind, Provenance


def run_experiment(
    task: Task,
    request: ExperimentRequest,
    measurer: Measurer,
    torch_device: torch.device,
    device: Device,
) -> ExperimentResult:
    """Do an experiment that `check_experiment` allows on this device.

    Some tell what they have found so far.

    Raises:
        JobCancelled: the job was cancelled.
    """
    own = EXPERIMENTS[request.name]
    whole = own.complete(request, device.backend)
    resolved = own.resolve(whole, device.backend, device.limits)
    task.begin("compile")

    def result(findings: Findings) -> ExperimentResult:
        provenance = Provenance(
            kind=Kind.MEASURED if device.backend == "cuda" else Kind.INTERPRETED,
            environment=environment(torch_device),
        )
        return ExperimentResult(
            request=replace(whole, kernel=None),
            resolved=resolved,
            provenance=provenance,
            findings=findings,
        )

    work = Work(
        task=task,
        request=whole,
        resolved=resolved,
        measurer=measurer,
        torch_device=torch_device,
        device=device,
        tell=lambda findings: task.tell(result(findings)),
    )
    # Each is imported when it is asked for, so that a new one needs no entry here.
    findings: Findings = import_module(f"{__name__}.{own.name}").measure(work)
    return result(findings)
