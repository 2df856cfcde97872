"""A picture that a widget paints by itself, at whatever size it has, and that can be saved as a chart can."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from lnexplorer.gui.charts.legend import LegendEntry
from lnexplorer.gui.shell.theme import LIGHT, Theme


class Drawing(QWidget):
    """Its colours, and what is printed beside it where it is saved."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        # Lines that say what is shown and where it comes from, where that is not the session's newest run.
        self.caption: Callable[[], tuple[str, ...]] | None = None
        self.legend: Callable[[], tuple[LegendEntry, ...]] | None = None  # where it stands beside the picture
