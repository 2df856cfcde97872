"""Lecture mode: keys, language, blank screens, the speaker's window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from lnexplorer.domain.lecture.scenes import Asked, LectureStep, Moves, Playback, Scheduling
from lnexplorer.domain.lecture.storyboard import lecture_of
from lnexplorer.gui.kit.languages import Languages
from lnexplorer.gui.kit.responsive import Background, Delivery
from lnexplorer.lecture import loading
from lnexplorer.lecture.controller import LectureController
from lnexplorer.lecture.lecture import Lecture, room_screen
from lnexplorer.lecture.window import Command, clock_text
from lnexplorer.store.resources import resource
from tests.sample_lecture import recorded_steps

Steps = tuple[LectureStep, ...]
Key = Qt.Key
FORWARD = (Key.Key_PageDown, Key.Key_Right, Key.Key_Down, Key.Key_Space)
BACK = (Key.Key_PageUp, Key.Key_Left, Key.Key_Up, Key.Key_Backspace)
BLACK, WHITE = QColor(Qt.GlobalColor.black), QColor(Qt.GlobalColor.white)


@pytest.fixture(scope="module")
def steps() -> Steps:
    return recorded_steps()


@pytest.fixture
def languages(qapp: QApplication) -> Iterator[Languages]:
    languages = Languages(qapp, resource("translations"))
    yield languages
    languages.use("en")
    qapp.processEvents()


@pytest.fixture
def lecture(qapp: QApplication, languages: Languages, steps: Steps) -> Iterator[Lecture]:
    lecture = Lecture(steps, languages)
    lecture.languageWished.connect(languages.use)
    lecture.open()
    yield lecture
    lecture.leave()
    lecture.deleteLater()
    qapp.processEvents()


def press(qtbot: QtBot, lecture: Lecture, *keys: Key) -> None:
    for key in keys:
        qtbot.keyClick(lecture.window, key)


def click(qtbot: QtBot, lecture: Lecture, place: QPoint) -> None:
    qtbot.mouseClick(lecture.window, Qt.MouseButton.LeftButton, pos=place)


def first_step(lecture: Lecture, scene: type) -> int:
    return next(place for place, step in enumerate(lecture.steps) if isinstance(step.scene, scene))


def test_a_typed_number_is_a_step_and_stays_within_them(lecture: Lecture, qtbot: QtBot) -> None:
    last = len(lecture.steps) - 1
    for keys, place in (("17", 16), ("0", 0), ("99", last), ("1234", 3)):
        qtbot.keyClicks(lecture.window, keys)
        press(qtbot, lecture, Key.Key_Return)
        assert lecture.place == place
    qtbot.keyClicks(lecture.window, "9")
    press(qtbot, lecture, Key.Key_Backspace, Key.Key_Return)
    assert lecture.place == 4, "what was typed is taken back, and Enter alone is the next step"
    press(qtbot, lecture, Key.Key_End, Key.Key_PageDown)
    assert lecture.place == last


def test_a_clicker_and_the_arrows_go_forward_and_back_but_not_before_the_first(
    lecture: Lecture, qtbot: QtBot
) -> None:
    for key in FORWARD:
        press(qtbot, lecture, key)
    assert lecture.place == len(FORWARD)
    for key in (*BACK, BACK[0]):
        press(qtbot, lecture, key)
    assert lecture.place == 0


def test_a_key_takes_another_length_and_stays_at_its_step(
    lecture: Lecture, steps: Steps, qtbot: QtBot
) -> None:
    assert lecture.length == 45
    lecture._go(first_step(lecture, Playback))
    here = lecture.step.scene
    counts = []
    for length in (90, 25, 45):
        press(qtbot, lecture, Key.Key_M)
        assert lecture.length == length
        counts.append(lecture.step.count)
    assert counts == [len(steps), len(lecture_of(steps, 25)), len(lecture_of(steps, 45))]
    places = [step.scene for step in steps]
    assert places.index(lecture.step.scene) <= places.index(here), "where 25 minutes lack it"
    press(qtbot, lecture, Key.Key_M)
    lecture._go(first_step(lecture, Scheduling))
    press(qtbot, lecture, Key.Key_M)
    assert isinstance(lecture.step.scene, Moves), "the step before"


def test_the_room_orders_two_programs_by_keys_and_clicks_and_takes_turns_back(
    qapp: QApplication, languages: Languages, steps: Steps, qtbot: QtBot
) -> None:
    lecture = Lecture(steps, languages, length=90)
    lecture.open()
    lecture._go(first_step(lecture, Scheduling))
    place, scene = lecture.place, lecture.step.scene
    lecture.window.grab()
    first, second = (area.center().toPoint() for area in lecture.window._options)
    press(qtbot, lecture, Key.Key_J)
    click(qtbot, lecture, second)
    press(qtbot, lecture, Key.Key_PageUp)
    click(qtbot, lecture, second)
    for command in (first, second, first):
        click(qtbot, lecture, command)
    assert lecture.state(place).order == (0, 1, 0, 1), "nothing comes after the end"
    moves, through = scene.played(lecture.state(place).order)
    assert through
    assert moves.moves[-1].buffer != moves.right
    press(qtbot, lecture, *(Key.Key_PageUp,) * 4)
    assert (lecture.place, lecture.state(place).order) == (place, ())
    press(qtbot, lecture, Key.Key_PageUp)
    assert lecture.place == place - 1
    lecture.leave()
    lecture.deleteLater()
    qapp.processEvents()


def test_a_blank_screen_is_left_by_the_next_key_without_moving(
    lecture: Lecture, qtbot: QtBot
) -> None:
    press(qtbot, lecture, Key.Key_B)
    assert lecture.window.grab().toImage().pixelColor(5, 5) == BLACK
    press(qtbot, lecture, Key.Key_W)
    assert lecture.window.grab().toImage().pixelColor(5, 5) == WHITE
    press(qtbot, lecture, Key.Key_Space)
    assert lecture.window.covered is None
    assert lecture.place == 0
    press(qtbot, lecture, Key.Key_H)
    assert lecture.window.covered is Command.HELP
    press(qtbot, lecture, Key.Key_Escape)
    assert lecture.window.covered is None
    assert lecture.window.isVisible()


def test_the_pointer_and_the_colours_are_switched(lecture: Lecture, qtbot: QtBot) -> None:
    for shape in (Qt.CursorShape.BitmapCursor, Qt.CursorShape.ArrowCursor):
        press(qtbot, lecture, Key.Key_L)
        assert lecture.window.cursor().shape() is shape
    assert lecture.window.grab().toImage().pixelColor(2, 300) == BLACK
    press(qtbot, lecture, Key.Key_I)
    assert lecture.window.grab().toImage().pixelColor(2, 300) == WHITE


def test_escape_leaves_and_both_windows_go(lecture: Lecture, qtbot: QtBot) -> None:
    press(qtbot, lecture, Key.Key_N)
    assert lecture.speaker.isVisible()
    with qtbot.waitSignal(lecture.left):
        press(qtbot, lecture, Key.Key_Escape)
    assert not lecture.window.isVisible()
    assert not lecture.speaker.isVisible()


def test_another_language_keeps_the_place(
    lecture: Lecture, languages: Languages, qtbot: QtBot, qapp: QApplication
) -> None:
    press(qtbot, lecture, Key.Key_1, Key.Key_1, Key.Key_Return)
    press(qtbot, lecture, Key.Key_N)
    qtbot.waitUntil(lambda: lecture.speaker.notes != "")
    english, title = lecture.speaker.notes, lecture.window.windowTitle()
    press(qtbot, lecture, Key.Key_Z)
    qtbot.waitUntil(lambda: lecture.speaker.notes != english)
    assert languages.current == "zh_CN"
    assert lecture.place == 10
    assert lecture.window.windowTitle() != title
    press(qtbot, lecture, Key.Key_Z)
    qtbot.waitUntil(lambda: lecture.speaker.notes == english)
    assert lecture.place == 10


def test_a_missing_font_is_named_in_english(
    lecture: Lecture, languages: Languages, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lnexplorer.lecture.lecture.has_chinese_font", lambda: False)
    languages.use("zh_CN")
    qapp.processEvents()
    assert "fonts-noto-cjk" in lecture._notice()
    languages.use("en")
    assert lecture._notice() == ""


def test_a_click_and_the_wheel_are_steps(lecture: Lecture, qtbot: QtBot) -> None:
    qtbot.mouseClick(lecture.window, Qt.MouseButton.LeftButton)
    assert lecture.place == 1
    wheel = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(lecture.window, wheel)
    assert lecture.place == 0


def test_the_speaker_sees_notes_and_both_pictures_and_its_keys_work(
    lecture: Lecture, qtbot: QtBot
) -> None:
    press(qtbot, lecture, Key.Key_N)
    speaker = lecture.speaker
    qtbot.waitUntil(
        lambda: speaker.number == f"1 / {len(lecture.steps)}   {lecture.steps[0].minute}"
    )
    assert not speaker.now.isNull()
    assert not speaker.next.isNull()
    qtbot.keyClick(speaker, Key.Key_PageDown)
    assert lecture.place == 1
    before = speaker.notes
    qtbot.waitUntil(lambda: speaker.notes != before)
    qtbot.keyClick(speaker, Key.Key_End)
    qtbot.waitUntil(lambda: speaker.next is None)


def test_a_clicker_goes_through_the_events_of_a_timeline_and_enter_leaves_it(
    lecture: Lecture, qtbot: QtBot
) -> None:
    number = first_step(lecture, Playback)
    lecture.place = number - 1
    press(qtbot, lecture, Key.Key_PageDown)
    halts = lecture.steps[number].scene.halts
    seen = [lecture.player.time_ns]
    for _ in range(40):
        press(qtbot, lecture, Key.Key_PageDown)
        if lecture.place != number:
            break
        if not lecture.player.playing:
            seen.append(lecture.player.time_ns)
    assert lecture.place == number + 1
    assert seen == [*halts]
    press(qtbot, lecture, Key.Key_PageUp, Key.Key_PageDown, Key.Key_PageDown)
    assert (lecture.place, lecture.player.time_ns) == (number, halts[1])
    press(qtbot, lecture, Key.Key_PageUp)
    assert (lecture.place, lecture.player.time_ns) == (number, halts[0])
    press(qtbot, lecture, Key.Key_PageUp)
    assert lecture.place == number - 1, "before the first event is the step before"
    press(qtbot, lecture, Key.Key_PageDown, Key.Key_P)
    assert (lecture.place, lecture.player.playing) == (number, True)
    press(qtbot, lecture, Key.Key_P)
    assert not lecture.player.playing
    press(qtbot, lecture, Key.Key_Return)
    assert lecture.place == number + 1


def option_places(lecture: Lecture) -> list[QPoint]:
    lecture.window.grab()
    return [area.center().toPoint() for area in lecture.window._options]


def test_the_room_guesses_with_a_click_and_the_reveal_says_whether_it_was_right(
    lecture: Lecture, qtbot: QtBot
) -> None:
    number = first_step(lecture, Asked)
    qtbot.keyClicks(lecture.window, str(number + 1))
    press(qtbot, lecture, Key.Key_Return)
    question = lecture.step.scene.question
    places = option_places(lecture)
    wrong = (question.correct + 1) % len(places)

    def written() -> list[str]:
        picture = QPixmap(lecture.window.size())
        painter = QPainter(picture)
        sheet = lecture.window.draw(painter, lecture.state(lecture.place))
        painter.end()
        return [each.text for each in sheet.written]

    click(qtbot, lecture, places[wrong])
    assert lecture.place == number, "an option is chosen, no step is made"
    assert lecture._guesses == {question: wrong}
    assert not {"✓", "✗"} & set(written()), "nothing is given away"
    press(qtbot, lecture, Key.Key_PageDown)
    assert {"✓", "✗"} <= set(written())
    press(qtbot, lecture, Key.Key_PageUp)
    click(qtbot, lecture, option_places(lecture)[question.correct])
    press(qtbot, lecture, Key.Key_PageDown)
    assert "✓" in written()
    assert "✗" not in written(), "the room was right"
    click(qtbot, lecture, places[wrong])
    assert lecture.place == number + 2, "an answer is chosen before it is revealed, or not at all"
    press(qtbot, lecture, Key.Key_PageUp, Key.Key_PageUp)
    click(qtbot, lecture, option_places(lecture)[question.correct])
    assert lecture._guesses == {}, "the same again takes it back"
    click(qtbot, lecture, QPoint(5, lecture.window.height() - 5))
    assert lecture.place == number + 1, "a click elsewhere is a step"


def test_the_room_has_the_second_screen_where_there_is_one(qapp: QApplication) -> None:
    own, room = qapp.primaryScreen(), QObject()
    assert room_screen([own]) is own
    assert room_screen([own, room]) is room  # type: ignore[list-item]  # any other screen
    assert room_screen([room, own]) is room  # type: ignore[list-item]


def test_the_door_holds_one_lecture_at_a_time(
    qtbot: QtBot,
    languages: Languages,
    steps: Steps,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    delivery = Delivery()
    files = Background(delivery, "files")
    door = LectureController(files, languages, languages.use, delivery)
    broken = tmp_path / "broken.lnrec"
    broken.write_bytes(b"no recording")
    with monkeypatch.context() as patched:
        patched.setattr(
            loading,
            "resource",
            lambda name: broken if name.endswith("_g16.lnrec") else resource(name),
        )
        with qtbot.waitSignal(files.warned) as warned:
            door.open(dark=True)
    assert "broken.lnrec" in str(warned.args[0])
    monkeypatch.setattr(loading, "lecture_steps", lambda: steps)
    door.open(dark=True)
    door.open(dark=True)
    qtbot.waitUntil(lambda: door.lecture is not None)
    first = door.lecture
    door.open(dark=True)
    assert door.lecture is first
    assert first is not None
    first.do(Command.NEXT)
    door.close()
    assert door.lecture is None
    door.open(dark=False)
    qtbot.waitUntil(lambda: door.lecture is not None)
    again = door.lecture
    assert again is not None
    assert again is not first
    assert again.place == 1, "it goes on where it was left"
    assert again.window.grab().toImage().pixelColor(2, 2) == WHITE
    door.close()
    files.close()
    delivery.close()
    delivery.deleteLater()


def test_a_time_is_written_as_on_a_clock() -> None:
    assert [clock_text(seconds) for seconds in (61.9, 3725)] == ["01:01", "1:02:05"]
