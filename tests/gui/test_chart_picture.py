"""Charts as PNG and SVG."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.chart import Chart, Drawing, LegendEntry
from lnexplorer.gui.charts.picture import chart_picture
from lnexplorer.gui.charts.speed_chart import SpeedPoint, ThroughputChart
from lnexplorer.gui.kit.theme import DARK, LIGHT, Theme, apply_theme
from lnexplorer.gui.panes.throughput.pane import ThroughputPane
from tests.sample_results import make_correctness, make_figure, make_resolved, make_result

CAPTION = ("GB/s of each run", "measured · NVIDIA H200 · 2025-11-20 · torch 2.11.0 · triton 3.6.0")


class Diagonal(Drawing):
    """From corner to corner."""

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        painter.setPen(QPen(QColor("#ff0000"), 6))
        painter.drawLine(self.rect().topLeft(), self.rect().bottomRight())


@pytest.fixture
def chart(qtbot: QtBot) -> Iterator[ThroughputChart]:
    chart = ThroughputChart()
    qtbot.addWidget(chart)
    chart.apply_theme()
    chart.resize(400, 300)
    chart.set_labels("run", "GB/s")
    resolved = make_resolved()
    point = SpeedPoint(
        run=1,
        shape=(4096, 8192, "float16"),
        provider="locked",
        direction="backward",
        figure=make_figure("locked", "backward", 1600, resolved),
        ceiling=3800.0,
        hollow=False,
    )
    chart.set_points([replace(point, run=number) for number in range(1, 6)])
    chart.show()
    return chart


def saved(chart: Chart | Drawing, kind: str, **changed: Any) -> bytes:
    return chart_picture(chart, QSize(900, 600), CAPTION, kind, **changed)


def pixels(data: bytes) -> np.ndarray:
    image = QImage.fromData(data)
    return np.frombuffer(bytes(image.constBits()), np.uint8).reshape(
        image.height(), image.bytesPerLine() // 4, 4
    )[:, :, :3]


def shapes(data: bytes) -> tuple[set[str], str]:
    """Tags of an SVG document, and its words."""
    elements = list(ET.fromstring(data).iter())
    tags = {element.tag.rpartition("}")[2] for element in elements}
    texts = (element for element in elements if element.tag.endswith("text"))
    return tags, " ".join("".join(text.itertext()) for text in texts)


def settled(chart: ThroughputChart) -> QImage:
    """What is on the screen once the axes have taken their width from the numbers that they have
    painted.
    """
    for _ in range(3):
        image = chart.grab().toImage()
        QApplication.processEvents()
    return image


@pytest.mark.parametrize(("width", "height", "scale"), [(800, 500, 2.0), (200, 160, 1.0)])
def test_a_png_has_the_size_that_was_asked_for_and_ink_up_to_its_edges(
    chart: ThroughputChart, width: int, height: int, scale: float
) -> None:
    found = pixels(chart_picture(chart, QSize(width, height), CAPTION, "png", scale))
    assert found.shape[:2] == (height, width)
    surface = QColor(LIGHT.surface)
    ink = (found != (surface.blue(), surface.green(), surface.red())).any(axis=2)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    assert columns[0] < 0.1 * width
    assert columns[-1] > 0.9 * width
    assert rows[0] < 0.15 * height
    assert rows[-1] > 0.9 * height


def test_the_chart_on_the_screen_stays_as_it_was(chart: ThroughputChart) -> None:
    chart.view.setRange(xRange=(2, 4), yRange=(1000, 2000), padding=0)
    before = chart.size(), chart.view.viewRange(), settled(chart)
    saved(chart, "png")
    saved(chart, "svg")
    assert chart.size() == before[0]
    assert chart.view.viewRange() == before[1]
    assert settled(chart) == before[2]


def test_an_svg_is_drawn_in_shapes_and_carries_its_provenance(chart: ThroughputChart) -> None:
    data = saved(chart, "svg")
    assert ET.fromstring(data).attrib["viewBox"] == "0 0 900 600"
    tags, words = shapes(data)
    assert {"path", "text"} <= tags
    assert "image" not in tags
    assert "NVIDIA H200" in words
    assert "GB/s" in words


def test_a_legend_beside_the_chart_comes_into_the_picture(chart: ThroughputChart) -> None:
    chart.legend = lambda: (LegendEntry("locked", "#ff00ff", symbol="o"),)
    pink = (pixels(saved(chart, "png")) == (255, 0, 255)).all(axis=2)
    assert pink[:60].sum() > 20
    assert not pink[60:].any()


def test_a_chart_of_a_dark_window_is_saved_in_the_colours_of_print_and_stays_dark(
    qtbot: QtBot,
) -> None:
    pane = ThroughputPane()
    qtbot.addWidget(pane)
    Theme.current = DARK
    apply_theme(pane)
    pane.show_result(make_result(correctness=make_correctness(8, 16)))
    pane.chart.view.setRange(xRange=(0.8, 1.2), yRange=(1000, 2000), padding=0)
    before = pane.chart.view.viewRange()
    data = saved(pane.chart, "svg", theme=LIGHT).decode()
    assert LIGHT.surface in data
    assert LIGHT.text in data, "of the legend"
    assert DARK.surface not in data
    assert DARK.text not in data
    assert Theme.current is DARK
    assert pane.chart.view.viewRange() == before


def test_a_widget_that_paints_itself_is_saved_as_a_chart_is(qtbot: QtBot) -> None:
    drawing = Diagonal()
    qtbot.addWidget(drawing)
    drawing.resize(50, 40)
    data = chart_picture(drawing, QSize(800, 500), CAPTION, "png", 2.0)
    assert drawing.size() == QSize(50, 40)
    red = (pixels(data) == (0, 0, 255)).all(axis=2)
    rows, columns = np.nonzero(red)
    assert columns.min() < 20
    assert columns.max() > 780
    assert rows.max() < 480, "below stands the caption"
    assert rows.max() > 300


def test_another_kind_of_file_is_refused(chart: ThroughputChart) -> None:
    with pytest.raises(ValueError, match="format = gif"):
        saved(chart, "gif")
