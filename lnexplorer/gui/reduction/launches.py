"""What a comparison wants to know of launches that are not on show, and who may know it."""

from dataclasses import dataclass
from typing import Protocol

from lnexplorer.domain.provenance import Environment
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.residents import Kernel, SeenLaunch


class Launches(Protocol):
    """Knows where the timeline on show is from, and traces of other launches."""

    @property
    def environment(self) -> Environment | None:
        """Of the run on show."""

    def seen(self, kernel: Kernel) -> list[SeenLaunch]:
        """Traces of a kernel, any GROUP_SIZE_M. Called on a thread of its own; it may take a moment."""


@dataclass(frozen=True, slots=True)
class WantedOccupancy:
    """How many programs of a kernel share an SM is to be asked of a compiler."""

    kernel: Kernel
    group_size_m: int
    sample: RunRequest  # a small run with this kernel
    architecture: str  # such as "sm_90"
