"""Axes of numbers, shares, powers of ten and values of a parameter, and their ticks."""

import math
from collections.abc import Sequence
from itertools import pairwise
from math import log2

import pyqtgraph as pg
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.kit import GRID, with_text
from lnkernels.values import frozen

MOST_TICKS = 7


def log_ticks(low: float, high: float, most: int = MOST_TICKS) -> list[float]:
    """Return places of labels between two values, given and returned as log10.

    Whole powers of ten if there are at least three; 1, 2 and 5 of each if there are fewer; even
    steps within a narrow range.
    """
    if not -math.inf < low < high < math.inf:
        return []
    for digits in ((1,), (1, 2, 5)):
        places = [
            place
            for power in range(math.floor(low), math.ceil(high) + 1)
            for place in (power + math.log10(digit) for digit in digits)
            if low <= place <= high
        ]
        if len(places) > 2:
            break
    else:
        values = linear_ticks(10.0**low, 10.0**high, most)
        places = [math.log10(value) for value in values if value > 0]
    return places[:: math.ceil(len(places) / max(most, 2)) or 1]


def linear_ticks(low: float, high: float, most: int = MOST_TICKS) -> list[float]:
    """Return round values between two values."""
    if not -math.inf < low < high < math.inf:
        return []
    rough = (high - low) / most
    decade = 10.0 ** math.floor(math.log10(rough))
    steps = (factor * decade for factor in (1, 2, 5, 10))
    step = next(step for step in steps if step >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def tick_text(value: float) -> str:
    """Return a value as a short text beside a tick: 2e-3, 0.5, 100."""
    if value == 0 or 0.1 <= abs(value) < 10_000 or math.isinf(value):
        return f"{value:.{3 if abs(value) < 1000 else 4}g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


LABEL_ROOM = {"bottom": 60, "left": 32, "right": 32}  # px that a label takes along its axis


# If the last step is more times the first one, values are placed by their logarithms.
WIDER_STEPS = 4.0


@frozen
class ValueScale:
    """Places of the values of an axis."""

    places: tuple[float, ...]
    labels: tuple[str, ...]
    by_size: bool  # places between two values mean something
    log: bool = False  # places are logarithms to base 2

    @property
    def ends(self) -> tuple[float, float]:
        return min(self.places), max(self.places)

    def place_of(self, value: float) -> float:
        """Return the place of a number, also between the values; only if places go by size."""
        return log2(value) if self.log else float(value)

    def value_at(self, place: float) -> float:
        return 2.0**place if self.log else place


def value_scale(
    values: Sequence[object], labels: Sequence[str], *, even: bool = False
) -> ValueScale:
    """Return the scale of an axis.

    Args:
        values: the parameter's, in their order.
        labels: a text for each.
        even: side by side, as the cells of a map are.
    """
    numbers = [
        float(value)
        for value in values
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if even or len(numbers) < len(values) or numbers != sorted(set(numbers)):
        return ValueScale(tuple(map(float, range(len(values)))), tuple(labels), by_size=False)
    steps = [later - earlier for earlier, later in pairwise(numbers)]
    wide = numbers[0] > 0 and len(steps) > 1 and steps[-1] > WIDER_STEPS * steps[0]
    places = [log2(number) for number in numbers] if wide else numbers
    return ValueScale(tuple(places), tuple(labels), by_size=True, log=wide)


class ChartAxis(pg.AxisItem):
    """An axis of numbers that are never put into thousands, or of values at their places.

    Args:
        orientation: left, bottom and so on.
        form: number; whole, without a tick between two whole numbers; percent, of shares; log,
            whose coordinates are log10 of what it says.
    """

    def __init__(self, orientation: str, form: str = "number") -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)
        self._scale: ValueScale | None = None
        self.set_form(form)

    def set_form(self, form: str, zero_at: float | None = None) -> None:
        """Choose how numbers are written.

        Args:
            form: as above.
            zero_at: the coordinate at which a logarithmic axis shows zero, if it does.
        """
        self._form = form
        self._zero_at = zero_at
        self.picture = None
        self.update()

    def set_scale_of(self, scale: ValueScale | None) -> None:
        """Label these values, as many as there is room for; None: numbers."""
        self._scale = scale
        self.picture = None
        self.update()

    def tickSpacing(self, *ends: float) -> list[tuple[float, float]]:
        spacings = list(super().tickSpacing(*ends))
        if self._form != "whole":
            return spacings
        return [(spacing, offset) for spacing, offset in spacings if spacing >= 1] or [(1.0, 0.0)]

    def tickValues(self, *ends: float) -> list[tuple[float, list[float]]]:
        low, high, size = ends
        room = float(with_text(LABEL_ROOM[self.orientation]))
        if self._scale is not None:
            if self.orientation == "bottom":
                metrics = QFontMetricsF(QApplication.font())
                room = 2 * GRID + max(map(metrics.horizontalAdvance, self._scale.labels))
            places = [place for place in self._scale.places if low - 1e-9 <= place <= high + 1e-9]
            return [(1.0, _apart(places, room * (high - low) / max(size, 1.0)))]
        if self._form != "log":
            return list(super().tickValues(*ends))
        places = log_ticks(low, high, max(2, int(size / room)))
        if self._zero_at is not None:
            apart = (high - low) / max(size, 1) * room
            places = [self._zero_at, *(place for place in places if place >= self._zero_at + apart)]
        return [(1.0, places)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if self._scale is not None:
            names = dict(zip(self._scale.places, self._scale.labels, strict=True))
            return [names.get(value, "") for value in values]
        if self._form == "log":
            return ["0" if value == self._zero_at else tick_text(10.0**value) for value in values]
        if self._form == "percent":
            return [f"{100 * value:.0f} %" for value in values]
        return list(super().tickStrings(values, scale, spacing))


def _apart(places: list[float], distance: float) -> list[float]:
    """Return the first place, and each one that is at least `distance` from the one before."""
    shown = places[:1]
    for place in places[1:]:
        if place - shown[-1] >= distance:
            shown.append(place)
    return shown
