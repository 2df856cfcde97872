"""How a window's docks share it when the window, or what is left of it below a message, becomes larger or smaller."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStyle, QTabBar

from lnexplorer.gui.shell.dock_orders import is_seen


@dataclass(frozen=True, slots=True)
class Arranged:
    """How large docks were in a window of some size."""

    size: QSize
    places: dict[QDockWidget, QRect]


class DockShares(QObject):
    """Keeps one dock as wide as its user has made it; the others keep their shares of what is left.

    Qt alone gives all that is gained to the docks at the edges: a form becomes half of a window that is made to fill the screen,
    and every message above the docks, once it is gone, has made the upper ones smaller.
    """

    def __init__(self, window: QMainWindow, kept: QDockWidget, docks: list[QDockWidget]) -> None:
        super().__init__(window)
        self._window, self._kept, self._docks = window, kept, docks
        self._size: QSize | None = None  # of the window, when it was last heard of
        self._sharing = False
        self._before = QSize()  # the window, when its docks were last arranged by hand or anew
        self._places: dict[QDockWidget, QRect] = {}  # of the docks then
        self._taken = 0  # px of their height that something above them has taken since
        self._wished: int | None = None  # px, how wide the kept dock is to be once all are in their places
        self._later = QTimer(self)  # which dock of a row of tabs is seen is known when all are in their places
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._note)
        window.installEventFilter(self)
        for dock in docks:
            dock.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Qt has laid the docks out by the time the window's filters hear of its size."""
        if event.type() is QEvent.Type.Resize:
            size = self._window.size()
            if watched is self._window:
                self._size = size
                self._later.stop()
                self._share(size)
            elif size == self._size and not self._sharing:
                self._later.start(0)
        elif event.type() is QEvent.Type.MouseButtonRelease and watched is self._window:
            QTimer.singleShot(0, self, self._lay_out)
        elif event.type() is QEvent.Type.Show and watched is self._window and self._wished is not None:
            self._later.start(0)
        return False

    def settle(self) -> None:
        """Do at once what waits for the docks to be in their places."""
        if self._later.isActive():
            self._later.stop()
            self._note()

    def arranged(self) -> Arranged:
        """How the docks are arranged, for `resume`."""
        return Arranged(self._before, dict(self._places))

    def resume(self, arranged: Arranged, kept: int) -> None:
        """Give docks that are in that order again the shares that they had in it; the kept one is so wide, in pixels."""
        self._before, self._places, self._taken = arranged.size, dict(arranged.places), 0
        self._share(self._window.size(), kept)

    def keep(self, width: int) -> None:
        """Docks that were restored in a window of another size: the kept one is so wide, in pixels, the others share the rest."""
        self._wished = width
        self._later.start(0)

    def _lay_out(self) -> None:
        """While an edge between docks is held Qt lays out nothing, not even for a message that has come, nor afterwards."""
        layout = self._window.layout()
        if layout is not None:
            layout.invalidate()
            layout.activate()

    def _note(self) -> None:
        if not self._window.isVisible():
            return  # nothing is seen, and all is where it was when the window comes back
        size, places = self._window.size(), self._seen()
        if self._wished is not None:
            self._before, self._places, self._taken = size, places, 0
            if self._kept in places:
                self._share(size, self._wished)
            self._wished, places = None, self._seen()
        elif places.keys() == self._places.keys():
            grown = size.height() - self._before.height()
            taken = _whole(self._places).height() + grown - _whole(places).height()
            if taken != self._taken:  # by no hand: a message came or went
                self._taken = taken
                self._share(size)
                return
        self._before, self._places, self._taken = size, places, 0

    def _seen(self) -> dict[QDockWidget, QRect]:
        return {dock: self._place(dock) for dock in self._docks if is_seen(dock)}

    def _place(self, dock: QDockWidget) -> QRect:
        """With the tabs above or below it, which Qt counts as a part of it."""
        place = dock.geometry()
        if self._window.tabifiedDockWidgets(dock):
            for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
                tabs = bar.geometry()
                beside = place.left() <= tabs.center().x() <= place.right()
                gaps = place.top() - tabs.bottom() - 1, tabs.top() - place.bottom() - 1
                if bar.isVisible() and beside and any(0 <= gap <= 1 for gap in gaps):
                    return place.united(tabs)
        return place

    def _share(self, size: QSize, keep: int | None = None) -> None:
        """From what was arranged, not from the last size: a window that is as large as before looks as before."""
        places = self._places
        if not places or not self._window.isVisible():
            return
        whole = _whole(places)
        was = places[self._kept].width() if self._kept in places else 0
        kept = was if keep is None else keep
        grown = size - self._before
        # Each dock with the gap beside it: gaps do not grow, and what is asked for has to fill the window.
        gap = self._window.style().pixelMetric(QStyle.PixelMetric.PM_DockWidgetSeparatorExtent, None, self._window)
        across = (whole.width() - kept + grown.width()) / max(whole.width() - was, 1)
        down = (whole.height() + gap + grown.height() - self._taken) / (whole.height() + gap)
        widths = [kept if dock is self._kept else round((place.width() + gap) * across) - gap for dock, place in places.items()]
        heights = [round((place.height() + gap) * down) - gap for place in places.values()]
        self._sharing = True
        try:
            self._window.resizeDocks(list(places), widths, Qt.Orientation.Horizontal)
            self._window.resizeDocks(list(places), heights, Qt.Orientation.Vertical)
        finally:
            self._sharing = False


def _whole(places: dict[QDockWidget, QRect]) -> QRect:
    whole = QRect()
    for place in places.values():
        whole = whole.united(place)
    return whole
