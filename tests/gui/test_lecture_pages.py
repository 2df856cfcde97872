"""Every step of the lecture, in both languages and several shapes of page: nothing is cut off, nothing lies over
another.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.lecture.answers import Question, if_zeroed
from lnexplorer.domain.lecture.example import work_out
from lnexplorer.domain.lecture.material import GROUP_SIZES, Material
from lnexplorer.domain.lecture.position import Stopwatch
from lnexplorer.domain.lecture.storyboard import Asked, Charted, Compared, Opening, Played, Raced, Step, storyboard
from lnexplorer.gui.i18n.languages import Languages, has_chinese_font
from lnexplorer.gui.lecture import text_page
from lnexplorer.gui.lecture.loading import OTHERS, RECORDINGS, STRATEGIES, load_material
from lnexplorer.gui.lecture.page import PageState, draw_page, timeline_of
from lnexplorer.gui.lecture.question_page import answer_text, answer_to, option_texts, question_text
from lnexplorer.gui.lecture.recorded_pages import TracePicture, short_time
from lnexplorer.gui.lecture.sheet import BLACK, LINES, WHITE, Palette, Sheet
from lnexplorer.gui.lecture.speaker import SpeakerWindow
from lnexplorer.gui.lecture.text_page import draw_help
from lnexplorer.gui.lecture.words import notes
from lnexplorer.gui.reduction.painter.wording import time_text
from lnexplorer.store.resources import resource

SIZES = ((1280, 720), (1920, 1080), (3840, 2160), (1024, 768))
SLACK = 2.0  # px
SMALLEST_PART = 0.7  # of the least size: the foot of a sum in a formula


@pytest.fixture(scope="module")
def material() -> Material:
    paths = {size: resource(name) for size, name in RECORDINGS.items()}
    others = [resource(name) for name in OTHERS]
    return load_material(Material(example=work_out()), paths, others=others, strategies=resource(STRATEGIES))


@pytest.fixture
def trace(qapp: QApplication) -> Iterator[TracePicture]:
    parent = QWidget()
    yield TracePicture(parent)
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


def steps(material: Material) -> tuple[Step, ...]:
    return storyboard(material.example, tuple(RECORDINGS))


def drawn(
    step: Step, material: Material, trace: TracePicture, size: tuple[int, int] = SIZES[0], palette: Palette = BLACK
) -> tuple[Sheet, QImage]:
    image = QImage(*size, QImage.Format.Format_RGB32)
    timeline = timeline_of(step, material)
    time_ns = 0.4 * timeline.end_ns if timeline is not None else 0.0
    painter = QPainter(image)
    sheet = Sheet(painter, QSizeF(*size), palette)
    draw_page(sheet, PageState(step=step, number=1, count=50, material=material, time_ns=time_ns), trace)
    painter.end()
    return sheet, image


def faults(sheet: Sheet) -> list[str]:
    """What is cut off, too small, or lies over another text."""
    found = []
    page = SLACK
    for written in sheet.written:
        room = written.room.adjusted(-page, -page, page, page)
        if not room.contains(written.taken):
            found.append(f"no room for {written.text!r}: {written.taken} in {written.room}")
        if not -page <= written.taken.left() <= written.taken.right() <= sheet.size.width() + page:
            found.append(f"{written.text!r} leaves the page")
        if written.pixels < sheet.size.height() / LINES - 0.5:
            found.append(f"{written.text!r} is too small")
    for first, second in combinations(sheet.written, 2):
        common = first.taken.intersected(second.taken)
        if common.width() > SLACK and common.height() > SLACK:
            found.append(f"{first.text!r} lies over {second.text!r}")
    return found


@pytest.mark.parametrize("size", SIZES)
def test_every_step_has_room_for_all_its_words(
    size: tuple[int, int], language: str, material: Material, trace: TracePicture
) -> None:
    for number, step in enumerate(steps(material), start=1):
        sheet, image = drawn(step, material, trace, size, WHITE if number % 2 else BLACK)
        assert sheet.written, number
        assert faults(sheet) == [], f"step {number}: {step.scene}"
        assert image.pixelColor(1, 1) == sheet.palette.background


@pytest.mark.parametrize("size", [(1600, 1000), (1920, 1200), *SIZES])
def test_no_chapter_lies_over_the_picture_beside_it(
    size: tuple[int, int], language: str, material: Material, trace: TracePicture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures: list[QRectF] = []
    monkeypatch.setattr(text_page, "_draw_emblem", lambda _sheet, area: pictures.append(area))
    for step in steps(material):
        if isinstance(step.scene, Opening):
            pictures.clear()
            sheet, _ = drawn(step, material, trace, size)
            lying = [written.text for written in sheet.written for area in pictures if area.intersects(written.taken)]
            assert lying == []


@pytest.mark.parametrize("size", SIZES)
def test_the_page_of_keys_has_room(size: tuple[int, int], language: str, qapp: QApplication) -> None:
    image = QImage(*size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    sheet = Sheet(painter, QSizeF(*size), BLACK)
    draw_help(sheet)
    painter.end()
    assert faults(sheet) == []


@pytest.mark.parametrize("size", [(1280, 720), (1024, 768), (1920, 1080)])
def test_the_speakers_window_has_room_for_all_notes(
    size: tuple[int, int], language: str, material: Material, qtbot: QtBot
) -> None:
    window = SpeakerWindow(Stopwatch())
    qtbot.addWidget(window)
    window.resize(*size)
    picture = QPixmap(160, 90)
    for number, step in enumerate(steps(material), start=1):
        window.show_step(picture, picture, notes(step.scene), f"{number} / 50", last=False)
        image = QImage(*size, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        sheet = window.draw(painter)
        painter.end()
        assert notes(step.scene) in [written.text for written in sheet.written]
        assert faults(sheet) == [], f"step {number}"


def test_too_small_a_room_is_seen_by_these_tests(qapp: QApplication) -> None:
    image = QImage(640, 480, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    sheet = Sheet(painter, QSizeF(640, 480), BLACK)
    sheet.write(sheet.rect(0, 0, 0.1, 0.1), "far too many words for so small a room")
    sheet.write(sheet.rect(0, 0, 0.2, 0.1), "and over each other")
    painter.end()
    assert any("no room" in fault for fault in faults(sheet))
    assert any("lies over" in fault for fault in faults(sheet))


def test_every_step_has_notes_in_the_language(language: str, material: Material) -> None:
    for step in steps(material):
        text = notes(step.scene)
        assert text
        assert any("\u4e00" <= letter <= "\u9fff" for letter in text) == (language == "zh_CN"), text


def test_the_words_of_an_answer_follow_its_figures(material: Material) -> None:
    request = material.request
    assert request is not None
    narrow = if_zeroed(replace(request, n=512))
    wide = if_zeroed(replace(request, n=1024))
    for words in (question_text, option_texts, answer_text):
        assert words(narrow) != words(wide)


def test_what_is_not_in_hand_yet_is_said(trace: TracePicture) -> None:
    empty = Material(example=work_out())
    for step in steps(empty):
        if isinstance(step.scene, Played | Charted | Compared | Raced):
            sheet, _ = drawn(step, empty, trace)
            assert any("being computed" in written.text for written in sheet.written)
            assert faults(sheet) == []


def test_a_recording_that_cannot_be_read_is_named_and_the_rest_goes_on(
    tmp_path: Path, trace: TracePicture, material: Material
) -> None:
    broken = tmp_path / "broken.lnrec"
    broken.write_bytes(b"no recording")
    found = load_material(Material(example=work_out()), {256: resource(RECORDINGS[256]), 16: broken})
    assert "broken.lnrec" in str(found.problem)
    assert found.growth
    for step in steps(found):
        sheet, _ = drawn(step, found, trace)
        missing = isinstance(step.scene, Raced)  # its file was not asked for
        if isinstance(step.scene, Played):
            missing = step.scene.recorded and step.scene.group_size_m == 16
        assert any("broken.lnrec" in written.text for written in sheet.written) == missing
    answer = answer_to(Question.HALVING, found)
    assert answer is not None
    assert "Recorded" not in answer_text(answer)


def test_without_any_recording_there_is_no_simulation_either_and_it_says_why(tmp_path: Path, trace: TracePicture) -> None:
    found = load_material(Material(example=work_out()), {256: tmp_path / "none.lnrec"})
    assert found.request is None
    assert answer_to(Question.ZEROED, found) is None
    step = next(step for step in steps(found) if isinstance(step.scene, Asked) and step.scene.question is Question.ZEROED)
    sheet, _ = drawn(step, found, trace)
    assert any("none.lnrec" in written.text for written in sheet.written)


def test_the_chart_has_a_recorded_time_for_every_number_of_buffers(material: Material, trace: TracePicture) -> None:
    assert set(material.stage1_ns) == set(GROUP_SIZES)
    assert set(material.recorded) == set(RECORDINGS)
    step = next(step for step in steps(material) if isinstance(step.scene, Charted) and step.scene.recorded)
    sheet, _ = drawn(step, material, trace)
    for size, time in material.stage1_ns.items():
        point = material.point(size)
        assert point is not None
        assert abs(point.summary.stage1_ns / time - 1) < 0.15, size
    assert {short_time(time) for time in material.stage1_ns.values()} <= {written.text for written in sheet.written}


def test_another_launch_is_no_point_of_the_chart(material: Material) -> None:
    others = [resource("recordings/h200_4096x2048_g128.lnrec"), resource("recordings/none.lnrec")]
    found = load_material(Material(example=work_out()), {256: resource(RECORDINGS[256])}, others=others)
    assert set(found.stage1_ns) == {256}
    assert not found.problem


def test_strategies_are_shown_on_one_axis_as_they_were_recorded(material: Material, trace: TracePicture) -> None:
    assert material.strategies is not None
    step = next(step for step in steps(material) if isinstance(step.scene, Raced))
    sheet, _ = drawn(step, material, trace)
    texts = [written.text for written in sheet.written]
    for timeline in material.strategies.timelines:
        assert timeline.strategy in texts
        assert time_text(timeline.end_ns) in texts
    assert any("recorded" in text and "H200" in text for text in texts)


def test_strategies_that_cannot_be_read_are_named(tmp_path: Path, trace: TracePicture) -> None:
    broken = tmp_path / "broken.lnexperiment"
    broken.write_bytes(b"no experiment")
    found = load_material(Material(example=work_out()), {256: resource(RECORDINGS[256])}, strategies=broken)
    assert found.strategies is None
    assert "broken.lnexperiment" in str(found.problem)
    other = load_material(Material(example=work_out()), {}, strategies=resource("recordings/h200_order.lnexperiment"))
    assert "no times of strategies" in str(other.problem)
