"""The window: a headline, a strip for messages, docks, menus and a status bar. It knows panes, no engine."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QMenuBar, QTabWidget, QVBoxLayout, QWidget

from lnexplorer.gui.charts.theme import DARK, GRID, Theme
from lnexplorer.gui.parameters.pane import ParametersPane
from lnexplorer.gui.shell.actions import Actions
from lnexplorer.gui.shell.dock_orders import has_overview_room
from lnexplorer.gui.shell.docks import Docks
from lnexplorer.gui.shell.headline import Headline
from lnexplorer.gui.shell.menus import Menus
from lnexplorer.gui.shell.message_strip import MessageStrip
from lnexplorer.gui.shell.status_bar import StatusBar

if TYPE_CHECKING:
    from lnexplorer.gui.correctness.pane import CorrectnessPane
    from lnexplorer.gui.experiments.pane import ExperimentsPane
    from lnexplorer.gui.history.pane import HistoryPane
    from lnexplorer.gui.memory_access.pane import TouchPane
    from lnexplorer.gui.reduction.pane import ReductionPane
    from lnexplorer.gui.sweep.pane import SweepPane
    from lnexplorer.gui.throughput.pane import ThroughputPane


MESSAGE_SHARE = 3  # of the window's height, a message takes at most one part in so many


class MainWindow(QMainWindow):
    """Made with its parameters only; the other panes come after the first paint."""

    firstPainted = Signal()  # noqa: N815
    closing = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = DARK
        self._painted = False
        self._dressed: dict[str, Theme] = {}
        self.correctness: CorrectnessPane | None = None
        self.throughput: ThroughputPane | None = None
        self.reduction: ReductionPane | None = None
        self.history: HistoryPane | None = None
        self.sweep: SweepPane | None = None
        self.experiments: ExperimentsPane | None = None
        self.touch: TouchPane | None = None
        self.setWindowTitle("lnexplorer")
        self.headline = Headline(self)
        self.message = MessageStrip(self)
        self.status = StatusBar(self)
        self.setStatusBar(self.status)
        self.bar = QMenuBar(self)
        self.setMenuWidget(self._top())
        self.setMinimumHeight(1)  # this window's layout makes it no higher than it was made: see `_give_room`
        self.setContentsMargins(GRID, 0, GRID, 0)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.actions_ = Actions(self)
        self.docks = Docks(self)
        self.menus = Menus(self.bar, self.actions_, self.docks.actions_)
        self.parameters = ParametersPane(self.docks.docks["parameters"])
        self._frame(self.parameters)
        self.docks.set_pane("parameters", self.parameters)
        for action in (*self.actions_.presets, self.actions_.next_theme):
            self.addAction(action)
        self.retranslate()

    def set_pane(self, name: str, pane: QWidget) -> None:
        """Put in a pane that was made later. What `dress_pane` and `frame_pane` have not done, this does."""
        if self._dressed.pop(name, None) is not self._theme:
            self.dress_pane(name, pane)
            del self._dressed[name]
        setattr(self, name, pane)
        self.docks.set_pane(name, pane)

    def dress_pane(self, name: str, pane: QWidget) -> None:
        """Give a pane that is to be put in the theme's colours, while nobody sees it."""
        self._frame(pane)
        pane.apply_theme(self._theme)  # type: ignore[attr-defined]  # every pane has it
        self._dressed[name] = self._theme

    def frame_pane(self, name: str, pane: QWidget) -> None:
        """Put a frame round a pane that is to be put in."""
        self.docks.frame(name, pane)

    def arrange(self, state: QByteArray | None = None, *, follows_size: bool | None = None, gpu: bool = False) -> None:
        """Arrange the docks as they were left, or as suits the size of the window and the device."""
        if state is None or not self.docks.restore(state, follows_size=follows_size, gpu=gpu):
            self.docks.arrange(overview=has_overview_room(self), gpu=gpu)

    def apply_theme(self, theme: Theme) -> None:
        """Colours of everything that paints by itself; the style sheet is the application's."""
        for step in self.theme_steps(theme):
            step()

    def theme_steps(self, theme: Theme) -> Iterator[Callable[[], object]]:
        """What `apply_theme` does, in steps."""
        self._theme = theme
        for part in (self.headline, self.message, self.status, self.parameters):
            yield partial(part.apply_theme, theme)
        late = (self.correctness, self.throughput, self.reduction, self.history, self.sweep, self.experiments, self.touch)
        for pane in late:
            if pane is not None:
                yield partial(pane.apply_theme, theme)

    def retranslate(self) -> None:
        """Set the texts of the window itself; its parts hear of the change by themselves."""
        self.actions_.retranslate()
        self.docks.retranslate()
        self.menus.retranslate()

    def set_full_screen(self, full: bool) -> None:
        """Fill the screen, or be again as before: a window that was maximised is so again."""
        other = self.windowState() & ~Qt.WindowState.WindowFullScreen
        self.setWindowState(other | Qt.WindowState.WindowFullScreen if full else other)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow a change of the language; the menu says whether the screen is full, whoever has filled it."""
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() is QEvent.Type.WindowStateChange:
            self.actions_.full_screen.setChecked(self.isFullScreen())
        super().changeEvent(event)

    def event(self, event: QEvent) -> bool:
        """Whatever has changed the room for a message, Qt has laid the window out by now."""
        done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._give_room()
        return done

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Tell once that the window has been painted."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self.firstPainted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Tell that the window goes."""
        self.closing.emit()
        super().closeEvent(event)

    def _give_room(self) -> None:
        """The panes have their least, then a message has room. A window that is lower than all that stays so low.

        Qt alone would make the window higher, for ever, with every message that the panes leave no room for.
        """
        layout, width = self.layout(), self.width()
        assert layout is not None, "a main window has one"
        parts = (self.bar, self.headline)
        heights = (part.heightForWidth(width) if part.hasHeightForWidth() else part.sizeHint().height() for part in parts)
        needed = sum(heights) + (GRID // 2) * len(parts) + layout.minimumSize().height()
        self.message.set_room(min(self.height() - needed, self.height() // MESSAGE_SHARE))
        if self.isVisible():
            self.setMinimumHeight(min(needed, self.height()))

    def _top(self) -> QWidget:
        top = QWidget(self)
        layout = QVBoxLayout(top)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.bar)
        layout.addWidget(self.headline)
        layout.addWidget(self.message)
        return top

    def _frame(self, pane: QWidget) -> None:
        if not pane.objectName():
            pane.setObjectName("pane")
        pane.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
