"""The clock of the animation."""

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

FRAME_MS = 16
SECONDS_IN_ALL = 8.0  # the whole timeline lasts so long at the speed that is chosen at first


class Player(QObject):
    """A time that runs while it plays and somebody sees it."""

    timeChanged = Signal(float)  # ns
    playingChanged = Signal(bool)
    speedChanged = Signal(float)  # ns a second

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.time_ns = 0.0
        self.end_ns = 0.0
        self.speed = 1.0
        self.loop = False
        self._playing = False
        self._visible = False
        self._touched = False
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def playing(self) -> bool:
        """Whether the time runs, or would if somebody saw it."""
        return self._playing

    @property
    def running(self) -> bool:
        return self._timer.isActive()

    @property
    def share(self) -> float:
        """How much of the time is past, 0 to 1."""
        return self.time_ns / self.end_ns if self.end_ns > 0 else 0.0

    def load(self, end_ns: float, show_share: float) -> None:
        """Take a new timeline: its end, and the share of it that is shown until somebody plays."""
        self.end_ns = end_ns
        self._touched = False
        self.set_speed(end_ns / SECONDS_IN_ALL)
        self._go(0.0 if self._playing else show_share * end_ns)

    def set_end(self, end_ns: float) -> None:
        """The end alone is another; the time stays, where it is before it."""
        self.end_ns = end_ns
        self._go(self.time_ns)

    def set_speed(self, ns_per_second: float) -> None:
        self.speed = max(ns_per_second, 1.0)
        self.speedChanged.emit(self.speed)

    def seek(self, time_ns: float) -> None:
        self._touched = True
        self._go(time_ns)

    def set_playing(self, playing: bool) -> None:
        """Play or pause. From the end, or where nobody has chosen a time yet, it plays from the
        start.
        """
        if playing and (self.time_ns >= self.end_ns or not self._touched):
            self._go(0.0)
        self._touched = True
        if playing != self._playing:
            self._playing = playing
            self.playingChanged.emit(playing)
        self._update_timer()

    def set_visible(self, visible: bool) -> None:
        self._visible = visible
        self._update_timer()

    def _update_timer(self) -> None:
        if self._playing and self._visible and self.end_ns > 0:
            if not self._timer.isActive():
                self._clock.start()
                self._timer.start()
        else:
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
