"""The experiments, in the order in which they are listed. A new one is an entry here."""

from typing import Any

from lnexplorer.domain.experiments.barrier import BARRIER
from lnexplorer.domain.experiments.dropout import DROPOUT
from lnexplorer.domain.experiments.experiment import Experiment, ExperimentRequest, Findings
from lnexplorer.domain.experiments.gpus import GPUS
from lnexplorer.domain.experiments.group_size import GROUP_SIZE
from lnexplorer.domain.experiments.order import ORDER
from lnexplorer.domain.experiments.strategies import STRATEGIES
from lnkernels.launch import DeviceLimits, Problem
from lnkernels.values.sentence import say

LISTED = (GROUP_SIZE, BARRIER, ORDER, STRATEGIES, DROPOUT, GPUS)
EXPERIMENTS: dict[str, Experiment] = {each.name: each for each in LISTED}


def findings_class(plain: dict[str, Any]) -> type[Findings]:
    """Return the class of findings in plain form, by their tag.

    Raises:
        ValueError: they are of no experiment that is known.
    """
    experiment = EXPERIMENTS.get(plain.get("experiment", ""))
    if experiment is None:
        raise ValueError("these are findings of no experiment")
    return experiment.findings


def check_experiment(
    request: ExperimentRequest, backend: str, limits: DeviceLimits | None = None
) -> list[Problem]:
    """Return what makes a request impossible; empty if it can be done."""
    if request.name in EXPERIMENTS:
        return EXPERIMENTS[request.name].check(request, backend, limits)
    allowed = say("choose one of {choices}", choices=", ".join(EXPERIMENTS))
    return [Problem("experiment", request.name, allowed)]
