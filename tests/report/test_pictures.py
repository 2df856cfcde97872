"""The picture of a benchmark, drawn without a window."""

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer

from lnexplorer.report.pictures import BENCHMARK_SIZE, curves_picture
from tests.sample_benchmark import benchmark

pytestmark = pytest.mark.usefixtures("qapp")
WIDTHS = (256, 512, 1024, 4096)


def picture(kind: str, source: str) -> bytes:
    made = benchmark(*WIDTHS)
    ceilings = {n: made.ceilings(n) for n in WIDTHS}
    return curves_picture(
        made.sweep, made.results, ["forward"], "A title", [source], kind, ceilings
    )


def test_a_png_is_large_and_not_empty() -> None:
    image = QImage.fromData(picture("png", "measured"))
    assert image.size() == BENCHMARK_SIZE * 2
    assert image.text("Description") == "measured"
    colours = {
        image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)
    }
    assert len(colours) > 3


def test_an_svg_has_lines_and_not_pixels_for_symbols_and_says_what_it_shows() -> None:
    data = picture("svg", "measured · a GPU")
    assert QSvgRenderer(QByteArray(data)).isValid()
    text = data.decode()
    assert text.count("<image") < len(WIDTHS)
    assert {"A title", "Forward", "measured · a GPU"} <= {
        part for part in text.replace(">", "<").split("<") if part
    }
