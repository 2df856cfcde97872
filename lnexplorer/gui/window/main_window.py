"""The main window: a bar of workspaces, one of them, menus, a status bar, and messages; and its
layout, which is kept.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import TYPE_CHECKING, overload

from PySide6.QtCore import QEvent, QObject, QPoint, QSettings, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QMainWindow,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from lnexplorer.gui.kit import (
    GRID,
    Arranged,
    Retranslated,
    Theme,
    apply_theme,
    icon,
    lay_column,
    lay_row,
    polish,
    restyle,
    translate_message,
)
from lnexplorer.gui.window.actions import Actions
from lnexplorer.gui.window.headline import Heading, Headline
from lnexplorer.gui.window.menus import DOORS
from lnexplorer.gui.window.message_strip import MessageStrip
from lnexplorer.gui.window.status_bar import StatusBar
from lnexplorer.gui.window.workspace_view import WorkspaceView
from lnexplorer.gui.window.workspaces import (
    PARAMETERS,
    PARTS,
    REDUCTION,
    SWEEP,
    WORKSPACES,
    PaneEntry,
    PaneType,
    Workspace,
    workspace_of,
)
from lnexplorer.protocol.codec import from_plain
from lnkernels.values import Sentence, frozen

if TYPE_CHECKING:
    from lnexplorer.gui.panes.parameters.pane import ParametersPane

FIRST_SIZE = (1440, 900)  # px, where the screen is large enough


class MainWindow(QMainWindow):
    """Holds the panes, of which each is made when it is first asked for; knows no session."""

    firstPainted = Signal()
    closing = Signal()
    workspaceShown = Signal(str)
    paneMade = Signal(str)
    filesDropped = Signal(list)  # Path each

    def __init__(self) -> None:
        super().__init__()
        self.painted = False
        self._stale = set[WorkspaceView]()  # of which the look is an older one
        self.made: dict[str, QWidget] = {}  # panes, by the name of their part
        self.setWindowTitle("lnexplorer")
        self.setAcceptDrops(True)
        self.actions_ = Actions(self)
        self.setMenuBar(self.actions_)
        self.headline = Headline()
        self.status = StatusBar(self.actions_["stop"])
        self.setStatusBar(self.status)
        self.headings: dict[str, Heading] = {}  # by workspace
        self.folded = Heading(None, uses_parameters=True)  # the parameters, where they are a line
        self.folded.change.clicked.connect(lambda: self.show_part(PARAMETERS.name))
        self.views = {
            workspace.name: WorkspaceView(
                workspace,
                self._heading(workspace),
                self.folded if workspace is workspace_of(PARAMETERS.name) else None,
            )
            for workspace in WORKSPACES
        }
        self._stack = QStackedWidget(self)
        for view in self.views.values():
            self._stack.addWidget(view)
        doors = [(text, self.actions_[name]) for name, text in DOORS.items()]
        self.bar = WorkspaceBar(self.actions_.groups["workspaces"].actions(), doors)
        middle = QWidget(self)
        stack = lay_column(None, self._stack)
        self._row = lay_row(
            middle, self.bar, (stack, 1), margins=(0, 0, GRID, 0), spacing=GRID // 2
        )
        self.setCentralWidget(middle)
        self.message = MessageStrip(
            self.actions_["run"], self.actions_["run_few"], self.actions_["restart"], self
        )  # over the status bar, so that it moves nothing and covers no chart
        for watched in (self._stack, self.status.worker, self.status.step):
            watched.installEventFilter(self)
        self.actions_.groups["workspaces"].triggered.connect(
            lambda action: self.show_workspace(action.data())
        )
        run = self.views[workspace_of(PARAMETERS.name).name]
        self.folded.add_action(self.actions_["run"])
        self.headline.pin.setDefaultAction(self.actions_["pin"])
        self.actions_["fold"].triggered.connect(lambda folded: run.fold(wished=folded))
        run.folded.connect(self.actions_["fold"].setChecked)
        self.actions_["fill"].triggered.connect(lambda: self.view.fill(self.view.focused()))
        self.actions_["own_window"].triggered.connect(
            lambda: self.view.toggle_window(self.view.focused())
        )
        self.show_workspace(WORKSPACES[0].name)

    @property
    def workspace(self) -> str:
        return self.view.workspace.name

    @property
    def view(self) -> WorkspaceView:
        view = self._stack.currentWidget()
        assert isinstance(view, WorkspaceView)
        return view

    @property
    def parameters(self) -> "ParametersPane":
        return self.pane(PARAMETERS)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event):
            event.setDropAction(Qt.DropAction.CopyAction)  # a moved file may be deleted
            event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        if paths := _dropped(event):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.filesDropped.emit(paths)

    @overload
    def pane(self, part: PaneEntry[PaneType]) -> PaneType: ...

    @overload
    def pane(self, part: str) -> QWidget: ...

    def pane(self, part: PaneEntry[PaneType] | str) -> QWidget:
        """Return the pane of a part; it is made now if it was not before."""
        name = part if isinstance(part, str) else part.name
        if name not in self.made:
            self.set_pane(name, PARTS[name].make())
        return self.made[name]

    def action(self, name: str) -> QAction:
        return self.actions_[name]

    def devices(self) -> tuple[str, ...]:
        """Return the devices in the menu, as the command line names them."""
        return tuple(str(each.data()) for each in self.actions_.groups["devices"].actions())

    def set_pane(self, name: str, pane: QWidget) -> None:
        self.made[name] = pane
        frame = self.views[workspace_of(name).name].frames[name]
        frame.set_pane(pane)
        # A file is opened wherever it is dropped, and its address typed nowhere.
        for line in pane.findChildren(QLineEdit):
            line.setAcceptDrops(False)
        apply_theme(pane)
        self.paneMade.emit(name)

    def show_about(self, workspace: str, about: str) -> None:
        """Name what a workspace shows in its headline; the empty text names the parameters."""
        self.headings[workspace].show_about(about)

    def show_workspace(self, name: str) -> None:
        """Bring a workspace to the front. Its panes that are missing come soon."""
        view = self.views[name]
        if view in self._stale:
            self._stale.remove(view)
            polish(view)
            apply_theme(view)
        self._stack.setCurrentWidget(view)
        self.actions_.check("workspaces", name)
        self.workspaceShown.emit(name)

    def show_part(self, name: str) -> None:
        self.pane(name)
        workspace = workspace_of(name).name
        self.views[workspace].show_part(name)
        self.show_workspace(workspace)

    def put_beside(self, widget: QWidget) -> None:
        """Have something stand at the right of every workspace."""
        self._row.addWidget(widget)

    def apply_theme(self) -> None:
        """Draw in the theme in force; workspaces that are hidden do so when they are shown."""
        self._stale = hidden_views(self)
        shown = [view for view in self.views.values() if view not in self._stale]
        own_windows = [own for view in self.views.values() for own in view.windows.values()]
        for part in (self.message, self.status, self.bar, *shown, *own_windows):
            apply_theme(part)

    def set_full_screen(self, full: bool) -> None:
        """Fill the screen, or be again as before: a window that was maximised is so again."""
        if full is not self.isFullScreen():
            self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.WindowStateChange:
            self.actions_["full_screen"].setChecked(self.isFullScreen())
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Play or pause with a space bar that no widget wanted; cancel a sweep on show with Esc."""
        if event.key() == Qt.Key.Key_Space and REDUCTION.name in self.view.frames:
            player = self.pane(REDUCTION).player
            player.set_playing(not player.playing)
        if event.key() == Qt.Key.Key_Escape and SWEEP.name in self.view.frames:
            self.pane(SWEEP).bar.cancel.click()
        super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        moves = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)
        if event.type() in moves:
            self._place_message()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.painted:
            self.painted = True
            self.firstPainted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit()
        super().closeEvent(event)

    def _place_message(self) -> None:
        worker, job = self.status.worker, self.status.step
        left = max(
            self._stack.mapTo(self, QPoint(0, 0)).x(),
            worker.mapTo(self, QPoint(worker.width(), 0)).x() + GRID,
        )
        right = job.mapTo(self, QPoint(0, 0)).x() if job.isVisible() else self.width()
        self.message.place(left, self.height(), right - GRID - left)

    def _heading(self, workspace: Workspace) -> QWidget:
        if workspace is WORKSPACES[0]:
            return self.headline
        heading = Heading(workspace.title, uses_parameters=workspace.uses_parameters)
        heading.change.clicked.connect(lambda: self.show_part(PARAMETERS.name))
        self.headings[workspace.name] = heading
        return heading


def hidden_views(window: MainWindow) -> set[WorkspaceView]:
    """Return the views that take a new look when they are shown: all but the one on show, once the
    window is.
    """
    return {*window.views.values()} - {window.view} if window.painted else set()


def _dropped(event: QDropEvent) -> list[Path]:
    """Return the files of this machine that are being dropped."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


@frozen
class Layout:
    """The workspace on show, how each shares its room, and where parameters are folded."""

    workspace: str
    sizes: dict[str, list[str]]
    folded: dict[str, bool | None] = field(default_factory=dict)


def layout_text(window: MainWindow) -> str:
    """Return the layout, for a file."""
    layout = Layout(
        window.workspace,
        {name: view.sizes() for name, view in window.views.items()},
        {name: view.fold_wished for name, view in window.views.items()},
    )
    return json.dumps(asdict(layout))


def restore_layout(window: MainWindow, text: str) -> None:
    """Apply the layout of `layout_text`; any other text changes nothing."""
    try:
        kept = from_plain(json.loads(text), Layout)
    except ValueError:
        return
    for name, view in window.views.items():
        view.set_sizes(kept.sizes.get(name, []))
        view.fold(wished=kept.folded.get(name))
    if kept.workspace in window.views:
        window.show_workspace(kept.workspace)


def place_window(window: MainWindow, kept: QSettings, size: tuple[int, int] | None) -> None:
    """Put the window where it was left; `size` overrules that."""
    geometry = kept.value("geometry")
    if size is not None:
        window.resize(*size)
    elif geometry is None or not window.restoreGeometry(geometry):
        available = window.screen().availableGeometry().size()
        window.resize(min(FIRST_SIZE[0], available.width()), min(FIRST_SIZE[1], available.height()))
    restore_layout(window, str(kept.value("layout") or ""))


def keep_place(window: MainWindow, kept: QSettings) -> None:
    """Keep place and layout for the next start."""
    for view in window.views.values():
        view.close_windows()
    kept.setValue("geometry", window.saveGeometry())
    kept.setValue("layout", layout_text(window))


class WorkspaceBar(Retranslated, Arranged, QFrame):
    """A button for each workspace, from its action; below them buttons for newcomers, which catch
    the eye until they are used.
    """

    def __init__(
        self,
        actions: Sequence[QAction],
        doors: Sequence[tuple[Sentence, QAction]],
    ) -> None:
        super().__init__(objectName="workspaces")
        self._doors = doors
        self.doors = [QToolButton(self) for _ in doors]
        self.buttons = [QToolButton(self) for _ in actions]
        for button in (*self.buttons, *self.doors):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for button, action in zip(self.buttons, actions, strict=True):
            button.setDefaultAction(action)
            button.setProperty("look", "workspace")
            button.setIconSize(QSize(3 * GRID, 3 * GRID))
        for button, (_, action) in zip(self.doors, doors, strict=True):
            button.clicked.connect(action.trigger)
            button.setProperty("look", "door")
        self._column = lay_column(
            self, *self.buttons, 1, *self.doors, margins=GRID // 2, spacing=GRID // 2
        )
        self.retranslate()

    def show_used(self, place: int, *, used: bool) -> None:
        """Stop a way in from catching the eye once it was used."""
        restyle(self.doors[place], "state", "used" if used else "new")

    def retranslate(self) -> None:
        for button, (text, action) in zip(self.doors, self._doors, strict=True):
            button.setText(translate_message(text).replace(" ", "\n", 1))
            button.setToolTip(action.toolTip())
            button.setAccessibleName(translate_message(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)  # a low window has words without icons

    def arrange(self) -> None:
        """Icons where there is room for all of them."""
        for style in (
            Qt.ToolButtonStyle.ToolButtonTextUnderIcon,
            Qt.ToolButtonStyle.ToolButtonTextOnly,
        ):
            for button in self.buttons:
                button.setToolButtonStyle(style)
            self._column.invalidate()
            if self._column.sizeHint().height() <= self.height():
                break

    def apply_theme(self) -> None:
        theme = Theme.current
        for button, workspace in zip(self.buttons, WORKSPACES, strict=True):
            button.defaultAction().setIcon(
                icon(workspace.icon, theme.muted, checked=theme.accent, size=3 * GRID)
            )
        self.arrange()
