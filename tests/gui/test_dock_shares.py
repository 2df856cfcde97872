"""How docks share a window while messages come and go above them, and from one start to the next."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.placement import keep_place, place

SIZE = (1600, 1000)
ROUNDING = 3  # px


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path) -> Callable[[], MainWindow]:
    def make() -> MainWindow:
        window = MainWindow()
        qtbot.addWidget(window)
        place(window, tmp_path / "window.ini", SIZE, gpu=True)
        window.show()
        qtbot.waitExposed(window)
        settle(window, qtbot)
        return window

    return make


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Until the docks keep their sizes: one change of the layout brings another, each in a turn of the event loop."""
    seen: list[dict[str, int]] = []
    while len(seen) < 3 or any(each != seen[-1] for each in seen[-3:]):
        qtbot.wait(20)
        seen.append(heights(window))


def say(window: MainWindow, qtbot: QtBot) -> None:
    window.message.show_message(lambda: "Something is worth a sentence.", note=True)
    qtbot.waitUntil(lambda: window.message.isVisible() and window.message.height() > ROUNDING)
    settle(window, qtbot)


def heights(window: MainWindow) -> dict[str, int]:
    return {name: dock.height() for name, dock in window.docks.docks.items() if name in ("reduction", "correctness")}


def test_the_docks_are_as_high_as_before_when_messages_have_come_and_gone(opened: Callable[[], MainWindow], qtbot: QtBot) -> None:
    window = opened()
    before = heights(window)
    for _ in range(3):
        say(window, qtbot)
        assert heights(window)["reduction"] < before["reduction"] - ROUNDING
        window.message.hide()
        settle(window, qtbot)
    assert heights(window) == pytest.approx(before, abs=ROUNDING)


def test_a_window_that_is_left_with_a_message_starts_as_it_was_without(
    opened: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    window = opened()
    before = heights(window)
    for _ in range(3):
        say(window, qtbot)
        keep_place(window, tmp_path / "window.ini")
        window.close()
        window = opened()
    assert heights(window) == pytest.approx(before, abs=ROUNDING)


def test_docks_that_are_made_higher_by_hand_below_a_message_stay_so(opened: Callable[[], MainWindow], qtbot: QtBot) -> None:
    window = opened()
    say(window, qtbot)
    docks = window.docks.docks
    window.resizeDocks([docks["reduction"], docks["correctness"]], [300, 600], Qt.Orientation.Vertical)
    settle(window, qtbot)
    by_hand = heights(window)
    window.message.hide()
    settle(window, qtbot)
    say(window, qtbot)
    assert heights(window) == pytest.approx(by_hand, abs=ROUNDING)


def test_a_message_that_comes_while_an_edge_is_held_covers_nothing(opened: Callable[[], MainWindow], qtbot: QtBot) -> None:
    window = opened()
    form, picture, left = window.docks.docks["parameters"], window.docks.docks["reduction"], Qt.MouseButton.LeftButton
    edge = QPoint((form.geometry().right() + picture.geometry().left()) // 2, picture.geometry().center().y())
    width = form.width()
    QTest.mousePress(window, left, pos=edge)
    QTest.mouseMove(window, edge + QPoint(60, 0))
    qtbot.wait(50)
    assert form.width() > width + 40
    say(window, qtbot)
    QTest.mouseRelease(window, left, pos=edge + QPoint(60, 0))
    settle(window, qtbot)
    assert form.width() > width + 40
    assert form.geometry().top() > window.menuWidget().geometry().bottom()
    assert form.geometry().bottom() < window.statusBar().geometry().top()
    window.message.hide()
    settle(window, qtbot)
    assert form.width() > width + 40
