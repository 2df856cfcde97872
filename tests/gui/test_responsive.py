"""What keeps the event loop alive: calls of other threads, their work, and steps of Qt's own."""

import threading
from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from lnexplorer.gui.responsive import Background, Delivery, IdleSteps


@pytest.fixture
def delivery(qtbot: QtBot) -> Iterator[Delivery]:
    made = Delivery()
    yield made
    made.close()


def test_what_another_thread_posts_is_called_here_and_in_order(delivery: Delivery, qtbot: QtBot) -> None:
    heard: list[tuple[int, int]] = []
    poster = threading.Thread(
        target=lambda: [delivery.post(lambda n=n: heard.append((n, threading.get_ident()))) for n in range(3)]  # type: ignore[misc]
    )
    poster.start()
    poster.join()
    assert heard == []
    qtbot.waitUntil(lambda: len(heard) == 3)
    assert heard == [(n, threading.get_ident()) for n in range(3)]


def test_a_call_that_turns_the_event_loop_takes_no_call_from_the_others(delivery: Delivery, qtbot: QtBot) -> None:
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


def test_the_error_of_one_call_holds_up_no_other(delivery: Delivery, qtbot: QtBot) -> None:
    heard: list[str] = []

    def fail() -> None:
        raise RuntimeError("one of them")

    with capture_exceptions() as errors:
        delivery.post(fail)
        delivery.post(lambda: heard.append("the other"))
        qtbot.waitUntil(lambda: bool(heard), timeout=2000)
    assert [str(error) for _, error, _ in errors] == ["one of them"]


def test_a_call_may_close_the_delivery_before_the_others(delivery: Delivery, qtbot: QtBot) -> None:
    heard: list[str] = []
    delivery.post(lambda: (heard.append("closes"), delivery.close()))
    delivery.post(lambda: heard.append("too late"))
    qtbot.waitUntil(lambda: bool(heard))
    qtbot.wait(20)
    assert heard == ["closes"]


def test_between_calls_that_take_long_other_events_have_their_turn(
    delivery: Delivery, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.gui.responsive.SLICE_SECONDS", -1.0)
    heard: list[str] = []
    turns = QTimer()
    turns.timeout.connect(lambda: heard.append("turn"))
    turns.start(0)
    for name in ("first", "second", "third"):
        delivery.post(lambda name=name: heard.append(name))  # type: ignore[misc]
    qtbot.waitUntil(lambda: "third" in heard)
    turns.stop()
    calls = [heard.index(name) for name in ("first", "second", "third")]
    assert calls == sorted(calls)
    assert all("turn" in heard[one + 1 : other] for one, other in pairwise(calls))


def test_of_calls_with_one_key_that_wait_next_to_each_other_the_newest_is_made(delivery: Delivery, qtbot: QtBot) -> None:
    heard: list[str] = []
    for name, key in (("10 %", "progress"), ("20 %", "progress"), ("figure", None), ("30 %", "progress")):
        delivery.post(lambda name=name: heard.append(name), key)  # type: ignore[misc]
    qtbot.waitUntil(lambda: "30 %" in heard)
    assert heard == ["20 %", "figure", "30 %"]


@pytest.fixture
def files(delivery: Delivery) -> Iterator[Background]:
    thread = Background(delivery, "files")
    yield thread
    thread.close()


def test_an_error_that_is_foreseen_is_a_warning(files: Background, qtbot: QtBot) -> None:
    def work() -> None:
        raise ValueError("It is no recording.")

    with qtbot.waitSignal(files.warned) as warned, qtbot.assertNotEmitted(files.failed):
        files.do(work, lambda _nothing: pytest.fail("there is nothing to hand over"))
    assert str(warned.args[0]) == "It is no recording."


def test_an_error_that_nobody_expected_is_told_and_logged_and_the_thread_goes_on(
    files: Background, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    with qtbot.waitSignal(files.failed) as failed:
        files.do(lambda: {}["page"], lambda _nothing: pytest.fail("there is nothing to hand over"))
    assert str(failed.args[0]) == "Something unexpected went wrong with a file: KeyError: 'page'"
    qtbot.waitUntil(lambda: "KeyError" in caplog.text)
    with qtbot.waitSignal(files.warned) as warned:
        files.do(lambda: "a.txt", files.warned.emit)
    assert warned.args == ["a.txt"]


def test_an_error_of_whoever_is_given_the_result_is_told_too(files: Background, qtbot: QtBot) -> None:
    def show(_found: int) -> None:
        raise LookupError

    with capture_exceptions() as raised, qtbot.waitSignal(files.failed) as failed:
        files.do(lambda: 1, show)
    assert str(failed.args[0]) == "Something unexpected went wrong with a file: LookupError"
    assert [kind for kind, _, _ in raised] == [LookupError]


def test_what_was_asked_for_is_finished_and_nothing_more_is_told_once_it_is_closed(files: Background, qtbot: QtBot) -> None:
    done: list[str] = []
    files.do(lambda: done.append("written"), lambda _nothing: done.append("told"))
    files.close()
    qtbot.wait(20)
    assert done == ["written"]


def test_of_two_steps_of_one_name_the_newer_is_done_and_no_step_begins_inside_another(qtbot: QtBot) -> None:
    del qtbot
    queue, done = IdleSteps(), list[str]()

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


def test_steps_that_have_not_begun_give_way_to_those_that_replace_them(qtbot: QtBot) -> None:
    del qtbot
    queue, done = IdleSteps(), list[str]()
    queue.replace("errors", [lambda name=name: done.append(name) for name in ("old 1", "old 2", "old 3")])  # type: ignore[misc]
    queue.add("errors of others", lambda: done.append("others"))
    queue._next()
    queue.replace("errors", [lambda: done.append("new")])
    while queue.waiting:
        queue._next()
    assert done == ["old 1", "others", "new"]


def test_a_step_that_fails_holds_up_no_other(qtbot: QtBot) -> None:
    queue, done = IdleSteps(), list[str]()

    def fail() -> None:
        raise RuntimeError("one of them")

    queue.add("fails", fail)
    queue.add("the other", lambda: done.append("the other"))
    with capture_exceptions() as errors, qtbot.waitSignal(queue.emptied, timeout=2000):
        pass
    assert done == ["the other"]
    assert [str(error) for _, error, _ in errors] == ["one of them"]


def test_of_what_is_asked_for_under_one_key_only_the_newest_comes(files: Background, qtbot: QtBot) -> None:
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
