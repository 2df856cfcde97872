"""Kernels that hang on a GPU: their end says why, and the GPU is free afterwards."""

import re
import threading
import time
from pathlib import Path

import pytest
import torch

from lnexplorer.domain.experiments.hang import PLANTED, Hangs
from lnexplorer.domain.jobs import RunJob, TraceJob
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.result import RunResult
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor, run_in_turn
from lnexplorer.protocol.messages import Broken, Finished
from lnkernels.check.inputs import make_inputs
from lnkernels.check.results import kernel_results
from lnkernels.launch import LaunchWish, resolve_launch
from lnkernels.launch.source import find_source
from lnkernels.trace.flight_recorder import FlightRecorder
from lnkernels.values.timeline import NO_NUMBER
from tests.engine.listener import Listener
from tests.gpu.test_experiments_on_gpu import done

pytestmark = pytest.mark.gpu
HANGS = Path(__file__).parents[2] / "resources" / "hangs"
M = 4096  # more programs of 32 warps than any GPU holds
# The first call, which hangs, is of the phase in which it is compiled; the grace is for a copy.
DEADLINES = Deadlines(compile=20.0, run=20.0, grace=3.0)
WHY = {
    "release_left_out": r"Row 17 took lock 3 \(line 26 of .*\) and never gave it back\. .* it: \d{2}",
    "two_orders": r"Rows 4 and 9 hold a lock each and want the other's \(line 23, 30 of",
    "grid_barrier": r"[\d,]+ programs wait \(line 20 of .*\) for [\d,]+ that were never resident\.",
    "later_program": r"[\d,]+ programs wait \(line 22 .*\) for program 4,095, one of [\d,]+ that",
    "endless_loop": r"Row 5 stands after the stamp search \(line 18 of .*\): a loop there does not end",
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_kernel_that_hangs_is_ended_and_says_why(name: str) -> None:
    listener = Listener()
    listener.patience = 300.0
    supervisor = Supervisor(listener, device="cuda:0", deadlines=DEADLINES)
    supervisor.start()
    try:
        source = find_source(str(HANGS / f"{name}.py"))
        small, hangs = RunJob(RunRequest.of(m=64, n=64)), TraceJob(RunRequest(m=M, n=64), source)
        # The first one warms up: compiling has to end before the deadline.
        listener.finished(supervisor.submit(small))
        broken = listener.broken(supervisor.submit(hangs))
        assert broken.timed_out
        assert broken.hang is not None, broken.sentence
        said = str(broken.sentence)
        print(said)
        assert re.search(WHY[name], said), said
        assert broken.hang.programs == M
        assert not broken.hang.counted
        waited = broken.hang.now_ns - int(broken.hang.since_ns.max())
        assert 1e9 < waited < 60e9, "the host's clock tells how long they stand"
        assert broken.hang.timeline is not None
        # A new worker, on the same GPU.
        listener.finished(supervisor.submit(small))
    finally:
        supervisor.close()


def test_a_check_that_hangs_says_why() -> None:
    """As in `run --provider`, by the rehearsal before the check."""
    source = find_source(str(HANGS / "release_left_out.py"))
    request = MeasureRequest(
        providers=(source.name,),
        kernels=(source,),
        problem=RunRequest(m=M, n=64),
        seconds=0.5,
        limit_seconds=25.0,
    )
    (outcome,) = run_in_turn([request], "cuda:0")
    assert isinstance(outcome, Broken), outcome
    assert outcome.hang is not None, outcome.sentence
    assert "Row 17 took lock 3" in str(outcome.sentence)


def test_the_experiment_has_all_five() -> None:
    found = done("hang")
    planted = found.findings_of(Hangs).planted
    print(found.seen())
    assert [each.name for each in planted] == list(PLANTED)
    assert [each.name for each in planted if each.hang is None] == []


def test_a_run_that_is_recorded_for_an_autopsy_is_right() -> None:
    request = RunRequest.of(m=512, n=1024, group_size_m=16, repeats=3)
    (outcome,) = run_in_turn([RunJob(request, autopsy=True)], "cuda:0")
    assert isinstance(outcome, Finished), outcome
    assert isinstance(outcome.value, RunResult)
    assert outcome.value.correctness.passed


def test_rows_of_locked_can_be_read() -> None:
    device = torch.device("cuda", 0)
    inputs = make_inputs(512, 1024, torch.float16, "tutorial", 0, device)
    launch = resolve_launch(1024, "float16", LaunchWish(strategy="locked", group_size_m=16), m=512)
    recorder = FlightRecorder(device)
    recorder.clear()
    kernel_results(inputs, 1e-5, launch, recorder.memory)
    torch.cuda.synchronize(device)
    lines = {"start": (1,), "wanted": (2,), "held": (3,), "released": (4,)}
    found = []
    # On a thread of its own, as in a worker.
    thread = threading.Thread(target=lambda: found.append(recorder.snapshot("x.py", lines, 1024)))
    thread.start()
    thread.join(30)
    (hang,) = found
    assert hang is not None
    assert hang.row.tolist() == list(range(512))
    assert set(hang.last.tolist()) == {3}
    assert (hang.holds == NO_NUMBER).all()
    timeline = hang.timeline
    assert timeline is not None
    assert (timeline.lock == [row % 16 for row in range(512)]).all()
    assert (timeline.start_ns <= timeline.wanted_ns).all()
    assert (timeline.held_ns <= timeline.released_ns).all()
    assert 0 <= hang.now_ns - int(hang.since_ns.max()) < 60e9


def test_memory_is_read_while_a_kernel_runs() -> None:
    """A pass that waits behind a stretch of sleep on its own stream is seen as it was before."""
    device = torch.device("cuda", 0)
    recorder = FlightRecorder(device)
    recorder.clear()
    began = time.monotonic()
    torch.cuda._sleep(4_000_000_000)  # about 2 s
    assert recorder.snapshot("x.py", {"start": (1,)}, 8) is None
    assert time.monotonic() - began < 1.0, "it did not wait for the kernel"
    torch.cuda.synchronize(device)
