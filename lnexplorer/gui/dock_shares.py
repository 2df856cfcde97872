"""How a window's docks share it when the window itself becomes larger or smaller."""

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar


class DockShares(QObject):
    """Keeps one dock as wide as its user has made it; the others keep their shares of what is left.

    Qt alone gives all that is gained to the docks at the edges: a form becomes half of a window that is made to fill the screen.
    """

    def __init__(self, window: QMainWindow, kept: QDockWidget, docks: list[QDockWidget]) -> None:
        super().__init__(window)
        self._window, self._kept, self._docks = window, kept, docks
        self._size: QSize | None = None  # of the window, when it was last heard of
        self._sharing = False
        self._before = QSize()  # the window, when its docks were last arranged by hand or anew
        self._places: dict[QDockWidget, QRect] = {}  # of the docks then
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
        return False

    def _note(self) -> None:
        self._before = self._window.size()
        self._places = {dock: self._place(dock) for dock in self._docks if _counts(dock)}

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

    def _share(self, size: QSize) -> None:
        """From what was arranged, not from the last size: a window that is as large as before looks as before."""
        places = self._places
        if not places or not self._window.isVisible():
            return
        whole = QRect()
        for place in places.values():
            whole = whole.united(place)
        kept = places[self._kept].width() if self._kept in places else 0
        grown = size - self._before
        across = (whole.width() - kept + grown.width()) / max(whole.width() - kept, 1)
        down = (whole.height() + grown.height()) / whole.height()
        widths = [kept if dock is self._kept else round(place.width() * across) for dock, place in places.items()]
        heights = [round(place.height() * down) for place in places.values()]
        self._sharing = True
        try:
            self._window.resizeDocks(list(places), widths, Qt.Orientation.Horizontal)
            self._window.resizeDocks(list(places), heights, Qt.Orientation.Vertical)
        finally:
            self._sharing = False


def _counts(dock: QDockWidget) -> bool:
    """One behind a tab has the size that it had when it was last seen."""
    return dock.isVisible() and not dock.isFloating() and not dock.visibleRegion().isEmpty()
