"""The picture of a benchmark, drawn without a window."""

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer

from lnexplorer.report.benchmark_file import BenchmarkRow
from lnexplorer.report.pictures import BENCHMARK_SIZE, benchmark_picture
from tests.sample_benchmark import benchmark

pytestmark = pytest.mark.usefixtures("qapp")
WIDTHS = (256, 512, 1024, 4096)


@pytest.fixture(scope="module")
def found() -> list[BenchmarkRow]:
    made = benchmark(*WIDTHS)
    return made.rows()


def test_a_png_is_large_and_not_empty(found: list[BenchmarkRow]) -> None:
    image = QImage.fromData(benchmark_picture(found, "kernel_cold", "Title", ["measured"], "png"))
    assert image.size() == BENCHMARK_SIZE * 2
    assert image.text("Description") == "measured"
    colours = {
        image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)
    }
    assert len(colours) > 3


def test_an_svg_has_lines_and_not_pixels_for_symbols_and_says_what_it_shows(
    found: list[BenchmarkRow],
) -> None:
    data = benchmark_picture(found, "kernel_cold", "A title", ["measured · a GPU"], "svg")
    assert QSvgRenderer(QByteArray(data)).isValid()
    text = data.decode()
    assert text.count("<image") < len(WIDTHS)
    assert {"A title", "Forward", "measured · a GPU"} <= {
        part for part in text.replace(">", "<").split("<") if part
    }
