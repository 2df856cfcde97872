"""How each late pane is put together: its module, its class, and the parts that are made before it.

A chart takes as long to make as the rest of a pane, so a pane with charts takes them ready-made: no step of the event loop makes
two of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """A widget that takes `parts`, in their order, as its first arguments."""

    module: str
    kind: str
    parts: tuple["Recipe", ...] = ()

    def in_order(self) -> Iterator["Recipe"]:
        """Every part before what takes it; the pane last."""
        for part in self.parts:
            yield from part.in_order()
        yield self


_CARDS = "lnexplorer.gui.correctness.cards"
_SWEEP = "lnexplorer.gui.sweep"
_PLOTS = "lnexplorer.gui.charts"
# In the order in which they are wanted; pyqtgraph comes with the second.
PANES = {
    "reduction": Recipe("lnexplorer.gui.reduction.pane", "ReductionPane"),
    "correctness": Recipe(
        "lnexplorer.gui.correctness.pane",
        "CorrectnessPane",
        (Recipe(_CARDS, "MapCard"), Recipe(_CARDS, "ColumnCard"), Recipe(_CARDS, "HistogramCard")),
    ),
    "throughput": Recipe(
        "lnexplorer.gui.throughput.pane", "ThroughputPane", (Recipe(f"{_PLOTS}.throughput_chart", "ThroughputChart"),)
    ),
    "history": Recipe("lnexplorer.gui.history.pane", "HistoryPane"),
    "sweep": Recipe(
        "lnexplorer.gui.sweep.pane",
        "SweepPane",
    ),
    "experiments": Recipe("lnexplorer.gui.experiments.pane", "ExperimentsPane"),
    "touch": Recipe("lnexplorer.gui.memory_access.pane", "TouchPane"),
}
