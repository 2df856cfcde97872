"""What is chosen for the window as a whole is shown in its menus, done, and remembered."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.theme import DARK, LIGHT
from lnexplorer.gui.window.preferences import Preferences, theme_named
from lnexplorer.gui.window.start import Start, WindowOptions
from lnexplorer.store.paths import Paths
from lnexplorer.store.settings import Settings


@pytest.fixture
def preferences(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Preferences]:
    start = Start(
        options=WindowOptions(theme="dark", language="en"),
        paths=Paths(tmp_path, tmp_path),
        settings=Settings(),
        warnings=(),
        device="cuda:1",
        spawned=None,
    )
    made = Preferences(qapp, start)
    qtbot.addWidget(made.window)
    yield made
    made.languages.use("en")


def checked(group: QActionGroup) -> object:
    action = group.checkedAction()
    return None if action is None else action.data()


def test_a_theme_is_on_show_checked_and_remembered(
    preferences: Preferences,
) -> None:
    for theme in (LIGHT, DARK):
        preferences.use_theme(theme.name)
        assert preferences.theme is theme
        assert (
            preferences.settings.theme
            == checked(preferences.window.actions_.groups["themes"])
            == theme.name
        )
    preferences.use_theme("system")
    assert preferences.settings.theme == "system", "it is remembered as such, not as what it is now"
    assert preferences.theme is theme_named("system")


def test_a_device_that_is_chosen_takes_the_place_of_the_one_of_the_start(
    preferences: Preferences,
) -> None:
    assert preferences.device == "cuda:1"
    preferences.use_device("interpreter")
    assert preferences.device == preferences.settings.device == "interpreter"
    preferences.use_device("auto")
    assert (preferences.settings.device, preferences.device) == (None, "auto")
