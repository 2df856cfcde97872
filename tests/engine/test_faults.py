"""Whatever happens to a worker: the job has one end with one readable sentence, and the next run
works.
"""

import os
import signal
import time
from pathlib import Path

import pytest

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.protocol.messages import (
    Stopped,
    Superseded,
    WorkerLost,
    WorkerReady,
    WorkerStarting,
)
from tests.engine.bench import SMALL, Bench
from tests.engine.listener import processes_with

# Of a worker that computes nothing, so that nothing but the fault takes time.
SHORT = {"freeze": {"heartbeat": 3.0, "grace": 1.0}, "sleep": {"compile": 1.0}}


@pytest.mark.parametrize(
    ("fault", "phase", "words"),
    [
        (
            "kill",
            "run",
            "The worker was killed (SIGKILL), perhaps because memory ran out, while running.",
        ),
        ("crash", "run", "The worker crashed (SIGSEGV) while running."),
        ("exit", "run", "The worker ended with exit status 5 while running."),
        ("freeze", "run", "The worker did not answer for 3 s while running, and was ended."),
        ("sleep", "compile", "The worker took longer than 1 s while compiling, and was ended."),
        (
            "lose-the-device",
            "run",
            "RuntimeError: CUDA error: an illegal memory access was encountered.",
        ),
        ("half-a-message", "run", "The worker sent a message that cannot be read while running: "),
        ("close-the-pipe", "run", "The worker closed its connection while running."),
    ],
)
def test_whatever_ends_a_worker_is_told_in_one_sentence_and_the_next_one_works(
    light: Bench, fault: str, phase: str, words: str
) -> None:
    light.allow(**SHORT.get(fault, {}))
    light.fault(fault, phase)
    broken = light.listener.broken(light.supervisor.submit(RunJob(SMALL)))
    assert broken.phase == phase
    assert str(broken.sentence).startswith(words)
    assert fault != "crash" or "light_worker.py" in broken.detail, "the details say where"
    assert light.listener.wait_for(WorkerLost).restarting
    light.next_run_works()


def test_what_waits_for_a_worker_that_is_killed_while_it_starts_is_begun_in_the_next(
    light: Bench,
) -> None:
    light.fault("kill", "start")
    light.supervisor.restart("interpreter")
    job = light.supervisor.submit(RunJob(SMALL))
    assert "while starting" in str(light.listener.wait_for(WorkerLost).sentence)
    light.listener.finished(job)


@pytest.mark.parametrize("fault", ["flood", "a-hundred-megabytes"])
def test_much_that_a_worker_writes_blocks_nothing(light: Bench, fault: str) -> None:
    light.fault(fault, "run")
    light.listener.finished(light.supervisor.submit(RunJob(SMALL)))
    light.next_run_works()


def test_stop_ends_a_frozen_worker_within_seconds(light: Bench) -> None:
    light.fault("freeze", "run")
    job = light.supervisor.submit(RunJob(SMALL))
    light.wait_for_phase(job, "run")
    light.allow(grace=0.5)
    light.supervisor.stop()
    assert light.listener.outcome_of(job) == Stopped()
    lost = light.listener.wait_for(WorkerLost)  # later: the job's end does not wait for the worker
    assert str(lost.sentence) == "The worker did not stop within 0.5 s, and was ended."
    light.next_run_works()


def test_a_worker_killed_while_idle_is_replaced(light: Bench, fault_file: Path) -> None:
    light.next_run_works()
    for process in processes_with(
        f"LNEXPLORER_TEST_FAULT={fault_file}", os.getpid()
    ):  # one that ends may still be there
        os.kill(process, signal.SIGKILL)
    lost = light.listener.wait_for(WorkerLost)
    assert "while waiting for work" in str(lost.sentence)
    light.listener.wait_for(WorkerReady)
    light.next_run_works()


def test_a_kernel_that_waits_for_a_lock_for_ever_is_ended_after_its_deadline(bench: Bench) -> None:
    bench.next_run_works()  # what a first run imports is there
    bench.allow(run=4)
    bench.fault("leave-a-lock-taken", "run")
    broken = bench.listener.broken(bench.supervisor.submit(RunJob(SMALL)))
    assert broken.phase == "run"
    assert str(broken.sentence).startswith("The worker took longer than 4")
    assert str(broken.sentence).endswith("s while running, and was ended.")
    assert "in acquire" in broken.detail, f"where it was: {broken.detail}"
    _, _, printing = broken.detail.partition("Current thread")
    assert "in _look" in printing, "it is printed while no other thread goes on"
    bench.next_run_works()


def test_stop_leaves_a_kernel_that_never_ends_without_a_new_worker(bench: Bench) -> None:
    bench.next_run_works()
    bench.fault("leave-a-lock-taken", "run")
    job = bench.supervisor.submit(RunJob(SMALL))
    bench.wait_for_phase(job, "run")
    time.sleep(0.3)
    heard = len(bench.listener.hear_all())
    bench.supervisor.stop()
    assert bench.listener.outcome_of(job) == Stopped()
    # The lock is still left taken in that worker, so the next run shows that it is the same one.
    job = bench.supervisor.submit(RunJob(SMALL))
    bench.wait_for_phase(job, "run")
    assert not any(isinstance(event, WorkerLost) for event in bench.listener.hear_all()[heard:])
    bench.allow(grace=1)
    bench.supervisor.restart("interpreter")
    bench.listener.wait_for(WorkerStarting)
    bench.next_run_works()


def test_memory_that_runs_out_ends_the_job_and_not_the_worker(bench: Bench) -> None:
    bench.fault("exhaust-memory", "run")
    broken = bench.listener.broken(bench.supervisor.submit(RunJob(SMALL)))
    assert str(broken.sentence).startswith("The machine's memory ran out: ")
    bench.next_run_works()


def test_a_torch_that_cannot_be_imported_is_told_and_not_tried_for_ever(bench: Bench) -> None:
    bench.fault("hide-torch", "start")
    bench.supervisor.restart("interpreter")
    lost = bench.listener.wait_for(WorkerLost)
    assert (
        str(lost.sentence)
        == "torch cannot be imported: libtorch_cpu.so: cannot open shared object file."
    )
    assert not lost.restarting
    bench.next_run_works()


def test_of_fifty_requests_in_a_second_the_newest_gives_the_result(bench: Bench) -> None:
    bench.next_run_works()
    heard = len(bench.listener.hear_all())
    jobs = []
    for seed in range(50):
        jobs.append(bench.supervisor.submit(RunJob(RunRequest(m=4, n=8, seed=seed))))
        time.sleep(0.02)
    result = bench.listener.finished(jobs[-1]).value
    assert isinstance(result, RunResult)
    assert result.request.seed == 49
    ends = bench.listener.ends()
    assert all(len(ends[job]) == 1 for job in jobs)
    assert not any(isinstance(event, WorkerLost) for event in bench.listener.hear_all()[heard:])
    assert any(ends[job] == [Superseded()] for job in jobs)
