"""The model's picture beside the trace's, under a line that says so."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lnexplorer.gui.reduction.canvas import Canvas
from lnexplorer.gui.reduction.elided_label import ElidedLabel
from lnexplorer.gui.reduction.preparation import Prepared
from lnexplorer.gui.theme import GRID


class ModelView(QWidget):
    """A canvas with a title."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(self)
        self.title.setProperty("look", "strong")
        self.title.setContentsMargins(2 * GRID, 0, 0, 0)
        self.canvas = Canvas(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.canvas, 1)
        self._group_size_m = 0

    def show_model(self, model: Prepared, least_ns: float) -> None:
        """Show a simulated timeline, on a time axis no shorter than the trace's."""
        self._group_size_m = model.timeline.group_size_m
        self.canvas.show_timeline(model.timeline, model.index, least_ns)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the title again."""
        text = QCoreApplication.translate("reduction", "Simulated by the fitted model, GROUP_SIZE_M {0}")
        self.title.setText(text.format(self._group_size_m))
        self.canvas.retranslate()
