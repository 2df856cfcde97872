"""A strip that says why the figures below it are doubtful."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import ElidedLabel, WrappedLabel
from lnexplorer.gui.i18n.translate import translate_message
from lnkernels.sentence import Sentence

SIDE = GRID + 4


class DoubtsStrip(QFrame):
    """Hidden while nothing speaks against the figures. One line, which unfolds where it does not hold everything."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self.setProperty("tone", "note")
        self._sentences: tuple[Sentence, ...] = ()
        self.line, self.label, self.more = ElidedLabel(), WrappedLabel(), QToolButton()
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.label.hide()
        self.more.setProperty("look", "link")
        self.more.setCheckable(True)
        self.more.toggled.connect(lambda _on: self._fold())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(SIDE, GRID // 2, SIDE, GRID // 2)
        layout.setSpacing(GRID)
        layout.addWidget(self.line, 1)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.more, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def show_doubts(self, sentences: Sequence[Sentence]) -> None:
        """Show these, each once; none hides the strip."""
        self._sentences = tuple(dict.fromkeys(sentences))
        text = " ".join(map(translate_message, self._sentences))
        self.label.setText(self.tr("Doubtful: {sentences}").format(sentences=text) if text else "")
        self.line.setText(self.label.text())
        self.line.setToolTip(self.label.text())
        for each in (self.label, self.line):
            each.setAccessibleName(self.label.text())
        self._fold()
        self.setVisible(bool(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self.show_doubts(self._sentences)
        elif event.type() is QEvent.Type.FontChange:
            self._fold()
        super().changeEvent(event)

    def _fold(self) -> None:
        fits = self.line.sizeHint().width() <= self.width() - 2 * SIDE
        unfolded = self.more.isChecked() and not fits
        self.more.setText(self.tr("less") if unfolded else self.tr("more"))
        self.more.setToolTip(self.tr("Show one line of it") if unfolded else self.tr("Show all of it"))
        self.more.setAccessibleName(self.more.text())
        self.more.setVisible(not fits)
        self.line.setVisible(not unfolded)
        self.label.setVisible(unfolded)
