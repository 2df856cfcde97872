"""What the strip says, it says in the language of the window, also where that changes while it is on show."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.shell.message_strip import MOST_LINES, MessageStrip
from lnexplorer.gui.shell.messages import detail_of, sentence_of
from lnexplorer.gui.shell.state import Notice, Remark
from lnexplorer.protocol.messages import Refused, WorkerLost
from lnexplorer.store.resources import resource
from lnkernels.launch import Problem
from lnkernels.sentence import verbatim


def _words() -> str:
    return QCoreApplication.translate("MessageStrip", "Run again")


NOTICES: tuple[Notice, ...] = (
    Remark("There is no run 3."),
    Remark("Something unexpected went wrong with a file: KeyError: 'page'"),
    Remark("Run again\nThere is no run 3.", "Run again", words=(_words, "There is no run 3."), more_words=_words),
    WorkerLost(
        verbatim("The worker was killed (SIGKILL), perhaps because memory ran out, while running."), "its last words", True
    ),
    Refused((Problem("num_warps", "3", "take a power of two from 1 to 32, or automatic"),)),
)


@pytest.fixture
def languages(qapp: QApplication) -> Iterator[Languages]:
    languages = Languages(qapp, resource("translations"))
    yield languages
    languages.use("en")


@pytest.mark.parametrize("notice", NOTICES)
def test_a_message_on_show_follows_the_language(notice: Notice, languages: Languages, qtbot: QtBot) -> None:
    strip = MessageStrip()
    qtbot.addWidget(strip)
    strip.show_message(lambda: sentence_of(notice), lambda: detail_of(notice))
    english, detail = strip.sentence.text(), strip.detail.toPlainText()
    assert english.isascii()
    languages.use("zh_CN")
    qtbot.waitUntil(lambda: not strip.sentence.text().isascii())
    assert strip.run.text() != "Run again"
    assert len(strip.sentence.text().split("\n")) == len(english.split("\n"))
    assert (strip.detail.toPlainText() == detail) == (not callable(getattr(notice, "more_words", "")))
    languages.use("en")
    qtbot.waitUntil(lambda: strip.sentence.text() == english)


def test_notes_that_gather_leave_the_panes_their_room_and_none_is_lost(languages: Languages, qtbot: QtBot) -> None:
    strip = MessageStrip()
    qtbot.addWidget(strip)
    notes = [f"There is no run {number}." for number in range(1, 12)]
    strip.show_message(lambda: "\n".join(notes[:MOST_LINES]), note=True)
    assert strip.sentence.text().split("\n") == notes[:MOST_LINES]
    assert strip.details.isHidden()
    strip.show_message(lambda: "\n".join(notes), lambda: "its last words", note=True)
    assert strip.sentence.text().split("\n") == notes[-MOST_LINES:]
    assert strip.detail.toPlainText().split("\n") == [*notes[:-MOST_LINES], "its last words"]
    assert not strip.details.isHidden()
    strip.show_message(lambda: "\n".join(notes))
    assert strip.sentence.text().split("\n") == notes, "what a failed run was refused for stays whole"


def test_a_sentence_that_another_language_makes_longer_is_whole(languages: Languages, qtbot: QtBot) -> None:
    strip, lines = MessageStrip(), ["There is no run 3."]
    qtbot.addWidget(strip)
    strip.show_message(lambda: "\n".join(lines))
    qtbot.waitExposed(strip)
    lines *= 3
    languages.use("zh_CN")
    qtbot.waitUntil(lambda: strip.sentence.text() == "\n".join(lines))
    area = strip.findChild(QScrollArea)
    assert area.height() >= strip.sentence.heightForWidth(area.viewport().width()) >= 3 * strip.sentence.fontMetrics().height()
