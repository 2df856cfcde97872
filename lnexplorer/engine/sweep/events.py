"""What a sweep tells its listener."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lnexplorer.domain.measuring import Spent
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnkernels.values.environment import Device


@dataclass(frozen=True, slots=True)
class SweepStarted:
    """Workers are on their way up. `total` cells make the sweep, of which `kept` have a row from before."""

    total: int  # for a search: the most that it tries
    kept: int


@dataclass(frozen=True, slots=True)
class DeviceReady:
    """A worker has its device; "auto" is decided now."""

    device: str  # "cuda:0", "interpreter"
    facts: Device


@dataclass(frozen=True, slots=True)
class WorkerReplaced:
    """A worker ended, or was ended, and another one takes its place."""

    device: str
    sentence: str


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """A device takes no more cells, and why. Its cells go to the others."""

    device: str
    sentence: str


@dataclass(frozen=True, slots=True)
class CellStarted:
    """A cell is with a worker. It may start again, when the worker was lost to another cell."""

    cell: Cell
    device: str


@dataclass(frozen=True, slots=True)
class CellFinished:
    """A row, kept already where there is a place to keep it."""

    result: CellResult


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """How far it is: after every row."""

    done: int  # rows of before among them
    total: int
    remaining_seconds: float | None  # None until it can be told


@dataclass(frozen=True, slots=True)
class SweepPaused:
    """No more cells are handed out; those with a worker still end."""

    why: str  # empty where somebody asked for it, else a sentence, such as that the disk is full


@dataclass(frozen=True, slots=True)
class SweepResumed:
    """It goes on."""


@dataclass(frozen=True, slots=True)
class SweepEnded:
    """The one end. "failed": there is no device left to go on with."""

    how: Literal["finished", "cancelled", "failed"]
    sentence: str  # why it failed, or why a search ends; else empty
    wall_seconds: float  # from the start to the end, pauses left out
    timing_seconds: float  # of these, summed over devices: while a GPU was timing
    measuring_seconds: float = 0.0  # summed over devices: while a worker was at a measurement, timing and all the rest
    spent: Spent = field(default_factory=Spent)  # of these, what was not timing


SweepEvent: TypeAlias = (
    SweepStarted
    | DeviceReady
    | WorkerReplaced
    | DeviceLost
    | CellStarted
    | CellFinished
    | SweepProgress
    | SweepPaused
    | SweepResumed
    | SweepEnded
)
