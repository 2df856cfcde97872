"""A heading that folds what is under it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from lnexplorer.gui.charts.theme import GRID, Theme
from lnexplorer.gui.shell.icons import icon


class Section(QWidget):
    """A group of rows under a heading that opens and closes it."""

    toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None, *, open_at_first: bool = True) -> None:
        super().__init__(parent)
        self.heading = QToolButton(self)
        self.heading.setCheckable(True)
        self.heading.setChecked(open_at_first)
        self.heading.setProperty("look", "section")
        self.heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.heading.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.body = QWidget(self)
        self.body.setVisible(open_at_first)
        self.grid = QGridLayout(self.body)
        self.grid.setContentsMargins(GRID // 2, 0, 0, GRID // 2)
        self.grid.setHorizontalSpacing(GRID)
        self.grid.setVerticalSpacing(0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.heading)
        layout.addWidget(self.body)
        self._theme: Theme | None = None
        self.heading.toggled.connect(self._fold)

    def set_title(self, title: str) -> None:
        """Text of the heading."""
        self.heading.setText(title)
        self.heading.setToolTip(self.tr("Show or hide: {title}").format(title=title))
        self.heading.setAccessibleName(title)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.heading.setIcon(icon("open" if self.heading.isChecked() else "closed", theme.muted))

    def _fold(self, opened: bool) -> None:
        self.body.setVisible(opened)
        if self._theme is not None:
            self.apply_theme(self._theme)
        self.toggled.emit(opened)
