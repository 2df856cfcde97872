"""How long rows wait for their locks, as a quantity of the Sweep pane."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from lnexplorer.domain.sweep.request import PRESETS, SweepRequest
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.sweep.pane import SweepPane
from tests.gui.sample_sweeps import invented_rows

GROUPS = PRESETS[2].sweep
ASKING = replace(GROUPS, waits=True)


@pytest.fixture
def pane(qtbot: QtBot) -> SweepPane:
    made = SweepPane()
    qtbot.addWidget(made)
    made.resize(1100, 700)
    made.apply_theme(DARK)
    made.show()
    return made


def fill(pane: SweepPane, sweep: SweepRequest) -> None:
    pane.show_sweep(sweep)
    rows = invented_rows(sweep)
    pane.add_rows(
        [replace(row, wait_ns=1e6 / (row.cell.request.launch.group_size_m or 1) if sweep.waits else None) for row in rows]
    )
    pane.picture.refresh()


def offered(pane: SweepPane) -> bool:
    view = pane.picture.bar.quantity.view()
    assert isinstance(view, QListView)
    return not view.isRowHidden(pane.picture.bar.quantity.findData("wait"))


def test_the_form_asks_for_waits_and_shows_that_a_sweep_did(pane: SweepPane) -> None:
    pane.form.set_sweep(GROUPS)
    assert pane.form.sweep() == GROUPS
    pane.form.waits.click()
    assert pane.form.sweep() == ASKING
    pane.form.set_sweep(GROUPS)
    assert not pane.form.waits.isChecked()
    pane.form.set_sweep(ASKING)
    assert pane.form.waits.isChecked()


def test_waits_are_drawn_in_microseconds_on_a_scale_of_powers(pane: SweepPane) -> None:
    assert not offered(pane)
    fill(pane, ASKING)
    assert offered(pane)
    pane.picture.bar.choose("wait")
    pane.picture.refresh()
    assert pane.picture.chart.picture is not None
    (line,) = pane.picture.chart.picture.lines
    sizes = np.array([value for value in ASKING.axes[0].values if isinstance(value, int)], np.float64)
    known = np.isfinite(line.y)
    assert known.sum() >= sizes.size - 1
    np.testing.assert_allclose(line.y[known], (1e3 / sizes)[known[: sizes.size]])
    assert pane.picture.chart.picture.log


def test_a_sweep_without_traces_offers_no_waits_and_gives_up_their_view(pane: SweepPane) -> None:
    fill(pane, ASKING)
    pane.picture.bar.choose("wait")
    fill(pane, GROUPS)
    assert not offered(pane)
    assert pane.picture.bar.chosen == "gbps"
