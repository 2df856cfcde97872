"""The order in which jobs are done, the sentence of an end, deadlines and alarms, without a
process.
"""

from types import SimpleNamespace

import pytest

from lnexplorer.domain.jobs import InspectJob, RunJob
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine import deadlines as deadlines_module
from lnexplorer.engine.deadlines import Alarm, Alarms
from lnexplorer.engine.ending import describe
from lnexplorer.engine.job_line import Job, JobLine
from lnexplorer.engine.process import Exit
from lnexplorer.protocol.messages import Stopped


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (-15, "The worker was ended by SIGTERM while running."),
        (-40, "The worker was ended by signal 40 while running."),
        (1, "The worker ended with exit status 1 while running: KeyError: 'x'"),
    ],
)
def test_an_exit_is_told_in_words(status: int, sentence: str) -> None:
    output = (
        "Traceback (most recent call last):\n  somewhere\nKeyError: 'x'\n" if status > 0 else ""
    )
    assert str(describe(Exit(status, output), "run")) == sentence


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The alarms' clock, which stands until somebody sets `now`."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(deadlines_module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_after_the_whole_program_was_held_up_nobody_is_blamed(clock: SimpleNamespace) -> None:
    alarms = Alarms()
    alarms.set(Alarm.HEARTBEAT, 0.01)
    clock.now += 0.6
    assert alarms.take_due() == [], "the worker's signs of life could not be read either"
    assert alarms.seconds_to_next() is not None
    assert alarms.take_due() == [(Alarm.HEARTBEAT, 0.01)]


SHAPE = RunRequest(m=4, n=8)


def measure(number: int) -> Job:
    return Job(number, MeasureRequest(settings=(SHAPE,)))


def run(number: int) -> Job:
    return Job(number, RunJob(SHAPE))


def inspection(number: int) -> Job:
    return Job(number, InspectJob("y", 0, 1, 0, 1))


def taken(line: JobLine) -> list[int]:
    numbers = []
    while (job := line.take()) is not None:
        numbers.append(job.number)
        line.release()
    return numbers


def test_a_run_and_an_inspection_go_before_measurements_that_wait() -> None:
    line = JobLine()
    line.add(measure(1))
    line.add(run(2))
    line.add(inspection(3))
    assert taken(line) == [2, 3, 1]


def test_a_stop_ends_everything_once() -> None:
    line = JobLine()
    for job in (measure(1), measure(2), run(3)):
        line.add(job)
    line.take()
    assert sorted(end.job for end in line.end_all(Stopped())) == [1, 2, 3]
    assert not line.waiting
