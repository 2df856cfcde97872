import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from lnexplorer.domain.moments import RowState, moment
from lnexplorer.domain.simulation import simulate
from lnexplorer.domain.simulation.fit import most_in_flight
from lnexplorer.gui.charts.theme import DARK
from lnexplorer.gui.reduction.painter import timeline_index as index_module
from lnexplorer.gui.reduction.painter.colours import PictureColours
from lnexplorer.gui.reduction.painter.lanes import lane_indices, most_at_once, programs_over_time
from lnexplorer.gui.reduction.painter.row_grid import RowGrid
from lnexplorer.gui.reduction.painter.time_axis import TimeAxis
from lnexplorer.gui.reduction.painter.timeline_index import TimeScale, time_scale, timeline_index
from tests.domain.timelines import model

SHAPES = [(1, 1), (3, 256), (64, 64), (200, 8), (999, 7)]


def test_a_moment_found_by_searching_is_the_moment(monkeypatch):
    for m, group_size_m in SHAPES:
        monkeypatch.setattr(index_module, "_FEW", 0)
        timeline = simulate(m, 300, group_size_m, 32, 128, model(jitter=0.3, arbitration="random", resident_programs=40))
        index = timeline_index(timeline)
        for time_ns in [-1.0, 0.0, 0.5, *np.linspace(0, timeline.end_ns + 1, 41), float(timeline.held_ns[m // 2])]:
            found, expected = index.moment(float(time_ns)), moment(timeline, float(time_ns))
            for field in ("state", "holder", "waiting", "added", "tile_progress"):
                np.testing.assert_array_equal(getattr(found, field), getattr(expected, field), err_msg=f"{field} at {time_ns}")
            assert index.counts(float(time_ns)) == {state: expected.count(state) for state in RowState}


def test_zoomed_lanes_show_what_the_moments_say():
    for m, group_size_m in SHAPES:
        timeline = simulate(m, 64, group_size_m, 32, 16, model(jitter=0.3, stage2_gap_ns=0))
        index = timeline_index(timeline)
        begin = timeline.end_ns * 0.3
        lanes = lane_indices(index, begin, begin + 200, 200)  # a ns a pixel
        for pixel in range(0, 200, 7):
            now = moment(timeline, float(np.floor(begin + pixel + 1)))
            held = np.flatnonzero(now.holder >= 0)
            assert held.size < 2 or (lanes[held, pixel] >= 8).mean(dtype=np.float64) >= 0.9
            quiet = np.flatnonzero((now.holder < 0) & (now.waiting == 0))
            before = moment(timeline, float(np.floor(begin + pixel - 1)))
            quiet = quiet[(before.holder[quiet] < 0) & (before.waiting[quiet] == 0)]
            assert not (lanes[quiet, pixel] >= 8).any()


def test_the_holder_of_a_lock_at_a_time_is_found():
    timeline = simulate(40, 64, 4, 32, 16, model())
    index = timeline_index(timeline)
    for row in range(40):
        middle = (timeline.held_ns[row] + timeline.released_ns[row]) / 2
        assert index.holder_near(int(timeline.lock[row]), float(middle), 0.0) == row
    assert index.holder_near(0, -1.0, 0.0) is None


def test_a_long_gap_between_the_stages_is_drawn_short_and_every_time_is_found_again():
    timeline = simulate(4, 8, 2, 32, 128, model(stage2_gap_ns=40_000))
    scale = time_scale(timeline)
    assert scale.broken
    last, first = int(timeline.released_ns.max()), int(timeline.tile_start_ns.min())
    assert scale.drawn(first) - scale.drawn(last) < (first - last) / 10
    for time_ns in (0, last / 2, last, (first + last) / 2, first, timeline.end_ns):
        assert scale.true(scale.drawn(time_ns)) == pytest.approx(time_ns)
    times = timeline.tile_end_ns
    assert scale.drawn_all(times).tolist() == [round(scale.drawn(time_ns)) for time_ns in times.tolist()]


def test_a_short_gap_is_drawn_as_it_is():
    assert time_scale(simulate(400, 8, 2, 32, 128, model(stage2_gap_ns=100))) == TimeScale()


def test_no_tick_lies_in_a_break():
    scale = TimeScale(1000.0, 41_000.0, 300.0)
    axis = TimeAxis(0, 1000, 0.0, scale.drawn(42_000.0), scale)
    ticks = axis.ticks(40)
    assert ticks
    assert all(tick <= 1000 or tick >= 41_000 for tick in ticks)
    assert [axis.time(axis.x(tick)) for tick in ticks] == pytest.approx(ticks)


def test_a_cell_of_several_rows_shows_the_busiest(qapp):
    timeline = simulate(4000, 64, 8, 32, 16, model(resident_programs=64))
    grid = RowGrid(timeline, QRectF(0, 0, 60, 40), PictureColours(DARK))
    assert grid.rows_per_cell > 1
    now = moment(timeline, timeline.end_ns * 0.4)
    cells = grid._states(now)
    busiest = (RowState.HOLDING, RowState.WAITING, RowState.COMPUTING)
    for cell in range(cells.shape[0]):
        for lock in range(8):
            places = range(cell * grid.rows_per_cell, (cell + 1) * grid.rows_per_cell)
            rows = [place * 8 + lock for place in places if place * 8 + lock < 4000]
            states = {int(now.state[row]) for row in rows}
            expected = next((int(state) for state in busiest if state in states), max(states))
            assert cells[cell, lock] == expected


def test_rows_that_wait_at_the_same_time_are_one_stretch():
    timeline = simulate(64, 64, 1, 32, 16, model(resident_programs=64))
    index = timeline_index(timeline)
    assert index.waits.lock.size < 64
    assert index.waits.begin[0] == timeline.wanted_ns.min()
    assert index.waits.end.max() == timeline.held_ns.max()


def test_a_timeline_without_rows_has_an_index():
    empty = simulate(0, 64, 4, 32, 16, model())
    index = timeline_index(dataclasses.replace(empty))
    assert index.moment(0.0).holder.size == 0


def test_how_many_programs_there_are_at_once_does_not_depend_on_the_pixels():
    timeline = simulate(3000, 64, 16, 32, 16, model(jitter=0.3))
    index = timeline_index(timeline)
    counts = [
        moment(timeline, float(time)).count(RowState.COMPUTING)
        + moment(timeline, float(time)).count(RowState.WAITING)
        + moment(timeline, float(time)).count(RowState.HOLDING)
        for time in timeline.start_ns[::7]
    ]
    assert max(counts) <= index.at_once <= timeline.m
    assert index.at_once == most_in_flight(timeline)
    for width in (3, 40, 500):
        assert most_at_once(programs_over_time(index, 0, timeline.end_ns, width)) <= index.at_once
