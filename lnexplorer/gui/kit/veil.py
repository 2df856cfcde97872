"""A veil that dims a widget while its value belongs to another setting."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QWidget

from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.theme import GRID
from lnexplorer.gui.kit.widgets import Label, lay_column, lay_row
from lnkernels.values import Sentence


class Veil(Retranslated, QFrame):
    """Covers a widget while its value belongs to another setting than the one in force.

    Clicks go through it.

    Args:
        covered: the widget.
        says: whether a note on the veil names the other setting.
        above: share of the room above the note; below it are two shares.
    """

    def __init__(self, covered: QWidget, *, says: bool = True, above: int = 0) -> None:
        super().__init__(covered, objectName="veil", visible=False)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.note = Label(self, look="veil", visible=says)
        lay_column(self, above, lay_row(None, 1, self.note), 2, margins=GRID // 2)
        self._covered = covered
        covered.installEventFilter(self)

    def show_other(self, setting: Sentence | None) -> None:
        """Dim the widget, whose value belongs to this setting; None: to the one in force."""
        self.write_on(self.note, setting or "")
        self.setVisible(setting is not None)
        self._cover()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self._cover()
        return super().eventFilter(watched, event)

    def showEvent(self, _event: QEvent) -> None:
        self._cover()

    def _cover(self) -> None:
        """Lie over the widget, the note in one line where it has room for that."""
        self.resize(self._covered.size())
        self.note.setWordWrap(False)
        self.note.setWordWrap(self.note.sizeHint().width() + GRID > self.width())
