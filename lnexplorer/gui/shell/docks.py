"""The panes as docks: which there are, how they are put into an order, and what stands in for one that is not made yet."""

from functools import partial
from itertools import pairwise

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow, QScrollArea, QStyle, QTabBar, QWidget

from lnexplorer.gui.charts.theme import GRID, with_text
from lnexplorer.gui.responsive import IdleSteps
from lnexplorer.gui.shell.dock_adaptation import DockAdaptation
from lnexplorer.gui.shell.dock_orders import Order, is_seen, order_for
from lnexplorer.gui.shell.dock_shares import Arranged, DockShares
from lnexplorer.gui.shell.dock_state import packed, unpacked
from lnexplorer.gui.shell.dock_uses import DockUses

NAMES = ("parameters", "throughput", "correctness", "reduction", "history", "sweep", "experiments", "touch")  # Ctrl+1 … Ctrl+8
STATE_VERSION = 3
ROOMY_HEIGHT = 1060  # px
PARAMETERS_WIDTH = 42 * GRID
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
        self._steps = IdleSteps(self)
        self.docks = {name: self._dock(name) for name in NAMES}
        self._shares = DockShares(window, self.docks["parameters"], list(self.docks.values()))
        self._uses = DockUses(self.docks, self)
        self._adaptation = DockAdaptation(window, self.docks, self._change)
        # How large docks were in an order that the window's size has ended, and which were in front.
        self._left: dict[Order, tuple[Arranged, list[str]]] = {}
        self._gpu = False
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
        self._gpu = gpu
        self._left.clear()
        self._adaptation.choose(overview=overview)
        order = order_for(self._window, overview=overview)
        with self._uses.ignored():
            self._put(order)
            self.docks["reduction"].raise_()
            self.docks["reduction" if not overview else "throughput" if gpu else "history"].raise_()
        self._share(order, PARAMETERS_WIDTH)

    def restore(self, state: QByteArray, *, follows_size: bool | None = None, gpu: bool | None = None) -> bool:
        """The arrangement as it was left.

        Args:
            state: what `state` gave.
            follows_size: what `follows_size` gave; None where the state says it, or nobody knows.
            gpu: whether there are speeds to be seen; None where that is as before.

        Returns:
            False where it is not an arrangement of this version's.
        """
        kept = unpacked(state)
        with self._uses.ignored():
            restored = self._window.restoreState(kept.arrangement, STATE_VERSION)
        if restored:
            self._gpu = self._gpu if gpu is None else gpu
            self._left.clear()
            if kept.form is not None and kept.width != self._window.width():
                self._shares.keep(kept.form)  # Qt alone would give it all that is gained
            self._adaptation.take_over(follows_size=kept.follows_size if follows_size is None else follows_size)
        return restored

    @property
    def follows_size(self) -> bool:
        """Whether the docks are where the window's size has put them."""
        return self._adaptation.follows_size

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
        arrangement = bytes(self._window.saveState(STATE_VERSION).data())
        width, form = self._window.width(), self.docks["parameters"].width()
        return packed(arrangement, width=width, form=form, follows_size=self.follows_size)

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

    def _change(self, before: Order, after: Order) -> None:
        """Another size of the window suits another order: what was used last stays in front, and the form as wide as it is."""
        form, focus = self.docks["parameters"].width(), QApplication.focusWidget()
        seen = sorted((name for name in NAMES if is_seen(self.docks[name])), key=lambda name: self.docks[name].y())
        self._left[before] = self._shares.arranged(), seen
        arranged, seen_then = self._left.get(after, (None, []))
        self._window.setUpdatesEnabled(False)
        self._steps.add("paint", partial(self._window.setUpdatesEnabled, True))  # by then all is laid out
        with self._uses.ignored():
            self._put(after)
            for groups in after.groups(gpu=self._gpu).values():
                for group in groups:
                    known = (name for name in (*seen_then, *seen, *group) if name in group)
                    self.docks[self._uses.latest_of(group) or next(known)].raise_()
            if focus is not None and focus.isVisible():
                focus.setFocus(Qt.FocusReason.OtherFocusReason)
        if arranged is not None:
            self._shares.resume(arranged, form)
        else:
            self._share(after, form)

    def _put(self, order: Order) -> None:
        """Put every dock to its place, in front of which the first of its tabs is."""
        window, docks = self._window, self.docks
        places = order.groups(gpu=self._gpu)
        layout = window.layout()
        assert layout is not None, "a main window has one"
        kept = {groups[0][0] for area, groups in places.items() if self._is_alone_in(area, groups)}
        for name, dock in docks.items():
            if dock.isFloating():
                dock.setFloating(False)
            if name not in kept:
                layout.removeWidget(dock)  # the window's own way hides it, too: who types into it would have to begin anew
        for area, groups in places.items():
            if groups[0][0] not in kept:
                window.addDockWidget(area, docks[groups[0][0]])
            for left, right in pairwise(groups):
                window.splitDockWidget(docks[left[0]], docks[right[0]], Qt.Orientation.Horizontal)
            for group in groups:
                for one, other in pairwise(group):
                    window.tabifyDockWidget(docks[one], docks[other])
        for dock in docks.values():
            dock.show()
        for groups in places.values():
            for group in groups:
                docks[group[0]].raise_()

    def _is_alone_in(self, area: Qt.DockWidgetArea, groups: tuple[tuple[str, ...], ...]) -> bool:
        """Whether there is one dock for an area, which is there already, and no other."""
        there = [name for name, dock in self.docks.items() if self._window.dockWidgetArea(dock) is area]
        dock = self.docks[groups[0][0]]
        return [list(group) for group in groups] == [there] and not dock.isFloating() and not dock.isHidden()

    def _share(self, order: Order, form: int) -> None:
        window, docks = self._window, self.docks
        gap = window.style().pixelMetric(QStyle.PixelMetric.PM_DockWidgetSeparatorExtent, None, window)
        wide, tall = window.contentsRect().width() - gap - form, window.height()
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        # Per cent: the history's bar, its titles and three runs at least; in an overview the errors with their map, if the
        # numbers of the reduction have room all the same.
        bottom = 31 if not order.overview else 45 if tall >= with_text(ROOMY_HEIGHT) else 43
        window.resizeDocks([docks["parameters"], docks["reduction"]], [form, wide], across)
        window.resizeDocks([docks["reduction"], docks["history"]], [tall * (100 - bottom) // 100, tall * bottom // 100], down)
        if order.overview:
            beside = docks["throughput" if self._gpu else "history"]
            left = 50 if self._gpu else 58  # per cent; speeds need as much room as errors
            wide -= gap
            window.resizeDocks([docks["correctness"], beside], [wide * left // 100, wide - wide * left // 100], across)

    def _show_titles(self) -> None:
        """A dock behind a tab needs no title: its tab says it, and a double click there tears it off, as on a title."""
        for tabs in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            tabs.tabBarDoubleClicked.connect(self._tear_off, Qt.ConnectionType.UniqueConnection)
        for dock in self.docks.values():
            tabbed = bool(self._window.tabifiedDockWidgets(dock)) and not dock.isFloating()
            if tabbed == (dock.titleBarWidget() is None):
                bar = dock.titleBarWidget()
                dock.setTitleBarWidget(QWidget(dock) if tabbed else None)  # type: ignore[arg-type]  # None is Qt's own bar
                if bar is not None:
                    bar.deleteLater()

    @Slot(int)
    def _tear_off(self, tab: int) -> None:
        bar = self.sender()
        if isinstance(bar, QTabBar) and tab >= 0:
            for dock in self.docks.values():
                if dock.windowTitle() == bar.tabText(tab):
                    dock.setFloating(True)

    def _on_language_changed(self, name: str) -> None:
        """All panes at once would hold up the window for 80 ms; those that are seen come first."""
        if self.docks[name].visibleRegion().isEmpty():
            self._steps.add(f"queue {name}", partial(self._steps.add, name, partial(self._translate, name)))
        else:
            self._steps.add(name, partial(self._translate, name))

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
