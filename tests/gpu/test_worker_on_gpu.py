"""The worker on a GPU: measured times, a recorded timeline, and a lock left taken on the device."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.protocol.messages import (
    JobPart,
    JobProgress,
    Refused,
    Stopped,
    WorkerLost,
    WorkerReady,
)
from lnexplorer.worker.turns import turn_of
from lnkernels.values.accuracy import Correctness
from lnkernels.values.environment import Kind
from tests.engine.bench import Bench

pytestmark = pytest.mark.gpu

REQUEST = RunRequest(m=256, n=1024)
DEADLINES = Deadlines(run=10, grace=1)


@pytest.fixture(scope="module")
def bench(fault_file: Path) -> Iterator[Bench]:
    bench = Bench(fault_file, "cuda:0", DEADLINES)
    bench.supervisor.start()
    yield bench
    bench.supervisor.close()


def test_the_default_run_is_measured_and_correct(bench: Bench) -> None:
    ready = bench.listener.wait_for(WorkerReady)
    assert ready.device.backend == "cuda"
    result = bench.listener.finished(bench.supervisor.submit(RunJob(RunRequest(repeats=3)))).value
    assert isinstance(result, RunResult)
    assert (result.resolved.m, result.resolved.n) == (4096, 8192)
    assert result.correctness.passed
    assert result.provenance.kind is Kind.MEASURED
    assert result.throughput is not None
    assert not result.throughput.refusals
    for provider in ("locked", "torch"):
        for direction in ("forward", "backward"):
            for mode in ("kernel_cold", "kernel_warm", "autograd"):
                figure = result.throughput.find(provider, direction, mode)
                assert figure is not None
                assert figure.gbps > 0
    told = [event for event in bench.listener.hear_all() if isinstance(event, JobPart)]
    assert len(told) > 12, "figures are told as they become known"


def test_timing_waits_for_who_has_the_turn_and_checks_and_compilation_do_not(bench: Bench) -> None:
    with turn_of(
        Mock(), str(torch.cuda.get_device_properties(0).uuid)
    ):  # another program, as far as the worker knows
        job = bench.supervisor.submit(RunJob(REQUEST))
        bench.listener.wait_for(
            JobPart, lambda event: event.job == job and isinstance(event.part, Correctness)
        )
        whose = f"(process {os.getpid()}) on this GPU"
        bench.listener.wait_for(
            JobProgress, lambda event: event.job == job and whose in str(event.step)
        )
    result = bench.listener.finished(job).value
    assert isinstance(result, RunResult)
    assert result.throughput is not None


def test_a_lock_left_taken_ends_in_a_new_worker(bench: Bench) -> None:
    bench.fault("leave-a-lock-taken", "run")
    broken = bench.listener.broken(bench.supervisor.submit(RunJob(REQUEST)))
    assert broken.phase == "run"
    assert str(broken.sentence) == "The worker took longer than 10 s while running, and was ended."
    bench.next_run_works()


def test_stop_ends_a_kernel_that_never_ends(bench: Bench) -> None:
    bench.fault("leave-a-lock-taken", "run")
    job = bench.supervisor.submit(RunJob(REQUEST))
    bench.wait_for_phase(job, "run")
    time.sleep(0.5)
    asked = time.monotonic()
    bench.supervisor.stop()
    assert bench.listener.outcome_of(job) == Stopped()
    assert (
        str(bench.listener.wait_for(WorkerLost).sentence)
        == "The worker did not stop within 1 s, and was ended."
    )
    assert time.monotonic() - asked < 6
    bench.next_run_works()


def test_more_memory_than_there_is_is_refused_before_the_run(bench: Bench) -> None:
    refused = bench.listener.outcome_of(
        bench.supervisor.submit(RunJob(RunRequest(m=1 << 24, n=8192)))
    )
    assert isinstance(refused, Refused)
    assert refused.problems[0].field == "m"
    bench.next_run_works()


def test_memory_that_runs_out_is_told_with_how_much_was_asked(bench: Bench) -> None:
    bench.fault("exhaust-gpu-memory", "run")
    broken = bench.listener.broken(bench.supervisor.submit(RunJob(REQUEST)))
    assert str(broken.sentence).startswith("GPU memory ran out: tried to allocate ")
    bench.next_run_works()


def test_an_illegal_address_loses_the_device_and_the_next_run_works(bench: Bench) -> None:
    bench.fault("illegal-address", "run")
    broken = bench.listener.broken(bench.supervisor.submit(RunJob(REQUEST)))
    assert "illegal memory access" in str(broken.sentence) or "an illegal" in str(broken.sentence)
    assert bench.listener.wait_for(WorkerLost).restarting
    bench.next_run_works()
