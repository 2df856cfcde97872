"""The dialog before a chart is saved: chart, size and colours."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QSpinBox, QWidget

from lnexplorer.gui.charts.chart import Chart, Drawing
from lnexplorer.gui.charts.picture import LARGEST, SMALLEST
from lnexplorer.gui.kit.theme import GRID, LIGHT

USUAL = QSize(1600, 900)
SCALES = (100, 150, 200, 300)  # per cent


class ChartDialog(QDialog):
    """A chart, the size of its picture and that of its text."""

    def __init__(self, charts: Sequence[Chart | Drawing], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Save a chart"))
        self._charts = charts
        self.chart = QComboBox()
        self.scale = QComboBox()
        self.colours = QComboBox()
        self.width_ = QSpinBox()
        self.height_ = QSpinBox()
        self.chart.addItems([chart.accessibleName() or self.tr("Chart") for chart in charts])
        self.scale.addItems([f"{percent} %" for percent in SCALES])
        self.scale.setCurrentIndex(SCALES.index(200))
        self.colours.addItem(self.tr("For print: dark on white"), LIGHT)
        self.colours.addItem(self.tr("As on the screen"), None)
        for field, size in ((self.width_, USUAL.width()), (self.height_, USUAL.height())):
            field.setRange(SMALLEST, LARGEST)
            field.setSuffix(" px")
            field.setValue(size)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        form.setSpacing(GRID)
        form.addRow(self.tr("Chart"), self.chart)
        form.addRow(self.tr("Width"), self.width_)
        form.addRow(self.tr("Height"), self.height_)
        form.addRow(self.tr("Text and lines"), self.scale)
        form.addRow(self.tr("Colours"), self.colours)
        form.addRow(buttons)

    @property
    def chosen(self) -> Chart | Drawing:
        return self._charts[self.chart.currentIndex()]

    @property
    def size_(self) -> QSize:
        return QSize(self.width_.value(), self.height_.value())

    @property
    def factor(self) -> float:
        """How much larger than on the screen text and lines are."""
        return SCALES[self.scale.currentIndex()] / 100
