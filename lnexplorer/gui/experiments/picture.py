"""What is drawn of an experiment: panels over one x axis, or rows of bars with the same names. Plain values, no widgets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Series:
    """One line, staircase or row of bars. What is NaN is not drawn."""

    name: str
    colours: tuple[str, ...]  # one for all, or one for each bar
    x: Numbers  # [points]; of steps the edges, [points + 1]
    y: Numbers  # [points]
    form: str = "line"  # line, steps, or bars, of which a panel has one series
    dashed: bool = False
    labels: tuple[str, ...] = ()  # of each bar, written at its end


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Panel:
    """One y scale with its title, unit included."""

    title: str
    series: tuple[Series, ...]
    log: bool
    absent: str = ""  # said in the place of the curves where there are none
    whole: bool = False  # counts: ticks are whole numbers

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(np.isfinite(series.y).any() for series in self.series)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Picture:
    """All panels of one experiment."""

    panels: tuple[Panel, ...]
    x_title: str
    x_range: tuple[float, float]
    x_ticks: tuple[tuple[float, str], ...]  # of bars their names
    columns: int = 1  # of panels beside each other, where they have room


EMPTY = Picture(panels=(), x_title="", x_range=(0.0, 1.0), x_ticks=())


def scale_of(panel: Panel) -> tuple[float, float]:
    """Least and largest y of a panel, in its coordinates: log10 of what is positive, or from zero on."""
    values = np.concatenate([series.y[np.isfinite(series.y)] for series in panel.series]) if panel.series else np.empty(0)
    if panel.log:
        values = np.log10(values[values > 0])
        if not values.size:
            return 0.0, 1.0
        low, high = float(values.min()), float(values.max())
        margin = max(0.08 * (high - low), 0.08)
        return low - margin, high + margin
    high = float(values.max()) if values.size else 1.0
    bars = any(series.form == "bars" for series in panel.series)  # values have room of their own
    return 0.0, (1.0 if bars else 1.08) * (high if high > 0 else 1.0)
