"""For every test of the window: whole windows, and none of its widgets may be left behind."""

import gc
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from lnexplorer.gui.kit.responsive import Background, Delivery
from lnexplorer.gui.window.application import Explorer
from tests.gui.windows import LONG_MS, Open, SaveAs, Until, windows
from tests.shared_worker import SharedWorker


def _own_widgets(application: QApplication) -> list[QWidget]:
    """Top-level widgets of this program; pyqtgraph's menus belong to nobody and live as long as
    they like.
    """
    return [
        widget
        for widget in application.topLevelWidgets()
        if type(widget).__module__.startswith("lnexplorer")
    ]


@pytest.fixture(autouse=True, scope="module")
def _imports_are_no_garbage() -> None:
    """Looking through all that was imported takes 0.2 s, which every test would pay. Files of other
    folders, which come in between, import more.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_widget_is_left(qapp: QApplication) -> Iterator[None]:
    before = _own_widgets(qapp)
    yield
    gc.collect()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()
    left = [widget for widget in _own_widgets(qapp) if widget not in before]
    assert not left, f"left behind: {left}"


@pytest.fixture
def opened(qapp: QApplication, tmp_path: Path, shared_worker: SharedWorker) -> Iterator[Open]:
    """Opens windows on folders of their own, with a finished run, with a file, or with other
    options.
    """
    with windows(qapp, tmp_path, shared_worker) as make:
        yield make


@pytest.fixture(scope="module")
def explorer(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory, shared_worker: SharedWorker
) -> Iterator[Explorer]:
    """Shares a window with a finished run among all tests of a file."""
    with windows(qapp, tmp_path_factory.mktemp("shared"), shared_worker) as make:
        yield make("home")


@pytest.fixture
def delivery(qtbot: QtBot) -> Iterator[Delivery]:
    made = Delivery()
    yield made
    made.close()


@pytest.fixture
def files(delivery: Delivery) -> Iterator[Background]:
    thread = Background(delivery, "files")
    yield thread
    thread.close()


@pytest.fixture
def until(qtbot: QtBot) -> Until:
    """Waits until something is so, as long as a worker may take for it."""
    return partial(qtbot.waitUntil, timeout=LONG_MS)


@pytest.fixture
def save_as(monkeypatch: pytest.MonkeyPatch) -> SaveAs:
    """Answers the question for the name of a file, whenever it comes."""

    def answer(path: Path) -> None:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))

    return answer
