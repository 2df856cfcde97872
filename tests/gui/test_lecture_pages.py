"""Every step of the lecture, in both languages and several shapes of page: nothing is cut off,
nothing lies over another, and what is said and drawn is so.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from lnexplorer.domain.experiments.barrier import BarrierSide
from lnexplorer.domain.experiments.strategies import Strategies
from lnexplorer.domain.lecture.material import BeatKind, plain
from lnexplorer.domain.lecture.scenes import Asked, LectureStep, Playback, SceneEvent
from lnexplorer.domain.timeline import RowState, moment
from lnexplorer.domain.wording import milliseconds
from lnexplorer.gui.charts.sheet import BLACK, WHITE, Palette, Sheet, together
from lnexplorer.gui.kit.languages import Languages, has_chinese_font
from lnexplorer.gui.kit.theme import RESULT_COLOURS
from lnexplorer.lecture.page import PageState, draw_help, draw_page, said
from lnexplorer.lecture.picture_pages import HiddenCanvas
from lnexplorer.lecture.window import HELP_LINES
from lnexplorer.store.resources import resource
from tests.sample_lecture import recorded_steps

Steps = tuple[LectureStep, ...]
SIZES = ((1280, 720), (1920, 1080), (1024, 768))
# The extreme combinations: least room and Chinese, most room and English; and the narrowest
# projector.
EXTREMES = (((1280, 720), "zh_CN"), ((1920, 1080), "en"), ((1024, 768), "en"))
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
    languages = Languages(qapp, resource("translations"))
    languages.use(request.param)
    yield request.param
    languages.use("en")
    qapp.processEvents()


def drawn(
    step: LectureStep,
    pictures: HiddenCanvas,
    size: tuple[int, int] = SIZES[0],
    palette: Palette = BLACK,
) -> tuple[Sheet, QImage]:
    image = QImage(*size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)  # as the window and the handout draw
    sheet = Sheet(painter, QSizeF(*size), palette)
    draw_page(sheet, PageState(step=step), pictures)
    painter.end()
    return sheet, image


def texts(step: LectureStep, pictures: HiddenCanvas) -> list[str]:
    return [written.text for written in drawn(step, pictures)[0].written]


def lines_of(step: LectureStep, pictures: HiddenCanvas) -> list[list[str]]:
    """What is written, line by line."""
    lines: dict[float, list[str]] = {}
    for written in drawn(step, pictures)[0].written:
        lines.setdefault(round(written.room.top()), []).append(written.text)
    return [line for _, line in sorted(lines.items())]


def faults(sheet: Sheet) -> list[str]:
    """What is cut off, too small, or lies over another text."""
    found = []
    for written in sheet.written:
        room = written.room.adjusted(-SLACK, -SLACK, SLACK, SLACK)
        if not room.contains(written.taken):
            found.append(f"no room for {written.text!r}: {written.taken} in {written.room}")
        if (
            not -SLACK
            <= written.taken.left()
            <= written.taken.right()
            <= sheet.size.width() + SLACK
        ):
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


def test_the_page_of_keys_has_room(language: str, qapp: QApplication) -> None:
    image = QImage(*SIZES[-1], QImage.Format.Format_RGB32)
    painter = QPainter(image)
    sheet = Sheet(painter, QSizeF(*SIZES[-1]), BLACK)
    draw_help(sheet, HELP_LINES)
    painter.end()
    assert faults(sheet) == []


def test_bars_are_as_long_as_the_passes_without_recording(
    steps: Steps, pictures: HiddenCanvas
) -> None:
    step = next(step for step in steps if isinstance(step.scene, Strategies))
    assert isinstance(step.scene, Strategies)
    times = {row.strategy: row.ms for row in step.scene.rows}
    sheet, _ = drawn(step, pictures)
    ends = {}
    for line in lines_of(step, pictures):
        if line[0] in times:
            assert line[1] == milliseconds(times[line[0]] or 0.0)
            ends[line[0]] = next(each.room.left() for each in sheet.written if each.text == line[1])
    start = next(each.room.right() for each in sheet.written if each.text == "locked")
    slack = 0.5 * sheet.unit  # between a bar and its time
    lengths = {name: end - slack - start for name, end in ends.items()}
    for name, length in lengths.items():
        assert length / lengths["locked"] == pytest.approx(
            (times[name] or 0.0) / (times["locked"] or 1.0), abs=0.01
        )


def test_an_open_question_has_a_badge_and_none_of_what_is_revealed(
    steps: Steps, pictures: HiddenCanvas
) -> None:
    badges = {}
    for step in steps:
        if isinstance(step.scene, Asked) and not step.scene.revealed:
            shown = {"simulated", "calculated", "simulated · recorded"} & set(texts(step, pictures))
            badges[step] = shown
    assert list(badges.values()) == [{"calculated"}, {"calculated"}, set()]
    *_, halving = badges
    assert any("recorded" in text for text in texts(halving, pictures)), (
        "the timeline that it asks about was"
    )


def event(steps: Steps, kind: BeatKind) -> tuple[LectureStep, SceneEvent]:
    return next(
        (step, step.scene)
        for step in steps
        if isinstance(step.scene, SceneEvent) and step.scene.beat.kind is kind
    )


def test_an_addition_shows_what_was_loaded_the_row_and_the_sum(
    steps: Steps, pictures: HiddenCanvas
) -> None:
    step, scene = event(steps, BeatKind.ADDS)
    sums, (row,), lock = scene.example.sums, scene.beat.rows, scene.beat.lock
    before = [plain(float(value)) for value in sums.dw_after[lock]]  # row 0 was the first of lock 0
    own = [plain(float(value)) for value in scene.example.partial_rows.dw[row]]
    total = [plain(float(value)) for value in sums.dw_after[row]]
    shown = lines_of(step, pictures)
    numbers = [[text for text in line if text in {"+", *before, *own, *total}] for line in shown]
    place = next(place for place, line in enumerate(numbers) if line[:5] == ["+", *own])
    assert numbers[place - 1][:4] == before
    assert numbers[place + 1][:4] == total
    assert any(
        f"from {scene.beat.count} to {scene.beat.count + 1}" in text
        for line in shown
        for text in line
    )
    assert f"count {scene.beat.count + 1}" in [text for line in shown for text in line]


def played(steps: Steps, size: int, *, early: bool) -> tuple[LectureStep, Playback]:
    scenes = ((step, step.scene) for step in steps if isinstance(step.scene, Playback))
    return next(
        (step, scene)
        for step, scene in scenes
        if scene.case.timeline.group_size_m == size and (scene.until_ns is not None) == early
    )


@pytest.mark.parametrize("early", [True, False])
def test_what_happens_is_told_while_it_plays_and_the_sum_of_it_at_the_end(
    early: bool, steps: Steps
) -> None:
    step, scene = played(steps, 256, early=early)
    timeline = scene.case.timeline
    state = PageState(step=step)
    told = [said(replace(state, time_ns=float(time))) for time in scene.halts]
    assert len(set(told)) == len(told)
    assert told[-1] == str(step.caption)
    time, most = next(event for event in scene.told if "queue at once" in event[1].template)
    shown = f"{moment(timeline, time).count(RowState.QUEUED):,}"
    assert dict(most.values)["count"] == shown, "as the picture shows"
    if early:
        now, values = moment(timeline, scene.end_ns), dict(step.caption.values)  # type: ignore[union-attr]
        assert values["added"] == f"{now.count(RowState.DONE):,}"
        assert values["queued"] == f"{now.count(RowState.QUEUED):,}"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "program 1 adds row 3, each to its own sums",
            "program~1 adds row~3, each to its own sums",
        ),
        ("dw = −4,  2, the same", "dw~=~−4,  2, the same"),
        ("stage 1 goes from 36.0 µs to 67.7 µs, 3 %", "stage~1 goes from~36.0~µs to~67.7~µs, 3~%"),
    ],
)
def test_no_line_ends_between_a_number_and_its_word(text: str, kept: str) -> None:
    assert together(text).replace("\u00a0", "~") == kept


def test_a_still_of_a_timeline_says_what_happens_at_the_time_in_its_picture(steps: Steps) -> None:
    films = [step for step in steps if isinstance(step.scene, Playback)]
    assert films
    for step in films:
        assert isinstance(step.scene, Playback)
        state = PageState(step=step)
        now = [str(sentence) for time, sentence in step.scene.told if time == state.now_ns]
        assert said(state) in (now or [str(step.caption)]), step.title


def test_wrong_sums_differ_from_right_ones_without_colour(
    steps: Steps, pictures: HiddenCanvas
) -> None:
    lost = next(step for step in steps if str(step.title) == "One update is lost")
    kept = next(step for step in steps if str(step.title).startswith("With a lock"))
    for step, crosses in ((lost, 3), (kept, 0)):
        signs = [text[-1] for text in texts(step, pictures) if text[-1] in "✓✗"]
        assert (signs.count("✗"), len(signs)) == (crosses, 4)


def test_columns_that_were_wrong_are_drawn_without_gaps(
    steps: Steps, pictures: HiddenCanvas
) -> None:
    """A column that was wrong in no run would be as dark as a seam between two boxes."""
    step = next(step for step in steps if isinstance(step.scene, BarrierSide))
    assert isinstance(step.scene, BarrierSide)
    every = np.arange(step.scene.wrong_dw.size) % 3 + 1
    step = replace(step, scene=replace(step.scene, wrong_dw=every, wrong_db=every))
    _, image = drawn(step, pictures, palette=WHITE)
    colour = QColor(RESULT_COLOURS["dw"])
    rows = [
        [image.pixelColor(x, y) == colour for x in range(image.width())]
        for y in range(0, image.height(), 8)
    ]
    fullest = max(rows, key=sum)
    begin, end = fullest.index(True), len(fullest) - fullest[::-1].index(True)
    assert end - begin > 0.5 * image.width()
    assert all(fullest[begin + 1 : end - 1])
