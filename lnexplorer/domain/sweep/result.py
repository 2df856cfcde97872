"""What came of a cell."""

from dataclasses import dataclass

from lnexplorer.domain.comparison import Interval, median_interval
from lnexplorer.domain.measuring import Status, TensorErrors
from lnexplorer.domain.provenance import DeviceState, Environment, Kind
from lnexplorer.domain.request import ResolvedRequest
from lnexplorer.domain.result import Figure, KernelFacts
from lnexplorer.domain.sweep.cells import Cell

VERSION = 1  # of a row, in files


class NotKeptError(Exception):
    """A row cannot be kept, and why, in one sentence: the disk is full, or the file is gone."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CellResult:
    """One row of a sweep. There are figures only where the results are right, and none on the interpreter."""

    cell: Cell
    status: Status
    reason: str  # one sentence; empty when the status is "ok" and every figure is there
    device: str  # "cuda:0", "interpreter"
    kind: Kind
    environment: Environment  # when its timing had ended
    before: DeviceState | None = None  # when it began; None where nothing was timed, and in rows of versions that did not keep it
    resolved: ResolvedRequest | None = None  # None for a setting that is not possible
    figures: tuple[Figure, ...] = ()
    errors: tuple[TensorErrors, ...] = ()
    compiled: tuple[KernelFacts, ...] = ()
    wait_ns: float | None = None  # mean wait of a row for its lock, where that was asked for
    notes: tuple[str, ...] = ()  # what makes the figures doubtful
    seconds: float = 0.0  # its part of the time from the hand-over to the answer
    timing_seconds: float = 0.0  # of these, while the GPU was timing

    @property
    def hardware(self) -> str:
        """What it ran on. Figures of unlike hardware are never one line."""
        return self.environment.gpu or "CPU"

    def figure(self, direction: str, mode: str = "kernel_cold") -> Figure | None:
        """The speed of one pass, called in one way."""
        return next((f for f in self.figures if (f.direction, f.mode) == (direction, mode)), None)

    def error(self, tensor: str) -> TensorErrors | None:
        """How far y, dx, dw or db is from the truth."""
        return next((error for error in self.errors if error.name == tensor), None)


def time_interval(result: CellResult, directions: tuple[str, ...], mode: str) -> Interval | None:
    """Milliseconds of all `directions` together with their 95 % interval; None where one is missing.

    The ends of the passes' intervals are added, which never claims to know more than is known.
    """
    low = value = high = 0.0
    for direction in directions:
        figure = result.figure(direction, mode)
        each = None if figure is None else median_interval(figure.samples_ms)
        if each is None:
            return None
        low, value, high = low + each.low, value + each.value, high + each.high
    return Interval(low, value, high)
