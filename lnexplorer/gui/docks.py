"""The panes as docks: which there are, where they are at first, and what stands in for one that is not made yet."""

from PySide6.QtCore import QByteArray, QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDockWidget, QLabel, QMainWindow, QWidget

from lnexplorer.gui.theme import GRID

NAMES = ("parameters", "throughput", "correctness", "reduction", "history")  # Ctrl+1 … Ctrl+5
STATE_VERSION = 1
OVERVIEW_WIDTH = 1480  # px; narrower windows show one picture at a time
PARAMETERS_WIDTH = 46 * GRID


class Docks(QObject):
    """Five docks of a main window, each with an action that brings it to the front."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.docks = {name: self._dock(name) for name in NAMES}
        self.actions_ = [self._action(number, name) for number, name in enumerate(NAMES, 1)]
        window.setDockNestingEnabled(True)
        window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.TopLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)

    def set_pane(self, name: str, pane: QWidget) -> None:
        """Put a pane into its dock."""
        placeholder = self.docks[name].widget()
        pane.setParent(self.docks[name])
        self.docks[name].setWidget(pane)
        if placeholder is not None:
            placeholder.deleteLater()

    def pane(self, name: str) -> QWidget:
        """What is in a dock."""
        return self.docks[name].widget()

    def show_pane(self, name: str) -> None:
        """Bring a pane to the front and give it the keyboard."""
        dock = self.docks[name]
        dock.show()
        dock.raise_()
        widget = dock.widget()
        target = widget.nextInFocusChain() if widget.focusPolicy() == Qt.FocusPolicy.NoFocus else widget
        (target or widget).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def arrange(self, *, overview: bool) -> None:
        """Put every dock back to its place: three pictures side by side, or one at a time."""
        window, docks = self._window, self.docks
        for dock in docks.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, docks["parameters"])
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, docks["reduction"])
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, docks["history"])
        if overview:
            window.splitDockWidget(docks["reduction"], docks["correctness"], Qt.Orientation.Horizontal)
            window.splitDockWidget(docks["correctness"], docks["throughput"], Qt.Orientation.Vertical)
        else:
            window.tabifyDockWidget(docks["reduction"], docks["correctness"])
            window.tabifyDockWidget(docks["correctness"], docks["throughput"])
        for dock in docks.values():
            dock.show()
        docks["reduction"].raise_()
        self._share(overview=overview)

    def restore(self, state: QByteArray) -> bool:
        """The arrangement as it was left; False where it is not one of this version's."""
        return self._window.restoreState(state, STATE_VERSION)

    def state(self) -> QByteArray:
        """The arrangement as it is."""
        return self._window.saveState(STATE_VERSION)

    def retranslate(self) -> None:
        """Set all titles in the current language."""
        titles = {
            "parameters": self.tr("Parameters"),
            "throughput": self.tr("Throughput"),
            "correctness": self.tr("Correctness"),
            "reduction": self.tr("Reduction"),
            "history": self.tr("History"),
        }
        for name, dock in self.docks.items():
            dock.setWindowTitle(titles[name])
        for action in self.actions_:
            action.setText(titles[action.data()])
            action.setToolTip(self.tr("Bring this pane to the front ({keys})").format(keys=action.shortcut().toString()))

    def _share(self, *, overview: bool) -> None:
        window, docks = self._window, self.docks
        wide = window.width() - PARAMETERS_WIDTH
        tall = window.height()
        if overview:
            columns = [docks["parameters"], docks["reduction"], docks["correctness"]]
            window.resizeDocks(columns, [PARAMETERS_WIDTH, wide * 60 // 100, wide * 40 // 100], Qt.Orientation.Horizontal)
            window.resizeDocks(
                [docks["correctness"], docks["throughput"]], [tall * 45 // 100, tall * 30 // 100], Qt.Orientation.Vertical
            )
        else:
            window.resizeDocks([docks["parameters"], docks["reduction"]], [PARAMETERS_WIDTH, wide], Qt.Orientation.Horizontal)
        window.resizeDocks([docks["reduction"], docks["history"]], [tall * 80 // 100, tall * 20 // 100], Qt.Orientation.Vertical)

    def _dock(self, name: str) -> QDockWidget:
        dock = QDockWidget(self._window)
        dock.setObjectName(name)
        placeholder = QLabel("…", dock)
        placeholder.setAlignment(Qt.AlignmentFlag.AlignCenter)
        placeholder.setProperty("look", "empty")
        dock.setWidget(placeholder)
        return dock

    def _action(self, number: int, name: str) -> QAction:
        action = QAction(self._window)
        action.setData(name)
        action.setShortcut(QKeySequence(f"Ctrl+{number}"))
        action.triggered.connect(lambda: self.show_pane(name))
        return action
