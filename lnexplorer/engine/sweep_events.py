"""Events of a sweep. A listener gets them in order, on the sweep's own thread."""

from typing import Literal, TypeAlias

from lnexplorer.domain.measuring import Measured
from lnexplorer.domain.sweep.cells import CellResult
from lnkernels.values import Sentence, frozen
from lnkernels.values.environment import Device

How = Literal["finished", "cancelled", "failed"]


@frozen
class SweepStarted:
    """Workers are starting. Of `total` cells `kept` have a row already."""

    total: int  # of a search: the most that it tries
    kept: int


@frozen
class DeviceReady:
    """A worker has its device; "auto" is decided now."""

    device: str  # "cuda:0", "interpreter"; of a cluster "node7/cuda:0"
    facts: Device


@frozen
class TurnAwaited:
    """A device waits while others time on its GPU. Repeated while that lasts."""

    device: str
    sentence: Sentence  # who has the turn


@frozen
class WorkerReplaced:
    """A worker ended, and another one is started in its place."""

    device: str
    sentence: Sentence


@frozen
class DeviceLost:
    """A device takes no more cells. Its cells go to the others."""

    device: str
    sentence: Sentence


@frozen
class BatchMeasured:
    """A measurement of several cells ended. Their rows follow."""

    measured: Measured


@frozen
class CellFinished:
    """A row, already kept where it is to be kept, and the progress of the sweep."""

    result: CellResult
    done: int  # including rows from before
    total: int
    remaining_seconds: float | None  # None until there is an estimate


@frozen
class SweepPaused:
    """No more cells are handed out; those under way still end."""

    why: Sentence | None  # None where the user paused it


@frozen
class SweepResumed:
    """Cells are handed out again."""


@frozen
class SweepEnded:
    """The last event. "failed" means that no device is left."""

    how: How
    sentence: Sentence | None  # why it failed, or why a search ended
    wall_seconds: float  # from start to end, without pauses
    timing_seconds: float  # of these, summed over devices: while a GPU was timing


SweepEvent: TypeAlias = (
    SweepStarted
    | DeviceReady
    | TurnAwaited
    | WorkerReplaced
    | DeviceLost
    | BatchMeasured
    | CellFinished
    | SweepPaused
    | SweepResumed
    | SweepEnded
)
