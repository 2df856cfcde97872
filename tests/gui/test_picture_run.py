"""The run for the sake of its picture."""

from pathlib import Path

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell.picture_run import CORRECT, UNEXPECTED, UNUSABLE, PictureRun, outcome
from lnexplorer.gui.shell.state import Remark, SessionState


def test_a_session_without_a_run_is_as_good_as_one_with_it() -> None:
    state = SessionState(notice=Remark(("Session: talk.lnsession · sweeps: 1",)))
    assert outcome(state, opened=True) == (CORRECT, "")
    assert outcome(state) == (UNUSABLE, "Session: talk.lnsession · sweeps: 1")


def test_a_failure_ends_it_once_and_without_a_picture(qtbot: QtBot, tmp_path: Path) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    run = PictureRun(window, tmp_path / "window.png", lambda: True, window)  # type: ignore[arg-type]  # any widget has a picture
    ends: list[tuple[int, str]] = []
    run.finished.connect(lambda status, sentence: ends.append((status, sentence)))
    run.follow(SessionState(notice=Remark(("It cannot be opened.",))))
    run.fail("It went wrong.")
    run.fail("And once more.")
    qtbot.wait(600)  # longer than a picture waits for its panes
    assert ends == [(UNEXPECTED, "It went wrong.")]
