"""Lets the window measure itself, for the benchmark: when it was painted, when its results were there, how long it was
away.
"""

import json
import sys
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer

from lnexplorer.gui.shell.main_window import MainWindow

MOVE_MS = 40  # between two movements of a slider
MOVES = 120
SETTLE_MS = 2000  # for the last run to end
BEAT_MS = 4


class EventLoopWatch(QObject):
    """Beats every few milliseconds; a late beat is a blocked event loop. Cheap, but only on while somebody measures."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.longest_ms = 0.0
        self.longest_work_ms = 0.0  # of the processor's time that Qt's thread took: what other programs did does not count
        self._last = 0.0
        self._worked = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin to watch, with nothing seen yet."""
        self.longest_ms = self.longest_work_ms = 0.0
        self._last, self._worked = time.perf_counter(), time.thread_time()
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
        self._last, self._worked = now, worked


class SelfMeasurement(QObject):
    """Notes times since the epoch; once everything is there, moves sliders for some seconds, and closes the window."""

    def __init__(self, window: MainWindow, is_complete: Callable[[], bool], started: float, parent: QObject) -> None:
        super().__init__(parent)
        self.times: dict[str, float] = {"started": started}
        self._window = window
        self._is_complete = is_complete
        self._moves = 0
        self._watch = EventLoopWatch(self)
        self._mover = QTimer(self)
        self._mover.setInterval(MOVE_MS)
        self._mover.timeout.connect(self._move)

    def note(self, what: str) -> None:
        """It is now that `what` has happened for the first time."""
        if what not in self.times:
            self.times[what] = time.time()
        if what == "first_paint":
            self.times["work_to_first_paint"] = time.process_time()
            self._watch.start()
        elif self._is_complete() and "complete" not in self.times:
            self.times["complete"] = time.time()
            self.times["longest_block_at_start_ms"] = self._watch.stop()
            self.times["longest_work_at_start_ms"] = self._watch.longest_work_ms
            QTimer.singleShot(SETTLE_MS, self, self._begin_to_move)

    def _begin_to_move(self) -> None:
        self._watch.start()
        self._mover.start()

    def _move(self) -> None:
        self._moves += 1
        rows = self._window.parameters.rows
        for name, period in (("m", 7), ("group_size_m", 11)):
            slider = rows[name].slider
            assert slider is not None
            slider.setValue(slider.maximum() // 4 + (self._moves * period) % (slider.maximum() // 3))
        if self._moves >= MOVES:
            self._mover.stop()
            QTimer.singleShot(SETTLE_MS, self, self._end)

    def _end(self) -> None:
        self.times["longest_block_while_moving_ms"] = self._watch.stop()
        self.times["longest_work_while_moving_ms"] = self._watch.longest_work_ms
        sys.stderr.write(json.dumps(self.times) + "\n")
        self._window.close()
