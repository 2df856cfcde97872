"""What lecture mode tells is worked out from what it is told about."""

from dataclasses import replace

import numpy as np
import pytest

from lnexplorer.domain.lecture.buffers import if_halved
from lnexplorer.domain.lecture.by_hand import why_twice
from lnexplorer.domain.lecture.material import (
    DY,
    MODEL,
    WEIGHT,
    BeatKind,
    LectureCase,
    LectureMaterial,
    X,
    beats,
    passings,
    share_overtaken,
    work_out,
)
from lnexplorer.domain.lecture.scenes import Playback, Question
from lnexplorer.domain.simulation.model import simulate
from lnexplorer.domain.stopwatch import Stopwatch
from lnexplorer.domain.timeline import RowState, moment, summarize
from lnexplorer.domain.violations import violations
from lnexplorer.domain.wording import nanoseconds
from lnkernels.values.sentence import Value
from lnkernels.values.timeline import ReductionTimeline, TraceCost
from tests.store.examples import small_result

RNG = np.random.default_rng(5)
TRACED = replace(
    work_out().timeline, cost=TraceCost(plain_ns=100.0, traced_ns=103.0, repetitions=5)
)
CASE = LectureCase(TRACED, summarize(TRACED), small_result())


def test_the_example_is_layer_norms_backward_pass() -> None:
    """Against derivatives by finite differences, for rows that are not chosen."""
    x, dy, weight = RNG.normal(size=(3, 6)), RNG.normal(size=(3, 6)), RNG.normal(size=6)
    example = work_out(x, dy, weight, 2)

    def loss(x: np.ndarray, weight: np.ndarray) -> float:
        mean = x.mean(axis=1, keepdims=True)
        rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axis=1, keepdims=True))
        return float((((x - mean) * rstd * weight) * dy).sum())

    step = 1e-6
    for row, column in np.ndindex(*x.shape):
        nudge = np.zeros_like(x)
        nudge[row, column] = step
        slope = (loss(x + nudge, weight) - loss(x - nudge, weight)) / (2 * step)
        assert example.values["dx"][row, column] == pytest.approx(slope, abs=1e-7)
    for column in range(6):
        nudge_w = np.zeros(6)
        nudge_w[column] = step
        slope = (loss(x, weight + nudge_w) - loss(x, weight - nudge_w)) / (2 * step)
        assert example.sums.dw[column] == pytest.approx(slope, rel=1e-5, abs=1e-5)
    assert example.sums.db == pytest.approx(dy.sum(axis=0), rel=1e-5)


def test_the_examples_numbers_can_be_read() -> None:
    example = work_out()
    assert (example.timeline.m, example.timeline.group_size_m) == (4, 2), (
        "the first chapter's title"
    )
    assert np.array_equal(np.abs(example.values["xhat"]), np.ones((4, 4)))
    assert example.values["rstd"].ravel().tolist() == [1, 0.5, 0.5, 1], "the note to rstd"
    for name in ("mean", "rstd", "c1", "c2", "dx"):
        quarters = 4 * example.values[name]
        assert np.array_equal(quarters, np.round(quarters)), name
    assert violations(example.timeline) == []
    assert np.array_equal(example.sums.dw, (DY * example.values["xhat"]).sum(axis=0))


def test_the_events_are_those_of_the_timeline_in_its_order() -> None:
    timeline = work_out().timeline
    told = beats(timeline)
    kinds = [beat.kind.name for beat in told]
    assert " ".join(kinds) == "START STORES STORES WAITS ADDS ADDS TILES END"
    times = [beat.time_ns for beat in told]
    assert times == sorted(set(times)), (
        "no two on one time, so the moment of each can be drawn from it"
    )
    for beat in told[1:-1]:
        assert beat.first_ns < beat.time_ns
        if beat.kind in (BeatKind.STORES, BeatKind.ADDS):
            (row,), now = beat.rows, moment(timeline, beat.time_ns)
            assert (now.holder[beat.lock], now.counts(atomic=True)[beat.lock]) == (
                row,
                beat.count + 1,
            )
            before = (
                timeline.wanted_ns[row]
                if beat.kind is BeatKind.STORES
                else timeline.released_ns[list(beat.others)]
            )
            assert beat.first_ns == before
    assert (told[3].rows, told[3].others) == ((2, 3), (0, 1))
    assert (told[-2].rows, told[-2].first_ns) == ((2, 3), timeline.released_ns.max())


def figures(question: Question, line: int = 0) -> dict[str, Value]:
    """What stands in a line of the answer."""
    return dict(question.answer[line].values)


def right(question: Question) -> str:
    return str(question.options[question.correct])


def test_without_counts_what_was_left_in_the_buffers_is_added() -> None:
    question = why_twice(work_out())
    assert right(question).startswith("4: a lock and a count")
    found = figures(question)
    assert int(str(found["wrong"]).replace("−", "-")) == 2 * int(
        str(found["right"]).replace("−", "-")
    )
    other = why_twice(work_out(2 * X, 3 * DY, WEIGHT, 3))
    assert right(other).startswith("6:")
    assert figures(other)["right"] != found["right"]


def test_halving_asks_about_the_size_that_it_answers() -> None:
    """Of two recordings whose stage 1 takes 100 ns and 180 ns."""
    cases = {
        size: replace(CASE, summary=replace(CASE.summary, stage1_ns=time))
        for size, time in ((8, 100), (4, 180), (1, 999))
    }
    question = if_halved(cases, 8)
    assert dict(question.text.values) == {"buffers": 8, "time": "100 ns"}
    assert figures(question) == {"half": 4, "second": "180 ns", "factor": "1.80"}
    assert right(question) == "2 times as long"
    assert question.source
    assert question.told_before
    for second_ns, option in (
        (101, "just as long"),
        (270, "2 times as long"),
        (390, "4 times as long"),
    ):
        cases[4] = replace(CASE, summary=replace(CASE.summary, stage1_ns=second_ns))
        assert right(if_halved(cases, 8)) == option


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


def contended(m: int = 200, group_size_m: int = 4) -> ReductionTimeline:
    return simulate(m, 64, group_size_m, 4, 16, replace(MODEL, resident_programs=32, sm_count=8))


def told(timeline: ReductionTimeline, words: str) -> tuple[int, dict[str, Value]] | None:
    """The time at which a sentence with these words is told, and its values."""
    return next(
        (
            (time_ns, dict(sentence.values))
            for time_ns, sentence in passings(timeline)
            if words in sentence.template
        ),
        None,
    )


def values(timeline: ReductionTimeline, words: str) -> dict[str, Value]:
    found = told(timeline, words)
    assert found is not None
    return found[1]


def test_what_there_is_to_tell_is_found_in_the_times() -> None:
    timeline = contended()
    waited = timeline.held_ns - timeline.wanted_ns
    times = {
        "the first of all": timeline.held_ns.min(),
        "none waits longer": timeline.held_ns[waited.argmax()],
        "the last lock back": timeline.released_ns.max(),
        "the last row starts": timeline.start_ns.max(),
        "stage 2 begins": timeline.tile_start_ns.min(),
    }
    for words, time in times.items():
        found = told(timeline, words)
        assert found is not None
        assert found[0] == time
    longest = values(timeline, "none waits longer")["length"]
    assert longest == nanoseconds(int(waited.max()))
    assert values(timeline, "stage 2 begins")["count"] == str(timeline.tile_start_ns.size)
    assert values(timeline, "are on the GPU")["count"] == "32"
    half = told(timeline, "half of the rows")
    assert half is not None
    assert (
        int((timeline.released_ns <= half[0]).sum())
        >= timeline.m / 2
        > int((timeline.released_ns < half[0]).sum())
    )
    all_times = [time_ns for time_ns, _ in passings(timeline)]
    assert all_times == sorted(all_times)


def test_the_first_row_that_waits_finds_its_lock_held_and_most_waits_are_counted() -> None:
    timeline = contended()
    first = told(timeline, "It has to queue")
    assert first is not None
    row = int(first[1]["row"])
    before = (timeline.lock == timeline.lock[row]) & (timeline.order < timeline.order[row])
    assert timeline.released_ns[before].max() > first[0]
    at_most = max(moment(timeline, int(time)).count(RowState.QUEUED) for time in timeline.wanted_ns)
    assert values(timeline, "rows queue at once")["count"] == str(at_most)


def test_the_share_of_overtakings_counts_rows_that_asked_later_than_one_behind_them() -> None:
    timeline = contended(6, 2)
    wanted = timeline.wanted_ns.copy()
    # In the order of its lock: the first row is handed nothing; the second overtakes the third.
    for lock, times in enumerate(([9, 5, 3], [1, 2, 3])):
        rows = np.flatnonzero(timeline.lock == lock)
        wanted[rows[np.argsort(timeline.order[rows])]] = times
    assert share_overtaken(replace(timeline, wanted_ns=wanted)) == 1 / 4


def test_where_nobody_waits_no_wait_is_told() -> None:
    for words in ("It has to queue", "rows queue at once", "none waits longer"):
        assert told(contended(8, 8), words) is None


def test_a_film_tells_the_latest_and_halts_up_to_where_it_ends() -> None:
    timeline = contended()
    film = Playback(replace(CASE, timeline=timeline))
    for share in (0.0, 0.3, 0.7):
        now = share * timeline.end_ns
        past = [sentence for time_ns, sentence in passings(timeline) if time_ns <= now]
        assert film.latest(now) == past[-1]
    assert film.latest(timeline.end_ns) is film.latest(-1) is None
    end = film.halts[3] + 1
    early = replace(film, until_ns=end)
    assert early.halts == (*film.halts[:4], end)
    assert early.latest(end - 1) == film.latest(end - 1)
    assert early.latest(end) is None


def test_stage_2_begins_when_stage_1_has_ended(recorded: LectureMaterial) -> None:
    for case in (*recorded.cases.values(), recorded.small, recorded.wide):
        timeline = case.timeline
        assert timeline.tile_start_ns.min() >= timeline.released_ns.max()
