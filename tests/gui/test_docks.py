"""The docks of the window: how a change of the language comes to their panes."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell.docks import NAMES, Docks

told: list[str] = []


class Listener(QWidget):
    """Notes that it was told of another language."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        if event.type() is QEvent.Type.LanguageChange:
            told.append(self.name)
        super().changeEvent(event)


@pytest.fixture
def docks(qtbot: QtBot) -> Docks:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(1200, 800)
    docks = Docks(window)
    for name in NAMES:
        docks.set_pane(name, Listener(name))
    docks.arrange(overview=False, gpu=True)
    window.show()
    qtbot.waitExposed(window)
    QCoreApplication.processEvents()
    told.clear()
    return docks


def tell(docks: Docks) -> None:
    window = docks.parent()
    assert window is not None
    QCoreApplication.sendEvent(window, QEvent(QEvent.Type.LanguageChange))


def test_another_language_comes_to_every_pane_once(docks: Docks, qtbot: QtBot) -> None:
    tell(docks)
    qtbot.waitUntil(lambda: len(told) == len(NAMES))
    qtbot.wait(50)
    assert sorted(told) == sorted(NAMES)


def test_panes_that_are_seen_take_the_language_first_and_never_all_in_one_turn(docks: Docks, qtbot: QtBot) -> None:
    seen = {name for name, dock in docks.docks.items() if not dock.visibleRegion().isEmpty()}
    assert 0 < len(seen) < len(NAMES)
    tell(docks)
    assert told == []
    qtbot.waitUntil(lambda: len(told) == len(NAMES))
    assert set(told[: len(seen)]) == seen


def test_two_changes_in_a_row_are_told_once(docks: Docks, qtbot: QtBot) -> None:
    for _ in range(2):
        tell(docks)
    qtbot.waitUntil(lambda: len(told) == len(NAMES))
    qtbot.wait(50)
    assert sorted(told) == sorted(NAMES)


def test_a_pane_is_framed_once_however_it_is_put_in(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    docks, pane = Docks(window), Listener("sweep")
    docks.frame("sweep", pane)
    holder = pane.parentWidget()
    docks.set_pane("sweep", pane)
    assert docks.docks["sweep"].widget().isAncestorOf(pane)
    assert pane.parentWidget() is holder


@pytest.mark.parametrize("overview", [False, True])
def test_a_larger_window_is_for_the_pictures_and_a_smaller_one_looks_as_before(
    docks: Docks, qtbot: QtBot, *, overview: bool
) -> None:
    window = docks.parent()
    assert isinstance(window, QMainWindow)
    docks.arrange(overview=overview, gpu=True)
    qtbot.wait(50)
    form, picture, strip = (docks.docks[name] for name in ("parameters", "reduction", "history"))
    strip = strip if not strip.visibleRegion().isEmpty() else docks.docks["correctness"]
    before = [dock.size() for dock in (form, picture, strip)]
    share = strip.height() / picture.height()
    for _ in range(3):
        window.resize(1900, 1100)
        qtbot.wait(20)
        assert abs(form.width() - before[0].width()) < 24
        assert abs(strip.height() / picture.height() - share) < 0.06
        window.resize(1200, 800)
        qtbot.wait(20)
        for dock, size in zip((form, picture, strip), before, strict=True):
            assert abs(dock.width() - size.width()) < 24
            assert abs(dock.height() - size.height()) < 24


def test_a_width_that_was_given_by_hand_is_kept(docks: Docks, qtbot: QtBot) -> None:
    window = docks.parent()
    assert isinstance(window, QMainWindow)
    form, picture = docks.docks["parameters"], docks.docks["reduction"]
    window.resizeDocks([form, picture], [500, 700], Qt.Orientation.Horizontal)
    qtbot.wait(50)
    assert abs(form.width() - 500) < 12
    window.resize(1900, 1100)
    qtbot.wait(20)
    assert abs(form.width() - 500) < 24


@pytest.mark.parametrize(("height", "tabbed"), [(600, True), (1000, False)])
def test_in_a_low_window_the_history_is_a_picture_among_the_others(
    docks: Docks, qtbot: QtBot, height: int, *, tabbed: bool
) -> None:
    window = docks.parent()
    assert isinstance(window, QMainWindow)
    window.resize(1280, height)
    docks.arrange(overview=False, gpu=True)
    qtbot.wait(50)
    assert (docks.docks["history"] in window.tabifiedDockWidgets(docks.docks["reduction"])) is tabbed
    assert not docks.docks["reduction"].visibleRegion().isEmpty()
    assert docks.docks["reduction"].height() > 0.5 * height
