"""The sentence in the strip is in the language of the window, also where that changes while it is
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
from tests.gui.windows import Until, heard

LAST_WORDS = "its last words"
REMARK = Remark((say("There is no run {number}.", number=3), say("Over.")), say("Details"))
LOST = WorkerLost(say("The worker was killed."), LAST_WORDS, True)
REFUSED = Refused(
    (
        Problem(
            "num_warps", "3", say("take a power of two from {least} to {most}", least=1, most=32)
        ),
    )
)
NEWS = Remark((say("Saved."),))


@pytest.fixture
def strip(qtbot: QtBot) -> MessageStrip:
    found = MessageStrip(*map(QAction, ("&Run", "Check &64 rows", "Restart &worker")))
    qtbot.addWidget(found)
    return found


def lines(strip: MessageStrip) -> list[str]:
    return strip.sentence.text().split("\n")


@pytest.mark.parametrize("notice", [REMARK, LOST, REFUSED])
def test_a_message_on_show_follows_the_language(
    strip: MessageStrip, notice: Notice, qapp: QApplication, until: Until
) -> None:
    other = Marking()
    strip.show_notice(notice)
    english = lines(strip)
    detail = strip.detail.toPlainText()
    qapp.installTranslator(other)
    until(lambda: "[" in strip.sentence.text())
    assert len(lines(strip)) == len(english)
    assert strip.detail.toPlainText() == ("[Details]" if notice is REMARK else detail)
    qapp.removeTranslator(other)
    until(lambda: lines(strip) == english)


def test_notes_that_gather_leave_the_panes_their_room_and_none_is_lost(strip: MessageStrip) -> None:
    notes = tuple(f"There is no run {number}." for number in range(1, 12))
    strip.show_notice(Remark(notes[:MOST_LINES]))
    assert lines(strip) == list(notes[:MOST_LINES])
    assert strip.details.isHidden()
    strip.show_notice(Remark(notes, LAST_WORDS))
    assert lines(strip) == list(notes[-MOST_LINES:])
    assert strip.detail.toPlainText().split("\n") == [*notes[:-MOST_LINES], LAST_WORDS]
    assert not strip.details.isHidden()


def test_one_line_of_news_goes_by_itself_and_all_else_stays(strip: MessageStrip) -> None:
    closed = heard(strip.close_button.clicked)
    stays = Remark(NEWS.lines, stays=True)
    for notice in (REMARK, LOST, REFUSED, stays, NEWS):
        strip.show_notice(notice)
        assert strip._away.isActive() == (notice is NEWS)
    strip._away.timeout.emit()
    assert len(closed) == 1
    strip.show_notice(NEWS)
    strip.show_notice(LOST)
    assert not strip._away.isActive(), "what follows has its own time"


def test_a_sentence_of_a_thousand_words_and_one_with_markup_are_among_the_details_whole(
    strip: MessageStrip,
) -> None:
    whole = "<img src='/dev/zero'> " * 1000
    strip.show_notice(Broken("run", verbatim(whole), LAST_WORDS))
    assert strip.sentence.textFormat() == Qt.TextFormat.PlainText
    assert strip.height() < 200
    strip.details.click()
    assert strip.detail.toPlainText() == f"{whole}\n{LAST_WORDS}"


@pytest.mark.parametrize(
    ("notice", "helps"),
    [
        (REMARK, False),
        (LOST, True),
        (REFUSED, False),
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
