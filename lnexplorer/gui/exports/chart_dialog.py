"""Asks which chart is saved, and how large."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QSpinBox, QWidget

from lnexplorer.gui.charts.chart import Chart, Drawing
from lnexplorer.gui.charts.picture import FORMATS, LARGEST, SMALLEST
from lnexplorer.gui.charts.theme import GRID

USUAL = QSize(1600, 900)
SCALES = (100, 150, 200, 300)  # per cent


class ChartDialog(QDialog):
    """A chart, its format, its size and that of its text."""

    def __init__(self, charts: Sequence[Chart | Drawing], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._charts = charts
        self.chart, self.format, self.scale = QComboBox(), QComboBox(), QComboBox()
        self.width_, self.height_ = QSpinBox(), QSpinBox()
        for chart in charts:
            self.chart.addItem(chart.accessibleName() or self.tr("Chart"))
        self.format.addItems([name.upper() for name in FORMATS])
        self.scale.addItems([f"{percent} %" for percent in SCALES])
        self.scale.setCurrentIndex(SCALES.index(200))
        for field, size in ((self.width_, USUAL.width()), (self.height_, USUAL.height())):
            field.setRange(SMALLEST, LARGEST)
            field.setSuffix(" px")
            field.setValue(size)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.setWindowTitle(self.tr("Save a chart"))
        layout = QFormLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addRow(self.tr("Chart"), self.chart)
        layout.addRow(self.tr("Format"), self.format)
        layout.addRow(self.tr("Width"), self.width_)
        layout.addRow(self.tr("Height"), self.height_)
        layout.addRow(self.tr("Text and lines"), self.scale)
        layout.addRow(buttons)

    @property
    def chosen(self) -> Chart | Drawing:
        """The chart."""
        return self._charts[self.chart.currentIndex()]

    @property
    def kind(self) -> str:
        """One of FORMATS."""
        return FORMATS[self.format.currentIndex()]

    @property
    def size_(self) -> QSize:
        """Of the picture, in pixels."""
        return QSize(self.width_.value(), self.height_.value())

    @property
    def factor(self) -> float:
        """How much larger than on the screen text and lines are."""
        return SCALES[self.scale.currentIndex()] / 100
