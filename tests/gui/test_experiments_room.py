"""What an experiment found is seen without scrolling, in the room that a window of 1280 × 720 gives it beside the
history.
"""

import pytest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.request import EXPERIMENTS
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.experiments.pane import ExperimentsPane
from lnexplorer.store.recordings import read_experiment
from lnexplorer.store.resources import resource


@pytest.fixture
def frame(qtbot: QtBot) -> QScrollArea:
    """A pane with every recorded experiment, in a frame as docks have."""
    frame, pane = QScrollArea(), ExperimentsPane()
    qtbot.addWidget(frame)
    frame.setWidgetResizable(True)
    frame.setWidget(pane)
    pane.apply_theme(DARK)
    for name in EXPERIMENTS:
        pane.show_result(read_experiment(resource("recordings") / f"h200_{name}.lnexperiment"))
    frame.resize(922, 1200)
    frame.show()
    qtbot.waitExposed(frame)
    return frame


@pytest.mark.parametrize("height", [388, 580, 1200])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_experiment_has_to_be_scrolled(frame: QScrollArea, name: str, height: int, qtbot: QtBot) -> None:
    pane = frame.widget()
    assert isinstance(pane, ExperimentsPane)
    pane.choose("strategies")  # which asks for the most
    qtbot.wait(20)
    frame.resize(922, height)
    pane.choose(name)
    qtbot.waitUntil(lambda: frame.verticalScrollBar().maximum() == 0, timeout=2000)
    words = pane.sentence
    assert words.height() >= words.heightForWidth(words.width()), "none of them is cut off"
    assert pane.chart.height() >= pane.chart.minimumHeight()


def test_lanes_are_shown_where_they_and_the_chart_can_be_read(frame: QScrollArea, qtbot: QtBot) -> None:
    pane = frame.widget()
    assert isinstance(pane, ExperimentsPane)
    pane.choose("strategies")
    for height, shown in ((1200, True), (300, False), (1200, True)):
        frame.resize(922, height)
        qtbot.waitUntil(lambda shown=shown: pane.lanes.isVisible() == shown, timeout=2000)  # type: ignore[misc]
    assert pane.chart.height() >= pane.chart.legible_height(pane.chart.width())
