"""What menus and palette do: all actions, files that were opened before, machines, languages."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.palette import CommandPalette
from lnexplorer.gui.window.preferences import MOST_RECENT
from lnexplorer.store.resources import resource
from tests.gui.windows import Until, press, said

RECORDING = resource("recordings/h200_4096x1024_g16.lnrec")


def opened_palette(explorer: Explorer) -> CommandPalette:
    explorer.window.actions_["palette"].trigger()
    return explorer.window.findChildren(CommandPalette)[-1]


def rows(palette: CommandPalette) -> list[tuple[str, str, str]]:
    items = [palette.found.topLevelItem(n) for n in range(palette.found.topLevelItemCount())]
    return [(item.text(0), item.text(1), item.text(2)) for item in items if item is not None]


def test_the_palette_does_what_is_typed_and_has_every_action_setting_button_and_recording(
    explorer: Explorer, qtbot: QtBot, until: Until
) -> None:
    palette, window = opened_palette(explorer), explorer.window
    shown = rows(palette)
    assert ("Run", "Run", "F5") in shown
    assert ("Stop", "Parameters", "Esc") not in shown, "there is nothing to stop"
    assert ("Run", "Parameters", "F5") in shown
    assert ("Sweep", "View", "Ctrl+2") in shown
    assert ("Dark", "View > Appearance", "") in shown
    assert RECORDING.stem.replace("_", " ") in {name for name, _, _ in shown}
    names = {name for name, _, _ in shown}
    for pane in window.made.values():
        for button in pane.findChildren(QAbstractButton):
            if button.text() and button.isEnabled() and button.isVisibleTo(pane):
                assert button.text() in names

    qtbot.keyClicks(palette.field, "eigh hist")
    assert rows(palette) == [("Nothing here is called that.", "", "")]
    press(palette.field, "Return")
    assert palette.isVisible()
    palette.field.clear()
    qtbot.keyClicks(palette.field, "GROUP_SIZE")
    press(palette.field, "Return")
    field = window.parameters.rows["group_size_m"].field
    until(lambda: window.focusWidget() is field)
    until(lambda: not window.findChildren(CommandPalette))

    palette = opened_palette(explorer)
    qtbot.keyClicks(palette.field, "history")
    first = palette.found.currentItem()
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.found.currentItem() is not first
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    until(lambda: window.workspace == "history")
    window.show_workspace("run")


def test_files_that_were_opened_are_offered_again_and_one_that_is_gone_is_named(
    explorer: Explorer, until: Until, tmp_path: Path
) -> None:
    def offered() -> list[str]:
        return [action.data() for action in explorer.window.actions_.groups["recent"].actions()]

    for number in range(MOST_RECENT + 2):
        path = tmp_path / f"{number} & more.lnrec"
        path.write_bytes(RECORDING.read_bytes())
        explorer.window.fileDropped.emit(path)  # as a drop does
    assert len(offered()) == MOST_RECENT
    assert offered()[0] == str(path)
    assert list(explorer.preferences.settings.recent) == offered()
    action = explorer.window.actions_.groups["recent"].actions()[1]
    assert action.text() == f"10 && more.lnrec · {tmp_path}"
    until(lambda: path.name in said(explorer))
    explorer.session.dismiss()
    action.trigger()
    until(lambda: "Recording: " in said(explorer) and "10 & more" in said(explorer))
    assert offered()[0].endswith("10 & more.lnrec")

    path.unlink()
    explorer.window.actions_.groups["recent"].actions()[1].trigger()
    until(lambda: said(explorer) == f"{path} is not there any more.")
    assert str(path) not in offered()


def test_a_machine_that_is_dead_can_be_removed_and_the_window_runs_here_again(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer.preferences.add_machine("ssh://rack7")
    action = explorer.window.action("remove_machine")
    assert not action.isEnabled()
    restarted: list[str] = []
    monkeypatch.setattr(explorer.session, "restart", restarted.append)
    explorer.commands._use_device("ssh://rack7")
    action.trigger()
    assert explorer.preferences.settings.machines == ()
    assert "ssh://rack7" not in explorer.window.devices()
    assert restarted == ["ssh://rack7", "auto"]
    assert not action.isEnabled()


def test_a_font_that_is_missing_is_named_where_the_language_needs_it(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.gui.window.commands.has_chinese_font", lambda: False)
    explorer.preferences.use_language("zh_CN")
    assert "fonts-noto-cjk" in said(explorer)
    explorer.preferences.use_language("en")
