"""Work for Qt's thread in small steps."""

from PySide6.QtCore import QCoreApplication
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell.steps import StepQueue


def test_of_two_steps_of_one_name_the_newer_is_done_and_no_step_begins_inside_another(qtbot: QtBot) -> None:
    del qtbot
    queue, done = StepQueue(), list[str]()

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
    queue, done = StepQueue(), list[str]()
    queue.replace("errors", [lambda name=name: done.append(name) for name in ("old 1", "old 2", "old 3")])  # type: ignore[misc]
    queue.add("errors of others", lambda: done.append("others"))
    queue._next()
    queue.replace("errors", [lambda: done.append("new")])
    while queue.waiting:
        queue._next()
    assert done == ["old 1", "others", "new"]


def test_a_step_that_fails_holds_up_no_other(qtbot: QtBot) -> None:
    queue, done = StepQueue(), list[str]()

    def fail() -> None:
        raise RuntimeError("one of them")

    queue.add("fails", fail)
    queue.add("the other", lambda: done.append("the other"))
    with capture_exceptions() as errors, qtbot.waitSignal(queue.emptied, timeout=2000):
        pass
    assert done == ["the other"]
    assert [str(error) for _, error, _ in errors] == ["one of them"]
