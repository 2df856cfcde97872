"""A strip that says why the figures below it are doubtful."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from lnexplorer.gui.i18n.doubts import doubt
from lnexplorer.gui.reduction.elided_label import ElidedLabel
from lnexplorer.gui.theme import GRID


class DoubtsStrip(QFrame):
    """Hidden while nothing speaks against the figures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self.setProperty("tone", "note")
        self._sentences: tuple[str, ...] = ()
        self.label, self.line = QLabel(), ElidedLabel()
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID + 4, GRID // 2, GRID + 4, GRID // 2)
        layout.addWidget(self.label)
        layout.addWidget(self.line)
        self.set_compact(False)
        self.hide()

    def set_compact(self, compact: bool) -> None:
        """One line, as far as it goes, where the figures need the room; the tooltip has the rest."""
        self.line.setVisible(compact)
        self.label.setVisible(not compact)

    def show_doubts(self, sentences: Sequence[str]) -> None:
        """Show these, each once; none hides the strip."""
        self._sentences = tuple(dict.fromkeys(sentences))
        text = " ".join(doubt(sentence) for sentence in self._sentences)
        self.label.setText(self.tr("Doubtful: {sentences}").format(sentences=text) if text else "")
        self.line.setText(self.label.text())
        self.line.setToolTip(self.label.text())
        for each in (self.label, self.line):
            each.setAccessibleName(self.label.text())
        self.setVisible(bool(text))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the language."""
        if event.type() is QEvent.Type.LanguageChange:
            self.show_doubts(self._sentences)
        super().changeEvent(event)
