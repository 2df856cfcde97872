"""A benchmark as one picture: forward and backward beside each other, with where the figures come from printed below."""

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from lnexplorer.domain.benchmark import BenchmarkRow
from lnexplorer.gui.charts.benchmark_chart import BenchmarkChart
from lnexplorer.gui.charts.legend import Legend
from lnexplorer.gui.charts.theme import LIGHT, Theme
from lnexplorer.gui.shell.style import apply_style
from lnexplorer.store.aside import reason, write_whole

SIZE = QSize(1600, 800)
SCALE = 2  # pixels of a PNG for each of the layout
TEXT_PERCENT = 125
TITLES = {"forward": "Forward", "backward": "Backward"}


class BenchmarkPicture(QWidget):
    """Title, charts, legend, provenance."""

    def __init__(self, rows: Sequence[BenchmarkRow], mode: str, title: str, provenance: str, theme: Theme = LIGHT) -> None:
        super().__init__()
        self.resize(SIZE)
        self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self.setStyleSheet(f"BenchmarkPicture {{ background: {theme.surface}; }}")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        heading = QLabel(title)
        font = heading.font()
        font.setPointSizeF(font.pointSizeF() * 1.35)
        font.setBold(True)
        heading.setFont(font)
        layout.addWidget(heading)
        layout.addLayout(self._charts(rows, mode, theme), 1)
        legend = Legend()
        legend.apply_theme(theme)
        if self.charts:
            legend.set_entries(self.charts[0].entries(rows, mode))
        layout.addWidget(legend)
        source = QLabel(provenance)
        source.setWordWrap(True)
        source.setStyleSheet(f"color: {theme.muted};")
        layout.addWidget(source)

    def _charts(self, rows: Sequence[BenchmarkRow], mode: str, theme: Theme) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(24)
        self.charts: list[BenchmarkChart] = []
        for direction in dict.fromkeys(each.direction for each in rows if each.mode == mode):
            chart = BenchmarkChart(direction)
            self.charts.append(chart)
            column = QVBoxLayout()
            column.addWidget(QLabel(TITLES[direction]))
            chart.apply_theme(theme)
            chart.set_labels("N", "GB/s")
            chart.set_rows(rows, mode)
            column.addWidget(chart, 1)
            row.addLayout(column)
        return row


def save_benchmark_picture(rows: Sequence[BenchmarkRow], mode: str, title: str, provenance: str, path: Path) -> str:
    """Draw and save, as SVG where the name ends so, else as PNG; the empty text, or why not.

    Without a display; there must be no other QApplication in this process, or one that draws offscreen.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QApplication.instance() or QApplication(["lnexplorer"])
    assert isinstance(application, QApplication), "it draws widgets"
    apply_style(application, LIGHT, TEXT_PERCENT)
    picture = BenchmarkPicture(rows, mode, title, provenance)
    picture.grab()  # lays out what is not shown; the platform without a screen complains about what is
    data = _svg(picture) if path.suffix.lower() == ".svg" else _png(picture)
    picture.deleteLater()
    try:
        write_whole(path, data)
    except OSError as error:
        return f"{path} cannot be written ({reason(error)})."
    return ""


def _png(picture: QWidget) -> bytes:
    image = QPixmap(picture.size() * SCALE)
    image.setDevicePixelRatio(SCALE)
    picture.render(image)
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def _svg(picture: QWidget) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(picture.size())
    generator.setResolution(picture.logicalDpiX())
    generator.setViewBox(QRectF(0, 0, picture.width(), picture.height()))
    painter = QPainter(generator)
    picture.render(painter, QPoint())
    painter.end()
    return bytes(buffer.data().data())
