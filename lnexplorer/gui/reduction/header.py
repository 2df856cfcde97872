"""Where the numbers come from, what is shown, and what it amounts to: the lines above the animation."""

from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from lnexplorer.domain.provenance import KIND_HELP, Kind
from lnexplorer.gui.i18n.texts import domain_text
from lnexplorer.gui.reduction.elided_label import ElidedLabel
from lnexplorer.gui.shell.theme import GRID
from lnexplorer.gui.shell.tones import TONES


class Header(QWidget):
    """A badge, and two lines beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.badge = QLabel(self)
        self.facts, self.figures = ElidedLabel(self), ElidedLabel(self)
        self.badge.setProperty("look", "badge")
        self.badge.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.facts.setProperty("look", "muted")
        self.figures.setProperty("look", "strong")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.badge)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        lines.addWidget(self.figures)
        lines.addWidget(self.facts)
        layout.addLayout(lines, 1)
        self._layout = layout

    def add_button(self, button: QWidget) -> None:
        """Place a button on the right."""
        self._layout.addWidget(button)

    def show_kind(self, kind: Kind) -> None:
        """Say where the numbers come from."""
        self.badge.setText(domain_text(kind.value))
        self.badge.setToolTip(domain_text(KIND_HELP[kind]))
        tone = TONES[kind]
        if self.badge.property("tone") != tone:
            self.badge.setProperty("tone", tone)
            self.badge.style().unpolish(self.badge)
            self.badge.style().polish(self.badge)

    def show_lines(self, figures: str, facts: str, details: str = "") -> None:
        """Show both lines; the details are in the tooltip of the first."""
        self.figures.setText(figures)
        self.figures.setToolTip(f"{figures}\n{details}" if details else figures)
        self.facts.setText(facts)
        self.facts.setToolTip(facts)
