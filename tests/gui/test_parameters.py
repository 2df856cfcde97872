"""The form of a request."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.parameters import LAUNCH_NAMES
from lnexplorer.domain.request import RunRequest, check
from lnexplorer.gui.kit.languages import CHINESE, ENGLISH, Languages
from lnexplorer.gui.panes.parameters.controller import Changes
from lnexplorer.gui.panes.parameters.pane import ParametersPane
from lnexplorer.gui.panes.parameters.rows import (
    ChoiceField,
    IntegerField,
    KernelSection,
    NumberField,
)
from lnexplorer.gui.session.session import SessionController
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.palette import CommandPalette
from lnexplorer.store.resources import resource
from lnkernels.launch import CATALOGUE, STRATEGIES, belongs
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Device
from tests.gui.fakes import Recorder, state_of
from tests.gui.windows import LECTURE, Until, press
from tests.sample_results import make_device


@pytest.fixture
def pane(qtbot: QtBot) -> ParametersPane:
    pane = ParametersPane()
    qtbot.addWidget(pane)
    pane.requestChanged.connect(lambda request: show(pane, request))  # as the session answers
    return pane


def show(pane: ParametersPane, request: RunRequest, device: Device | None = None) -> None:
    pane.show_plan(state_of(request, device).plan, device)


def _requests(pane: ParametersPane) -> list[RunRequest]:
    seen: list[RunRequest] = []
    pane.requestChanged.connect(seen.append)
    return seen


def test_undo_takes_back_one_value_that_was_typed_or_one_move_of_a_slider(
    pane: ParametersPane, qtbot: QtBot
) -> None:
    session = SessionController(Recorder(), state_of(RunRequest(), make_device()), pane)
    session.begin_with(RunRequest.of(n=512))
    changes = Changes(session, session)
    pane.requestChanged.connect(changes.take)
    pane.settled.connect(changes.settle)
    show(pane, RunRequest.of(n=512))
    field, slider = pane.rows["n"].field, pane.rows["n"].slider
    assert isinstance(field, IntegerField)
    for value in ("768", "640"):
        field.selectAll()
        qtbot.keyClicks(field, value)
        qtbot.keyClick(field, Qt.Key.Key_Return)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right):
        qtbot.keyClick(slider, key)
    seen = []
    while changes.canUndo():
        changes.undo()
        seen.append(session.state.request.n)
    assert seen == [768, 640, 768, 512]  # the slider goes 640, 768, 896


def test_a_slider_takes_a_value_over_and_its_button_makes_it_automatic_again(
    pane: ParametersPane,
) -> None:
    seen = _requests(pane)
    row = pane.rows["m"]
    assert row.automatic.isChecked()
    assert pane.rows["block_size_n"].field.value() == 512, "what the heuristics choose"
    row.slider.setValue(row.slider.value() - 1)
    assert seen[-1].m is not None
    assert seen[-1].m < 64
    row.automatic.click()
    assert seen[-1] == RunRequest()


def test_a_typed_value_that_is_refused_stays_and_says_why(pane: ParametersPane) -> None:
    show(pane, RunRequest(m=4, n=8))
    seen = _requests(pane)
    field = pane.rows["block_size_n"].field
    assert isinstance(field, IntegerField)
    field.setValue(4)
    row = pane.rows["block_size_n"]
    assert "at least 8" in row.refusal.text()
    assert not row.refusal.isHidden()
    assert field.value() == 4
    assert seen[-1].launch.block_size_n == 4
    field.setValue(8)
    assert row.refusal.isHidden()


def test_a_text_that_is_no_number_is_refused_in_place(pane: ParametersPane, qtbot: QtBot) -> None:
    field = pane.rows["eps"].field
    assert isinstance(field, NumberField)
    field.clear()
    qtbot.keyClicks(field, "1e")  # type: ignore[no-untyped-call]
    assert not pane.rows["eps"].refusal.isHidden()
    qtbot.keyClicks(field, "-6")  # type: ignore[no-untyped-call]
    assert pane.rows["eps"].refusal.isHidden()
    assert field.text() == "1e-6"


def test_showing_a_request_reports_nothing(pane: ParametersPane) -> None:
    seen = _requests(pane)
    show(pane, RunRequest.of(m=7, n=9, dtype="float32", barrier=False, eps=0.5), make_device())
    pane.set_live(True)
    assert seen == []


def test_a_run_that_does_not_fit_into_memory_is_refused_before_it_starts(
    pane: ParametersPane,
) -> None:
    show(pane, RunRequest(m=1 << 22, n=16384), make_device())
    assert "free" in pane.rows["m"].refusal.text()


def test_a_preset_of_ones_own_is_kept_chosen_taken_back_renamed_and_forgotten(
    explorer: Explorer, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, actions = explorer.session, explorer.window.actions_
    session.set_live(False)
    pane, wanted = explorer.window.parameters, LECTURE.changed(n=24)

    def save_as(name: str) -> None:
        monkeypatch.setattr(QInputDialog, "getText", lambda *_, text: (name or text, bool(name)))
        actions["save_preset"].trigger()

    def offered() -> list[str]:
        return [pane.presets.itemText(place) for place in range(pane.presets.count())]

    usual = offered()
    session.set_request(wanted)
    assert not actions["delete_preset"].isEnabled()
    save_as("")
    assert offered() == usual, "nobody gave a name"
    save_as(" narrow ")
    assert offered() == [usual[0], "narrow", *usual[1:]]
    assert pane.presets.currentText() == "narrow"
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
    assert pane.presets.currentText() == "narrower"
    actions["delete_preset"].trigger()
    assert offered() == usual
    assert session.state.request == wanted
    session.set_request(LECTURE)


def test_every_input_can_be_reached_by_keyboard_and_has_a_name(pane: ParametersPane) -> None:
    inputs: list[QWidget] = [pane.presets, pane.run, pane.stop, pane.live]
    for row in pane.rows.values():
        parts = (row.field, row.slider, row.automatic)
        inputs += [widget for widget in parts if not widget.isHidden()]
    for widget in inputs:
        assert widget.accessibleName()
        assert widget.toolTip()
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    row = pane.rows["block_size_n"]
    assert row.label.toolTip() == row.field.toolTip() != row.label.text(), "what it means"


def test_the_consequences_count_programs_lanes_and_bytes(pane: ParametersPane) -> None:
    show(pane, RunRequest.of(m=100, n=600, group_size_m=8))
    values = {
        name: label.text().replace("\N{NO-BREAK SPACE}", " ")
        for name, label in pane.box.values.items()
    }
    assert values["grids"] == "forward 100 · stage 1 100 · stage 2 5"
    assert values["lanes"] == "forward 424 of 1024 · stage 1 424 of 1024"
    assert values["buffers"] == "37.5 KiB"  # 2 · 8 · 600 · 4 bytes


def test_labels_have_their_room_in_the_language_that_follows(
    pane: ParametersPane, qapp: QApplication
) -> None:
    def cut() -> list[str]:
        rows = [row for row in pane.rows.values() if not row.isHidden()]
        labels = [row.label for row in rows]
        return [each.text() for each in labels if each.width() < each.sizeHint().width()]

    languages = Languages(qapp, resource("translations"))
    show(pane, RunRequest.of(m=100, n=600))
    for language in (CHINESE, ENGLISH):
        languages.use(language)
        QApplication.processEvents()
        assert not cut()


def test_every_strategy_is_offered_and_says_what_it_is(pane: ParametersPane) -> None:
    field = pane.rows["strategy"].field
    assert isinstance(field, ChoiceField)
    assert [field.itemText(index) for index in range(field.count())] == list(STRATEGIES)
    for strategy in STRATEGIES:
        show(pane, RunRequest.of(strategy=strategy))
        note = pane.rows["strategy"].note
        assert note.text() == str(CATALOGUE[strategy].summary)
        assert not note.isHidden()
        assert ("same bits from run to run" in note.text()) == CATALOGUE[strategy].deterministic


def test_only_settings_of_the_strategy_are_shown(pane: ParametersPane) -> None:
    for strategy in ("persistent", "locked"):
        show(pane, RunRequest.of(strategy=strategy))
        for name in set(LAUNCH_NAMES) - {"strategy"}:
            assert pane.rows[name].isHidden() != belongs(name, strategy), name
        assert pane.sections["reduction"].isHidden() == (strategy != "locked")


def test_a_value_that_the_new_strategy_does_not_have_comes_back_with_the_old_one(
    pane: ParametersPane,
) -> None:
    show(pane, RunRequest.of(m=64, n=512, group_size_m=7, num_warps=2))
    seen = _requests(pane)
    for strategy in ("persistent", "split", "locked"):
        field = pane.rows["strategy"].field
        assert isinstance(field, ChoiceField)
        field.edited.emit(strategy)
    assert seen == [
        RunRequest.of(m=64, n=512, strategy="persistent", num_warps=2),
        RunRequest.of(m=64, n=512, strategy="split", num_warps=2),
        RunRequest.of(m=64, n=512, group_size_m=7, num_warps=2),
    ]
    assert not check(seen[0], "interpreter")


def test_a_value_of_another_strategy_that_came_from_elsewhere_is_shown_with_its_reason(
    pane: ParametersPane,
) -> None:
    show(pane, RunRequest.of(strategy="persistent", barrier=False))
    row = pane.rows["barrier"]
    assert row.refusal.text() == "It belongs to strategy locked, not to persistent"
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
    assert isinstance(line, QLineEdit)

    def taken() -> bool:
        press = QKeyEvent(
            QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
        )
        press.ignore()
        QApplication.sendEvent(field, press)
        return press.isAccepted()

    assert not taken()
    line.insert("7")
    assert taken()


def test_however_long_names_and_texts_in_a_kernels_file_are_the_form_stays_as_wide_as_it_is(
    qtbot: QtBot,
) -> None:
    section = KernelSection()
    qtbot.addWidget(section)
    short = KernelSource(
        name="a", place="/a.py", settings=(("b", "c"),), offered=(("b", ("c", "d")),)
    )
    section.show_kernel(short)
    section.show()
    width = section.minimumSizeHint().width()
    name, text = "b" * 60, "c" * 200
    long = replace(short, name="a" * 60, settings=((name, text),), offered=((name, (text, "d")),))
    section.show_kernel(long)
    assert section.minimumSizeHint().width() == width
    assert section.settings[name].label.toolTip() == name


def test_a_negative_size_of_a_request_from_elsewhere_is_shown_and_refused_in_a_sentence(
    pane: ParametersPane,
) -> None:
    show(pane, RunRequest(m=-5, n=-1 << 40))
    for name, value in (("m", -5), ("n", 1 - (1 << 31))):
        row = pane.rows[name]
        assert row.field.value() == value
        assert "whole number from 1 to" in row.refusal.text()
    show(pane, RunRequest(m=64, n=512))
    assert all(pane.rows[name].refusal.isHidden() for name in ("m", "n"))


def test_a_key_moves_a_slider_by_one_of_its_places_and_a_field_shows_its_whole_number(
    pane: ParametersPane, qtbot: QtBot
) -> None:
    pane.resize(pane.minimumSizeHint().width(), 700)
    pane.show()
    row = pane.rows["n"]
    before = row.slider.value()
    for key, step in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Left, -1)):
        place = row.slider.value()
        qtbot.keyClick(row.slider, key)
        assert row.slider.value() == place + step
    assert row.slider.value() == before
    row.field.setValue(1 << 30)
    QApplication.processEvents()
    line = row.field.findChild(QLineEdit)
    assert line.fontMetrics().horizontalAdvance("1073741824") < line.width()
    assert row.slider.width() > 0
