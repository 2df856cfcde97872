from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from lnexplorer.domain.benchmark import BenchmarkRow, rows
from lnexplorer.gui.charts.benchmark_chart import symbol_of
from lnexplorer.gui.shell.benchmark_picture import SIZE, BenchmarkPicture, save_benchmark_picture
from tests.sample_benchmark import benchmark

WIDTHS = (256, 512, 1024, 4096)


@pytest.fixture
def found() -> list[BenchmarkRow]:
    made = benchmark(*WIDTHS)
    return [row for point in made.points for row in rows(made, point)]


def test_there_is_a_chart_for_each_pass_with_ticks_at_powers_of_two(found: list[BenchmarkRow], qtbot: QtBot) -> None:
    picture = BenchmarkPicture(found, "kernel_cold", "Title", "measured")
    qtbot.addWidget(picture)
    (chart,) = picture.charts
    axis = chart.getPlotItem().getAxis("bottom")
    ((_, places),) = axis.tickValues(2.0, 4.0, 600)
    assert axis.tickStrings(places, 1.0, 1.0) == ["256", "512", "1024", "2048", "4096"]


def test_whoever_has_no_speed_has_no_line_in_the_legend(found: list[BenchmarkRow], qtbot: QtBot) -> None:
    picture = BenchmarkPicture(found, "kernel_cold", "Title", "measured")
    qtbot.addWidget(picture)
    assert [entry.text for entry in picture.charts[0].entries(found, "kernel_cold")] == ["locked", "copy · a + b → c"]


def test_title_and_origin_are_printed_on_it(found: list[BenchmarkRow], qtbot: QtBot) -> None:
    picture = BenchmarkPicture(found, "kernel_cold", "A title", "measured · a GPU")
    qtbot.addWidget(picture)
    texts = {label.text() for label in picture.findChildren(QLabel)}
    assert {"A title", "measured · a GPU", "Forward"} <= texts


def test_a_png_is_large_and_not_empty(found: list[BenchmarkRow], tmp_path: Path) -> None:
    path = tmp_path / "b.png"
    assert save_benchmark_picture(found, "kernel_cold", "Title", "measured", path) == ""
    image = QImage(str(path))
    assert image.size() == SIZE * 2
    colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(colours) > 3


def test_an_svg_has_lines_and_not_pixels_for_symbols(found: list[BenchmarkRow], tmp_path: Path) -> None:
    path = tmp_path / "b.svg"
    assert save_benchmark_picture(found, "kernel_cold", "Title", "measured", path) == ""
    assert QSvgRenderer(str(path)).isValid()
    assert path.read_text().count("<image") < len(WIDTHS)


def test_a_folder_that_is_not_there_is_told(found: list[BenchmarkRow]) -> None:
    why = save_benchmark_picture(found, "kernel_cold", "Title", "measured", Path("/proc/nowhere/b.png"))
    assert "cannot be written" in why


def test_nothing_timed_makes_a_picture_without_charts(qtbot: QtBot) -> None:
    picture = BenchmarkPicture([], "kernel_cold", "Title", "measured")
    qtbot.addWidget(picture)
    assert picture.charts == []


def test_the_projects_own_lines_have_circles() -> None:
    assert (symbol_of("locked group_size_m=8"), symbol_of("torch")) == ("o", "t")
