"""Menus and palette: all actions, files that are opened and were opened before, machines,
languages.
"""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton

from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.palette import CommandPalette
from lnexplorer.gui.window.preferences import MOST_RECENT
from lnexplorer.store.resources import resource
from tests.gui.windows import LECTURE, Until, press, said, type_text

RECORDING = resource("recordings/h200_4096x1024_g16.lnrec")
RECORDED = resource("recordings/h200_4096x1024_g256.lnrec")


def opened_palette(explorer: Explorer) -> CommandPalette:
    explorer.window.actions_["palette"].trigger()
    return explorer.window.findChildren(CommandPalette)[-1]


def rows(palette: CommandPalette) -> list[tuple[str, ...]]:
    items = map(palette.found.topLevelItem, range(palette.found.topLevelItemCount()))
    return [tuple(map(item.text, range(3))) for item in items]


def test_the_palette_has_every_action_setting_button_and_recording(explorer: Explorer) -> None:
    palette = opened_palette(explorer)
    shown = rows(palette)
    assert {
        ("Run", "Run", "F5"),
        ("Run", "Parameters", "F5"),
        ("Sweep", "View", "Ctrl+2"),
        ("Dark", "View > Appearance", ""),
    } <= set(shown)
    assert ("Stop", "Parameters", "Esc") not in shown, "there is nothing to stop"
    names = {name for name, *_ in shown}
    assert RECORDING.stem.replace("_", " ") in names
    for pane in explorer.window.made.values():
        for button in pane.findChildren(QAbstractButton):
            if button.text() and button.isEnabled() and button.isVisibleTo(pane):
                assert button.text() in names
    press(palette.field, "Esc")


def test_the_palette_does_what_is_typed(explorer: Explorer, until: Until) -> None:
    palette = opened_palette(explorer)
    window = explorer.window
    type_text(palette.field, "eigh hist")
    assert rows(palette) == [("Nothing here is called that.", "", "")]
    press(palette.field, "Return")
    assert palette.isVisible()
    palette.field.clear()
    type_text(palette.field, "GROUP_SIZE")
    press(palette.field, "Return")
    field = window.parameters.rows["group_size_m"].field
    until(lambda: window.focusWidget() is field)
    until(lambda: not window.findChildren(CommandPalette))
    palette = opened_palette(explorer)
    type_text(palette.field, "history")
    first = palette.found.currentItem()
    press(palette.field, "Down")
    assert palette.found.currentItem() is not first
    press(palette.field, "Up", "Return")
    until(lambda: window.workspace == "history")
    window.show_workspace("run")


def test_in_chinese_the_palette_finds_by_english_names_too_and_by_terms_of_the_field(
    explorer: Explorer, until: Until
) -> None:
    explorer.preferences.use_language("zh_CN")
    until(lambda: explorer.window.actions_["run"].text() == "运行(&R)")
    palette = opened_palette(explorer)
    for typed, found in (
        ("sweep", ("参数扫描", "视图", "Ctrl+2")),
        ("扫描", ("参数扫描", "视图", "Ctrl+2")),
        ("Appearance dark", ("深色", "视图 > 外观", "")),
        ("autotune", ("参数扫描", "视图", "Ctrl+2")),
        ("ptx", ("编译结果", "视图", "Ctrl+4")),
        ("recordings h200 4096x2048", ("h200 4096x2048 g128", "录制", "")),
    ):
        palette.field.setText(typed)
        assert rows(palette)[0] == found
    # Each of several texts that are one in Chinese: a title, and the name of a table.
    for typed, name in (
        ("forward", "前向"),
        ("the forward pass", "前向"),
        ("recorded", "实测记录"),
        ("recordings", "实测记录"),
    ):
        palette.field.setText(typed)
        assert name in {found for found, *_ in rows(palette)}, typed
    press(palette.field, "Esc")
    explorer.preferences.use_language("en")


def test_files_that_were_opened_are_offered_again_and_one_that_is_gone_is_named(
    explorer: Explorer, until: Until, tmp_path: Path
) -> None:
    recent = explorer.window.actions_.groups["recent"]

    def offered() -> list[str]:
        return [action.data() for action in recent.actions()]

    for number in range(MOST_RECENT + 2):
        path = tmp_path / f"{number} & more.lnrec"
        path.write_bytes(RECORDING.read_bytes())
        explorer.window.filesDropped.emit([path])  # as a drop does
    assert len(offered()) == MOST_RECENT
    assert offered()[0] == str(path)
    assert list(explorer.preferences.settings.recent) == offered()
    action = recent.actions()[1]
    assert action.text() == f"10 && more.lnrec · {tmp_path}"
    until(lambda: path.name in said(explorer))
    explorer.session.dismiss()
    action.trigger()
    until(lambda: "Recording: " in said(explorer) and "10 & more" in said(explorer))
    assert offered()[0].endswith("10 & more.lnrec")
    path.unlink()
    recent.actions()[1].trigger()
    until(lambda: said(explorer) == f"{path} is not there any more.")
    assert str(path) not in offered()


def test_a_machine_that_is_dead_can_be_removed_and_the_window_runs_here_again(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    restarted: list[str] = []
    monkeypatch.setattr(explorer.session, "restart", restarted.append)
    explorer.preferences.add_machine("ssh://rack7")
    action = explorer.window.action("remove_machine")
    assert not action.isEnabled()
    explorer.commands._use_device("ssh://rack7")
    action.trigger()
    assert explorer.preferences.settings.machines == ()
    assert "ssh://rack7" not in explorer.window.devices()
    assert restarted == ["ssh://rack7", "auto"]
    assert not action.isEnabled()


def test_a_font_that_is_missing_is_named_where_the_language_needs_it(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.gui.kit.languages.has_chinese_font", lambda: False)
    explorer.preferences.use_language("zh_CN")
    assert "fonts-noto-cjk" in said(explorer)
    explorer.preferences.use_language("en")


def test_a_recording_is_kept_under_its_kind_and_leaves_nothing_under_the_next_run(
    explorer: Explorer, until: Until
) -> None:
    window = explorer.window
    session = explorer.session
    history = window.pane("history").model
    throughput = window.pane("throughput")
    headline = window.headline
    before = history.total

    def speeds() -> str:
        return " ".join(metric.text() for metric in headline.speeds.values())

    explorer.files.open_recording(RECORDED)
    until(lambda: history.total == before + 1)
    until(lambda: headline.badge.text() == "recorded" and "GB/s" in speeds())
    assert {row.kind.value for row in history.rows} == {"interpreted", "recorded"}
    assert RECORDED.name in said(explorer)
    assert str(resource("")) not in said(explorer)
    until(lambda: not throughput.notice.isVisible())
    session.set_live(False)
    session.set_request(LECTURE)
    session.run()
    until(lambda: headline.badge.text() == "interpreted" and not session.state.jobs.busy)
    until(lambda: history.total == before + 2)
    until(throughput.notice.isVisible)
    assert "GB/s" not in speeds()


def test_an_experiment_and_a_benchmark_that_are_opened_have_their_own_headlines(
    explorer: Explorer, until: Until
) -> None:
    window = explorer.window
    experiments = window.headings["experiments"].line
    sweep = window.headings["sweep"].line
    assert "M = 64 · float16" in sweep.text(), "the form's, not the run's"
    explorer.commands.open_file(resource("recordings/h200_barrier.lnexperiment"))
    until(lambda: "8192×2048 float16 · GROUP_SIZE_M 128 · NVIDIA H200" in experiments.text())
    assert window.workspace == "experiments"
    assert window.pane("experiments").bar.badge.text() == "recorded"
    assert "M 4 × N 8" not in experiments.text()
    assert "Recorded experiment: h200_barrier.lnexperiment" in said(explorer)
    until(lambda: window.pane("history").kept["experiments"].total == 1)
    explorer.commands.open_file(resource("recordings/h200_bench_4096_float16.json"))
    until(lambda: "M = 4096, float16" in sweep.text())
    assert "NVIDIA H200" in sweep.text()


def test_a_python_file_is_opened_as_a_kernel(explorer: Explorer, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def layer_norm(x, shape, weight, bias, eps): ...\n")
    assert explorer.commands.open_file(path) is None
    assert explorer.window.workspace == "own_kernels"
