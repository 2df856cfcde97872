"""Ticks of a panel: as many as its height has lines for, and plain numbers where those are short."""

import math

from lnexplorer.gui.charts.ticks import linear_ticks, log_ticks, tick_text

LINES_APART = 1.2  # of text, from one tick to the next
MOST_EVEN = 6  # ticks of an even scale


def panel_ticks(low: float, high: float, lines: float, *, log: bool, whole: bool = False) -> list[float]:
    """Places of labels, none closer to another than can be read.

    Args:
        low: least value of the scale, as log10 where it is logarithmic.
        high: largest.
        lines: of text, the height of the scale.
        log: powers of ten come first; 2 and 5 of each fill what is left, so that a decade and a half has more than one number.
        whole: only whole numbers.
    """
    most = max(int(lines / LINES_APART) + 1, 2)
    if not log:
        places = linear_ticks(low, high, min(most, MOST_EVEN))
        return apart([place for place in places if not whole or place == round(place)], low, high, lines)
    found = log_ticks(low, high, most)
    powers = [place for place in found if place == round(place)]
    if len(powers) > 2 or len(found) == len(powers):
        return apart(found, low, high, lines)
    return apart([*powers, *(place for place in reversed(found) if place not in powers)], low, high, lines)


def apart(places: list[float], low: float, high: float, lines: float) -> list[float]:
    """Those that are far enough from all before them, in rising order."""
    least = LINES_APART / max(lines, 1e-9) * (high - low)
    taken: list[float] = []
    for place in places:
        if all(abs(place - other) >= least * (1 - 1e-9) for other in taken):
            taken.append(place)
    return sorted(taken)


def grid_places(low: float, high: float, ticks: list[float], *, log: bool) -> list[float]:
    """Where lines are drawn: at the ticks, and at every power of ten."""
    powers = [float(power) for power in range(math.ceil(low), math.floor(high) + 1)] if log else []
    return sorted({*ticks, *powers})


def label_of(value: float) -> str:
    """A number beside the scale: 0.01 and 10000 rather than with an exponent."""
    return f"{value:.4g}" if 1e-3 <= abs(value) < 1e4 else tick_text(value)
