"""What the lecture says beside its pictures: what a sum is made of, what happens now, what recording cost, whose
numbers.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.lecture.answers import Question
from lnexplorer.domain.lecture.example import BeatKind, work_out
from lnexplorer.domain.lecture.material import Material, PassingKind, halts, passings
from lnexplorer.domain.lecture.storyboard import Asked, Charted, Played, Raced, Step, Strode, Told
from lnexplorer.domain.moments import RowState, moment
from lnexplorer.gui.lecture.lecture import HaltingPlayer
from lnexplorer.gui.lecture.loading import RECORDINGS, STRATEGIES, load_material
from lnexplorer.gui.lecture.page import PageState, said, timeline_of
from lnexplorer.gui.lecture.question_page import answer_text, answer_to
from lnexplorer.gui.lecture.recorded_pages import TracePicture
from lnexplorer.gui.lecture.sheet import together
from lnexplorer.gui.lecture.words import aside, caption, passing_text, plain, share_text
from lnexplorer.gui.reduction.painter.wording import time_text
from lnexplorer.gui.reduction.player import Player
from lnexplorer.store.resources import resource
from lnkernels.values.timeline import TraceCost
from tests.gui.test_lecture_pages import drawn, steps


@pytest.fixture(scope="module")
def material() -> Material:
    paths = {size: resource(name) for size, name in RECORDINGS.items()}
    found = load_material(Material(example=work_out()), paths, strategies=resource(STRATEGIES))
    return replace(found, costs={256: cost(50_000, 53_000), 16: cost(600_000, 603_000)})


@pytest.fixture
def trace(qapp: QApplication) -> Iterator[TracePicture]:
    parent = QWidget()
    yield TracePicture(parent)
    parent.deleteLater()


def cost(plain_ns: float, traced_ns: float) -> TraceCost:
    return TraceCost(plain_ns=plain_ns, traced_ns=traced_ns, repetitions=8)


def played(material: Material, *, recorded: bool) -> Step:
    return next(step for step in steps(material) if isinstance(step.scene, Played) and step.scene.recorded is recorded)


def texts(step: Step, material: Material, trace: TracePicture) -> list[str]:
    return [written.text for written in drawn(step, material, trace)[0].written]


def test_an_addition_shows_what_was_loaded_the_row_and_the_sum(material: Material, trace: TracePicture) -> None:
    example = material.example
    step = next(step for step in steps(material) if isinstance(step.scene, Told) and step.scene.beat.kind is BeatKind.ADDS)
    assert isinstance(step.scene, Told)
    row, lock = step.scene.beat.row, step.scene.beat.lock
    sheet, _ = drawn(step, material, trace)
    lines: dict[float, list[str]] = {}
    for written in sheet.written:
        lines.setdefault(round(written.room.top()), []).append(written.text)
    before = [plain(float(value)) for value in example.sums.dw_after[lock]]  # row 0 was the first of lock 0
    own = [plain(float(value)) for value in example.partial_rows.dw[row]]
    total = [plain(float(value)) for value in example.sums.dw_after[row]]
    shown = [texts for _, texts in sorted(lines.items())]
    numbers = [[text for text in line if text in {"+", *before, *own, *total}] for line in shown]
    places = [
        next(place for place, line in enumerate(numbers) if line[:5] == ["+", *own]),
        next(place for place, line in enumerate(numbers) if line[:4] == total),
    ]
    assert numbers[places[0] - 1][:4] == before
    assert places[1] == places[0] + 1
    assert any(f"from {step.scene.beat.count} to {step.scene.beat.count + 1}" in text for text in texts(step, material, trace))
    assert f"count {step.scene.beat.count + 1}" in [text for line in shown for text in line]


def test_a_row_that_is_stored_stays_in_its_buffer(material: Material, trace: TracePicture) -> None:
    example = material.example
    own = [plain(float(value)) for value in example.partial_rows.dw[0]]
    lines: dict[float, list[str]] = {}
    step = next(step for step in steps(material) if isinstance(step.scene, Told) and step.scene.beat.kind is BeatKind.STORES)
    for written in drawn(step, material, trace)[0].written:
        lines.setdefault(round(written.room.top()), []).append(written.text)
    holding = [line for line in lines.values() if any(line[at : at + 4] == own for at in range(len(line)))]
    assert len(holding) == 2, "the row, and the buffer"


@pytest.mark.parametrize("recorded", [False, True])
def test_what_happens_is_told_while_it_plays_and_the_sum_of_it_at_the_end(recorded: bool, material: Material) -> None:
    step = played(material, recorded=recorded)
    timeline = timeline_of(step, material)
    assert timeline is not None
    state = PageState(step=step, number=1, count=50, material=material)
    told = [said(replace(state, time_ns=float(passing.time_ns))) for passing in passings(timeline)]
    assert len(set(told)) == len(told)
    assert told[-1] == caption(step.scene, material)
    for passing, text in zip(passings(timeline)[1:-1], told[1:-1], strict=True):
        assert text.startswith(time_text(passing.time_ns))


def test_recorded_times_stand_beside_what_recording_cost(material: Material, trace: TracePicture) -> None:
    words = texts(played(material, recorded=True), material, trace)
    assert any(share_text(0.06) in text and "53.0 µs" in text and "50.0 µs" in text for text in words)
    assert aside(played(material, recorded=False).scene, material) == ""
    chart = aside(Charted(9, recorded=True), material)
    assert share_text(0.06) in chart
    assert share_text(0.005) in chart
    assert aside(Charted(9), material) == ""
    answer = answer_to(Question.HALVING, material)
    assert answer is not None
    assert chart in answer_text(answer)
    unknown = replace(material, costs={})
    assert aside(Charted(9, recorded=True), unknown) == aside(played(material, recorded=True).scene, unknown) == ""


def test_the_recordings_tell_their_own_cost() -> None:
    found = load_material(Material(example=work_out()), {16: resource(RECORDINGS[16])})
    timeline = found.recorded[16].timeline
    assert timeline.cost is not None
    assert found.costs == {16: timeline.cost}


def test_strategies_are_compared_by_their_unrecorded_passes(material: Material, trace: TracePicture) -> None:
    raced = material.strategies
    assert raced is not None
    step = next(step for step in steps(material) if isinstance(step.scene, Raced))
    costs = [cost(90_000, 99_000), *(cost(30_000 + place, 60_000) for place in range(len(raced.timelines) - 1))]
    timelines = tuple(replace(each, cost=price) for each, price in zip(raced.timelines, costs, strict=True))
    found = replace(material, strategies=replace(raced, timelines=timelines))
    words = texts(step, found, trace)
    assert {time_text(each.plain_ns) for each in costs} | {share_text(each.share) for each in costs} <= set(words)
    assert f"{timelines[1].strategy} is 3.0 times as fast" in caption(step.scene, found)
    untold = tuple(replace(each, cost=None) for each in raced.timelines)
    without = replace(material, strategies=replace(raced, timelines=untold))
    assert "times as fast" not in caption(step.scene, without)
    assert aside(step.scene, without) == ""
    assert drawn(step, without, trace)[0].written


def test_an_open_question_has_a_badge_and_none_of_what_is_revealed(material: Material, trace: TracePicture) -> None:
    badges = {}
    for step in steps(material):
        if isinstance(step.scene, Asked) and not step.scene.revealed:
            badges[step.scene.question] = {"simulated", "calculated", "simulated · recorded"} & set(texts(step, material, trace))
    assert badges == {
        Question.TWICE: {"calculated"},
        Question.COUNT_ZERO: {"simulated"},
        Question.ZEROED: {"calculated"},
        Question.HALVING: {"simulated"},
    }


def test_a_timeline_halts_at_each_event_until_the_next_key(material: Material, qtbot: QtBot) -> None:
    timeline = material.recorded[256].timeline
    times = halts(timeline)
    player = Player()
    teller = HaltingPlayer(player, player)
    player.set_visible(True)
    teller.tell(timeline)
    player.load(float(timeline.end_ns), 0.0)
    teller.begin()
    assert teller.halted
    assert player.time_ns == times[0] == 0, "of its start there is something to tell, too"
    assert teller.forward()
    assert player.playing
    qtbot.waitUntil(lambda: teller.halted)
    assert player.time_ns == times[1], "exactly there"
    qtbot.wait(100)
    assert (player.time_ns, player.playing) == (times[1], False), "and not a moment longer"
    assert teller.forward()
    assert teller.forward(), "on the way to an event the next key goes there at once"
    assert (player.time_ns, player.playing) == (times[2], False)
    assert teller.back()
    assert (player.time_ns, player.playing) == (times[1], False)
    player.set_playing(True)
    qtbot.waitUntil(lambda: teller.halted)
    assert player.time_ns == times[2], "it halts at what it went back from"
    player.deleteLater()


def test_every_event_of_a_timeline_is_told_once_forward_and_back(material: Material) -> None:
    timeline = material.recorded[16].timeline
    player = Player()
    teller = HaltingPlayer(player, player)
    teller.tell(timeline)
    player.load(float(timeline.end_ns), 0.0)
    teller.begin()
    seen = [player.time_ns]
    player.seek(0.5)
    while teller.forward():
        seen.append(player.time_ns)
        player.set_playing(False)
        player.seek(player.time_ns + 0.5 if player.time_ns < player.end_ns else player.end_ns)
    assert seen == [*halts(timeline), timeline.end_ns]
    told = {passing_text(timeline, time) for time in seen}
    assert len(told) == len(seen)
    back = []
    while teller.back():
        back.append(player.time_ns)
    assert back == list(reversed(halts(timeline)))
    teller.stop()
    assert not teller.forward(), "where nothing plays the key is for the next step"
    player.deleteLater()


def test_who_waits_first_is_told_of_a_row_that_another_one_precedes(material: Material) -> None:
    for timeline in (material.recorded[256].timeline, material.point(256).timeline):
        first = next(passing for passing in passings(timeline) if passing.kind is PassingKind.FIRST_WAIT)
        lock = int(timeline.lock[first.row])
        before = (timeline.lock == lock) & (timeline.order < timeline.order[first.row])
        assert before.any()
        assert timeline.released_ns[before].max() > first.time_ns
        assert f"gets lock {lock} before it" in passing_text(timeline, first.time_ns)


def test_as_many_rows_are_told_to_wait_as_the_picture_shows(material: Material) -> None:
    for timeline in (material.recorded[256].timeline, material.point(256).timeline, material.point(16).timeline):
        told = next(passing for passing in passings(timeline) if passing.kind is PassingKind.MOST_WAIT)
        assert told.count == moment(timeline, told.time_ns).count(RowState.WAITING)
        for time_ns in np.linspace(0, timeline.end_ns, 50):
            assert moment(timeline, float(time_ns)).count(RowState.WAITING) <= told.count


def test_what_is_said_of_the_example_in_fixed_words_is_so(material: Material) -> None:
    example = material.example
    assert (example.timeline.m, example.timeline.group_size_m) == (4, 2), "its chapter's title"
    assert example.rstd.tolist() == [1, 0.5, 0.5, 1], "the note to rstd"
    assert abs(example.xhat).min() == abs(example.xhat).max() == 1, "the note to the normalization"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("program 1 adds row 3, each to its own sums", ["program~1", "adds", "row~3,", "each", "to", "its", "own", "sums"]),
        ("dw = −4,  2, the same", ["dw~=~−4,", "", "2,", "the", "same"]),
        ("stage 1 goes from 36.0 µs to 67.7 µs.", ["stage~1", "goes", "from~36.0~µs", "to~67.7~µs."]),
        ("the mean of a row", ["the", "mean", "of", "a", "row"]),
    ],
)
def test_no_line_ends_between_a_number_and_its_word(text: str, lines: list[str]) -> None:
    assert together(text).replace("\u00a0", "~").split(" ") == lines
    assert together(text).replace("\u00a0", " ") == text


def test_what_is_drawn_is_kept_together(material: Material, trace: TracePicture, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr(QPainter, "drawText", lambda _painter, *parts: shown.append(parts[-1]))
    step = next(step for step in steps(material) if isinstance(step.scene, Strode) and step.scene.round == 1)
    drawn(step, material, trace)
    assert any("adds row\u00a01," in text for text in shown if isinstance(text, str))
