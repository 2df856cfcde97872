"""The two extremes of size, language and text: nothing is cut, covered or a line high."""

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QListWidget,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
    QWizard,
)
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit import GRID, with_text
from lnexplorer.gui.kit.veil import Veil
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.headline import Headline
from lnexplorer.gui.window.main_window import layout_text, restore_layout
from lnexplorer.gui.window.preferences import TEXT_PERCENTS
from lnexplorer.gui.window.tour import STEPS, Tour
from lnexplorer.gui.window.workspaces import CORRECTNESS, REDUCTION, THROUGHPUT
from lnexplorer.store.resources import resource
from lnkernels.values.environment import Kind
from lnkernels.values.sentence import verbatim
from tests.gui.windows import Open, Until, press
from tests.pictures import faults, views


def settle(explorer: Explorer, until: Until) -> None:
    until(lambda: explorer.steps.waiting == 0)
    for _ in range(6):  # a layout that follows from a layout
        QApplication.processEvents()


def test_nothing_is_cut_or_covered_at_either_extreme(explorer: Explorer, until: Until) -> None:
    window = explorer.window
    preferences = explorer.preferences
    found = []
    for size, language, text in (((1280, 720), "zh_CN", 160), ((1920, 1080), "en", 100)):
        preferences.use_language(language)
        preferences.use_text_percent(text)
        window.resize(*size)
        settle(explorer, until)
        assert window.size().toTuple() == size
        assert window.view.is_folded is (text == 160)
        for view in views(explorer, lambda: settle(explorer, until)):
            found += [f"{view} {size} {language}: {fault}" for fault in faults(window)]
        explorer.controllers["sweep"].open(resource("recordings/h200_sweep_tutorial.lnsweep"))
        until(window.pane("sweep").picture.bar.overlays.isVisible)
        settle(explorer, until)
        found += [f"recorded sweep {size} {language}: {fault}" for fault in faults(window)]
    preferences.use_text_percent(100)
    window.resize(1280, 720)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", [120, 160])
def test_nothing_scrolls_sideways_for_parameters_that_are_unfolded_in_little_room(
    explorer: Explorer, until: Until, text: int
) -> None:
    window = explorer.window
    window.show_workspace("run")
    window.resize(1280, 720)
    explorer.preferences.use_text_percent(text)
    settle(explorer, until)
    window.folded.change.click()
    settle(explorer, until)
    assert window.parameters.isVisible()
    assert [fault for fault in faults(window) if "sideways" in fault] == []
    window.view.fold(wished=None)
    explorer.preferences.use_text_percent(100)
    settle(explorer, until)
    beside = [window.parameters, window.pane("correctness"), window.pane("throughput")]
    left = [part.mapTo(window, QPoint(0, 0)).x() for part in beside]
    assert left == sorted(set(left)), "as they stood before"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_nothing_of_a_run_is_cut_in_the_smallest_text(
    explorer: Explorer, until: Until, language: str
) -> None:
    preferences, window = explorer.preferences, explorer.window
    window.show_workspace("run")
    window.resize(1280, 720)
    preferences.use_language(language)
    preferences.use_text_percent(TEXT_PERCENTS[0])
    settle(explorer, until)
    found = faults(window)
    preferences.use_text_percent(100)
    preferences.use_language("en")
    assert found == []


@pytest.mark.parametrize("text", [120, 160])
def test_text_that_changes_while_a_run_is_hidden_leaves_it_as_if_it_were_on_show(
    explorer: Explorer, until: Until, text: int
) -> None:
    preferences, window = explorer.preferences, explorer.window
    window.resize(1280, 720)

    def laid_out(*, hidden: bool) -> list[QRect]:
        preferences.use_text_percent(100)
        window.show_workspace("history" if hidden else "run")
        settle(explorer, until)
        preferences.use_text_percent(text)
        settle(explorer, until)
        window.show_workspace("run")
        settle(explorer, until)
        parts = [window.headline, *window.view.frames.values(), window.folded]
        return [QRect(part.mapTo(window, QPoint(0, 0)), part.size()) for part in parts]

    assert laid_out(hidden=True) == laid_out(hidden=False)
    assert faults(window) == []
    preferences.use_text_percent(100)


def test_nothing_scrolls_sideways_beside_the_exercises(explorer: Explorer, until: Until) -> None:
    window = explorer.window
    window.actions_["exercises"].setChecked(True)
    window.resize(1280, 720)
    explorer.preferences.use_text_percent(120)
    window.show_workspace("memory_access")
    window.pane("memory_access").badge.show_kind(Kind.INTERPRETED)
    settle(explorer, until)
    found = [fault for fault in faults(window) if "sideways" in fault]
    window.actions_["exercises"].setChecked(False)
    window.show_workspace("run")
    explorer.preferences.use_text_percent(100)
    settle(explorer, until)
    assert found == []


def test_speeds_fit_the_least_width_of_their_pane(explorer: Explorer, until: Until) -> None:
    pane = explorer.window.pane(THROUGHPUT)
    pane.badge.show_kind(Kind.INTERPRETED)
    pane.findChild(QStackedWidget).setCurrentIndex(1)
    explorer.window.show_workspace("run")
    settle(explorer, until)
    asked = pane.minimumSizeHint().width()
    pane.refresh()
    assert asked + GRID <= THROUGHPUT.least[0], "with a bar beside it"


def test_a_note_of_many_words_over_a_narrow_part_is_whole(qtbot: QtBot) -> None:
    part = QWidget()
    qtbot.addWidget(part)
    part.resize(300, 200)
    part.show()
    veil = Veil(part)
    veil.show_other(verbatim("of BLOCK_SIZE 1024 · norm rms_norm · data constant, run to renew"))
    QApplication.processEvents()
    assert veil.rect().contains(veil.note.geometry())
    assert faults(part) == []
    two_lines = veil.note.height()
    part.resize(900, 200)
    QApplication.processEvents()
    assert veil.note.height() < two_lines


@pytest.mark.parametrize("text", [100, 120])
def test_errors_fit_the_least_width_of_their_pane(
    explorer: Explorer, until: Until, text: int
) -> None:
    explorer.window.show_workspace("run")
    explorer.preferences.use_text_percent(text)
    settle(explorer, until)
    pane = explorer.window.pane(CORRECTNESS)
    asked, least = pane.errors.minimumSizeHint().width(), with_text(CORRECTNESS.least[0])
    explorer.preferences.use_text_percent(100)
    assert asked + GRID <= least, "with a bar beside it"


def test_a_headline_that_narrows_while_it_shows_errors_hides_them_all(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    headline = Headline()
    qtbot.addWidget(headline)
    headline.resize(400, 80)
    headline.show()
    first, *_ = errors = list(headline.results.values())
    assert all(each.isHidden() for each in errors)

    def show(visible: bool) -> None:
        if visible:
            headline.resize(400, 80)  # as the layout around it may
        QWidget.setVisible(first, visible)

    monkeypatch.setattr(first, "setVisible", show)
    headline.resize(1400, 80)
    assert all(each.isHidden() for each in errors)


def is_in_sight(explorer: Explorer, setting: str) -> bool:
    field = explorer.window.parameters.rows[setting].field
    return field.visibleRegion().boundingRect() == field.rect()


def test_launch_settings_are_in_sight_in_a_small_window(explorer: Explorer, until: Until) -> None:
    explorer.preferences.use_text_percent(100)
    explorer.window.resize(1280, 720)
    explorer.window.show_workspace("run")
    for language in ("zh_CN", "en"):
        explorer.preferences.use_language(language)
        settle(explorer, until)
        for name in ("strategy", "group_size_m", "block_size", "num_warps", "num_stages"):
            assert is_in_sight(explorer, name), (language, name)


def test_warps_are_in_sight_below_a_pinned_run_with_every_figure(
    opened: Open, until: Until
) -> None:
    explorer = opened("pinned", resource("recordings/h200_4096x1024_g16.lnrec"))
    explorer.window.actions_["pin"].trigger()
    until(lambda: explorer.session.state.pinned is not None)
    explorer.commands.open_file(resource("recordings/h200_4096x1024_g64.lnrec"))
    until(lambda: "spills" in explorer.window.headline.beside.table.text())
    settle(explorer, until)
    assert is_in_sight(explorer, "num_warps")
    explorer.preferences.use_text_percent(160)
    settle(explorer, until)
    table = explorer.window.headline.beside.table
    assert table.sizeHint().width() <= table.width(), "its figures stand in more lines"
    assert "occupancy" in table.text()
    explorer.window.actions_["exercises"].trigger()
    for language in ("zh_CN", "en"):
        explorer.preferences.use_language(language)
        settle(explorer, until)
        assert faults(explorer.window.pane(REDUCTION)) == []


def test_a_fault_is_found(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    page = QWidget(window)
    label = QLabel("many words in little room", window)
    label.setGeometry(QRect(0, 0, 30, 20))
    QLabel("on top of it", window).setGeometry(QRect(10, 0, 200, 40))
    page.setGeometry(QRect(0, 60, 200, 20))
    QVBoxLayout(page).addWidget(QListWidget())
    window.resize(300, 200)
    window.show()
    text = "\n".join(faults(window))
    for told in ("many words", "share 20x20 px", "a line is"):
        assert told in text


def test_folded_parameters_come_back_and_a_wish_outlives_a_narrow_window(
    explorer: Explorer, until: Until
) -> None:
    window = explorer.window
    action = window.actions_["fold"]

    def is_folded() -> bool:
        folded = window.folded.isVisible()
        assert window.parameters.isVisible() is not folded
        assert action.isChecked() is folded
        return folded

    window.show_workspace("run")
    assert not is_folded()
    action.trigger()
    assert is_folded()
    assert "M 4 × N 8" in window.folded.line.text()
    kept = layout_text(window)
    window.folded.change.click()
    assert not is_folded()
    restore_layout(window, kept)
    assert not window.parameters.isVisible()
    window.show_part("parameters")
    window.resize(900, 720)
    until(lambda: window.width() == 900)
    assert window.parameters.isVisible()


def test_a_tour_leads_over_the_real_parts_and_is_left_at_any_time(explorer: Explorer) -> None:
    window = explorer.window
    door = window.bar.doors[2]
    window.show_workspace("history")
    assert door.property("state") == "new"
    door.click()
    tour = window.findChild(Tour)
    assert window.workspace == "run"
    assert door.property("state") == "used"
    assert window.parameters.rows["m"].findChild(Veil).isVisible()
    for step in range(1, len(STEPS)):
        tour.next()
        assert tour.currentId() == step
        (mark,) = (each for each in window.findChildren(Veil, "tourMark") if each.isVisible())
        named = QRect(mark.mapToGlobal(QPoint(0, 0)), mark.size())
        assert not named.intersects(tour.geometry()), "it covers the part that it names"
    tour.button(QWizard.WizardButton.FinishButton).click()
    assert not tour.isVisible()
    window.actions_["tour"].trigger()
    tour = window.findChildren(Tour)[-1]
    press(tour, "Esc")
    assert not tour.isVisible()
    assert "tour" in explorer.preferences.settings.doors


def test_space_plays_from_beside_the_reduction_and_stays_with_a_button_and_a_field(
    explorer: Explorer,
) -> None:
    window = explorer.window
    rows = window.parameters.rows
    player = window.pane(REDUCTION).player
    log = window.pane(CORRECTNESS).errors.log
    window.show_workspace("run")
    for widget in (window, rows["n"].slider):
        for playing in (True, False):
            press(widget, "Space")
            assert player.playing is playing
    before = log.isChecked()
    for widget in (log, rows["m"].field):
        press(widget, "Space")
        assert not player.playing
    assert log.isChecked() is not before
    log.setChecked(before)


def test_the_keyboard_leaves_every_widget(explorer: Explorer) -> None:
    window = explorer.window
    window.activateWindow()
    for name in window.views:
        window.show_workspace(name)
        QApplication.processEvents()
        ways: list[QWidget | None] = []
        # Links in a text are stations, too.
        while len(ways) < 300 and (len(ways) < 2 or ways[-1] is not ways[0]):
            press(QApplication.focusWidget() or window, "Tab")
            ways.append(QApplication.focusWidget())
        names = {f"{type(each).__name__} {each.accessibleName()}" for each in ways if each}
        assert ways[-1] is ways[0], f"{name}: Tab does not come back, {names}"
        assert len(names) > 3, f"{name}: {names}"  # a pane may be waiting for its worker
