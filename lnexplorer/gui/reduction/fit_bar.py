"""The line above the animation that fits a model to a trace and asks it about other GROUP_SIZE_M."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSpinBox, QVBoxLayout, QWidget

from lnexplorer.gui.reduction.elided_label import ElidedLabel
from lnexplorer.gui.shell.theme import GRID

MOST_BUFFERS = 4096  # that are asked about


class FitBar(QWidget):
    """Says what somebody wants; shows what it is told. The button that begins it is placed elsewhere; the bar is for answers."""

    fitWished = Signal()  # noqa: N815
    groupChosen = Signal(int)  # noqa: N815
    closeWished = Signal()  # noqa: N815

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fit = QPushButton(self)
        self.group_label = QLabel("GROUP_SIZE_M", self)
        self.group = QSpinBox(self)
        self.group.setRange(1, MOST_BUFFERS)
        self.group.setKeyboardTracking(False)
        self.badge = QLabel(self)
        self.badge.setProperty("look", "badge")
        self.badge.setProperty("tone", "warning")
        self.badge.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.text, self.details = ElidedLabel(self), ElidedLabel(self)
        self.text.setProperty("look", "strong")
        self.details.setProperty("look", "muted")
        self.close_button = QPushButton(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        layout.setSpacing(GRID)
        for widget in (self.group_label, self.group, self.badge):
            layout.addWidget(widget)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        lines.addWidget(self.text)
        lines.addWidget(self.details)
        layout.addLayout(lines, 1)
        layout.addWidget(self.close_button)
        self.fit.clicked.connect(lambda _checked=False: self.fitWished.emit())
        self.group.valueChanged.connect(self.groupChosen)
        self.close_button.clicked.connect(lambda _checked=False: self.closeWished.emit())
        self.show_offer(offered=False)
        self.retranslate()

    def show_offer(self, *, offered: bool) -> None:
        """No answer; whether there is something to fit to."""
        self.hide()
        self.fit.setEnabled(True)
        self.fit.setVisible(offered)

    def show_sentence(self, sentence: str, *, busy: bool) -> None:
        """It takes a moment, or there is no answer, and why."""
        for widget in (self.group_label, self.group, self.badge, self.details):
            widget.hide()
        self.fit.setEnabled(not busy)
        self.text.setText(sentence)
        self.text.setToolTip(sentence)
        self.show()

    def show_model(self, group_size_m: int, badge: str, text: str, details: str) -> None:
        """The model's answer for a GROUP_SIZE_M in a line, and what it was asked with in another."""
        with QSignalBlocker(self.group):
            self.group.setValue(group_size_m)
        self.fit.setEnabled(True)
        self.badge.setText(badge)
        self.badge.setToolTip(details)
        for label, line in ((self.text, text), (self.details, details)):
            label.setText(line)
            label.setToolTip(f"{text}\n{details}")
        for widget in (self.group_label, self.group, self.badge, self.details):
            widget.show()
        self.show()

    def retranslate(self) -> None:
        """Write all texts."""
        self.fit.setText(self.tr("Fit to this trace"))
        self.fit.setToolTip(self.tr("Find the model's parameters in this trace, and show what the model says beside it"))
        self.group.setAccessibleName(self.tr("GROUP_SIZE_M to predict"))
        self.group.setToolTip(self.tr("What the fitted model says of the same rows with so many buffers"))
        self.close_button.setText(self.tr("Close"))
        self.close_button.setToolTip(self.tr("Show the trace alone"))
