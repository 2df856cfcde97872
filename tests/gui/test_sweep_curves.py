"""Curves of a sweep: what is marked on them, what lies beside them, and what is best along them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.sweep.curves import Overlay
from lnexplorer.domain.sweep.request import TUTORIAL, SweepRequest
from lnexplorer.domain.views import SweepView
from lnexplorer.gui.panes.sweep.pane import SweepPane
from lnexplorer.report.overlays import read_overlays
from lnexplorer.store.resources import resource
from tests.gui.sample_sweeps import invented_rows
from tests.gui.windows import on_screen

RIVALS = replace(TUTORIAL.sweep, strategies=("locked", "persistent"))
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
    assert {entry.style for entry in pane.picture.legend.entries if "edition" in entry.text} == {
        line.style for line in locked
    }
    pane.picture.bar.mode.button("autograd").click()  # both are through autograd
    assert any(
        entry.text == "locked · Triton's tutorial, English edition (published)"
        for entry in pane.picture.legend.entries
    )


def test_recorded_figures_are_told_apart_and_name_another_problem(pane: SweepPane) -> None:
    # A benchmark and a sweep of the same day on the same GPU.
    overlays = known_overlays()
    pane.set_overlays(overlays)
    shown(pane, TUTORIAL.sweep)
    bar = pane.picture.bar
    texts = [action.text() for action in bar.overlays.menu().actions() if action.isVisible()]
    assert len(set(texts)) == len(texts)
    assert not any("forward" in text or "kernel_cold" in text for text in texts), (
        "those of the pass on show"
    )
    (other,) = (
        action
        for action in bar.overlays.menu().actions()
        if action.isVisible() and "32768" in action.text()
    )
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
    shown(pane, TUTORIAL.sweep)
    assert not pane.picture.bar.mode.isVisible()
    assert pane.picture.bar.mode.current == "kernel_cold", "the only way that there is"


def test_a_picture_says_which_pass_it_shows(pane: SweepPane) -> None:
    shown(pane, TUTORIAL.sweep)
    pane.picture.bar.direction.button("forward").click()
    assert pane.picture.caption()[0] == "forward · GB/s · kernels alone, cold L2"
    pane.picture.bar.choose("together")
    pane.picture.refresh()
    assert pane.picture.below.caption is not None
    assert pane.picture.below.caption()[0] == "forward · largest error"


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
