"""Lets a timeline that plays stand still at what there is to tell, long enough to read it."""

from PySide6.QtCore import QObject, QTimer

from lnexplorer.domain.lecture.passings import passings
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.reduction.player import Player

READING_MS = 2500


class Teller(QObject):
    """Halts a player at each passing of its timeline for a while. Whoever plays it on, or goes elsewhere, need not wait."""

    def __init__(self, player: Player, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self._times: list[int] = []
        self._told_ns = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(READING_MS)
        self._timer.timeout.connect(lambda: player.set_playing(True))
        player.timeChanged.connect(self._on_time_changed)
        player.playingChanged.connect(self._on_playing_changed)

    @property
    def reading(self) -> bool:
        """Whether the player stands still to be read."""
        return self._timer.isActive()

    def tell(self, timeline: ReductionTimeline | None) -> None:
        """A timeline begins; None where nothing plays. What happens at its very start and its end needs no halt."""
        self._timer.stop()
        self._times, self._told_ns = [], 0.0
        if timeline is not None:
            self._times = [passing.time_ns for passing in passings(timeline) if 0 < passing.time_ns < timeline.end_ns]

    def stop(self) -> None:
        """Halt no more."""
        self.tell(None)

    def _on_time_changed(self, time_ns: float) -> None:
        self._told_ns = min(self._told_ns, time_ns)  # it plays again
        coming = next((time for time in self._times if time > self._told_ns), None)
        if coming is not None and time_ns >= coming and self._player.playing:
            self._told_ns = coming
            self._player.set_playing(False)
            self._player.seek(coming)
            self._timer.start()

    def _on_playing_changed(self, playing: bool) -> None:
        if playing:
            self._timer.stop()
