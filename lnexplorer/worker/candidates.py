"""From a request to those who are checked and timed, and to those of whom it is clear beforehand that they cannot be."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lnexplorer.domain.measuring import MeasureRequest, Status
from lnexplorer.domain.peers import with_hint
from lnexplorer.domain.reasons import problems_sentence
from lnexplorer.domain.request import RunRequest, check, resolve
from lnexplorer.worker.throughput import why_missing
from lnkernels.launch import Launch
from lnkernels.providers.discovery import Found
from lnkernels.providers.protocol import Case, CountsBytes, Provider
from lnkernels.sentence import Sentence
from lnkernels.timing.figures import least_bytes
from lnkernels.values.environment import Device
from lnkernels.values.figures import Direction

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of a request: a provider under its label, or why there is none."""

    label: str
    setting: RunRequest | None
    provider: "Labelled | None" = None
    status: Status = "ok"
    reason: Sentence | None = None


@dataclass(frozen=True, slots=True)
class Labelled:
    """A provider under a name of its own, launched by settings of its own."""

    name: str
    provider: Provider
    launch: Launch | None  # None leaves the case's launch, which others' providers do not look at

    @property
    def label(self) -> str:
        """As the name."""
        return self.name

    def case(self, case: Case) -> Case:
        """The problem with this candidate's launch."""
        return case if self.launch is None else replace(case, launch=self.launch)

    def unavailable(self) -> Sentence | str | None:
        """As the provider says."""
        return self.provider.unavailable()

    def counted_bytes(self, case: Case, direction: Direction) -> int:
        """What the provider counts, or the least possible where it does not."""
        if isinstance(self.provider, CountsBytes):
            return self.provider.counted_bytes(self.case(case), direction)
        return least_bytes(direction, *case.shape, case.dtype, weight_dtype=case.weight_dtype)

    def forward(self, case: Case) -> "Callable[[], Tensor]":
        """The provider's."""
        return self.provider.forward(self.case(case))

    def backward(self, case: Case) -> "Callable[[], tuple[Tensor, Tensor, Tensor]]":
        """The provider's."""
        return self.provider.backward(self.case(case))

    def autograd(self, case: Case) -> "Callable[[Tensor, Tensor, Tensor], Tensor]":
        """The provider's."""
        return self.provider.autograd(self.case(case))

    def launch_both(self, case: Case) -> None:
        """Launch the kernels of both passes once."""
        self.forward(case)()
        self.backward(case)()


def candidates(request: MeasureRequest, device: Device, memory_bytes: int, found: Found) -> list[Candidate]:
    """Everybody in `request`, in the order of its labels.

    Args:
        request: one that `check_measure` passes.
        device: where they are to be run.
        memory_bytes: memory that is free.
        found: the providers that are declared here.
    """
    labels = iter(request.labels)
    settings = [_of_setting(next(labels), setting, device, memory_bytes, found) for setting in request.settings]
    return settings + [_of_provider(next(labels), name, found) for name in request.providers]


def _of_setting(label: str, setting: RunRequest, device: Device, memory_bytes: int, found: Found) -> Candidate:
    problems = check(setting, device.backend, limits=device.limits)
    if problems:
        return Candidate(label, setting, status="invalid", reason=problems_sentence(problems))
    problems = check(setting, device.backend, memory_bytes, device.limits)
    if problems:
        return Candidate(label, setting, status="out_of_resources", reason=problems_sentence(problems))
    launch = resolve(setting, device.backend, device.limits).launch
    provider = found.providers.get(launch.strategy)
    if provider is None:
        return Candidate(label, setting, status="failed", reason=why_missing(launch.strategy, found))
    return Candidate(label, setting, Labelled(label, provider, launch))


def _of_provider(label: str, name: str, found: Found) -> Candidate:
    provider = found.providers.get(name)
    if provider is None:
        status: Status = "failed" if any(name == each.name for each in found.broken) else "invalid"
        return Candidate(label, None, status=status, reason=why_missing(name, found))
    missing = provider.unavailable()
    if missing is not None:
        return Candidate(label, None, status="invalid", reason=with_hint(name, missing))
    return Candidate(label, None, Labelled(label, provider, None))
