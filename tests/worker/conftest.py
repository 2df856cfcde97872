"""What a worker's task talks to, without a process: where its events go, and who may cancel it."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lnexplorer.protocol.messages import JobPart, JobProgress, WorkerEvent
from lnexplorer.worker.connection import JobCancelled
from lnkernels.values.figures import Figure


class Wire:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[WorkerEvent] = []

    def send(self, event: WorkerEvent) -> None:
        self.sent.append(event)

    @property
    def order(self) -> list[str]:
        """Steps and figures, in the order in which they were told."""
        told = []
        for event in self.sent:
            match event:
                case JobProgress(step=step) if step is not None:
                    told.append(str(step))
                case JobPart(part=Figure() as figure):
                    told.append(f"{figure.provider} {figure.samples_ms.size}")
                case _:
                    pass
        return told


class Patience:
    """Cancels where it is told to."""

    def __init__(self) -> None:
        self.cancelled_inside = False
        self.requested = False

    def begin(self, number: int) -> None:
        pass

    def check(self) -> None:
        pass

    @contextmanager
    def interruptible(self, *, prompt: bool) -> Iterator[None]:
        assert prompt, "a move of Live does not wait"
        if self.cancelled_inside:
            raise JobCancelled
        yield


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def patience() -> Patience:
    return Patience()
