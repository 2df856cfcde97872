"""What stands in the place of a picture that is not there: why, and what to do."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from lnexplorer.gui.shell.theme import GRID

TEXT_WIDTH = 560


class Notice(QWidget):
    """A title, a few sentences and, where there is something to do here, a button."""

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.body, self.button = QLabel(), QLabel(), QPushButton()
        column = QWidget()
        column.setMaximumWidth(TEXT_WIDTH)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addStretch(1)
        for label, look in ((self.title, "title"), (self.body, "empty")):
            label.setProperty("look", look)
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(label)
        self.button.setVisible(False)
        self.button.clicked.connect(self.acted)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addStretch(1)
        outer.addWidget(column, 100)
        outer.addStretch(1)

    def set_text(self, title: str, body: str, action: str = "", action_help: str = "") -> None:
        """Say what is missing, and what to do; without `action` there is no button."""
        self.title.setText(title)
        self.body.setText(body)
        self.button.setText(action)
        self.button.setToolTip(action_help)
        self.button.setAccessibleName(action)
        self.button.setVisible(bool(action))


def fill_with_stack(pane: QWidget, notice: Notice) -> tuple[QStackedWidget, QWidget]:
    """Fill a pane with its notice and, behind it, a widget for everything else.

    Returns:
        The stack, in which the notice is the first, and that widget, which is empty.
    """
    # From the outside in: whatever is put into something else later takes its look anew, with all that it holds.
    outer = QVBoxLayout(pane)
    outer.setContentsMargins(0, 0, 0, 0)
    stack = QStackedWidget(pane)
    outer.addWidget(stack)
    content = QWidget(stack)
    stack.addWidget(notice)
    stack.addWidget(content)
    return stack, content
