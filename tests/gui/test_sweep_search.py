"""A search in the Sweep pane: what can be asked of it, and how it looks."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.sweep.cells import Cell, CellResult
from lnexplorer.domain.sweep.request import TUTORIAL, Axis, SweepRequest
from lnexplorer.gui.kit.theme import LIGHT
from lnexplorer.gui.panes.sweep.pane import SweepPane
from tests.gui.sample_sweeps import invented_row
from tests.gui.windows import on_screen

BASE = RunRequest(m=4096, n=4096)
SEARCH = SweepRequest(base=BASE, search=60)


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


@pytest.fixture
def pane(qtbot: QtBot) -> SweepPane:
    return on_screen(qtbot, SweepPane(), 1100, 700, LIGHT)


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


@pytest.mark.parametrize(
    "sweep",
    [
        SEARCH,
        replace(SEARCH, strategies=("persistent",), effort="quick"),
        replace(
            SEARCH,
            axes=(
                Axis(name="num_warps", values=(None,)),
                Axis(name="group_size_m", values=(32, 64)),
            ),
        ),
        replace(SEARCH, axes=(Axis(name="partial_dtype", values=("same", "float32")),)),
        replace(SEARCH, base=BASE.changed(num_warps=8)),
    ],
    ids=[
        "everything open",
        "of another strategy",
        "some values",
        "what changes results",
        "one held fixed",
    ],
)
def test_a_search_survives_the_form(pane: SweepPane, sweep: SweepRequest) -> None:
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
