"""Curves of a sweep and of a search: what is marked on them, what lies beside them, and what is best
along them; and what can be asked of a search.
"""

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QAction, QColor
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.request import TUTORIAL, Axis, SweepRequest
from lnexplorer.domain.views import SweepView
from lnexplorer.gui.charts.axes import value_scale
from lnexplorer.gui.charts.speed_chart import OTHER_COLOURS, provider_colour
from lnexplorer.gui.charts.sweep_chart import SweepLine, SweepPicture, Unlined
from lnexplorer.gui.kit import PROVIDER_COLOURS
from lnexplorer.gui.panes.sweep.pane import SweepPane
from lnexplorer.report.overlays import read_overlays
from lnexplorer.store.resources import resource
from tests.gui.sample_sweeps import invented_row, invented_rows
from tests.gui.windows import on_screen

BASE = RunRequest(m=4096, n=4096)
SEARCH = SweepRequest(base=BASE, search=60)
CURVE = TUTORIAL.sweep
TIMED = replace(CURVE, modes=("kernel_cold", "kernel_warm", "autograd"))


@pytest.fixture
def pane(qtbot: QtBot) -> Iterator[SweepPane]:
    """A pane on the screen, as small as it gets on a projector."""
    pane = on_screen(qtbot, SweepPane(), 1220, 480)
    yield pane
    pane.picture._redraw.stop()


def drawn(
    pane: SweepPane, sweep: SweepRequest, rows: Sequence[CellResult] | None = None
) -> SweepPicture:
    """Show a sweep with rows, or with invented ones, and return its picture."""
    pane.show_sweep(sweep, invented_rows(sweep) if rows is None else rows)
    pane.picture.refresh()
    return pane.picture.chart.picture


def offered(pane: SweepPane) -> list[QAction]:
    """Give the figures that can be laid beside the sweep on show."""
    return [each for each in pane.picture.bar.overlays.menu().actions() if each.isVisible()]


def test_speeds_have_marks_where_heuristics_choose_otherwise(pane: SweepPane) -> None:
    marks = drawn(pane, CURVE).marks
    assert [mark.text.split()[0] for mark in marks] == ["BLOCK"] * 4
    pane.picture.bar.choose("error")
    pane.picture.refresh()
    assert not pane.picture.chart.picture.marks
    pane.grab()


def test_each_file_of_ones_own_has_a_colour_of_its_own(
    pane: SweepPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.gui.charts.speed_chart._given", {})
    names = tuple(f"mine_{number}" for number in range(12))
    sweep = replace(CURVE, strategies=("locked",), providers=names)
    picture = drawn(pane, sweep)
    colours = {line.label: line.colour for line in picture.lines}
    assert len(set(colours.values())) == len(colours) == 13
    assert {each.text: each.colour for each in picture.legend()} == colours
    assert {name: provider_colour(name) for name in names}.items() <= colours.items()


def test_colours_of_files_are_far_from_each_other_and_from_those_of_providers() -> None:
    """By the distance of CIE 1976, of which about 2 can be seen."""
    known = {QColor(each).name().upper() for each in PROVIDER_COLOURS.values()}
    for one, other in itertools.combinations({*OTHER_COLOURS, *known}, 2):
        if not {one, other} <= known:
            assert math.dist(lab(one), lab(other)) > 22, (one, other)


def lab(colour: str) -> tuple[float, float, float]:
    """L*, a* and b* of a colour of sRGB, beside white of D65."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in QColor(colour).getRgbF()[:3]
    ]
    rows = (0.4339, 0.3762, 0.1899), (0.2126, 0.7152, 0.0722), (0.0177, 0.1095, 0.8727)
    x, y, z = (sum(map(operator.mul, row, linear)) ** (1 / 3) for row in rows)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_published_and_recorded_figures_can_be_told_apart_and_say_what_they_are_of(
    pane: SweepPane,
) -> None:
    pane.set_overlays(read_overlays(resource("recordings")))
    drawn(pane, TIMED)
    for action in offered(pane)[:2]:
        action.setChecked(True)
    overlays = pane.picture.chart.picture.overlays
    locked = [line for line in overlays if line.label.startswith("locked")]
    assert [line.label for line in locked] == [
        "locked · Triton's tutorial, English edition (autograd, published)",
        "locked · Triton's tutorial, Chinese edition (autograd, published)",
    ]
    assert len({line.style for line in locked}) == len({line.colour for line in locked}) == 2
    drawn(pane, CURVE)
    actions = offered(pane)
    texts = [action.text() for action in actions]
    assert len(set(texts)) == len(texts), "also of one day on one GPU"
    (other,) = (action for action in actions if "32768" in action.text())
    other.setChecked(True)
    legend = [entry.text for entry in pane.picture.legend.entries]
    assert any("M = 32768, bfloat16" in text for text in legend)


def test_a_sweep_timed_in_several_ways_offers_them(pane: SweepPane) -> None:
    rows = [
        replace(
            row,
            figures=tuple(
                replace(figure, gbps=figure.gbps / (1 + TIMED.modes.index(figure.mode)))
                for figure in row.figures
            ),
        )
        for row in invented_rows(TIMED)
    ]
    drawn(pane, TIMED, rows)
    mode = pane.picture.bar.mode
    heights = []
    assert mode.isVisible()
    for name in TIMED.modes:
        mode.button(name).click()
        heights.append(pane.picture.chart.picture.lines[0].y[0])
    assert heights[0] == pytest.approx(2 * heights[1]) == pytest.approx(3 * heights[2])
    assert "through autograd" in pane.picture.caption()[0]
    assert pane.picture.view().mode == "autograd"
    pane.picture.show_view(SweepView(mode="kernel_warm"))
    assert mode.current == "kernel_warm"


def test_curves_of_unlike_gpus_do_not_look_the_same(pane: SweepPane) -> None:
    theirs = invented_rows(CURVE, gpu="NVIDIA A100")
    lines = drawn(pane, CURVE, [*invented_rows(CURVE)[:30], *theirs[30:]]).lines
    locked = [line for line in lines if line.label.startswith("locked")]
    assert [line.label for line in locked] == ["locked · NVIDIA A100", "locked · NVIDIA H200"]
    assert len({line.colour for line in locked}) == len({line.symbol for line in locked}) == 2
    told = pane.picture.findings.text()
    assert "NVIDIA A100: locked overtakes PyTorch" in told, "on which of them"
    assert told.endswith("."), "sentences"


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


def test_grid_and_search_are_one_choice_and_each_keeps_what_was_asked(pane: SweepPane) -> None:
    form = pane.form
    for kind in ("grid", "search"):
        form.kind.button(kind).click()
        parts = form.axes[0], form.most, form.peers
        is_grid = kind == "grid"
        assert [part.isVisible() for part in parts] == [is_grid, not is_grid, is_grid]
    form.most.setValue(33)
    asked = form.sweep()
    assert asked.search == 33
    assert asked.strategies == ("locked",)
    assert asked.providers == ()
    assert asked.axes == ()
    form.kind.button("grid").click()
    assert form.sweep() == CURVE


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


def test_what_a_search_of_a_strategy_may_choose_from_is_said_and_all_of_it_is_open_where_it_begins_here(
    pane: SweepPane,
) -> None:
    form = pane.form
    boxes = pane.form.strategies.boxes
    pane.show_sweep(replace(SEARCH, axes=(Axis(name="num_warps", values=(4, 8)),)))
    assert "num_warps 4,8" in form.open.text()
    for kind in ("grid", "search"):
        form.kind.button(kind).click()
    assert "num_warps 1:32:x2" in form.open.text()
    assert form.sweep().axes == ()
    for _ in range(2):  # the last one stays
        boxes["persistent"].click()
        assert [name for name, box in boxes.items() if box.isChecked()] == ["persistent"]
    assert "GROUP_SIZE_M" not in form.open.text()


def test_without_optuna_or_a_gpu_the_choice_stays_visible_and_says_what_is_missing(
    pane: SweepPane,
) -> None:
    button = pane.form.kind.button("search")
    for installed, timed, missing in (
        (False, True, "pip install '.[search]'"),
        (True, False, "GPU"),
        (True, True, ""),
    ):
        pane.form.offer_search(installed=installed, timed=timed)
        assert button.isVisible()
        assert button.isEnabled() == (not missing)
        assert missing in button.toolTip()


def test_an_error_of_zero_has_its_place_below_the_others_and_above_what_has_no_value(
    pane: SweepPane,
) -> None:
    chart = pane.picture.chart
    places = np.arange(3.0)
    errors = np.array([0.0, 1e-3, 1e-2])
    line = SweepLine("locked", "#3af", "o", places, errors, errors, errors, np.arange(3))
    scale = value_scale((1, 2, 3), ("1", "2", "3"))
    foot = (Unlined(1.0, "failed", 7, np.nan),)
    chart.set_picture(SweepPicture(scale=scale, lines=(line,), foot=foot, log=True))
    zero, *others, failed = chart._spots[:4, 1]
    assert np.allclose(others, [-3, -2])
    assert chart.full_view.top() < failed < zero < -3
    assert chart.left.tickStrings([zero, -3.0], 1.0, 1.0)[0] == "0"
    assert zero in chart.left.tickValues(-5.0, -1.0, 400.0)[0][1]


def test_every_trial_is_a_point_and_the_best_has_a_star(pane: SweepPane) -> None:
    picture = drawn(pane, SEARCH, trials(SEARCH))
    (line,) = picture.lines
    assert line.x[np.isfinite(line.y)].tolist() == [1, 2, 4, 5, 6]
    assert [mark[:2] for mark in picture.foot] == [(3, "incorrect")]
    assert picture.best == (4,)
    assert "Best" in pane.picture.findings.text()
