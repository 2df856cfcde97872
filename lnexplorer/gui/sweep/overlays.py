"""Figures from elsewhere that a sweep over N can be looked at beside."""

from dataclasses import dataclass

import numpy as np

from lnexplorer.domain.sweep.curves import Curve
from lnexplorer.domain.wording import provider_label
from lnexplorer.gui.charts.axes import ValueScale
from lnexplorer.gui.charts.sweep_chart import OverlayLine
from lnexplorer.gui.charts.sweep_table import View
from lnexplorer.gui.charts.throughput_chart import dash, provider_colour
from lnkernels.values.environment import Kind


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Overlay:
    """Curves of GB/s against N from one source: a page, or a benchmark on a named GPU and date."""

    title: str
    brief: str = ""  # beside others of its kind; empty for the title
    source: str = ""  # of what was recorded here: a benchmark or a sweep
    kind: Kind  # published or recorded
    problem: str  # M and dtype, in words
    direction: str
    mode: str | None  # None where the source does not say
    curves: tuple[Curve, ...]
    beside_all: bool = False  # also beside figures of another way of calling, which is said then

    def differs(self, view: View) -> bool:
        """Whether it was called in another way than what the chart shows."""
        return self.mode not in {None, view.mode}


def belongs_beside(overlay: Overlay, view: View) -> bool:
    """Whether its figures can be compared with what the chart shows: GB/s of the same pass, called in the same way."""
    return overlay.direction == view.direction and view.quantity == "gbps" and (overlay.beside_all or not overlay.differs(view))


def overlay_lines(overlay: Overlay, view: View, scale: ValueScale, where: str, place: int = 0) -> tuple[OverlayLine, ...]:
    """What of it belongs on a chart: the same pass in the same mode, within the axis.

    Args:
        overlay: the figures.
        view: what the chart shows.
        scale: its axis.
        where: what stands behind a provider's name: where the figures come from.
        place: which of several overlays it is; each has dashes of its own.
    """
    if not belongs_beside(overlay, view):
        return ()
    low, high = scale.ends
    found = []
    for curve in overlay.curves:
        x = np.array([scale.place_of(n) for n in curve.x])
        inside = (x >= low - 1e-9) & (x <= high + 1e-9)
        if inside.any():
            label, colour = f"{provider_label(curve.provider)} · {where}", provider_colour(curve.provider)
            found.append(OverlayLine(label, colour, x[inside], np.array(curve.y)[inside], dash(place)))
    return tuple(found)
