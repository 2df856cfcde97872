"""How long Qt's event loop is away."""

import time

from PySide6.QtCore import QObject, Qt, QTimer

BEAT_MS = 4


class EventLoopWatch(QObject):
    """Beats every few milliseconds; a late beat is a blocked event loop."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.longest_ms = 0.0
        # of the processor's time that Qt's thread took: what other programs did does not count
        self.longest_work_ms = 0.0
        self._last = 0.0
        self._worked = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin to watch, with nothing seen yet."""
        self.longest_ms = self.longest_work_ms = 0.0
        self._last = time.perf_counter()
        self._worked = time.thread_time()
        self._timer.start()

    def stop(self) -> float:
        """End the watch. Longest time without a turn of the event loop, in ms."""
        self._timer.stop()
        self._beat()
        return self.longest_ms

    def _beat(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.longest_ms = max(self.longest_ms, (now - self._last) * 1000 - BEAT_MS)
        self.longest_work_ms = max(self.longest_work_ms, (worked - self._worked) * 1000)
        self._last = now
        self._worked = worked
