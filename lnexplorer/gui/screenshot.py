"""Takes the window's picture once a run is shown in it."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

SETTLE_MS = 400  # for the panes to lay out and paint what they were given


class Screenshot(QObject):
    """Saves a picture of a widget a moment after it is asked to."""

    saved = Signal(str)  # the empty text, or why it could not be saved

    def __init__(self, widget: QWidget, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._widget = widget
        self._path = path
        self._asked = False

    def take(self) -> None:
        """Take the picture soon; a second time changes nothing."""
        if not self._asked:
            self._asked = True
            QTimer.singleShot(SETTLE_MS, self, self._save)

    def _save(self) -> None:
        self.saved.emit(save_picture(self._widget, self._path))


def save_picture(widget: QWidget, path: Path) -> str:
    """Save what a widget shows; the empty text, or a sentence about why it could not be saved."""
    picture = widget.grab()
    if picture.save(str(path)):
        return ""
    return QCoreApplication.translate("messages", "The picture cannot be saved in {path}.").format(path=path)
