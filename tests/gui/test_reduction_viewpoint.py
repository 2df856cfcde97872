"""How a timeline is looked at comes back with it."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.moments import lock_after
from lnexplorer.domain.request import RunRequest, resolve
from lnexplorer.domain.views import ReductionView
from lnexplorer.gui.reduction.pane import ReductionPane
from lnkernels.values.environment import Kind
from tests.store.examples import small_timeline

REQUEST = resolve(RunRequest.of(m=8, n=16, group_size_m=2), "cuda")


def shown(qtbot: QtBot) -> ReductionPane:
    pane = ReductionPane()
    qtbot.addWidget(pane)
    pane.resize(1200, 700)
    return pane


def test_a_view_comes_back_with_its_timeline(qtbot: QtBot) -> None:
    one = shown(qtbot)
    timeline = small_timeline()
    one.show_timeline(timeline, REQUEST)
    one.follow(3)
    one.canvas.set_stretch(100.0, 500.0)
    one.player.seek(250.0)
    one.transport.results["db"].click()
    view = one.view()
    assert (view.time_ns, view.row, view.lock, view.result) == (250.0, 3, None, "db")
    assert view.stretch_ns == pytest.approx((100.0, 500.0))

    other, again = shown(qtbot), small_timeline()
    other.wish_view(again, view)
    other.show_timeline(again, REQUEST)
    assert other.view() == view
    assert other.transport.results["db"].isChecked()
    assert other.shown is not None
    assert other.shown[0] is again

    # Another timeline is looked at as ever.
    other.show_timeline(small_timeline(m=6), REQUEST)
    assert other.view().stretch_ns is None


def test_a_row_or_a_lock_that_is_not_there_is_passed_over(qtbot: QtBot) -> None:
    for place in [-(1 << 62), -1, 1 << 62]:
        pane, timeline = shown(qtbot), small_timeline()
        for view in (ReductionView(row=place), ReductionView(lock=place)):
            pane.wish_view(timeline, view)
            pane.show_timeline(timeline, REQUEST)
            pane.grab()
            assert (pane.view().row, pane.view().lock) == (None, None)


def test_a_wish_for_what_does_not_come_changes_nothing(qtbot: QtBot) -> None:
    pane = shown(qtbot)
    pane.wish_view(small_timeline(), ReductionView(row=3))
    pane.show_timeline(small_timeline(), REQUEST)
    assert pane.view().row is None


def test_the_model_beside_a_trace_comes_back(qtbot: QtBot) -> None:
    one, timeline = shown(qtbot), replace(small_timeline(m=64, group_size_m=4), kind=Kind.MEASURED)
    request = resolve(RunRequest.of(m=64, n=16, group_size_m=4), "cuda")
    one.show_timeline(timeline, request)
    one.comparison.fit()
    qtbot.waitUntil(lambda: one.comparison.fitted is not None, timeout=30_000)
    one.comparison.predict(8)
    qtbot.waitUntil(lambda: one.comparison.fitted is not None and one.comparison.fitted.group_size_m == 8, timeout=30_000)
    one.player.seek(300.0)
    view = one.view()

    other, again = shown(qtbot), replace(timeline)
    other.wish_view(again, view)
    other.show_timeline(again, request)
    qtbot.waitUntil(lambda: other.comparison.fitted is not None, timeout=30_000)
    assert other.comparison.fitted == view.fitted
    assert other.player.time_ns == 300.0
    assert not other.model.isHidden()


def test_a_simulated_timeline_tells_the_model_that_gave_it(qtbot: QtBot) -> None:
    one = shown(qtbot)
    one.set_problem(REQUEST, 8, 4)
    assert one.shown is not None
    timeline, _, model = one.shown
    assert model is not None

    other = shown(qtbot)
    other.wish_view(timeline, ReductionView(model=model))
    other.show_timeline(timeline, REQUEST)
    assert other.shown is not None
    assert other.shown[2] == model
    assert other.facts.text() == one.facts.text()


def test_the_lock_after_a_row_or_a_lock() -> None:
    timeline = small_timeline(m=6, group_size_m=4)
    assert lock_after(timeline, 5, None) == 1
    assert [lock_after(timeline, None, lock) for lock in (None, 0, 3)] == [0, 1, 0]
