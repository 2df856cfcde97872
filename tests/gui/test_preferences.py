"""What is chosen for the window as a whole is shown in its menus, done, and remembered."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QActionGroup, QPixmap
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.theme import DARK, LIGHT, Theme, apply_style
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.preferences import Preferences
from lnexplorer.gui.window.start import Start, WindowOptions
from lnexplorer.gui.window.workspaces import WORKSPACES
from lnexplorer.store.paths import Paths
from lnexplorer.store.resources import resource
from lnexplorer.store.settings import Settings, save_settings
from tests.gui.windows import Open, Until


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
    assert Theme.current is LIGHT
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


@pytest.mark.timeout(170)
@pytest.mark.parametrize("changes", [{"theme": "light"}, {"text_percent": 120}], ids=str)
def test_each_workspace_looks_after_a_change_as_it_does_from_the_start(
    changes: dict[str, Any], opened: Open, qapp: QApplication, until: Until, tmp_path: Path
) -> None:
    settings = Settings(theme="dark", language="en")
    looks = replace(settings, **changes)
    recording = resource("recordings/h200_64x64_g4_float32_buffers.lnrec")
    options = WindowOptions(size=(1280, 720), recording=recording, workspace="run")

    def pictures(name: str, settings: Settings) -> tuple[Explorer, dict[str, QPixmap]]:
        (tmp_path / name).mkdir()
        save_settings(tmp_path / name / "settings.json", settings)
        explorer = opened(name, options=options)
        until(explorer.is_complete)
        look(explorer)  # what a pane asks of the worker comes once
        return explorer, look(explorer)

    def look(explorer: Explorer) -> dict[str, QPixmap]:
        seen = {}
        for workspace in (*WORKSPACES[1:], WORKSPACES[0]):
            explorer.window.show_workspace(workspace.name)
            qapp.processEvents()
            until(lambda: not (explorer.session.state.jobs.busy or explorer.steps.waiting))
            until(lambda: not explorer.window.status.bar.isVisible())
            (qapp.focusWidget() or explorer.window).clearFocus()
            qapp.processEvents()
            seen[workspace.name] = explorer.window.view.grab()
        return seen

    changed, before = pictures("changed", settings)
    changed.preferences.use_theme(looks.theme)
    changed.preferences.use_text_percent(looks.text_percent)
    after = look(changed)
    _, fresh = pictures("fresh", looks)
    if "text_percent" in changes:
        del fresh["memory_access"]  # whose splitter stays where it was
    for name, picture in fresh.items():
        assert after[name].toImage() != before[name].toImage(), name
        assert after[name].toImage() == picture.toImage(), name
