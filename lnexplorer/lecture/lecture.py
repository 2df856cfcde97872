"""The lecture: its place, the state of both windows, and the commands of the keys."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPixmap, QScreen

from lnexplorer.domain.lecture.scenes import (
    LENGTHS,
    USUAL,
    LectureStep,
    Playback,
    Question,
    QuestionScene,
    Scheduling,
)
from lnexplorer.domain.lecture.storyboard import lecture_of
from lnexplorer.domain.stopwatch import Stopwatch
from lnexplorer.gui.charts.sheet import BLACK, WHITE
from lnexplorer.gui.kit import CHINESE, ENGLISH, Languages, translate_message
from lnexplorer.gui.timeline.player import Player
from lnexplorer.lecture.page import PageState
from lnexplorer.lecture.window import Command, LectureWindow, SpeakerWindow


class HaltingPlayer(Player):
    """A player that halts at the events of its timeline; the next halt is its end until then."""

    _halts: tuple[float, ...] = ()  # ns; the last one is the end of the timeline

    def begin(self, scene: Playback | None) -> None:
        """Play a timeline from the start, or stand there if the start is a halt; None: nothing."""
        self.set_playing(False)
        self._halts = scene.halts if scene is not None else ()
        self.load(max(self._halts, default=0.0), 0.0)
        if 0 in self._halts:
            self._stand(0)
        else:
            self.forward()

    def forward(self) -> bool:
        """Play on from a halt; while it plays, go to the next halt at once.

        Returns:
            False if the timeline had come to its end.
        """
        coming = min((time for time in self._halts if time > self.time_ns), default=None)
        if coming is None:
            return False
        if self.playing:
            self._stand(coming)
        else:
            self.set_end(coming)
            self.set_playing(True)
        return True

    def back(self) -> bool:
        """Go to the halt before; return False if there is none."""
        before = max((time for time in self._halts if time < self.time_ns), default=None)
        if before is not None:
            self._stand(before)
        return before is not None

    def toggle(self) -> None:
        """Pause, or play on."""
        if self.playing:
            self.set_playing(False)
        else:
            self.forward()

    def _stand(self, time_ns: float) -> None:
        self.set_playing(False)
        self.set_end(time_ns)
        self.seek(time_ns)


PREVIEW_HEIGHT = 540  # px; the speaker's pictures need no more
MOST_DIGITS = 3  # of the number of a step
_COVERS = (Command.BLACK, Command.WHITE, Command.HELP)  # what is shown in place of the step
_UNCOVERS = (*_COVERS, Command.NEXT, Command.BACK, Command.LEAVE)


class Lecture(QObject):
    """Opens both windows and follows the keys."""

    languageWished = Signal(str)
    left = Signal()

    def __init__(
        self,
        steps: tuple[LectureStep, ...],
        languages: Languages,
        *,
        dark: bool = True,
        start: int = 0,
        length: int = 0,
    ) -> None:
        super().__init__()
        self._languages = languages
        self._all = steps
        self.length = length if length in LENGTHS else USUAL
        self.steps = lecture_of(steps, self.length)
        self.place = min(max(start, 0), len(self.steps) - 1)  # of the step that is shown, from 0
        self._typed = ""
        self.stopwatch = Stopwatch()
        self.window = LectureWindow()
        self.window.set_palette(BLACK if dark else WHITE)
        self.speaker = SpeakerWindow(self.stopwatch)
        self.player = HaltingPlayer(self)
        self._guesses: dict[Question, int] = {}  # options that the room has chosen
        self._orders: dict[object, tuple[int, ...]] = {}  # in which it lets programs go on
        self._previews = QTimer(self, singleShot=True)  # after the room's window is painted
        self._previews.timeout.connect(self._show_to_speaker)
        self._leaving = False
        for window in (self.window, self.speaker):
            window.wished.connect(self.do)
        self.window.left.connect(self.leave)
        self.window.languageChanged.connect(self._show)
        self.player.timeChanged.connect(self._show)
        self.player.playingChanged.connect(self._show)
        self._actions: dict[Command, Callable[[], object]] = {
            Command.NEXT: self._forward,
            Command.BACK: self._back,
            Command.FIRST: lambda: self._go(0),
            Command.LAST: lambda: self._go(len(self.steps)),
            Command.ENTER: lambda: self._go(
                int(self._typed) - 1 if self._typed else self.place + 1
            ),
            Command.ERASE: lambda: self._go(self.place if self._typed else self.place - 1),
            Command.LEAVE: self.leave,
            Command.LENGTH: self._next_length,
            Command.ONE_PROGRAM: lambda: self._guess(0),
            Command.OTHER_PROGRAM: lambda: self._guess(1),
            Command.POINTER: self.window.toggle_pointer,
            Command.LANGUAGE: lambda: self.languageWished.emit(
                ENGLISH if languages.current == CHINESE else CHINESE
            ),
            Command.INVERT: lambda: self.window.set_palette(
                WHITE if self.window.colours is BLACK else BLACK
            ),
            Command.PLAY: self.player.toggle,
            Command.SPEAKER: lambda: self.speaker.setVisible(not self.speaker.isVisible()),
            Command.TIMER: self.stopwatch.toggle,
            Command.RESET: self.stopwatch.reset,
            Command.FULL_SCREEN: lambda: self.window.setWindowState(
                self.window.windowState() ^ Qt.WindowState.WindowFullScreen
            ),
        }
        self._enter()

    @property
    def step(self) -> LectureStep:
        """Return the step that is shown."""
        return self.steps[self.place]

    def open(self) -> None:
        """Show the room's window on the screen for the room, and the notes where there is a second
        one.
        """
        screens = QGuiApplication.screens()
        room = room_screen(screens)
        self.window.setGeometry(room.geometry())
        self.window.showFullScreen()
        if len(screens) > 1:
            own = next(screen for screen in screens if screen is not room)
            self.speaker.setGeometry(own.availableGeometry())
            self.speaker.showMaximized()
        self.window.activateWindow()
        self.window.setFocus()
        self.player.set_visible(True)
        self._show()

    def leave(self) -> None:
        """Close both windows. A second time does nothing."""
        if self._leaving:
            return
        self._leaving = True
        self._previews.stop()
        self.player.begin(None)
        self.player.set_visible(False)
        for window in (self.window, self.speaker):
            window.close()
            window.deleteLater()
        self.left.emit()

    def do(self, command: Command, digit: str = "") -> None:
        """Do what a key asks for.

        While something covers the step, a key that moves or asks for the same shows it again.
        """
        covered = self.window.covered
        if covered is not None and command in _UNCOVERS:
            self.window.cover(command if command in _COVERS and command is not covered else None)
        elif command in _COVERS:
            self.window.cover(command)
        elif command is Command.DIGIT:
            self._typed = self._typed + digit if len(self._typed) < MOST_DIGITS else digit
        elif command is Command.GUESS:
            self._guess(int(digit))
        else:
            self._actions[command]()
        self._show()

    def _forward(self) -> None:
        self.stopwatch.start()
        if self._typed or not self.player.forward():
            self._go(self.place + 1)

    def _next_length(self) -> None:
        """Take the next length; where it lacks the step on show, the one before that it has."""
        here = [step.scene for step in self._all].index(self.step.scene)
        self.length = LENGTHS[(LENGTHS.index(self.length) + 1) % len(LENGTHS)]
        self.steps = lecture_of(self._all, self.length)
        self.place = len(lecture_of(self._all[: here + 1], self.length)) - 1
        self._enter()

    def _back(self) -> None:
        scene = self.step.scene
        if order := self._orders.get(scene):
            self._orders[scene] = order[:-1]
        elif self._typed or not self.player.back():
            self._go(self.place - 1)

    def _guess(self, option: int) -> None:
        """Mark an option as the room's guess; the same one again takes it back."""
        scene = self.step.scene
        if isinstance(scene, QuestionScene):
            before = self._guesses.pop(scene.question, None)
            if option != before:
                self._guesses[scene.question] = option
        elif isinstance(scene, Scheduling):
            order = self._orders.get(scene, ())
            if not scene.played(order).through:
                self._orders[scene] = (*order, option)

    def _go(self, place: int) -> None:
        """Go to a step; to the first or the last where there is none at that place."""
        before = self.place
        self.place = min(max(place, 0), len(self.steps) - 1)
        self._typed = ""
        if self.place != before:
            self._enter()

    def _enter(self) -> None:
        """Begin a step: play its timeline."""
        self.player.begin(self.step.scene if isinstance(self.step.scene, Playback) else None)

    def state(self, place: int, time_ns: float | None = None) -> PageState:
        """Return a step as it is shown; without a time, at one at which most can be seen."""
        step = self.steps[place]
        guess = (
            self._guesses.get(step.scene.question)
            if isinstance(step.scene, QuestionScene)
            else None
        )
        typed = self._typed if place == self.place else ""
        return PageState(
            step=step,
            time_ns=time_ns,
            typed=typed,
            notice=self._languages.missing_font(),
            guess=guess,
            order=self._orders.get(step.scene, ()),
        )

    def _show(self) -> None:
        """Show the step as it is now; to the speaker, with the next one, once it stands still."""
        if not self._leaving:
            self.window.show_state(self.state(self.place, self.player.time_ns))
            if self.speaker.isVisible() and not self.player.playing:
                self._previews.start(0)

    def _show_to_speaker(self) -> None:
        step, last = self.step, self.place + 1 == len(self.steps)
        coming = None if last else self._picture(self.state(self.place + 1))
        number = f"{step.number} / {step.count}   {translate_message(step.minute)}"
        now = self._picture(self.state(self.place, self.player.time_ns))
        self.speaker.show_step(now, coming, translate_message(step.note), number)

    def _picture(self, state: PageState) -> QPixmap:
        """Return a step as the room sees it, small."""
        size = self.window.size()
        scale = min(PREVIEW_HEIGHT / max(size.height(), 1), 1.0)
        picture = QPixmap(max(round(size.width() * scale), 1), max(round(size.height() * scale), 1))
        painter = QPainter(picture)
        painter.scale(scale, scale)
        self.window.draw(painter, state)
        painter.end()
        return picture


def room_screen(screens: list[QScreen]) -> QScreen:
    """Return the screen for the room: not the primary one, where there are several."""
    primary = QGuiApplication.primaryScreen()
    return next((screen for screen in screens if screen is not primary), primary)
