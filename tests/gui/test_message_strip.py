"""What the strip says, it says in the language of the window, also where that changes while it is
on show.
"""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.session.state import LongRun, Notice, Remark
from lnexplorer.gui.window.message_strip import MOST_LINES, MessageStrip
from lnexplorer.protocol.messages import Broken, Refused, WorkerLost
from lnkernels.launch import Problem
from lnkernels.values.sentence import say, verbatim
from tests.gui.fakes import Marking

NOTICES: tuple[Notice, ...] = (
    Remark((say("There is no run {number}.", number=3), say("Over.")), say("Details")),
    WorkerLost(say("The worker was killed."), "its last words", True),
    Refused(
        (
            Problem(
                "num_warps",
                "3",
                say("take a power of two from {least} to {most}", least=1, most=32),
            ),
        )
    ),
)


@pytest.fixture
def strip(qtbot: QtBot) -> MessageStrip:
    found = MessageStrip(*map(QAction, ("&Run", "Check &64 rows", "Restart &worker")))
    qtbot.addWidget(found)
    return found


@pytest.mark.parametrize("notice", NOTICES)
def test_a_message_on_show_follows_the_language(
    strip: MessageStrip, notice: Notice, qapp: QApplication, qtbot: QtBot
) -> None:
    other = Marking()
    strip.show_notice(notice)
    english, detail = strip.sentence.text(), strip.detail.toPlainText()
    assert english.isascii()
    qapp.installTranslator(other)
    qtbot.waitUntil(lambda: "[" in strip.sentence.text())
    assert len(strip.sentence.text().split("\n")) == len(english.split("\n"))
    assert strip.detail.toPlainText() == ("[Details]" if isinstance(notice, Remark) else detail)
    qapp.removeTranslator(other)
    qtbot.waitUntil(lambda: strip.sentence.text() == english)


def test_notes_that_gather_leave_the_panes_their_room_and_none_is_lost(strip: MessageStrip) -> None:
    notes = tuple(f"There is no run {number}." for number in range(1, 12))
    strip.show_notice(Remark(notes[:MOST_LINES]))
    assert strip.sentence.text().split("\n") == list(notes[:MOST_LINES])
    assert strip.details.isHidden()
    strip.show_notice(Remark(notes, "its last words"))
    assert strip.sentence.text().split("\n") == list(notes[-MOST_LINES:])
    assert strip.detail.toPlainText().split("\n") == [*notes[:-MOST_LINES], "its last words"]
    assert not strip.details.isHidden()


def test_one_line_of_news_goes_by_itself_and_all_else_stays(strip: MessageStrip) -> None:
    for notice in (
        *NOTICES,
        Remark((say("One."),), stays=True),
        Remark((say("One."), say("Two."))),
    ):
        strip.show_notice(notice)
        assert not strip._away.isActive()
    closed: list[bool] = []
    strip.close_button.clicked.connect(lambda: closed.append(True))
    strip.show_notice(Remark((say("Saved."),)))
    assert strip._away.isActive()
    strip._away.timeout.emit()
    assert len(closed) == 1
    strip.show_notice(NOTICES[1])
    assert not strip._away.isActive(), "what follows has its own time"


def test_a_sentence_of_a_thousand_words_and_one_with_markup_are_among_the_details_whole(
    strip: MessageStrip,
) -> None:
    whole = "<img src='/dev/zero'> " * 1000
    strip.show_notice(Broken("run", verbatim(whole), "its last words"))
    assert strip.sentence.textFormat() == Qt.TextFormat.PlainText
    assert strip.height() < 200
    strip.details.click()
    assert strip.detail.toPlainText() == f"{whole}\nits last words"


@pytest.mark.parametrize(
    ("notice", "helps"),
    [
        (NOTICES[0], False),
        (NOTICES[1], True),
        (NOTICES[2], False),
        (LongRun(4096, 8192, 300.0), True),
        (Broken("run", say("out of memory"), ""), False),
        (Broken("run", say("The line to rack7 dropped."), "", line_dropped=True), True),
    ],
    ids=["remark", "worker lost", "refused", "minutes", "broken", "line dropped"],
)
def test_a_run_is_offered_only_where_that_may_help(
    strip: MessageStrip, notice: Notice, helps: bool
) -> None:
    strip.show_notice(notice)
    assert strip.run.isVisibleTo(strip) == helps
    strip.show_notice(notice, can_restart=True)
    assert strip.restart.isVisibleTo(strip)
