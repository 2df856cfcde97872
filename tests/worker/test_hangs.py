"""A kernel that hangs on the interpreter is ended at its deadline, and its end says why it hung."""

import queue
from pathlib import Path

from lnexplorer.domain.jobs import TraceJob
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.cluster_host import pack, unpack
from lnexplorer.engine.deadlines import Deadlines
from lnexplorer.engine.supervisor import Supervisor
from lnexplorer.protocol.messages import Broken, EngineEvent, JobEnded
from lnkernels.launch.source import find_source

HANGS = Path(__file__).parents[2] / "resources" / "hangs"
DEADLINES = Deadlines(compile=5.0, run=5.0, grace=20.0)  # of a machine that has others to do


TOLD = {
    "release_left_out": "and never gave it back: rows that wait for it: 1.",
    "grid_barrier": "(line 20 of grid_barrier.py) for 31 that were never resident.",
    "later_program": "for program 31, one of 31 that were never resident.",
    "endless_loop": "or a wait for 26 programs that never began, no stamp says.",
}


def test_the_end_of_a_job_whose_kernel_hangs_says_why() -> None:
    """All at once: each takes as long as its deadline."""
    supervisors = {}
    for name in TOLD:
        events: queue.SimpleQueue[EngineEvent] = queue.SimpleQueue()
        supervisor = Supervisor(events.put, device="interpreter", deadlines=DEADLINES)
        supervisor.start()
        source = find_source(str(HANGS / f"{name}.py"))
        job = supervisor.submit(TraceJob(RunRequest(m=32, n=8), source))
        supervisors[name] = supervisor, events, job
    ends = {}
    try:
        for name, (_, events, job) in supervisors.items():
            while not (isinstance(event := events.get(timeout=200), JobEnded) and event.job == job):
                pass
            ends[name] = event
    finally:
        for supervisor, *_ in supervisors.values():
            supervisor.close()
    for name, told in TOLD.items():
        outcome = ends[name].outcome
        assert isinstance(outcome, Broken), outcome
        assert outcome.timed_out
        assert str(outcome.sentence).endswith(told), outcome.sentence
        assert f"of {name}.py. " in str(outcome.sentence), "where its worker was"
        assert outcome.hang is not None
        assert outcome.hang.timeline is not None
    # As a Dask worker hands it on, and another machine's is read.
    (received,) = unpack(pack([ends["later_program"]]))
    assert isinstance(received, JobEnded)
    assert isinstance(received.outcome, Broken)
    assert str(received.outcome.sentence).endswith(TOLD["later_program"])
    assert received.outcome.hang is not None
    assert received.outcome.hang.row.tolist() == [0]
