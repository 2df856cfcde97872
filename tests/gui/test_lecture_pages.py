"""Every step of the lecture, in both languages and several shapes of page: nothing is cut off,
nothing lies over another, and what is said and drawn is so.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from lnexplorer.domain.experiments.barrier import BarrierSide
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.material import BeatKind, plain
from lnexplorer.domain.lecture.scenes import (
    ChartScene,
    LectureStep,
    Playback,
    QuestionScene,
    SceneEvent,
)
from lnexplorer.domain.timeline import RowState, moment
from lnexplorer.domain.wording import milliseconds
from lnexplorer.gui.charts.sheet import BLACK, WHITE, Palette, Sheet, together
from lnexplorer.gui.kit.languages import Languages, has_chinese_font
from lnexplorer.gui.kit.theme import RESULT_COLOURS
from lnexplorer.lecture.page import PageState, draw_help, draw_page, said
from lnexplorer.lecture.picture_pages import HiddenCanvas
from lnexplorer.lecture.window import HELP_LINES
from tests.sample_lecture import recorded_steps

Steps = tuple[LectureStep, ...]
# The extreme combinations: least room and Chinese, most room and English; and the narrowest
# projector.
LEAST = (1280, 720)
NARROWEST = (1024, 768)
EXTREMES = ((LEAST, "zh_CN"), ((1920, 1080), "en"), (NARROWEST, "en"))
SLACK = 2.0  # px


@pytest.fixture(scope="module")
def steps() -> Steps:
    return recorded_steps()


@pytest.fixture
def pictures(qapp: QApplication) -> Iterator[HiddenCanvas]:
    parent = QWidget()
    yield HiddenCanvas(parent)
    parent.deleteLater()


@pytest.fixture(params=["en", "zh_CN"])
def language(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    if request.param == "zh_CN" and not has_chinese_font():
        pytest.skip("no font with Chinese characters is here")
    languages = Languages()
    languages.use(request.param)
    yield request.param
    languages.use("en")
    qapp.processEvents()


def drawn(
    step: LectureStep,
    pictures: HiddenCanvas,
    size: tuple[int, int] = LEAST,
    palette: Palette = BLACK,
) -> tuple[Sheet, QImage]:
    image = QImage(*size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)  # as the window and the handout draw
    sheet = Sheet(painter, QSizeF(*size), palette)
    draw_page(sheet, PageState(step=step), pictures)
    painter.end()
    return sheet, image


def lines_of(step: LectureStep, pictures: HiddenCanvas) -> list[list[str]]:
    """Give the texts, line by line."""
    lines: dict[float, list[str]] = {}
    for written in drawn(step, pictures)[0].written:
        lines.setdefault(round(written.room.top()), []).append(written.text)
    return [line for _, line in sorted(lines.items())]


def texts(step: LectureStep, pictures: HiddenCanvas) -> list[str]:
    return [text for line in lines_of(step, pictures) for text in line]


def faults(sheet: Sheet) -> list[str]:
    """Name the texts that are cut off, too small, or lie over another one."""
    found = []
    for written in sheet.written:
        taken = written.taken
        room = written.room.adjusted(-SLACK, -SLACK, SLACK, SLACK)
        if not room.contains(taken):
            found.append(f"no room for {written.text!r}: {taken} in {written.room}")
        if taken.left() < -SLACK or taken.right() > sheet.size.width() + SLACK:
            found.append(f"{written.text!r} leaves the page")
        if written.pixels < sheet.unit - 0.5:
            found.append(f"{written.text!r} is too small")
    for first, second in combinations(sheet.written, 2):
        common = first.taken.intersected(second.taken)
        if common.width() > SLACK and common.height() > SLACK:
            found.append(f"{first.text!r} lies over {second.text!r}")
    return found


@pytest.mark.parametrize(("size", "language"), EXTREMES, indirect=["language"])
def test_every_step_has_room_for_all_its_words(
    size: tuple[int, int], language: str, steps: Steps, pictures: HiddenCanvas
) -> None:
    for number, step in enumerate(steps, start=1):
        sheet, image = drawn(step, pictures, size, WHITE if number % 2 else BLACK)
        assert sheet.written, number
        assert faults(sheet) == [], f"step {number}: {step.title}"
        assert image.pixelColor(1, 1) == sheet.palette.background


@pytest.mark.parametrize("size", [LEAST, (1920, 1200), NARROWEST])
def test_marks_of_a_legend_stand_clear_of_the_names_before_them(
    size: tuple[int, int], steps: Steps, pictures: HiddenCanvas
) -> None:
    for step in (each for each in steps if isinstance(each.scene, ChartScene)):
        sheet, _ = drawn(step, pictures, size)
        names = {str(series.name) for series in step.scene.series}
        legend = [each for each in sheet.written if each.text in names]
        assert len(legend) == len(names)
        for one, other in pairwise(legend):
            same_line = abs(one.taken.top() - other.taken.top()) < SLACK
            assert not same_line or other.taken.left() - one.taken.right() > 1.5 * sheet.unit


def test_the_page_of_keys_has_room(language: str) -> None:
    image = QImage(*NARROWEST, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    sheet = Sheet(painter, QSizeF(*NARROWEST), BLACK)
    draw_help(sheet, HELP_LINES)
    painter.end()
    assert faults(sheet) == []


def step_with(steps: Steps, scene: type) -> LectureStep:
    return next(step for step in steps if isinstance(step.scene, scene))


def test_bars_are_as_long_as_the_passes_without_recording(
    steps: Steps, pictures: HiddenCanvas
) -> None:
    step = step_with(steps, Strategies)
    sheet, _ = drawn(step, pictures)
    rooms = {each.text: each.room for each in sheet.written}
    start = rooms["locked"].right() + 0.5 * sheet.unit  # between a bar and its time
    times = {row.strategy: row.ms for row in step.scene.rows}
    lengths = {}
    for name, *time in lines_of(step, pictures):
        if name in times:
            assert time[0] == milliseconds(times[name])
            lengths[name] = rooms[time[0]].left() - start
    for name, length in lengths.items():
        share = times[name] / times["locked"]
        assert length / lengths["locked"] == pytest.approx(share, abs=0.01)


def test_an_open_question_has_a_badge_and_none_of_what_is_revealed(
    steps: Steps, pictures: HiddenCanvas
) -> None:
    questions = [
        texts(step, pictures)
        for step in steps
        if isinstance(step.scene, QuestionScene) and not step.scene.revealed
    ]
    badges = [{"simulated", "calculated", "simulated · recorded"} & {*each} for each in questions]
    assert badges == [{"calculated"}, {"calculated"}, set()]
    halving = questions[-1]
    assert any("recorded" in text for text in halving), "the timeline that it asks about was"


def test_an_addition_shows_what_was_loaded_the_row_and_the_sum(
    steps: Steps, pictures: HiddenCanvas
) -> None:
    events = (step for step in steps if isinstance(step.scene, SceneEvent))
    step = next(step for step in events if step.scene.beat.kind is BeatKind.ADDS)
    example = step.scene.example
    beat = step.scene.beat
    (row,) = beat.rows

    def cells(values: np.ndarray) -> list[str]:
        return [plain(float(value)) for value in values]

    before = cells(example.sums.dw_after[beat.lock])  # row 0 was the first of lock 0
    own = cells(example.partial_rows.dw[row])
    total = cells(example.sums.dw_after[row])
    shown = lines_of(step, pictures)
    numbers = [[text for text in line if text in {"+", *before, *own, *total}] for line in shown]
    place = next(place for place, line in enumerate(numbers) if line[:5] == ["+", *own])
    assert numbers[place - 1][:4] == before
    assert numbers[place + 1][:4] == total
    words = texts(step, pictures)
    assert any(f"from {beat.count} to {beat.count + 1}" in text for text in words)
    assert f"count {beat.count + 1}" in words


@pytest.mark.parametrize("early", [True, False])
def test_what_happens_is_told_while_it_plays_and_the_sum_of_it_at_the_end(
    early: bool, steps: Steps
) -> None:
    films = (step for step in steps if isinstance(step.scene, Playback))
    step = next(
        step
        for step in films
        if step.scene.case.timeline.group_size_m == 256
        and (step.scene.until_ns is not None) == early
    )
    scene = step.scene
    timeline = scene.case.timeline

    def count(time_ns: float, state: RowState) -> str:
        return f"{moment(timeline, time_ns).count(state):,}"

    state = PageState(step=step)
    told = [said(replace(state, time_ns=float(time))) for time in scene.halts]
    assert len(set(told)) == len(told)
    assert told[-1] == str(step.caption)
    time, most = next(event for event in scene.told if "queue at once" in event[1].template)
    assert dict(most.values)["count"] == count(time, RowState.QUEUED), "as the picture shows"
    if early:
        values = dict(step.caption.values)
        assert values["added"] == count(scene.end_ns, RowState.DONE)
        assert values["queued"] == count(scene.end_ns, RowState.QUEUED)


@pytest.mark.parametrize(
    "kept",
    [
        "program~1 adds row~3, each to its own sums",
        "dw~=~−4,  2, the same",
        "stage~1 goes from~36.0~µs to~67.7~µs, 3~%",
    ],
)
def test_no_line_ends_between_a_number_and_its_word(kept: str) -> None:
    assert together(kept.replace("~", " ")).replace("\u00a0", "~") == kept


@pytest.mark.parametrize(("title", "crosses"), [("One update is lost", 3), ("With a lock", 0)])
def test_wrong_sums_differ_from_right_ones_without_colour(
    title: str, crosses: int, steps: Steps, pictures: HiddenCanvas
) -> None:
    step = next(step for step in steps if str(step.title).startswith(title))
    signs = [text[-1] for text in texts(step, pictures) if text[-1] in "✓✗"]
    assert signs.count("✗") == crosses
    assert len(signs) == 4


def test_columns_that_were_wrong_are_drawn_without_gaps(
    steps: Steps, pictures: HiddenCanvas
) -> None:
    """A column that was wrong in no run would be as dark as a seam between two boxes."""
    step = step_with(steps, BarrierSide)
    every = np.arange(step.scene.wrong_dw.size) % 3 + 1
    step = replace(step, scene=replace(step.scene, wrong_dw=every, wrong_db=every))
    _, image = drawn(step, pictures, palette=WHITE)
    colour = QColor(RESULT_COLOURS["dw"])
    rows = [
        [image.pixelColor(x, y) == colour for x in range(image.width())]
        for y in range(0, image.height(), 8)
    ]
    places = np.flatnonzero(max(rows, key=sum))
    assert places.size > 0.5 * image.width()
    assert (np.diff(places) == 1).all()
