"""The order in which jobs are done, and which make room for others."""

from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.domain.jobs import InspectJob, RunJob, TouchRequest
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.engine.job_line import Job, JobLine
from lnexplorer.protocol.messages import JobEnded, Stopped, Superseded

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


def test_measurements_wait_for_each_other_and_none_is_dropped() -> None:
    line = JobLine()
    assert [line.add(measure(number)) for number in (1, 2, 3)] == [[], [], []]
    assert taken(line) == [1, 2, 3]


def test_a_run_and_an_inspection_go_before_measurements_that_wait() -> None:
    line = JobLine()
    line.add(measure(1))
    line.add(run(2))
    line.add(inspection(3))
    assert taken(line) == [2, 3, 1]


def test_a_run_does_not_end_a_measurement_that_runs() -> None:
    line = JobLine()
    line.add(measure(1))
    line.take()
    assert line.add(run(2)) == []
    assert line.running is not None
    assert line.add(run(3)) == [JobEnded(2, Superseded())]


def test_a_measurement_does_not_end_a_run() -> None:
    line = JobLine()
    line.add(run(1))
    line.take()
    assert line.add(measure(2)) == []
    assert line.running is not None


def test_an_experiment_waits_in_line_and_a_run_does_not_end_it() -> None:
    line = JobLine()
    line.add(Job(1, ExperimentRequest(name="order")))
    line.add(measure(2))
    assert line.take() is not None
    assert line.add(run(3)) == []
    line.release()
    assert taken(line) == [3, 2]


def test_the_newest_row_that_is_looked_at_takes_the_place_of_one_that_waits() -> None:
    line = JobLine()
    line.add(inspection(1))
    for number in (2, 3):
        ends = line.add(Job(number, TouchRequest(problem=SHAPE, row=number)))
    assert ends == [JobEnded(2, Superseded())]
    assert taken(line) == [1, 3]


def test_one_job_can_be_ended_alone() -> None:
    line = JobLine()
    for number in (1, 2, 3):
        line.add(measure(number))
    line.take()
    assert line.end_one(2, Stopped()) == [JobEnded(2, Stopped())]
    assert line.end_one(1, Stopped()) == [JobEnded(1, Stopped())]
    assert line.end_one(9, Stopped()) == []
    line.release()
    assert taken(line) == [3]


def test_a_stop_ends_everything_once() -> None:
    line = JobLine()
    for job in (measure(1), measure(2), run(3)):
        line.add(job)
    line.take()
    assert sorted(end.job for end in line.end_all(Stopped())) == [1, 2, 3]
    assert not line.waiting


def test_a_newer_run_takes_the_place_of_everything_before_it() -> None:
    line = JobLine()
    assert line.add(run(1)) == []
    assert line.take() == run(1)
    assert line.add(inspection(2)) == []
    assert line.add(run(3)) == [JobEnded(1, Superseded()), JobEnded(2, Superseded())]
    assert line.held == run(1), "the worker still has it"
    assert line.running is None
    line.release()
    assert line.take() == run(3)


def test_an_inspection_waits_for_a_run_and_replaces_only_an_inspection() -> None:
    line = JobLine()
    line.add(run(1))
    line.add(inspection(2))
    assert line.add(inspection(3)) == [JobEnded(2, Superseded())]
    assert line.take() == run(1)
    line.release()
    assert line.take() == inspection(3)


def test_stopping_twice_ends_each_job_once() -> None:
    line = JobLine()
    line.add(run(1))
    line.take()
    assert line.end_all(Stopped()) == [JobEnded(1, Stopped())]
    assert line.end_all(Stopped()) == []
