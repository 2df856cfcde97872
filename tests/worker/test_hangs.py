"""A kernel that hangs on the interpreter is ended at its deadline, and its end says why it hung."""

import os
import queue
import sys
from pathlib import Path

import pytest

from lnexplorer.domain.jobs import TraceJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.cluster_host import pack, unpack
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import Broken, EngineEvent, JobEnded
from lnkernels.launch.source import find_source
from tests.engine.loopback import write_program

ROOT = Path(__file__).parents[2]
HANGS = ROOT / "resources" / "hangs"
STAND_IN = ROOT / "tests" / "engine" / "stand_in_ssh.py"
DEADLINES = Deadlines(compile=5.0, run=5.0, grace=20.0)  # of a machine that has others to do


TOLD = {
    "release_left_out": "and never gave it back. Rows that wait for it: 1.",
    "grid_barrier": "(line 20 of grid_barrier.py) for 31 that were never resident.",
    "later_program": "for program 31, one of 31 that were never resident.",
    "endless_loop": "or a wait for 26 programs that never began, no stamp says.",
}


def test_the_end_of_a_job_whose_kernel_hangs_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All at once: each takes as long as its deadline; one over a stand-in for ssh."""
    write_program(tmp_path / "ssh", f'exec {sys.executable} -P {STAND_IN} "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    far = {"grid_barrier": f"ssh://rack7/interpreter?python={sys.executable}"}
    supervisors = {}
    for name in TOLD:
        events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        device = far.get(name, "interpreter")
        supervisor = Supervisor(events.put, device=device, deadlines=DEADLINES)
        supervisor.start()
        source = find_source(str(HANGS / f"{name}.py"))
        job = supervisor.submit(TraceJob(RunRequest(m=32, n=8), source))
        supervisors[name] = supervisor, events, job
    ends = {}
    try:
        for name, (supervisor, events, job) in supervisors.items():
            while not (isinstance(event := events.get(timeout=200), JobEnded) and event.job == job):
                pass
            ends[name] = event
            supervisor.close()  # else another worker comes up
    finally:
        for supervisor, *_ in supervisors.values():
            supervisor.close()
    for name, told in TOLD.items():
        outcome = ends[name].outcome
        assert isinstance(outcome, Broken), outcome
        assert outcome.timed_out
        assert str(outcome.sentence).endswith(told), outcome.sentence
        assert f" of {name}.py. " in str(outcome.sentence), (
            f"where its worker was: {outcome.detail}"
        )
        assert outcome.hang is not None
        assert outcome.hang.timeline is not None
        assert str(outcome.hang.timeline.hang).endswith(told)
    # As a Dask worker hands it on, and another machine's is read.
    (received,) = unpack(pack([ends["later_program"]]))
    assert isinstance(received, JobEnded)
    assert isinstance(received.outcome, Broken)
    assert str(received.outcome.sentence).endswith(TOLD["later_program"])
    assert received.outcome.hang is not None
    assert received.outcome.hang.row.tolist() == [0]
