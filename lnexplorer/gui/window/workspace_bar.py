"""The bar of workspaces at the left edge of the main window."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolButton, QWidget

from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.style import icon
from lnexplorer.gui.kit.theme import GRID, Theme
from lnexplorer.gui.kit.translate import translate_message
from lnexplorer.gui.kit.widgets import lay_column, restyle
from lnexplorer.gui.window.workspaces import WORKSPACES
from lnkernels.values.sentence import Sentence


class WorkspaceBar(Retranslated, QFrame):
    """A button for each workspace, from its action; below them buttons for newcomers, which catch
    the eye until they are used.
    """

    def __init__(
        self,
        actions: Sequence[QAction],
        doors: Sequence[tuple[Sentence, QAction]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("workspaces")
        self._doors = doors
        self.doors = [QToolButton(self) for _ in doors]
        self.buttons = [QToolButton(self) for _ in actions]
        self._column = lay_column(self, margins=GRID // 2, spacing=GRID // 2)
        for button, action in zip(self.buttons, actions, strict=True):
            button.setDefaultAction(action)
            button.setProperty("look", "workspace")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setIconSize(QSize(3 * GRID, 3 * GRID))
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._column.addWidget(button)
        self._column.addStretch(1)
        for button, (_, action) in zip(self.doors, doors, strict=True):
            button.clicked.connect(action.trigger)
            button.setProperty("look", "door")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._column.addWidget(button)
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
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

    def apply_theme(self, theme: Theme) -> None:
        for button, workspace in zip(self.buttons, WORKSPACES, strict=True):
            button.defaultAction().setIcon(
                icon(workspace.icon, theme.muted, checked=theme.accent, size=3 * GRID)
            )
        self._fit()
