"""The jobs that are being done for the window, whichever worker does them."""

import time
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from lnexplorer.domain import wording
from lnexplorer.gui.kit import translate_message
from lnexplorer.protocol.messages import EngineEvent, JobEnded, JobProgress, JobStarted
from lnkernels.values import frozen, join_sentences, say, verbatim

PHASES = {"compile": say("compile"), "run": say("run")}
LEAST_STEPS = 6  # fewer tell no duration: the few steps of a run take very different times
LEAST_SECONDS = 2.0


@frozen
class JobUnderWay:
    """A job that is being done: when it began, and its newest progress."""

    since: float  # by the monotonic clock, s
    progress: JobProgress | None = None
    first: tuple[float, int] = (0.0, 0)  # when its step began to be counted, and at what
    estimate: float = 0.0  # of all that it takes, s; 0 where it is not known

    def with_progress(self, progress: JobProgress) -> "JobUnderWay":
        before = self.progress
        same = before is not None and (before.step, before.total) == (
            progress.step,
            progress.total,
        )
        first = self.first if same else (time.monotonic(), progress.done)
        return replace(self, progress=progress, first=first)

    def text(self) -> str:
        """Return what the job does, how long it has taken, and how long it still takes."""
        now, progress = time.monotonic(), self.progress
        parts, left = [], self.estimate - (now - self.since) if self.estimate else 0.0
        if progress is not None:
            step = progress.step or PHASES.get(progress.phase, verbatim(progress.phase))
            counted = progress.total >= LEAST_STEPS
            done = f"{progress.done:,}/{progress.total:,}"
            parts.append(join_sentences([step, done], " ") if counted else step)
            since, begun = self.first
            new = progress.done - begun
            if counted and new > 0:
                left = max(left, (now - since) * (progress.total - progress.done) / new)
        if left > 0 and now - self.since > LEAST_SECONDS:
            parts.append(say("about {time} left", time=wording.duration(left)))
        if now - self.since >= 1:
            parts.insert(1, wording.duration(now - self.since))
        return translate_message(join_sentences(parts, " · ")) if parts else ""


class UnderWay(QObject):
    """Knows the jobs under way by the events of their workers."""

    changed = Signal()
    stopWanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs: dict[tuple[object, int], JobUnderWay] = {}

    @property
    def oldest(self) -> JobUnderWay | None:
        return next(iter(self._jobs.values()), None)

    def hear(self, event: EngineEvent, worker: object = None, estimate: float = 0.0) -> None:
        """Follow an event of a worker; None is the window's own worker.

        `estimate` says how many seconds the job takes; 0 where that is not known.
        """
        match event:
            case JobStarted(job):
                self._jobs[worker, job] = JobUnderWay(time.monotonic(), estimate=estimate)
            case JobProgress(job) if (worker, job) in self._jobs:
                self._jobs[worker, job] = self._jobs[worker, job].with_progress(event)
            case JobEnded(job):
                self._jobs.pop((worker, job), None)
            case _:
                return
        self.changed.emit()

    def forget(self, worker: object) -> None:
        """Forget the jobs of a worker that is not heard any more."""
        self._jobs = {key: job for key, job in self._jobs.items() if key[0] is not worker}
        self.changed.emit()
