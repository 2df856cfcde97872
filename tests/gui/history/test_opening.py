"""In which order a history of a file comes into its pane."""

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.findings import finished
from lnexplorer.gui.history.controller import LATER_MS, link_history
from lnexplorer.gui.history.pane import HistoryPane
from lnexplorer.gui.history.thread import HistoryThread
from lnexplorer.gui.responsive import Delivery
from lnexplorer.store.history import History, Listing
from lnkernels.values.environment import Kind
from tests.sample_experiments import sample
from tests.store.examples import small_result


def test_the_runs_in_view_come_before_what_the_menus_and_other_tables_offer(
    pane: HistoryPane, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "kept.sqlite3"
    history = History(path, pytest.fail)
    for _ in range(3):
        history.runs.add(small_result(Kind.INTERPRETED))
    history.experiments.add(finished(sample("order")))
    history.close()
    delivery = Delivery()
    thread = HistoryThread(path, delivery)
    heard: list[str] = []
    for name in ("listed", "rowsRead", "facetsRead", "sweepsRead", "experimentsRead"):
        getattr(thread, name).connect(lambda *_, name=name: heard.append(name))
    link_history(pane, thread)
    qtbot.waitUntil(lambda: len(set(heard)) == 5)
    assert heard[:2] == ["listed", "rowsRead"]
    row = pane.model.row_at(0)
    assert row is not None
    assert row.kind is Kind.INTERPRETED
    assert pane.bar.kinds.button("experiments").isVisible()
    thread.close()
    delivery.close()


def test_what_is_asked_a_moment_later_asks_no_history_that_is_closed(pane: HistoryPane, tmp_path: Path, qtbot: QtBot) -> None:
    delivery = Delivery()
    thread = HistoryThread(tmp_path / "kept.sqlite3", delivery)
    link_history(pane, thread)
    with qtbot.waitSignal(thread.listed):
        pass
    thread.close()
    with qtbot.assertNotEmitted(thread.facetsRead, wait=2 * LATER_MS), qtbot.assertNotEmitted(thread.sweepsRead):
        thread._tell_listing(Listing(np.empty(0, np.int64), 0, None))  # one that was under way
    delivery.close()
