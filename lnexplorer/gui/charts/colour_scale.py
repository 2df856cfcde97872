"""From errors to colours: 254 steps of cividis on a linear or logarithmic scale, and one colour for what is not finite."""

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

STEPS = 254  # indices 0 to 253; 254 is never used, 255 says "not finite"
NOT_FINITE = 255
# A few elements that happen to be nearly exact would stretch a logarithmic scale over decades that hold nothing else.
LOWEST_SHARE = 5  # per cent of the values that may lie below the first colour
LEAST_DECADES = 1.0
SAMPLES = 1 << 14


@dataclass(frozen=True, slots=True)
class ColourScale:
    """Which values the first and the last colour stand for. `low` is 0 on a linear scale, above 0 on a logarithmic one."""

    low: float
    high: float
    log: bool

    @property
    def flat(self) -> bool:
        """Whether all values are the same."""
        return self.high <= self.low

    def bounds(self) -> tuple[float, float]:
        """Ends of the scale in the coordinates in which the colours are evenly spaced."""
        return (float(np.log10(self.low)), float(np.log10(self.high))) if self.log else (self.low, self.high)

    def indices(self, values: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Index of each value's colour, same shape as `values`."""
        if self.flat:
            scaled = np.where(values > 0, np.float32(STEPS - 1), np.float32(0))
        else:
            low, high = self.bounds()
            with np.errstate(divide="ignore", invalid="ignore"):
                coordinates = np.log10(values) if self.log else values
            scaled = (coordinates - np.float32(low)) * np.float32((STEPS - 1) / (high - low))
        finite = np.isfinite(values)
        scaled = np.clip(np.where(finite, scaled, 0), 0, STEPS - 1)
        return np.where(finite, scaled, np.float32(NOT_FINITE)).astype(np.uint8)


def scale_for(values: NDArray[np.float32], log: bool) -> ColourScale:
    """From the lowest values but a few to the highest; flat where all are zero or none is finite."""
    high = float(np.max(values, where=np.isfinite(values), initial=0))
    if high <= 0:
        return ColourScale(0.0, 0.0, log=False)
    if not log:
        return ColourScale(0.0, high, log=False)
    flat = values.reshape(-1)
    some = flat[:: max(1, flat.size // SAMPLES)]
    some = some[np.isfinite(some) & (some > 0)]
    low = float(np.percentile(some, LOWEST_SHARE)) if some.size else high
    return ColourScale(min(low, high * 10**-LEAST_DECADES), high, log=True)


def colour_table(not_finite: str) -> NDArray[np.uint8]:
    """RGBA of each index, [256, 4].

    Args:
        not_finite: colour of values that are NaN or infinite, #rrggbb.
    """
    table = np.empty((256, 4), np.uint8)
    table[:STEPS] = pg.colormap.get("cividis").getLookupTable(nPts=STEPS, alpha=True)
    table[STEPS:] = pg.mkColor(not_finite).getRgb()
    return table
