"""The strip that says why figures are doubtful: one line, which unfolds."""

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.throughput.doubts_strip import DoubtsStrip
from lnkernels.sentence import verbatim

ONE = verbatim("Another process was on the GPU: times may include their work.")
OTHER = verbatim("The power cap held the GPU's clocks down for 50 ms while it was timed.")


@pytest.fixture
def strip(qtbot: QtBot) -> DoubtsStrip:
    strip = DoubtsStrip()
    qtbot.addWidget(strip)
    strip.resize(700, strip.sizeHint().height())
    return strip


def test_nothing_is_shown_while_nothing_speaks_against_the_figures(strip: DoubtsStrip) -> None:
    strip.show_doubts(())
    assert not strip.isVisible()


def test_what_fits_into_a_line_is_a_line(strip: DoubtsStrip) -> None:
    strip.show_doubts((ONE,))
    assert strip.line.isVisibleTo(strip)
    assert not strip.more.isVisibleTo(strip)
    assert strip.line.text() == f"Doubtful: {ONE}"


def test_what_does_not_fit_unfolds_and_folds_again(strip: DoubtsStrip) -> None:
    strip.show_doubts((ONE, OTHER))
    line = strip.sizeHint().height()
    assert strip.line.isVisibleTo(strip)
    assert strip.line.toolTip() == f"Doubtful: {ONE} {OTHER}"
    strip.more.click()
    assert strip.label.isVisibleTo(strip)
    assert strip.label.text() == f"Doubtful: {ONE} {OTHER}"
    assert strip.heightForWidth(700) > line
    strip.more.click()
    assert strip.line.isVisibleTo(strip)
    assert not strip.label.isVisibleTo(strip)


def test_a_wider_strip_needs_no_button(strip: DoubtsStrip) -> None:
    strip.show_doubts((ONE, OTHER))
    strip.resize(2000, 30)
    assert not strip.more.isVisibleTo(strip)


def test_all_lines_of_what_is_unfolded_are_asked_for(strip: DoubtsStrip, qtbot: QtBot) -> None:
    strip.show_doubts((ONE, OTHER))
    strip.resize(300, 40)
    strip.show()
    strip.more.click()
    label = strip.label
    # A pane asks for what its parts ask for at least: it knows no heights that follow from a width.
    qtbot.waitUntil(lambda: strip.minimumSizeHint().height() > label.heightForWidth(label.width()))
    assert label.heightForWidth(label.width()) > 3 * label.fontMetrics().height()
