"""The places of a parameter's values along an axis: by size, by power of two, or side by side where they are no numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2

import pyqtgraph as pg

from lnexplorer.gui.shell.style import with_text

LABEL_ROOM = 56  # px that a label of an axis takes, with the gap to the next one
WIDER_STEPS = 4.0  # the last step over the first one from which on values are placed by their logarithms


@dataclass(frozen=True, slots=True)
class ValueScale:
    """Where each value of an axis stands."""

    places: tuple[float, ...]
    labels: tuple[str, ...]
    by_size: bool  # whether what lies between two values means something
    log: bool = False  # places are logarithms to base 2

    @property
    def ends(self) -> tuple[float, float]:
        """The first and the last place."""
        return min(self.places), max(self.places)

    def place_of(self, value: float) -> float:
        """Where a number stands, also one between the values; only where places go by size."""
        return log2(value) if self.log else float(value)

    def value_at(self, place: float) -> float:
        """The number that stands at a place."""
        return 2.0**place if self.log else place


def value_scale(values: Sequence[object], labels: Sequence[str], *, even: bool = False) -> ValueScale:
    """The scale of an axis.

    Args:
        values: the parameter's, in their order.
        labels: a text for each.
        even: side by side, as the cells of a map are.
    """
    numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if even or len(numbers) < len(values) or numbers != sorted(set(numbers)):
        return ValueScale(tuple(float(index) for index in range(len(values))), tuple(labels), by_size=False)
    steps = [later - earlier for earlier, later in pairwise(numbers)]
    wide = numbers[0] > 0 and len(steps) > 1 and steps[-1] > WIDER_STEPS * steps[0]
    places = [log2(number) for number in numbers] if wide else numbers
    return ValueScale(tuple(places), tuple(labels), by_size=True, log=wide)


class ValueAxis(pg.AxisItem):
    """An axis that names values where they stand, as many as there is room for."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)
        self._scale = ValueScale((0.0,), ("",), by_size=False)

    def set_scale_of(self, scale: ValueScale) -> None:
        """Name these values."""
        self._scale = scale
        self.picture = None
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N802, N803
        """The places in view, thinned out evenly where they are many."""
        places = [place for place in self._scale.places if minVal - 1e-9 <= place <= maxVal + 1e-9]
        upright = self.orientation in {"left", "right"}
        label = with_text(LABEL_ROOM)
        room = max(int(size / (label / 2 if upright else label)), 2)
        step = -(-len(places) // room) if places else 1
        return [(1.0, places[::step])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """Their names."""
        names = dict(zip(self._scale.places, self._scale.labels, strict=True))
        return [names.get(value, "") for value in values]
