"""Strategies over one time axis: the colour of each pixel of a lane."""

from dataclasses import replace

import numpy as np
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
from lnkernels.values.timeline import StrategyTimeline
from tests.gui.windows import off_screen
from tests.sample_experiments import sample
from tests.sample_timelines import sharing_timeline, walking_timeline
from tests.store.examples import traced_timeline


def lanes_of(timeline: StrategyTimeline, width: int = 500) -> np.ndarray:
    """Paint 500 ns of each program."""
    (lanes,) = chosen_lanes((timeline,), 100)
    assert lanes.count == len(lanes.programs)
    return lane_indices(lanes, 500.0, width)


def is_all(pixels: np.ndarray, colour: int) -> bool:
    return set(pixels.tolist()) == {colour}


def test_a_lane_shows_pieces_in_turn_then_waiting_then_adding() -> None:
    first, second = lanes_of(walking_timeline())  # a pixel a nanosecond
    assert is_all(first[:190], COMPUTING)
    assert is_all(first[200:400], NEXT_PIECE)
    assert is_all(first[400:420], ADDING)
    assert is_all(first[420:], NOTHING)
    assert is_all(second[390:400], WAITING)
    (stage2,) = stage2_indices(walking_timeline(), 500.0, 500)
    assert is_all(stage2[:380], NOTHING)
    assert is_all(stage2[380:430], WAITING)  # set up, while stage 1 runs
    assert is_all(stage2[430:], STAGE2)


def test_programs_that_share_rows_wait_within_their_turns_but_on_the_interpreter() -> None:
    timeline = sharing_timeline()
    first, second, *others = lanes_of(timeline)
    assert len(others) == 2
    assert is_all(first[60:80], WAITING)
    assert is_all(second[70:80], WAITING)
    assert is_all(second[60:70], COMPUTING)
    assert is_all(first[80:100], COMPUTING)
    assert is_all(first[100:160], NEXT_PIECE)
    interpreted = replace(timeline, kind=Kind.INTERPRETED)
    assert WAITING not in lanes_of(interpreted)
    assert WAITING not in stage2_indices(
        replace(walking_timeline(), kind=interpreted.kind), 500, 500
    )


@pytest.mark.parametrize("width", [25, 50])
def test_many_short_waits_look_no_longer_than_they_are(width: int) -> None:
    # 20 and 10 ns a pixel: a wait of 10 ns is half a pixel, or one
    waiting = lanes_of(sharing_timeline(), width)[0] == WAITING
    assert waiting.sum() * 500 / width == pytest.approx(80, abs=500 / width)


def test_the_same_sms_stand_beside_each_other() -> None:
    locked = of_locked(traced_timeline())  # on the SMs 0 to 3
    both = (locked, walking_timeline())
    assert common_sms(both, 6).tolist() == [0, 1]
    for height, sms in ((100, [0, 1]), (1, [0])):  # no room for more than one
        lanes, _ = chosen_lanes(both, height)
        assert sorted(set(locked.sm[lanes.programs].tolist())) == sms


def test_strategies_stand_below_each_other_as_far_as_they_were_recorded(qtbot: QtBot) -> None:
    widget = off_screen(qtbot, ProgramLanesView(), 700, 300)
    found = sample("strategies").findings_of(Strategies)
    widget.set_lanes(found.lanes())
    names = [timeline.strategy for timeline in widget.timelines]
    assert names == ["locked", "atomic", "persistent"]
    assert "persistent" in widget.accessibleDescription()
    image = widget.grab().toImage()
    places = [(x, y) for x in range(0, 700, 3) for y in range(0, 300, 3)]
    assert len({image.pixel(x, y) for x, y in places}) >= 6
    for shown in (replace(found, others=()), replace(found, others=(), timeline=None)):
        widget.set_lanes(shown.lanes())
        assert len(widget.timelines) == (shown.timeline is not None)
        assert bool(widget.entries()) == bool(widget.timelines)
