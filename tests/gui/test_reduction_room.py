"""The Reduction pane where there is little room, or where text is large: no control is cut, and nothing scrolls
sideways.
"""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.reduction.pane import ReductionPane
from lnexplorer.gui.shell.style import apply_style
from lnexplorer.store.resources import resource
from tests.domain.timelines import request

HEIGHT = 560  # px
Open = Callable[[int, int], ReductionPane]


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication) -> Open:
    """Makes a pane so wide, with text of so many per cent of its usual size."""

    def make(width: int, percent: int) -> ReductionPane:
        apply_style(qapp, DARK, percent)
        pane = ReductionPane()
        qtbot.addWidget(pane)
        pane.apply_theme(DARK)
        pane.resize(width, HEIGHT)
        pane.set_problem(request(m=64, n=512, group_size_m=8), 64, 132)
        pane.show()
        qtbot.wait(50)
        return pane

    return make


def controls(pane: ReductionPane) -> list[QWidget]:
    transport = pane.transport
    names = ("first", "previous", "play", "next", "last", "loop", "scrub", "time", "speed", "speed_label", "follow", "panel")
    return [getattr(transport, name) for name in names]


def rows(pane: ReductionPane) -> int:
    return len({widget.mapTo(pane, widget.rect().center()).y() // 12 for widget in (pane.transport.play, pane.transport.panel)})


def test_every_control_is_whole_and_in_the_pane(opened: Open, qapp: QApplication) -> None:
    for width, percent in [(820, 130), (720, 160), (520, 100), (920, 100)]:
        for language in ["en", "zh_CN"]:
            languages = Languages(qapp, resource("translations"))
            languages.use(language)
            try:
                pane = opened(width, percent)
                assert pane.minimumSizeHint().width() <= width
                assert pane.width() == width
                saving = (
                    [pane.transport.more] if pane.transport.more.isVisible() else [pane.transport.moment, pane.transport.film]
                )
                for widget in (*controls(pane), *saving):
                    left = widget.mapTo(pane, widget.rect().topLeft()).x()
                    assert widget.isVisible()
                    assert left >= 0
                    assert left + widget.width() <= width
                    assert widget.width() >= widget.minimumSizeHint().width()
            finally:
                languages.use("en")


def test_there_is_one_row_where_it_has_room_and_two_where_it_has_not(opened: Open, qtbot: QtBot) -> None:
    pane = opened(820, 130)
    assert rows(pane) == 2
    assert pane.transport.scrub.width() > 300
    for width, count in ((1300, 1), (820, 2), (1300, 1)):
        pane.resize(width, HEIGHT)
        wait_for_rows(pane, qtbot, count)
    assert pane.transport.moment.isVisible()
    assert not pane.transport.more.isVisible()


def test_more_buttons_make_a_second_row(opened: Open, qtbot: QtBot) -> None:
    pane = opened(1300, 100)
    width = next(w for w in range(1300, 400, -5) if resized(pane, w, qtbot) == 2) + 10
    assert resized(pane, width, qtbot) == 1
    pane.canvas.resized.disconnect()  # there are no numbers to choose from in so large a problem
    for shown, count in ((True, 2), (False, 1)):
        pane.transport.show_result_choice(shown)
        wait_for_rows(pane, qtbot, count)


def test_larger_text_gets_wider_places_in_an_open_pane(opened: Open, qapp: QApplication, qtbot: QtBot) -> None:
    pane = opened(1000, 100)
    follow, time = pane.transport.follow, pane.transport.time
    before = follow.width()
    apply_style(qapp, DARK, 150)
    pane.apply_theme(DARK)

    def has_room() -> bool:
        words = follow.fontMetrics().horizontalAdvance(follow.specialValueText())
        return follow.width() > max(before, words) and time.minimumWidth() > time.fontMetrics().horizontalAdvance("000.0 µs")

    qtbot.waitUntil(has_room)


def wait_for_rows(pane: ReductionPane, qtbot: QtBot, count: int) -> None:
    qtbot.waitUntil(lambda: rows(pane) == count)


def resized(pane: ReductionPane, width: int, qtbot: QtBot) -> int:
    pane.resize(width, HEIGHT)
    qtbot.wait(5)
    return rows(pane)
