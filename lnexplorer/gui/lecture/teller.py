"""Lets a timeline that plays stand still at what there is to tell, until the next key."""

from PySide6.QtCore import QObject

from lnexplorer.domain.lecture.passings import halts
from lnexplorer.domain.timeline import ReductionTimeline
from lnexplorer.gui.reduction.player import Player


class Teller(QObject):
    """Halts a player at each passing of its timeline. Whoever plays it on, or goes elsewhere, need not care."""

    def __init__(self, player: Player, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self._halts: tuple[int, ...] = ()
        self._told_ns = 0.0
        player.timeChanged.connect(self._on_time_changed)

    @property
    def halted(self) -> bool:
        """Whether the player stands still at a passing."""
        return not self._player.playing and self._player.time_ns in self._halts

    def tell(self, timeline: ReductionTimeline | None) -> None:
        """A timeline begins; None where nothing plays."""
        self._halts = halts(timeline) if timeline is not None else ()
        self._told_ns = 0.0

    def begin(self) -> None:
        """Play from the start. Where there is something to tell of it, stand there."""
        if self._halts and self._halts[0] == 0:
            self._stand(0.0)
        else:
            self._player.set_playing(True)

    def stop(self) -> None:
        """Halt no more."""
        self.tell(None)

    def forward(self) -> bool:
        """Play on from a halt; on the way to one, be there at once. After the last, go to the end.

        Returns:
            Whether there was anything left of the timeline.
        """
        if not self._halts or self._player.time_ns >= self._player.end_ns:
            return False
        if self.halted:
            self._player.set_playing(True)
        else:
            coming = next((time for time in self._halts if time > self._player.time_ns), None)
            self._stand(self._player.end_ns if coming is None else coming)
        return True

    def back(self) -> bool:
        """Stand at the halt before. Returns whether there was one."""
        before = next((time for time in reversed(self._halts) if time < self._player.time_ns), None)
        if before is None:
            return False
        self._stand(before)
        return True

    def _stand(self, time_ns: float) -> None:
        self._player.set_playing(False)
        self._told_ns = time_ns
        self._player.seek(time_ns)

    def _on_time_changed(self, time_ns: float) -> None:
        self._told_ns = min(self._told_ns, time_ns)  # it plays again
        coming = next((time for time in self._halts if time > self._told_ns), None)
        if coming is not None and time_ns >= coming and self._player.playing:
            self._stand(coming)
