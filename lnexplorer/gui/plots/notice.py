"""What stands in the place of a picture that is not there: why, and what to do."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from lnexplorer.gui.theme import GRID

TEXT_WIDTH = 560


class Notice(QWidget):
    """A title, a few sentences and, where there is something to do here, a button."""

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        self.title, self.body, self.button = QLabel(), QLabel(), QPushButton()
        for label, look in ((self.title, "title"), (self.body, "empty")):
            label.setProperty("look", look)
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setMaximumWidth(TEXT_WIDTH)
        self.button.setVisible(False)
        self.button.clicked.connect(self.acted)
        layout.addStretch(1)
        for label in (self.title, self.body):
            row = QVBoxLayout()
            row.addWidget(label)
            layout.addLayout(row)
            layout.setAlignment(row, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)

    def set_text(self, title: str, body: str, action: str = "", action_help: str = "") -> None:
        """Say what is missing, and what to do; without `action` there is no button."""
        self.title.setText(title)
        self.body.setText(body)
        self.button.setText(action)
        self.button.setToolTip(action_help)
        self.button.setAccessibleName(action)
        self.button.setVisible(bool(action))
