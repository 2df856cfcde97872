"""A choice for the window as a whole is shown in its menus, done, and remembered."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.theme import LIGHT, Theme
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.preferences import Preferences
from lnexplorer.gui.window.start import Start, WindowOptions
from lnexplorer.gui.window.workspaces import WORKSPACES
from lnexplorer.store.paths import Paths
from lnexplorer.store.resources import resource
from lnexplorer.store.settings import Settings, save_settings
from tests.gui.completeness import is_complete
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


def test_a_theme_and_a_device_are_chosen_checked_and_remembered(preferences: Preferences) -> None:
    preferences.use_theme("light")
    assert Theme.current is LIGHT
    checked = preferences.window.actions_.groups["themes"].checkedAction()
    assert preferences.settings.theme == checked.data() == "light"
    preferences.use_theme("system")
    assert preferences.settings.theme == "system", "it is remembered as such, not as what it is now"
    assert preferences.device == "cuda:1"
    for device, kept in (("interpreter", "interpreter"), ("auto", None)):
        preferences.use_device(device)
        assert preferences.device == device
        assert preferences.settings.device == kept


def look(explorer: Explorer, until: Until) -> dict[str, QImage]:
    """Pictures of the workspaces, of which Run is the last."""
    seen = {}
    for workspace in (*WORKSPACES[1:], WORKSPACES[0]):
        explorer.window.show_workspace(workspace.name)
        QApplication.processEvents()
        until(lambda: not (explorer.session.state.jobs.busy or explorer.steps.waiting))
        until(lambda: not explorer.window.status.bar.isVisible())
        (QApplication.focusWidget() or explorer.window).clearFocus()
        QApplication.processEvents()
        seen[workspace.name] = explorer.window.view.grab().toImage()
    return seen


@pytest.mark.parametrize("changes", [{"theme": "light"}, {"text_percent": 120}], ids=str)
def test_each_workspace_looks_after_a_change_as_it_does_from_the_start(
    changes: dict[str, Any], opened: Open, until: Until, tmp_path: Path
) -> None:
    settings = Settings(theme="dark", language="en")
    looks = replace(settings, **changes)
    recording = resource("recordings/h200_64x64_g4_float32_buffers.lnrec")
    options = WindowOptions(size=(1280, 720), recording=recording, workspace="run")

    def window_with(settings: Settings) -> Explorer:
        name = "fresh" if settings is looks else "changed"
        (tmp_path / name).mkdir()
        save_settings(tmp_path / name / "settings.json", settings)
        explorer = opened(name, options=options)
        until(lambda: is_complete(explorer))
        look(explorer, until)  # what a pane asks of the worker comes once
        return explorer

    changed = window_with(settings)
    before = look(changed, until)
    changed.preferences.use_theme(looks.theme)
    changed.preferences.use_text_percent(looks.text_percent)
    after = look(changed, until)
    fresh = look(window_with(looks), until)
    if "text_percent" in changes:
        del fresh["memory_access"]  # whose splitter stays where it was
    for name, picture in fresh.items():
        assert after[name] != before[name], name
        assert after[name] == picture, name
