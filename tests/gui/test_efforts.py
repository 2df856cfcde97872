"""What the efforts of a sweep are said to time."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from lnexplorer.domain.sweep.request import EFFORTS
from lnexplorer.gui.i18n.texts import effort_help, efforts_help
from lnexplorer.gui.sweep.form import SweepForm


def test_every_effort_says_how_well_and_how_long_it_times() -> None:
    assert "±1 %" in effort_help("quick")
    assert "200 samples" in effort_help("quick")
    assert "0.2 s a figure at least" in effort_help("normal")
    assert "0.5 s a figure at least" in effort_help("thorough")
    assert all(effort_help(name).startswith(name) for name in EFFORTS)


def test_the_form_shows_it_where_an_effort_is_chosen(qtbot: QtBot) -> None:
    form = SweepForm()
    qtbot.addWidget(form)
    assert form.effort.toolTip() == efforts_help()
    for index, name in enumerate(EFFORTS):
        assert form.effort.itemData(index, Qt.ItemDataRole.ToolTipRole) == effort_help(name)
