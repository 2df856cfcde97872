"""The window on the whole screen, and back."""

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell.main_window import MainWindow


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = MainWindow()
    qtbot.addWidget(window)
    window.actions_["full_screen"].toggled.connect(window.set_full_screen)
    return window


@pytest.mark.parametrize("maximised", [False, True])
def test_after_full_screen_a_window_is_as_large_as_before(window: MainWindow, qtbot: QtBot, *, maximised: bool) -> None:
    window.showMaximized() if maximised else window.show()
    qtbot.waitExposed(window)
    for full in (True, False):
        window.actions_["full_screen"].trigger()
        qtbot.waitUntil(lambda full=full: window.isFullScreen() is full)  # type: ignore[misc]
    assert window.isMaximized() is maximised


def test_the_menu_says_so_where_the_desktop_or_the_last_start_has_filled_the_screen(window: MainWindow, qtbot: QtBot) -> None:
    window.showFullScreen()
    qtbot.waitUntil(window.actions_["full_screen"].isChecked)
    window.actions_["full_screen"].trigger()
    qtbot.waitUntil(lambda: not window.isFullScreen())
