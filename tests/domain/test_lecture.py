"""What lecture mode tells is worked out from what it is told about."""

from dataclasses import replace

import numpy as np
import pytest

from lnexplorer.domain.lecture.answers import if_halved, if_zeroed, when_zero, why_twice
from lnexplorer.domain.lecture.example import (
    DY,
    MODEL,
    WEIGHT,
    BeatKind,
    X,
    beats,
    last_contents,
    locked_traffic,
    register_traffic,
    strides,
    sums_without_counts,
    work_out,
)
from lnexplorer.domain.lecture.material import GROUP_SIZES, growth
from lnexplorer.domain.lecture.position import Position, Stopwatch, clock_text
from lnexplorer.domain.lecture.storyboard import Asked, Told, storyboard
from lnexplorer.domain.violations import violations
from lnkernels.values.environment import Kind
from tests.domain.timelines import request

RNG = np.random.default_rng(5)


def test_the_example_is_layer_norms_backward_pass() -> None:
    """Against derivatives by finite differences, for rows that are not chosen."""
    x, dy, weight = RNG.normal(size=(3, 6)), RNG.normal(size=(3, 6)), RNG.normal(size=6)
    example = work_out(x, dy, weight, 2, eps=1e-5)

    def loss(x: np.ndarray, weight: np.ndarray) -> float:
        mean = x.mean(axis=1, keepdims=True)
        rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axis=1, keepdims=True) + 1e-5)
        return float((((x - mean) * rstd * weight) * dy).sum())

    step = 1e-6
    for row, column in np.ndindex(*x.shape):
        nudge = np.zeros_like(x)
        nudge[row, column] = step
        slope = (loss(x + nudge, weight) - loss(x - nudge, weight)) / (2 * step)
        assert example.dx[row, column] == pytest.approx(slope, abs=1e-7)
    for column in range(6):
        nudge_w = np.zeros(6)
        nudge_w[column] = step
        slope = (loss(x, weight + nudge_w) - loss(x, weight - nudge_w)) / (2 * step)
        assert example.sums.dw[column] == pytest.approx(slope, rel=1e-5, abs=1e-5)
    assert example.sums.db == pytest.approx(dy.sum(axis=0), rel=1e-5)


def test_the_examples_numbers_can_be_read() -> None:
    example = work_out()
    assert np.array_equal(np.abs(example.xhat), np.ones((4, 4)))
    for values in (example.mean, example.rstd, example.c1, example.c2, example.dx):
        assert np.array_equal(values * 4, np.round(values * 4)), "quarters at most"
    assert violations(example.timeline) == []
    assert np.array_equal(example.sums.dw, (DY * example.xhat).sum(axis=0))


def test_the_events_are_those_of_the_timeline_in_its_order() -> None:
    example = work_out()
    told = beats(example.timeline)
    times = [beat.time_ns for beat in told]
    assert times == sorted(times)
    for row in range(4):
        kinds = [beat.kind for beat in told if beat.row == row]
        wanted = BeatKind.WAITS if row >= 2 else BeatKind.FINDS_FREE
        taken = BeatKind.ADDS if row >= 2 else BeatKind.STORES
        assert kinds == [wanted, taken, BeatKind.RELEASES]
    waits = next(beat for beat in told if beat.row == 2)
    assert (waits.lock, waits.other) == (0, 0)
    assert [beat.count for beat in told if beat.kind is BeatKind.RELEASES and beat.lock == 0] == [1, 2]
    assert [beat.kind for beat in told[-2:]] == [BeatKind.TILES, BeatKind.END]


def test_with_as_many_buffers_as_rows_nobody_waits() -> None:
    told = beats(work_out(group_size_m=4).timeline)
    assert BeatKind.WAITS not in {beat.kind for beat in told}
    assert BeatKind.ADDS not in {beat.kind for beat in told}


def test_without_counts_what_was_left_in_the_buffers_is_added() -> None:
    example = work_out()
    assert np.array_equal(sums_without_counts(example, np.zeros((2, 4))), example.sums.dw)
    assert np.array_equal(last_contents(example).sum(axis=0), example.sums.dw)
    answer = why_twice(example)
    assert answer.options[answer.correct] == answer.figures["numbers"] == 4
    assert answer.figures["wrong"] == 2 * answer.figures["right"]
    other = why_twice(work_out(2 * X, 3 * DY, WEIGHT, 3))
    assert other.figures["numbers"] == 6
    assert other.figures["right"] != answer.figures["right"]


def test_the_rows_that_find_the_count_at_zero_are_counted() -> None:
    for group_size_m, found in ((1, 1), (2, 2), (3, 3), (8, 4)):
        answer = when_zero(work_out(group_size_m=group_size_m).timeline)
        assert answer.options[answer.correct] == found
        assert answer.kinds == (Kind.SIMULATED,)


def test_a_recorded_timeline_gives_its_own_counts() -> None:
    timeline = work_out().timeline
    overtaken = replace(timeline, order=np.array([1, 0, 0, 1], np.int32), kind=Kind.RECORDED)
    answer = when_zero(timeline, overtaken)
    assert (answer.figures["recorded_found"], answer.figures["overtaken"]) == (2, 1)
    assert answer.kinds == (Kind.SIMULATED, Kind.RECORDED)


def test_zeroing_costs_a_store_and_a_load_of_every_element_of_the_buffers() -> None:
    answer = if_zeroed(request(m=4096, n=1024, group_size_m=256))
    assert answer.figures["stored"] == answer.figures["loaded"] == 2 * 256 * 1024 * 4
    assert answer.options[answer.correct] == answer.figures["stored"]
    assert answer.figures["share"] == pytest.approx(2 * 2 * 256 * 1024 * 4 / (3 * 4096 * 1024 * 2))
    assert if_zeroed(request(m=4096, n=1024, group_size_m=128)).figures["stored"] == answer.figures["stored"] / 2
    assert if_zeroed(request(m=100, n=1024, group_size_m=256)).figures["elements"] == 2 * 100 * 1024


def test_the_right_options_stand_in_different_places() -> None:
    answers = why_twice(work_out()), when_zero(work_out().timeline), if_zeroed(request(m=4096, n=1024, group_size_m=256))
    assert len({answer.correct for answer in answers}) == len(answers)


def test_halving_is_read_off_the_simulation_and_the_recordings() -> None:
    points = growth(request(m=1024, n=1024), 1584, 132)
    assert tuple(point.group_size_m for point in points) == GROUP_SIZES
    assert all(violations(point.timeline) == [] for point in points)
    answer = if_halved(points, {256: 100, 16: 1600})
    factor = points[1].summary.stage1_ns / points[0].summary.stage1_ns
    assert answer.figures["factor"] == factor
    assert answer.figures["recorded_factor"] == pytest.approx(2.0)
    assert answer.kinds == (Kind.SIMULATED, Kind.RECORDED)
    turned = if_halved((points[0], points[0]))
    assert turned.options[turned.correct] == 1.0
    assert turned.kinds == (Kind.SIMULATED,)
    far = if_halved((points[0], points[2]))
    assert far.options[far.correct] == pytest.approx(4.0)


def test_sums_of_ones_own_are_the_same_sums() -> None:
    dw, db = RNG.normal(size=(7, 3)), RNG.normal(size=(7, 3))
    rounds = strides(dw, db, 3)
    assert [stride.rows for stride in rounds] == [(0, 1, 2), (3, 4, 5), (6, -1, -1)]
    assert rounds[-1].dw.sum(axis=0) == pytest.approx(dw.sum(axis=0))
    assert rounds[-1].db.sum(axis=0) == pytest.approx(db.sum(axis=0))
    assert np.array_equal(rounds[0].dw, dw[:3])


def test_traffic_counts_every_load_and_store() -> None:
    """Row by row, as the kernels do."""
    m, n, group_size_m, programs, element = 10, 8, 3, 4, 4
    stored = loaded = 0
    written = set()
    for row in range(m):
        loaded += (row % group_size_m in written) * 2 * n * element
        stored += 2 * n * element
        written.add(row % group_size_m)
    loaded += len(written) * 2 * n * element
    locked = locked_traffic(m, n, group_size_m, element)
    assert (locked.stored, locked.loaded, locked.locks_taken) == (stored, loaded, m)
    free = register_traffic(m, n, programs, element)
    assert (free.stored, free.loaded, free.locks_taken) == (programs * 2 * n * element,) * 2 + (0,)


def test_a_question_is_asked_before_it_is_answered_and_events_are_all_told() -> None:
    example = work_out()
    steps = storyboard(example, (256, 16))
    asked = [step.scene for step in steps if isinstance(step.scene, Asked)]
    assert [scene.revealed for scene in asked] == [False, True] * 4
    assert len({scene.question for scene in asked}) == 4
    assert tuple(step.scene.beat for step in steps if isinstance(step.scene, Told)) == beats(example.timeline)
    assert [step.chapter for step in steps] == sorted(step.chapter for step in steps)


def test_a_position_stays_within_the_steps() -> None:
    position = Position(20)
    assert position.back().step == 0
    assert position.last().forward().step == 19
    assert position.with_digit("1").with_digit("7").jump() == Position(20, 16)
    assert position.with_digit("0").jump().step == 0
    assert position.with_digit("9").with_digit("9").jump().step == 19
    assert position.jump() is position
    assert position.with_digit("1").with_digit("2").with_digit("3").with_digit("4").typed == "4"
    assert position.with_digit("4").forward().typed == ""


def test_the_stopwatch_starts_pauses_and_goes_back() -> None:
    now = [100.0]
    watch = Stopwatch(lambda: now[0])
    assert watch.seconds == 0
    watch.start()
    now[0] = 130
    assert watch.seconds == 30
    watch.start()
    assert watch.seconds == 30
    watch.toggle()
    now[0] = 200
    assert (watch.seconds, watch.running) == (30, False)
    watch.toggle()
    now[0] = 205
    assert watch.seconds == 35
    watch.reset()
    now[0] = 207
    assert (watch.seconds, watch.running) == (2, True)


@pytest.mark.parametrize(("seconds", "text"), [(0, "00:00"), (61.9, "01:01"), (3600, "1:00:00"), (3725, "1:02:05")])
def test_a_time_is_written_as_on_a_clock(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text


def test_another_schedule_gives_other_events() -> None:
    eager = replace(MODEL, stagger_ns=10_000)
    assert BeatKind.WAITS not in {beat.kind for beat in beats(work_out(model=eager).timeline)}
