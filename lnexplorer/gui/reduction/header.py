"""The parts around the picture: the lines above it, and the splitter."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSplitter, QVBoxLayout, QWidget

from lnexplorer.gui.charts.theme import GRID, with_text
from lnexplorer.gui.charts.widgets import ElidedLabel
from lnexplorer.gui.shell.headline import Badge


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


_WIDE, _WIDE_WITH_MODEL = 900, 1480  # px; beside one picture so wide, or two, the panel is there by itself
_TALL = 240  # px
_SHARE = 0.34  # of the width, for the panel
_LEAST, _MOST = 320, 640  # px of the panel


class PictureSplit(QSplitter):
    """Gives the panel its share, until somebody draws the line between them by hand, and says whether it is there."""

    panelShown = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._panel: QWidget | None = None
        self._second: QWidget | None = None
        self._wished: bool | None = None  # None is where there is room
        self._drawn = False
        self._two = False  # pictures, when it was last looked at
        self.setChildrenCollapsible(False)
        self.splitterMoved.connect(self._on_moved)

    def fill(self, first: QWidget, second: QWidget, panel: QWidget) -> None:
        self._second, self._panel = second, panel
        for place, (widget, stretch) in enumerate(((first, 1), (second, 1), (panel, 0))):
            self.addWidget(widget)
            self.setStretchFactor(place, stretch)

    def wish_panel(self, shown: bool) -> None:
        """Show or hide the panel, whether there is room for it or not."""
        self._wished = shown
        self.place()

    def place(self) -> None:
        """Until somebody chooses, the panel is there where it leaves enough room."""
        if self._panel is None or self._second is None:
            return
        wide = _WIDE if self._second.isHidden() else _WIDE_WITH_MODEL
        roomy = self.width() >= with_text(wide) and self.height() >= with_text(_TALL)
        shown = roomy if self._wished is None else self._wished
        if shown != (not self._panel.isHidden()):
            self._panel.setVisible(shown)
        two = not self._second.isHidden()
        appeared, self._two = two and not self._two, two
        if (shown or two) and (appeared or not self._drawn):  # a second picture takes half, not what the panel has left
            panel = 0
            if shown:
                panel = round(min(max(self.width() * _SHARE, with_text(_LEAST)), with_text(_MOST)))
                panel = self._panel.width() if self._drawn else panel
            rest = max(self.width() - panel - self.handleWidth(), 0)
            self.setSizes([rest // 2, rest // 2, panel] if two else [rest, 0, panel])
        self.panelShown.emit(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place()

    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        if self._wished is None and self._panel is not None and not self._panel.isHidden():
            return QSize(size.width() - self._panel.minimumSizeHint().width() - self.handleWidth(), size.height())
        return size

    def _on_moved(self, *_place: int) -> None:
        self._drawn = True
