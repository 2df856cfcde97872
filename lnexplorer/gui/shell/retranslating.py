"""Another language for a window, one of its parts in each turn of the event loop."""

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from shiboken6 import isValid

from lnexplorer.gui.shell.steps import StepQueue


class Retranslator(QObject):
    """Hands the news of another language on in steps. Qt would hand it to every widget of a window in one turn.

    Args:
        window: hears first; then its children, each with all that is in it.
        steps: where the steps wait for their turn.
        parent: owner.
    """

    def __init__(self, window: QMainWindow, steps: StepQueue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._steps = steps

    def expect(self) -> None:
        """Look out for the news, once. No filter stands in the way of other events for longer."""
        self._window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Keep the news from going to all widgets at once."""
        if event.type() is not QEvent.Type.LanguageChange:
            return False
        watched.removeEventFilter(self)
        self._steps.add("language", lambda: self._window.changeEvent(QEvent(QEvent.Type.LanguageChange)))
        children = self._window.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        for number, child in enumerate(children):
            self._steps.add(f"language {number}", partial(_tell, child))
        return True


def _tell(widget: QWidget) -> None:
    if isValid(widget):
        QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
