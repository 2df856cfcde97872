"""The style sheet."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSpinBox
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.theme import THEMES
from lnexplorer.gui.shell.style import style_sheet

VISIBLE = 60  # of lightness, 255 from black to white, beside the field


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_both_arrows_of_a_spin_box_can_be_seen(qtbot: QtBot, theme) -> None:
    spin = QSpinBox()
    qtbot.addWidget(spin)
    spin.setStyleSheet(style_sheet(theme))
    spin.setValue(5)
    spin.resize(80, 28)
    picture = spin.grab().toImage()
    ground = QColor(theme.raised).lightness()
    for top in (4, 14):
        field = [picture.pixelColor(x, y).lightness() for x in range(62, 78) for y in range(top, top + 10)]
        marked = sum(abs(lightness - ground) > VISIBLE for lightness in field)
        assert 4 <= marked <= 60, "an arrow is neither nothing nor a block"
