"""The panes as docks: which there are, where they are at first, and what stands in for one that is not made yet."""

from functools import partial

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow, QScrollArea, QWidget

from lnexplorer.gui.dock_shares import DockShares
from lnexplorer.gui.steps import StepQueue
from lnexplorer.gui.style import with_text
from lnexplorer.gui.theme import GRID

NAMES = ("parameters", "throughput", "correctness", "reduction", "history", "sweep", "experiments", "touch")  # Ctrl+1 … Ctrl+8
STATE_VERSION = 3
OVERVIEW_WIDTH = 1480  # px; narrower windows show one picture at a time
HISTORY_HEIGHT = 800  # px; in such windows, if they are lower, the history is a picture among them, too
ROOMY_HEIGHT = 1060  # px
PARAMETERS_WIDTH = 43 * GRID
SMALLEST = 12 * GRID


class _Frame(QScrollArea):
    """Holds a pane, and lets it be scrolled where its dock is smaller than it needs: no pane makes the window grow."""

    def __init__(self, pane: QWidget, dock: QWidget) -> None:
        super().__init__(dock)  # a pane that is moved once takes its look anew once
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self.setWidget(pane)
        # The palette, not the style sheet, fills what stands in a scroll area.
        pane.setAutoFillBackground(False)
        first = pane if pane.focusPolicy() != Qt.FocusPolicy.NoFocus or pane.focusProxy() else pane.nextInFocusChain()
        if first is not None and (first is pane or pane.isAncestorOf(first)):
            self.setFocusProxy(first)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Small enough for every arrangement, and as high as the pane asks for of itself."""
        pane = self.widget()
        return QSize(SMALLEST, max(SMALLEST, pane.minimumHeight() + 2 * self.frameWidth() if pane is not None else 0))

    def sizeHint(self) -> QSize:  # noqa: N802
        """What the pane would like."""
        pane = self.widget()
        return pane.sizeHint() if pane is not None else super().sizeHint()


class _Dock(QDockWidget):
    """Keeps a change of the language from its pane until the pane's turn has come."""

    languageChanged = Signal()  # noqa: N815

    def event(self, event: QEvent) -> bool:
        """Everything else is as in any dock."""
        if event.type() is QEvent.Type.LanguageChange:
            self.languageChanged.emit()
            return True
        return super().event(event)


class Docks(QObject):
    """Docks of a main window, each with an action that brings it to the front."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._frames: dict[str, QWidget] = {}  # of panes that are not in their docks yet
        self._translations = StepQueue(self)
        self.docks = {name: self._dock(name) for name in NAMES}
        self._shares = DockShares(window, self.docks["parameters"], list(self.docks.values()))
        self.actions_ = [self._action(number, name) for number, name in enumerate(NAMES, 1)]
        self._titles = QTimer(self)
        self._titles.setSingleShot(True)
        self._titles.timeout.connect(self._show_titles)
        for name, dock in self.docks.items():
            dock.languageChanged.connect(partial(self._on_language_changed, name))
            for signal in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
                signal.connect(lambda *_: self._titles.start(0))
        window.setDockNestingEnabled(True)
        window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.TopLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)

    def set_pane(self, name: str, pane: QWidget) -> None:
        """Put a pane into its dock."""
        placeholder = self.docks[name].widget()
        self.frame(name, pane)
        self.docks[name].setWidget(self._frames.pop(name))
        if placeholder is not None:
            placeholder.deleteLater()

    def frame(self, name: str, pane: QWidget) -> None:
        """Make what holds a pane in its dock, if it is not there yet."""
        if name not in self._frames:
            # The form scrolls by itself, and keeps its buttons and the consequences in sight.
            self._frames[name] = pane if name == "parameters" else _Frame(pane, self.docks[name])

    def show_pane(self, name: str) -> None:
        """Bring a pane to the front and give it the keyboard."""
        dock = self.docks[name]
        dock.show()
        dock.raise_()
        dock.widget().setFocus(Qt.FocusReason.ShortcutFocusReason)

    def arrange(self, *, overview: bool, gpu: bool) -> None:
        """Put every dock back to its place.

        Args:
            overview: the pictures side by side; otherwise one at a time.
            gpu: whether there are speeds to be seen; without them the throughput stands behind the history.
        """
        window, docks = self._window, self.docks
        for dock in docks.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, docks["parameters"])
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, docks["reduction"])
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, docks["history"])
        if overview:
            first, second = ("throughput", "history") if gpu else ("history", "throughput")
            window.splitDockWidget(docks["history"], docks["correctness"], Qt.Orientation.Horizontal)
            window.splitDockWidget(docks["correctness"], docks[first], Qt.Orientation.Horizontal)
            window.tabifyDockWidget(docks[first], docks[second])
        else:
            window.tabifyDockWidget(docks["reduction"], docks["correctness"])
            window.tabifyDockWidget(docks["correctness"], docks["throughput"])
            if window.height() < with_text(HISTORY_HEIGHT):
                window.tabifyDockWidget(docks["throughput"], docks["history"])
        window.tabifyDockWidget(docks["reduction" if overview else "throughput"], docks["sweep"])
        window.tabifyDockWidget(docks["sweep"], docks["experiments"])
        window.tabifyDockWidget(docks["experiments"], docks["touch"])
        for dock in docks.values():
            dock.show()
        docks["reduction"].raise_()
        docks["throughput" if overview and gpu else "history" if overview else "reduction"].raise_()
        self._share(overview=overview, gpu=gpu)

    def restore(self, state: QByteArray) -> bool:
        """The arrangement as it was left; False where it is not one of this version's."""
        return self._window.restoreState(state, STATE_VERSION)

    def settle(self) -> None:
        """Lay the docks out at once, as they are after something above them came or went."""
        for widget in (self._window.menuWidget(), self._window):
            layout = widget.layout() if widget is not None else None
            if layout is not None:
                layout.invalidate()
                layout.activate()
        self._shares.settle()

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
            "sweep": self.tr("Sweep"),
            "experiments": self.tr("Experiments"),
            "touch": self.tr("Touched"),
        }
        for name, dock in self.docks.items():
            dock.setWindowTitle(titles[name])
        for action in self.actions_:
            action.setText(titles[action.data()])
            action.setToolTip(self.tr("Bring this pane to the front ({keys})").format(keys=action.shortcut().toString()))

    def _share(self, *, overview: bool, gpu: bool) -> None:
        window, docks = self._window, self.docks
        wide, tall = window.width() - PARAMETERS_WIDTH, window.height()
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        # Per cent: the history's bar, its titles and three runs at least; in an overview the errors with their map, if the
        # numbers of the reduction have room all the same.
        bottom = 31 if not overview else 45 if tall >= with_text(ROOMY_HEIGHT) else 43
        window.resizeDocks([docks["parameters"], docks["reduction"]], [PARAMETERS_WIDTH, wide], across)
        window.resizeDocks([docks["reduction"], docks["history"]], [tall * (100 - bottom) // 100, tall * bottom // 100], down)
        if overview:
            beside = docks["throughput" if gpu else "history"]
            left = 50 if gpu else 58  # per cent; speeds need as much room as errors
            window.resizeDocks([docks["correctness"], beside], [wide * left // 100, wide * (100 - left) // 100], across)

    def _show_titles(self) -> None:
        """A dock behind a tab needs no title: its tab says it, and can be torn off by it."""
        for dock in self.docks.values():
            tabbed = bool(self._window.tabifiedDockWidgets(dock)) and not dock.isFloating()
            if tabbed == (dock.titleBarWidget() is None):
                bar = dock.titleBarWidget()
                dock.setTitleBarWidget(QWidget(dock) if tabbed else None)  # type: ignore[arg-type]  # None is Qt's own bar
                if bar is not None:
                    bar.deleteLater()

    def _on_language_changed(self, name: str) -> None:
        """All panes at once would hold up the window for 80 ms; those that are seen come first."""
        if self.docks[name].visibleRegion().isEmpty():
            self._translations.add(f"queue {name}", partial(self._translations.add, name, partial(self._translate, name)))
        else:
            self._translations.add(name, partial(self._translate, name))

    def _translate(self, name: str) -> None:
        pane = self.docks[name].widget()
        if pane is not None:
            QCoreApplication.sendEvent(pane, QEvent(QEvent.Type.LanguageChange))

    def toggle_floating(self) -> None:
        """Tear off the pane that has the keyboard, or put it back."""
        focus = QApplication.focusWidget()
        for dock in self.docks.values():
            if focus is not None and dock.isAncestorOf(focus):
                dock.setFloating(not dock.isFloating())

    def _dock(self, name: str) -> _Dock:
        dock = _Dock(self._window)
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
