"""What a search may choose from, and when it ends. Pure."""

from dataclasses import dataclass, field

from lnexplorer.domain.comparison import Interval, ratio
from lnexplorer.domain.ranges import Value
from lnexplorer.domain.sweep.request import SweepRequest
from lnkernels.launch import SETTINGS, belongs

# Settings that change speed and not results, with the values that are worth trying.
WORTH_TRYING = {setting.name: setting.tried for setting in SETTINGS if setting.tried}
PATIENCE = 40


def open_settings(sweep: SweepRequest) -> dict[str, tuple[Value, ...]]:
    """The settings that a search varies, with their values: those on an axis, and of the others those that are
    automatic.
    """
    strategy = sweep.strategies[0]
    found: dict[str, tuple[Value, ...]] = {axis.name: axis.values for axis in sweep.axes}
    for name, values in WORTH_TRYING.items():
        if name not in found and belongs(name, strategy) and sweep.base.value(name) is None:
            found[name] = values
    return found


@dataclass(slots=True)
class Patience:
    """Ends a search that no longer finds better: after PATIENCE settings in a row of which none is surely faster than
    the best.

    Surely: the 95 % interval of the ratio of the two median times lies above 1. A setting that is faster, but not
    surely, becomes the best and does not make the search go on.
    """

    limit: int = PATIENCE
    best: Interval | None = None  # time in ms
    in_vain: int = field(default=0)

    def hear(self, time_ms: Interval | None) -> None:
        """The time of one more setting; None where it has none."""
        self.in_vain += 1
        if time_ms is None:
            return
        if self.best is None:
            self.best, self.in_vain = time_ms, 0
        elif time_ms.value < self.best.value:
            if ratio(self.best, time_ms).low > 1.0:
                self.in_vain = 0
            self.best = time_ms

    @property
    def over(self) -> bool:
        """Whether to stop."""
        return self.in_vain >= self.limit
