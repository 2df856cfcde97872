"""The axis of a sweep's values: its names stand apart, however large they are."""

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.charts.axes import ValueAxis, value_scale
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.shell.style import apply_style

VALUES = range(1024, 16384, 512)


@pytest.mark.parametrize("percent", [100, 130, 160])
@pytest.mark.parametrize("width", [300, 620, 1000])
def test_names_do_not_touch(qapp: QApplication, percent: int, width: int) -> None:
    apply_style(qapp, DARK, percent)
    scale = value_scale(VALUES, [str(value) for value in VALUES])
    axis = ValueAxis("bottom")
    axis.set_scale_of(scale)
    low, high = scale.ends
    ((_, places),) = axis.tickValues(low, high, width)
    assert len(places) >= 2
    apart = (places[1] - places[0]) / (high - low) * width
    assert apart > QFontMetrics(QApplication.font()).horizontalAdvance("15872") + 4
