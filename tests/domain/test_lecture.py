"""What lecture mode tells is worked out from what it is told about."""

from dataclasses import replace

import numpy as np
import pytest

from lnexplorer.domain.experiments.words import bytes_text
from lnexplorer.domain.lecture.example import DY, MODEL, WEIGHT, BeatKind, X, beats, work_out
from lnexplorer.domain.lecture.material import (
    GROUP_SIZES,
    Case,
    Material,
    Passing,
    latest,
    passings,
    simulated_like,
    time_text,
)
from lnexplorer.domain.lecture.position import Position, clock_text
from lnexplorer.domain.lecture.questions import Question, if_halved, if_zeroed, when_zero, why_twice
from lnexplorer.domain.lecture.storyboard import Asked, Comparison, Event, storyboard
from lnexplorer.domain.simulation import simulate
from lnexplorer.domain.stopwatch import Stopwatch
from lnexplorer.domain.timeline import RowState, free_ns, moment, summarize
from lnexplorer.domain.violations import violations
from lnkernels.sentence import Value
from lnkernels.values.environment import Kind
from lnkernels.values.timeline import ReductionTimeline
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


def figures(question: Question, line: int = 0) -> dict[str, Value]:
    """What stands in a line of the answer."""
    return dict(question.answer[line].values)


def right(question: Question) -> str:
    return str(question.options[question.correct])


def test_without_counts_what_was_left_in_the_buffers_is_added() -> None:
    question = why_twice(work_out())
    assert right(question).startswith("4: a lock and a count")
    found = figures(question)
    assert int(str(found["wrong"]).replace("−", "-")) == 2 * int(str(found["right"]).replace("−", "-"))
    other = why_twice(work_out(2 * X, 3 * DY, WEIGHT, 3))
    assert right(other).startswith("6:")
    assert figures(other)["right"] != found["right"]


def test_the_rows_that_find_the_count_at_zero_are_counted() -> None:
    for group_size_m, found in ((1, 1), (2, 2), (3, 3), (8, 4)):
        question = when_zero(work_out(group_size_m=group_size_m).timeline)
        assert right(question).startswith(f"{found}:")
        assert question.kinds == (Kind.SIMULATED,)


def test_a_recorded_timeline_gives_its_own_counts() -> None:
    timeline = work_out().timeline
    overtaken = replace(timeline, order=np.array([1, 0, 0, 1], np.int32), kind=Kind.RECORDED)
    question = when_zero(timeline, overtaken)
    assert (figures(question, 1)["found"], figures(question, 1)["overtaken"]) == (2, 1)
    assert question.kinds == (Kind.SIMULATED, Kind.RECORDED)
    assert question.kinds_asked == (Kind.SIMULATED,)


def test_zeroing_costs_a_store_and_a_load_of_every_element_of_the_buffers() -> None:
    question = if_zeroed(request(m=4096, n=1024, group_size_m=256))
    assert right(question) == figures(question)["size"] == bytes_text(2 * 256 * 1024 * 4)
    assert figures(question)["share"] == f"{100 * 2 * 2 * 256 * 1024 * 4 / (3 * 4096 * 1024 * 2):.0f} %"
    assert right(if_zeroed(request(m=4096, n=1024, group_size_m=128))) == bytes_text(2 * 128 * 1024 * 4)
    assert right(if_zeroed(request(m=100, n=1024, group_size_m=256))) == bytes_text(2 * 100 * 1024 * 4)


def test_the_right_options_stand_in_different_places() -> None:
    questions = why_twice(work_out()), when_zero(work_out().timeline), if_zeroed(request(m=4096, n=1024, group_size_m=256))
    assert len({question.correct for question in questions}) == len(questions)


def taking(stage1_ns: int) -> Case:
    timeline = work_out().timeline
    return Case(timeline, replace(summarize(timeline), stage1_ns=stage1_ns))


@pytest.mark.parametrize(("second_ns", "option"), [(101, "just as long"), (270, "2 times as long"), (390, "4 times as long")])
def test_halving_is_read_off_the_simulation_and_the_recordings(second_ns: int, option: str) -> None:
    simulated = {256: taking(100), 128: taking(second_ns)}
    question = if_halved(simulated, {})
    assert right(question) == option
    assert question.kinds == (Kind.SIMULATED,)
    beside = if_halved(simulated, {256: taking(100), 16: taking(1600)})
    assert figures(beside, 1)["factor"] == "2.00"
    assert beside.kinds == (Kind.SIMULATED, Kind.RECORDED)


def test_the_model_has_as_many_programs_and_sms_as_the_recording() -> None:
    recorded = simulate(200, 64, 4, 4, 16, replace(MODEL, resident_programs=32, sm_count=8))
    case = simulated_like(recorded, request(m=200, n=64, group_size_m=4))
    assert violations(case.timeline) == []
    assert (case.timeline.m, case.timeline.group_size_m) == (200, 4)
    assert set(case.timeline.sm.tolist()) <= set(range(8))


def loaded() -> Material:
    """All of the material, of launches of which nobody waits long."""
    case = taking(1000)
    cases = dict.fromkeys(GROUP_SIZES, case)
    return Material(example=work_out(), request=request(m=10, n=8, group_size_m=3), recorded=cases, simulated=cases)


def test_traffic_counts_every_load_and_store() -> None:
    """Row by row, as the kernels do."""
    m, n, group_size_m, element = 10, 8, 3, 4
    stored = loads = 0
    written = set()
    for row in range(m):
        loads += (row % group_size_m in written) * 2 * n * element
        stored += 2 * n * element
        written.add(row % group_size_m)
    loads += len(written) * 2 * n * element
    lines = next(step.scene.lines for step in storyboard(loaded()) if isinstance(step.scene, Comparison))
    programs = 4  # SMs of the example
    own = bytes_text(programs * 2 * n * element)
    assert [[str(text) for text in line[1:]] for line in lines[1:]] == [
        [f"{m} times", "never"],
        [bytes_text(stored), own],
        [bytes_text(loads), own],
    ]


def test_a_question_is_asked_before_it_is_answered_and_events_are_all_told() -> None:
    steps = storyboard(loaded())
    asked = [step.scene for step in steps if isinstance(step.scene, Asked)]
    assert [scene.revealed for scene in asked] == [False, True] * 4
    assert len({scene.question.name for scene in asked}) == 4
    assert tuple(step.scene.beat for step in steps if isinstance(step.scene, Event)) == beats(work_out().timeline)
    assert [step.chapter for step in steps] == sorted(step.chapter for step in steps)
    assert len(storyboard(Material(example=work_out()))) == len(steps), "as many before all is loaded"


def test_a_position_stays_within_the_steps() -> None:
    position = Position(20)
    assert position.moved(-1).step == 0
    assert position.at(99).moved(1).step == 19
    assert position.with_digit("1").with_digit("7").entered() == Position(20, 16)
    assert position.with_digit("0").entered().step == 0
    assert position.with_digit("9").with_digit("9").entered().step == 19
    assert position.entered() == position.moved(1)
    assert position.with_digit("1").with_digit("2").with_digit("3").with_digit("4").typed == "4"
    assert position.with_digit("4").moved(1).typed == ""


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


def contended(m: int = 200, group_size_m: int = 4) -> ReductionTimeline:
    return simulate(m, 64, group_size_m, 4, 16, replace(MODEL, resident_programs=32, sm_count=8))


def test_no_two_events_of_the_example_fall_on_one_time() -> None:
    """So the moment of each can be drawn from its time."""
    timeline = work_out().timeline
    times = [beat.time_ns for beat in beats(timeline)]
    assert len(set(times)) == len(times)
    for beat in beats(timeline):
        if beat.kind in (BeatKind.STORES, BeatKind.ADDS):
            now = moment(timeline, beat.time_ns)
            assert (now.holder[beat.lock], now.counts(barrier=True)[beat.lock]) == (beat.row, beat.count + 1)


def told(timeline: ReductionTimeline, words: str) -> Passing | None:
    """What is told in a sentence with these words."""
    return next((passing for passing in passings(timeline) if passing.sentence and words in passing.sentence.template), None)


def values(passing: Passing | None) -> dict[str, Value]:
    assert passing is not None
    assert passing.sentence is not None
    return dict(passing.sentence.values)


def test_what_there_is_to_tell_is_found_in_the_times() -> None:
    timeline = contended()
    queued = free_ns(timeline) - timeline.wanted_ns
    times = {
        "the first of all": timeline.held_ns.min(),
        "longer than any other": timeline.held_ns[queued.argmax()],
        "the last lock back": timeline.released_ns.max(),
        "the last row starts": timeline.start_ns.max(),
        "stage 2 begins": timeline.tile_start_ns.min(),
    }
    for words, time in times.items():
        passing = told(timeline, words)
        assert passing is not None
        assert passing.time_ns == time
    assert values(told(timeline, "longer than any other"))["length"] == time_text(int(queued.max()))
    assert values(told(timeline, "stage 2 begins"))["count"] == str(timeline.tile_start_ns.size)
    assert values(told(timeline, "are on the GPU"))["count"] == "32"
    half = told(timeline, "half of the rows")
    assert half is not None
    assert int((timeline.released_ns <= half.time_ns).sum()) >= timeline.m / 2 > int((timeline.released_ns < half.time_ns).sum())
    all_times = [passing.time_ns for passing in passings(timeline)]
    assert all_times == sorted(all_times)


def test_the_first_row_that_waits_finds_its_lock_held_and_most_waits_are_counted() -> None:
    timeline = contended()
    first = told(timeline, "the first that has to queue")
    row = int(values(first)["row"])
    assert first is not None
    before = (timeline.lock == timeline.lock[row]) & (timeline.order < timeline.order[row])
    assert timeline.released_ns[before].max() > first.time_ns
    at_most = max(moment(timeline, int(time)).count(RowState.QUEUED) for time in timeline.wanted_ns)
    assert values(told(timeline, "rows queue at once"))["count"] == str(at_most)


def test_where_nobody_waits_no_wait_is_told() -> None:
    for words in ("the first that has to queue", "rows queue at once", "longer than any other"):
        assert told(contended(8, 8), words) is None


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_the_latest_of_them_is_told(share: float) -> None:
    timeline = contended()
    past = [passing for passing in passings(timeline) if passing.time_ns <= share * timeline.end_ns]
    assert latest(timeline, share * timeline.end_ns) == past[-1].sentence
    assert latest(timeline, timeline.end_ns) is latest(timeline, -1) is None
