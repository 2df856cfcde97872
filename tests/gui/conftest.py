"""For every test of the window: none of its widgets may be left behind, and nothing of how it made the program look."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget


def _own_widgets(application: QApplication) -> list[QWidget]:
    """Top-level widgets of this program; pyqtgraph's menus belong to nobody and live as long as they like."""
    return [widget for widget in application.topLevelWidgets() if type(widget).__module__.startswith("lnexplorer")]


@pytest.fixture(autouse=True)
def _no_widget_is_left(qapp: QApplication) -> Iterator[None]:
    before = _own_widgets(qapp)
    yield
    gc.collect()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()
    left = [widget for widget in _own_widgets(qapp) if widget not in before]
    assert not left, f"left behind: {left}"


@pytest.fixture(autouse=True)
def _same_looks(qapp: QApplication) -> Iterator[None]:
    """Text size and style belong to the application, and how much fits into a width depends on them."""
    sheet, font, palette, style = qapp.styleSheet(), qapp.font(), qapp.palette(), qapp.style().objectName()
    yield
    if qapp.style().objectName() != style:
        qapp.setStyle(style)
    if qapp.styleSheet() != sheet:
        qapp.setStyleSheet(sheet)
    if qapp.font() != font:
        qapp.setFont(font)
    if qapp.palette() != palette:
        qapp.setPalette(palette)
