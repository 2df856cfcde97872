"""The progress bar that paints nothing by itself."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell.calm_progress import CalmProgressBar


class Picture(QWidget):
    """Counts how often it is painted."""

    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        self.painted += 1


def test_another_value_paints_nothing_until_the_event_loop_does(qtbot: QtBot) -> None:
    window, picture, bar = QWidget(), Picture(), CalmProgressBar()
    layout = QVBoxLayout(window)
    layout.addWidget(picture)
    layout.addWidget(bar)
    qtbot.addWidget(window)
    window.resize(300, 200)
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: picture.painted > 0)
    before = picture.painted
    picture.update()
    bar.setRange(0, 10)
    bar.setValue(7)
    assert picture.painted == before
    QCoreApplication.processEvents()
    assert picture.painted == before + 1
    assert (bar.minimum(), bar.maximum(), bar.value()) == (0, 10, 7)
