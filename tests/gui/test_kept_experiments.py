"""Experiments of a window go into its history, and come back out of it."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.record import finished
from tests.gui.windows import LONG_MS, Open, said
from tests.sample_experiments import sample


@pytest.mark.timeout(170)
def test_an_experiment_is_kept_deleted_brought_back_and_shown_again(
    opened: Open, qtbot: QtBot
) -> None:
    explorer = opened("own")
    explorer.session.set_live(False)
    pane, experiments = explorer.window.pane("history"), explorer.window.pane("experiments")
    assert pane is not None
    assert experiments is not None
    experiments.choose("order")
    qtbot.waitUntil(experiments.bar.run.isEnabled, timeout=LONG_MS)
    qtbot.mouseClick(experiments.bar.run, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: pane.kept["experiments"].rowCount() == 1, timeout=LONG_MS)
    row = pane.kept["experiments"].rows[0]
    assert (row.name, row.device, row.ended, row.m, row.n) == ("order", "CPU", "finished", 16, 64)
    (done,) = (result for result in experiments.results if result.request.name == "order")

    other = explorer.history  # as another window would
    other.change("experiments", lambda history: history.experiments.add(finished(sample("order"))))
    qtbot.waitUntil(lambda: pane.kept["experiments"].rowCount() == 2, timeout=LONG_MS)
    experiments.show_result(sample("order"))
    explorer.window.show_part("history")
    pane.bar.kinds.button("experiments").click()
    pane.experiments.select(row.id)
    pane.experiments.setFocus()
    qtbot.keyClick(pane.experiments, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: "Experiment of the history: The order of additions" in said(explorer),
        timeout=LONG_MS,
    )
    (again,) = (result for result in experiments.results if result.request.name == "order")
    assert again.provenance == done.provenance
    assert again.request == done.request

    pane.delete("experiments")
    kept: list[int] = []
    explorer.history.ask(
        lambda history: [each.id for each in history.experiments.rows()], kept.extend
    )
    qtbot.waitUntil(lambda: bool(kept), timeout=LONG_MS)
    assert row.id not in kept
    pane.bar.undo.click()
    qtbot.waitUntil(lambda: row.id in pane.kept["experiments"].ids, timeout=LONG_MS)
