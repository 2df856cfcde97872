"""Text of several lines that keeps them all, whatever is around it."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget


class WrappedLabel(QLabel):
    """A label whose lines are as long as there is room.

    Layouts forget heights that follow from a width as soon as there is a splitter or a stack around them: it asks for its own.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)

    def setText(self, text: str) -> None:  # noqa: N802
        """Show another text."""
        super().setText(text)
        self._keep_lines()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """How many lines there are depends on the width."""
        super().resizeEvent(event)
        self._keep_lines()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """So does the size of the text."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._keep_lines()

    def _keep_lines(self) -> None:
        self.setMinimumHeight(0)  # Qt's height for a width is never below it
        self.setMinimumHeight(max(self.heightForWidth(self.width()), 0))
