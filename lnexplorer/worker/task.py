"""A job under way: what it tells, and where it may be left."""

import time
from contextlib import AbstractContextManager

from lnexplorer.protocol.messages import PhaseStarted, Progress
from lnexplorer.worker.cancellation import Cancellation
from lnexplorer.worker.link import Link

PROGRESS_SECONDS = 0.1


class Task:
    """One job's number and its way to the engine."""

    def __init__(self, number: int, link: Link, cancellation: Cancellation) -> None:
        self.number = number
        self.link = link
        self.phase = "compile"
        self._cancellation = cancellation
        self._told = 0.0
        cancellation.begin(number)

    @property
    def cancelled(self) -> bool:
        """Whether the job is to be left."""
        return self._cancellation.requested

    def check(self) -> None:
        """Leave the job, by JobCancelled, if that was asked for."""
        self._cancellation.check()

    def interruptible(self, *, prompt: bool = False) -> AbstractContextManager[None]:
        """A context that may be left anywhere, by JobCancelled; at once where `prompt`, as what has no checks should be."""
        return self._cancellation.interruptible(prompt=prompt)

    def begin(self, phase: str) -> None:
        """Enter a phase, "compile" or "run"."""
        self.check()
        self.phase = phase
        self.link.send(PhaseStarted(job=self.number, phase=phase))

    def step(self, name: str, done: int, total: int) -> None:
        """Say what begins now, and leave the job here if that was asked for."""
        self.check()
        self._told = time.monotonic()
        self.link.send(Progress(job=self.number, step=name, done=done, total=total))

    def count(self, name: str, done: int, total: int) -> None:
        """As `step`, for what comes many times a second: most of it is not told, and nothing is left here."""
        if time.monotonic() - self._told >= PROGRESS_SECONDS:
            self._told = time.monotonic()
            self.link.send(Progress(job=self.number, step=name, done=done, total=total))
