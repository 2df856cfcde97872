from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextDocument

from lnexplorer.gui.kit.theme import DARK, LIGHT, Theme, apply_theme
from lnexplorer.gui.panes.reduction.pane import ReductionPane
from lnexplorer.gui.timeline.canvas import place_of
from lnexplorer.gui.timeline.captions import hover_text
from lnexplorer.gui.timeline.frame import Hit
from lnexplorer.gui.timeline.source import KernelStep, kernel_source
from tests.domain.timelines import request
from tests.gui.windows import click, on_screen, press, type_text, wheel

LAUNCH = request(m=512, n=1024, group_size_m=8)
NOTHING = "Click a row or a lock to follow it."


@pytest.fixture
def pane(qtbot):
    pane = on_screen(qtbot, ReductionPane(), 1400, 800)
    pane.set_problem(LAUNCH, 128, 132)
    seek(pane, 0.3)
    return pane


def seek(pane, share):
    pane.player.seek(pane.player.end_ns * share)


def point_in_lanes(pane, lock, share):
    """A point of the canvas in a lock's band, so far along it."""
    band = pane.canvas._laid_out().waterfall._band(lock)
    return QPoint(round(16 + band.left() + share * band.width()), round(8 + band.center().y()))


def rows_in_sight(pane):
    return pane.canvas.scene.top, pane.canvas.scene.bottom


def test_a_click_on_a_lane_follows_the_lock_and_lists_its_queue(pane):
    follow = pane.panel.follow
    click(pane.canvas, point_in_lanes(pane, 3, 0.3))
    now = pane.canvas.now
    queue = now.queue(3)
    assert len(queue) == now.queued[3] + now.trying[3] > 1
    assert pane.pictures.lock == 3
    assert pane.pictures.row is None
    assert follow.title.text().startswith("Lock 3")
    assert f"queued {now.queued[3]} · trying {now.trying[3]}" in follow.title.text()
    lines = [str(line[0]) for line in follow.lines[1:3]]
    assert lines == [f"1. row {queue[0]}", f"2. row {queue[1]}"]
    assert "lock 3" in pane.caption.text().lower()
    assert pane.caption.toolTip() == pane.caption.text(), "whole, where it has no room"
    press(pane.canvas, "Esc")
    assert pane.pictures.lock is None
    assert follow.title.text() == NOTHING


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_rows_of_the_queue_have_the_colour_of_text_of_the_theme_in_force(pane, monkeypatch, theme):
    pane.pictures.follow(None, 3)
    monkeypatch.setattr(Theme, "current", theme)
    apply_theme(pane)
    markup = pane.panel.follow.table.text()
    assert markup.count(f"color: {theme.text}") == markup.count("<a href") > 1


def test_a_queue_that_grows_and_shrinks_takes_the_same_room_all_the_while(pane):
    pane.pictures.follow(None, 3)
    heights = {True: set(), False: set()}  # with a queue, and without one
    for share in np.linspace(0.3, 0.99, 10):
        seek(pane, share)
        heights[len(pane.panel.follow.lines) > 1].add(pane.panel.follow.table.minimumHeight())
    assert len(heights[True]) == 1
    assert max(heights[False], default=0) < min(heights[True])


def test_a_click_on_a_row_of_the_queue_follows_it_with_its_phases(pane, until):
    pane.pictures.follow(None, 3)
    row = pane.canvas.now.queue(3)[0]
    pane.panel.follow.table.linkActivated.emit(str(row))
    assert pane.pictures.row == row
    phases, _, lengths = zip(*(line[:3] for line in pane.panel.follow.lines[1:5]), strict=True)
    assert [str(phase) for phase in phases] == ["computing", "▸ queued", "trying", "holding"]
    assert all(lengths)
    until(lambda: pane.panel.source.place is not None)


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
        seek(pane, share)
        now = pane.canvas.now
        counts = now.added + (now.holder >= 0) if atomic else now.added
        for lock, count in enumerate(counts.tolist()):
            text = hover_text(now, Hit(lock=lock), atomic_count=atomic)
            assert f"Lock {lock} · " in text
            assert f" · count {count} · " in text
            pane.pictures.follow(None, lock)
            assert f"count {count} " in pane.panel.follow.title.text()


def test_in_stage_2_words_and_marked_lines_are_about_the_followed_row(pane, until):
    source = pane.panel.source
    steps = kernel_source().steps
    pane.player.seek(float(pane.shown[0].tile_start_ns.min()) + 1)
    until(lambda: source.place == steps[KernelStep.SUM])
    assert "Stage 2" in pane.caption.text()
    pane.follow(13)
    assert source.place == steps[KernelStep.RELEASE]
    assert "given lock 5 back" in pane.caption.text()
    pane.pictures.follow(None, 5)
    assert source.place is None
    told = "Nobody holds lock 5. Trying it: 0; queued: 0; rows in its buffer: 64."
    assert pane.caption.text() == told


def test_the_panel_is_shown_and_hidden_by_key_and_button(pane, qtbot):
    hidden = pane.panel.isHidden()
    press(pane.canvas, "K")
    assert pane.panel.isHidden() != hidden
    assert pane.transport.panel.isChecked() == hidden
    pane.transport.panel.click()
    pane.resize(700, 500)
    assert pane.panel.isHidden() == hidden
    narrow = on_screen(qtbot, ReductionPane(), 700, 500)
    assert narrow.panel.isHidden(), "until somebody wants it"


def drag(qtbot, canvas, position, way):
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=position)
    qtbot.mouseMove(canvas, position + way)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=position + way)


def test_zoomed_lanes_are_dragged_and_clicked_and_a_double_click_shows_all(pane, qtbot):
    canvas = pane.canvas
    player = pane.player
    position = point_in_lanes(pane, 1, 0.5)
    seek(pane, 0.5)
    for _ in range(6):
        wheel(canvas, position, 1)
    scene = canvas.scene
    time_ns = player.time_ns
    drag(qtbot, canvas, position, QPoint(60, 0))
    assert canvas.scene.begin_ns < scene.begin_ns
    assert canvas.scene.length_ns == pytest.approx(scene.length_ns)
    assert player.time_ns == time_ns
    expected = canvas._hit(QPointF(position)).time_ns
    click(canvas, position)
    assert player.time_ns == pytest.approx(expected)
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=position)
    assert not canvas.scene.zoomed


def test_everything_is_reached_with_keys_but_where_a_field_has_the_keyboard(pane):
    canvas = pane.canvas
    field = pane.transport.follow
    pane.follow(13)
    for lock in (5, 6):
        press(canvas, "L")
        assert pane.pictures.lock == lock
    press(canvas, "Z", "Z")
    zoomed = canvas.scene
    assert zoomed.zoomed
    press(canvas, "Shift+Z")
    assert canvas.scene.length_ns > zoomed.length_ns
    field.setFocus()
    field.selectAll()
    type_text(field, "100")
    press(field, "Return")
    assert pane.pictures.row == 100
    assert canvas.scene.zoomed, "the digits stayed in the field"
    press(canvas, "0")
    assert not canvas.scene.zoomed


def test_zooming_in_leads_from_all_rows_to_single_ones_and_back(pane):
    canvas = pane.canvas
    timeline = pane.shown[0]
    scenes = []
    for _ in range(40):
        scenes.append(canvas.scene)
        canvas.zoom(0.8)
    lengths, shares = zip(*((scene.length_ns, scene.share) for scene in scenes), strict=True)
    assert list(lengths) == sorted(lengths, reverse=True)
    assert list(shares) == sorted(shares, reverse=True)
    assert shares[-1] == pytest.approx(8 / 512)
    assert canvas._laid_out().waterfall.has_bars
    lives = timeline.released_ns - timeline.start_ns
    assert canvas.scene.length_ns < 2 * np.median(lives)
    for _ in range(60):
        canvas.zoom(1.25)
    assert not canvas.scene.zoomed
    assert rows_in_sight(pane) == (0.0, 1.0)


def test_what_is_under_the_pointer_stays_there_and_is_dragged_in_both_directions(pane, qtbot):
    position = point_in_lanes(pane, 2, 0.4)
    inside = QPointF(position) - QPointF(16, 8)
    slack_ns = 2 * pane.player.end_ns / 1000

    def under() -> tuple[float, float]:
        frame = pane.canvas._laid_out()
        return frame.waterfall.share_at(inside.y()), frame.hit(inside).time_ns

    for _ in range(12):
        share, time_ns = under()
        wheel(pane.canvas, position, 1)
        now = under()
        assert now[0] == pytest.approx(share, abs=0.01)
        assert now[1] == pytest.approx(time_ns, abs=slack_ns)
    scene = pane.canvas.scene
    drag(qtbot, pane.canvas, position, QPoint(0, 50))
    moved = pane.canvas.scene
    assert moved.top < scene.top
    assert moved.share == pytest.approx(scene.share)
    press(pane.canvas, "PgDown")
    assert pane.canvas.scene.top == pytest.approx(moved.top + 0.8 * moved.share)


def test_a_click_on_a_bar_follows_its_row_and_a_row_out_of_sight_is_fetched(pane):
    for _ in range(20):
        pane.canvas.zoom(0.8)
    pane.follow(3)
    top, bottom = rows_in_sight(pane)
    assert top <= place_of(pane.canvas.scene, 3) <= bottom
    waterfall = pane.canvas._laid_out().waterfall
    place = int(waterfall._top) + 2
    across = waterfall.lines.center().x()
    down = waterfall._y(place + 0.5)
    click(pane.canvas, QPoint(round(16 + across), round(8 + down)))
    assert pane.pictures.row == waterfall.arrangement.rows[place]


def test_rows_are_grouped_by_lock_by_sm_or_not_at_all(pane):
    for grouping in ("sm", "start", "lock"):
        press(pane.canvas, "G")
        assert pane.canvas.scene.grouping == grouping
        assert pane.transport.grouping.currentData() == grouping
        pane.grab()
    pane.transport.grouping.activated.emit(1)
    assert pane.view().grouping == "sm"
    assert pane.view().rows == (0.0, 1.0)
    pane.canvas.zoom(0.25)
    view = pane.view()
    timeline = pane.shown[0]
    pane.pictures.group("lock")
    pane.wish_view(timeline, view)
    pane.show_timeline(timeline, LAUNCH)
    assert pane.canvas.scene.grouping == "sm"
    assert rows_in_sight(pane) == pytest.approx(view.rows)


def test_a_followed_row_does_not_survive_into_another_launch(pane):
    pane.follow(7)
    for warps, row in ((LAUNCH.launch.num_warps, 7), (2, None)):
        launch = request(m=512, n=1024, group_size_m=8, num_warps=warps)
        pane.show_timeline(pane.shown[0], launch)
        assert pane.pictures.row == row
    assert pane.panel.follow.title.text() == NOTHING
