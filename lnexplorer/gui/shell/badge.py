"""The badge that says where numbers come from. Needs no charts, which the first pane must not wait for."""

from PySide6.QtWidgets import QLabel, QWidget

from lnexplorer.gui.charts.theme import TONES
from lnexplorer.gui.i18n.texts import domain_text
from lnkernels.values.environment import KIND_HELP, Kind


class Badge(QLabel):
    """A word in a frame; hidden where there are no numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "badge")
        self.hide()

    def show_kind(self, kind: Kind | None) -> None:
        """Where the numbers beside it come from, in the language of the window."""
        self.setVisible(kind is not None)
        if kind is None:
            return
        self.setText(domain_text(kind.value))
        self.setToolTip(domain_text(KIND_HELP[kind]))
        self.setAccessibleName(self.tr("Provenance"))
        self.setAccessibleDescription(domain_text(KIND_HELP[kind]))
        self.setProperty("tone", TONES[kind])
        self.style().unpolish(self)
        self.style().polish(self)
