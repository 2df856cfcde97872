"""Curves of a sweep and of a search: what is marked on them, what lies beside them, and what is best
along them; and what can be asked of a search.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.request import TUTORIAL, Axis, SweepRequest
from lnexplorer.domain.views import SweepView
from lnexplorer.gui.charts.axes import value_scale
from lnexplorer.gui.charts.sweep_chart import SweepLine, SweepPicture, Unlined
from lnexplorer.gui.panes.sweep.pane import SweepPane
from lnexplorer.report.overlays import read_overlays
from lnexplorer.store.resources import resource
from tests.gui.sample_sweeps import invented_row, invented_rows
from tests.gui.windows import on_screen

BASE = RunRequest(m=4096, n=4096)
SEARCH = SweepRequest(base=BASE, search=60)
TIMED = replace(TUTORIAL.sweep, modes=("kernel_cold", "kernel_warm", "autograd"))


@pytest.fixture
def pane(qtbot: QtBot) -> Iterator[SweepPane]:
    """A pane on the screen, as small as it gets on a projector."""
    pane = on_screen(qtbot, SweepPane(), 1220, 480)
    yield pane
    pane.picture._redraw.stop()


@cache
def known_overlays() -> list[Overlay]:
    return read_overlays(resource("recordings"))


def shown(pane: SweepPane, sweep: SweepRequest) -> None:
    pane.show_sweep(sweep, invented_rows(sweep))
    pane.picture.refresh()


def test_what_a_session_lays_beside_stays_when_the_programs_own_figures_come(
    pane: SweepPane,
) -> None:
    mine = replace(known_overlays()[0], problem="M = 1, float64")
    shown(pane, TUTORIAL.sweep)
    assert pane.lay_beside([mine], TUTORIAL.sweep)
    pane.set_overlays(known_overlays())
    assert pane.picture.bar.chosen_overlays == (mine,)
    assert len(pane.picture.bar.overlays.menu().actions()) == len(known_overlays()) + 1


def test_speeds_have_marks_where_heuristics_choose_otherwise(pane: SweepPane) -> None:
    shown(pane, TUTORIAL.sweep)
    for quantity, count in (("gbps", 4), ("error", 0)):
        pane.picture.bar.choose(quantity)
        pane.picture.refresh()
        picture = pane.picture.chart.picture
        assert picture is not None
        assert len(picture.marks) == count
        assert all(mark.text.startswith("BLOCK ") for mark in picture.marks)
    assert not pane.grab().isNull()


def test_both_published_editions_can_be_told_apart_and_say_that_they_are_through_autograd(
    pane: SweepPane,
) -> None:
    pane.set_overlays(known_overlays())
    shown(pane, TIMED)
    for action in pane.picture.bar.overlays.menu().actions()[:2]:
        action.setChecked(True)
    picture = pane.picture.chart.picture
    assert picture is not None
    locked = [line for line in picture.overlays if line.label.startswith("locked")]
    assert [line.label for line in locked] == [
        "locked · Triton's tutorial, English edition (autograd, published)",
        "locked · Triton's tutorial, Chinese edition (autograd, published)",
    ]
    assert len({line.style for line in locked}) == len({line.colour for line in locked}) == 2


def test_recorded_figures_are_told_apart_and_name_another_problem(pane: SweepPane) -> None:
    # A benchmark and a sweep of the same day on the same GPU.
    pane.set_overlays(known_overlays())
    shown(pane, TUTORIAL.sweep)
    actions = [each for each in pane.picture.bar.overlays.menu().actions() if each.isVisible()]
    texts = [action.text() for action in actions]
    assert len(set(texts)) == len(texts)
    (other,) = (action for action in actions if "32768" in action.text())
    other.setChecked(True)
    assert any(
        entry.text == "PyTorch · M = 32768, bfloat16 (recorded)"
        for entry in pane.picture.legend.entries
    )


def test_a_sweep_timed_in_several_ways_offers_them(pane: SweepPane) -> None:
    rows = invented_rows(TIMED)
    for place, row in enumerate(rows):  # of each way another speed
        figures = tuple(
            replace(figure, gbps=figure.gbps / (1 + TIMED.modes.index(figure.mode)))
            for figure in row.figures
        )
        rows[place] = replace(row, figures=figures)
    pane.show_sweep(TIMED, rows)
    pane.picture.refresh()
    assert pane.picture.bar.mode.isVisible()
    heights = []
    for mode in TIMED.modes:
        pane.picture.bar.mode.button(mode).click()
        assert pane.picture.chart.picture is not None
        heights.append(pane.picture.chart.picture.lines[0].y[0])
    assert heights[0] == pytest.approx(2 * heights[1]) == pytest.approx(3 * heights[2])
    assert "through autograd" in pane.picture.caption()[0]
    assert pane.picture.view().mode == "autograd"
    pane.picture.show_view(SweepView(mode="kernel_warm"))
    assert pane.picture.bar.mode.current == "kernel_warm"


def test_curves_of_unlike_gpus_do_not_look_the_same(pane: SweepPane) -> None:
    rows = invented_rows(TUTORIAL.sweep)
    other = invented_rows(TUTORIAL.sweep, gpu="NVIDIA A100")
    pane.show_sweep(TUTORIAL.sweep, [*rows[:30], *other[30:]])
    pane.picture.refresh()
    assert pane.picture.chart.picture is not None
    locked = [line for line in pane.picture.chart.picture.lines if line.label.startswith("locked")]
    assert [line.label for line in locked] == ["locked · NVIDIA A100", "locked · NVIDIA H200"]
    assert len({line.colour for line in locked}) == len({line.symbol for line in locked}) == 2
    assert "NVIDIA A100: locked overtakes PyTorch" in pane.picture.findings.text(), (
        "on which of them"
    )


def trials(sweep: SweepRequest) -> list[CellResult]:
    """Some settings in the order in which a search might have tried them; the third one is wrong,
    the fifth the best.
    """
    settings = [
        BASE,
        BASE.changed(num_warps=4, group_size_m=64),
        BASE.changed(group_size_m=2),
        BASE.changed(num_warps=16, group_size_m=96, block_size=2048),
        BASE.changed(num_warps=8, group_size_m=96, block_size=2048),
        BASE.changed(num_warps=1, group_size_m=256),
    ]
    cells = [
        Cell(number=number, point=(), provider="locked", peer=False, request=one)
        for number, one in enumerate(settings)
    ]
    return [invented_row(sweep, cell) for cell in cells]


def test_grid_and_search_are_one_choice_and_each_keeps_what_was_asked(
    pane: SweepPane, qtbot: QtBot
) -> None:
    form = pane.form
    assert form.axes[0].isVisible()
    assert not form.most.isVisible()
    qtbot.mouseClick(form.kind.button("search"), Qt.MouseButton.LeftButton)
    assert form.most.isVisible()
    assert not form.axes[0].isVisible()
    assert not form.peers.isVisible()
    form.most.setValue(33)
    found = form.sweep()
    assert found is not None
    assert (found.search, found.strategies, found.providers, found.axes) == (
        33,
        ("locked",),
        (),
        (),
    )
    qtbot.mouseClick(form.kind.button("grid"), Qt.MouseButton.LeftButton)
    assert form.sweep() == TUTORIAL.sweep


def test_a_search_survives_the_form(pane: SweepPane) -> None:
    axes = (
        Axis(name="num_warps", values=(None,)),
        Axis(name="partial_dtype", values=("same", "float32")),
    )
    limited = replace(SEARCH, strategies=("persistent",), effort="quick", axes=axes)
    for sweep in (SEARCH, limited, replace(SEARCH, base=BASE.changed(num_warps=8))):
        pane.show_sweep(sweep)
        assert pane.form.kind.current == "search"
        assert pane.form.sweep() == sweep


def test_what_a_search_may_choose_from_is_said_and_all_is_open_in_one_that_is_begun_here(
    pane: SweepPane,
) -> None:
    pane.show_sweep(replace(SEARCH, axes=(Axis(name="num_warps", values=(4, 8)),)))
    assert "num_warps 4,8" in pane.form.open.text()
    for kind in ("grid", "search"):
        pane.form.kind.button(kind).click()
    assert "num_warps 1:32:x2" in pane.form.open.text()
    found = pane.form.sweep()
    assert found is not None
    assert found.axes == ()


def test_a_search_is_of_one_strategy_whose_settings_are_open(pane: SweepPane) -> None:
    pane.show_sweep(SEARCH)
    boxes = pane.form.strategies.boxes
    boxes["persistent"].click()
    assert [name for name, box in boxes.items() if box.isChecked()] == ["persistent"]
    assert "GROUP_SIZE_M" not in pane.form.open.text()
    boxes["persistent"].click()
    assert boxes["persistent"].isChecked(), "the last one stays"


def test_without_optuna_or_a_gpu_the_choice_stays_visible_and_says_what_is_missing(
    pane: SweepPane,
) -> None:
    button = pane.form.kind.button("search")
    pane.form.offer_search(installed=False, timed=True)
    assert button.isVisible()
    assert not button.isEnabled()
    assert "pip install '.[search]'" in button.toolTip()
    pane.form.offer_search(installed=True, timed=False)
    assert not button.isEnabled()
    assert "GPU" in button.toolTip()
    pane.form.offer_search(installed=True, timed=True)
    assert button.isEnabled()


def test_an_error_of_zero_has_its_place_below_the_others_and_above_what_has_no_value(
    pane: SweepPane,
) -> None:
    chart, places = pane.picture.chart, np.arange(3.0)
    errors = np.array([0.0, 1e-3, 1e-2])
    line = SweepLine("locked", "#3af", "o", places, errors, errors, errors, np.arange(3))
    scale, foot = value_scale((1, 2, 3), ("1", "2", "3")), (Unlined(1.0, "failed", 7, np.nan),)
    picture = SweepPicture(scale=scale, lines=(line,), foot=foot, log=True)
    chart.set_picture(picture)
    zero, *others = chart._spots[:3, 1]
    assert np.allclose(others, [-3, -2])
    assert chart.full_view.top() < chart._spots[3, 1] < zero < -3
    assert chart.left.tickStrings([zero, -3.0], 1.0, 1.0)[0] == "0"
    assert zero in chart.left.tickValues(-5.0, -1.0, 400.0)[0][1]


def test_every_trial_is_a_point_and_the_best_has_a_star(pane: SweepPane) -> None:
    pane.show_sweep(SEARCH)
    pane.add_rows(trials(SEARCH))
    pane.picture.refresh()
    picture = pane.picture.chart.picture
    assert picture is not None
    (line,) = picture.lines
    assert line.x[np.isfinite(line.y)].tolist() == [1, 2, 4, 5, 6]
    assert [mark[:2] for mark in picture.foot] == [(3, "incorrect")]
    assert picture.best == (4,)
    assert "Best" in pane.picture.findings.text()
