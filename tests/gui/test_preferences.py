"""What is chosen for the window as a whole is shown in its menus, done, and remembered."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.theme import DARK, LIGHT, apply_style
from lnexplorer.gui.window.preferences import Preferences
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


def test_a_theme_and_a_device_are_chosen_checked_and_remembered(preferences: Preferences) -> None:
    preferences.use_theme("light")
    assert preferences.theme is LIGHT
    themes = preferences.window.actions_.groups["themes"]
    assert preferences.settings.theme == checked(themes) == "light"
    preferences.use_theme("system")
    assert preferences.settings.theme == "system", "it is remembered as such, not as what it is now"
    assert preferences.device == "cuda:1"
    preferences.use_device("interpreter")
    assert preferences.device == preferences.settings.device == "interpreter"
    preferences.use_device("auto")
    assert (preferences.settings.device, preferences.device) == (None, "auto")


def test_a_widget_deep_inside_is_styled_no_more_often_than_one_at_the_top(
    qapp: QApplication, qtbot: QtBot
) -> None:
    outer = QWidget()
    qtbot.addWidget(outer)
    inner = [outer]
    for _ in range(12):
        inner.append(QWidget(inner[-1]))
    outer.show()
    styled: list[QObject] = []

    class Styled(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.StyleChange:
                styled.append(watched)
            return False

    filters = Styled()
    apply_style(qapp, DARK)
    for widget in (inner[0], inner[-1]):
        widget.installEventFilter(filters)
    apply_style(qapp, LIGHT)
    assert 0 < styled.count(inner[-1]) <= styled.count(inner[0]) + 1
