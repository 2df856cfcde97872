"""Charts as PNG and SVG."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.chart import Chart, Drawing, LegendEntry
from lnexplorer.gui.charts.picture import chart_picture
from lnexplorer.gui.charts.speed_chart import SpeedPoint, ThroughputChart
from lnexplorer.gui.kit.theme import DARK, LIGHT, Theme
from lnexplorer.gui.panes.throughput.pane import ThroughputPane
from tests.gui.windows import off_screen, on_screen
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
def chart(qtbot: QtBot) -> ThroughputChart:
    chart = on_screen(qtbot, ThroughputChart(), 400, 300)
    Theme.current = LIGHT
    chart.apply_theme()
    chart.set_labels("run", "GB/s")
    point = SpeedPoint(
        run=1,
        shape=(4096, 8192, "float16"),
        provider="locked",
        direction="backward",
        figure=make_figure("locked", "backward", 1600, make_resolved()),
        ceiling=3800.0,
        hollow=False,
    )
    chart.set_points([replace(point, run=number) for number in range(1, 6)])
    return chart


def saved(chart: Chart | Drawing, kind: str, **changed: Any) -> bytes:
    return chart_picture(chart, QSize(900, 600), CAPTION, kind, **changed)


def pixels(data: bytes) -> np.ndarray:
    """Give the red, green and blue of each pixel."""
    image = QImage.fromData(data).convertToFormat(QImage.Format.Format_RGBX8888)
    shape = image.height(), image.width(), 4
    return np.frombuffer(bytes(image.constBits()), np.uint8).reshape(shape)[:, :, :3]


def are(found: np.ndarray, colour: str) -> np.ndarray:
    """Tell which pixels have a colour."""
    return (found == QColor(colour).getRgb()[:3]).all(axis=2)


@pytest.mark.parametrize(("width", "height", "scale"), [(800, 500, 2.0), (200, 160, 1.0)])
def test_a_png_has_the_size_that_was_asked_for_and_ink_up_to_its_edges(
    chart: ThroughputChart, width: int, height: int, scale: float
) -> None:
    found = pixels(chart_picture(chart, QSize(width, height), CAPTION, "png", scale))
    assert found.shape[:2] == (height, width)
    rows, columns = np.nonzero(~are(found, LIGHT.surface))
    assert columns.min() < 0.1 * width
    assert columns.max() > 0.9 * width
    assert rows.min() < 0.15 * height
    assert rows.max() > 0.9 * height


def test_an_svg_is_drawn_in_shapes_and_carries_its_provenance(chart: ThroughputChart) -> None:
    document = ET.fromstring(saved(chart, "svg"))
    assert document.attrib["viewBox"] == "0 0 900 600"
    tags = {element.tag.rpartition("}")[2] for element in document.iter()}
    assert {"path", "text"} <= tags
    assert "image" not in tags
    words = "".join(document.itertext())
    assert "NVIDIA H200" in words
    assert "GB/s" in words


def test_a_legend_beside_the_chart_comes_into_the_picture(chart: ThroughputChart) -> None:
    chart.legend = lambda: (LegendEntry("locked", "#ff00ff", symbol="o"),)
    pink = are(pixels(saved(chart, "png")), "#ff00ff")
    assert pink[:60].sum() > 20
    assert not pink[60:].any()


def test_a_chart_of_a_dark_window_is_saved_in_the_colours_of_print_and_stays_as_it_was(
    qtbot: QtBot,
) -> None:
    pane = off_screen(qtbot, ThroughputPane(), 900, 600)
    pane.show_result(make_result(correctness=make_correctness(8, 16)))
    pane.chart.view.setRange(xRange=(0.8, 1.2), yRange=(1000, 2000), padding=0)
    before = pane.chart.size(), pane.chart.view.viewRange()
    data = saved(pane.chart, "svg", theme=LIGHT).decode()
    for part in ("surface", "text"):  # of the legend
        assert getattr(LIGHT, part) in data
        assert getattr(DARK, part) not in data
    assert Theme.current is DARK
    assert (pane.chart.size(), pane.chart.view.viewRange()) == before


def test_a_widget_that_paints_itself_is_saved_as_a_chart_is(qtbot: QtBot) -> None:
    drawing = off_screen(qtbot, Diagonal(), 50, 40)
    data = chart_picture(drawing, QSize(800, 500), CAPTION, "png", 2.0)
    assert drawing.size() == QSize(50, 40)
    rows, columns = np.nonzero(are(pixels(data), "#ff0000"))
    assert columns.min() < 20
    assert columns.max() > 780
    assert 300 < rows.max() < 480, "below stands the caption"
