import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from lnexplorer.domain.timeline import moment, next_event, sum_stretch
from lnexplorer.domain.views import ReductionView
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
from tests.gui.windows import on_screen, press
from tests.store.examples import small_timeline


@pytest.fixture
def pane(qtbot):
    return on_screen(qtbot, ReductionPane(), 1100, 700)


def test_a_launch_that_was_left_before_it_was_simulated_is_simulated_when_it_comes_back(
    pane, qtbot
):
    pane.set_problem(request(m=64, n=64, group_size_m=4), 8, 132)
    large = request(m=4096, n=64, group_size_m=8)
    pane.set_problem(large, 8, 132)
    pane.set_problem(replace(large, launch=replace(large.launch, strategy="persistent")), 8, 132)
    pane.set_problem(large, 8, 132)
    qtbot.waitUntil(lambda: pane.shown is not None and pane.shown[0].m == 4096)


@pytest.fixture
def lecture(pane):
    pane.set_problem(request(m=4, n=8, group_size_m=2), 4, 132)
    return pane


def test_a_problem_is_simulated_and_says_so(lecture):
    assert lecture.header.badge.text() == "simulated"
    assert lecture.header.facts.text().startswith(
        "4 × 8 · GROUP_SIZE_M 2 · model, resident programs: 4 · compute"
    )
    assert "a row queues" in lecture.header.figures.text()
    assert lecture.player.share == pytest.approx(SHOWN_SHARE)
    assert lecture.player.speed == pytest.approx(lecture.player.end_ns / SECONDS_IN_ALL)


def test_more_buffers_than_rows_is_explained(pane):
    pane.set_problem(request(m=64, n=512), 64, 132)
    assert "GROUP_SIZE_M 256, buffers in use: 64" in pane.header.facts.text()


def test_many_rows_are_simulated_in_the_background_and_the_last_wish_wins(pane, qtbot):
    for group_size_m in (8, 64):
        pane.set_problem(request(m=3000, n=64, group_size_m=group_size_m), 1000, 132)
    qtbot.waitUntil(lambda: pane.player.end_ns > 0, timeout=20_000)
    assert pane.shown[0].group_size_m == 64


def test_dw_and_db_can_be_chosen_as_soon_as_there_is_room_for_numbers(pane):
    pane.set_problem(request(m=16, n=16, group_size_m=4), 16, 132)
    pane.set_partial_rows(partial_rows(16, 16))
    button, rooms = pane.transport.results, set()
    for size in ((560, 300), (1600, 1000)):
        pane.resize(*size)
        QApplication.processEvents()
        rooms.add(pane.canvas.shows_numbers)
        assert button.isHidden() is not pane.canvas.shows_numbers
    assert rooms == {False, True}


def test_an_order_of_events_is_not_told_as_times(pane):
    timeline = replace(simulated(8, 64, 2), kind=Kind.INTERPRETED, clock=Clock.STEPS)
    pane.show_timeline(timeline, request(m=8, n=64, group_size_m=2))
    pane.follow(3)
    assert pane.header.figures.text().startswith("Programs ran one after another")
    assert pane.header.badge.property("tone") == "warning"
    assert "events are counted" in pane.header.facts.text()
    assert "steps a second" in pane.transport.speed_label.text()
    told = " ".join(
        (
            pane.header.figures.text(),
            pane.header.figures.toolTip(),
            pane.header.facts.text(),
            pane.caption.text(),
        )
    )
    assert " ns" not in told
    assert "µs" not in told
    assert pane.fit_bar.fit.isHidden()


def test_the_space_bar_plays_and_pauses_what_is_seen(lecture, qtbot):
    press(lecture.canvas, "Space")
    assert lecture.player.playing
    assert lecture.player.running
    before = lecture.player.time_ns
    qtbot.waitUntil(lambda: lecture.player.time_ns > before, timeout=2000)
    press(lecture.canvas, "Space")
    assert not lecture.player.playing
    assert not lecture.player.running
    lecture.player.set_playing(True)
    lecture.hide()
    assert not lecture.player.running
    lecture.show()
    assert lecture.player.running


def test_it_stops_at_the_end_and_loops_on_demand(lecture, qtbot):
    lecture.player.set_speed(lecture.player.end_ns * 100)
    lecture.player.set_playing(True)
    qtbot.waitUntil(lambda: not lecture.player.playing, timeout=2000)
    assert lecture.player.time_ns == lecture.player.end_ns
    lecture.transport.loop.click()
    lecture.player.set_playing(True)
    with qtbot.waitSignals([lecture.player.timeChanged] * 3):
        pass
    assert lecture.player.playing


def test_keys_step_from_event_to_event_and_change_the_speed(lecture):
    press(lecture.canvas, "Home")
    assert lecture.player.time_ns == 0
    press(lecture.canvas, "Right")
    first = lecture.player.time_ns
    assert first == next_event(lecture.shown[0], 0)
    press(lecture.canvas, "Right")
    press(lecture.canvas, "Left")
    assert lecture.player.time_ns == first
    press(lecture.canvas, "End")
    assert lecture.player.time_ns == lecture.player.end_ns
    before = lecture.player.speed
    press(lecture.canvas, "+")
    assert lecture.player.speed > before
    press(lecture.canvas, "-")
    assert lecture.player.speed == pytest.approx(before)
    lecture.player.seek(0.0)
    lecture.transport.next.setFocus()
    press(lecture.transport.next, "Return")
    assert lecture.player.time_ns == first, "Return presses the button with the keyboard"
    assert not lecture.player.playing


@pytest.mark.parametrize("focused", ["next", "follow"])
def test_the_space_bar_plays_whatever_has_the_keyboard(lecture, focused):
    before = lecture.player.time_ns, lecture.pictures.row
    widget = getattr(lecture.transport, focused)
    widget.setFocus()
    press(widget, "Space")
    assert lecture.player.playing
    press(widget, "Space")
    assert not lecture.player.playing
    assert lecture.pictures.row == before[1]


def test_a_click_on_play_leads_the_keyboard_to_the_picture(lecture, qtbot):
    qtbot.mouseClick(lecture.transport.play, Qt.MouseButton.LeftButton)
    assert lecture.player.playing
    assert lecture.canvas.hasFocus()
    press(lecture.canvas, "Space")
    assert not lecture.player.playing


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
    canvas, timeline = pane.canvas, pane.shown[0]
    before = pane.player.time_ns
    pane.player.set_playing(True)
    lines = canvas._laid_out().waterfall.lines.translated(16, canvas._above)
    drag(qtbot, canvas, lines.topLeft().toPoint(), lines.bottomRight().toPoint())
    assert not pane.player.playing
    told = pane.caption.text()
    assert told.startswith("64 rows in ")
    waits = sum_stretch(timeline, 0, timeline.end_ns, np.arange(64)).waits
    longest = int(np.argmax(waits))
    assert f"waits for lock {longest} " in told
    assert canvas.selection.isVisible()
    assert pane.player.time_ns - before < 1000, "nothing was sought"
    canvas.zoom(0.5)
    assert not canvas.selection.isVisible(), "it is of the picture before"
    press(canvas, "S")
    assert pane.caption.text() != told
    assert " rows in " in pane.caption.text()


def test_sums_of_a_stretch_are_those_of_its_rows_counted_one_by_one(lecture):
    timeline = lecture.shown[0]
    begin, end, rows = timeline.end_ns * 0.2, timeline.end_ns * 0.6, np.array([0, 3])
    sums = sum_stretch(timeline, begin, end, rows)
    spent = dict.fromkeys(range(1, 5), 0)
    for time_ns in range(math.ceil(begin), math.ceil(end)):  # each nanosecond
        for state in moment(timeline, time_ns).state[rows].tolist():
            if state in spent:
                spent[state] += 1
    for state, length in sums.phases:
        assert length == pytest.approx(spent[state], abs=2 * len(rows))
    assert sums.waits.sum() == pytest.approx(spent[2] + spent[3], abs=4 * len(rows))


def test_a_click_follows_a_row_and_the_caption_tells_of_it(lecture, qtbot):
    qtbot.mouseClick(lecture.canvas, Qt.MouseButton.LeftButton, pos=QPoint(400, 40))
    assert lecture.pictures.row == 0
    assert lecture.transport.follow.value() == 0
    assert lecture.caption.text().startswith("Row 0")
    assert lecture.caption.toolTip() == lecture.caption.text(), "whole, where it has no room"
    press(lecture.canvas, "Esc")
    assert lecture.pictures.row is None


def test_zooming_keeps_the_playhead_in_sight(pane):
    pane.set_problem(request(m=512, n=64, group_size_m=16), 100, 132)
    pane.canvas.zoom(0.1, time_alone=True)
    scene = pane.canvas._scene
    assert (scene.top, scene.bottom) == (0.0, 1.0)
    assert scene.end_ns - scene.begin_ns == pytest.approx(pane.player.end_ns * 1.01 * 0.1)
    pane.player.seek(pane.player.end_ns)
    assert pane.canvas._scene.begin_ns <= pane.player.end_ns <= pane.canvas._scene.end_ns


def test_numbers_of_the_same_shape_are_shown_and_agree_with_the_run(lecture):
    lecture.set_partial_rows(partial_rows(m=3))
    assert lecture.canvas.scene.numbers.sums is None
    lecture.set_partial_rows(partial_rows())
    assert "sums match the run's within" in lecture.header.figures.text()
    assert lecture.header.facts.text().startswith("computed in simulated order · ")
    assert not lecture.transport.results.isHidden()
    lecture.transport.results.button("db").click()
    assert not lecture.grab().isNull()
    assert lecture.canvas.text_at(QPointF(400, 40)).startswith("Row 0 · lock 0")


def test_captions_tell_the_story_of_a_row():
    timeline = simulated(4, 8, 2, resident_programs=4)
    row = int(np.flatnonzero((timeline.lock == 1) & (timeline.order == 1))[0])
    holder = 4 - row
    at = lambda time_ns: str(row_caption(moment(timeline, float(time_ns)), row))  # noqa: E731
    assert at(-1).startswith(f"Row {row} has not started")
    assert at(timeline.start_ns[row]) == f"Row {row} computes its dx and its partial sums."
    assert at(timeline.held_ns[holder]) == f"Row {row} queues for lock 1, held by row {holder}."
    assert (
        at(timeline.held_ns[row])
        == f"Row {row} holds lock 1: the count is 1, so it loads buffer 1, adds, stores."
    )
    assert at(timeline.released_ns[row]) == f"Row {row} is in buffer 1; it has given lock 1 back."
    end = str(caption(moment(timeline, timeline.end_ns), None))
    assert end == "Both stages are done: dw and db are complete."


def test_sums_that_rounding_cannot_explain_are_called_so(lecture):
    rows = partial_rows()
    for total, told in ((rows.dw_total + 0.5, "more than rounding"), (np.nan, "not finite")):
        lecture.set_partial_rows(replace(rows, dw_total=0 * rows.dw_total + total))
        assert told in lecture.header.figures.text()
    lecture.set_partial_rows(None)
    assert "sums" not in lecture.header.figures.text()


def test_stop_has_the_escape_key_also_while_the_animation_has_the_keyboard(qtbot: QtBot) -> None:
    window, pane, stopped = QMainWindow(), ReductionPane(), QAction("Stop")
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
        timeline = replace(
            simulated(4, 8, 2),
            cost=TraceCost(plain_ns=1000.0, traced_ns=traced_ns, repetitions=9),
        )
        assert told in str(facts_text(timeline, request(m=4, n=8, group_size_m=2), None))


def test_facts_that_have_no_room_are_left_out_whole(qtbot: QtBot) -> None:
    header = Header()
    qtbot.addWidget(header)
    header.show_lines("Stage 1 21.9 µs · peak queue 15", "64 × 512 · GROUP_SIZE_M 4")
    header.show()
    advance = header.figures.fontMetrics().horizontalAdvance
    for text, drawn in (
        ("Stage 1 21.9 µs · peak queue 15", None),
        ("Stage 1 21.9 µs · peak", "Stage 1 21.9 µs"),
    ):
        assert header.figures.elided(advance(text)) == (drawn or text)
    header.resize(header.sizeHint().width(), header.height())
    assert header.facts.isVisible()
    header.resize(header.minimumSizeHint().width(), header.height())
    assert not header.facts.isVisible()
    assert "GROUP_SIZE_M 4" in header.figures.toolTip()


def test_what_a_tile_has_read_is_not_told_as_timed() -> None:
    timeline = simulated(4, 8, 2)
    text = hover_text(moment(timeline, float(timeline.tile_end_ns[0])), Hit(tile=0))
    assert "buffers read 2 of 2" in text
    assert "only its start and its end are timed" in text


def test_a_click_on_the_scrub_track_seeks(lecture, qtbot):
    scrub = lecture.transport.scrub
    for share in (0.75, 0.25):
        place = QPoint(round(share * scrub.width()), scrub.height() // 2)
        qtbot.mouseClick(scrub, Qt.MouseButton.LeftButton, pos=place)
        assert lecture.player.share == pytest.approx(share, abs=0.02)


LOOKED_AT = request(m=8, n=16, group_size_m=2)


def shown(qtbot: QtBot) -> ReductionPane:
    return on_screen(qtbot, ReductionPane(), 1200, 700)


def test_a_view_comes_back_with_its_timeline(qtbot: QtBot) -> None:
    one = shown(qtbot)
    timeline = small_timeline()
    one.show_timeline(timeline, LOOKED_AT)
    one.follow(3)
    one.canvas.set_stretch(100.0, 500.0)
    one.player.seek(250.0)
    one.transport.results.button("db").click()
    view = one.view()
    assert (view.time_ns, view.row, view.lock, view.result) == (250.0, 3, None, "db")
    assert view.stretch_ns == pytest.approx((100.0, 500.0))

    other, again = shown(qtbot), small_timeline()
    other.wish_view(again, view)
    other.show_timeline(again, LOOKED_AT)
    assert other.view() == view
    assert other.transport.results.button("db").isChecked()
    assert other.shown is not None
    assert other.shown[0] is again

    # Another timeline is looked at as ever.
    other.show_timeline(small_timeline(m=6), LOOKED_AT)
    assert other.view().stretch_ns is None


def test_a_row_or_a_lock_that_is_not_there_is_passed_over(qtbot: QtBot) -> None:
    pane, timeline = shown(qtbot), small_timeline()
    for place in (-1, 1 << 62):
        for view in (ReductionView(row=place), ReductionView(lock=place)):
            pane.wish_view(timeline, view)
            pane.show_timeline(timeline, LOOKED_AT)
            pane.grab()
            assert (pane.view().row, pane.view().lock) == (None, None)


def test_the_model_beside_a_trace_comes_back(qtbot: QtBot) -> None:
    one, timeline = shown(qtbot), replace(small_timeline(m=64, group_size_m=4), kind=Kind.MEASURED)
    asked = request(m=64, n=16, group_size_m=4)
    one.show_timeline(timeline, asked)
    one.comparison.fit()
    qtbot.waitUntil(lambda: one.comparison.fitted is not None, timeout=30_000)
    one.comparison.predict(8)
    qtbot.waitUntil(
        lambda: one.comparison.fitted is not None and one.comparison.fitted.group_size_m == 8,
        timeout=30_000,
    )
    one.player.seek(300.0)
    view = one.view()

    other, again = shown(qtbot), replace(timeline)
    other.wish_view(again, view)
    other.show_timeline(again, asked)
    qtbot.waitUntil(lambda: other.comparison.fitted is not None, timeout=30_000)
    assert other.comparison.fitted == view.fitted
    assert other.player.time_ns == 300.0
    assert not other.model.isHidden()


def test_a_simulated_timeline_tells_the_model_that_gave_it(qtbot: QtBot) -> None:
    one = shown(qtbot)
    one.set_problem(LOOKED_AT, 8, 4)
    assert one.shown is not None
    timeline, _, model = one.shown
    assert model is not None

    other = shown(qtbot)
    other.wish_view(timeline, ReductionView(model=model))
    other.show_timeline(timeline, LOOKED_AT)
    assert other.shown is not None
    assert other.shown[2] == model
    assert other.header.facts.text() == one.header.facts.text()


def test_a_strategy_without_locks_has_no_timeline_and_the_pane_says_why(qtbot: QtBot) -> None:
    pane = shown(qtbot)
    for strategy in (*STRATEGIES, "locked"):
        resolved = request(m=8, n=16, strategy=strategy)
        pane.set_problem(resolved, 64, 132)
        used = resolved.launch.strategy
        assert pane.canvas.isVisible() == (used == "locked")
        assert (pane.shown is not None) == (used == "locked")
        if used != "locked":
            assert used in pane.notice.title.text()
            assert str(CATALOGUE[used].summary) in pane.notice.body.text()
            assert "no timeline of locks" in pane.notice.body.text()
