"""The window: a headline, a strip for messages, five docks, menus and a status bar. It knows panes, no engine."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QTabWidget, QToolBar, QWidget

from lnexplorer.gui.actions import Actions
from lnexplorer.gui.docks import OVERVIEW_WIDTH, Docks
from lnexplorer.gui.headline import Headline
from lnexplorer.gui.menus import Menus
from lnexplorer.gui.message_strip import MessageStrip
from lnexplorer.gui.panes.parameters import ParametersPane
from lnexplorer.gui.status_bar import StatusBar
from lnexplorer.gui.theme import DARK, GRID, Theme

if TYPE_CHECKING:
    from lnexplorer.gui.panes.correctness import CorrectnessPane
    from lnexplorer.gui.panes.history import HistoryPane
    from lnexplorer.gui.panes.reduction import ReductionPane
    from lnexplorer.gui.panes.throughput import ThroughputPane


class MainWindow(QMainWindow):
    """Made with its parameters only; the other panes come after the first paint."""

    firstPainted = Signal()
    closing = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = DARK
        self._painted = False
        self._arranged = False
        self.correctness: CorrectnessPane | None = None
        self.throughput: ThroughputPane | None = None
        self.reduction: ReductionPane | None = None
        self.history: HistoryPane | None = None
        self.setWindowTitle("lnexplorer")
        self.headline = Headline(self)
        self.message = MessageStrip(self)
        self.status = StatusBar(self)
        self.setStatusBar(self.status)
        self._headline_bar = self._strip(self.headline, "headline bar")
        self.addToolBarBreak()
        self._message_bar = self._strip(self.message, "message bar")
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.actions_ = Actions(self)
        self.docks = Docks(self)
        self.menus = Menus(self, self.actions_, self.docks.actions_)
        self.parameters = ParametersPane()
        self._frame(self.parameters)
        self.docks.set_pane("parameters", self.parameters)
        for action in (*self.actions_.presets, self.actions_.next_theme):
            self.addAction(action)
        self.retranslate()

    def set_pane(self, name: str, pane: QWidget) -> None:
        """Put in a pane that was made later."""
        setattr(self, name, pane)
        self._frame(pane)
        pane.apply_theme(self._theme)  # type: ignore[attr-defined]  # every pane has it
        self.docks.set_pane(name, pane)

    def arrange(self, state: QByteArray | None = None) -> None:
        """Arrange the docks as they were left, or as suits the size of the window."""
        if state is None or not self.docks.restore(state):
            self.docks.arrange(overview=self.width() >= OVERVIEW_WIDTH)
        self._headline_bar.show()

    def apply_theme(self, theme: Theme) -> None:
        """Colours of everything that paints by itself; the style sheet is the application's."""
        self._theme = theme
        for part in (self.headline, self.message, self.status, self.parameters):
            part.apply_theme(theme)
        for pane in (self.correctness, self.throughput, self.reduction, self.history):
            if pane is not None:
                pane.apply_theme(theme)

    def retranslate(self) -> None:
        """Set the texts of the window itself; its parts hear of the change by themselves."""
        self.actions_.retranslate()
        self.docks.retranslate()
        self.menus.retranslate()
        self._headline_bar.setWindowTitle(self.tr("Result"))
        self._message_bar.setWindowTitle(self.tr("Message"))

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of the language."""
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell once that the window has been painted."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self.firstPainted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Tell that the window goes."""
        self.closing.emit()
        super().closeEvent(event)

    def _strip(self, widget: QWidget, name: str) -> QToolBar:
        bar = QToolBar(self)
        bar.setObjectName(name)
        bar.setMovable(False)
        bar.setFloatable(False)
        bar.toggleViewAction().setEnabled(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.setContentsMargins(GRID, 0, GRID, GRID // 2)
        bar.addWidget(widget)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, bar)
        return bar

    def _frame(self, pane: QWidget) -> None:
        if not pane.objectName():
            pane.setObjectName("pane")
        pane.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
