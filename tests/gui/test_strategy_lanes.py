"""Strategies over one time axis: what each pixel of a lane shows."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.timeline import of_locked
from lnexplorer.gui.timeline.program_lanes import (
    ADDING,
    COMPUTING,
    NEXT_PIECE,
    NOTHING,
    STAGE2,
    WAITING,
    ProgramLanesView,
    chosen_lanes,
    common_sms,
    lane_indices,
    stage2_indices,
)
from lnkernels.values.environment import Kind
from tests.sample_experiments import sample
from tests.sample_timelines import sharing_timeline, walking_timeline
from tests.store.examples import traced_timeline


def test_a_lane_shows_pieces_in_turn_then_waiting_then_adding() -> None:
    (lanes,) = chosen_lanes((walking_timeline(),), 100)
    assert lanes.count == 2
    first, second = lane_indices(lanes, 500.0, 500)  # a pixel a nanosecond
    assert set(first[:190]) == {COMPUTING}
    assert set(first[200:400]) == {NEXT_PIECE}
    assert set(first[400:420]) == {ADDING}
    assert set(first[420:]) == {NOTHING}
    assert set(second[390:400]) == {WAITING}
    (stage2,) = stage2_indices(walking_timeline(), 500.0, 500)
    assert set(stage2[380:430]) == {WAITING}  # set up, while stage 1 runs
    assert set(stage2[430:500]) == {STAGE2}
    assert set(stage2[:380]) == {NOTHING}


def test_programs_that_share_rows_wait_within_their_turns() -> None:
    (lanes,) = chosen_lanes((sharing_timeline(),), 100)
    assert lanes.count == 4
    pictures = lane_indices(lanes, 500.0, 500)
    assert set(pictures[0][60:80]) == set(pictures[1][70:80]) == {WAITING}
    assert set(pictures[1][60:70]) == set(pictures[0][80:100]) == {COMPUTING}
    assert set(pictures[0][100:160]) == {NEXT_PIECE}
    (interpreted,) = chosen_lanes((replace(sharing_timeline(), kind=Kind.INTERPRETED),), 100)
    assert WAITING not in lane_indices(interpreted, 500.0, 500)


def test_many_short_waits_look_no_longer_than_they_are() -> None:
    (lanes,) = chosen_lanes((sharing_timeline(),), 100)
    for width in (25, 50):  # 20 and 10 ns a pixel: a wait of 10 ns is half a pixel, or one
        waiting = lane_indices(lanes, 500.0, width) == WAITING
        assert waiting[0].sum() * 500 / width == pytest.approx(80, abs=500 / width)


def test_the_same_sms_stand_beside_each_other() -> None:
    locked = of_locked(traced_timeline())  # on the SMs 0 to 3
    assert common_sms((locked, walking_timeline()), 6).tolist() == [0, 1]
    for height, sms in ((100, [0, 1]), (1, [0])):  # no room for more than one
        lanes = chosen_lanes((locked, walking_timeline()), height)
        assert sorted(set(locked.sm[lanes[0].programs].tolist())) == sms


def test_on_the_interpreter_each_program_has_a_lane_and_nobody_waits() -> None:
    timeline = replace(walking_timeline(), kind=Kind.INTERPRETED)
    (lanes,) = chosen_lanes((timeline,), 4)
    assert lanes.count == 2
    assert WAITING not in lane_indices(lanes, 500.0, 500)
    assert WAITING not in stage2_indices(timeline, 500.0, 500)


def colours(widget: ProgramLanesView) -> int:
    image = widget.grab().toImage()
    return len(
        {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    )


@pytest.fixture
def widget(qtbot: QtBot) -> ProgramLanesView:
    widget = ProgramLanesView()
    qtbot.addWidget(widget)
    return widget


def test_strategies_stand_below_each_other(widget: ProgramLanesView) -> None:
    widget.resize(700, 300)
    widget.set_lanes(sample("strategies").findings_of(Strategies).lanes())
    assert [timeline.strategy for timeline in widget.timelines] == [
        "locked",
        "atomic",
        "persistent",
    ]
    assert "persistent" in widget.accessibleDescription()
    assert colours(widget) >= 6


def test_the_notes_tell_that_rows_are_shared() -> None:
    others = (walking_timeline(), sharing_timeline())
    notes = Strategies(rows=(), timeline=None, others=others).lanes().notes
    assert any("programs share a row" in str(note) for note in notes)


def test_what_was_not_recorded_has_no_strip(widget: ProgramLanesView) -> None:
    found = sample("strategies").findings_of(Strategies)
    for shown, strips in (
        (replace(found, others=()), 1),
        (replace(found, others=(), timeline=None), 0),
    ):
        widget.set_lanes(shown.lanes())
        assert len(widget.timelines) == strips
        assert bool(widget.entries()) == bool(strips)
