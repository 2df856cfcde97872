"""What files hold is shown letter by letter, wherever it comes to the screen."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QToolTip
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.theme import DARK, apply_style
from lnexplorer.gui.kit.widgets import Choice, Label, Notice, Readout

GUI = Path(__file__).parents[2] / "lnexplorer" / "gui"
MARKUP = '<img src="/dev/zero"> <a href="file:///">PASSED</a>'
# Qt's label guesses what is markup; these show markup as such.
GUESSES = re.compile(r"\bQLabel\(|\(QLabel\)|setTextFormat|QMessageBox|QErrorMessage|insertHtml")
OWN = {"kit/widgets.py"}


def test_no_label_but_one_guesses_what_is_markup() -> None:
    found = [
        str(file.relative_to(GUI))
        for file in GUI.rglob("*.py")
        if GUESSES.search(file.read_text(encoding="utf-8"))
    ]
    assert set(found) <= OWN


def test_a_label_shows_markup_of_others_and_lays_out_the_programs_own(qtbot: QtBot) -> None:
    notice = Notice()
    qtbot.addWidget(notice)
    notice.set_text(MARKUP, MARKUP)
    for label in (notice.title, notice.body, Readout(), Label(MARKUP, notice)):
        assert label.textFormat() == Qt.TextFormat.PlainText
    notice.body.set_markup("<b>own</b>")
    assert notice.body.textFormat() == Qt.TextFormat.RichText


@pytest.mark.qt_log_ignore(r"does not support raise\(\)", extend=True)
def test_a_tooltip_shows_markup_letter_by_letter(qapp: QApplication, qtbot: QtBot) -> None:
    before = qapp.font(), qapp.palette(), qapp.styleSheet()
    apply_style(qapp, DARK)
    label = Label("somewhere")
    qtbot.addWidget(label)
    label.show()
    try:
        QToolTip.showText(QPoint(10, 10), MARKUP, label)
        tips = [
            widget
            for widget in qapp.topLevelWidgets()
            if isinstance(widget, QLabel) and widget.inherits("QTipLabel")
        ]
        assert [(tip.text(), tip.textFormat()) for tip in tips] == [
            (MARKUP, Qt.TextFormat.PlainText)
        ]
    finally:
        QToolTip.hideText()
        qapp.setFont(before[0])
        qapp.setPalette(before[1])
        qapp.setStyleSheet(before[2])


def test_a_choice_says_when_its_text_has_too_little_room(qtbot: QtBot) -> None:
    choice = Choice()
    qtbot.addWidget(choice)
    choice.addItems(["kernel.setting", "kernel" * 99 + ".setting"])
    choice.resize(300, 30)
    assert choice.option().currentText == "kernel.setting"  # type: ignore[attr-defined]
    choice.setCurrentIndex(1)
    assert re.fullmatch("kernel.*….*setting", choice.option().currentText)  # type: ignore[attr-defined]
    assert not choice.grab().isNull()
