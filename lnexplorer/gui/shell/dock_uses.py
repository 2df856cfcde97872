"""Which panes were used last, so that they are in front where docks are put into another order."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget

from lnexplorer.gui.shell.dock_orders import is_seen


class DockUses(QObject):
    """A pane is used by whoever gives it the keyboard or chooses its tab."""

    def __init__(self, docks: Mapping[str, QDockWidget], parent: QObject) -> None:
        super().__init__(parent)
        self._docks = docks
        self._latest: list[str] = []
        self._seen: set[str] | None = None  # None: what is seen next, nobody has chosen
        self._ignored = False
        self._later = QTimer(self)  # of a row of tabs, two are seen or none for a moment
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._note_tabs)
        application = QApplication.instance()
        assert isinstance(application, QApplication), "docks belong to a window"
        application.focusChanged.connect(self._on_focus_changed)
        for dock in docks.values():
            dock.visibilityChanged.connect(lambda _visible: self._later.start(0))

    def latest_of(self, names: Sequence[str]) -> str | None:
        """That of these which was used last; None where none of them was."""
        return next((name for name in self._latest if name in names), None)

    @contextmanager
    def ignored(self) -> Iterator[None]:
        """What comes to the front or gets the keyboard meanwhile, nobody has chosen."""
        self._ignored = True
        try:
            yield
        finally:
            self._ignored, self._seen = False, None
            self._later.start(0)

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if not self._ignored and new is not None:
            for name, dock in self._docks.items():
                if dock.isAncestorOf(new):
                    self._note(name)

    def _note_tabs(self) -> None:
        window = next(iter(self._docks.values())).parentWidget()  # a torn-off dock's, too
        if window is None or window.isMinimized() or not window.isVisible():
            return  # nobody has put a pane away, nor chooses those that come back with it
        seen = {name for name, dock in self._docks.items() if is_seen(dock)}
        for name in seen - self._seen if self._seen is not None else ():
            self._note(name)
        self._seen = seen

    def _note(self, name: str) -> None:
        self._latest = [name, *(other for other in self._latest if other != name)]
