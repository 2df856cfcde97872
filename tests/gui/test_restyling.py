"""Another theme or text size, in steps of the event loop."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.shell import restyling
from lnexplorer.gui.shell.restyling import Restyler
from lnexplorer.gui.shell.steps import StepQueue
from lnexplorer.gui.shell.style import TEXT_SIZE, apply_style
from lnexplorer.gui.shell.theme import DARK, LIGHT, Theme


class Part(QLabel):
    """Counts how often it hears of another style."""

    def __init__(self, look: str) -> None:
        super().__init__(look)
        self.setProperty("look", look)
        self.heard = 0

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        self.heard += event.type() is QEvent.Type.StyleChange
        super().changeEvent(event)

    def colour(self) -> QColor:
        return self.palette().color(self.foregroundRole())


@pytest.fixture
def parts(qapp: QApplication, qtbot: QtBot) -> Iterator[list[Part]]:
    apply_style(qapp, DARK)
    window = QWidget()
    qtbot.addWidget(window)
    found = [Part(look) for look in ("muted", "refusal", "strong", "title")]
    layout = QVBoxLayout(window)
    for part in found:
        layout.addWidget(part)
    window.show()
    qtbot.waitExposed(window)
    yield found
    window.close()


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> StepQueue:
    monkeypatch.setattr(restyling, "STEP_SECONDS", 0.0)  # a step for each widget
    return StepQueue()


def run(steps: StepQueue) -> None:
    while steps.waiting:
        steps._next()


def nothing(_theme: Theme) -> Iterator[Callable[[], object]]:
    return iter(())


def test_every_widget_takes_the_new_look_a_few_in_each_turn(qapp: QApplication, parts: list[Part], steps: StepQueue) -> None:
    turns, themed = [], []
    muted, refusal, strong, title = parts
    assert (muted.colour(), refusal.colour()) == (QColor(DARK.muted), QColor(DARK.bad))
    heard = [part.heard for part in parts]
    restyler = Restyler(qapp, steps, lambda theme: iter([lambda: themed.append(theme)]))
    restyler.restyle(LIGHT, 120)
    frozen = False
    while steps.waiting:
        steps._next()
        turns.append([part.heard for part in parts])
        frozen = frozen or not muted.updatesEnabled()
    assert max(sum(after) - sum(before) for before, after in zip([heard, *turns], turns, strict=False)) == 1
    assert [part.heard for part in parts] == [count + 1 for count in heard]
    assert (muted.colour(), refusal.colour(), strong.colour()) == (QColor(LIGHT.muted), QColor(LIGHT.bad), QColor(LIGHT.text))
    assert strong.font().pointSizeF() == pytest.approx(1.2 * TEXT_SIZE)
    assert title.font().pointSizeF() > strong.font().pointSizeF()
    assert themed == [LIGHT]
    assert frozen
    assert all(part.updatesEnabled() for part in parts)


def test_a_look_that_changes_later_leaves_nothing_of_the_theme_before(
    qapp: QApplication, parts: list[Part], steps: StepQueue
) -> None:
    Restyler(qapp, steps, nothing).restyle(LIGHT, 100)
    run(steps)
    refusal = parts[1]
    refusal.setProperty("look", "")
    refusal.style().unpolish(refusal)
    refusal.style().polish(refusal)
    assert refusal.colour() == QColor(LIGHT.text)


def test_of_changes_that_come_together_the_last_one_counts(qapp: QApplication, parts: list[Part], steps: StepQueue) -> None:
    restyler = Restyler(qapp, steps, nothing)
    restyler.restyle(LIGHT, 100)
    for _ in range(3):
        steps._next()
    for theme in (DARK, LIGHT, DARK):
        restyler.restyle(theme, 100)
    parts[0].deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    run(steps)
    assert parts[1].colour() == QColor(DARK.bad)
    assert parts[1].updatesEnabled()


def test_a_part_that_fails_does_not_leave_the_window_unpainted(qapp: QApplication, parts: list[Part], steps: StepQueue) -> None:
    def fail(_theme: Theme) -> Iterator[Callable[[], object]]:
        yield lambda: 1 // 0

    Restyler(qapp, steps, fail).restyle(LIGHT, 100)
    with pytest.raises(ZeroDivisionError):
        run(steps)
    assert all(part.updatesEnabled() for part in parts)
    assert parts[0].colour() == QColor(LIGHT.muted)


def test_titles_of_docks_that_are_there_already_grow_with_the_text(qapp: QApplication, qtbot: QtBot, steps: StepQueue) -> None:
    apply_style(qapp, DARK)
    window = QMainWindow()
    qtbot.addWidget(window)
    dock = QDockWidget("Correctness", window)
    dock.setWidget(QLabel())
    window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, dock)
    window.resize(400, 200)
    window.show()
    qtbot.waitExposed(window)

    def width() -> int:
        bar = dock.grab(QRect(0, 0, 300, dock.widget().y())).toImage()
        inked = [x for x in range(bar.width()) if len({bar.pixel(x, y) for y in range(bar.height())}) > 1]
        return max(inked) - min(inked)

    before = width()
    for _ in range(2):  # a second time, as the first one makes Qt forget the fonts of kinds of widgets
        Restyler(qapp, steps, nothing).restyle(DARK, 160)
        run(steps)
        assert width() == pytest.approx(1.6 * before, rel=0.1)
