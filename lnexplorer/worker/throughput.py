"""Speeds of a run's strategy and of its peers, and who could be timed here.

Peers that have to be compiled are made ready before anybody is timed: compiled, run once, and checked, each once.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import torch

from lnexplorer.domain.peers import DEFAULT_PEERS, SLOW, beside, in_order, preparing, with_hint
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.connection import JobCancelled, Task
from lnexplorer.worker.turns import turn
from lnkernels.device import environment
from lnkernels.failures import free_what_was_left
from lnkernels.inputs import Inputs
from lnkernels.measure import Which, measure, why_not
from lnkernels.providers.discovery import Found
from lnkernels.providers.protocol import Case, Provider, is_unproven
from lnkernels.providers.verify import Verifier
from lnkernels.sentence import Sentence, say, verbatim
from lnkernels.timing.rounds import Effort
from lnkernels.values.accuracy import Correctness
from lnkernels.values.environment import Offered
from lnkernels.values.figures import DIRECTIONS, Figure, Refusal, Subject, Throughput

STEP = say("throughput")
# Where peers have to be prepared first, the run's own kernels are looked at before that, for as long as a glance takes.
FIRST_LOOK: Which = [(direction, "kernel_cold") for direction in DIRECTIONS]
FIRST_EFFORT = Effort(seconds=0.15, most=50)
SECONDS_EACH = Effort().seconds / 2


class Prepared:
    """Compiles and checks providers, each once: what was wrong with whom is remembered."""

    def __init__(self, task: Task, case: Case) -> None:
        self._task = task
        self._case = case
        self._verifier = Verifier(case)
        self._verdicts: dict[str, Sentence | Exception | None] = {}

    def check(self, provider: Provider) -> Sentence | None:
        """What is wrong with the results of `provider`; None where they are right.

        Raises:
            JobCancelled: the job was cancelled; a compiler that works for seconds is left in the midst of that.
            Exception: whatever `provider` raised.
        """
        if provider.name not in self._verdicts:
            try:
                if provider.name in SLOW:
                    self._compile(provider)
                self._verdicts[provider.name] = self._verifier(provider)
            except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is the reason
                free_what_was_left(error)
                self._verdicts[provider.name] = error
        verdict = self._verdicts[provider.name]
        if isinstance(verdict, Exception):
            raise verdict
        return verdict

    def _compile(self, provider: Provider) -> None:
        try:
            with self._task.interruptible(prompt=True):
                provider.forward(self._case)()
                provider.backward(self._case)()
        except JobCancelled:
            torch.compiler.reset()  # what was compiled by half is begun anew the next time
            raise


def throughput(
    task: Task,
    inputs: Inputs,
    resolved: ResolvedRequest,
    checked: Correctness,
    peers: Sequence[str],
    found: Found,
) -> Throughput:
    """Speeds of the run's strategy, if its results are right, and of its peers, all interleaved; the device before and
    after.

    A peer that has to be compiled first keeps nobody waiting for the strategy's own first figures.

    Raises:
        JobCancelled: the job was cancelled between two turns, or while a peer was prepared.
    """
    own = resolved.launch.strategy
    case = Case.of(inputs, resolved.eps, resolved.launch)
    mine = [found.providers[own]] if checked.passed and own in found.providers else []
    named = beside(peers, own)
    others = [found.providers[name] for name in named if name in found.providers]
    refused = [Refusal(provider=name, reason=why_missing(name, found)) for name in named if name not in found.providers]
    if not checked.passed:
        refused.insert(0, Refusal(provider=own, reason=say("Its results are not within tolerance, so it gets no time.")))
    tell, prepared = _FigureReporter(task), Prepared(task, case)
    if mine and set(named) - set(DEFAULT_PEERS):
        with turn(task, case.x.device):
            measure(
                case,
                mine,
                which=FIRST_LOOK,
                effort=FIRST_EFFORT,
                should_stop=lambda: task.cancelled,
                on_figure=tell,
                check=prepared.check,
            )
    _prepare(task, others, prepared)
    task.check()
    # A run of the strategy and PyTorch has the usual time for all; with each more it is longer, or medians would not
    # settle.
    effort = Effort(seconds=SECONDS_EACH * max(len(mine) + len(others), 2))
    with turn(task, case.x.device):
        before = environment(case.x.device).state
        measured = measure(
            case, [*mine, *others], effort=effort, should_stop=lambda: task.cancelled, on_figure=tell, check=prepared.check
        )
        after = environment(case.x.device).state
    task.check()
    refused += [
        Refusal(provider=each.provider, reason=with_hint(each.provider, each.sentence), kind=each.kind)
        for each in measured.refusals
    ]
    return Throughput(figures=measured.figures, refusals=tuple(refused), before=before, after=after)


def notes_on_events(times: Throughput, found: Found) -> tuple[Sentence, ...]:
    """Which kernels of one's own were timed by events around their calls, since no CUDA graph holds them."""
    timed = [
        figure
        for figure in times.figures
        if figure.mode == "kernel_cold" and figure.host_us is not None and is_unproven(found.providers[figure.provider])
    ]
    return tuple(
        say(
            "{provider}, {direction}: timed by events around the call, with what its launches cost the host: no CUDA graph can "
            "hold it.",
            provider=figure.provider,
            direction=figure.direction,
        )
        for figure in timed
    )


def refused_peers(
    task: Task, inputs: Inputs, resolved: ResolvedRequest, peers: Sequence[str], found: Found
) -> tuple[Refusal, ...]:
    """What keeps peers from being timed, where nobody is: on the interpreter they are checked as on a GPU.

    Raises:
        JobCancelled: the job was cancelled.
    """
    refused = []
    named = [name for name in beside(peers, resolved.launch.strategy) if name not in DEFAULT_PEERS]
    check = Verifier(Case.of(inputs, resolved.eps, resolved.launch)) if named else None
    for number, name in enumerate(named):
        task.check()
        task.step(preparing(name), number, len(named))
        provider = found.providers.get(name)
        refusal = None if provider is None or check is None else why_not(provider, check)
        if provider is None:
            refused.append(Refusal(provider=name, reason=why_missing(name, found), kind="unavailable"))
        elif refusal is not None:
            refused.append(replace(refusal, reason=with_hint(name, refusal.reason)))
    return tuple(refused)


def _prepare(task: Task, others: Sequence[Provider], prepared: Prepared) -> None:
    waited_for = [one for one in others if one.name not in DEFAULT_PEERS]
    for number, one in enumerate(waited_for):
        task.step(preparing(one.name), number, len(waited_for))
        with suppress(Exception):  # it comes up again when it is to be timed
            if one.unavailable() is None:
                prepared.check(one)
    task.step(STEP, 0, 0)


class _FigureReporter:
    """Tells figures. The first samples of a longer measurement say less than what was told before, and are kept back."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._told: dict[Subject, int] = {}

    def __call__(self, figure: Figure) -> None:
        samples = figure.samples_ms.size
        if samples >= self._told.get(figure.subject, 0):
            self._told[figure.subject] = samples
            self._task.tell(figure)
        self._task.count(STEP, 0, 0)


def offered(found: Found) -> tuple[Offered, ...]:
    """Every provider that is declared here, in the order in which they are listed."""
    known = {name: Offered(name=name, label=str(one.label), missing=_missing(one)) for name, one in found.providers.items()}
    known |= {name: Offered(name=name, label=name, missing=reason) for name, reason in found.broken.items()}
    return tuple(known[name] for name in in_order(known))


def why_missing(name: str, found: Found) -> Sentence:
    """Why a name that is asked for is no provider here."""
    choice = ", ".join(sorted(found.providers))
    return found.broken.get(name) or say("there is no provider {name}: choose of {choice}", name=name, choice=choice)


def _missing(provider: Provider) -> Sentence | None:
    try:
        missing = provider.unavailable()
        return with_hint(provider.name, missing) if missing else None
    except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is a reason to show
        return verbatim(f"{type(error).__name__}: {error}")
