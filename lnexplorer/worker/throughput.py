"""Speeds of a run's strategy and of its peers, and who could be timed here."""

from collections.abc import Sequence
from dataclasses import replace

import torch

from lnexplorer.domain.peers import DEFAULT_PEERS, SLOW, beside, in_order, preparing, with_hint
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.worker.connection import JobCancelled, Task
from lnexplorer.worker.turns import turn
from lnkernels.check.inputs import Inputs
from lnkernels.check.verifier import Verifier
from lnkernels.device import environment
from lnkernels.providers.discovery import Found
from lnkernels.providers.protocol import Case, Provider
from lnkernels.timing.measure import measure, why_not
from lnkernels.timing.rounds import Effort
from lnkernels.values.accuracy import Correctness
from lnkernels.values.environment import Offered
from lnkernels.values.figures import Figure, Refusal, Throughput
from lnkernels.values.sentence import Sentence, say, verbatim

STEP = say("throughput")
SECONDS_EACH = Effort().seconds / 2


def throughput(
    task: Task,
    inputs: Inputs,
    resolved: ResolvedRequest,
    checked: Correctness,
    peers: Sequence[str],
    found: Found,
    *,
    timed: bool,
) -> Throughput:
    """Check a run's peers, and time those that are right in turns with the run's strategy, if its
    results are; the device before and after. Where nobody is timed, as on the interpreter, there
    are refusals alone.

    Raises:
        JobCancelled: the job was cancelled, between two turns or while a peer was prepared.
    """
    own = resolved.launch.strategy
    case = Case.of(inputs, resolved.eps, resolved.launch)
    mine = [found.providers[own]] if timed and checked.passed else []
    right, refused = _check(
        task, case, beside(peers, own) if timed else beside(peers, own, *DEFAULT_PEERS), found
    )
    if not timed:
        return Throughput(figures=(), refusals=tuple(refused))
    if not checked.passed:
        refused.insert(
            0,
            Refusal(
                provider=own,
                reason=say("Its results are not within tolerance, so it gets no time."),
            ),
        )

    def tell(figure: Figure) -> None:
        task.tell(figure)
        task.count(STEP, 0, 0)

    task.step(STEP, 0, 0)
    # A run of the strategy and PyTorch has the usual time for all; with each more it is longer, or
    # medians would not settle.
    effort = Effort(seconds=SECONDS_EACH * max(len(mine) + len(right), 2))
    with turn(task, case.x.device):
        before = environment(case.x.device).state
        verifier = Verifier(case)
        measured = measure(
            case,
            [*mine, *right],
            effort=effort,
            should_stop=lambda: task.cancelled,
            on_figure=tell,
            check=lambda one: verifier(one) if one in mine else None,
        )
        after = environment(case.x.device).state
    task.check()
    return Throughput(
        figures=measured.figures,
        refusals=(*refused, *measured.refusals),
        before=before,
        after=after,
    )


def _check(
    task: Task, case: Case, names: Sequence[str], found: Found
) -> tuple[list[Provider], list[Refusal]]:
    """Whose results are right, and why the others get no time. A compiler that works for seconds
    can be left.
    """
    right, refused = [], []
    verifier = Verifier(case) if names else None

    def check(provider: Provider) -> Sentence | None:
        if provider.name in SLOW:
            try:
                with task.interruptible(prompt=True):
                    provider.forward(case)()
                    provider.backward(case)()
            except JobCancelled:
                torch.compiler.reset()  # what was compiled by half is begun anew the next time
                raise
        return None if verifier is None else verifier(provider)

    for number, name in enumerate(names):
        task.step(preparing(name), number, len(names))
        provider = found.providers.get(name)
        if provider is None:
            refused.append(
                Refusal(provider=name, reason=why_missing(name, found), kind="unavailable")
            )
        elif (refusal := why_not(provider, check)) is None:
            right.append(provider)
        else:
            refused.append(replace(refusal, reason=with_hint(name, refusal.reason)))
    return right, refused


def offered(found: Found) -> tuple[Offered, ...]:
    """Every provider that is declared here, in the order in which they are listed."""
    known = {
        name: Offered(name=name, label=str(one.label), missing=_missing(one))
        for name, one in found.providers.items()
    }
    known |= {
        name: Offered(name=name, label=name, missing=reason)
        for name, reason in found.broken.items()
    }
    return tuple(known[name] for name in in_order(known))


def why_missing(name: str, found: Found) -> Sentence:
    """Why a name that is asked for is no provider here."""
    choice = ", ".join(sorted(found.providers))
    return found.broken.get(name) or say(
        "there is no provider {name}: take one of {choice}", name=name, choice=choice
    )


def _missing(provider: Provider) -> Sentence | None:
    try:
        missing = provider.unavailable()
        return with_hint(provider.name, missing) if missing else None
    except Exception as error:  # noqa: BLE001  somebody else's code: whatever it raises is a reason to show
        return verbatim(f"{type(error).__name__}: {error}")
