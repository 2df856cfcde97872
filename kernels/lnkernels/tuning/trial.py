"""Times of candidate launch settings on one shape: `lnkernels.timing.measure` checks each by the
kernels' own policy, and then times those that are right, in turns.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile

import torch

from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import torch_results
from lnkernels.check.verifier import Verifier
from lnkernels.launch import DeviceLimits, Launch
from lnkernels.launch.candidates import launch_of
from lnkernels.launch.measured import ForwardEntry
from lnkernels.launch.tuned import Entry
from lnkernels.providers.own import Own
from lnkernels.providers.protocol import Case, Provider
from lnkernels.timing.measure import measure
from lnkernels.timing.rounds import Effort
from lnkernels.values.sentence import Sentence

EPS = 1e-5
_EFFORT = Effort(first=10, turn=10, turn_ms=1e6, most=30, seconds=1e9, within=0.0)


class _Candidate(Own):
    """A launch as a provider."""

    def __init__(self, name: str, launch: Launch) -> None:
        super().__init__(name)
        self.launch = launch

    def _decide(self, case: Case) -> Launch:
        del case
        return self.launch


def trial(
    m: int,
    n: int,
    dtype: str,
    entries: list[Entry],
    device: torch.device,
    limits: DeviceLimits,
    tell: Callable[[str], None],
    enough: Callable[[], bool] = lambda: False,
) -> dict[Entry, float]:
    """Median ms of every entry that compiles, fits the device and is right: kernels alone, cold L2.

    `tell` hears of each candidate that is left out. From when `enough` says so, no further one is
    compiled; those before are timed all the same.

    Raises:
        DeviceLostError: the device does not answer any more.
    """
    inputs = make_inputs(m, n, getattr(torch, dtype), "normal", 0, device)
    theirs = torch_results(inputs, EPS)
    named = {
        f"candidate {number} of {len(entries)}": entry
        for number, entry in enumerate(entries, start=1)
    }
    launches = {name: launch_of(entry, n, dtype, limits, m=m) for name, entry in named.items()}
    case = Case.of(inputs, EPS, next(iter(launches.values())))
    tried = []

    def check(provider: Provider) -> Sentence | None:
        tried.append(provider.name)
        return Verifier(
            replace(case, launch=launches[provider.name]), theirs=theirs, autograd=False
        )(provider)

    every = (_Candidate(name, launch) for name, launch in launches.items())
    found = measure(
        case,
        takewhile(lambda _: not enough(), every),
        which=[("forward" if isinstance(entries[0], ForwardEntry) else "backward", "kernel_cold")],
        effort=_EFFORT,
        check=check,
        ceilings=None,
    )
    for refusal in found.refusals:
        tell(f"{refusal.reason}, left out: {named[refusal.provider]}")
    if len(tried) < len(entries):
        tell(f"time is up, {len(entries) - len(tried)} candidates not tried")
    return {named[figure.provider]: figure.p50_ms for figure in found.figures}
