"""What stands small below a caption: what recording cost, wherever recorded times are shown."""

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from lnexplorer.domain.lecture.material import Material
from lnexplorer.domain.lecture.storyboard import Charted, Played, Raced, Scene
from lnexplorer.domain.wording import significant
from lnexplorer.gui.reduction.painter.wording import time_text

translate = QCoreApplication.translate


def aside(scene: Scene, material: Material) -> str:
    """A second line below a caption; empty where no recorded time is shown, or nobody measured what recording cost."""
    match scene:
        case Played(True, group_size_m):
            cost = material.costs.get(group_size_m)
            if cost is None:
                return ""
            form = translate("lecture", "Recording cost {0}: the pass took {1}, and {2} without it.")
            return form.format(share_text(cost.share), time_text(cost.traced_ns), time_text(cost.plain_ns))
        case Charted(_, True):
            return range_text(cost.share for cost in material.costs.values())
        case Raced() if material.strategies is not None and any(each.cost for each in material.strategies.timelines):
            return translate("lecture", "Compared as on the right, with launches; below: the cost of recording.")
    return ""


def range_text(costs: Iterable[float]) -> str:
    """What recording added to several passes; empty of none.

    Args:
        costs: shares, 0.02 is 2 %.
    """
    sorted_costs = sorted(costs)
    if not sorted_costs:
        return ""
    form = translate("lecture", "What recording added to the passes: {0} to {1}.")
    return form.format(share_text(sorted_costs[0]), share_text(sorted_costs[-1]))


def share_text(share: float) -> str:
    """What recording added to a pass, in per cent, with its sign."""
    return f"{'−' if share < 0 else '+'}{significant(abs(100 * share), 2)}\u00a0%"
