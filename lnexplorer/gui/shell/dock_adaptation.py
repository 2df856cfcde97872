"""Docks go from side by side to tabs and back as the window's size asks for it, until somebody arranges them."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QPoint, QTimer
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget

from lnexplorer.gui.shell.dock_orders import Order, has_overview_room, order_for, order_on_show

LOST_MS = 2000  # Qt loses the release of a double click that puts a dock back, and says ever after that the button is held
SETTLED_MS = 250  # without another size; whoever draws a window's edge passes many
_CAUSES = (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.WindowStateChange, QEvent.Type.StyleChange)


class DockAdaptation(QObject):
    """Asks for another order where the window's size, or that of its text, has come to suit another one.

    Nobody's own arrangement is touched, and nothing happens while a button or a menu is held, or in full screen.

    Args:
        window: whose size is watched.
        docks: by name.
        change: puts the docks from one order into another.
    """

    def __init__(self, window: QMainWindow, docks: Mapping[str, QDockWidget], change: Callable[[Order, Order], None]) -> None:
        super().__init__(window)
        self._window, self._docks, self._change = window, docks, change
        self._chosen: bool | None = None  # side by side or not, at any size; None where the size decides
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(SETTLED_MS)
        self._later.timeout.connect(self._on_settled)
        self._pointer: QPoint | None = None  # where it was when a button was held
        self._stands = QElapsedTimer()  # there
        window.installEventFilter(self)

    @property
    def follows_size(self) -> bool:
        """Whether the docks are where the window's size has put them, rather than anybody's wish."""
        return self._chosen is None and order_on_show(self._window, self._docks) is not None

    def choose(self, *, overview: bool) -> None:
        """Somebody wants the pictures side by side, or not: at any size, if this one suggests the opposite."""
        self._chosen = None if overview == has_overview_room(self._window) else overview

    def take_over(self, *, follows_size: bool | None) -> None:
        """The docks are as they were left; None where nobody has noted whether the size had put them there.

        Then a window too small for what stands side by side gets tabs, and tabs in a large window were somebody's choice.
        """
        order = order_on_show(self._window, self._docks)
        self._chosen = order.overview if order is not None and follows_size is False else None
        if order is not None and follows_size is None and not order.overview:
            self.choose(overview=False)
        self._later.start()

    def adapt(self) -> None:
        """Have the order that suits the size, if nobody has arranged the docks otherwise."""
        order = order_on_show(self._window, self._docks)
        overview = has_overview_room(self._window) if self._chosen is None else self._chosen
        wanted = order_for(self._window, overview=overview)
        if order is not None and order != wanted:
            self._change(order, wanted)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Wait until no other size follows."""
        if watched is self._window and event.type() in _CAUSES:
            self._later.start()
        return False

    def _on_settled(self) -> None:
        window = self._window
        if not window.isVisible() or window.isMinimized() or window.isFullScreen():
            return  # another event follows
        layout = window.layout()
        styled_anew = layout is not None and not layout.isEnabled()
        if styled_anew or self._is_dragging() or QApplication.activePopupWidget() is not None:
            self._later.start()
        else:
            self.adapt()

    def _is_dragging(self) -> bool:
        if not QGuiApplication.mouseButtons():
            self._pointer = None
            return False
        if self._pointer != QCursor.pos():
            self._pointer = QCursor.pos()
            self._stands.start()
        return QWidget.mouseGrabber() is not None or self._stands.elapsed() < LOST_MS
