"""Times of the kernels and of chosen peers on a GPU, told as they become known."""

from collections.abc import Sequence

import torch

from lnexplorer.domain.peers import DEFAULT_PEERS, beside, preparing, with_hint
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.protocol.messages import FigureReady
from lnexplorer.worker.offered import why_missing
from lnexplorer.worker.preparing import Prepared
from lnexplorer.worker.task import Task
from lnkernels.device import environment
from lnkernels.inputs import Inputs
from lnkernels.measure import Which, measure
from lnkernels.providers.discovery import Found
from lnkernels.providers.protocol import Case, Provider
from lnkernels.timing.rounds import Effort
from lnkernels.values.accuracy import Correctness
from lnkernels.values.figures import DIRECTIONS, Figure, Refusal, Subject, Throughput

STEP = "throughput"
# Where peers have to be prepared first, the run's own kernels are looked at before that, for as long as a glance takes.
FIRST_LOOK: Which = [(direction, "kernel_cold") for direction in DIRECTIONS]
FIRST_EFFORT = Effort(seconds=0.15, most=50)
SECONDS_EACH = Effort().seconds / 2


def throughput(
    task: Task,
    inputs: Inputs,
    resolved: ResolvedRequest,
    checked: Correctness,
    peers: Sequence[str],
    found: Found,
) -> Throughput:
    """Speeds of the run's strategy, if its results are right, and of its peers, all interleaved; the device before and after.

    A peer that has to be compiled first keeps nobody waiting for the strategy's own first figures.

    Raises:
        JobCancelled: the job was cancelled between two turns, or while a peer was prepared.
    """
    own = resolved.launch.strategy
    case = _case(inputs, resolved)
    mine = [found.providers[own]] if checked.passed and own in found.providers else []
    named = beside(peers, own)
    others = [found.providers[name] for name in named if name in found.providers]
    refused = [Refusal(provider=name, reason=why_missing(name, found)) for name in named if name not in found.providers]
    if not checked.passed:
        refused.insert(0, Refusal(provider=own, reason="Its results are not within tolerance, so it gets no time."))
    tell, prepared = _Teller(task), Prepared(task, case)
    if mine and set(named) - set(DEFAULT_PEERS):
        measure(
            case,
            mine,
            which=FIRST_LOOK,
            effort=FIRST_EFFORT,
            should_stop=lambda: task.cancelled,
            on_figure=tell,
            check=prepared.check,
            ceilings_last=True,
        )
    _prepare(task, others, prepared)
    task.check()
    # A run of the strategy and PyTorch has the usual time for all; with each more it is longer, or medians would not settle.
    effort = Effort(seconds=SECONDS_EACH * max(len(mine) + len(others), 2))
    before = environment(case.x.device).state
    measured = measure(
        case, [*mine, *others], effort=effort, should_stop=lambda: task.cancelled, on_figure=tell, check=prepared.check
    )
    after = environment(case.x.device).state
    task.check()
    refused += [Refusal(provider=each.provider, reason=_reason(each)) for each in measured.refusals]
    return Throughput(figures=measured.figures, refusals=tuple(refused), before=before, after=after)


def _prepare(task: Task, others: Sequence[Provider], prepared: Prepared) -> None:
    waited_for = [one for one in others if one.name not in DEFAULT_PEERS]
    for number, one in enumerate(waited_for):
        task.step(preparing(one.name), number, len(waited_for))
        prepared.prepare(one)
    task.step(STEP, 0, 0)


class _Teller:
    """Tells figures. The first samples of a longer measurement say less than what was told before, and are kept back."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._told: dict[Subject, int] = {}

    def __call__(self, figure: Figure) -> None:
        samples = figure.samples_ms.size
        if samples >= self._told.get(figure.subject, 0):
            self._told[figure.subject] = samples
            self._task.link.send(FigureReady(job=self._task.number, figure=figure))
        self._task.count(STEP, 0, 0)


def _case(inputs: Inputs, resolved: ResolvedRequest) -> Case:
    weight, bias = inputs.weight, inputs.bias
    assert isinstance(weight, torch.Tensor), "runs have a weight"
    assert isinstance(bias, torch.Tensor), "runs have a bias"
    return Case(x=inputs.x, weight=weight, bias=bias, dy=inputs.dy, eps=resolved.eps, launch=resolved.launch)


def _reason(refusal: Refusal) -> str:
    if refusal.direction is None:
        return with_hint(refusal.provider, refusal.reason)
    return f"{refusal.direction}, {refusal.mode}: {refusal.reason}"
