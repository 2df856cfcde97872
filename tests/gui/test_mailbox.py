"""Calls that other threads post for Qt's."""

import threading
from itertools import pairwise

import pytest
from PySide6.QtCore import QEventLoop, QTimer
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell.mailbox import Mailbox


@pytest.fixture
def mailbox(qtbot: QtBot):
    made = Mailbox()
    yield made
    made.close()


def test_what_another_thread_posts_is_called_here_and_in_order(mailbox: Mailbox, qtbot: QtBot) -> None:
    heard: list[tuple[int, int]] = []
    poster = threading.Thread(
        target=lambda: [mailbox.post(lambda n=n: heard.append((n, threading.get_ident()))) for n in range(3)]  # type: ignore[misc]
    )
    poster.start()
    poster.join()
    assert heard == []
    qtbot.waitUntil(lambda: len(heard) == 3)
    assert heard == [(n, threading.get_ident()) for n in range(3)]


def test_a_call_that_turns_the_event_loop_takes_no_call_from_the_others(mailbox: Mailbox, qtbot: QtBot) -> None:
    heard: list[str] = []
    dialog = QEventLoop()

    def modal() -> None:
        mailbox.post(dialog.quit)
        dialog.exec()
        heard.append("closed")

    for call in (modal, lambda: heard.append("second"), lambda: heard.append("third")):
        mailbox.post(call)
    qtbot.waitUntil(lambda: len(heard) == 3)
    assert heard == ["second", "third", "closed"]


def test_the_error_of_one_call_holds_up_no_other(mailbox: Mailbox, qtbot: QtBot) -> None:
    heard: list[str] = []

    def fail() -> None:
        raise RuntimeError("one of them")

    with capture_exceptions() as errors:
        mailbox.post(fail)
        mailbox.post(lambda: heard.append("the other"))
        qtbot.waitUntil(lambda: bool(heard), timeout=2000)
    assert [str(error) for _, error, _ in errors] == ["one of them"]


def test_a_call_may_close_the_mailbox_before_the_others(mailbox: Mailbox, qtbot: QtBot) -> None:
    heard: list[str] = []
    mailbox.post(lambda: (heard.append("closes"), mailbox.close()))
    mailbox.post(lambda: heard.append("too late"))
    qtbot.waitUntil(lambda: bool(heard))
    qtbot.wait(20)
    assert heard == ["closes"]


def test_between_calls_that_take_long_other_events_have_their_turn(
    mailbox: Mailbox, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.gui.shell.mailbox.SLICE_SECONDS", -1.0)
    heard: list[str] = []
    turns = QTimer()
    turns.timeout.connect(lambda: heard.append("turn"))
    turns.start(0)
    for name in ("first", "second", "third"):
        mailbox.post(lambda name=name: heard.append(name))  # type: ignore[misc]
    qtbot.waitUntil(lambda: "third" in heard)
    turns.stop()
    calls = [heard.index(name) for name in ("first", "second", "third")]
    assert calls == sorted(calls)
    assert all("turn" in heard[one + 1 : other] for one, other in pairwise(calls))
