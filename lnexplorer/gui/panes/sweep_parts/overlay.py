"""Figures from elsewhere that a sweep over N can be looked at beside. No Qt."""

from dataclasses import dataclass

import numpy as np

from lnexplorer.domain.provenance import Kind
from lnexplorer.domain.sweep.curves import Curve
from lnexplorer.gui.panes.sweep_parts.values import View
from lnexplorer.gui.plots.sweep_chart import OverlayLine
from lnexplorer.gui.plots.throughput_chart import provider_colour, provider_label
from lnexplorer.gui.plots.value_axis import ValueScale


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Overlay:
    """Curves of GB/s against N from one source: a page, or a benchmark on a named GPU and date."""

    title: str
    kind: Kind  # published or recorded
    problem: str  # M and dtype, in words
    direction: str
    mode: str | None  # None where the source does not say, or calls it otherwise
    curves: tuple[Curve, ...]


def overlay_lines(overlay: Overlay, view: View, scale: ValueScale, where: str) -> tuple[OverlayLine, ...]:
    """What of it belongs on a chart: the same pass in the same mode, within the axis.

    Args:
        overlay: the figures.
        view: what the chart shows.
        scale: its axis.
        where: what stands behind a provider's name: where the figures come from.
    """
    if overlay.direction != view.direction or overlay.mode not in {None, view.mode} or view.quantity != "gbps":
        return ()
    low, high = scale.ends
    found = []
    for curve in overlay.curves:
        x = np.array([scale.place_of(n) for n in curve.x])
        inside = (x >= low - 1e-9) & (x <= high + 1e-9)
        if inside.any():
            label = f"{provider_label(curve.provider)} · {where}"
            found.append(OverlayLine(label, provider_colour(curve.provider), x[inside], np.array(curve.y)[inside]))
    return tuple(found)
