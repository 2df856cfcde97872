"""What the strip says, it says in the language of the window, also where that changes while it is on show."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.shell.message_strip import MOST_LINES, MessageStrip
from lnexplorer.gui.shell.messages import detail_of, sentence_of
from lnexplorer.gui.shell.state import Notice, Remark
from lnexplorer.protocol.messages import Refused, WorkerLost
from lnexplorer.store.resources import resource
from lnkernels.launch import Problem
from lnkernels.sentence import say


def _words() -> str:
    return QCoreApplication.translate("MessageStrip", "Run again")


NOTICES: tuple[Notice, ...] = (
    Remark("There is no run 3.", words=(say("There is no run {number}.", number=3),)),
    Remark("Run again\nOver.", "Run again", words=(_words, say("Over.")), more_words=_words),
    WorkerLost(say("The worker was killed."), "its last words", True),
    Refused((Problem("num_warps", "3", say("take a power of two from {least} to {most}", least=1, most=32)),)),
)


class Other(QTranslator):
    """A language in which every text stands in brackets."""

    def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
        return f"⟨{text}⟩"

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def languages(qapp: QApplication) -> Iterator[Languages]:
    languages = Languages(qapp, resource("translations"))
    yield languages
    languages.use("en")


@pytest.mark.parametrize("notice", NOTICES)
def test_a_message_on_show_follows_the_language(notice: Notice, qapp: QApplication, qtbot: QtBot) -> None:
    strip, other = MessageStrip(), Other()
    qtbot.addWidget(strip)
    strip.show_message(lambda: sentence_of(notice), lambda: detail_of(notice))
    english, detail = strip.sentence.text(), strip.detail.toPlainText()
    assert english.isascii()
    qapp.installTranslator(other)
    qtbot.waitUntil(lambda: "⟨" in strip.sentence.text())
    assert strip.run.text() != "Run again"
    assert len(strip.sentence.text().split("\n")) == len(english.split("\n"))
    assert (strip.detail.toPlainText() == detail) == (not callable(getattr(notice, "more_words", "")))
    qapp.removeTranslator(other)
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
