"""Axes: whole numbers, numbers in full, powers of ten, values of a parameter; their ticks, and faint lines at these."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from lnexplorer.gui.charts.theme import with_text

MOST_TICKS = 7


def log_ticks(low: float, high: float, most: int = MOST_TICKS) -> list[float]:
    """Places of labels between two powers of ten, given and returned as log10.

    Whole powers of ten where there are at least three; 1, 2 and 5 of each below that; even steps within a narrow range.
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    first, last = math.ceil(low), math.floor(high)
    if last - first >= 2:
        step = max(1, math.ceil((last - first + 1) / most))
        return [float(exponent) for exponent in range(last, first - 1, -step)][::-1]
    candidates = [exponent + math.log10(digit) for exponent in range(first - 1, last + 1) for digit in (1, 2, 5)]
    places = [place for place in candidates if low <= place <= high]
    return places if len(places) >= 3 else _even_ticks(low, high, most)


def thinned(places: list[float], most: int) -> list[float]:
    """Of ticks as `log_ticks` gives them no more than there is room for: whole powers of ten, if these are enough."""
    if len(places) <= most:
        return places
    whole = [place for place in places if place == round(place)]
    return whole if 2 <= len(whole) <= most else places[:: math.ceil(len(places) / max(most, 2))]


def linear_ticks(low: float, high: float, most: int = MOST_TICKS) -> list[float]:
    """Round values between two values."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    rough = (high - low) / most
    decade = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * decade for factor in (1, 2, 5, 10) if factor * decade >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A value beside a tick, short: 2e-3, 0.5, 100."""
    if value == 0 or 0.1 <= abs(value) < 1000:
        return f"{value:.3g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def plain_number(value: float, spacing: float) -> str:
    """A value beside a tick, in full, with the decimals that tell it from the next tick."""
    return f"{value:.{max(0, math.ceil(-math.log10(spacing) - 1e-9)) if spacing > 0 else 0}f}"


def _even_ticks(low: float, high: float, most: int) -> list[float]:
    return [math.log10(value) for value in linear_ticks(10.0**low, 10.0**high, most) if value > 0]


LABEL_SPACE = 60  # px that a label takes along its axis, at least


class PlainAxis(pg.AxisItem):
    """An axis that writes its numbers itself: pyqtgraph never puts them into thousands."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)


class WholeAxis(PlainAxis):
    """An axis of indices and counts: never a tick between two whole numbers."""

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:  # noqa: N803
        return _whole(super().tickSpacing(minVal, maxVal, size))

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [f"{value:.0f}" for value in values]


class LogAxis(PlainAxis):
    """An axis whose coordinates are log10 of what it says. `set_log(False)` makes it an ordinary one."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.whole = False  # whether an ordinary axis shows whole numbers only
        self._log = True
        self._zero_at: float | None = None
        self._places: list[float] = []

    def set_places(self, places: list[float]) -> None:
        """Fix the ticks of a logarithmic scale, whole numbers given as log10; none leaves them to the axis."""
        self._places = places
        self.picture = None
        self.update()

    def set_log(self, log: bool, zero_at: float | None = None) -> None:
        """Choose the scale, and the coordinate at which a logarithmic one shows zero, if it does."""
        self._log, self._zero_at = log, zero_at
        self.picture = None
        self.update()

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:  # noqa: N803
        spacings = list(super().tickSpacing(minVal, maxVal, size))
        return _whole(spacings) if self.whole else spacings

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        if not self._log:
            return list(super().tickValues(minVal, maxVal, size))
        if self._places:
            return [(1.0, self._places)]
        most = max(2, int(size / LABEL_SPACE)) if self.orientation in {"bottom", "top"} else max(2, int(size / 32))
        places = thinned(log_ticks(minVal, maxVal, most), most)
        if self._zero_at is not None:
            apart = (maxVal - minVal) / max(size, 1) * (LABEL_SPACE if self.orientation in {"bottom", "top"} else 24)
            places = [self._zero_at, *(place for place in places if place >= self._zero_at + apart)]
        return [(1.0, places)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if not self._log:
            return [tick_text(value) if abs(value) > spacing / 1e6 else "0" for value in values]
        write = (lambda power: f"{power:.0f}") if self._places else tick_text
        return ["0" if value == self._zero_at else write(10.0**value) for value in values]


def _whole(spacings: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(spacing, offset) for spacing, offset in spacings if spacing >= 1] or [(1.0, 0.0)]


class NumberAxis(LogAxis):
    """An axis of plain numbers, with as many decimals as its ticks need and none below zero, until it is told
    otherwise.
    """

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.show_as(log=False, percent=False)

    def show_as(self, *, log: bool, percent: bool) -> None:
        """Choose how numbers are written."""
        self._percent = percent
        self.set_log(log)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if self._log:
            return super().tickStrings(values, scale, spacing)
        if self._percent:
            return [f"{100 * value:.0f} %" if value >= 0 else "" for value in values]
        return [plain_number(value, spacing) if value >= 0 else "" for value in values]


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


class ValueAxis(PlainAxis):
    """An axis that names values where they stand, as many as there is room for."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._scale = ValueScale((0.0,), ("",), by_size=False)

    def set_scale_of(self, scale: ValueScale) -> None:
        """Name these values."""
        self._scale = scale
        self.picture = None
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        places = [place for place in self._scale.places if minVal - 1e-9 <= place <= maxVal + 1e-9]
        upright = self.orientation in {"left", "right"}
        label = with_text(LABEL_ROOM)
        room = max(int(size / (label / 2 if upright else label)), 2)
        step = -(-len(places) // room) if places else 1
        return [(1.0, places[::step])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        names = dict(zip(self._scale.places, self._scale.labels, strict=True))
        return [names.get(value, "") for value in values]


ALPHAS = (190, 110)  # of 255; lines at the coarsest ticks, and at the next finer ones


class GridLines(pg.GraphicsObject):
    """Lines across the view, where the left and the lower axis have their ticks."""

    def __init__(self, left: pg.AxisItem, bottom: pg.AxisItem) -> None:
        super().__init__()
        self.setZValue(-100)
        self._left, self._bottom = left, bottom
        self._colour = "#000000"

    def set_colour(self, colour: str) -> None:
        """Choose the colour, #rrggbb."""
        self._colour = colour
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(self.viewRect())

    def viewRangeChanged(self, *_ranges: object) -> None:
        self.prepareGeometryChange()
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        rect, pixels = self.viewRect(), self.getViewBox().rect()
        if pixels.height() < 1 or pixels.width() < 1:  # there is no tick without room, and what fails here ends the process
            return
        rows = self._left.tickValues(rect.top(), rect.bottom(), pixels.height())
        columns = self._bottom.tickValues(rect.left(), rect.right(), pixels.width())
        lines = [
            [QLineF(rect.left(), y, rect.right(), y) for _spacing, places in rows[level : level + 1] for y in places]
            + [QLineF(x, rect.top(), x, rect.bottom()) for _spacing, places in columns[level : level + 1] for x in places]
            for level in range(len(ALPHAS))
        ]
        for level, alpha in enumerate(ALPHAS):
            colour = QColor(self._colour)
            colour.setAlpha(alpha)
            painter.setPen(pg.mkPen(colour, width=1))
            painter.drawLines(lines[level])
