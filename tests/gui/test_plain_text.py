"""Texts of files are shown letter by letter, wherever they come to the screen."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QToolTip
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.theme import DARK, apply_style
from lnexplorer.gui.kit.widgets import Choice, Label, Notice, Readout
from tests.gui.windows import off_screen, on_screen

GUI = Path(__file__).parents[2] / "lnexplorer" / "gui"
MARKUP = '<img src="/dev/zero"> <a href="file:///">PASSED</a>'
PLAIN = Qt.TextFormat.PlainText
# Qt's label guesses what is markup; these show markup as such.
GUESSES = re.compile(r"\bQLabel\(|\(QLabel\)|setTextFormat|QMessageBox|QErrorMessage|insertHtml")
OWN = GUI / "kit" / "widgets.py"


def test_no_label_but_one_guesses_what_is_markup() -> None:
    files = (file for file in GUI.rglob("*.py") if file != OWN)
    assert [file for file in files if GUESSES.search(file.read_text(encoding="utf-8"))] == []


def test_a_label_shows_markup_of_others_and_lays_out_the_programs_own(qtbot: QtBot) -> None:
    notice = off_screen(qtbot, Notice(), 300, 300)
    notice.set_text(MARKUP, MARKUP)
    for label in (notice.title, notice.body, Readout(), Label(MARKUP, notice)):
        assert label.textFormat() == PLAIN
    notice.body.set_markup("<b>own</b>")
    assert notice.body.textFormat() == Qt.TextFormat.RichText


@pytest.mark.qt_log_ignore(r"does not support raise\(\)", extend=True)
def test_a_tooltip_shows_markup_letter_by_letter(qapp: QApplication, qtbot: QtBot) -> None:
    apply_style(qapp, DARK)
    label = on_screen(qtbot, Label("somewhere"), 100, 30)
    QToolTip.showText(QPoint(10, 10), MARKUP, label)
    (tip,) = (each for each in qapp.topLevelWidgets() if each.inherits("QTipLabel"))
    assert isinstance(tip, QLabel)
    assert tip.text() == MARKUP
    assert tip.textFormat() == PLAIN
    QToolTip.hideText()


def test_a_choice_says_when_its_text_has_too_little_room(qtbot: QtBot) -> None:
    choice = off_screen(qtbot, Choice(), 300, 30)
    choice.addItems(["kernel.setting", "kernel" * 99 + ".setting"])
    for place, drawn in enumerate(("kernel.setting", "kernel.*….*setting")):
        choice.setCurrentIndex(place)
        assert re.fullmatch(drawn, choice.option().currentText)  # type: ignore[attr-defined]
    choice.grab()
