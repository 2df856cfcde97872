"""Lecture mode: keys, language, blank screens, the speaker's window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from lnexplorer.domain.lecture.scenes import LectureStep, Moves, Playback, QuestionScene, Scheduling
from lnexplorer.domain.lecture.storyboard import lecture_of
from lnexplorer.gui.kit.languages import Languages
from lnexplorer.gui.kit.responsive import Background, Delivery
from lnexplorer.lecture import loading
from lnexplorer.lecture.controller import LectureController
from lnexplorer.lecture.lecture import Lecture, room_screen
from lnexplorer.lecture.window import Command, clock_text
from lnexplorer.store.resources import resource
from tests.gui import windows
from tests.gui.windows import Until, heard, wheel
from tests.sample_lecture import recorded_steps

Steps = tuple[LectureStep, ...]
FORWARD = ("PgDown", "Right", "Down", "Space")
BACK = ("PgUp", "Left", "Up", "Backspace")
BLACK, WHITE = QColor(Qt.GlobalColor.black), QColor(Qt.GlobalColor.white)


@pytest.fixture(scope="module")
def steps() -> Steps:
    return recorded_steps()


@pytest.fixture
def languages(qapp: QApplication) -> Iterator[Languages]:
    languages = Languages()
    yield languages
    languages.use("en")
    qapp.processEvents()


@pytest.fixture(params=[45])
def lecture(
    request: pytest.FixtureRequest, qapp: QApplication, languages: Languages, steps: Steps
) -> Iterator[Lecture]:
    lecture = Lecture(steps, languages, length=request.param)
    lecture.languageWished.connect(languages.use)
    lecture.open()
    yield lecture
    lecture.leave()
    lecture.deleteLater()
    qapp.processEvents()


def press(lecture: Lecture, *keys: str) -> None:
    windows.press(lecture.window, *keys)


def click(lecture: Lecture, place: QPoint | None = None) -> None:
    windows.click(lecture.window, place)


def go(lecture: Lecture, scene: type) -> int:
    """Go to the first step with such a scene; return its place."""
    scenes = (isinstance(step.scene, scene) for step in lecture.steps)
    lecture._go(list(scenes).index(True))
    return lecture.place


def corner(lecture: Lecture) -> QColor:
    return lecture.window.grab().toImage().pixelColor(2, 2)


def test_a_typed_number_is_a_step_and_stays_within_them(lecture: Lecture) -> None:
    last = len(lecture.steps) - 1
    for number, place in (("17", 16), ("0", 0), ("99", last), ("1234", 3)):
        press(lecture, *number, "Return")
        assert lecture.place == place
    press(lecture, "9", "Backspace", "Return")
    assert lecture.place == 4, "what was typed is taken back, and Enter alone is the next step"
    press(lecture, "End", "PgDown")
    assert lecture.place == last


def test_a_clicker_arrows_mouse_and_wheel_go_forward_and_back_but_not_before_the_first(
    lecture: Lecture,
) -> None:
    press(lecture, *FORWARD)
    assert lecture.place == len(FORWARD)
    press(lecture, *BACK, BACK[0])
    assert lecture.place == 0
    click(lecture)
    assert lecture.place == 1
    wheel(lecture.window, QPoint(5, 5), 1)
    assert lecture.place == 0


def test_a_key_takes_another_length_and_stays_at_its_step(lecture: Lecture, steps: Steps) -> None:
    go(lecture, Playback)
    here = lecture.step.scene
    counts = {}
    for _ in range(3):
        press(lecture, "M")
        counts[lecture.length] = lecture.step.count
    assert counts == {length: len(lecture_of(steps, length)) for length in (90, 25, 45)}
    assert counts[90] == len(steps)
    places = [step.scene for step in steps]
    assert places.index(lecture.step.scene) <= places.index(here), "where 25 minutes lack it"
    press(lecture, "M")
    go(lecture, Scheduling)
    press(lecture, "M")
    assert isinstance(lecture.step.scene, Moves), "the step before"


@pytest.mark.parametrize("lecture", [90], indirect=True)
def test_the_room_orders_two_programs_by_keys_and_clicks_and_takes_turns_back(
    lecture: Lecture,
) -> None:
    place = go(lecture, Scheduling)
    first, second = option_places(lecture)
    press(lecture, "J")
    click(lecture, second)
    press(lecture, "PgUp")
    for program in (second, first, second, first):
        click(lecture, program)
    order = lecture.state(place).order
    assert order == (0, 1, 0, 1), "nothing comes after the end"
    moves = lecture.step.scene.played(order)
    assert moves.through
    assert moves.moves[-1].buffer != moves.right
    press(lecture, *["PgUp"] * 4)
    assert lecture.place == place
    assert lecture.state(place).order == ()
    press(lecture, "PgUp")
    assert lecture.place == place - 1


def test_a_blank_screen_is_left_by_the_next_key_without_moving(lecture: Lecture) -> None:
    for key, colour in (("B", BLACK), ("W", WHITE)):
        press(lecture, key)
        assert corner(lecture) == colour
    press(lecture, "Space")
    assert lecture.window.covered is None
    assert lecture.place == 0
    press(lecture, "H")
    assert lecture.window.covered is Command.HELP


def test_the_pointer_and_the_colours_are_switched(lecture: Lecture) -> None:
    for shape in (Qt.CursorShape.BitmapCursor, Qt.CursorShape.ArrowCursor):
        press(lecture, "L")
        assert lecture.window.cursor().shape() is shape
    assert corner(lecture) == BLACK
    press(lecture, "I")
    assert corner(lecture) == WHITE


def test_escape_leaves_and_both_windows_go(lecture: Lecture) -> None:
    left = heard(lecture.left)
    press(lecture, "N")
    assert lecture.speaker.isVisible()
    press(lecture, "Esc")
    assert len(left) == 1
    assert not lecture.window.isVisible()
    assert not lecture.speaker.isVisible()


def test_another_language_keeps_the_place(lecture: Lecture, until: Until) -> None:
    press(lecture, "1", "1", "Return", "N")
    until(lambda: lecture.speaker.notes != "")
    english = lecture.speaker.notes
    title = lecture.window.windowTitle()
    press(lecture, "Z")
    until(lambda: lecture.speaker.notes != english)
    assert lecture.window.windowTitle() != title
    press(lecture, "Z")
    until(lambda: lecture.speaker.notes == english)
    assert lecture.place == 10


def test_a_missing_font_is_named_in_english(
    lecture: Lecture, languages: Languages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.gui.kit.languages.has_chinese_font", lambda: False)
    languages.use("zh_CN")
    QApplication.processEvents()
    assert "fonts-noto-cjk" in lecture._languages.missing_font()
    languages.use("en")
    assert lecture._languages.missing_font() == ""


def test_the_speaker_sees_notes_and_both_pictures_and_its_keys_work(
    lecture: Lecture, until: Until
) -> None:
    press(lecture, "N")
    speaker = lecture.speaker
    first = lecture.steps[0]
    until(lambda: speaker.number == f"1 / {len(lecture.steps)}   {first.minute}")
    assert not speaker.now.isNull()
    assert not speaker.next.isNull()
    before = speaker.notes
    windows.press(speaker, "PgDown")
    assert lecture.place == 1
    until(lambda: speaker.notes != before)
    windows.press(speaker, "End")
    until(lambda: speaker.next is None)


def test_a_clicker_goes_through_the_events_of_a_timeline_and_enter_leaves_it(
    lecture: Lecture,
) -> None:
    number = go(lecture, Playback)
    player = lecture.player
    halts = lecture.step.scene.halts
    press(lecture, "PgUp", "PgDown")
    seen = []
    for _ in range(40):
        if lecture.place != number:
            break
        if not player.playing:
            seen.append(player.time_ns)
        press(lecture, "PgDown")
    assert lecture.place == number + 1
    assert seen == [*halts]

    def after(*keys: str) -> tuple[int, float]:
        press(lecture, *keys)
        return lecture.place, player.time_ns

    assert after("PgUp", "PgDown", "PgDown") == (number, halts[1])
    assert after("PgUp") == (number, halts[0])
    assert after("PgUp")[0] == number - 1, "before the first event is the step before"
    for playing in (True, False):
        press(lecture, *["PgDown"] * playing, "P")
        assert player.playing is playing
    assert after("Return")[0] == number + 1


def option_places(lecture: Lecture) -> list[QPoint]:
    lecture.window.grab()
    return [area.center().toPoint() for area in lecture.window._options]


def test_the_room_guesses_with_a_click_and_the_reveal_says_whether_it_was_right(
    lecture: Lecture,
) -> None:
    number = go(lecture, QuestionScene)
    question = lecture.step.scene.question
    places = option_places(lecture)
    right = question.correct
    wrong = (right + 1) % len(places)

    def guess(option: int) -> None:
        click(lecture, option_places(lecture)[option])
        assert lecture.place == number, "an option is chosen, no step is made"

    def signs() -> set[str]:
        picture = QPixmap(lecture.window.size())
        painter = QPainter(picture)
        sheet = lecture.window.draw(painter, lecture.state(lecture.place))
        painter.end()
        return {"✓", "✗"} & {each.text for each in sheet.written}

    guess(wrong)
    assert lecture._guesses == {question: wrong}
    assert signs() == set(), "nothing is given away"
    press(lecture, "PgDown")
    assert signs() == {"✓", "✗"}
    press(lecture, "PgUp")
    guess(right)
    press(lecture, "PgDown")
    assert signs() == {"✓"}, "the room was right"
    click(lecture, places[wrong])
    assert lecture.place == number + 2, "an answer is chosen before it is revealed, or not at all"
    press(lecture, "PgUp", "PgUp")
    guess(right)
    assert lecture._guesses == {}, "the same again takes it back"
    click(lecture, QPoint(5, lecture.window.height() - 5))
    assert lecture.place == number + 1, "a click elsewhere is a step"


def test_the_room_has_the_second_screen_where_there_is_one(qapp: QApplication) -> None:
    own = qapp.primaryScreen()
    room = QObject()  # any other screen
    for screens, expected in (([own], own), ([own, room], room), ([room, own], room)):
        assert room_screen(screens) is expected  # type: ignore[arg-type]


@pytest.fixture
def door(
    delivery: Delivery, files: Background, languages: Languages
) -> Iterator[LectureController]:
    made = LectureController(files, languages, languages.use, delivery)
    yield made
    made.close()


def test_a_lecture_whose_recordings_cannot_be_read_says_so(
    door: LectureController,
    files: Background,
    tmp_path: Path,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = tmp_path / "broken.lnrec"
    broken.write_bytes(b"no recording")
    warned = heard(files.warned)
    monkeypatch.setattr(
        loading,
        "resource",
        lambda name: broken if name.endswith("_g16.lnrec") else resource(name),
    )
    door.open(dark=True)
    until(lambda: "broken.lnrec" in str(warned))


def test_the_door_holds_one_lecture_at_a_time(
    door: LectureController, steps: Steps, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "lecture_steps", lambda: steps)
    door.open(dark=True)
    door.open(dark=True)
    until(lambda: door.lecture is not None)
    first = door.lecture
    door.open(dark=True)
    assert door.lecture is first
    first.do(Command.NEXT)
    door.close()
    assert door.lecture is None
    door.open(dark=False)
    until(lambda: door.lecture is not None)
    assert door.lecture.place == 1, "it goes on where it was left"
    assert corner(door.lecture) == WHITE


def test_a_time_is_written_as_on_a_clock() -> None:
    assert [clock_text(seconds) for seconds in (61.9, 3725)] == ["01:01", "1:02:05"]
