from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from lnexplorer.domain.timeline import RowState, moment
from lnexplorer.gui.timeline.frame import (
    COMPUTING,
    GREY,
    GROUPINGS,
    HEAT,
    HELD,
    HOLDING,
    HUES,
    LEVELS,
    OVER,
    QUEUED,
    TILE,
    TRIED,
    TRYING,
)
from lnexplorer.gui.timeline.lanes import (
    RowsPart,
    TimeAxis,
    arranged,
    bars_picture,
    heat_picture,
    programs_over_time,
    stacked_indices,
)
from lnexplorer.gui.timeline.schedule_frame import RowGrid, ScheduleFrame
from lnexplorer.gui.timeline.wording import tick_text, time_text
from tests.domain.timelines import simulated
from tests.gui.scenes import COLOURS, painted, scene

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(
    ("size", "m", "group_size_m"),
    [((820, 310), 1, 1), ((820, 310), 4096, 96), ((1068, 560), 1000, 7), ((3800, 2000), 64, 256)],
)
def test_every_row_has_a_cell_of_its_own_colour(size, m, group_size_m):
    timeline = simulated(m, 64, group_size_m, 16, resident_programs=300)
    frame, time_ns = ScheduleFrame(scene(timeline, *size)), timeline.end_ns * 0.3
    image, grid, state = painted(frame, time_ns), frame._grid, moment(timeline, time_ns).state
    coloured = min(grid.cell_width, grid.cell_height) >= 6 and not grid._numbered
    for row in range(0, m, max(m // 200, 1)):
        middle = grid._box(grid._cells_of(np.array([row]))[0]).center()
        assert (
            grid.row_at(middle)
            == row // group_size_m // grid.rows_per_cell * (grid.rows_per_cell * group_size_m)
            + row % group_size_m
        )
        if coloured and state[row] != RowState.HOLDING:  # those have an outline
            expected = COLOURS.state(RowState(int(state[row])), row % group_size_m)
            assert QColor(image.pixel(middle.toPoint())).name() == expected.name()


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_rows_stand_in_the_order_of_their_starts_in_each_group(grouping):
    timeline = simulated(200, 64, 8, 16, jitter=0.3, sm_count=5)
    found = arranged(timeline, grouping)
    assert sorted(found.rows) == list(range(200))
    assert (found.place[found.rows] == np.arange(200)).all()
    for group, number in enumerate(found.number):
        rows = found.rows[found.first[group] : found.first[group + 1]]
        assert (np.diff(timeline.start_ns[rows]) >= 0).all()
        if grouping != "start":
            assert set((timeline.lock if grouping == "lock" else timeline.sm)[rows]) == {number}
    depth = max(moment(timeline, float(time)).queued.max() for time in timeline.wanted_ns)
    assert grouping != "lock" or found.deepest == depth


@pytest.mark.parametrize(("m", "group_size_m"), [(3, 256), (200, 8), (999, 7)])
def test_from_afar_each_pixel_tells_how_many_rows_queue_for_its_lock(m, group_size_m):
    timeline = simulated(m, 64, group_size_m, 16, jitter=0.3, stage2_gap_ns=0)
    begin = round(timeline.end_ns * 0.3)
    found, height = arranged(timeline, "lock"), min(m, 300)
    picture = heat_picture(
        RowsPart(timeline, "lock", TimeAxis(0, 200, begin, begin + 200), height)
    )  # a ns a pixel
    coloured = height >= 3 * found.number.size  # else locks share pixels
    for pixel in range(0, 200, 23):
        now = moment(timeline, float(begin + pixel))
        for line in range(0, height, 7):
            places = range(line * m // height, -(-(line + 1) * m // height))
            lock = int(timeline.lock[found.rows[(places[0] + places[-1] + 1) // 2]])
            hue = lock % HUES if coloured else GREY
            states = {RowState(int(now.state[found.rows[place]])) for place in places}
            if states == {RowState.PENDING}:
                assert picture[line, pixel] == 0
            elif states == {RowState.DONE}:
                assert picture[line, pixel] in (OVER + hue, TILE)
            elif states.isdisjoint({RowState.PENDING, RowState.DONE}):
                level = int(np.ceil((LEVELS - 1) * now.queued[lock] / found.deepest))
                assert picture[line, pixel] == HEAT + hue * LEVELS + level


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_from_near_each_row_has_a_bar_of_what_it_does(grouping):
    timeline = simulated(40, 64, 4, 16, jitter=0.3, sm_count=3)
    found, begin = arranged(timeline, grouping), round(timeline.end_ns * 0.4)
    picture = bars_picture(
        RowsPart(timeline, grouping, TimeAxis(0, 300, begin, begin + 300), 100, 0.25, 0.5)
    )  # ten px a row
    for place in range(10, 20):
        row, line = found.rows[place], 10 * (place - 10) + 5
        hue = timeline.lock[row] % HUES
        expected = (
            0,
            COMPUTING,
            HEAT + hue * LEVELS + LEVELS - 1,
            TRIED + hue,
            HELD + hue,
            OVER + hue,
        )
        for pixel in range(0, 300, 13):
            state = moment(timeline, float(begin + pixel)).state[row]
            assert picture[line, pixel] == expected[state] or (
                state == RowState.DONE and picture[line, pixel] == TILE
            )
    assert not picture[10].any(), "a line between two rows"


def test_a_hold_shorter_than_a_pixel_is_seen():
    timeline = simulated(40, 64, 4, 16)
    picture = bars_picture(
        RowsPart(timeline, "lock", TimeAxis(0, 200, 0, timeline.end_ns * 100), 40)
    )
    assert ((picture >= HELD) & (picture < TRIED)).any(axis=1).all()


def test_rows_have_bars_once_they_are_high_enough():
    timeline = simulated(400, 64, 4, 16, jitter=0.2)
    frames = [ScheduleFrame(scene(timeline, 1000, height)) for height in (300, 1400)]
    assert [frame.waterfall.has_bars for frame in frames] == [False, True]
    near = ScheduleFrame(replace(frames[0].scene, top=0.4, bottom=0.5)).waterfall
    assert near.has_bars


def test_an_arrow_leads_from_a_release_to_the_next_hold_of_the_lock():
    timeline = simulated(64, 64, 4, 16, jitter=0.2)
    frame = ScheduleFrame(replace(scene(timeline, 1000, 700), top=0.0, bottom=0.25))
    waterfall, (row, *_) = (
        frame.waterfall,
        np.flatnonzero((timeline.lock == 0) & (timeline.order == 5)),
    )
    before = int(np.flatnonzero((timeline.lock == 0) & (timeline.order == 4))[0])
    ends = [(arrow.x1(), arrow.x2()) for arrow in waterfall._arrows]
    assert len(ends) == 15
    expected = (
        waterfall.axis.x(float(timeline.released_ns[before])),
        waterfall.axis.x(float(timeline.held_ns[row])),
    )
    assert any(pair == pytest.approx(expected) for pair in ends)
    assert not ScheduleFrame(scene(timeline, 1000, 300)).waterfall._arrows, "rows are too low"


@pytest.mark.parametrize(("width", "height"), [(420, 260), (1000, 600)])
def test_no_words_of_the_picture_lie_over_each_other(width, height):
    timeline = simulated(4096, 64, 256, 16, resident_programs=500)
    frame = ScheduleFrame(scene(timeline, width, height))
    assert frame.waterfall.lines.height() > height * 0.35
    if frame._picture is not None:
        for area in (frame._picture.dw, frame._picture.db):
            assert area.top() >= frame._picture.gauge.bottom(), (
                "dw and db are written below the counts"
            )
            assert area.bottom() <= height
    assert frame.overview.area.bottom() <= height


def test_programs_at_work_add_up_at_every_time():
    timeline = simulated(200, 64, 8, 16, jitter=0.3)
    counts = programs_over_time(timeline, TimeAxis(0, 500, 0, timeline.end_ns))
    for pixel in range(0, 500, 50):
        now = moment(timeline, (pixel + 1) * timeline.end_ns / 500 - 1e-3)
        assert counts[QUEUED][pixel] == now.count(RowState.QUEUED)
        assert counts[TRYING][pixel] == now.count(RowState.TRYING)
        assert counts[HOLDING][pixel] == now.count(RowState.HOLDING)
    most = int(np.sum(list(counts.values()), axis=0).max())
    picture = stacked_indices(counts, 40, most)
    assert picture.shape == (40, 500)
    assert (picture[0] > 0).any()
    assert not stacked_indices(counts, 40, 2 * most)[:19].any()


def test_times_are_written_with_three_digits():
    assert [time_text(ns) for ns in (0, 999, 1000, 12345, 999_400, 999_600, 7_864_832, 2e9)] == [
        "0 ns",
        "999 ns",
        "1.00 µs",
        "12.3 µs",
        "999 µs",
        "1.00 ms",
        "7.86 ms",
        "2.00 s",
    ]
    assert [tick_text(ns) for ns in (0, 500, 1500, 50_000, 2e6)] == [
        "0",
        "500 ns",
        "1.5 µs",
        "50 µs",
        "2 ms",
    ]


def test_a_cell_of_several_rows_shows_the_busiest():
    timeline = simulated(4000, 64, 8, 16, resident_programs=64)
    grid = RowGrid(timeline, QRectF(0, 0, 60, 40), COLOURS)
    assert grid.rows_per_cell > 1
    now = moment(timeline, timeline.end_ns * 0.4)
    cells = grid._states(now)
    busiest = (RowState.HOLDING, RowState.TRYING, RowState.QUEUED, RowState.COMPUTING)
    for cell in range(cells.shape[0]):
        for lock in range(8):
            places = range(cell * grid.rows_per_cell, (cell + 1) * grid.rows_per_cell)
            states = {
                int(now.state[place * 8 + lock]) for place in places if place * 8 + lock < 4000
            }
            expected = next((int(state) for state in busiest if state in states), max(states))
            assert cells[cell, lock] == expected


def test_a_click_in_the_programs_is_a_time_of_the_whole_also_when_the_lanes_are_zoomed():
    whole = scene(simulated(512, 64, 16, 16, resident_programs=100))
    frame = ScheduleFrame(whole)
    area = frame.overview.area
    at = QPointF(area.left() + 0.75 * area.width(), area.center().y())
    assert frame.hit(at).whole
    assert frame.hit(at).time_ns == pytest.approx(0.75 * whole.last_ns, rel=0.005)
    frame = ScheduleFrame(replace(whole, begin_ns=0.4 * whole.end_ns, end_ns=0.5 * whole.end_ns))
    assert frame.hit(at).time_ns == pytest.approx(0.75 * whole.last_ns, rel=0.005)
    inside = frame.waterfall.lines.center()
    assert frame.hit(inside).time_ns == pytest.approx(0.45 * whole.end_ns, rel=0.01)
