"""A cloud of samples in a chart."""

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.axes import WholeAxis
from lnexplorer.gui.charts.chart import Chart
from lnexplorer.gui.charts.sample_cloud import ALPHA, DOT, SampleCloud
from lnexplorer.gui.charts.theme import LIGHT


@pytest.fixture
def chart(qtbot: QtBot) -> Chart:
    chart = Chart({"left": WholeAxis("left"), "bottom": WholeAxis("bottom")})
    qtbot.addWidget(chart)
    chart.apply_theme(LIGHT)
    chart.resize(500, 400)
    chart.grid.setVisible(False)
    chart.view.disableAutoRange()
    chart.view.setRange(xRange=(0, 10), yRange=(0, 10), padding=0)
    chart.show()
    return chart


def with_cloud(chart: Chart, x: list[float] | NDArray[np.float64], y: list[float] | NDArray[np.float64]) -> SampleCloud:
    cloud = SampleCloud()
    cloud.set_data(np.array(x, np.float64), np.array(y, np.float64), QColor("black"))
    chart.addItem(cloud)
    return cloud


def ink(chart: Chart) -> NDArray[np.float64]:
    """How dark each pixel inside the axes is, 0 to 1."""
    image = chart.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    grey = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())[:, : image.width()]
    inside = chart.view.sceneBoundingRect().adjusted(8, 8, -8, -8).toAlignedRect()
    return 1 - grey[inside.top() : inside.bottom(), inside.left() : inside.right()] / 255


def test_a_sample_is_one_dot_where_it_belongs(chart: Chart) -> None:
    with_cloud(chart, [7.5], [2.5])
    dark = ink(chart)
    assert (dark > 0.05).sum() == DOT * DOT
    assert dark.max() == pytest.approx(ALPHA, abs=0.02)
    row, column = (place.mean() for place in np.nonzero(dark > 0.05))
    assert column / dark.shape[1] == pytest.approx(0.75, abs=0.02)
    assert row / dark.shape[0] == pytest.approx(0.75, abs=0.02)  # 2.5 of 10 from below


def test_samples_that_overlap_cover_more(chart: Chart) -> None:
    with_cloud(chart, [5.0] * 3, [5.0] * 3)
    assert ink(chart).max() == pytest.approx(1 - (1 - ALPHA) ** 3, abs=0.02)


def test_no_sample_is_lost_and_none_beyond_the_view_is_drawn(chart: Chart) -> None:
    rng = np.random.default_rng(2)
    x, y = rng.uniform(-50, 60, 30_000), rng.uniform(-50, 60, 30_000)
    with_cloud(chart, x, y)
    dark = ink(chart)
    rect = chart.view.sceneBoundingRect()
    x_edge, y_edge = 80 / rect.width(), 80 / rect.height()
    inside = ((x > x_edge) & (x < 10 - x_edge) & (y > y_edge) & (y < 10 - y_edge)).sum()
    # Few of them overlap, so that the ink counts them.
    assert dark.sum() / (ALPHA * DOT * DOT) == pytest.approx(inside, rel=0.15)


def test_moving_the_view_paints_the_kept_image(chart: Chart, monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = with_cloud(chart, np.linspace(0, 40, 1000), np.full(1000, 5.0))
    chart.grab()
    counted = []
    count = cloud._count
    monkeypatch.setattr(cloud, "_count", lambda *arguments: (counted.append(1), count(*arguments)))
    for _ in range(9):
        chart.view.translateBy((1.0, 0.0))
        chart.grab()
    assert counted == []
    left = ink(chart)[:, : ink(chart).shape[1] // 2]
    assert left.max() > 0.2
    for _ in range(3):
        chart.view.translateBy((1.0, 0.0))
        chart.grab()
    assert len(counted) == 1
    chart.view.scaleBy((0.5, 0.5))
    chart.grab()
    assert len(counted) == 2


def test_what_is_not_finite_is_left_out(chart: Chart) -> None:
    cloud = with_cloud(chart, [5.0, np.nan, np.inf], [5.0, 5.0, 5.0])
    assert cloud.dataBounds(0) == (5.0, 5.0)
    assert (ink(chart) > 0.05).sum() == DOT * DOT
    cloud.set_data(np.empty(0), np.empty(0), QColor("black"))
    assert cloud.dataBounds(0) is None
    assert ink(chart).max() == 0
