"""Peers beside a run's kernels, Live's first look, and the device's state, on a real GPU."""

import queue
import time
from collections.abc import Iterator

import pytest

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.live import quick_request
from lnexplorer.domain.measuring import Measured
from lnexplorer.domain.peers import preparing
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import (
    EngineEvent,
    Finished,
    JobEnded,
    JobPart,
    JobProgress,
    Stopped,
    WorkerLost,
    WorkerReady,
)
from lnkernels.values.figures import Figure

pytestmark = pytest.mark.gpu

REQUEST = RunRequest(m=1024, n=2048)
PEERS = ("torch", "torch.compile", "persistent", "split", "liger", "nobody")
PATIENCE = 300.0


class Heard:
    """A supervisor and what it says."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        self.all: list[EngineEvent] = []
        self.supervisor = Supervisor(self._events.put, device="cuda:0")
        self.supervisor.start()

    def next(self) -> EngineEvent:
        event = self._events.get(timeout=PATIENCE)
        assert not isinstance(event, WorkerLost), event
        self.all.append(event)
        return event

    def end(self, job: int) -> JobEnded:
        while True:
            event = self.next()
            if isinstance(event, JobEnded) and event.job == job:
                return event


@pytest.fixture(scope="module")
def heard() -> Iterator[Heard]:
    made = Heard()
    yield made
    made.supervisor.close()


@pytest.fixture(scope="module")
def result(heard: Heard) -> RunResult:
    ended = heard.end(heard.supervisor.submit(RunJob(REQUEST, PEERS)))
    assert isinstance(ended.outcome, Finished), ended.outcome
    assert isinstance(ended.outcome.value, RunResult)
    return ended.outcome.value


def figure_of(event: EngineEvent) -> Figure | None:
    return event.part if isinstance(event, JobPart) and isinstance(event.part, Figure) else None


def test_every_peer_that_is_here_has_every_figure_and_the_others_a_reason(
    heard: Heard, result: RunResult
) -> None:
    ready = next(event for event in heard.all if isinstance(event, WorkerReady))
    here = {one.name for one in ready.device.offered if not one.missing}
    assert {"torch", "torch.compile", "persistent", "split"} <= here
    assert result.providers == PEERS
    assert result.throughput is not None
    refused = {refusal.provider: str(refusal.reason) for refusal in result.throughput.refusals}
    assert "nobody" in refused
    assert set(refused) == set(PEERS) - here, refused
    for provider in ("locked", *(name for name in PEERS if name in here)):
        for direction in ("forward", "backward"):
            for mode in ("kernel_cold", "kernel_warm", "autograd"):
                figure = result.throughput.find(provider, direction, mode)
                assert figure is not None, (provider, direction, mode)
                assert figure.share_of_ceiling is not None
                assert figure.samples_ms.size >= 5


def test_a_run_that_compiles_a_peer_can_be_left_and_the_worker_stays(
    heard: Heard, result: RunResult
) -> None:
    del result
    job = heard.supervisor.submit(RunJob(RunRequest(m=1024, n=3072), ("torch.compile",)))
    while True:
        event = heard.next()
        if (
            isinstance(event, JobProgress)
            and event.job == job
            and event.step == preparing("torch.compile")
        ):
            break
    time.sleep(0.3)  # into the compilation
    heard.supervisor.cancel(job, patiently=True)
    assert isinstance(heard.end(job).outcome, Stopped)
    again = heard.supervisor.submit(RunJob(RunRequest(m=1024, n=3072), ("torch.compile",)))
    outcome = heard.end(again).outcome  # the same worker: `next` lets none be lost
    assert isinstance(outcome, Finished)
    assert isinstance(outcome.value, RunResult)
    assert outcome.value.throughput is not None
    assert outcome.value.throughput.find("torch.compile", "backward", "kernel_cold") is not None


@pytest.mark.parametrize("mode", ["kernel_cold", "kernel_warm", "autograd"])
def test_a_first_look_of_live_has_its_share_and_does_not_wait_for_it(
    heard: Heard, mode: str
) -> None:
    request = RunRequest(
        m=1024, n={"kernel_cold": 5120, "kernel_warm": 6144, "autograd": 7168}[mode]
    )
    start = len(heard.all)
    ended = heard.end(heard.supervisor.submit(quick_request(request, mode)))
    assert isinstance(ended.outcome, Finished), ended.outcome
    assert isinstance(ended.outcome.value, Measured)
    told = [figure for event in heard.all[start:] if (figure := figure_of(event)) is not None]
    assert told[0].provider not in ("copy", "add")
    (outcome,) = ended.outcome.value.outcomes
    for direction in ("forward", "backward"):
        figure = outcome.figure(direction, mode)
        assert figure is not None
        assert figure.share_of_ceiling is not None
