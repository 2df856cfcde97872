"""The lines above the picture: what is shown, and what a fitted model says."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSpinBox, QVBoxLayout, QWidget

from lnexplorer.gui.charts.theme import GRID
from lnexplorer.gui.charts.widgets import ElidedLabel
from lnexplorer.gui.shell.headline import Badge
from lnkernels.values.environment import Kind


class Header(QWidget):
    """A badge, and two lines beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.badge = Badge(self)
        self.facts, self.figures = ElidedLabel(self), ElidedLabel(self)
        self.badge.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.facts.setProperty("look", "muted")
        self.figures.setProperty("look", "strong")
        layout = self.line = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.badge)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        lines.addWidget(self.figures)
        lines.addWidget(self.facts)
        layout.addLayout(lines, 1)

    def show_lines(self, figures: str, facts: str, details: str = "") -> None:
        """Show both lines; the details are in the tooltip of the first."""
        self.figures.setText(figures)
        self.figures.setToolTip(f"{figures}\n{details}" if details else figures)
        self.facts.setText(facts)
        self.facts.setToolTip(facts)


MOST_BUFFERS = 4096  # that are asked about


class FitBar(Header):
    """Says what somebody wants; shows what it is told.

    The button that begins it is placed elsewhere; the bar is for answers.
    """

    fitWished = Signal()
    groupChosen = Signal(int)
    closeWished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fit = QPushButton(self)
        self.group_label = QLabel("GROUP_SIZE_M", self)
        self.group = QSpinBox(self)
        self.group.setRange(1, MOST_BUFFERS)
        self.group.setKeyboardTracking(False)
        self.close_button = QPushButton(self)
        self.line.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        for place, widget in enumerate((self.group_label, self.group)):
            self.line.insertWidget(place, widget)
        self.line.addWidget(self.close_button)
        self._parts = (self.group_label, self.group, self.badge, self.facts)  # of an answer
        self.fit.clicked.connect(lambda _checked=False: self.fitWished.emit())
        self.group.valueChanged.connect(self.groupChosen)
        self.close_button.clicked.connect(lambda _checked=False: self.closeWished.emit())
        self.show_offer(offered=False)
        self.retranslate()

    def show_offer(self, *, offered: bool) -> None:
        self.hide()
        self.fit.setEnabled(True)
        self.fit.setVisible(offered)

    def show_sentence(self, sentence: str, *, busy: bool) -> None:
        """It takes a moment, or there is no answer, and why."""
        for widget in self._parts:
            widget.hide()
        self.fit.setEnabled(not busy)
        self.show_lines(sentence, "")
        self.show()

    def show_model(self, group_size_m: int, figures: str, facts: str) -> None:
        with QSignalBlocker(self.group):
            self.group.setValue(group_size_m)
        self.fit.setEnabled(True)
        self.badge.show_kind(Kind.SIMULATED)
        self.show_lines(figures, facts, facts)
        for widget in self._parts:
            widget.show()
        self.show()

    def retranslate(self) -> None:
        self.fit.setText(self.tr("Fit to this trace"))
        self.fit.setToolTip(self.tr("Find the model's parameters in this trace, and show what the model says beside it"))
        self.group.setAccessibleName(self.tr("GROUP_SIZE_M to predict"))
        self.group.setToolTip(self.tr("What the fitted model says of the same rows with so many buffers"))
        self.close_button.setText(self.tr("Close"))
        self.close_button.setToolTip(self.tr("Show the trace alone"))
