"""Workspaces, their parts, and the room that they share."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel
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
from tests.gui.windows import Until

RUN = ["parameters", "reduction", "correctness", "throughput"]


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
    assert seen(window) == RUN
    actions = window.actions_.groups["workspaces"].actions()
    for number, workspace in enumerate(WORKSPACES):
        assert actions[number].shortcut().toString() == f"Ctrl+{number + 1}"
        button = window.bar.buttons[number]
        button.click()
        assert window.workspace == workspace.name
        assert seen(window) == [part.name for part in workspace.parts()]
        assert button.isChecked()


def test_no_key_of_the_window_is_one_that_a_text_field_takes(window: MainWindow) -> None:
    # A field deletes by Ctrl+K, too, but where no shortcut has it: it does not ask for that first.
    on_x11 = {f"Ctrl+{key}" for key in (*"ACDEHUVWXYZ", "Backspace", "Left", "Right", "Shift+Z")}
    keys = {key.toString() for action in window.findChildren(QAction) for key in action.shortcuts()}
    assert "Ctrl+O" in keys
    assert keys & on_x11 == {"Ctrl+Z", "Ctrl+Shift+Z"}, "a field takes its own text back"


def test_the_part_with_the_keyboard_fills_its_workspace_and_gives_the_room_back(
    window: MainWindow, until: Until
) -> None:
    pane = window.made["correctness"]
    fill = window.actions_["fill"].trigger
    window.show_part("correctness")
    until(pane.hasFocus)
    before = pane.size()
    fill()
    assert seen(window) == ["correctness"]
    until(lambda: pane.width() > 1300)
    fill()
    assert seen(window) == RUN
    until(lambda: pane.size() == before)
    window.view.frames["correctness"].fill.click()
    window.show_part("reduction")  # what is wanted is seen, whatever filled the workspace
    assert seen(window) == RUN


def test_a_part_has_a_window_of_its_own_and_returns_when_that_is_closed(
    window: MainWindow, until: Until
) -> None:
    pane = window.made["reduction"]
    window.show_part("reduction")
    until(pane.hasFocus)
    splitter = window.view.frames["reduction"].parentWidget()
    before = splitter.sizes()
    window.actions_["own_window"].trigger()
    own = pane.window()
    assert own is not window
    assert own.windowTitle().startswith("Reduction")
    assert window.made["correctness"].isVisible()
    own.close()
    assert pane.window() is window
    until(lambda: splitter.sizes() == before)
    window.show_workspace("sweep")
    window.view.frames["sweep"].own_window.click()
    assert "window of its own" in window.view._elsewhere.text()
    window.view.arrange_as_usual()
    assert window.made["sweep"].window() is window


def test_the_room_is_shared_as_it_was_left(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    kept = QSettings(f"{tmp_path}/window.ini", QSettings.Format.IniFormat)
    splitter = window.view.splitters[-1]
    splitter.setSizes([600, 900])
    left, _ = splitter.sizes()
    window.show_workspace("history")
    keep_place(window, kept)
    other = MainWindow()
    qtbot.addWidget(other)
    place_window(other, kept, (1600, 1000))
    assert other.workspace == "history"
    with qtbot.waitExposed(other):
        other.show()
    other.show_workspace("run")
    qtbot.waitUntil(lambda: abs(other.view.splitters[-1].sizes()[0] - left) < 20)


@pytest.mark.parametrize("text", ["{", '{"workspace": "none", "sizes": {}}', '{"sizes": []}'])
def test_an_arrangement_that_is_none_changes_nothing(window: MainWindow, text: str) -> None:
    before = layout_text(window)
    restore_layout(window, text)
    assert layout_text(window) == before


def test_a_message_moves_nothing_and_is_at_most_as_wide_as_the_workspace(
    window: MainWindow, until: Until
) -> None:
    message = window.message
    view = window.view
    before = {name: pane.geometry() for name, pane in window.made.items()}
    lines = ("Something went wrong, and this is why. " * 6,) * 40
    message.show_notice(Remark(lines, "details"))
    until(message.isVisible)
    QApplication.processEvents()
    assert {name: pane.geometry() for name, pane in window.made.items()} == before
    assert 0.9 * view.width() < message.width() <= view.width()
    assert message.height() <= view.height() // 3
    assert abs(message.geometry().bottom() - window.height()) <= 2


def test_after_full_screen_a_window_is_as_large_as_before(window: MainWindow, until: Until) -> None:
    action = window.actions_["full_screen"]
    action.toggled.connect(window.set_full_screen)
    window.showMaximized()
    for full in (True, False):
        action.trigger()
        until(lambda full=full: window.isFullScreen() is full)
        assert action.isChecked() is full
    assert window.isMaximized()
