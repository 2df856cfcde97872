"""Keeps a legend of many lines from taking the chart's room: it scrolls where there are too many."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from lnexplorer.gui.charts.legend import Legend
from lnexplorer.gui.shell.style import with_text

FEWEST_LINES = 2  # that are seen at least
SHARE = 0.25  # of the height of a chart with its legend and all that is said about it
REST = 400  # px of that height which are the chart's, its marks' and the words'


class LegendRoom(QScrollArea):
    """As high as its legend, up to a share of what both stand in."""

    def __init__(self, legend: Legend, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._legend = legend
        self._whole = 0  # px, the height that is shared
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setWidgetResizable(True)
        self.viewport().setAutoFillBackground(False)
        self.setWidget(legend)
        legend.setAutoFillBackground(False)
        legend.setMinimumWidth(1)  # a long entry ends in … rather than make the pane scroll sideways

    def share(self, whole: int) -> None:
        """Take a share of so many pixels of height at most."""
        self._whole = whole
        self._fit()

    def sizeHint(self) -> QSize:  # noqa: N802
        """All entries in a row."""
        return QSize(self._legend.sizeHint().width(), self.minimumHeight())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """No width of its own."""
        return QSize(0, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """How many lines there are depends on the width."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Other entries, or another size of the text, need another height."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        needed = self._legend.heightForWidth(self.width())
        line = self._legend.sizeHint().height()
        room = min(round(SHARE * self._whole), self._whole - with_text(REST))
        most = max(room // line, FEWEST_LINES) * line
        self.setFixedHeight(min(needed, most))
        everything = needed <= most and self._legend.is_whole
        self._legend.setToolTip("" if everything else "\n".join(entry.text for entry in self._legend.entries))
