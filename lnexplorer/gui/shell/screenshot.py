"""Takes the window's picture once a run is shown in it."""

from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from lnexplorer.store.files import reason, write_whole

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
    """Save what a widget shows, as PNG unless its name says otherwise; the empty text, or a sentence about why not."""
    picture = widget.grab()
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    if not (path.suffix and picture.save(buffer, path.suffix[1:])):
        picture.save(buffer, "PNG")
    try:
        write_whole(path, bytes(buffer.data().data()))
    except OSError as error:
        sentence = QCoreApplication.translate("messages", "The picture cannot be saved in {path}.")
        return sentence.format(path=f"{path} ({reason(error)})")
    return ""
