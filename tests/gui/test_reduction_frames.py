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
    frame = ScheduleFrame(scene(timeline, *size))
    time_ns = timeline.end_ns * 0.3
    image = painted(frame, time_ns)
    grid = frame._grid
    state = moment(timeline, time_ns).state
    coloured = min(grid.cell_width, grid.cell_height) >= 6 and not grid._numbered
    for row in range(0, m, max(m // 200, 1)):
        middle = grid._box(grid._cells_of(np.array([row]))[0]).center()
        turn, lock = divmod(row, group_size_m)
        first = turn - turn % grid.rows_per_cell  # of those that share the cell
        assert grid.row_at(middle) == first * group_size_m + lock
        if coloured and state[row] != RowState.HOLDING:  # those have an outline
            expected = COLOURS.state(RowState(int(state[row])), lock)
            assert QColor(image.pixel(middle.toPoint())).name() == expected.name()


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_rows_stand_in_the_order_of_their_starts_in_each_group(grouping):
    timeline = simulated(200, 64, 8, 16, jitter=0.3, sm_count=5)
    found = arranged(timeline, grouping)
    of = {"lock": timeline.lock, "sm": timeline.sm}.get(grouping, np.zeros(200))
    assert sorted(found.rows) == list(range(200))
    assert (found.place[found.rows] == np.arange(200)).all()
    for group, number in enumerate(found.number):
        rows = found.rows[found.first[group] : found.first[group + 1]]
        assert (np.diff(timeline.start_ns[rows]) >= 0).all()
        assert set(of[rows]) == {number if grouping != "start" else 0}


@pytest.mark.parametrize(("m", "group_size_m"), [(3, 256), (200, 8), (999, 7)])
def test_from_afar_each_pixel_tells_how_many_rows_queue_for_its_lock(m, group_size_m):
    timeline = simulated(m, 64, group_size_m, 16, jitter=0.3, stage2_gap_ns=0)
    begin = round(timeline.end_ns * 0.3)
    height = min(m, 300)
    found, axis = arranged(timeline, "lock"), TimeAxis(0, 200, begin, begin + 200)  # a ns a pixel
    picture = heat_picture(RowsPart(timeline, "lock", axis, height))
    coloured = height >= 3 * found.number.size  # else locks share pixels
    for pixel in range(0, 200, 23):
        now = moment(timeline, float(begin + pixel))
        for line in range(0, height, 7):
            rows = found.rows[line * m // height : -(-(line + 1) * m // height)]
            lock = int(timeline.lock[rows[len(rows) // 2]])
            hue = lock % HUES if coloured else GREY
            level = int(np.ceil((LEVELS - 1) * now.queued[lock] / found.deepest))
            states = set(now.state[rows].tolist())
            shown = picture[line, pixel]
            if states == {RowState.PENDING}:
                assert shown == 0
            elif states == {RowState.DONE}:
                assert shown in (OVER + hue, TILE)
            elif states.isdisjoint({RowState.PENDING, RowState.DONE}):
                assert shown == HEAT + hue * LEVELS + level


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_from_near_each_row_has_a_bar_of_what_it_does(grouping):
    timeline = simulated(40, 64, 4, 16, jitter=0.3, sm_count=3)
    found = arranged(timeline, grouping)
    begin = round(timeline.end_ns * 0.4)
    axis = TimeAxis(0, 300, begin, begin + 300)
    picture = bars_picture(RowsPart(timeline, grouping, axis, 100, 0.25, 0.5))  # ten px a row
    for place in range(10, 20):
        row = found.rows[place]
        line = 10 * (place - 10) + 5
        hue = timeline.lock[row] % HUES
        full = HEAT + hue * LEVELS + LEVELS - 1
        colours = (0, COMPUTING, full, TRIED + hue, HELD + hue, OVER + hue)
        for pixel in range(0, 300, 13):
            state = moment(timeline, float(begin + pixel)).state[row]
            assert picture[line, pixel] in (colours[state], TILE * (state == RowState.DONE))
    assert not picture[10].any(), "a line between two rows"


def test_a_hold_shorter_than_a_pixel_is_seen():
    timeline = simulated(40, 64, 4, 16)
    axis = TimeAxis(0, 200, 0, timeline.end_ns * 100)
    picture = bars_picture(RowsPart(timeline, "lock", axis, 40))
    assert ((picture >= HELD) & (picture < TRIED)).any(axis=1).all()


def test_rows_have_bars_and_arrows_from_release_to_hold_once_they_are_high_enough():
    timeline = simulated(400, 64, 4, 16, jitter=0.2)
    low, high = (ScheduleFrame(scene(timeline, 1000, height)).waterfall for height in (300, 1400))
    assert not low.has_bars
    assert high.has_bars
    assert not low._arrows
    near = ScheduleFrame(replace(scene(timeline, 1000, 700), top=0.0, bottom=0.05)).waterfall
    assert near.has_bars
    before, row = (
        int(np.flatnonzero((timeline.lock == 0) & (timeline.order == turn))[0]) for turn in (4, 5)
    )
    times = timeline.released_ns[before], timeline.held_ns[row]
    expected = pytest.approx([near.axis.x(float(time_ns)) for time_ns in times])
    assert any([arrow.x1(), arrow.x2()] == expected for arrow in near._arrows)


@pytest.mark.parametrize(("width", "height"), [(420, 260), (1000, 600)])
def test_no_words_of_the_picture_lie_over_each_other(width, height):
    timeline = simulated(4096, 64, 256, 16, resident_programs=500)
    frame = ScheduleFrame(scene(timeline, width, height))
    assert frame.waterfall.lines.height() > height * 0.35
    if frame._picture is not None:
        for area in (frame._picture.dw, frame._picture.db):  # below the counts
            assert frame._picture.gauge.bottom() <= area.top() < area.bottom() <= height
    assert frame.overview.area.bottom() <= height


def test_programs_at_work_add_up_at_every_time():
    timeline = simulated(200, 64, 8, 16, jitter=0.3)
    counts = programs_over_time(timeline, TimeAxis(0, 500, 0, timeline.end_ns))
    states = {QUEUED: RowState.QUEUED, TRYING: RowState.TRYING, HOLDING: RowState.HOLDING}
    for pixel in range(0, 500, 50):
        now = moment(timeline, (pixel + 1) * timeline.end_ns / 500 - 1e-3)
        for colour, state in states.items():
            assert counts[colour][pixel] == now.count(state)
    most = int(np.sum(list(counts.values()), axis=0).max())
    picture = stacked_indices(counts, 40, most)
    assert picture.shape == (40, 500)
    assert (picture[0] > 0).any()


def test_times_are_written_with_three_digits():
    exact = {0: "0 ns", 999: "999 ns", 12345: "12.3 µs", 999_600: "1.00 ms", 2e9: "2.00 s"}
    assert {ns: time_text(ns) for ns in exact} == exact
    ticks = {0: "0", 500: "500 ns", 1500: "1.5 µs", 50_000: "50 µs", 2e6: "2 ms"}
    assert {ns: tick_text(ns) for ns in ticks} == ticks


def test_a_cell_of_several_rows_shows_the_busiest():
    timeline = simulated(4000, 64, 8, 16, resident_programs=64)
    grid = RowGrid(timeline, QRectF(0, 0, 60, 40), COLOURS)
    assert grid.rows_per_cell > 1
    now = moment(timeline, timeline.end_ns * 0.4)
    busiest = [RowState.HOLDING, RowState.TRYING, RowState.QUEUED, RowState.COMPUTING]
    rank = {state: place for place, state in enumerate([*busiest, RowState.DONE, RowState.PENDING])}
    for cell, shown in enumerate(grid._states(now)):
        rows = slice(cell * grid.rows_per_cell * 8, (cell + 1) * grid.rows_per_cell * 8)
        for lock in range(8):
            states = map(RowState, now.state[rows][lock::8].tolist())
            assert shown[lock] == min(states, key=rank.__getitem__)


def test_a_click_in_the_programs_is_a_time_of_the_whole_also_when_the_lanes_are_zoomed():
    whole = scene(simulated(512, 64, 16, 16, resident_programs=100))
    near = replace(whole, begin_ns=0.4 * whole.end_ns, end_ns=0.5 * whole.end_ns)
    for shown in (whole, near):
        frame = ScheduleFrame(shown)
        area = frame.overview.area
        hit = frame.hit(QPointF(area.left() + 0.75 * area.width(), area.center().y()))
        assert hit.whole
        assert hit.time_ns == pytest.approx(0.75 * whole.last_ns, rel=0.005)
    inside = frame.hit(frame.waterfall.lines.center())
    assert inside.time_ns == pytest.approx(0.45 * whole.end_ns, rel=0.01)


def test_steps_that_are_counted_have_no_ticks_between_them() -> None:
    assert TimeAxis(0, 600, 0, 1, counted=True).ticks(40) == [0, 1]
    assert TimeAxis(0, 600, 0, 1).ticks(40)[1] < 1
