"""The clock of the animation."""

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

FRAME_MS = 16
SECONDS_IN_ALL = 8.0  # in which the whole timeline is played at first


class Player(QObject):
    """The clock of an animation; it runs while it plays and its widget is visible."""

    timeChanged = Signal(float)  # ns
    playingChanged = Signal(bool)
    speedChanged = Signal(float)  # ns a second

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.time_ns = 0.0
        self.end_ns = 0.0
        self.speed = 1.0
        self.loop = False
        self.playing = False  # or will, as soon as its widget is visible
        self._visible = False
        self._touched = False
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer, interval=FRAME_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def running(self) -> bool:
        return self._timer.isActive()

    @property
    def share(self) -> float:
        """Share of the time that is past, 0 to 1."""
        return self.time_ns / self.end_ns if self.end_ns > 0 else 0.0

    def load(self, end_ns: float, show_share: float) -> None:
        """Take a new timeline: its end, and the share of it to show until the user plays."""
        self.end_ns = end_ns
        self._touched = False
        self.set_speed(end_ns / SECONDS_IN_ALL)
        self._go(0.0 if self.playing else show_share * end_ns)

    def set_end(self, end_ns: float) -> None:
        """Change the end; the time stays if it is not later."""
        self.end_ns = end_ns
        self._go(self.time_ns)

    def set_speed(self, ns_per_second: float) -> None:
        self.speed = max(ns_per_second, 1.0)
        self.speedChanged.emit(self.speed)

    def seek(self, time_ns: float) -> None:
        self._touched = True
        self._go(time_ns)

    def set_playing(self, playing: bool) -> None:
        """Play or pause. At the end, and if the user has not chosen a time yet, it plays from the
        start.
        """
        if playing and (self.time_ns >= self.end_ns or not self._touched):
            self._go(0.0)
        self._touched = True
        if playing != self.playing:
            self.playing = playing
            self.playingChanged.emit(playing)
        self._update_timer()

    def set_visible(self, visible: bool) -> None:
        self._visible = visible
        self._update_timer()

    def _update_timer(self) -> None:
        runs = self.playing and self._visible and self.end_ns > 0
        if runs and not self.running:
            self._clock.start()
            self._timer.start()
        elif not runs:
            self._timer.stop()

    def _go(self, time_ns: float) -> None:
        self.time_ns = min(max(time_ns, 0.0), self.end_ns)
        self.timeChanged.emit(self.time_ns)

    def _tick(self) -> None:
        passed = self.time_ns + self.speed * self._clock.restart() / 1000
        if passed < self.end_ns:
            self._go(passed)
        elif self.loop:
            self._go(0.0)
        else:
            self._go(self.end_ns)
            self.set_playing(False)
