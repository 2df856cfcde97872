"""The lecture's handout from the window: drawn while the event loop turns, and stopped."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.domain.lecture.storyboard import lecture_of
from lnexplorer.gui.kit.responsive import Background
from lnexplorer.lecture import handout
from lnexplorer.lecture.handout import HandoutDialog
from lnexplorer.store.files import StoreError
from lnkernels.values.sentence import say
from tests.sample_lecture import Steps, recorded_steps


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = recorded_steps()[:3]
    monkeypatch.setattr(handout, "lecture_steps", lambda: steps)


def test_it_is_drawn_a_step_in_each_turn_and_written_at_the_end(
    files: Background, window: QWidget, qtbot: QtBot, tmp_path: Path
) -> None:
    written: list[Path] = []
    dialog = HandoutDialog(tmp_path / "lecture.pdf", files, written.append, window)
    seen: list[int] = []
    dialog._timer.timeout.connect(lambda: seen.append(dialog.value()))
    dialog.begin()
    qtbot.waitUntil(lambda: bool(written))
    assert written == list(tmp_path.iterdir()) == [tmp_path / "lecture.pdf"]
    assert len(seen) >= 3, "the event loop turned between the steps"


def test_who_stops_it_gets_nothing(
    files: Background, window: QWidget, qtbot: QtBot, tmp_path: Path
) -> None:
    written: list[Path] = []
    dialog = HandoutDialog(tmp_path / "lecture.pdf", files, written.append, window)
    button = dialog.findChild(QPushButton)
    dialog._timer.timeout.connect(lambda: button.click() if dialog.value() == 2 else None)
    with qtbot.waitSignal(dialog.destroyed):
        dialog.begin()
    files.do(lambda: None, lambda _: written.append(Path()))
    qtbot.waitUntil(lambda: written == [Path()])
    assert list(tmp_path.iterdir()) == []


def test_a_recording_that_cannot_be_read_is_told_of(
    files: Background,
    window: QWidget,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        raise StoreError(say("It is damaged."))

    monkeypatch.setattr(handout, "lecture_steps", refuse)
    dialog = HandoutDialog(tmp_path / "lecture.pdf", files, lambda _: None, window)
    with qtbot.waitSignals([files.warned, dialog.destroyed]):
        dialog.begin()
    assert list(tmp_path.iterdir()) == []


def test_it_is_for_the_length_and_the_reader_that_were_chosen(
    files: Background,
    window: QWidget,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[Path] = []
    asked: list[tuple[int, str]] = []
    drawn = handout.draw_handout

    def noted(steps: Steps, finished: list[bytes], reader: str) -> Iterator[int]:
        asked.append((len(steps), reader))
        return drawn(steps, finished, reader)

    monkeypatch.setattr(handout, "draw_handout", noted)
    steps = handout.lecture_steps()
    dialog = HandoutDialog(tmp_path / "a.pdf", files, written.append, window, (25, handout.STUDENT))
    dialog.begin()
    qtbot.waitUntil(lambda: bool(written))
    assert asked == [(len(lecture_of(steps, 25)), "student")]
    assert asked[0][0] < len(steps)
