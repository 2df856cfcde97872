"""The bar beside a picture of colours."""

import itertools

import pytest
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.colour_bar import ColourBar, ColourScale


@pytest.mark.parametrize("height", [40, 80, 160, 600])
@pytest.mark.parametrize(
    "scale", [ColourScale(5e-6, 9e-4, log=True), ColourScale(1e-3, 9e-3, log=True), ColourScale(0, 9, log=False)]
)
def test_labels_never_touch(scale: ColourScale, height: int, qtbot: QtBot) -> None:
    bar = ColourBar()
    qtbot.addWidget(bar)
    bar.set_scale(scale)
    bar.set_extent(10, 10 + height)
    places = [y for y, _ in bar.labels()]
    line = QFontMetricsF(bar.font()).height()
    assert places
    assert all(below - above >= line for below, above in itertools.pairwise(places))


def test_every_tick_has_its_text_where_there_is_room(qtbot: QtBot) -> None:
    bar = ColourBar()
    qtbot.addWidget(bar)
    bar.set_scale(ColourScale(5e-6, 9e-4, log=True))
    bar.set_extent(0, 800)
    assert [text for _, text in bar.labels()] == [text for _, text in bar.ticks()]
