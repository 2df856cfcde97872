from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from lnexplorer.domain.timeline import moment, next_event, sum_stretch
from lnexplorer.domain.views import ReductionView
from lnexplorer.gui.kit import GRID
from lnexplorer.gui.panes.reduction.comparison import Header
from lnexplorer.gui.panes.reduction.pane import SHOWN_SHARE, ReductionPane
from lnexplorer.gui.timeline.captions import caption, hover_text, row_caption
from lnexplorer.gui.timeline.facts import facts_text
from lnexplorer.gui.timeline.frame import Hit
from lnexplorer.gui.timeline.player import SECONDS_IN_ALL
from lnkernels.launch import CATALOGUE, STRATEGIES
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import Clock, TraceCost
from tests.domain.timelines import partial_rows, request, simulated
from tests.gui.windows import Until, click, on_screen, press
from tests.store.examples import small_timeline


@pytest.fixture
def pane(qtbot):
    return on_screen(qtbot, ReductionPane(), 1100, 700)


@pytest.fixture
def lecture(pane):
    pane.set_problem(request(m=4, n=8, group_size_m=2), 4, 132)
    return pane


def test_a_problem_is_simulated_and_says_so(lecture):
    header = lecture.header
    player = lecture.player
    assert header.badge.text() == "simulated"
    told = "4 × 8 · GROUP_SIZE_M 2 · model, resident programs: 4 · compute"
    assert header.facts.text().startswith(told)
    assert "a row queues" in header.figures.text()
    assert player.share == pytest.approx(SHOWN_SHARE)
    assert player.speed == pytest.approx(player.end_ns / SECONDS_IN_ALL)
    lecture.set_problem(request(m=64, n=512), 64, 132)
    assert "GROUP_SIZE_M 256, buffers in use: 64" in header.facts.text()


def test_many_rows_are_simulated_in_the_background_and_the_last_wish_wins(lecture, until):
    large = request(m=3000, n=64, group_size_m=8)
    without = replace(large, launch=replace(large.launch, strategy="persistent"))
    for wish in (large, without, request(m=3000, n=64, group_size_m=64), without, large):
        lecture.set_problem(wish, 1000, 132)
    until(lambda: lecture.shown is not None and lecture.shown[0].m == 3000)
    assert lecture.shown[0].group_size_m == 8


def test_dw_and_db_can_be_chosen_as_soon_as_there_is_room_for_numbers(pane):
    pane.set_problem(request(m=16, n=16, group_size_m=4), 16, 132)
    pane.set_partial_rows(partial_rows(16, 16))
    for width, height, is_shown in ((560, 300, False), (1600, 1000, True)):
        pane.resize(width, height)
        QApplication.processEvents()
        assert pane.canvas.shows_numbers is is_shown
        assert pane.transport.results.isHidden() is not is_shown


def test_an_order_of_events_is_not_told_as_times(pane):
    timeline = replace(simulated(8, 64, 2), kind=Kind.INTERPRETED, clock=Clock.STEPS)
    pane.show_timeline(timeline, request(m=8, n=64, group_size_m=2))
    pane.follow(3)
    header = pane.header
    assert header.figures.text().startswith("Programs ran one after another")
    assert header.badge.property("tone") == "warning"
    assert "events are counted" in header.facts.text()
    assert "steps a second" in pane.transport.speed_label.text()
    texts = (
        header.figures.text(),
        header.figures.toolTip(),
        header.facts.text(),
        pane.caption.text(),
    )
    assert not any(unit in text for text in texts for unit in (" ns", "µs"))
    assert pane.fit_bar.fit.isHidden()


@pytest.mark.parametrize("focused", ["canvas", "next", "follow"])
def test_the_space_bar_plays_and_pauses_what_is_seen_whatever_has_the_keyboard(
    lecture, until, focused
):
    player = lecture.player
    row = lecture.pictures.row
    widget = lecture.canvas if focused == "canvas" else getattr(lecture.transport, focused)
    widget.setFocus()
    press(widget, "Space")
    assert player.playing
    assert player.running
    before = player.time_ns
    until(lambda: player.time_ns > before)
    press(widget, "Space")
    assert not player.playing
    assert not player.running
    assert lecture.pictures.row == row
    player.set_playing(True)
    lecture.hide()
    assert not player.running
    lecture.show()
    assert player.running


def test_it_stops_at_the_end_and_loops_on_demand(lecture, qtbot, until):
    player = lecture.player
    player.set_speed(player.end_ns * 100)
    player.set_playing(True)
    until(lambda: not player.playing)
    assert player.time_ns == player.end_ns
    lecture.transport.loop.click()
    player.set_playing(True)
    with qtbot.waitSignals([player.timeChanged] * 3):
        pass
    assert player.playing


def test_keys_step_from_event_to_event_and_change_the_speed(lecture):
    canvas = lecture.canvas
    player = lecture.player
    button = lecture.transport.next
    first = next_event(lecture.shown[0], 0)
    for keys, time_ns in (
        (["Home"], 0),
        (["Right"], first),
        (["Right", "Left"], first),
        (["End"], player.end_ns),
    ):
        press(canvas, *keys)
        assert player.time_ns == time_ns
    before = player.speed
    press(canvas, "+")
    assert player.speed > before
    press(canvas, "-")
    assert player.speed == pytest.approx(before)
    player.seek(0.0)
    button.setFocus()
    press(button, "Return")
    assert player.time_ns == first, "Return presses the button with the keyboard"
    assert not player.playing


def test_a_click_on_play_leads_the_keyboard_to_the_picture(lecture):
    click(lecture.transport.play)
    assert lecture.player.playing
    assert lecture.canvas.hasFocus()


def test_a_click_on_the_scrub_track_seeks(lecture):
    scrub = lecture.transport.scrub
    for share in (0.75, 0.25):
        click(scrub, QPoint(round(share * scrub.width()), scrub.height() // 2))
        assert lecture.player.share == pytest.approx(share, abs=0.02)


def drag(qtbot, canvas, start, end, modifier=Qt.KeyboardModifier.ShiftModifier):
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, modifier, start)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        *(QPointF(end), canvas.mapToGlobal(QPointF(end)), Qt.MouseButton.NoButton),
        *(Qt.MouseButton.LeftButton, modifier),
    )
    QApplication.sendEvent(canvas, event)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, modifier, end)


def test_a_stretch_that_is_selected_is_summed_up_by_phase_and_lock(pane, qtbot):
    pane.set_problem(request(m=64, n=512, group_size_m=4), 16, 132)
    canvas = pane.canvas
    timeline = pane.shown[0]
    before = pane.player.time_ns
    pane.player.set_playing(True)
    lines = canvas._laid_out().waterfall.lines.translated(16, canvas._above)
    drag(qtbot, canvas, lines.topLeft().toPoint(), lines.bottomRight().toPoint())
    assert not pane.player.playing
    told = pane.caption.text()
    assert told.startswith("64 rows in ")
    waits = sum_stretch(timeline, 0, timeline.end_ns, np.arange(64)).waits
    assert f"waits for lock {int(np.argmax(waits))} " in told
    assert canvas.selection.isVisible()
    assert pane.player.time_ns - before < 1000, "nothing was sought"
    canvas.zoom(0.5)
    assert not canvas.selection.isVisible(), "it is of the picture before"
    press(canvas, "S")
    assert pane.caption.text() != told
    assert " rows in " in pane.caption.text()


def test_sums_of_a_stretch_are_those_of_its_rows_counted_one_by_one(lecture):
    timeline = lecture.shown[0]
    begin = int(timeline.end_ns * 0.2)
    end = int(timeline.end_ns * 0.6)
    rows = np.array([0, 3])
    sums = sum_stretch(timeline, begin, end, rows)
    states = [moment(timeline, time_ns).state[rows] for time_ns in range(begin, end)]
    spent = np.bincount(np.concatenate(states), minlength=6)  # in nanoseconds
    for state, length in sums.phases:
        assert length == pytest.approx(spent[state], abs=2 * len(rows))
    assert sums.waits.sum() == pytest.approx(spent[2] + spent[3], abs=4 * len(rows))


def test_zooming_keeps_the_playhead_in_sight(pane):
    pane.set_problem(request(m=512, n=64, group_size_m=16), 100, 132)
    canvas = pane.canvas
    end_ns = pane.player.end_ns
    canvas.zoom(0.1, time_alone=True)
    assert canvas.scene.top == 0.0
    assert canvas.scene.bottom == 1.0
    assert canvas.scene.length_ns == pytest.approx(end_ns * 1.01 * 0.1)
    pane.player.seek(end_ns)
    assert canvas.scene.begin_ns <= end_ns <= canvas.scene.end_ns


def test_numbers_of_the_same_shape_are_shown_and_compared_with_those_of_the_run(lecture):
    header = lecture.header
    rows = partial_rows()
    lecture.set_partial_rows(partial_rows(m=3))
    assert lecture.canvas.scene.numbers.sums is None
    for total, told in (
        (rows.dw_total, "sums match the run's within"),
        (rows.dw_total + 0.5, "more than rounding"),
        (np.nan * rows.dw_total, "not finite"),
    ):
        lecture.set_partial_rows(replace(rows, dw_total=total))
        assert told in header.figures.text()
    assert header.facts.text().startswith("computed in simulated order · ")
    lecture.transport.results.button("db").click()
    lecture.grab()
    assert lecture.canvas.text_at(QPointF(400, 40)).startswith("Row 0 · lock 0")
    lecture.set_partial_rows(None)
    assert "sums" not in header.figures.text()


def test_captions_tell_the_story_of_a_row():
    timeline = simulated(4, 8, 2, resident_programs=4)
    row = int(np.flatnonzero((timeline.lock == 1) & (timeline.order == 1))[0])
    holder = 4 - row
    for time_ns, told in (
        (-1, "has not started"),
        (timeline.start_ns[row], "computes its dx and its partial sums."),
        (timeline.held_ns[holder], f"queues for lock 1, held by row {holder}."),
        (
            timeline.held_ns[row],
            "holds lock 1: the count is 1, so it loads buffer 1, adds, stores.",
        ),
        (timeline.released_ns[row], "is in buffer 1; it has given lock 1 back."),
    ):
        said = str(row_caption(moment(timeline, float(time_ns)), row))
        assert said.startswith(f"Row {row} {told}")
    end = str(caption(moment(timeline, timeline.end_ns), None))
    assert end == "Both stages are done: dw and db are complete."
    tile = hover_text(moment(timeline, float(timeline.tile_end_ns[0])), Hit(tile=0))
    assert "buffers read 2 of 2" in tile
    assert "only its start and its end are timed" in tile


def test_stop_has_the_escape_key_also_while_the_animation_has_the_keyboard(qtbot: QtBot) -> None:
    window = QMainWindow()
    pane = ReductionPane()
    stopped = QAction("Stop")
    qtbot.addWidget(window)
    window.setCentralWidget(pane)
    stopped.setShortcut("Esc")
    window.addAction(stopped)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    pane.canvas.setFocus()
    with qtbot.waitSignal(stopped.triggered):
        press(pane.canvas, "Esc")


def test_what_recording_costs_is_told_with_its_sign() -> None:
    for traced_ns, told in [
        (1087.0, "made the pass 8.7 % longer"),
        (944.0, "the pass no longer (−5.6 %)"),
    ]:
        cost = TraceCost(plain_ns=1000.0, traced_ns=traced_ns, repetitions=9)
        timeline = replace(simulated(4, 8, 2), cost=cost)
        assert told in str(facts_text(timeline, request(m=4, n=8, group_size_m=2), None))


def test_facts_that_have_no_room_are_left_out_whole(qtbot: QtBot) -> None:
    header = on_screen(qtbot, Header(), 600, 40)
    whole = "Stage 1 21.9 µs · peak queue 15"
    header.show_lines(whole, "64 × 512 · GROUP_SIZE_M 4")
    advance = header.figures.fontMetrics().horizontalAdvance
    for room, drawn in ((whole, whole), ("Stage 1 21.9 µs · peak", "Stage 1 21.9 µs")):
        assert header.figures.elided(advance(room)) == drawn
    figures = header.sizeHint().width()  # without the facts
    first = header.facts.fontMetrics().horizontalAdvance("64 × 512")
    for width, has_room in ((figures + first + 2 * GRID, True), (figures, False)):
        header.resize(width, header.height())
        assert header.facts.isVisible() is has_room
    assert "GROUP_SIZE_M 4" in header.figures.toolTip()


LOOKED_AT = request(m=8, n=16, group_size_m=2)


@pytest.fixture
def other(qtbot):
    """Another pane, which is to look as the first one does."""
    return on_screen(qtbot, ReductionPane(), 1100, 700)


def test_a_view_comes_back_with_its_timeline(pane, other):
    pane.show_timeline(small_timeline(), LOOKED_AT)
    pane.follow(3)
    pane.canvas.set_stretch(100.0, 500.0)
    pane.player.seek(250.0)
    pane.transport.results.button("db").click()
    view = pane.view()
    again = small_timeline()
    assert view.time_ns == 250.0
    assert view.row == 3
    assert view.lock is None
    assert view.result == "db"
    assert view.stretch_ns == pytest.approx((100.0, 500.0))
    other.wish_view(again, view)
    other.show_timeline(again, LOOKED_AT)
    assert other.view() == view
    assert other.transport.results.button("db").isChecked()
    assert other.shown[0] is again
    other.show_timeline(small_timeline(m=6), LOOKED_AT)
    assert other.view().stretch_ns is None, "another timeline is looked at as ever"


@pytest.mark.parametrize("place", [-1, 1 << 62])
def test_a_row_or_a_lock_that_is_not_there_is_passed_over(pane, place):
    timeline = small_timeline()
    for view in (ReductionView(row=place), ReductionView(lock=place)):
        pane.wish_view(timeline, view)
        pane.show_timeline(timeline, LOOKED_AT)
        pane.grab()
        assert pane.view().row is None
        assert pane.view().lock is None


def test_the_model_beside_a_trace_comes_back(pane, other, until: Until):
    timeline = replace(small_timeline(m=64, group_size_m=4), kind=Kind.MEASURED)
    asked = request(m=64, n=16, group_size_m=4)

    def has_model(shown, group_size_m):
        until(lambda: getattr(shown.comparison.fitted, "group_size_m", 0) == group_size_m)

    pane.show_timeline(timeline, asked)
    pane.comparison.fit()
    has_model(pane, 4)
    pane.comparison.predict(8)
    has_model(pane, 8)
    pane.player.seek(300.0)
    view = pane.view()
    again = replace(timeline)
    other.wish_view(again, view)
    other.show_timeline(again, asked)
    has_model(other, 8)
    assert other.comparison.fitted == view.fitted
    assert other.player.time_ns == 300.0
    assert not other.model.isHidden()


def test_a_simulated_timeline_tells_the_model_that_gave_it(pane, other):
    pane.set_problem(LOOKED_AT, 8, 4)
    timeline, _, model = pane.shown
    other.wish_view(timeline, ReductionView(model=model))
    other.show_timeline(timeline, LOOKED_AT)
    assert other.shown[2] == model
    assert other.header.facts.text() == pane.header.facts.text() != ""


def test_a_strategy_without_locks_has_no_timeline_and_the_pane_says_why(pane):
    for strategy in (*STRATEGIES, "locked"):
        resolved = request(m=8, n=16, strategy=strategy)
        pane.set_problem(resolved, 64, 132)
        used = resolved.launch.strategy
        locked = used == "locked"
        assert pane.canvas.isVisible() == locked
        assert (pane.shown is not None) == locked
        if not locked:
            assert used in pane.notice.title.text()
            assert str(CATALOGUE[used].summary) in pane.notice.body.text()
            assert "no timeline of locks" in pane.notice.body.text()
