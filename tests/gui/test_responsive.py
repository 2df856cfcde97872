"""Calls and work of other threads, and steps of Qt's own, keep the event loop alive."""

import threading

from PySide6.QtCore import QCoreApplication, QEventLoop
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.responsive import Background, Delivery, IdleSteps


def test_a_call_that_turns_the_event_loop_takes_no_call_from_the_others(
    delivery: Delivery, qtbot: QtBot
) -> None:
    heard: list[str] = []
    dialog = QEventLoop()

    def modal() -> None:
        delivery.post(dialog.quit)
        dialog.exec()
        heard.append("closed")

    for call in (modal, lambda: heard.append("second"), lambda: heard.append("third")):
        delivery.post(call)
    qtbot.waitUntil(lambda: len(heard) == 3)
    assert heard == ["second", "third", "closed"]


def test_what_was_asked_for_is_finished_and_nothing_more_is_told_once_it_is_closed(
    files: Background, qtbot: QtBot
) -> None:
    done: list[str] = []
    files.do(lambda: done.append("written"), lambda _nothing: done.append("told"))
    files.close()
    qtbot.wait(20)
    assert done == ["written"]


def test_of_two_steps_of_one_name_the_newer_is_done_and_no_step_begins_inside_another(
    qtbot: QtBot,
) -> None:
    del qtbot
    queue = IdleSteps()
    done = list[str]()

    def turning() -> None:
        QCoreApplication.processEvents()
        done.append("turning")

    queue.add("one", lambda: done.append("old"))
    queue.add("two", turning)
    queue.add("three", lambda: done.append("three"))
    queue.add("one", lambda: done.append("new"))
    while queue.waiting:
        QCoreApplication.processEvents()
    assert done == ["new", "turning", "three"]


def test_a_step_that_fails_holds_up_no_other(qtbot: QtBot) -> None:
    queue = IdleSteps()
    done = list[str]()

    def fail() -> None:
        raise RuntimeError("one of them")

    queue.add("fails", fail)
    queue.add("the other", lambda: done.append("the other"))
    with capture_exceptions() as errors, qtbot.waitSignal(queue.emptied, timeout=2000):
        pass
    assert done == ["the other"]
    assert [str(error) for _, error, _ in errors] == ["one of them"]


def test_of_what_is_asked_for_under_one_key_only_the_newest_comes(
    files: Background, qtbot: QtBot
) -> None:
    came: list[int] = []
    may_go_on = threading.Event()
    files.do(lambda: may_go_on.wait(10) and 1, came.append, "number")
    files.do(lambda: 2, came.append, "number")
    files.do(lambda: 3, came.append, "number")
    files.do(lambda: 4, came.append, "dropped")
    files.drop("dropped")
    may_go_on.set()
    with qtbot.waitCallback() as done:
        files.do(lambda: None, done)
    assert came == [3]
