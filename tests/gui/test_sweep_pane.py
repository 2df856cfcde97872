"""The Sweep pane: what its user can ask for, and what it shows."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QListView, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.doubts import doubts, restless_sentence
from lnexplorer.domain.history import SweepRow
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.request import FEW_ROWS, PRESETS, TUTORIAL, Axis, SweepRequest
from lnexplorer.domain.timeline import LockWait
from lnexplorer.gui.panes.sweep.pane import SweepPane
from lnkernels.launch.source import KernelSource
from lnkernels.values.environment import Offered
from tests.gui.sample_sweeps import invented_rows
from tests.gui.windows import on_screen
from tests.sample_results import make_environment, make_figure, make_resolved

MAP, GROUPS = (preset.sweep for preset in PRESETS[1:3])
FIGURES = [make_figure("locked", "backward", 1600.0, make_resolved())]


@pytest.fixture
def pane(qtbot: QtBot) -> SweepPane:
    return on_screen(qtbot, SweepPane(), 1100, 700)


def asked(pane: SweepPane) -> SweepRequest:
    """The sweep that the form asks for, which can be read."""
    sweep = pane.form.sweep()
    assert sweep is not None
    return sweep


def choose(pane: SweepPane, quantity: str) -> None:
    pane.picture.bar.choose(quantity)
    pane.picture.refresh()


def shown(pane: SweepPane, sweep: SweepRequest, gpu: str | None = "NVIDIA H200") -> None:
    pane.show_sweep(sweep)
    pane.add_rows(invented_rows(sweep, gpu))
    pane.picture.refresh()


def test_every_preset_survives_the_form(pane: SweepPane) -> None:
    for preset in PRESETS:
        pane.bar.presetChosen.emit(preset.sweep)
        assert pane.form.sweep() == preset.sweep


def test_an_unreadable_range_is_refused_in_place_and_nothing_runs(pane: SweepPane) -> None:
    runs: list[SweepRequest] = []
    pane.runRequested.connect(runs.append)
    field = pane.form.axes[0]
    field.values.setText("1024:x:512")
    pane.bar.run.click()
    assert runs == []
    assert pane.form.error.isVisible()
    assert field.values.property("state") == "refused"
    assert field.values.text() == "1024:x:512"
    field.values.setText("1024,2048")
    field.edited.emit()
    assert not pane.form.error.isVisible()


def test_a_refusal_stands_below_what_it_is_about(pane: SweepPane) -> None:
    def height_of(part: QWidget) -> int:
        return part.mapTo(pane.form, QPoint(0, 0)).y()

    form = pane.form
    pane.show_sweep(MAP)
    form.axes[1].values.setText("1:x")
    pane.bar.run.click()
    QApplication.processEvents()
    assert height_of(form.axes[1]) < height_of(form.error) < height_of(form.strategies)
    form.axes[1].values.setText("128")
    for box in form.directions.boxes.values():
        box.setChecked(False)
    pane.bar.run.click()
    QApplication.processEvents()
    assert height_of(form.directions) < height_of(form.error) < height_of(form.modes)


def test_the_form_says_how_many_settings_and_about_how_long_before_it_starts(
    pane: SweepPane,
) -> None:
    form = pane.form
    form.offer_search(installed=True, timed=True)
    pane.bar.presetChosen.emit(TUTORIAL.sweep)
    # 30 values of N, locked and PyTorch, both passes, 1.1 s each
    assert form.cost.text() == "60 settings · about 2 min"
    form.axes[0].values.setText("1024:x")
    form.axes[0].edited.emit()
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
        middle = QPointF(box.rect().center())
        turned = QWheelEvent(
            *(middle, middle, QPoint(0, 0), QPoint(0, -120), Qt.MouseButton.NoButton),
            *(Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False),
        )
        QApplication.sendEvent(box, turned)
    assert pane.form.sweep() == before


def test_a_sweep_without_a_row_says_so_in_place_of_empty_axes(pane: SweepPane) -> None:
    notice = pane.picture.notice
    pane.show_sweep(GROUPS)
    pane.picture.refresh()
    assert "Rows appear here" in notice.body.text()
    pane.show_end("cancelled", None, 2.0)
    assert notice.isVisible()
    assert "before its first result" in notice.body.text()
    shown(pane, GROUPS)
    assert pane.picture.chart.isVisible()


def test_what_became_of_settings_without_a_value_is_told_below_the_chart(pane: SweepPane) -> None:
    sweep = replace(
        FEW_ROWS.sweep, axes=(Axis(name="n", values=(0, 64)),), strategies=("locked",), providers=()
    )
    shown(pane, sweep, None)
    assert "2 settings: 1 right, 1 refused." in pane.picture.findings.text()
    assert "n = 0 is not possible" in pane.picture.findings.text()
    shown(pane, replace(sweep, axes=(Axis(name="n", values=(64,)),)), None)
    assert "right" not in pane.picture.findings.text()


def test_what_is_not_varied_comes_from_the_parameters(pane: SweepPane) -> None:
    pane.set_base(RunRequest.of(m=128, n=777, dtype="bfloat16", num_warps=8, strategy="split"))
    base = asked(pane).base
    assert (base.m, base.n, base.dtype, base.launch.num_warps) == (128, None, "bfloat16", 8)
    assert "M = 128" in pane.form.fixed.text()
    assert "777" not in pane.form.fixed.text()


def test_a_proposed_sweep_leaves_a_form_that_somebody_has_touched(pane: SweepPane) -> None:
    pane.propose(FEW_ROWS.sweep)
    assert pane.form.sweep() == FEW_ROWS.sweep
    assert pane.bar.presets.currentText() == "64 rows"
    pane.form.axes[0].values.setText("64,128")
    touched = pane.form.sweep()
    pane.propose(FEW_ROWS.sweep)
    assert pane.form.sweep() == touched


def test_on_the_interpreter_errors_are_shown_first(pane: SweepPane) -> None:
    pane.picture.set_interpreted(True)
    shown(pane, GROUPS, gpu=None)
    assert pane.picture.bar.chosen == "error"
    assert pane.picture.chart.picture is not None
    assert pane.picture.chart.picture.lines
    assert pane.bar.badge.text() == "interpreted"
    choose(pane, "gbps")
    assert "mean nothing" in pane.picture.findings.text()
    pane.show_sweep(GROUPS, [replace(row, figures=()) for row in invented_rows(GROUPS)])
    choose(pane, "gbps")
    assert "mean nothing" not in pane.picture.findings.text(), "a GPU's rows that have no times"


@pytest.mark.parametrize(
    ("gpu", "problem"), [(None, "M = 64, float16"), ("NVIDIA H200", "M = 4096, float16")]
)
def test_the_headline_names_the_rows_of_what_ran_it(
    pane: SweepPane, gpu: str | None, problem: str
) -> None:
    told: list[str] = []
    pane.aboutChanged.connect(told.append)
    pane.set_base(RunRequest(m=128, n=512))
    assert told[-1] == "M = 128, float16"
    shown(pane, SweepRequest(axes=(Axis(name="n", values=(64, 128)),)), gpu)
    assert told[-1].startswith(problem)


def test_a_click_selects_a_cell_and_changes_nothing_until_it_is_used(
    pane: SweepPane, qtbot: QtBot
) -> None:
    shown(pane, TUTORIAL.sweep)
    chart = pane.picture.map
    assert not chart.isVisible()
    shown(pane, MAP)
    assert chart.isVisible()
    assert not pane.picture.chart.isVisible()
    assert chart.caption is not None
    picture, where, what = chart.caption()
    assert picture == "locked · backward · GB/s · kernels alone, cold L2"
    assert "measured · NVIDIA H200" in where
    assert "--block-size" in what
    taken: list[RunRequest] = []
    pane.picture.chosen.settingChosen.connect(taken.append)
    qtbot.waitUntil(lambda: chart.view.sceneBoundingRect().width() > 100)
    assert pane.picture.chosen.taken.text().startswith("Best: ")
    place = chart.mapFromScene(chart.view.mapViewToScene(chart.view.viewRect().center()))
    qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place.x(), place.y()))
    qtbot.waitUntil(lambda: pane.picture.chosen.taken.text().startswith("Selected: "))
    assert taken == []
    pane.picture.chosen.use.click()
    assert taken[0].launch.block_size in MAP.axes[0].values
    assert taken[0].launch.num_warps in MAP.axes[1].values


def test_the_best_of_a_sweep_is_taken_where_no_cell_is_selected(pane: SweepPane) -> None:
    shown(pane, MAP)
    taken: list[RunRequest] = []
    copied: list[str] = []
    pane.picture.chosen.settingChosen.connect(taken.append)
    pane.picture.chosen.copyWanted.connect(copied.append)
    pane.picture.chosen.use.click()
    pane.picture.chosen.copy_config.click()
    (best,) = pane.picture._found.bests
    assert taken == [best.result.cell.request]
    assert f"num_warps={taken[0].launch.num_warps}" in copied[0]
    assert not pane.picture.chosen.copy_table.isVisible(), "N is the same for all"
    shown(pane, TUTORIAL.sweep)
    last = max(row.cell.number for row in invented_rows(TUTORIAL.sweep) if row.cell.peer)
    pane.picture.chart.chosen.emit(last)
    assert not pane.picture.chosen.copy_config.isEnabled(), "a peer has no settings"
    pane.picture.chart.chosen.emit(0)
    pane.picture.chosen.copy_table.click()
    assert f"{asked(pane).axes[0].values[0]}: triton.Config(" in copied[1]


def test_cells_are_chosen_with_the_keyboard_and_say_why_they_have_no_value(
    pane: SweepPane, qtbot: QtBot
) -> None:
    shown(pane, MAP)
    taken: list[RunRequest] = []
    pane.picture.chosen.settingChosen.connect(taken.append)
    chart = pane.picture.map
    qtbot.keyClick(chart, Qt.Key.Key_Up)
    assert "60 s" in pane.picture.readout.text()
    assert "too long" in pane.picture.readout.text()
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    assert taken == []
    pane.picture.chosen.use.click()
    assert [(request.launch.block_size, request.launch.num_warps) for request in taken] == [
        (512, 1)
    ]


def test_it_is_said_that_a_sweep_did_not_end_unless_another_window_is_at_it(
    pane: SweepPane,
) -> None:
    date, command = "2026-01-02T03:04:05+00:00", "--m 4096"
    whole = SweepRow(id=9, date=date, command="--m 64", total=9, done=9, ended="finished")
    running = SweepRow(id=8, date=date, command=command, total=90, done=40, ended="", running=True)
    cut_off = SweepRow(id=7, date=date, command=command, total=90, done=30, ended="")
    pane.offer_kept([whole, running])
    assert pane.bar.said.text() == ""
    pane.offer_kept([whole, running, cut_off])
    assert "2026-01-02 03:04 stopped at 30 of 90 rows" in pane.bar.said.text()


def test_peers_are_those_that_this_machine_offers_beside_the_strategies(pane: SweepPane) -> None:
    names = {"torch": "PyTorch", "persistent": "persistent", "mine": "My kernels"}
    offered = tuple(Offered(name=name, label=label) for name, label in names.items())
    pane.form.offer(offered, None)
    peers = pane.form.peers
    shown = [peers.list.item(place).text() for place in range(peers.list.count())]
    assert shown == ["PyTorch", "My kernels"], "strategies have boxes of their own"
    peers.item("mine").setCheckState(Qt.CheckState.Checked)
    assert asked(pane).providers == ("torch", "mine"), "the choice stays"


def test_doubts_are_those_of_the_pass_on_show_and_rows_that_say_the_same_are_counted_together(
    pane: SweepPane,
) -> None:
    shown(pane, TUTORIAL.sweep)
    rows = [row for row in invented_rows(TUTORIAL.sweep) if row.figures]
    restless = restless_sentence("forward", "kernel_cold", ["copy"])
    began = replace(make_environment(), sm_clock_mhz=1980)
    slower = [doubts(began, replace(began, sm_clock_mhz=each), FIGURES) for each in (1900, 1899)]
    pane.add_rows([replace(row, notes=(restless,)) for row in rows[:5]])
    pane.add_rows([replace(row, notes=notes) for notes, row in zip(slower, rows[5:7], strict=True)])
    pane.picture.refresh()
    told = f"Doubtful: {slower[0][0]} (rows like this: 2 of {len(rows)})"
    assert pane.picture.doubts.text() == told
    pane.picture.bar.direction.button("forward").click()
    assert "ceiling. Measure longer. (rows like this: 5 of" in pane.picture.doubts.text()


def test_a_sweep_is_timed_in_every_way_that_is_ticked(pane: SweepPane) -> None:
    pane.form.set_sweep(TUTORIAL.sweep)
    pane.form.modes.boxes["autograd"].click()
    sweep = asked(pane)
    assert sweep.modes == ("kernel_cold", "autograd")
    for name in sweep.modes:
        pane.form.modes.boxes[name].click()
    assert pane.form.sweep() is None
    assert "timing = nothing" in pane.form.error.text()


def offers_waits(pane: SweepPane) -> bool:
    view = pane.picture.bar.quantity.view()
    assert isinstance(view, QListView)
    return not view.isRowHidden(pane.picture.bar.quantity.findData("queued"))


def test_waits_are_asked_for_and_shown_in_microseconds_where_a_sweep_has_them(
    pane: SweepPane, qtbot: QtBot
) -> None:
    asking = replace(GROUPS, waits=True)
    pane.form.set_sweep(GROUPS)
    pane.form.waits.click()
    assert pane.form.sweep() == asking
    assert not offers_waits(pane)
    wait = LockWait(trying_ns=700.0, queued_ns=1e6)
    pane.show_sweep(asking, [replace(row, wait=wait) for row in invented_rows(asking)])
    qtbot.waitUntil(lambda: offers_waits(pane))
    assert pane.form.waits.isChecked()
    choose(pane, "queued")
    assert pane.picture.chart.picture is not None
    (line,) = pane.picture.chart.picture.lines
    assert line.y[0] == pytest.approx(1e3)
    assert pane.picture.chart.picture.log
    shown(pane, GROUPS)
    assert pane.picture.bar.chosen == "gbps"


def test_settings_of_the_users_own_kernel_are_offered_with_their_values(pane: SweepPane) -> None:
    kernel = KernelSource(name="mine", place="/mine.py", offered=(("WARPS", (4, 8, 16)),))
    form = pane.form
    form.offer((Offered(name="torch", label="PyTorch"),), kernel)
    field = form.axes[0]
    field.choice.setCurrentIndex(field.choice.findData("mine.WARPS"))
    field.choice.activated.emit(field.choice.currentIndex())
    sweep = asked(pane)
    assert sweep.axes == (Axis(name="mine.WARPS", values=(4, 8, 16)),)
    assert "mine" in sweep.providers
    form.offer((Offered(name="torch", label="PyTorch"),), None)
    assert form.sweep() == sweep, "one on show stays"


def test_of_a_sweep_of_one_pass_that_pass_is_shown_with_its_best_setting(pane: SweepPane) -> None:
    shown(pane, replace(MAP, directions=("forward",)))
    assert pane.picture.shown.direction == "forward"
    grid = pane.picture.map.grid
    assert grid is not None
    assert np.isfinite(grid.values).any()
    assert pane.picture.chosen.taken.text().startswith("Best: ")
