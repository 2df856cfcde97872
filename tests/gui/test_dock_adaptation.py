"""Docks follow the size of the window from side by side to tabs and back, and leave alone what somebody has arranged."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QPoint, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QTabBar
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.theme import TEXT_SIZE
from lnexplorer.gui.shell import dock_adaptation
from lnexplorer.gui.shell.dock_orders import PICTURES, Order, is_seen, order_on_show
from lnexplorer.gui.shell.dock_state import unpacked
from lnexplorer.gui.shell.docks import NAMES, Docks
from lnexplorer.gui.shell.main_window import MainWindow
from lnexplorer.gui.shell.placement import keep_place, place

SOON_MS = 60  # instead of the usual time, so that nobody waits for tests
LARGE, SMALL = (1600, 1000), (1280, 720)
OVERVIEW, TABS, LOW_TABS = Order(overview=True), Order(overview=False), Order(overview=False, low=True)
ROUNDING = 4  # px


@pytest.fixture(autouse=True)
def _usual_text(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """How much room an order needs depends on the size of the text."""
    monkeypatch.setattr(dock_adaptation, "SETTLED_MS", SOON_MS)
    before = qapp.font()
    usual = QFont(before)
    usual.setPointSizeF(TEXT_SIZE)
    qapp.setFont(usual)
    yield
    qapp.setFont(before)


class Shown:
    """A window with fields for panes."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot, self.window = qtbot, QMainWindow()
        qtbot.addWidget(self.window)
        self.docks = Docks(self.window)
        self.fields = {name: QLineEdit() for name in NAMES}
        for name, field in self.fields.items():
            self.docks.set_pane(name, field)
        self.window.resize(*LARGE)
        self.docks.arrange(overview=True, gpu=True)
        self.window.show()
        qtbot.waitExposed(self.window)
        self.window.activateWindow()
        self.wait()

    @property
    def order(self) -> Order | None:
        return order_on_show(self.window, self.docks.docks)

    def wait(self) -> None:
        """Until the size has settled, and longer."""
        self.qtbot.wait(SOON_MS + 40)

    def size(self, size: tuple[int, int], order: Order | None) -> None:
        """Give the window a size, and see which order comes of it."""
        self.window.resize(*size)
        self.wait()
        self.qtbot.waitUntil(lambda: self.order == order)
        assert self.window.updatesEnabled()

    def sizes(self) -> dict[str, tuple[int, int]]:
        return {name: dock.size().toTuple() for name, dock in self.docks.docks.items() if is_seen(dock)}

    def in_front(self) -> set[str]:
        return {name for name, dock in self.docks.docks.items() if is_seen(dock)}


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown(qtbot)


def test_a_window_that_becomes_small_gets_tabs_and_looks_as_before_when_it_is_large_again(shown: Shown) -> None:
    docks = shown.docks.docks
    shown.window.resizeDocks([docks["parameters"], docks["reduction"]], [420, 1100], Qt.Orientation.Horizontal)
    shown.window.resizeDocks([docks["reduction"], docks["correctness"]], [400, 500], Qt.Orientation.Vertical)
    shown.qtbot.wait(50)
    before = shown.sizes()
    shown.size(SMALL, LOW_TABS)
    assert shown.in_front() == {"parameters", "reduction"}
    assert abs(docks["parameters"].width() - before["parameters"][0]) <= ROUNDING
    shown.size((SMALL[0], LARGE[1]), TABS)
    shown.size(LARGE, OVERVIEW)
    for name, size in shown.sizes().items():
        assert size == pytest.approx(before[name], abs=2 * ROUNDING), name


def test_nothing_creeps_as_the_window_becomes_small_and_large(shown: Shown) -> None:
    before = shown.sizes()
    for _ in range(3):
        shown.size(SMALL, LOW_TABS)
        shown.size(LARGE, OVERVIEW)
    assert shown.sizes() == {name: pytest.approx(size, abs=2) for name, size in before.items()}


@pytest.mark.qt_log_ignore("does not support raise")
def test_a_double_click_on_a_tab_tears_its_pane_off(shown: Shown) -> None:
    for dock in shown.docks.docks.values():
        dock.setWindowTitle(dock.objectName())
    shown.qtbot.wait(20)
    bars = [bar for bar in shown.window.findChildren(QTabBar) if "sweep" in (bar.tabText(tab) for tab in range(bar.count()))]
    for _ in range(2):  # connected once, however often docks move
        bar = bars[0]
        tab = next(tab for tab in range(bar.count()) if bar.tabText(tab) == "sweep")
        bar.tabBarDoubleClicked.emit(tab)
        assert [name for name, dock in shown.docks.docks.items() if dock.isFloating()] == ["sweep"]
        shown.docks.docks["sweep"].setFloating(False)
        shown.qtbot.wait(20)


def test_sizes_on_the_way_change_nothing(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    shown = Shown(qtbot)
    for width in range(1600, 1200, -50):
        shown.window.resize(width, 900)
        shown.qtbot.wait(5)
        assert shown.order == OVERVIEW
    for width in range(1200, 1700, 50):
        shown.window.resize(width, 900)
        shown.qtbot.wait(5)
    shown.qtbot.wait(dock_adaptation.SETTLED_MS + 50)
    assert shown.order == OVERVIEW


def float_one(shown: Shown) -> None:
    shown.docks.docks["throughput"].setFloating(True)


def close_one(shown: Shown) -> None:
    shown.docks.docks["sweep"].close()


def put_one_left_of_another(shown: Shown) -> None:
    docks = shown.docks.docks
    layout = shown.window.layout()
    assert layout is not None
    layout.removeWidget(docks["correctness"])
    shown.window.splitDockWidget(docks["throughput"], docks["correctness"], Qt.Orientation.Horizontal)
    for dock in (docks["history"], docks["throughput"]):
        dock.raise_()


def put_one_elsewhere(shown: Shown) -> None:
    shown.window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, shown.docks.docks["correctness"])


def put_one_behind_another(shown: Shown) -> None:
    docks = shown.docks.docks
    shown.window.tabifyDockWidget(docks["throughput"], docks["touch"])


@pytest.mark.qt_log_ignore("does not support raise")
@pytest.mark.parametrize("arrange", [float_one, close_one, put_one_left_of_another, put_one_elsewhere, put_one_behind_another])
def test_an_arrangement_by_hand_stays_at_any_size(shown: Shown, arrange: Callable[[Shown], None]) -> None:
    arrange(shown)
    shown.qtbot.wait(50)
    assert shown.order is None
    assert not shown.docks.follows_size
    shown.size(SMALL, None)
    shown.size(LARGE, None)


@pytest.mark.qt_log_ignore("does not support raise")
def test_a_torn_off_pane_that_is_put_back_is_in_the_order_again(shown: Shown) -> None:
    dock = shown.docks.docks["throughput"]
    dock.setFloating(True)
    shown.qtbot.wait(50)
    dock.setFloating(False)
    shown.size(SMALL, LOW_TABS)


def test_tabs_that_are_chosen_in_a_large_window_stay_and_so_does_side_by_side_in_a_small_one(shown: Shown) -> None:
    shown.docks.arrange(overview=False, gpu=True)
    shown.size((1700, 1000), TABS)
    shown.size(SMALL, LOW_TABS)
    shown.docks.arrange(overview=True, gpu=True)
    shown.size((1300, 720), OVERVIEW)
    shown.size(LARGE, OVERVIEW)
    shown.size(SMALL, OVERVIEW)
    shown.docks.arrange(overview=False, gpu=True)  # as the size suggests: it is followed again
    shown.size(LARGE, OVERVIEW)


def test_nothing_moves_while_a_button_is_held(shown: Shown) -> None:
    handle, place_ = shown.window.windowHandle(), QPoint(600, 300)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place_)
    shown.size(SMALL, OVERVIEW)
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place_)
    shown.qtbot.waitUntil(lambda: shown.order == LOW_TABS)


def test_a_button_whose_release_was_lost_is_not_waited_for_for_ever(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dock_adaptation, "LOST_MS", 300)
    handle, place_ = shown.window.windowHandle(), QPoint(600, 300)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place_)
    shown.size(SMALL, OVERVIEW)
    shown.qtbot.waitUntil(lambda: shown.order == LOW_TABS)
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place_)


def test_full_screen_leaves_the_docks_as_they_are(shown: Shown) -> None:
    shown.window.setWindowState(Qt.WindowState.WindowFullScreen)
    shown.size(SMALL, OVERVIEW)
    shown.window.setWindowState(Qt.WindowState.WindowNoState)
    shown.window.resize(*SMALL)
    shown.qtbot.waitUntil(lambda: shown.order == LOW_TABS)


def test_the_pane_that_was_used_last_stays_in_front(shown: Shown) -> None:
    shown.docks.show_pane("correctness")
    shown.docks.show_pane("parameters")
    shown.size(SMALL, LOW_TABS)
    assert shown.in_front() == {"parameters", "correctness"}
    shown.docks.docks["sweep"].raise_()  # as a click on its tab does
    shown.qtbot.waitUntil(lambda: "sweep" in shown.in_front())
    shown.qtbot.wait(20)
    shown.size(LARGE, OVERVIEW)
    assert shown.in_front() == {"parameters", "sweep", "correctness", "throughput"}
    shown.size(SMALL, LOW_TABS)
    assert shown.in_front() == {"parameters", "sweep"}


@pytest.mark.parametrize("away", [QMainWindow.hide, QMainWindow.showMinimized])
@pytest.mark.parametrize("last", PICTURES)
def test_a_window_that_was_away_knows_what_was_used_last(shown: Shown, away: Callable[[QMainWindow], None], last: str) -> None:
    for name in (*PICTURES, last, "parameters"):
        shown.docks.show_pane(name)
        shown.qtbot.wait(20)
    away(shown.window)
    shown.wait()
    shown.window.showNormal()
    shown.qtbot.waitExposed(shown.window)
    shown.wait()
    shown.size(SMALL, LOW_TABS)
    assert shown.in_front() == {"parameters", last}


@pytest.mark.parametrize("name", ["parameters", "correctness"])
def test_whoever_types_goes_on(shown: Shown, name: str) -> None:
    field, ended = shown.fields[name], []
    field.editingFinished.connect(lambda: ended.append(name))
    shown.docks.show_pane(name)
    field.setFocus()
    QTest.keyClicks(field, "12")
    for size, order in ((SMALL, LOW_TABS), (LARGE, OVERVIEW)):
        shown.size(size, order)
        assert QApplication.focusWidget() is field
    assert ended == []


def test_larger_text_needs_a_larger_window(shown: Shown) -> None:
    larger = QApplication.font()
    larger.setPointSizeF(1.3 * TEXT_SIZE)
    QApplication.setFont(larger)
    shown.window.setStyleSheet("QLabel { padding: 1px; }")  # a change of the text comes with one of the style
    shown.qtbot.waitUntil(lambda: shown.order == LOW_TABS)


@pytest.mark.qt_log_ignore("does not support raise")
def test_a_restored_arrangement_is_followed_if_it_is_none_of_somebodys_own(shown: Shown) -> None:
    large = shown.docks.state()
    shown.docks.docks["correctness"].setFloating(True)
    own = shown.docks.state()
    shown.docks.arrange(overview=True, gpu=True)
    shown.size(SMALL, LOW_TABS)
    shown.docks.restore(own)
    shown.wait()
    assert shown.order is None
    shown.docks.restore(large)
    shown.qtbot.waitUntil(lambda: shown.order == LOW_TABS)
    tabs = QByteArray(unpacked(shown.docks.state()).arrangement)
    shown.size(LARGE, OVERVIEW)
    shown.docks.restore(tabs)  # of a file that does not say who wanted tabs
    shown.wait()
    assert shown.order == TABS


def test_tabs_that_a_small_window_asked_for_are_side_by_side_where_they_are_restored_in_a_large_one(shown: Shown) -> None:
    docks = shown.docks.docks
    form = docks["parameters"].width()
    shown.size(SMALL, LOW_TABS)
    tabs = shown.docks.state()
    shown.size(LARGE, OVERVIEW)
    shown.docks.restore(tabs)
    shown.wait()
    assert shown.order == OVERVIEW
    shown.docks.arrange(overview=False, gpu=True)
    chosen = shown.docks.state()
    shown.docks.arrange(overview=True, gpu=True)
    shown.docks.restore(chosen)
    shown.wait()
    assert shown.order == TABS, "somebody wanted those"
    assert abs(docks["parameters"].width() - form) <= ROUNDING


@pytest.mark.qt_log_ignore("does not support raise")
def test_a_form_is_as_wide_as_it_was_left_in_a_window_of_another_width(shown: Shown) -> None:
    docks = shown.docks.docks
    docks["sweep"].setFloating(True)  # an arrangement of somebody's own
    shown.size(SMALL, None)
    shown.window.resizeDocks([docks["parameters"], docks["reduction"]], [400, 800], Qt.Orientation.Horizontal)
    shown.wait()
    form, small = docks["parameters"].width(), shown.docks.state()
    shown.size(LARGE, None)
    shown.docks.arrange(overview=True, gpu=True)
    shown.docks.restore(small)
    shown.wait()
    assert docks["sweep"].isFloating()
    assert abs(docks["parameters"].width() - form) <= ROUNDING
    for size in (SMALL, LARGE):
        shown.size(size, None)
        assert abs(docks["parameters"].width() - form) <= ROUNDING


@pytest.mark.parametrize("facts", [b"", b"1 x follows\n", b"1 2 sometimes\n", b"1 2 follows\nno"])
def test_what_is_no_state_changes_nothing(shown: Shown, facts: bytes) -> None:
    before = shown.sizes()
    assert not shown.docks.restore(QByteArray())
    assert not shown.docks.restore(QByteArray(b"lnexplorer docks\n" + facts))
    shown.wait()
    assert shown.sizes() == before


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path) -> Callable[[tuple[int, int]], MainWindow]:
    def make(size: tuple[int, int]) -> MainWindow:
        window = MainWindow()
        qtbot.addWidget(window)
        place(window, tmp_path / "window.ini", size, gpu=True)
        window.show()
        qtbot.waitExposed(window)
        qtbot.wait(SOON_MS + 40)
        return window

    return make


def test_a_window_that_starts_larger_than_it_was_left_gives_its_pictures_the_room(
    opened: Callable[[tuple[int, int]], MainWindow], tmp_path: Path
) -> None:
    window = opened(SMALL)
    window.docks.docks["touch"].close()  # an arrangement of somebody's own
    QApplication.processEvents()
    form = window.docks.docks["parameters"].width()
    keep_place(window, tmp_path / "window.ini")
    window.close()
    window = opened(LARGE)
    assert abs(window.docks.docks["parameters"].width() - form) <= ROUNDING


@pytest.mark.parametrize(("chosen", "expected"), [(None, LOW_TABS), (True, OVERVIEW)])
def test_a_window_that_starts_smaller_than_it_was_left_gets_tabs_unless_somebody_wanted_none(
    opened: Callable[[tuple[int, int]], MainWindow], tmp_path: Path, chosen: bool | None, expected: Order
) -> None:
    window = opened(LARGE if chosen is None else SMALL)
    if chosen is not None:
        window.docks.arrange(overview=chosen, gpu=True)
        QApplication.processEvents()
    assert order_on_show(window, window.docks.docks) == OVERVIEW
    keep_place(window, tmp_path / "window.ini")
    window.close()
    window = opened(SMALL)
    assert order_on_show(window, window.docks.docks) == expected
    keep_place(window, tmp_path / "window.ini")
    window.close()
    window = opened(LARGE)
    assert order_on_show(window, window.docks.docks) == OVERVIEW


def test_an_arrangement_of_ones_own_starts_as_it_was_left_in_a_smaller_window(
    opened: Callable[[tuple[int, int]], MainWindow], tmp_path: Path
) -> None:
    window = opened(LARGE)
    window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, window.docks.docks["correctness"])
    QApplication.processEvents()
    keep_place(window, tmp_path / "window.ini")
    window.close()
    window = opened(SMALL)
    assert window.dockWidgetArea(window.docks.docks["correctness"]) is Qt.DockWidgetArea.TopDockWidgetArea
    assert not window.docks.follows_size
