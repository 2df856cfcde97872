"""What a program touches: every load and store of one row's programs, in the order in which they happened."""

from dataclasses import dataclass

from lnexplorer.domain.request import ResolvedRequest, RunRequest
from lnkernels.launch.catalogue import buffers_in_use
from lnkernels.values.touched import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchRequest:
    """The row whose forward and stage-1 program is looked at, and the column whose stage-2 program is."""

    problem: RunRequest
    row: int
    column: int = 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Touched:
    """All accesses of the three programs."""

    request: TouchRequest
    resolved: ResolvedRequest
    accesses: tuple[Access, ...]

    @property
    def buffers(self) -> int:
        """Rows of the buffers of partial sums."""
        return buffers_in_use(self.resolved.m, self.resolved.launch)

    def of(self, kernel: str) -> tuple[Access, ...]:
        """The accesses of one kernel."""
        return tuple(access for access in self.accesses if access.kernel == kernel)
