"""Whole windows on folders of their own, and parts of one on the screen."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, SignalInstance
from PySide6.QtGui import QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from lnexplorer.domain.request import RunRequest
from lnexplorer.gui.kit.theme import DARK, Theme, apply_theme
from lnexplorer.gui.session.state import Remark
from lnexplorer.gui.window.application import Explorer
from lnexplorer.gui.window.preferences import Preferences
from lnexplorer.gui.window.start import Start, WindowOptions
from lnexplorer.store.paths import Paths
from lnexplorer.store.recordings import RecordedSweep
from lnexplorer.store.settings import load_settings
from tests.gui.completeness import is_complete
from tests.shared_worker import LentWorker, SharedWorker

LONG_MS = 60_000
Shown = TypeVar("Shown", bound=QWidget)
LECTURE = RunRequest.of(m=4, n=8, group_size_m=2)
Open = Callable[..., Explorer]
Until = Callable[[Callable[[], object]], None]
SaveAs = Callable[[Path], None]


def off_screen(qtbot: QtBot, widget: Shown, width: int, height: int) -> Shown:
    """A pane or a chart by itself, which ends with the test; nobody looks at it yet."""
    qtbot.addWidget(widget)
    Theme.current = DARK
    apply_theme(widget)
    widget.resize(width, height)
    return widget


def on_screen(qtbot: QtBot, widget: Shown, width: int, height: int) -> Shown:
    """A pane or a chart by itself that is looked at."""
    off_screen(qtbot, widget, width, height).show()
    return widget


def press(widget: QWidget, *keys: str) -> None:
    """Press keys one after the other, each alone or together with others, such as "Shift+Z"."""
    for key in keys:
        QTest.keySequence(widget, QKeySequence(key))


def type_text(widget: QWidget, text: str) -> None:
    """Type a text, letter by letter."""
    QTest.keyClicks(widget, text)


def click(widget: QWidget, place: QPoint | None = None) -> None:
    """Click a widget in its middle, or at a place."""
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place or widget.rect().center())


def wheel(widget: QWidget, place: QPoint, steps: int) -> None:
    """Turn the wheel over a place of a widget; away from oneself where `steps` are positive."""
    event = QWheelEvent(
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def heard(signal: SignalInstance) -> list[Any]:
    """Give the values that a signal tells from now on; a tuple of them where it has several."""
    told: list[Any] = []
    signal.connect(lambda *values: told.append(values[0] if len(values) == 1 else values))
    return told


def wait(application: QApplication, until: Callable[[], bool]) -> None:
    """Turn the event loop until something is so; for fixtures that outlive a test, and so have no
    qtbot.
    """
    last = time.monotonic() + LONG_MS / 1000
    while not until():
        assert time.monotonic() < last
        application.processEvents()
        time.sleep(0.005)


@contextmanager
def windows(application: QApplication, folder: Path, shared: SharedWorker) -> Iterator[Open]:
    """Gives what opens a window on the interpreter, by the name of its folder, with a finished run
    or with a file; with other options at once. `own` gives it a worker of its own.
    """
    explorers: list[Explorer] = []

    def make(
        name: str,
        file: Path | None = None,
        options: WindowOptions | None = None,
        *,
        own: bool = False,
    ) -> Explorer:
        home = folder / name
        home.mkdir(exist_ok=True)
        start = Start(
            options=options
            or WindowOptions(request=LECTURE, size=(1280, 720), language="en", recording=file),
            paths=Paths(home, home),
            settings=load_settings(home / "settings.json")[0],
            warnings=(),
            device="interpreter",
            spawned=None,
        )
        with pytest.MonkeyPatch.context() as patch:
            if not own:
                patch.setattr(
                    "lnexplorer.gui.window.application.Supervisor", partial(LentWorker, shared)
                )
            explorer = Explorer(start, Preferences(application, start))
        explorers.append(explorer)
        explorer.open()
        if options is not None:
            return explorer
        wait(application, lambda: is_complete(explorer))
        history = explorer.window.pane("history")
        wait(application, lambda: history.model.total >= 1)
        return explorer

    yield make
    for explorer in explorers:
        explorer.preferences.languages.use("en")  # the translators of one window outlive it
        if isValid(explorer.window):  # else the test closed it
            explorer.window.close()
        explorer.close()


def keep_sweeps(explorer: Explorer, qtbot: QtBot, *sweeps: RecordedSweep) -> None:
    """Put sweeps into the history of a window."""
    with qtbot.waitSignal(explorer.history.changed, timeout=LONG_MS):
        explorer.history.change(
            "sweeps", lambda history: [history.sweeps.take(sweep) for sweep in sweeps]
        )


def said(explorer: Explorer) -> str:
    """Return what the window tells its user now."""
    notice = explorer.session.state.notice
    return notice.sentence if isinstance(notice, Remark) else ""
