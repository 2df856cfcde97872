"""Times of the kernels and of PyTorch on a GPU, told as they become known."""

import torch

from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import Correctness, Refusal, Throughput
from lnexplorer.protocol.messages import FigureReady
from lnexplorer.worker.figures import figure_of
from lnexplorer.worker.task import Task
from lnkernels.inputs import Inputs
from lnkernels.measure import measure
from lnkernels.providers.discovery import discover
from lnkernels.providers.protocol import Case
from lnkernels.timing import figures

STEP = "throughput"
OTHERS = ("torch",)


def throughput(task: Task, inputs: Inputs, resolved: ResolvedRequest, checked: Correctness) -> Throughput:
    """Speeds of the run's strategy, if its results are right, and of PyTorch.

    Raises:
        JobCancelled: the job was cancelled between two turns.
    """
    found = discover().providers
    own = resolved.launch.strategy
    names = [own, *OTHERS] if checked.passed else list(OTHERS)
    refused = (
        [] if checked.passed else [Refusal(provider=own, reason="Its results are not within tolerance, so it gets no time.")]
    )

    def tell(figure: figures.Figure) -> None:
        task.link.send(FigureReady(job=task.number, figure=figure_of(figure)))
        task.count(STEP, 0, 0)

    measured = measure(
        _case(inputs, resolved),
        [found[name] for name in names if name in found],
        should_stop=lambda: task.cancelled,
        on_figure=tell,
    )
    task.check()
    refused += [Refusal(provider=each.provider, reason=_reason(each)) for each in measured.refusals]
    return Throughput(figures=tuple(map(figure_of, measured.figures)), refusals=tuple(refused))


def _case(inputs: Inputs, resolved: ResolvedRequest) -> Case:
    weight, bias = inputs.weight, inputs.bias
    assert isinstance(weight, torch.Tensor), "runs have a weight"
    assert isinstance(bias, torch.Tensor), "runs have a bias"
    return Case(x=inputs.x, weight=weight, bias=bias, dy=inputs.dy, eps=resolved.eps, launch=resolved.launch)


def _reason(refusal: figures.Refusal) -> str:
    if refusal.direction is None:
        return refusal.reason
    return f"{refusal.direction}, {refusal.mode}: {refusal.reason}"
