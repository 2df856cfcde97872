"""A window is as high as it was made, whatever it has to say, and everything that it says can be read."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.theme import DARK, TEXT_SIZE
from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.shell.main_window import MESSAGE_SHARE, MainWindow
from lnexplorer.gui.shell.message_strip import MOST_LINES
from lnexplorer.gui.shell.style import style_sheet
from lnexplorer.store.resources import resource

SIZES = ((1280, 720), (1280, 560), (700, 720))
LONG = "What a run was refused for has one long sentence, and another one, until it needs more than one line of any window. " * 3


@pytest.fixture(params=[("en", 1.3), ("zh_CN", 1.0)], ids=["large text", "Chinese"])
def _text(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[None]:
    before, sheet, languages = qapp.font(), qapp.styleSheet(), Languages(qapp, resource("translations"))
    language, times = request.param
    languages.use(language)
    font = QFont(before)
    font.setPointSizeF(times * TEXT_SIZE)
    qapp.setFont(font)
    qapp.setStyleSheet(style_sheet(DARK))
    yield
    qapp.setStyleSheet(sheet)
    qapp.setFont(before)
    languages.use("en")


@pytest.fixture(params=SIZES, ids=str)
def window(_text: None, qtbot: QtBot, request: pytest.FixtureRequest) -> MainWindow:
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(*request.param)
    window.arrange(gpu=True)
    window.show()
    qtbot.waitExposed(window)
    qtbot.wait(20)
    return window


def four_notes(window: MainWindow) -> None:
    window.message.show_message(lambda: "\n".join(f"There is no run {number}." for number in range(MOST_LINES)), note=True)


def many_notes(window: MainWindow) -> None:
    window.message.show_message(lambda: "\n".join(f"There is no run {number}." for number in range(40)), note=True)
    window.message.details.setChecked(True)


def a_failure(window: MainWindow) -> None:
    window.message.show_message(lambda: "\n".join([LONG] * 5), lambda: "its last words\n" * 30, can_restart=True)
    window.message.details.setChecked(True)


@pytest.mark.parametrize("say", [four_notes, many_notes, a_failure])
def test_no_message_makes_the_window_larger(window: MainWindow, say: Callable[[MainWindow], None], qtbot: QtBot) -> None:
    size, least, strip = window.size(), window.minimumHeight(), window.message
    say(window)
    qtbot.wait(40)
    assert window.size() == size
    assert window.minimumHeight() == least, "nor may it be kept from becoming smaller again"
    words = strip.findChild(QScrollArea)
    line = strip.sentence.fontMetrics().lineSpacing()
    assert words.height() >= line
    assert words.verticalScrollBar().maximum() + words.height() >= strip.sentence.heightForWidth(words.viewport().width())
    at_end = words.verticalScrollBar().value() == words.verticalScrollBar().maximum()
    assert at_end or say is a_failure, "the latest note is in sight"
    if say is not four_notes:
        assert strip.detail.viewport().height() >= 2 * line
    window.resize(size.width(), size.height() - 20)
    window.resize(size)
    strip.hide()
    qtbot.wait(40)
    assert window.size() == size


def test_a_message_takes_what_the_panes_leave_and_never_most_of_a_window(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 1000)
    a_failure(window)
    qtbot.wait(40)
    needed = window.message.height()
    assert needed <= window.height() // MESSAGE_SHARE
    window.resize(1280, 720)
    qtbot.wait(40)
    assert window.message.height() < needed
    assert window.statusBar().geometry().top() > max(dock.geometry().bottom() for dock in window.docks.docks.values())
    window.resize(1280, 1000)
    qtbot.wait(40)
    assert window.message.height() == needed


def test_a_sentence_is_read_with_the_keyboard_where_it_scrolls_and_is_no_stop_where_it_does_not(
    window: MainWindow, qtbot: QtBot
) -> None:
    words = window.message.findChild(QScrollArea)
    window.resize(1280, 1000)
    window.message.show_message(lambda: "There is no run 3.", note=True)
    qtbot.wait(40)
    assert words.focusPolicy() is Qt.FocusPolicy.NoFocus
    a_failure(window)
    window.resize(700, 560)
    qtbot.wait(40)
    assert words.focusPolicy() is Qt.FocusPolicy.TabFocus
    assert words.verticalScrollBar().value() == 0
