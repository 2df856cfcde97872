"""The form of a request."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.parameters import LAUNCH_NAMES
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.gui.panes.parameters.controller import Changes
from lnexplorer.gui.panes.parameters.pane import ParametersPane
from lnexplorer.gui.panes.parameters.rows import IntegerField, KernelSection
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.palette import CommandPalette
from lnkernels.launch import CATALOGUE, STRATEGIES, belongs
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Device
from tests.gui.fakes import Recorder, state_of
from tests.gui.windows import LECTURE, Until, heard, off_screen, press, type_text
from tests.sample_results import make_device


@pytest.fixture
def pane(qtbot: QtBot) -> ParametersPane:
    pane = off_screen(qtbot, ParametersPane(), 320, 700)
    pane.requestChanged.connect(lambda request: show(pane, request))  # as the session answers
    return pane


def show(pane: ParametersPane, request: RunRequest, device: Device | None = None) -> None:
    pane.show_plan(state_of(request, device).plan, device)


def refusal(pane: ParametersPane, name: str) -> str:
    """Why the value of a parameter is refused; empty where it is not."""
    label = pane.rows[name].refusal
    return "" if label.isHidden() else label.text()


def test_undo_takes_back_one_value_that_was_typed_or_one_move_of_a_slider(
    pane: ParametersPane,
) -> None:
    session = SessionController(Recorder(), state_of(RunRequest(), make_device()), pane)
    session.begin_with(RunRequest.of(n=512))
    changes = Changes(session, session)
    pane.requestChanged.connect(changes.take)
    pane.settled.connect(changes.settle)
    show(pane, RunRequest.of(n=512))
    row = pane.rows["n"]
    for value in ("768", "640"):
        row.field.selectAll()
        type_text(row.field, value)
        press(row.field, "Return")
    press(row.slider, "Right", "Right")
    seen = []
    while changes.canUndo():
        changes.undo()
        seen.append(session.state.request.n)
    assert seen == [768, 640, 768, 512]  # the slider goes 640, 768, 896


def test_a_slider_takes_a_value_over_and_its_button_makes_it_automatic_again(
    pane: ParametersPane,
) -> None:
    row = pane.rows["m"]
    show(pane, RunRequest.of(m=None))
    seen = heard(pane.requestChanged)
    assert row.automatic.isChecked()
    assert pane.rows["block_size_n"].field.value() == 512, "what the heuristics choose"
    row.slider.setValue(row.slider.value() - 1)
    assert seen[-1].m < 64
    row.automatic.click()
    assert seen[-1] == RunRequest()


def test_a_typed_value_that_is_refused_stays_and_says_why(pane: ParametersPane) -> None:
    show(pane, RunRequest(m=4, n=8))
    seen = heard(pane.requestChanged)
    field = pane.rows["block_size_n"].field
    field.setValue(4)
    assert "at least 8" in refusal(pane, "block_size_n")
    assert field.value() == 4
    assert seen[-1].launch.block_size_n == 4
    field.setValue(8)
    assert not refusal(pane, "block_size_n")


def test_a_text_that_is_no_number_is_refused_in_place(pane: ParametersPane) -> None:
    field = pane.rows["eps"].field
    field.clear()
    type_text(field, "1e")
    assert refusal(pane, "eps")
    type_text(field, "-6")
    assert not refusal(pane, "eps")
    assert field.text() == "1e-6"


def test_a_run_that_does_not_fit_into_memory_is_refused_before_it_starts(
    pane: ParametersPane,
) -> None:
    show(pane, RunRequest(m=1 << 22, n=16384), make_device())
    assert "free" in refusal(pane, "m")


def test_a_preset_of_ones_own_is_kept_chosen_taken_back_renamed_and_forgotten(
    explorer: Explorer, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = explorer.session
    actions = explorer.window.actions_
    presets = explorer.window.parameters.presets
    wanted = LECTURE.changed(n=24)
    session.set_live(False)

    def save_as(name: str) -> None:
        monkeypatch.setattr(QInputDialog, "getText", lambda *_, text: (name or text, bool(name)))
        actions["save_preset"].trigger()

    def offered() -> list[str]:
        return [presets.itemText(place) for place in range(presets.count())]

    first, *others = usual = offered()
    session.set_request(wanted)
    assert not actions["delete_preset"].isEnabled()
    save_as("")
    assert offered() == usual, "nobody gave a name"
    save_as(" narrow ")
    assert offered() == [first, "narrow", *others]
    assert presets.currentText() == "narrow"
    session.set_request(LECTURE)
    actions["palette"].trigger()
    (palette,) = explorer.window.findChildren(CommandPalette)
    palette.field.setText("narrow")
    press(palette.field, "Return")
    until(lambda: session.state.request == wanted)
    actions["undo"].trigger()
    assert session.state.request == LECTURE
    actions["redo"].trigger()
    save_as("narrower")
    assert explorer.preferences.settings.presets == {"narrower": wanted}
    actions["delete_preset"].trigger()
    assert offered() == usual
    assert session.state.request == wanted


def test_every_input_can_be_reached_by_keyboard_and_has_a_name(pane: ParametersPane) -> None:
    inputs: list[QWidget] = [pane.presets, pane.run, pane.stop, pane.live]
    for row in pane.rows.values():
        inputs += [row.field, row.slider, row.automatic]
    for widget in inputs:
        if not widget.isHidden():
            assert widget.accessibleName()
            assert widget.toolTip()
            assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    row = pane.rows["block_size_n"]
    assert row.label.toolTip() == row.field.toolTip() != row.label.text(), "what it means"


def test_the_consequences_count_programs_lanes_and_bytes(pane: ParametersPane) -> None:
    show(pane, RunRequest.of(m=100, n=600, group_size_m=8))
    for name, expected in (
        ("grids", "forward 100 · stage 1 100 · stage 2 5"),
        ("lanes", "forward 424 of 1024 · stage 1 424 of 1024"),
        ("buffers", "37.5 KiB"),  # 2 · 8 · 600 · 4 bytes
    ):
        assert pane.box.values[name].text().replace("\N{NO-BREAK SPACE}", " ") == expected


def test_every_strategy_is_offered_says_what_it_is_and_has_its_settings_alone(
    pane: ParametersPane,
) -> None:
    row = pane.rows["strategy"]
    offered = [row.field.itemText(index) for index in range(row.field.count())]
    assert offered == list(STRATEGIES)
    for strategy in STRATEGIES:
        show(pane, RunRequest.of(strategy=strategy))
        assert row.note.text() == str(CATALOGUE[strategy].summary)
        assert not row.note.isHidden()
        same_bits = "same bits from run to run" in row.note.text()
        assert same_bits == CATALOGUE[strategy].deterministic
        for name in set(LAUNCH_NAMES) - {"strategy"}:
            assert pane.rows[name].isHidden() != belongs(name, strategy), name
    for strategy in ("persistent", "locked"):
        show(pane, RunRequest.of(strategy=strategy))
        assert pane.sections["reduction"].isHidden() == (strategy != "locked")


def test_a_value_that_the_new_strategy_does_not_have_comes_back_with_the_old_one(
    pane: ParametersPane,
) -> None:
    first = RunRequest.of(m=64, n=512, group_size_m=7, num_warps=2)
    show(pane, first)
    seen = heard(pane.requestChanged)
    for strategy in ("persistent", "split", "locked"):
        pane.rows["strategy"].field.edited.emit(strategy)
    without = [
        RunRequest.of(m=64, n=512, strategy=strategy, num_warps=2)
        for strategy in ("persistent", "split")
    ]
    assert seen == [*without, first]
    assert not check(seen[0], "interpreter")


def test_a_value_of_another_strategy_that_came_from_elsewhere_is_shown_with_its_reason(
    pane: ParametersPane,
) -> None:
    show(pane, RunRequest.of(strategy="persistent", barrier=False))
    row = pane.rows["barrier"]
    assert refusal(pane, "barrier") == "It belongs to strategy locked, not to persistent"
    assert not row.isHidden()
    assert not pane.sections["reduction"].isHidden()
    row.automatic.click()
    assert row.isHidden()


@pytest.mark.parametrize("name", ["m", "eps"])
def test_a_field_leaves_ctrl_z_to_the_window_unless_something_is_being_typed(
    pane: ParametersPane, name: str
) -> None:
    field = pane.rows[name].field
    line = field.lineEdit() if isinstance(field, IntegerField) else field

    def takes() -> bool:
        key = QKeyEvent(
            QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
        )
        key.ignore()
        QApplication.sendEvent(field, key)
        return key.isAccepted()

    assert not takes()
    line.insert("7")
    assert takes()


def test_however_long_names_and_texts_in_a_kernels_file_are_the_form_stays_as_wide_as_it_is(
    qtbot: QtBot,
) -> None:
    section = off_screen(qtbot, KernelSection(), 320, 200)

    def width_with(name: str, text: str) -> int:
        settings = ((name, text),)
        offered = ((name, (text, "d")),)
        source = KernelSource(name=name, place="/a.py", settings=settings, offered=offered)
        section.show_kernel(source)
        return section.minimumSizeHint().width()

    short = width_with("b", "c")
    assert width_with("b" * 60, "c" * 200) == short
    assert section.settings["b" * 60].label.toolTip() == "b" * 60


def test_a_negative_size_of_a_request_from_elsewhere_is_shown_and_refused_in_a_sentence(
    pane: ParametersPane,
) -> None:
    show(pane, RunRequest(m=-5, n=-1 << 40))
    for name, value in (("m", -5), ("n", 1 - (1 << 31))):
        assert pane.rows[name].field.value() == value
        assert "whole number from 1 to" in refusal(pane, name)
    show(pane, RunRequest(m=64, n=512))
    assert not refusal(pane, "m")
    assert not refusal(pane, "n")


def test_a_key_moves_a_slider_by_one_of_its_places_and_a_field_shows_its_whole_number(
    pane: ParametersPane,
) -> None:
    pane.resize(pane.minimumSizeHint().width(), 700)
    pane.show()
    row = pane.rows["n"]
    before = row.slider.value()
    for key, place in (("Right", before + 1), ("Left", before)):
        press(row.slider, key)
        assert row.slider.value() == place
    row.field.setValue(1 << 30)
    QApplication.processEvents()
    line = row.field.findChild(QLineEdit)
    assert line.fontMetrics().horizontalAdvance("1073741824") < line.width()
    assert row.slider.width() > 0
