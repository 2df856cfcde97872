"""The Sweep pane: what its user can ask for, and what it shows."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.doubts import doubts, restless_sentence
from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import FEW_ROWS, PRESETS, TUTORIAL, Axis, SweepRequest
from lnexplorer.domain.timeline import LockWait
from lnexplorer.gui.panes.sweep.pane import SweepPane
from lnkernels.launch.source import KernelSource
from lnkernels.values import verbatim
from lnkernels.values.environment import Offered
from tests.gui.sample_sweeps import GROUPS, MAP, invented_rows
from tests.gui.windows import Until, click, heard, on_screen, press, wheel
from tests.sample_results import make_environment, make_figure, make_resolved

FIGURES = [make_figure("locked", "backward", 1600.0, make_resolved())]
TORCH = Offered(name="torch", label="PyTorch")


@pytest.fixture
def pane(qtbot: QtBot) -> SweepPane:
    return on_screen(qtbot, SweepPane(), 1100, 700)


def choose(pane: SweepPane, quantity: str) -> None:
    pane.picture.bar.choose(quantity)
    pane.picture.refresh()


def shown(pane: SweepPane, sweep: SweepRequest, gpu: str | None = "NVIDIA H200") -> None:
    pane.show_sweep(sweep)
    pane.add_rows(invented_rows(sweep, gpu))
    pane.picture.refresh()


def findings(pane: SweepPane) -> str:
    return pane.picture.findings.text()


def taken(pane: SweepPane) -> list[RunRequest]:
    """Give the settings that the user takes over from now on."""
    return heard(pane.picture.chosen.settingChosen)


def type_values(pane: SweepPane, axis: int, text: str) -> None:
    pane.form.axes[axis].values.setText(text)
    pane.form.axes[axis].edited.emit()


def test_every_preset_survives_the_form(pane: SweepPane) -> None:
    for preset in PRESETS:
        pane.bar.presetChosen.emit(preset.sweep)
        assert pane.form.sweep() == preset.sweep


def test_what_cannot_be_read_is_refused_below_its_place_and_nothing_runs(pane: SweepPane) -> None:
    form = pane.form
    runs = heard(pane.runRequested)

    def is_between(above: QWidget, below: QWidget) -> bool:
        pane.bar.run.click()
        QApplication.processEvents()
        parts = above, form.error, below
        heights = [part.mapTo(form, QPoint(0, 0)).y() for part in parts]
        return form.error.isVisible() and heights == sorted(heights)

    pane.show_sweep(MAP)
    type_values(pane, 1, "1:x")
    assert is_between(form.axes[1], form.strategies)
    assert form.axes[1].values.property("state") == "refused"
    assert form.axes[1].values.text() == "1:x"
    type_values(pane, 1, "128")
    assert not form.error.isVisible()
    for box in form.directions.boxes.values():
        box.setChecked(False)
    assert is_between(form.directions, form.modes)
    assert runs == []


def test_the_form_says_how_many_settings_and_about_how_long_before_it_starts(
    pane: SweepPane,
) -> None:
    form = pane.form
    form.offer_search(installed=True, timed=True)
    pane.bar.presetChosen.emit(TUTORIAL.sweep)
    # 30 values of N, locked and PyTorch, both passes, 1.1 s each
    assert form.cost.text() == "60 settings · about 2 min"
    type_values(pane, 0, "1024:x")
    assert form.cost.text() == ""
    pane.bar.presetChosen.emit(FEW_ROWS.sweep)
    form.offer_search(installed=True, timed=False)
    assert form.cost.text() == "12 settings · about 5 s", "on the interpreter rows tell it"
    form.kind.choose("search")
    form.kind.changed.emit("search")
    assert form.cost.text().startswith("150 settings")


def test_the_wheel_over_a_form_changes_nothing_in_it(pane: SweepPane) -> None:
    before = pane.form.sweep()
    for box in pane.findChildren(QComboBox):
        wheel(box, box.rect().center(), -1)
    assert pane.form.sweep() == before


def test_a_sweep_without_a_row_says_so_in_place_of_empty_axes(pane: SweepPane) -> None:
    body = pane.picture.notice.body
    pane.show_sweep(GROUPS)
    pane.picture.refresh()
    assert "Rows appear here" in body.text()
    pane.show_end("cancelled", None, 2.0)
    assert body.isVisible()
    assert "before its first result" in body.text()
    shown(pane, GROUPS)
    assert pane.picture.chart.isVisible()


def test_what_became_of_settings_without_a_value_is_told_below_the_chart(pane: SweepPane) -> None:
    axes = (Axis(name="n", values=(0, 64)),)
    sweep = replace(FEW_ROWS.sweep, axes=axes, strategies=("locked",), providers=())
    shown(pane, sweep, None)
    assert "2 settings: 1 right, 1 refused." in findings(pane)
    assert "n = 0 is not possible" in findings(pane)
    shown(pane, replace(sweep, axes=(Axis(name="n", values=(64,)),)), None)
    assert "right" not in findings(pane)


def test_what_is_not_varied_comes_from_the_parameters(pane: SweepPane) -> None:
    pane.set_base(RunRequest.of(m=128, n=777, dtype="bfloat16", num_warps=8, strategy="split"))
    base = pane.form.sweep().base
    assert base.m == 128
    assert base.n is None
    assert base.dtype == "bfloat16"
    assert base.launch.num_warps == 8
    assert "M = 128" in pane.form.fixed.text()
    assert "777" not in pane.form.fixed.text()


def test_a_proposed_sweep_leaves_a_form_that_somebody_has_touched(pane: SweepPane) -> None:
    pane.propose(FEW_ROWS.sweep)
    assert pane.form.sweep() == FEW_ROWS.sweep
    assert pane.bar.presets.currentText() == "64 rows"
    pane.form.axes[0].values.setText("64,128")
    touched = pane.form.sweep()
    pane.propose(FEW_ROWS.sweep)
    assert pane.form.sweep() == touched != FEW_ROWS.sweep


def test_on_the_interpreter_errors_are_shown_first(pane: SweepPane) -> None:
    pane.picture.set_interpreted(True)
    shown(pane, GROUPS, gpu=None)
    assert pane.picture.bar.chosen == "error"
    assert pane.picture.chart.picture.lines
    assert pane.bar.badge.text() == "interpreted"
    choose(pane, "gbps")
    assert "mean nothing" in findings(pane)
    pane.show_sweep(GROUPS, [replace(row, figures=()) for row in invented_rows(GROUPS)])
    choose(pane, "gbps")
    assert "mean nothing" not in findings(pane), "a GPU's rows that have no times"


def test_why_a_setting_is_wrong_is_told_before_what_an_inexact_one_lacks(pane: SweepPane) -> None:
    first, second, *rest = invented_rows(GROUPS)
    inexact = replace(first, inexact=True, reason=verbatim("half precision"))
    wrong = replace(second, status="incorrect", reason=verbatim("dw is wrong"), figures=())
    pane.show_sweep(GROUPS, [inexact, wrong, *rest])
    choose(pane, "gbps")
    assert "dw is wrong" in findings(pane)
    assert "half precision" not in findings(pane)


@pytest.mark.parametrize(("gpu", "m"), [(None, 64), ("NVIDIA H200", 4096)])
def test_the_headline_names_the_rows_of_what_ran_it(
    pane: SweepPane, gpu: str | None, m: int
) -> None:
    told = heard(pane.aboutChanged)
    pane.set_base(RunRequest(m=128, n=512))
    assert told[-1] == "M = 128 · float16"
    shown(pane, SweepRequest(axes=(Axis(name="n", values=(64, 128)),)), gpu)
    assert told[-1] == f"M = {m} · float16 · {gpu or 'CPU'}", "the badge has their kind"


def test_a_click_selects_a_cell_and_changes_nothing_until_it_is_used(
    pane: SweepPane, until: Until
) -> None:
    chart = pane.picture.map
    chosen = pane.picture.chosen
    requests = taken(pane)
    shown(pane, MAP)
    assert chart.isVisible()
    assert not pane.picture.chart.isVisible()
    picture, where, what = chart.caption()
    assert picture == "locked · backward · GB/s · kernels alone, cold L2"
    assert "measured · NVIDIA H200" in where
    assert "--block-size" in what
    until(lambda: chart.view.sceneBoundingRect().width() > 100)
    assert chosen.taken.text().startswith("Best: ")
    middle = chart.view.mapViewToScene(chart.view.viewRect().center())
    click(chart.viewport(), chart.mapFromScene(middle))
    until(lambda: chosen.taken.text().startswith("Selected: "))
    assert requests == []
    chosen.use.click()
    (launch,) = (request.launch for request in requests)
    assert launch.block_size in MAP.axes[0].values
    assert launch.num_warps in MAP.axes[1].values


def test_the_best_of_a_sweep_is_taken_where_no_cell_is_selected(pane: SweepPane) -> None:
    chosen = pane.picture.chosen
    requests = taken(pane)
    copied = heard(chosen.copyWanted)
    shown(pane, MAP)
    chosen.use.click()
    chosen.copy_config.click()
    (best,) = pane.picture._found.bests
    assert requests == [best.result.cell.request]
    assert f"num_warps={requests[0].launch.num_warps}" in copied[0]
    assert not chosen.copy_table.isVisible(), "N is the same for all"
    shown(pane, TUTORIAL.sweep)
    rows = invented_rows(TUTORIAL.sweep)
    pane.picture.chart.chosen.emit(max(row.cell.number for row in rows if row.cell.peer))
    assert not chosen.copy_config.isEnabled(), "a peer has no settings"
    pane.picture.chart.chosen.emit(0)
    chosen.copy_table.click()
    assert f"{TUTORIAL.sweep.axes[0].values[0]}: triton.Config(" in copied[1]


def test_cells_are_chosen_with_the_keyboard_and_say_why_they_have_no_value(
    pane: SweepPane,
) -> None:
    shown(pane, MAP)
    requests = taken(pane)
    chart = pane.picture.map
    press(chart, "Up")
    assert "too long" in pane.picture.readout.text()
    press(chart, "Right", "Return")
    assert requests == []
    pane.picture.chosen.use.click()
    (launch,) = (request.launch for request in requests)
    assert launch.block_size == 512
    assert launch.num_warps == 1


def test_it_is_said_that_a_sweep_did_not_end_unless_another_window_is_at_it(
    pane: SweepPane,
) -> None:
    date = "2026-01-02T03:04:05+00:00"
    cut_off = SweepRow(id=7, date=date, command="--m 4096", total=90, done=30, ended="")
    whole = replace(cut_off, done=90, ended="finished")
    others = [whole, replace(cut_off, running=True)]
    pane.offer_kept(others)
    assert pane.bar.said.text() == ""
    pane.offer_kept([*others, cut_off])
    assert "2026-01-02 03:04 stopped at 30 of 90 rows" in pane.bar.said.text()


def test_peers_are_those_that_this_machine_offers_beside_the_strategies(pane: SweepPane) -> None:
    ours = Offered(name="persistent", label="persistent")  # which has a box of its own
    pane.form.offer((TORCH, ours, Offered(name="mine", label="My kernels")), None)
    peers = pane.form.peers
    names = [peers.list.item(place).text() for place in range(peers.list.count())]
    assert names == ["PyTorch", "My kernels"]
    peers.item("mine").setCheckState(Qt.CheckState.Checked)
    assert pane.form.sweep().providers == ("torch", "mine"), "the choice stays"


def test_doubts_are_those_of_the_pass_on_show_and_rows_that_say_the_same_are_counted_together(
    pane: SweepPane,
) -> None:
    shown(pane, TUTORIAL.sweep)
    rows = [row for row in invented_rows(TUTORIAL.sweep) if row.figures]
    began = replace(make_environment(), sm_clock_mhz=1980)
    slower = [doubts(began, replace(began, sm_clock_mhz=each), FIGURES) for each in (1900, 1899)]
    restless = (restless_sentence("forward", "kernel_cold", ["copy"]),)
    notes = [restless] * 5 + slower
    pane.add_rows([replace(row, notes=each) for each, row in zip(notes, rows, strict=False)])
    pane.picture.refresh()
    told = f"Doubtful: {slower[0][0]} (rows like this: 2 of {len(rows)})"
    assert pane.picture.doubts.text() == told
    pane.picture.bar.direction.button("forward").click()
    assert "ceiling. Measure longer. (rows like this: 5 of" in pane.picture.doubts.text()


def test_a_sweep_is_timed_in_every_way_that_is_ticked(pane: SweepPane) -> None:
    boxes = pane.form.modes.boxes
    boxes["autograd"].click()
    assert pane.form.sweep().modes == ("kernel_cold", "autograd")
    boxes["kernel_cold"].click()
    boxes["autograd"].click()
    assert pane.form.sweep() is None
    assert "timing = nothing" in pane.form.error.text()


def test_waits_are_asked_for_and_shown_in_microseconds_where_a_sweep_has_them(
    pane: SweepPane, until: Until
) -> None:
    bar = pane.picture.bar
    form = pane.form
    asking = replace(GROUPS, waits=True)

    def offers_waits() -> bool:
        return not bar.quantity.view().isRowHidden(bar.quantity.findData("queued"))

    form.set_sweep(GROUPS)
    form.waits.click()
    assert form.sweep() == asking
    assert not offers_waits()
    wait = LockWait(trying_ns=700.0, queued_ns=1e6)
    pane.show_sweep(asking, [replace(row, wait=wait) for row in invented_rows(asking)])
    until(offers_waits)
    assert form.waits.isChecked()
    choose(pane, "queued")
    picture = pane.picture.chart.picture
    assert picture.log
    assert picture.lines[0].y[0] == pytest.approx(1e3)
    shown(pane, GROUPS)
    assert bar.chosen == "gbps"


def test_settings_of_the_users_own_kernel_are_offered_with_their_values(pane: SweepPane) -> None:
    kernel = KernelSource(name="mine", place="/mine.py", offered=(("WARPS", (4, 8, 16)),))
    form = pane.form
    field = pane.form.axes[0]
    form.offer((TORCH,), kernel)
    field.choice.setCurrentIndex(field.choice.findData("mine.WARPS"))
    field.choice.activated.emit(field.choice.currentIndex())
    sweep = form.sweep()
    assert sweep.axes == (Axis(name="mine.WARPS", values=(4, 8, 16)),)
    assert "mine" in sweep.providers
    form.offer((TORCH,), None)
    assert form.sweep() == sweep, "one on show stays"


def test_of_a_sweep_of_one_pass_that_pass_is_shown_with_its_best_setting(pane: SweepPane) -> None:
    shown(pane, replace(MAP, directions=("forward",)))
    assert pane.picture.shown.direction == "forward"
    assert np.isfinite(pane.picture.map.grid.values).any()
    assert pane.picture.chosen.taken.text().startswith("Best: ")
