"""Opens the lecture when it is asked for, and loads what it needs only then."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from lnexplorer.gui.kit import Languages
from lnexplorer.gui.kit.responsive import Background
from lnkernels.values import Sentence, frozen_by_name

if TYPE_CHECKING:
    from lnexplorer.domain.lecture.scenes import LectureStep
    from lnexplorer.lecture.lecture import Lecture


@frozen_by_name
class LectureView:
    """The step at which a lecture was left, and goes on."""

    place: int = 0  # of the step, from 0
    length: int = 0  # minutes; 0 for the usual ones


class LectureController(QObject):
    """Opens a lecture, and keeps the step at which it was left."""

    View = LectureView

    def __init__(
        self,
        files: Background,
        languages: Languages,
        use_language: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._files = files
        self._languages = languages
        self._use_language = use_language
        self._opening = False
        self._view = LectureView()
        self.lecture: Lecture | None = None

    def view(self) -> LectureView:
        return self._view

    def show_view(self, view: LectureView) -> None:
        self._view = view

    def open(self, *, dark: bool) -> None:
        """Open a lecture at the step at which it was left, or bring the open one to the front."""
        if self.lecture is not None:
            self.lecture.window.activateWindow()
            return
        if self._opening:  # the event loop turns while modules and recordings are loaded
            return
        self._opening = True
        # Loaded when somebody lectures.
        from lnexplorer.lecture.lecture import Lecture
        from lnexplorer.lecture.loading import lecture_steps

        def begin(steps: "tuple[LectureStep, ...]") -> None:
            self._opening = False
            start, length = self._view.place, self._view.length
            lecture = Lecture(steps, self._languages, dark=dark, start=start, length=length)
            self.lecture = lecture
            lecture.languageWished.connect(self._use_language)
            lecture.left.connect(self._on_left)
            lecture.open()

        self._files.do(lecture_steps, begin, otherwise=self._refused)

    def _refused(self, sentence: Sentence) -> None:
        self._opening = False
        self._files.warned.emit(sentence)

    def close(self) -> None:
        """End the lecture, if there is one."""
        if self.lecture is not None:
            self.lecture.leave()

    def _on_left(self) -> None:
        if self.lecture is not None:
            self._view = LectureView(place=self.lecture.place, length=self.lecture.length)
            self.lecture.deleteLater()
            self.lecture = None
