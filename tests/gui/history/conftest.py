"""The History pane with three runs."""

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.history.pane import HistoryPane
from tests.gui.history.sample_history import ROWS, Runs


@pytest.fixture
def pane(qtbot: QtBot) -> HistoryPane:
    """A pane with three runs, the newest first."""
    pane = HistoryPane()
    qtbot.addWidget(pane)
    pane.apply_theme(DARK)
    pane.resize(1260, 300)
    pane.show()
    return pane


@pytest.fixture
def history(pane: HistoryPane, qtbot: QtBot) -> Runs:
    """What answers the pane."""
    history = Runs(pane, ROWS)
    qtbot.waitUntil(lambda: pane.model.row_at(0) is not None)
    return history
