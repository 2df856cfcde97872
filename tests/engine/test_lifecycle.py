"""A supervisor's whole life: nothing is left when it is closed, or when its process is killed."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from lnexplorer.domain.jobs import RunJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.pipes import between_pipes, child_environment
from lnexplorer.engine.process import Exit, Report, WorkerProcess
from lnexplorer.engine.supervisor import Supervisor, run_in_turn
from lnexplorer.protocol.messages import (
    EngineEvent,
    Finished,
    JobEnded,
    JobPart,
    JobStarted,
    Stopped,
    WorkerLost,
    WorkerReady,
    WorkerStarting,
)
from tests.engine.bench import LIGHT_WORKER, SMALL, Bench
from tests.engine.listener import Listener, processes_with, wait_until
from tests.programs import printed, start_program


def test_closing_during_a_run_leaves_no_process(make_bench: Callable[[], Bench], mark: str) -> None:
    bench = make_bench()
    bench.fault("freeze", "run")
    bench.supervisor.start()
    job = bench.supervisor.submit(RunJob(SMALL))
    bench.listener.wait_for(JobStarted)
    assert processes_with(mark)
    bench.allow(grace=0.5)
    bench.supervisor.close()
    assert not processes_with(mark)
    assert bench.listener.ends() == {job: [Stopped()]}
    with pytest.raises(RuntimeError, match="closed"):
        bench.supervisor.submit(RunJob(SMALL))


def test_what_is_printed_is_that_of_a_job_and_its_end_in_whole_lines() -> None:
    bar = "seq 3000 | tr '\\n' '\\r'"  # of progress
    program = [
        "sh",
        "-c",
        f"echo before; read job; seq 20000; read job; {bar}; echo done; {bar}; read end",
    ]
    spawned = between_pipes(
        lambda *_: subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
    )
    reports = queue.SimpleQueue[Report]()
    process, told = (
        WorkerProcess(spawned, reports.put),
        spawned.process.stdin,
    )
    assert told is not None
    wait_until(lambda: process.printed == "before\n")
    process.begin_job()
    assert process.printed == ""
    told.write(b"\n")
    told.flush()
    wait_until(lambda: process.printed.endswith("20000\n"))
    lines = process.printed.splitlines()
    assert lines == [str(number) for number in range(20001 - len(lines), 20001)]
    assert 5000 < len(lines) < 20000
    told.write(b"\n")
    told.flush()
    wait_until(lambda: process.printed.endswith("done\n3000"))
    told.close()
    while not isinstance(report := reports.get(timeout=10), Exit):
        pass
    assert report.output.endswith("\n20000\ndone\n3000"), "of a bar, what stands at its end"


PARENT = """
import sys, time
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.jobs import RunJob
from lnexplorer.protocol.messages import JobStarted
from lnexplorer.engine.supervisor import Supervisor
supervisor = Supervisor(lambda e: print(type(e).__name__, flush=True), device="interpreter", command=sys.argv[1:])
supervisor.start()
supervisor.submit(RunJob(RunRequest(m=4, n=8)))
time.sleep(60)
"""


def test_when_the_parent_is_killed_no_worker_is_left(fault_file: Path, mark: str) -> None:
    fault_file.write_text("freeze:run")
    with start_program(PARENT, *LIGHT_WORKER) as parent:
        assert parent.stdout is not None
        for line in parent.stdout:
            if line.strip() == "JobStarted":
                break
        assert wait_until(lambda: not fault_file.exists())
        assert len(processes_with(mark)) == 2
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert wait_until(lambda: not processes_with(mark)), "a worker outlived its parent"


def test_a_program_that_cannot_be_started_is_told_once(mark: str) -> None:
    listener = Listener()
    supervisor = Supervisor(listener, command=["/no/such/program"])
    supervisor.start()
    broken = listener.broken(supervisor.submit(RunJob(SMALL)))
    assert broken.phase == "start"
    assert str(broken.sentence).startswith("The worker process cannot be started: ")
    assert not listener.wait_for(WorkerLost).restarting
    supervisor.close()


def test_a_worker_that_always_dies_at_once_is_not_started_for_ever() -> None:
    listener = Listener()
    supervisor = Supervisor(listener, command=["/bin/sh", "-c", "echo no luck >&2; exit 7"])
    supervisor.start()
    lost = listener.wait_for(WorkerLost, lambda event: not event.restarting)
    assert str(lost.sentence) == "The worker ended with exit status 7 while starting."
    assert "no luck" in lost.detail
    starts = sum(isinstance(event, WorkerStarting) for event in listener.hear_all())
    assert starts == 4
    broken = listener.broken(supervisor.submit(RunJob(SMALL)))
    assert broken.phase == "start"
    supervisor.close()


def test_a_worker_that_never_gets_ready_is_ended(mark: str) -> None:
    listener = Listener()
    deadlines = Deadlines(start=0.3, grace=0.2)
    supervisor = Supervisor(listener, command=["/bin/sh", "-c", "sleep 60"], deadlines=deadlines)
    supervisor.start()
    broken = listener.broken(supervisor.submit(RunJob(SMALL)))
    assert (
        str(broken.sentence) == "The worker took longer than 0.3 s while starting, and was ended."
    )
    assert (broken.phase, broken.timed_out) == ("start", True)
    supervisor.close()
    assert not processes_with(mark)


def test_a_run_to_its_end_gives_a_whole_result_and_leaves_nothing(mark: str) -> None:
    heard: list[EngineEvent] = []
    threads = threading.active_count()
    (outcome,) = run_in_turn(
        [RunJob(RunRequest.of(m=4, n=8, group_size_m=2, repeats=2))], "interpreter", heard.append
    )
    assert isinstance(outcome, Finished)
    result = outcome.value
    assert isinstance(result, RunResult)
    assert result.correctness.passed
    assert result.correctness.partial_rows is not None
    assert [facts.name for facts in result.compiled] == [
        "forward",
        "backward_stage1",
        "backward_stage2",
    ]
    assert result.throughput is None
    assert result.provenance.kind == "interpreted"
    kinds = [type(event) for event in heard]
    assert (
        kinds.index(WorkerReady)
        < kinds.index(JobStarted)
        < kinds.index(JobPart)
        < kinds.index(JobEnded)
    )
    assert wait_until(lambda: threading.active_count() <= threads)
    # The process that compiles ends when it hears that its worker is gone.
    assert wait_until(lambda: not processes_with(mark))


def test_a_worker_can_be_started_before_anything_heavy_is_imported() -> None:
    loaded = printed("import sys, lnexplorer.engine.spawn; print(*sys.modules)").split()
    assert not {"numpy", "msgspec", "torch", "triton", "PySide6"} & {*loaded}


def test_a_file_in_the_folder_where_somebody_works_is_not_what_a_child_imports(
    monkeypatch: pytest.MonkeyPatch, cwd: Path
) -> None:
    (cwd / "dataclasses.py").write_text("raise AssertionError('it was executed')\n")
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(["", *filter(None, [os.environ.get("PYTHONPATH")])])
    )
    # As a library starts Python again, which knows nothing of our options.
    program = (
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import dataclasses,"
        " lnexplorer, lnkernels'], check=True)"
    )
    subprocess.run([sys.executable, "-P", "-c", program], env=child_environment(), check=True)
