"""The order in which jobs are done, and which make room for others."""

from lnexplorer.domain.experiments.request import ExperimentRequest
from lnexplorer.domain.measuring import MeasureRequest
from lnexplorer.domain.request import RunRequest
from lnexplorer.domain.touch import TouchRequest
from lnexplorer.engine.events import JobEnded, Stopped, Superseded
from lnexplorer.engine.jobs import Job, JobLine
from lnexplorer.protocol.messages import Conduct, Inspect, Measure, Run, Touch

SHAPE = RunRequest(m=4, n=8)


def measure(number: int, limit_seconds: float = 60.0) -> Job:
    return Job(Measure(job=number, request=MeasureRequest(settings=(SHAPE,), limit_seconds=limit_seconds)))


def run(number: int) -> Job:
    return Job(Run(job=number, request=SHAPE))


def inspection(number: int) -> Job:
    return Job(Inspect(job=number, tensor="y", row_start=0, row_stop=1, column_start=0, column_stop=1))


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
    line.add(Job(Conduct(job=1, request=ExperimentRequest(name="order"))))
    line.add(measure(2))
    assert line.take() is not None
    assert line.add(run(3)) == []
    line.release()
    assert taken(line) == [3, 2]


def test_the_newest_row_that_is_looked_at_takes_the_place_of_one_that_waits() -> None:
    line = JobLine()
    line.add(inspection(1))
    for number in (2, 3):
        ends = line.add(Job(Touch(job=number, request=TouchRequest(problem=SHAPE, row=number))))
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
    assert not line.waits


def test_a_measurement_brings_its_own_time_for_a_step() -> None:
    assert measure(1, limit_seconds=5.0).step_seconds == 5.0
    assert run(2).step_seconds is None
