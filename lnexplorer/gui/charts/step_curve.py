"""A curve of steps, or none."""

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray


def set_steps(curve: pg.PlotCurveItem, edges: NDArray[np.float64], heights: NDArray[np.float64]) -> None:
    """Draw a level piece for each height; none over what is not finite.

    Args:
        curve: what draws.
        edges: ends of the pieces, [pieces + 1], or fewer than two for none.
        heights: of the pieces, [pieces].
    """
    if edges.size >= 2:
        curve.setData(edges, heights, stepMode="center", connect="finite")
    else:
        # The mode stays otherwise, and an empty curve does not fit it.
        curve.setData([], [], stepMode=None)
