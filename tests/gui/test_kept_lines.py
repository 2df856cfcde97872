"""Words of several lines ask for all of them, as the size of the text changes, too."""

from collections.abc import Callable

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.legend import Legend, LegendEntry
from lnexplorer.gui.charts.widgets import WrappedLabel


def _label() -> WrappedLabel:
    label = WrappedLabel()
    label.setText("The best of all settings is the one that is marked. " * 4)
    return label


def _legend() -> Legend:
    legend = Legend()
    legend.set_entries(tuple(LegendEntry(f"locked, run {number}", "#ffffff") for number in range(6)))
    return legend


@pytest.mark.parametrize("make", [_label, _legend])
def test_larger_text_has_the_height_it_needs(make: Callable[[], QWidget], qtbot: QtBot) -> None:
    widget = make()
    qtbot.addWidget(widget)
    widget.resize(300, 20)
    widget.show()
    qtbot.waitUntil(lambda: widget.minimumHeight() >= widget.heightForWidth(widget.width()) > 0)
    before = widget.minimumHeight()
    larger = QFont(widget.font())
    larger.setPointSizeF(1.6 * larger.pointSizeF())
    widget.setFont(larger)
    assert widget.minimumHeight() >= widget.heightForWidth(widget.width())
    assert widget.minimumHeight() > before


def test_a_wider_label_asks_for_fewer_lines_again(qtbot: QtBot) -> None:
    label = _label()
    qtbot.addWidget(label)
    label.resize(300, 20)
    label.show()
    qtbot.waitUntil(lambda: label.minimumHeight() > 2 * label.fontMetrics().lineSpacing())
    label.resize(4000, 200)
    qtbot.waitUntil(lambda: 0 < label.minimumHeight() < 2 * label.fontMetrics().lineSpacing())
