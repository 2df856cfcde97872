"""Deadlines of a worker, and the alarms that ring when it has taken longer."""

import time
from enum import Enum

from lnexplorer.domain.request import RunRequest, resolve
from lnkernels.values import frozen_by_name

# The interpreter's programs are counted while they run, each a step of some milliseconds. What is
# not counted, such as the float64 truth, takes about 0.1 µs an element on 2 cores. Ten times that
# is slow, not stuck.
ELEMENT_SECONDS = 1e-6
# A thread that wakes this much too late was held up itself (a suspended process, a machine out of
# memory), and others were, too.
HELD_UP_SECONDS = 0.5


@frozen_by_name
class Deadlines:
    """Seconds. A phase's deadline starts anew with every step that the worker reports, so it bounds
    one step.
    """

    contact: float = 30.0  # to another machine
    start: float = 120.0  # to import torch from a cold disk, and to wake the GPU
    compile: float = 60.0
    run: float = 120.0  # on the CPU in addition to what `step_seconds` grants for each element
    heartbeat: float = 10.0  # without any sign of life
    grace: float = 1.0  # for a stopped job, or a worker that is asked to leave
    # For a job that made room for a newer one: waiting is cheaper than a new worker.
    superseded_grace: float = 5.0

    def step_seconds(self, phase: str, request: RunRequest | None, backend: str) -> float:
        """Return the deadline of one step of a phase; on the CPU it grows with the elements of a
        run.
        """
        if phase == "compile" or request is None or backend == "cuda":
            return self.compile if phase == "compile" else self.run
        resolved = resolve(request, backend)
        return self.run + resolved.m * resolved.n * ELEMENT_SECONDS


class Alarm(Enum):
    """A deadline that has passed."""

    PHASE = "phase"  # the worker takes too long to start, or for a step of a job
    HEARTBEAT = "heartbeat"  # it has not been heard
    LEAVE = "leave"  # it still has a job that was ended, or is there though it should have left
    KILL = "kill"  # it was asked to end by a signal, and is still there
    ABANDON = "abandon"  # it was killed, and is still there


class Alarms:
    """The alarms that are set, by the monotonic clock."""

    def __init__(self) -> None:
        self._due: dict[Alarm, tuple[float, float]] = {}

    def set(self, alarm: Alarm, seconds: float) -> None:
        """Let an alarm ring in so many seconds, whenever it was due before."""
        self._due[alarm] = (time.monotonic() + seconds, seconds)

    def set_earlier(self, alarm: Alarm, seconds: float) -> None:
        """Let an alarm ring in so many seconds, unless it rings before."""
        if alarm not in self._due or self._due[alarm][0] > time.monotonic() + seconds:
            self.set(alarm, seconds)

    def clear(self, *alarms: Alarm) -> None:
        for alarm in alarms:
            self._due.pop(alarm, None)

    def seconds_to_next(self) -> float | None:
        """Return the time until an alarm rings; None without one."""
        if not self._due:
            return None
        return max(min(due for due, _ in self._due.values()) - time.monotonic(), 0.0)

    def take_due(self) -> list[tuple[Alarm, float]]:
        """Return and clear the alarms that ring now, with the seconds that they were set for.

        Where the caller comes much too late, all alarms are put off by as much and none rings: the
        worker's signs of life could not be read either.
        """
        now = time.monotonic()
        late = max((now - due for due, _ in self._due.values()), default=0.0)
        if late > HELD_UP_SECONDS:
            self._due = {
                alarm: (due + late, seconds) for alarm, (due, seconds) in self._due.items()
            }
            return []
        due = [(alarm, seconds) for alarm, (at, seconds) in self._due.items() if at <= now]
        self.clear(*(alarm for alarm, _ in due))
        return due
