"""The two extremes of size, language and text: nothing is cut, covered or a line high."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QVBoxLayout, QWidget, QWizard
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.veil import Veil
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.main_window import layout_text, restore_layout
from lnexplorer.gui.window.tour import STEPS, Tour
from lnexplorer.gui.window.workspaces import CORRECTNESS, REDUCTION
from lnexplorer.store.resources import resource
from tests.gui.windows import Open, Until
from tests.pictures import faults, views


@pytest.mark.timeout(170)
def test_nothing_is_cut_or_covered_at_either_extreme(explorer: Explorer, until: Until) -> None:
    window, preferences = explorer.window, explorer.preferences

    def settle() -> None:
        until(lambda: explorer.steps.waiting == 0)
        for _ in range(3):  # a layout that follows from a layout
            QApplication.processEvents()

    found = []
    for size, language, text in (((1280, 720), "zh_CN", 160), ((1920, 1080), "en", 100)):
        preferences.use_language(language)
        preferences.use_text_percent(text)
        window.resize(*size)
        settle()
        assert (window.width(), window.height()) == size
        assert window.view.is_folded is (text == 160)
        found += [
            f"{view} {size} {language}: {fault}"
            for view in views(explorer, settle)
            for fault in faults(window)
        ]
        explorer.controllers["sweep"].open(resource("recordings/h200_sweep_tutorial.lnsweep"))
        until(window.pane("sweep").picture.bar.overlays.isVisible)
        settle()
        found += [f"recorded sweep {size} {language}: {fault}" for fault in faults(window)]
    preferences.use_text_percent(100)
    window.resize(1280, 720)
    assert not found, "\n".join(found)


def test_launch_settings_are_in_sight_in_a_small_window(explorer: Explorer, until: Until) -> None:
    window, preferences = explorer.window, explorer.preferences
    preferences.use_text_percent(100)
    window.resize(1280, 720)
    window.show_workspace("run")
    for language in ("zh_CN", "en"):
        preferences.use_language(language)
        until(lambda: explorer.steps.waiting == 0)
        for _ in range(3):
            QApplication.processEvents()
        for name in ("strategy", "group_size_m", "block_size", "num_warps", "num_stages"):
            field = window.parameters.rows[name].field
            assert field.visibleRegion().boundingRect() == field.rect(), (language, name)


def test_warps_are_in_sight_below_a_pinned_run_with_every_figure(
    opened: Open, qtbot: QtBot, until: Until
) -> None:
    explorer = opened("pinned", resource("recordings/h200_4096x1024_g16.lnrec"))
    window = explorer.window
    window.actions_["pin"].trigger()
    until(lambda: explorer.session.state.pinned is not None)
    explorer.commands.open_file(resource("recordings/h200_4096x1024_g64.lnrec"))
    until(lambda: "spills" in window.headline.beside.table.text())
    qtbot.wait(50)
    field = window.parameters.rows["num_warps"].field
    assert field.visibleRegion().boundingRect() == field.rect()


def test_a_fault_is_found(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    label, other, below = (
        QLabel("many words in little room", window),
        QLabel("on top of it", window),
        QListWidget(),
    )
    for widget, box in ((label, QRect(0, 0, 30, 20)), (other, QRect(10, 0, 200, 40))):
        widget.setGeometry(box)
    page = QWidget(window)
    page.setGeometry(0, 60, 200, 20)
    QVBoxLayout(page).addWidget(below)
    window.resize(300, 200)
    window.show()
    text = "\n".join(faults(window))
    assert "many words" in text
    assert "share 20x20 px" in text
    assert "a line is" in text


def test_folded_parameters_come_back_and_a_wish_outlives_a_narrow_window(
    explorer: Explorer, qtbot: QtBot
) -> None:
    window = explorer.window
    window.show_workspace("run")
    action = window.actions_["fold"]
    assert window.parameters.isVisible()
    action.trigger()
    assert (window.parameters.isVisible(), window.folded.isVisible(), action.isChecked()) == (
        False,
        True,
        True,
    )
    assert "M 4 × N 8" in window.folded.line.text()
    kept = layout_text(window)
    window.folded.change.click()
    assert (window.parameters.isVisible(), window.folded.isVisible(), action.isChecked()) == (
        True,
        False,
        False,
    )
    restore_layout(window, kept)
    assert not window.parameters.isVisible()
    window.show_part("parameters")
    window.resize(900, 720)
    qtbot.waitUntil(lambda: window.width() == 900)
    assert window.parameters.isVisible()


def test_a_tour_leads_over_the_real_parts_and_is_left_at_any_time(
    explorer: Explorer, qtbot: QtBot
) -> None:
    window, door = explorer.window, explorer.window.bar.doors[2]
    window.show_workspace("history")
    assert door.property("state") == "new"
    door.click()
    tour = window.findChild(Tour)
    assert isinstance(tour, Tour)
    assert (window.workspace, tour.currentId(), door.property("state")) == ("run", 0, "used")
    mark = window.parameters.rows["m"].findChild(Veil)
    assert isinstance(mark, Veil)
    assert mark.isVisible()
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
    qtbot.keyClick(tour, Qt.Key.Key_Escape)
    assert not tour.isVisible()
    assert "tour" in explorer.preferences.settings.doors


def test_space_plays_from_beside_the_reduction_and_stays_with_a_button_and_a_field(
    explorer: Explorer, qtbot: QtBot
) -> None:
    window = explorer.window
    window.show_workspace("run")
    player, log = window.pane(REDUCTION).player, window.pane(CORRECTNESS).errors.log
    before, typed = log.isChecked(), window.parameters.rows["m"].field
    for widget in (window, window.parameters.rows["n"].slider):
        qtbot.keyClick(widget, Qt.Key.Key_Space)
        assert player.playing
        qtbot.keyClick(widget, Qt.Key.Key_Space)
        assert not player.playing
    for widget in (log, typed):
        qtbot.keyClick(widget, Qt.Key.Key_Space)
        assert not player.playing
    assert log.isChecked() is not before
    log.setChecked(before)


def test_the_keyboard_leaves_every_widget(explorer: Explorer, qtbot: QtBot) -> None:
    window = explorer.window
    window.activateWindow()
    for name in window.views:
        window.show_workspace(name)
        QApplication.processEvents()
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        first = QApplication.focusWidget()
        ways = [first]
        while len(ways) < 300 and (ways[-1] is not first or len(ways) == 1):
            qtbot.keyClick(ways[-1] or window, Qt.Key.Key_Tab)
            ways.append(QApplication.focusWidget())
        names = list(
            dict.fromkeys(
                f"{type(widget).__name__} {widget.accessibleName()}"
                for widget in ways
                if widget is not None
            )
        )
        assert ways[-1] is first, (
            f"{name}: Tab does not come back from {names[-1]}"
        )  # links in a text are stations, too
        assert len(names) > 3, f"{name}: {names}"  # a pane may be waiting for its worker
