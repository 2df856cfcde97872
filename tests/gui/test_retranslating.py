"""Another language comes to a window in steps."""

from itertools import pairwise

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell.retranslating import Retranslator
from lnexplorer.gui.shell.steps import StepQueue


class Hearing(QLabel):
    """Counts how often it hears of another language."""

    heard = 0

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        self.heard += event.type() is QEvent.Type.LanguageChange
        super().changeEvent(event)


def test_each_part_of_a_window_hears_once_and_no_two_in_one_turn(qapp: QApplication, qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    parts = [Hearing() for _ in range(3)]
    for part in parts:
        dock = QDockWidget(window)
        dock.setWidget(part)
    steps = StepQueue()
    Retranslator(window, steps, window).expect()
    QApplication.sendEvent(window, QEvent(QEvent.Type.LanguageChange))
    assert [part.heard for part in parts] == [0, 0, 0]
    counts = [0]
    while steps.waiting:
        steps._next()
        counts.append(sum(part.heard for part in parts))
    assert max(after - before for before, after in pairwise(counts)) == 1
    assert [part.heard for part in parts] == [1, 1, 1]


def test_what_is_not_expected_is_not_held_up(qapp: QApplication, qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    part = Hearing()
    window.setCentralWidget(part)
    steps = StepQueue()
    retranslator = Retranslator(window, steps, window)
    retranslator.expect()
    for times in (0, 1):
        QApplication.sendEvent(window, QEvent(QEvent.Type.LanguageChange))
        assert part.heard == times
