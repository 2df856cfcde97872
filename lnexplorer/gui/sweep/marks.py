"""Where along N the heuristics choose otherwise, as short words above the curves. No Qt."""

from collections.abc import Iterable

from lnexplorer.domain.sweep.curves import Change
from lnexplorer.gui.charts.axes import ValueScale
from lnexplorer.gui.charts.mark_strip import AxisMark

# Beside an arrow from one value to the next these say enough, and the full names would not fit beside each other.
SHORT = {"block_size": "BLOCK", "num_warps": "warps", "group_size_m": "GROUP"}


def axis_marks(changes: Iterable[Change], scale: ValueScale) -> tuple[AxisMark, ...]:
    """One mark for each place, with all that changes there."""
    words: dict[float, list[tuple[str, str]]] = {}
    for change in changes:
        name = SHORT.get(change.name, change.name)
        texts = (f"{name} {change.before}→{change.after}", f"{name} {change.after}")
        words.setdefault(scale.place_of(change.at), []).append(texts)
    return tuple(AxisMark(x, *(" · ".join(texts) for texts in zip(*found, strict=True))) for x, found in words.items())
