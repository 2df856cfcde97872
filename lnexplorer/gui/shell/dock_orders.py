"""The orders that docks are put into by themselves: where each stands in them, which suits a size, and whether one is on show."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from lnexplorer.gui.charts.theme import with_text

OVERVIEW_WIDTH = 1480  # px; narrower windows show one picture at a time
HISTORY_HEIGHT = 800  # px; in such windows, if they are lower, the history is a picture among them, too
PICTURES = ("reduction", "correctness", "throughput")
LATER = ("sweep", "experiments", "touch")  # behind the others at first

Group = tuple[str, ...]  # docks as tabs of one place


@dataclass(frozen=True, slots=True)
class Order:
    """The pictures side by side, or one at a time with the history below them or, where it is low, among them."""

    overview: bool
    low: bool = False

    def groups(self, *, gpu: bool) -> dict[Qt.DockWidgetArea, tuple[Group, ...]]:
        """What stands in each area from left to right, with its tabs from left to right.

        Args:
            gpu: whether there are speeds to be seen; without them the throughput stands behind the history.
        """
        area = Qt.DockWidgetArea
        form: tuple[Group, ...] = (("parameters",),)
        if self.overview:
            beside = ("throughput", "history") if gpu else ("history", "throughput")
            return {
                area.LeftDockWidgetArea: form,
                area.RightDockWidgetArea: (("reduction", *LATER),),
                area.BottomDockWidgetArea: (("correctness",), beside),
            }
        if self.low:
            return {area.LeftDockWidgetArea: form, area.RightDockWidgetArea: ((*PICTURES, "history", *LATER),)}
        return {
            area.LeftDockWidgetArea: form,
            area.RightDockWidgetArea: ((*PICTURES, *LATER),),
            area.BottomDockWidgetArea: (("history",),),
        }


ORDERS = (Order(overview=True), Order(overview=False), Order(overview=False, low=True))


def has_overview_room(window: QWidget) -> bool:
    """Whether all pictures can be read side by side."""
    return window.width() >= with_text(OVERVIEW_WIDTH)


def order_for(window: QWidget, *, overview: bool) -> Order:
    """The order with the pictures side by side or one at a time that suits the height of a window."""
    return Order(overview, low=not overview and window.height() < with_text(HISTORY_HEIGHT))


def order_on_show(window: QMainWindow, docks: Mapping[str, QDockWidget]) -> Order | None:
    """Which of the orders the docks are in, however large they are; None where somebody has arranged them otherwise.

    Of a window that is not seen yet, nobody can tell what is to the left and what to the right.
    """
    return next((order for order in ORDERS if _is_on_show(order, window, docks)), None)


def is_seen(dock: QDockWidget) -> bool:
    """Whether it is in the window and not behind a tab."""
    return dock.isVisible() and not dock.isFloating() and not dock.visibleRegion().isEmpty()


def _is_on_show(order: Order, window: QMainWindow, docks: Mapping[str, QDockWidget]) -> bool:
    for area, groups in order.groups(gpu=True).items():
        for group in groups:
            for name in group:
                dock = docks[name]
                tabs = [other.objectName() for other in window.tabifiedDockWidgets(dock)]
                in_place = not dock.isFloating() and not dock.isHidden() and window.dockWidgetArea(dock) is area
                if not in_place or tabs != [other for other in group if other != name]:
                    return False
        if window.isVisible() and not _are_side_by_side([[docks[name] for name in group] for group in groups]):
            return False
    return True


def _are_side_by_side(groups: list[list[QDockWidget]]) -> bool:
    seen = [next((dock.geometry() for dock in group if is_seen(dock)), None) for group in groups]
    for left, right in pairwise(seen):
        if left is None or right is None or left.right() >= right.left():
            return False
        if left.top() > right.bottom() or right.top() > left.bottom():
            return False
    return True
