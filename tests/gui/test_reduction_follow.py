from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextDocument, QWheelEvent
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.timeline.canvas import place_of
from lnexplorer.gui.timeline.captions import hover_text
from lnexplorer.gui.timeline.frame import Hit
from lnexplorer.gui.timeline.source import KernelStep, kernel_source
from tests.domain.timelines import request
from tests.gui.windows import on_screen, press


@pytest.fixture
def pane(qtbot):
    pane = on_screen(qtbot, ReductionPane(), 1400, 800)
    pane.set_problem(request(m=512, n=1024, group_size_m=8), 128, 132)
    pane.player.seek(pane.player.end_ns * 0.3)
    return pane


def point_in_lanes(pane, lock, share):
    """A point of the canvas in a lock's band, so far along it."""
    waterfall = pane.canvas._laid_out().waterfall
    band = waterfall._band(lock)
    return QPoint(round(16 + band.left() + share * band.width()), round(8 + band.center().y()))


def test_a_click_on_a_lane_follows_the_lock_and_lists_its_queue(pane, qtbot):
    qtbot.mouseClick(pane.canvas, Qt.MouseButton.LeftButton, pos=point_in_lanes(pane, 3, 0.3))
    now = pane.canvas.now
    queue = now.queue(3)
    assert len(queue) == now.queued[3] + now.trying[3] > 1
    assert pane.pictures.lock == 3
    assert pane.pictures.row is None
    follow = pane.panel.follow
    assert follow.title.text().startswith("Lock 3")
    assert f"queued {now.queued[3]} · trying {now.trying[3]}" in follow.title.text()
    assert str(follow.lines[1][0]) == f"1. row {queue[0]}"
    assert str(follow.lines[2][0]) == f"2. row {queue[1]}"
    assert pane.caption.text().startswith("Lock 3 ") or "lock 3" in pane.caption.text()
    press(pane.canvas, "Esc")
    assert pane.pictures.lock is None
    assert follow.title.text() == "Click a row or a lock to follow it."


def test_a_queue_that_grows_and_shrinks_takes_the_same_room_all_the_while(pane):
    pane.pictures.follow(None, 3)
    heights = {True: set(), False: set()}  # with a queue, and without one
    for share in np.linspace(0.3, 0.99, 10):
        pane.player.seek(pane.player.end_ns * share)
        heights[len(pane.panel.follow.lines) > 1].add(pane.panel.follow.table.minimumHeight())
    assert len(heights[True]) == 1
    assert max(heights[False], default=0) < min(heights[True])


def test_a_click_on_a_row_of_the_queue_follows_it_with_its_phases(pane, qtbot):
    pane.pictures.follow(None, 3)
    queue = pane.canvas.now.queue(3)
    pane.panel.follow.table.linkActivated.emit(str(queue[0]))
    assert pane.pictures.row == queue[0]
    lines = pane.panel.follow.lines[1:]
    assert [str(line[0]) for line in lines[:4]] == ["computing", "▸ queued", "trying", "holding"]
    assert all(line[2] for line in lines[:4])
    qtbot.waitUntil(lambda: pane.panel.source.place is not None)


def test_phases_that_a_file_names_are_written_letter_by_letter(pane):
    named = ('<img src="missing.png">', "<b>sums</b>", "end")
    timeline = replace(pane.shown[0], source="mine", phases=named)
    pane.panel.follow.show_row(replace(pane.canvas.now, timeline=timeline), 5)
    shown = QTextDocument()
    shown.setHtml(pane.panel.follow.table.text())
    assert all(name in shown.toPlainText() for name in named[:2])


@pytest.mark.parametrize("atomic", [True, False])
def test_counts_are_those_of_the_moment(pane, atomic):
    pane.set_problem(request(m=512, n=1024, group_size_m=8, atomic_count=atomic), 128, 132)
    for share in (0.3, 1.0):
        pane.player.seek(pane.player.end_ns * share)
        now = pane.canvas.now
        counts = now.added + (now.holder >= 0) if atomic else now.added
        for lock, count in enumerate(counts.tolist()):
            text = hover_text(now, Hit(lock=lock), atomic_count=atomic)
            assert f"Lock {lock} · " in text
            assert f" · count {count} · " in text
            pane.pictures.follow(None, lock)
            assert f"count {count} " in pane.panel.follow.title.text()


def test_in_stage_2_words_and_marked_lines_are_about_the_followed_row(pane, qtbot):
    timeline = pane.shown[0]
    pane.player.seek(float(timeline.tile_start_ns.min()) + 1)
    qtbot.waitUntil(lambda: pane.panel.source.place == kernel_source().steps[KernelStep.SUM])
    assert "Stage 2" in pane.caption.text()
    pane.follow(13)
    assert pane.panel.source.place == kernel_source().steps[KernelStep.RELEASE]
    assert "given lock 5 back" in pane.caption.text()
    pane.pictures.follow(None, 5)
    assert pane.panel.source.place is None
    assert (
        pane.caption.text()
        == "Nobody holds lock 5. Trying it: 0; queued: 0; rows in its buffer: 64."
    )


def test_the_panel_is_shown_and_hidden_by_key_and_button(pane, qtbot):
    shown = not pane.panel.isHidden()
    press(pane.canvas, "K")
    assert pane.panel.isHidden() == shown
    assert pane.transport.panel.isChecked() != shown
    pane.transport.panel.click()
    assert pane.panel.isHidden() != shown
    pane.resize(700, 500)
    assert pane.panel.isHidden() != shown
    narrow = ReductionPane()
    qtbot.addWidget(narrow)
    narrow.resize(700, 500)
    narrow.show()
    assert narrow.panel.isHidden(), "until somebody wants it"


def wheel(canvas, position, steps):
    event = QWheelEvent(
        QPointF(position),
        QPointF(canvas.mapToGlobal(position)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, event)


def drag(qtbot, canvas, position, way):
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=position)
    qtbot.mouseMove(canvas, position + way)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=position + way)


def test_zoomed_lanes_are_dragged_and_clicked_and_a_double_click_shows_all(pane, qtbot):
    position = point_in_lanes(pane, 1, 0.5)
    pane.player.seek(pane.player.end_ns * 0.5)
    for _ in range(6):
        wheel(pane.canvas, position, 1)
    scene = pane.canvas.scene
    time_ns = pane.player.time_ns
    drag(qtbot, pane.canvas, position, QPoint(60, 0))
    moved = pane.canvas.scene
    assert moved.begin_ns < scene.begin_ns
    assert moved.length_ns == pytest.approx(scene.length_ns)
    assert pane.player.time_ns == time_ns
    expected = pane.canvas._hit(QPointF(position)).time_ns
    qtbot.mouseClick(pane.canvas, Qt.MouseButton.LeftButton, pos=position)
    assert pane.player.time_ns == pytest.approx(expected)
    qtbot.mouseDClick(pane.canvas, Qt.MouseButton.LeftButton, pos=position)
    assert not pane.canvas.scene.zoomed


def test_everything_is_reached_with_keys(pane):
    pane.follow(13)
    press(pane.canvas, "L")
    assert pane.pictures.lock == 5
    press(pane.canvas, "L")
    assert pane.pictures.lock == 6
    press(pane.canvas, "Z")
    press(pane.canvas, "Z")
    zoomed = pane.canvas.scene
    assert pane.canvas.scene.zoomed
    press(pane.canvas, "Shift+Z")
    assert pane.canvas.scene.length_ns > zoomed.length_ns
    press(pane.canvas, "0")
    assert not pane.canvas.scene.zoomed


def test_digits_that_are_typed_into_a_field_stay_in_it(pane, qtbot):
    pane.canvas.zoom(0.5)
    pane.transport.follow.setFocus()
    pane.transport.follow.selectAll()
    qtbot.keyClicks(pane.transport.follow, "100")
    press(pane.transport.follow, "Return")
    assert pane.pictures.row == 100
    assert pane.canvas.scene.zoomed


def test_zooming_in_leads_from_all_rows_to_single_ones_and_back(pane):
    lives, height = [], []
    for _ in range(40):
        scene = pane.canvas.scene
        lives.append(scene.length_ns)
        height.append(scene.share)
        pane.canvas.zoom(0.8)
    assert lives == sorted(lives, reverse=True)
    assert height == sorted(height, reverse=True)
    assert height[-1] == pytest.approx(8 / 512)
    last = pane.canvas.scene
    frame = pane.canvas._laid_out()
    assert frame.waterfall.has_bars
    timeline = pane.shown[0]
    assert last.length_ns < 2 * np.median(timeline.released_ns - timeline.start_ns)
    for _ in range(60):
        pane.canvas.zoom(1.25)
    assert not pane.canvas.scene.zoomed
    assert (pane.canvas.scene.top, pane.canvas.scene.bottom) == (0.0, 1.0)


def test_what_is_under_the_pointer_stays_there_and_is_dragged_in_both_directions(pane, qtbot):
    position = point_in_lanes(pane, 2, 0.4)
    inside = QPointF(position) - QPointF(16, 8)
    for _ in range(12):
        frame = pane.canvas._laid_out()
        before, time_ns = frame.waterfall.share_at(inside.y()), frame.hit(inside).time_ns
        wheel(pane.canvas, position, 1)
        frame = pane.canvas._laid_out()
        assert frame.waterfall.share_at(inside.y()) == pytest.approx(before, abs=0.01)
        assert frame.hit(inside).time_ns == pytest.approx(
            time_ns, abs=2 * pane.player.end_ns / 1000
        )
    scene = pane.canvas.scene
    drag(qtbot, pane.canvas, position, QPoint(0, 50))
    moved = pane.canvas.scene
    assert moved.top < scene.top
    assert moved.share == pytest.approx(scene.share)
    press(pane.canvas, "PgDown")
    assert pane.canvas.scene.top == pytest.approx(moved.top + 0.8 * moved.share)


def test_a_click_on_a_bar_follows_its_row_and_a_row_out_of_sight_is_fetched(pane, qtbot):
    for _ in range(20):
        pane.canvas.zoom(0.8)
    pane.follow(3)
    scene = pane.canvas.scene
    assert scene.top <= place_of(scene, 3) <= scene.bottom
    waterfall = pane.canvas._laid_out().waterfall
    place = int(waterfall._top) + 2
    y = waterfall._y(place + 0.5)
    qtbot.mouseClick(
        pane.canvas,
        Qt.MouseButton.LeftButton,
        pos=QPoint(round(16 + waterfall.lines.center().x()), round(8 + y)),
    )
    assert pane.pictures.row == waterfall.arrangement.rows[place]


def test_rows_are_grouped_by_lock_by_sm_or_not_at_all(pane):
    for grouping in ("sm", "start", "lock"):
        press(pane.canvas, "G")
        assert pane.canvas.scene.grouping == grouping
        assert pane.transport.grouping.currentData() == grouping
        assert not pane.grab().isNull()
    pane.transport.grouping.activated.emit(1)
    view = pane.view()
    assert (view.grouping, view.rows) == ("sm", (0.0, 1.0))
    pane.canvas.zoom(0.25)
    view, timeline = pane.view(), pane.shown[0]
    pane.pictures.group("lock")
    pane.wish_view(timeline, view)
    pane.show_timeline(timeline, request(m=512, n=1024, group_size_m=8))
    assert pane.canvas.scene.grouping == "sm"
    assert (pane.canvas.scene.top, pane.canvas.scene.bottom) == pytest.approx(view.rows)


def test_a_followed_row_does_not_survive_into_another_launch(pane):
    timeline, launch, _ = pane.shown
    pane.follow(7)
    pane.show_timeline(timeline, launch)
    assert pane.pictures.row == 7
    pane.show_timeline(timeline, request(m=512, n=1024, group_size_m=8, num_warps=2))
    assert pane.pictures.row is None
    assert pane.panel.follow.title.text() == "Click a row or a lock to follow it."
