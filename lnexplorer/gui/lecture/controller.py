"""Opens the lecture when it is asked for, and only then loads what it needs."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from lnexplorer.gui.i18n.languages import Languages
from lnexplorer.gui.responsive import Delivery, import_in_steps

if TYPE_CHECKING:
    from lnexplorer.gui.lecture.lecture import Lecture


class LectureController(QObject):
    """Holds the lecture while there is one."""

    def __init__(self, delivery: Delivery, languages: Languages, use_language: Callable[[str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._delivery, self._languages, self._use_language = delivery, languages, use_language
        self._opening = False
        self._step = 0
        self.lecture: Lecture | None = None

    def open(self, *, dark: bool) -> None:
        """Begin a lecture, or come back to the one that is open. One that was left goes on at its step."""
        if self.lecture is not None:
            self.lecture.window.activateWindow()
            return
        if self._opening:  # the event loop turns while modules are loaded
            return
        self._opening = True
        try:
            module = import_in_steps("lnexplorer.gui.lecture.lecture")
        finally:
            self._opening = False
        self.lecture = module.Lecture(self._delivery, self._languages, dark=dark, start=self._step, parent=self)
        self.lecture.languageWished.connect(self._use_language)
        self.lecture.left.connect(self._on_left)
        self.lecture.open()

    def close(self) -> None:
        """End the lecture, if there is one."""
        if self.lecture is not None:
            self.lecture.leave()

    def _on_left(self) -> None:
        if self.lecture is not None:
            self._step = self.lecture.position.step
            self.lecture.deleteLater()
            self.lecture = None
