"""Workspaces, their parts, and the room that they share."""

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QSplitter
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.theme import Theme, Themed
from lnexplorer.gui.session.state import Remark
from lnexplorer.gui.window.main_window import (
    MainWindow,
    keep_place,
    layout_text,
    place_window,
    restore_layout,
)
from lnexplorer.gui.window.workspaces import PARTS, WORKSPACES

RUN = ("parameters", "reduction", "correctness", "throughput")


class Pane(Themed, QLabel):
    """Stands for any pane."""

    def apply_theme(self) -> None:
        self.setText(Theme.current.name)


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    made = MainWindow()
    qtbot.addWidget(made)
    for name in PARTS:
        if name not in made.made:
            pane = Pane()
            pane.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            made.set_pane(name, pane)
    made.resize(1600, 1000)
    with qtbot.waitExposed(made):
        made.show()
    return made


def seen(window: MainWindow) -> list[str]:
    return [name for name, pane in window.made.items() if pane.isVisible()]


def test_each_workspace_has_a_button_a_key_and_the_whole_window(window: MainWindow) -> None:
    assert seen(window) == list(RUN)
    for number, workspace in enumerate(WORKSPACES, 1):
        action = window.actions_.groups["workspaces"].actions()[number - 1]
        assert action.shortcut().toString() == f"Ctrl+{number}"
        button = window.bar.buttons[number - 1]
        button.click()
        assert window.workspace == workspace.name
        assert seen(window) == [part.name for part in workspace.parts()]
        assert button.isChecked()


def test_no_key_of_the_window_is_one_that_a_text_field_takes(window: MainWindow) -> None:
    # A field deletes by Ctrl+K, too, but where no shortcut has it: it does not ask for that first.
    on_x11 = {f"Ctrl+{letter}" for letter in "ACDEHUVWXYZ"} | {
        "Ctrl+Backspace",
        "Ctrl+Left",
        "Ctrl+Right",
        "Ctrl+Shift+Z",
    }
    keys = {key.toString() for action in window.findChildren(QAction) for key in action.shortcuts()}
    assert "Ctrl+O" in keys
    assert keys & on_x11 == {"Ctrl+Z", "Ctrl+Shift+Z"}, "a field takes its own text back"


def test_the_part_with_the_keyboard_fills_its_workspace_and_gives_the_room_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.show_part("correctness")
    qtbot.waitUntil(window.made["correctness"].hasFocus)
    before = window.made["correctness"].size()
    window.actions_["fill"].trigger()
    assert seen(window) == ["correctness"]
    qtbot.waitUntil(lambda: window.made["correctness"].width() > 1300)
    window.actions_["fill"].trigger()
    assert seen(window) == list(RUN)
    qtbot.waitUntil(lambda: window.made["correctness"].size() == before)
    window.view.frames["correctness"].fill.click()
    window.show_part("reduction")  # what is wanted is seen, whatever filled the workspace
    assert seen(window) == list(RUN)


def test_a_part_has_a_window_of_its_own_and_returns_when_that_is_closed(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.show_part("reduction")
    qtbot.waitUntil(window.made["reduction"].hasFocus)
    splitter = window.view.frames["reduction"].parentWidget()
    assert isinstance(splitter, QSplitter)
    before = splitter.sizes()
    window.actions_["own_window"].trigger()
    own = window.made["reduction"].window()
    assert own is not window
    assert own.windowTitle().startswith("Reduction")
    assert window.made["correctness"].isVisible()
    own.close()
    assert window.made["reduction"].window() is window
    qtbot.waitUntil(lambda: splitter.sizes() == before)
    window.show_workspace("sweep")
    window.view.frames["sweep"].own_window.click()
    assert "window of its own" in window.view._elsewhere.text()
    window.view.arrange_as_usual()
    assert window.made["sweep"].window() is window


def test_the_room_is_shared_as_it_was_left(
    window: MainWindow, qtbot: QtBot, tmp_path: object
) -> None:
    kept = QSettings(f"{tmp_path}/window.ini", QSettings.Format.IniFormat)
    splitter = window.view.splitters[-1]
    splitter.setSizes([600, 900])
    left = splitter.sizes()
    window.show_workspace("history")
    keep_place(window, kept)
    other = MainWindow()
    qtbot.addWidget(other)
    place_window(other, kept, (1600, 1000))
    assert other.workspace == "history"
    with qtbot.waitExposed(other):
        other.show()
    other.show_workspace("run")
    qtbot.waitUntil(lambda: abs(other.view.splitters[-1].sizes()[0] - left[0]) < 20)


@pytest.mark.parametrize(
    "text",
    ["{", '{"workspace": "none", "sizes": {}}', '{"sizes": []}'],
)
def test_an_arrangement_that_is_none_changes_nothing(window: MainWindow, text: str) -> None:
    before = layout_text(window)
    restore_layout(window, text)
    assert layout_text(window) == before


def test_a_message_moves_nothing_and_is_at_most_as_wide_as_the_workspace(
    window: MainWindow, qtbot: QtBot
) -> None:
    before = {name: pane.geometry() for name, pane in window.made.items()}
    window.message.show_notice(
        Remark(("Something went wrong, and this is why. " * 6,) * 40, "details")
    )
    qtbot.waitUntil(window.message.isVisible)
    QApplication.processEvents()
    assert {name: pane.geometry() for name, pane in window.made.items()} == before
    view = window.view
    assert 0.9 * view.width() < window.message.width() <= view.width()
    assert window.message.height() <= view.height() // 3
    assert abs(window.message.geometry().bottom() - window.height()) <= 2


def test_after_full_screen_a_window_is_as_large_as_before(window: MainWindow, qtbot: QtBot) -> None:
    action = window.actions_["full_screen"]
    action.toggled.connect(window.set_full_screen)
    window.showMaximized()
    for full in (True, False):
        action.trigger()
        qtbot.waitUntil(lambda full=full: window.isFullScreen() is full)  # type: ignore[misc]
        assert action.isChecked() is full
    assert window.isMaximized()
